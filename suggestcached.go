package prompts

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mcp-prompts/prompts/internal/memo"
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
	cache := memo.New[K, *index](ttl, maxCached)
	return func(ctx context.Context, prefix string, args map[string]string) ([]string, error) {
		k := key(ctx, args)
		keep := func(*index) bool { return len(fmt.Sprint(k)) <= maxCachedKey }
		x, err := cache.Get(ctx, k, keep, func(ctx context.Context) (*index, error) {
			values, err := f(ctx, k)
			if err != nil {
				return nil, err
			}
			return indexed(values)
		})
		if err != nil {
			return nil, err
		}
		return x.match(prefix), nil
	}
}
