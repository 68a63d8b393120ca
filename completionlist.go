package prompts

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcp-prompts/prompts/internal/match"
	"github.com/mcp-prompts/prompts/internal/memo"
	"github.com/mcp-prompts/prompts/internal/rpc"
)

// Suggest returns a function that completes an argument from a fixed list. The
// argument accepts other values too. To restrict the values, set Enum.
//
// A value matches if the value contains the input, in any case. Exact matches come first, then
// prefix matches, then matches at the start of any word, then other matches. Within each group,
// the order of the list is kept. A word starts after a character that is neither a letter nor a
// digit, at an upper-case letter after a lower-case letter, and at a digit after a letter. An
// empty input matches all values.
//
// Suggest copies and indexes the list, which may have 100,000 values. Suggest panics
// if a value is not valid UTF-8.
func Suggest(values ...string) CompleteFunc {
	x, err := indexed(values)
	if err != nil {
		panic(fmt.Errorf("prompts: Suggest: %w", err))
	}
	return func(_ context.Context, prefix string, _ map[string]string) ([]string, error) {
		return matches(x, prefix), nil
	}
}

// SuggestFunc returns a function that completes an argument from the list that f returns for
// the other arguments. Values are matched and ordered as in [Suggest]. The server calls f for
// each request, by the rules of [CompleteFunc]. An error of f fails the request, and so does a
// value that is not valid UTF-8. SuggestFunc panics if f is nil.
func SuggestFunc(f func(ctx context.Context, args map[string]string) ([]string, error)) CompleteFunc {
	if f == nil {
		panic(errors.New("prompts: SuggestFunc: function is nil"))
	}
	return func(ctx context.Context, prefix string, args map[string]string) ([]string, error) {
		values, err := f(ctx, args)
		if err != nil {
			return nil, err
		}
		if err := checkUTF8(values); err != nil {
			return nil, err
		}
		return match.Search(values, prefix), nil
	}
}

func matches(x *match.Index, prefix string) []string {
	values, _ := x.Match(prefix, math.MaxInt)
	return values
}

func indexed(values []string) (*match.Index, error) {
	if err := checkUTF8(values); err != nil {
		return nil, err
	}
	return match.New(values), nil
}

func checkUTF8(values []string) error {
	for i, v := range values {
		if !utf8.ValidString(v) {
			return fmt.Errorf("value %d is not valid UTF-8", i+1)
		}
	}
	return nil
}

const (
	// maxCached is how many lists a SuggestCached keeps.
	maxCached = 256
	// maxCachedKey is how long the key of a list may be to keep it, as text: it may
	// depend on values from clients.
	maxCachedKey = 4 << 10
	// maxCachedBytes is how many bytes the lists of a SuggestCached have together.
	maxCachedBytes = 64 << 20
	// cachedKeyBytes is what a key may take in addition to its text and to the arguments: its
	// strings may be parts of a message of 16 KiB, or of a longer argument.
	cachedKeyBytes = 17 << 10
)

// SuggestCached returns a function like [SuggestFunc] that caches the list of f for
// ttl. All requests with the same key share the list:
//
//	prompts.SuggestCached(time.Minute,
//		func(_ context.Context, args map[string]string) string { return args["repo"] },
//		branchesOf)
//
// Put everything into the key that the list depends on. Clients with the same key see the same
// values. If different users may see different values, include the user, which key can find in
// ctx. To combine several strings into a key, use a struct. f gets only the key, and a context
// without values but the trace of the first request.
//
// For each key, one call of f runs at a time. Other requests wait for the call, and its context
// ends when all of their clients have disconnected or canceled. The next request then calls f
// again, even if f has not returned. An error of f fails all waiting requests and is not
// cached. f runs on its own goroutine, and a panic becomes an error.
//
// The cache holds at most 256 lists and 64 MiB. The oldest is removed first. A list is not
// cached if ttl is not positive, or if the key has more than 4 KiB when printed.
//
// SuggestCached panics if key or f is nil.
func SuggestCached[K comparable](
	ttl time.Duration,
	key func(ctx context.Context, args map[string]string) K,
	f func(ctx context.Context, key K) ([]string, error),
) CompleteFunc {
	if key == nil || f == nil {
		panic(errors.New("prompts: SuggestCached: function is nil"))
	}
	cache := memo.New[K, *match.Index](ttl, maxCached, maxCachedBytes)
	return func(ctx context.Context, prefix string, args map[string]string) ([]string, error) {
		k := key(ctx, args)
		keep := func(x *match.Index) (bytes int, ok bool) {
			printed := len(fmt.Sprint(k))
			held := cachedKeyBytes + printed + x.Bytes()
			for _, text := range args {
				held += len(text)
			}
			return held, printed <= maxCachedKey
		}
		x, err := cache.Get(ctx, k, keep, func(own context.Context) (*match.Index, error) {
			values, err := f(rpc.Link(own, ctx), k)
			if err != nil {
				return nil, err
			}
			return indexed(joined(values))
		})
		if err != nil {
			return nil, err
		}
		return matches(x, prefix), nil
	}
}

// joined returns copies of the values without duplicates, which share no memory with anything else.
func joined(values []string) []string {
	values = match.Distinct(values)
	all := strings.Join(slices.Concat(values, []string{""}), "") // Join returns a single value itself
	copies := make([]string, len(values))
	for i, v := range values {
		copies[i], all = all[:len(v)], all[len(v):]
	}
	return copies
}
