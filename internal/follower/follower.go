// Package follower has the parts of a follower that do not depend on the store it follows: its
// goroutine and its end, its status, calls of the application's functions, and the pauses
// between attempts.
//
// The modules that import the package have versions of their own: the package only gets additions.
package follower

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"time"
)

// Follower runs on one goroutine and has a status of type S. Set the fields before the first
// method is called.
type Follower[S any] struct {
	Logger *slog.Logger
	// Key returns a comparable value. A status with another value is logged and reported.
	Key func(S) any
	// Log logs a status.
	Log func(context.Context, S)
	// OnStatus is the application's function for a status. It may be nil.
	OnStatus func(S)

	cancel context.CancelFunc
	ended  chan struct{} // closed when the goroutine has ended

	mu     sync.Mutex // protects the field below
	status S
}

// Start calls run on a goroutine of its own. The context of run ends with ctx, or at Close.
func (f *Follower[S]) Start(ctx context.Context, run func(context.Context)) {
	f.ended = make(chan struct{})
	ctx, f.cancel = context.WithCancel(ctx)
	go func() { // until ctx ends, or Close
		defer close(f.ended)
		run(ctx)
	}()
}

// Close ends run and waits for its end. It may be called more than once.
func (f *Follower[S]) Close() {
	f.cancel()
	<-f.ended
}

func (f *Follower[S]) Status() S {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.status
}

func (f *Follower[S]) Update(change func(*S)) (before, now S) {
	f.mu.Lock()
	defer f.mu.Unlock()
	before = f.status
	change(&f.status)
	return before, f.status
}

// Set is Update, and logs and reports a status with another Key.
func (f *Follower[S]) Set(ctx context.Context, change func(*S)) {
	before, now := f.Update(change)
	if f.Key(before) == f.Key(now) {
		return
	}
	f.Log(ctx, now)
	if f.OnStatus != nil {
		f.Guard(ctx, "OnStatus", func() { f.OnStatus(now) })
	}
}

// Guard calls a function of the application, and logs a panic.
func (f *Follower[S]) Guard(ctx context.Context, name string, code func()) {
	defer func() {
		if v := recover(); v != nil {
			f.Logger.ErrorContext(ctx, "panic in callback", slog.String("callback", name), slog.Any("error", v), slog.String("stack", string(debug.Stack())))
		}
	}()
	code()
}

// Text returns the text of an error for a Key, or "" for nil.
func Text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// Backoff returns the pauses between attempts: first First, and then each twice as long as the
// pause before, up to Most. Each is shorter by a random part of at most Jitter, because all
// servers lose the store at the same time.
type Backoff struct {
	First, Most time.Duration
	Jitter      float64
	last        time.Duration
}

// Reset makes First the next pause.
func (b *Backoff) Reset() { b.last = 0 }

func (b *Backoff) Next() time.Duration {
	b.last = min(max(2*b.last, b.First), b.Most)
	return b.last - time.Duration(rand.Float64()*b.Jitter*float64(b.last))
}
