package rpc

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcp-prompts/prompts/observe"
)

// This file calls the application's observer with the operations of observed.go. A
// request that runs the application's code begins on the goroutine of that code,
// within its time limit, so that the code gets the observer's context. Everything else
// goes through a queue: no client waits for the observer. Without an observer, no clock
// is read.

const (
	// maxObserved and maxObservedBytes bound what is queued for the observer: calls,
	// and the messages that they keep in memory.
	maxObserved      = 4096
	maxObservedBytes = 4 << 20
	// observerPause is how long calls are gathered, because to wake a goroutine for
	// each would cost more than the call.
	observerPause = time.Millisecond
	// maxFree is how many operations are kept for reuse.
	maxFree = 256
	// hurriedAt is how many calls end the pause.
	hurriedAt = 64
	// observerTimeout is how long a full queue is waited for, and the end of the
	// queue when a connection ends.
	observerTimeout = time.Second
	// maxObservedMeta is the size in bytes up to which the observer gets a _meta.
	maxObservedMeta = 16 << 10
)

// observer calls the application's Observer; a nil observer does nothing.
type observer struct {
	hook    observe.Observer
	server  *Server
	failed  sync.Once    // to log
	blocked atomic.Int32 // calls of Begin that have passed the time limit, or never return

	mu       sync.Mutex // protects the fields below
	queue    []event
	spare    []event // to reuse
	free     []*observation
	bytes    int // of the messages in queue
	timer    *time.Timer
	draining bool          // or the timer runs
	stalled  bool          // the queue was full for too long
	room     chan struct{} // closed when queue is taken; nil while nobody waits
	idle     chan struct{} // closed when draining ends; nil while nobody waits

	taken []event        // of the goroutine that drains
	done  []*observation // that it has ended
}

// event is what the observer is to be called with: Begin, if it was not yet, and End.
type event struct {
	o   *observation
	end bool
}

func newObserver(s *Server, hook observe.Observer) *observer {
	if hook == nil {
		return nil
	}
	return &observer{hook: hook, server: s}
}

// get returns a zero observation. A sync.Pool would move all of them from the
// goroutine that drains to those that start, one by one.
func (b *observer) get() *observation {
	b.mu.Lock()
	n := len(b.free) - 1
	if n < 0 {
		b.mu.Unlock()
		return new(observation)
	}
	o := b.free[n]
	b.free[n], b.free = nil, b.free[:n]
	b.mu.Unlock()
	return o
}

// push queues what is to be called. If the queue is full, push waits for a moment,
// because an observer may only be slow.
func (b *observer) push(c event) {
	timeout := (<-chan time.Time)(nil)
	for b.mu.Lock(); len(b.queue) >= maxObserved || b.bytes > maxObservedBytes; b.mu.Lock() {
		if b.stalled {
			b.mu.Unlock()
			b.fail(errObserverBlocks, nil)
			return
		}
		if b.room == nil {
			b.room = make(chan struct{})
		}
		room := b.room
		b.mu.Unlock()
		if timeout == nil {
			timeout = time.After(observerTimeout)
		}
		select {
		case <-room:
		case <-timeout:
			b.mu.Lock()
			b.stalled = b.room == room
			b.mu.Unlock()
		}
	}
	b.queue = append(b.queue, c)
	b.bytes += c.o.op.Size
	if b.draining {
		isLong := len(b.queue)%hurriedAt == 0
		if isLong {
			b.hurryLocked()
		}
		b.mu.Unlock()
		if isLong {
			runtime.Gosched() // to the goroutine that drains, or the queue would grow
		}
		return
	}
	defer b.mu.Unlock()
	b.draining = true
	if b.timer == nil {
		b.timer = time.AfterFunc(observerPause, b.drain)
	} else {
		b.timer.Reset(observerPause)
	}
}

// hurryLocked ends the pause, if there is one.
func (b *observer) hurryLocked() {
	if b.timer.Stop() {
		b.timer.Reset(0)
	}
}

// drain makes the calls that are queued, one after the other.
func (b *observer) drain() {
	hasReturned := false
	defer func() {
		if !hasReturned { // the observer has ended the goroutine
			b.fail(ErrGoexit, nil)
			go b.drain()
		}
	}()
	for b.take() {
		for len(b.taken) > 0 {
			c := b.taken[0]
			b.taken[0], b.taken = event{}, b.taken[1:]
			if !c.o.begun {
				c.o.begun = true
				c.o.ctx = b.begin(c.o.ctx, &c.o.op)
			}
			if c.end {
				b.end(c.o)
				*c.o = observation{}
				b.done = append(b.done, c.o)
			}
		}
	}
	hasReturned = true
}

// take takes the queue, unless it is empty.
func (b *observer) take() bool {
	if len(b.taken) > 0 { // which the goroutine before has left
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if n := min(len(b.done), maxFree-len(b.free)); n > 0 {
		b.free = append(b.free, b.done[:n]...)
	}
	clear(b.done)
	b.done = b.done[:0]
	if len(b.queue) == 0 {
		b.draining = false
		if b.idle != nil {
			close(b.idle)
			b.idle = nil
		}
		return false
	}
	b.taken, b.queue = b.queue, b.spare[:0]
	b.spare, b.bytes, b.stalled = b.taken, 0, false // b.taken is empty by the time that it is the queue again
	if b.room != nil {
		close(b.room)
		b.room = nil
	}
	return true
}

// begin calls Begin, and returns the context for what the operation does.
func (b *observer) begin(ctx context.Context, op *observe.Operation) (result context.Context) {
	result = ctx
	defer b.recoverPanic()
	if begun := b.hook.Begin(ctx, *op); begun != nil && FromContext(begun) == FromContext(ctx) {
		result = begun // else it does not come from ctx
	}
	return result
}

// inject returns the members for the _meta of a request to the client.
func (b *observer) inject(ctx context.Context) map[string]string {
	if i, ok := b.hook.(observe.Injector); ok {
		return i.Inject(ctx)
	}
	return nil
}

// Link returns ctx, which has no values, with what relates it to the first request that
// waits for it.
func Link(ctx, first context.Context) context.Context {
	r := FromContext(first)
	if r == nil || r.task.server.observer == nil {
		return ctx
	}
	if l, ok := r.task.server.observer.hook.(observe.Linker); ok {
		if linked := l.Link(ctx, first); linked != nil {
			return linked
		}
	}
	return ctx
}

// end calls End.
func (b *observer) end(o *observation) {
	defer b.recoverPanic()
	b.hook.End(o.ctx, o.op, o.out)
}

// guard calls f, which may panic.
func (b *observer) guard(f func()) {
	defer b.recoverPanic()
	f()
}

// recoverPanic is deferred where the observer is called.
func (b *observer) recoverPanic() {
	if v := recover(); v != nil {
		b.fail(fmt.Errorf("panic: %v", v), debug.Stack())
	}
}

//lint:ignore ST1005 it begins with the name of an option
var errObserverBlocks = errors.New("Observer does not return; calls are dropped")

// fail logs the first failure of the observer.
func (b *observer) fail(err error, stack []byte) {
	b.failed.Do(func() {
		attrs := []slog.Attr{slog.Any("error", err)}
		if stack != nil {
			attrs = append(attrs, slog.String("stack", string(stack)))
		}
		b.server.spawn(func() { // a logger may block
			b.server.Log(context.Background(), slog.LevelError, "observer failed; further failures are not logged", attrs...)
		})
	})
}

// flush waits until what is queued was called.
func (b *observer) flush(ctx context.Context) error {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	if !b.draining {
		b.mu.Unlock()
		return nil
	}
	if b.idle == nil {
		b.idle = make(chan struct{})
	}
	idle := b.idle
	b.hurryLocked()
	b.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// flushFor is Flush with a time limit.
func (s *Server) flushFor(limit time.Duration) {
	if s.observer == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	_ = s.observer.flush(ctx)
}

// Flush waits until the observer was called for all that has ended.
func (s *Server) Flush(ctx context.Context) error { return s.observer.flush(ctx) }

// sessionID returns the name of a session for the observer and the middleware: a
// keyed hash of the transport's, which may be secret.
func (s *Server) sessionID(id string) string {
	if s.observer == nil && !s.config.SessionIDs {
		return ""
	}
	if id == "" {
		return rand.Text()
	}
	h := hmac.New(sha256.New, s.idKey)
	h.Write([]byte(id))
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(h.Sum(nil)[:16])
}
