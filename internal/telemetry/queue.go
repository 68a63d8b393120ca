// Package telemetry passes what a server does to the application's [observe.Observer]. An
// [Operation] is a message or a session. A [Request] is the operation of a request that
// waits for its response. A [Queue] makes the calls.
//
// A request that runs the application's code begins on the goroutine of that code,
// within its time limit, so that the code gets the observer's context. Everything else
// goes through the queue: no client waits for the observer. Without an observer, no clock
// is read: a nil Queue, Operation or Request does nothing.
package telemetry

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-prompts/prompts/observe"
)

const (
	// maxCalls and maxBytes bound what is queued for the observer: calls,
	// and the messages that they keep in memory.
	maxCalls = 4096
	maxBytes = 4 << 20
	// pause is how long calls are gathered, because to wake a goroutine for
	// each would cost more than the call.
	pause = time.Millisecond
	// maxFree is how many operations are kept for reuse.
	maxFree = 256
	// hurriedAt is how many calls end the pause.
	hurriedAt = 64
	// timeout is how long a full queue is waited for.
	timeout = time.Second
	// maxMeta is the size in bytes up to which the observer gets a _meta.
	maxMeta = 16 << 10
)

// Queue calls the application's Observer.
// No goroutine runs while nothing happens. A push starts the timer, whose goroutine (drain)
// makes the calls one at a time until the queue is empty. The calls for queued operations are
// therefore in the order of their events. mu is never held while the observer is called.
type Queue struct {
	hook    observe.Observer
	isSame  func(begun, ctx context.Context) bool
	log     func(err error, stack []byte)
	failed  sync.Once    // to log
	blocked atomic.Int32 // calls of Begin that have passed the time limit, or never return

	mu       sync.Mutex // protects the fields below
	queue    []event
	spare    []event // to reuse
	free     []*Operation
	bytes    int // of the messages in queue
	timer    *time.Timer
	draining bool          // or the timer runs
	stalled  bool          // the queue was full for too long
	room     chan struct{} // closed when queue is taken; nil while nobody waits
	idle     chan struct{} // closed when draining ends; nil while nobody waits

	taken []event      // of the goroutine that drains
	done  []*Operation // that it has ended
}

// event is what the observer is to be called with: Begin, if it was not yet, and End. One
// event makes both calls for an operation that was not begun before.
type event struct {
	o   *Operation
	end bool
}

// New returns a Queue for an Observer, or nil without one. isSame reports whether a
// context that Begin has returned is for the same request as the one it got. log gets the
// first failure of the Observer, with the stack of a panic. It must not block.
func New(hook observe.Observer, isSame func(begun, ctx context.Context) bool, log func(err error, stack []byte)) *Queue {
	if hook == nil {
		return nil
	}
	return &Queue{hook: hook, isSame: isSame, log: log}
}

// get returns a zero Operation. A sync.Pool would move all of them from the goroutine that
// drains to those that start, one by one. take keeps at most maxFree of them.
func (q *Queue) get() *Operation {
	q.mu.Lock()
	n := len(q.free) - 1
	if n < 0 {
		q.mu.Unlock()
		return new(Operation)
	}
	o := q.free[n]
	q.free[n], q.free = nil, q.free[:n]
	q.mu.Unlock()
	return o
}

// push queues what is to be called. If the queue is full, push waits for a moment, because an
// observer may only be slow. After one wait in vain, further calls are dropped without a
// wait, until the queue is taken: an observer that never returns must not slow down each
// message by a second.
func (q *Queue) push(c event) {
	over := (<-chan time.Time)(nil)
	for q.mu.Lock(); len(q.queue) >= maxCalls || q.bytes > maxBytes; q.mu.Lock() {
		if q.stalled {
			q.mu.Unlock()
			q.fail(errBlocks, nil)
			return
		}
		if q.room == nil {
			q.room = make(chan struct{})
		}
		room := q.room
		q.mu.Unlock()
		if over == nil {
			over = time.After(timeout)
		}
		select {
		case <-room:
		case <-over:
			q.mu.Lock()
			// The queue may have been taken at this moment, and then has a new channel or none.
			q.stalled = q.room == room
			q.mu.Unlock()
		}
	}
	q.queue = append(q.queue, c)
	// The operation keeps strings of the message, so the size of the message counts.
	q.bytes += c.o.op.Size
	if q.draining {
		isLong := len(q.queue)%hurriedAt == 0
		if isLong {
			q.hurryLocked()
		}
		q.mu.Unlock()
		if isLong {
			runtime.Gosched() // to the goroutine that drains, or the queue would grow
		}
		return
	}
	defer q.mu.Unlock()
	q.draining = true
	if q.timer == nil {
		q.timer = time.AfterFunc(pause, q.drain)
	} else {
		q.timer.Reset(pause)
	}
}

// hurryLocked ends the pause, if there is one. If the timer has fired already, drain is
// running and takes the queue by itself.
func (q *Queue) hurryLocked() {
	if q.timer.Stop() {
		q.timer.Reset(0)
	}
}

// drain makes the calls that are queued, one after the other. The flag draining keeps a
// second goroutine from starting. Only take resets the flag, when the queue is empty.
func (q *Queue) drain() {
	hasReturned := false
	defer func() {
		if !hasReturned { // the observer has ended the goroutine
			q.fail(errGoexit, nil)
			go q.drain()
		}
	}()
	for q.take() {
		for len(q.taken) > 0 {
			c := q.taken[0]
			// Before the call: if the observer ends the goroutine, the next one continues
			// with the event after this one.
			q.taken[0], q.taken = event{}, q.taken[1:]
			if !c.o.begun {
				c.o.begun = true
				c.o.ctx = q.begin(c.o.ctx, &c.o.op)
			}
			// An event of StartSession does not end its operation, which stays alive with the
			// session.
			if c.end {
				q.end(c.o)
				*c.o = Operation{}
				q.done = append(q.done, c.o)
			}
		}
	}
	hasReturned = true
}

// take takes the queue, unless it is empty. The two slices are swapped, so a busy queue allocates
// nothing. Operations that have ended are put on the free list here, with one lock for many.
func (q *Queue) take() bool {
	if len(q.taken) > 0 { // which the goroutine before has left
		return true
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if n := min(len(q.done), maxFree-len(q.free)); n > 0 {
		q.free = append(q.free, q.done[:n]...)
	}
	clear(q.done)
	q.done = q.done[:0]
	if len(q.queue) == 0 {
		q.draining = false
		if q.idle != nil {
			close(q.idle)
			q.idle = nil
		}
		return false
	}
	// Everything is taken at once: producers and the observer contend for the lock once in a
	// pause, not once for each call.
	q.taken, q.queue = q.queue, q.spare[:0]
	q.spare, q.bytes, q.stalled = q.taken, 0, false // q.taken is empty by the time that it is the queue again
	if q.room != nil {
		close(q.room)
		q.room = nil
	}
	return true
}

// begin calls Begin, and returns the context for what the operation does. A nil or foreign
// context is replaced by ctx: the application's code finds its request, and its cancellation,
// in the context.
func (q *Queue) begin(ctx context.Context, op *observe.Operation) (result context.Context) {
	result = ctx
	defer q.recoverPanic()
	if begun := q.hook.Begin(ctx, *op); begun != nil && q.isSame(begun, ctx) {
		result = begun // else it does not come from ctx
	}
	return result
}

func (q *Queue) inject(ctx context.Context) map[string]string {
	if i, ok := q.hook.(observe.Injector); ok {
		return i.Inject(ctx)
	}
	return nil
}

// Link returns ctx, which has no values, with what relates it to the first request that waits
// for it. The caller recovers a panic of the observer.
func (q *Queue) Link(ctx, first context.Context) context.Context {
	if q == nil {
		return ctx
	}
	if l, ok := q.hook.(observe.Linker); ok {
		if linked := l.Link(ctx, first); linked != nil {
			return linked
		}
	}
	return ctx
}

func (q *Queue) end(o *Operation) {
	defer q.recoverPanic()
	q.hook.End(o.ctx, o.op, o.out)
}

func (q *Queue) guard(f func()) {
	defer q.recoverPanic()
	f()
}

func (q *Queue) recoverPanic() {
	if v := recover(); v != nil {
		q.fail(fmt.Errorf("panic: %v", v), debug.Stack())
	}
}

//lint:ignore ST1005 it begins with the name of an option
var errBlocks = errors.New("Observer does not return; calls are dropped")

var errGoexit = errors.New("goroutine ended by runtime.Goexit")

// fail logs the first failure of the observer. One record is enough: an observer that fails
// does so for every message, and would flood the log.
func (q *Queue) fail(err error, stack []byte) {
	q.failed.Do(func() { q.log(err, stack) })
}

// Flush waits until what is queued was called. What is queued during the wait counts as well,
// because idle is closed only when the queue is empty.
func (q *Queue) Flush(ctx context.Context) error {
	if q == nil {
		return nil
	}
	q.mu.Lock()
	if !q.draining {
		q.mu.Unlock()
		return nil
	}
	if q.idle == nil {
		q.idle = make(chan struct{})
	}
	idle := q.idle
	q.hurryLocked()
	q.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
