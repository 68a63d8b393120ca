package prompts

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

const (
	// maxCached is how many lists a SuggestCached keeps.
	maxCached = 256
	// maxCachedKey is how long the key of a list may be to keep it, as text: a
	// client may have a say in it.
	maxCachedKey = 4 << 10
)

// SuggestCached is [SuggestFunc] with a memory: a list that f has returned is
// kept for ttl, and serves all requests with the same key, which the function
// of that name returns for a request.
//
// What f returns is shown to everybody whose request has that key. So f gets
// the key and nothing else of the request; its context has no values. What
// the list depends on must be in the key: if not everybody may see the same
// values, that includes who the client is, which key can find out from its ctx.
// A struct is a key that keeps several texts apart.
//
// For one key f runs once at a time. Requests that come meanwhile wait for it,
// and its context ends when all of them have gone. Then the next request calls
// it again, even if it has not returned. Its errors are the waiting requests',
// and are not kept. It runs on a goroutine of its own; a panic in it is an
// error. Of the lists, 256 at most are kept, the newest, and none if ttl
// is not positive or whose key is longer than 4 KiB when printed.
//
// SuggestCached panics if key or f is nil.
func SuggestCached[K comparable](
	ttl time.Duration,
	key func(ctx context.Context, args map[string]string) K,
	f func(ctx context.Context, key K) ([]string, error),
) CompleteFunc {
	if key == nil || f == nil {
		panic(errors.New("prompts: SuggestCached: a function is nil"))
	}
	c := &suggestions[K]{ttl: ttl, f: f, fetches: map[K]*fetch{}, kept: map[K]*kept{}}
	return func(ctx context.Context, prefix string, args map[string]string) ([]string, error) {
		x, err := c.get(ctx, key(ctx, args))
		if err != nil {
			return nil, err
		}
		return x.match(prefix), nil
	}
}

// suggestions are the lists of a SuggestCached.
type suggestions[K comparable] struct {
	ttl time.Duration
	f   func(ctx context.Context, key K) ([]string, error)

	mu      sync.Mutex // protects the fields below, and waiting of each fetch
	fetches map[K]*fetch
	kept    map[K]*kept
	order   []K // of kept, the oldest first
}

// kept is a list that has been fetched.
type kept struct {
	index *index
	until time.Time
}

// fetch is a call of f.
type fetch struct {
	cancel  context.CancelCauseFunc
	waiting int           // requests
	done    chan struct{} // closed when the fields below are set
	index   *index
	err     error
}

// get returns the list of a key. If ctx ends before there is one, the error is
// the cause of that.
func (c *suggestions[K]) get(ctx context.Context, key K) (*index, error) {
	if same := key; same != key {
		return nil, errors.New("the key does not equal itself, so it would never be found again")
	}
	x, f := c.look(key)
	if x != nil {
		return x, nil
	}
	select {
	case <-f.done:
		return f.index, f.err
	case <-ctx.Done():
		c.leave(key, f)
		return nil, context.Cause(ctx)
	}
}

// look returns the list of a key if it is there, or else a fetch to wait for.
func (c *suggestions[K]) look(key K) (*index, *fetch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.expire(time.Now())
	if k := c.kept[key]; k != nil {
		return k.index, nil
	}
	f := c.fetches[key]
	if f == nil {
		ctx, cancel := context.WithCancelCause(context.Background())
		f = &fetch{cancel: cancel, done: make(chan struct{})}
		c.fetches[key] = f
		go c.fetch(ctx, key, f)
	}
	f.waiting++
	return nil, f
}

// leave ends the fetch if nobody else waits for it.
func (c *suggestions[K]) leave(key K, f *fetch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if f.waiting--; f.waiting > 0 {
		return
	}
	if c.fetches[key] == f {
		delete(c.fetches, key)
	}
	f.cancel(errNobodyWaits)
}

var errNobodyWaits = fmt.Errorf("the requests that waited have gone: %w", context.Canceled)

func (c *suggestions[K]) fetch(ctx context.Context, key K, f *fetch) {
	keeps := c.ttl > 0 && len(fmt.Sprint(key)) <= maxCachedKey
	f.err = errGoexit // unless f comes to its end
	defer f.cancel(errAnswered)
	defer close(f.done)
	defer func() {
		if v := recover(); v != nil {
			f.err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.fetches[key] != f {
			return // its end has come too late
		}
		delete(c.fetches, key)
		if f.err == nil && keeps {
			c.keep(key, f.index)
		}
	}()
	values, err := c.f(ctx, key)
	if err == nil {
		f.index, err = indexed(values)
	}
	f.err = err
}

func (c *suggestions[K]) keep(key K, x *index) {
	if len(c.order) == maxCached {
		c.forgetOldest()
	}
	c.kept[key] = &kept{index: x, until: time.Now().Add(c.ttl)}
	c.order = append(c.order, key)
}

// expire forgets the lists whose time has passed.
func (c *suggestions[K]) expire(now time.Time) {
	for len(c.order) > 0 && !now.Before(c.kept[c.order[0]].until) {
		c.forgetOldest()
	}
}

func (c *suggestions[K]) forgetOldest() {
	delete(c.kept, c.order[0])
	c.order = c.order[1:]
}
