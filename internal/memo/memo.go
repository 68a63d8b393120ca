// Package memo caches the results of slow functions: of prompts with a Cache, and of SuggestCached.
package memo

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// Cache caches values by key for a time. It makes one call for a key at a time, and
// other callers of Get wait for the result. Errors are not cached.
type Cache[K comparable, V any] struct {
	ttl       time.Duration
	most      int
	mostBytes int

	mu    sync.Mutex // protects the fields below, and waiting of each call
	calls map[K]*call[V]
	kept  map[K]kept[V]
	order []K // of kept, the oldest first
	bytes int // of kept
}

type kept[V any] struct {
	value V
	until time.Time
	bytes int
}

type call[V any] struct {
	cancel  context.CancelCauseFunc
	waiting int           // for it
	done    chan struct{} // closed when the fields below are set
	value   V
	err     error
}

// New returns a cache of the values of the last ttl, and of most of them at
// most, which have mostBytes together. It keeps none if ttl is not positive.
func New[K comparable, V any](ttl time.Duration, most, mostBytes int) *Cache[K, V] {
	return &Cache[K, V]{ttl: ttl, most: most, mostBytes: mostBytes, calls: map[K]*call[V]{}, kept: map[K]kept[V]{}}
}

var (
	errNobodyWaits = fmt.Errorf("the requests that waited have gone: %w", context.Canceled)
	errDone        = fmt.Errorf("the function has returned: %w", context.Canceled)
	errGoexit      = errors.New("goroutine ended by runtime.Goexit")
	errKey         = errors.New("the key does not equal itself, so it would never be found again")
)

// Get returns the value of a key. If the key is missing, Get calls f on a new
// goroutine, with a context that has no values and ends when no Get waits any more.
// The next Get then calls f again, even if the earlier call has not returned.
//
// keep returns the size of the value in bytes, and whether to cache the value. A value
// that is larger than the cache is not cached.
//
// If ctx ends before f returns, the error is the cause of ctx, else the error of f. A
// panic of f is an error. The last Get that waits returns only when f returns, so a
// limit on the callers of Get also limits the calls of f.
func (c *Cache[K, V]) Get(ctx context.Context, key K, keep func(V) (bytes int, ok bool), f func(ctx context.Context) (V, error)) (V, error) {
	var none V
	if same := key; same != key {
		return none, errKey
	}
	value, x := c.look(key, keep, f)
	if x == nil {
		return value, nil
	}
	select {
	case <-x.done:
		return x.value, x.err
	case <-ctx.Done():
		if c.leave(key, x) {
			<-x.done
		}
		return none, context.Cause(ctx)
	}
}

// Kept returns the value of a key, if it is there.
func (c *Cache[K, V]) Kept(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.expire(time.Now())
	k, ok := c.kept[key]
	return k.value, ok
}

func (c *Cache[K, V]) look(key K, keep func(V) (bytes int, ok bool), f func(ctx context.Context) (V, error)) (value V, x *call[V]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.expire(time.Now())
	if k, ok := c.kept[key]; ok {
		return k.value, nil
	}
	x = c.calls[key]
	if x == nil {
		ctx, cancel := context.WithCancelCause(context.Background())
		x = &call[V]{cancel: cancel, done: make(chan struct{})}
		c.calls[key] = x
		go c.call(ctx, key, x, keep, f) // ends with f
	}
	x.waiting++
	return value, x
}

// leave ends the call if nobody else waits for it, and reports whether it has.
func (c *Cache[K, V]) leave(key K, x *call[V]) (isLast bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if x.waiting--; x.waiting > 0 {
		return false
	}
	if c.calls[key] == x {
		delete(c.calls, key)
	}
	x.cancel(errNobodyWaits)
	return true
}

func (c *Cache[K, V]) call(ctx context.Context, key K, x *call[V], keep func(V) (bytes int, ok bool), f func(ctx context.Context) (V, error)) {
	x.err = errGoexit // unless f comes to its end
	defer x.cancel(errDone)
	defer close(x.done)
	bytes, isKept := 0, false
	defer func() {
		if v := recover(); v != nil {
			x.err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.calls[key] != x {
			return // its end has come too late
		}
		delete(c.calls, key)
		if x.err == nil && isKept {
			c.keep(key, x.value, bytes)
		}
	}()
	x.value, x.err = f(ctx)
	if x.err == nil && c.ttl > 0 {
		bytes, isKept = keep(x.value)
	}
}

func (c *Cache[K, V]) keep(key K, value V, bytes int) {
	if bytes > c.mostBytes {
		return
	}
	for len(c.order) >= c.most || bytes > c.mostBytes-c.bytes {
		c.forgetOldest()
	}
	c.bytes += bytes
	c.kept[key] = kept[V]{value: value, until: time.Now().Add(c.ttl), bytes: bytes}
	c.order = append(c.order, key)
}

func (c *Cache[K, V]) expire(now time.Time) {
	for len(c.order) > 0 && !now.Before(c.kept[c.order[0]].until) {
		c.forgetOldest()
	}
}

func (c *Cache[K, V]) forgetOldest() {
	var none K
	c.bytes -= c.kept[c.order[0]].bytes
	delete(c.kept, c.order[0])
	c.order[0] = none // the array behind may live on
	c.order = c.order[1:]
}
