package notify

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Courier sends one client what its subscribers have to say: one message at a time, on
// the goroutine that has the news. So a client costs no goroutine while nothing changes,
// and no switch to one when something does.
type Courier struct {
	mu     sync.Mutex    // protects the fields below
	send   func() error  // nil while the client takes nothing
	failed func(error)   // called with the error of send
	isDue  bool          // send is to be called
	isBusy bool          // send is being called
	idle   chan struct{} // closed at the end of that call; nil unless Stop waits
}

// Start has send called for each signal, by any goroutine and never by two at a time,
// until Stop. After its first error, which failed gets, it is not called again.
func (c *Courier) Start(send func() error, failed func(error)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.send, c.failed = send, failed
}

// Stop has send not called again. It waits for a call in progress.
func (c *Courier) Stop() {
	c.mu.Lock()
	c.send, c.failed = nil, nil
	if !c.isBusy {
		c.mu.Unlock()
		return
	}
	if c.idle == nil {
		c.idle = make(chan struct{})
	}
	idle := c.idle
	c.mu.Unlock()
	<-idle
}

// Deliver calls send, unless another goroutine is calling it: that one will call again.
func (c *Courier) Deliver() {
	c.mu.Lock()
	c.isDue = true
	c.mu.Unlock()
	for {
		send := c.begin()
		if send == nil {
			return
		}
		c.call(send)
	}
}

func (c *Courier) begin() (send func() error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.isDue || c.isBusy || c.send == nil {
		return nil
	}
	c.isDue, c.isBusy = false, true
	return c.send
}

// ErrNoReturn is the error of a send that has ended its goroutine.
var ErrNoReturn = errors.New("goroutine ended without a result")

func (c *Courier) call(send func() error) {
	err := ErrNoReturn
	defer func() { // send may end its goroutine
		c.mu.Lock()
		failed := c.failed
		c.isBusy = false
		if c.idle != nil {
			close(c.idle)
			c.idle = nil
		}
		if err != nil {
			c.send, c.failed = nil, nil
		}
		c.mu.Unlock()
		if err != nil && failed != nil {
			failed(err)
		}
	}()
	err = send()
}

const (
	// pace is how often the deliveries are counted.
	pace = 2 * time.Millisecond
	// minDelivered is how many deliveries there are to be in that time: with fewer, they
	// are slow or blocked, and twice as many goroutines continue.
	minDelivered = 256
	// perGoroutine is how many deliveries are worth a goroutine.
	perGoroutine = 64
)

// deliverAll delivers for all couriers. The calling goroutine and a few others are enough
// while clients take what they are sent. A client that blocks its goroutine delays the
// others by a few milliseconds, as do any number of such clients.
func deliverAll(due []*Courier) {
	if len(due) == 1 {
		due[0].Deliver()
		return
	}
	r := &round{due: due}
	r.spawn(min(runtime.GOMAXPROCS(0), len(due)/perGoroutine) - 1)
	watch := time.AfterFunc(pace, r.watch)
	r.mu.Lock()
	r.timer = watch
	r.mu.Unlock()
	r.work()
}

type round struct {
	due  []*Courier
	next atomic.Int64 // the first that no goroutine has taken

	mu         sync.Mutex // protects the fields below
	timer      *time.Timer
	seen       int64 // next at the last watch
	goroutines int
}

func (r *round) spawn(n int) {
	for range n {
		go r.work() // ends with the deliveries
	}
	r.goroutines += max(n, 0)
}

// A delivery that ends its goroutine is replaced.
func (r *round) work() {
	isDone := false
	defer func() {
		if !isDone {
			go r.work()
		}
	}()
	for {
		i := r.next.Add(1) - 1
		if i >= int64(len(r.due)) {
			break
		}
		r.due[i].Deliver()
	}
	isDone = true
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.timer != nil {
		r.timer.Stop()
	}
}

func (r *round) watch() {
	r.mu.Lock()
	defer r.mu.Unlock()
	next := r.next.Load()
	if next >= int64(len(r.due)) || r.timer == nil {
		return
	}
	if next-r.seen < minDelivered {
		r.spawn(min(max(1, 2*r.goroutines), len(r.due)-int(next)))
	}
	r.seen = next
	r.timer.Reset(pace)
}
