package telemetry

import (
	"context"
	"sync"
	"time"

	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/transport"
)

// Request is the operation of a request that waits for its response. Whoever completes the
// request ends it, while the request's own goroutine may still begin it or add to it.
//
// Only Connection, Context and Expire may be called on nil, which is a request without an
// observer: they are not on the way of each request.
//
// The lock is not held while Begin runs: the time limit, a cancellation and the end of the
// session complete the request on other goroutines, and must not wait for an observer.
type Request struct {
	queue *Queue
	conn  transport.Informer

	mu          sync.Mutex      // protects the fields below
	o           *Operation      // nil when it has ended
	ctx         context.Context // that Begin returned; nil before
	beginning   bool            // by the request's own goroutine, which then ends it, too
	isOver      bool            // End was called
	isBlocked   bool            // Begin has passed the time limit
	isRunning   bool            // the application's code has begun
	hasReturned bool            // and returned
}

// Start sets the operation and the connection, which may be nil. It comes before all other methods.
func (r *Request) Start(o *Operation, conn transport.Informer) {
	r.queue, r.o, r.conn = o.queue, o, conn
}

func (r *Request) Connection() transport.Informer {
	if r == nil {
		return nil
	}
	return r.conn
}

// Begin calls the Begin of the observer for a request whose turn has come, and returns the
// context for the application's code.
func (r *Request) Begin(ctx context.Context) (begun context.Context) {
	begun = ctx
	q := r.queue
	r.mu.Lock()
	o := r.o
	if o == nil { // it is completed
		r.mu.Unlock()
		return begun
	}
	o.out.Queued, r.isRunning = time.Since(o.op.Start), true
	// An observer that blocks would otherwise keep one slot after the other. The queue then
	// calls Begin, and waits alone.
	if q.blocked.Load() > 0 { // the queue is left to block
		r.mu.Unlock()
		return begun
	}
	r.beginning = true
	op := o.op
	r.mu.Unlock()
	hasReturned := false
	defer func() { // even if Begin ends the goroutine
		r.mu.Lock()
		defer r.mu.Unlock()
		r.beginning, r.ctx = false, begun
		o.ctx, o.begun = begun, true
		switch {
		// The count is never taken back: from now on, the queue makes all calls.
		case !hasReturned: // and may do so again
			q.blocked.Add(1)
			q.fail(errGoexit, nil)
		// Begin has returned after all, so it no longer counts as blocked.
		case r.isBlocked:
			q.blocked.Add(-1)
		}
		// End has left this event to the goroutine that begins, because Begin must be called
		// before End.
		if r.isOver {
			q.push(event{o, true})
		}
	}()
	begun = q.begin(ctx, &op)
	hasReturned = true
	return begun
}

// Context returns the context that Begin has returned; nil before. The context is for the
// log: records of the request then have its trace.
func (r *Request) Context() context.Context {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ctx
}

// Returned notes that the application's code has returned. If the request was completed
// earlier, End has noted the time already.
func (r *Request) Returned() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.o != nil {
		r.o.out.Ran, r.hasReturned = time.Since(r.o.op.Start)-r.o.out.Queued, true
	}
}

func (r *Request) SetPrompt(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.o.SetPrompt(name)
}

func (r *Request) SetTool(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.o.SetTool(name)
}

// SetVersion sets the version of the prompt that the request renders. The render function may
// still run after the operation has ended, so o may be nil.
func (r *Request) SetVersion(digest, release, label string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.o != nil {
		r.o.out.Digest, r.o.out.Release, r.o.out.Label = digest, release, label
	}
}

// Respond notes the response, which has been sent unless there is an error.
func (r *Request) Respond(response wire.Response, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.o.Respond(response, err)
}

// Expire notes that the time limit has passed. A Begin that is still running at the time
// limit counts as blocked until it returns. All requests meanwhile leave Begin to the queue.
func (r *Request) Expire() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.beginning && !r.isBlocked {
		r.isBlocked = true
		r.queue.blocked.Add(1)
		r.queue.fail(errBlocks, nil)
	}
}

// End ends the operation of a request that is completed. cause returns why there is no response.
// The goroutine that has completed the request calls End exactly once: see rpc.pending.
func (r *Request) End(cause func() error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o := r.o
	r.o = nil
	o.out.Duration = time.Since(o.op.Start)
	switch {
	// A request that was completed before its code began has only waited.
	case !r.isRunning:
		o.out.Queued = o.out.Duration
	case !r.hasReturned:
		o.out.Ran = o.out.Duration - o.out.Queued
	}
	if !o.responded {
		o.out.Err = cause()
	}
	if r.isOver = r.beginning; !r.beginning {
		r.queue.push(event{o, true})
	}
}
