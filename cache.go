package prompts

import (
	"context"
	"encoding/binary"
	"errors"
	"time"

	"github.com/mcp-prompts/prompts/internal/memo"
)

// Cache says how long the results of a prompt are good for further requests
// with the same arguments. It is for a render function whose result depends on
// its arguments alone: its context has no values then, and it cannot ask the
// client nor tell it of progress. Requests that come while it runs wait for its
// result; its context ends when all of them have gone. A result is shared, so
// nobody may change it afterwards. Errors are not kept.
type Cache struct {
	// TTL is how long a result is kept. Default: 0, not at all.
	TTL time.Duration
	// Shared says that all clients may get the same results. Otherwise each
	// principal has its own, as Options.Principal says: without that, all
	// clients are one.
	Shared bool
	// MaxResults is how many results are kept, the newest. Default: 1,000. Those
	// of arguments that have more than 4 KiB together are not.
	MaxResults int
}

const (
	defaultMaxResults = 1000
	maxResultKey      = 4 << 10
)

// check returns what is wrong with the settings.
func (c Cache) check() []error {
	var faults []error
	if c.TTL < 0 {
		faults = append(faults, errors.New("its Cache.TTL is negative"))
	}
	if c.MaxResults < 0 {
		faults = append(faults, errors.New("its Cache.MaxResults is negative"))
	}
	if c.TTL == 0 && c != (Cache{}) {
		faults = append(faults, errors.New("its Cache has no TTL, so nothing would be kept"))
	}
	return faults
}

// results are what a prompt has come to.
type results = memo.Cache[string, *Result]

// newResults returns nil if there is nothing to keep.
func (c Cache) newResults() *results {
	if c.TTL <= 0 {
		return nil
	}
	if c.MaxResults == 0 {
		c.MaxResults = defaultMaxResults
	}
	return memo.New[string, *Result](c.TTL, c.MaxResults)
}

// cached returns the render function with a memory.
func (d *definition) cached(args []given, render bound) bound {
	return func(ctx context.Context) (*Result, error) {
		c := callerOf(ctx)
		principal := ""
		if !d.prompt.Cache.Shared {
			principal = c.server.Principal(ctx)
		}
		key := resultKey(principal, args)
		around, _ := ctx.Value(includesKey{}).(*includes)
		return d.results.Get(ctx, key, len(key) <= maxResultKey, func(ctx context.Context) (*Result, error) {
			// Whose request it is must not show; what has included the prompt must,
			// lest it waits for itself.
			if around != nil {
				ctx = context.WithValue(ctx, includesKey{}, around)
			}
			return render(&workContext{ctx, &caller{server: c.server, rev: c.rev, own: ctx, rendered: d.prompt.Name, isCached: true}})
		})
	}
}

// resultKey returns a text that is the same for the same principal and arguments
// alone.
func resultKey(principal string, args []given) string {
	var b []byte
	add := func(part string) {
		b = binary.AppendUvarint(b, uint64(len(part)))
		b = append(b, part...)
	}
	add(principal)
	for _, g := range args {
		if !g.ok {
			b = append(b, 0)
			continue
		}
		b = append(b, 1)
		add(g.text)
	}
	return string(b)
}
