package prompts

import (
	"context"
	"encoding/binary"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/mcp-prompts/prompts/internal/argument"
	"github.com/mcp-prompts/prompts/internal/memo"
	"github.com/mcp-prompts/prompts/internal/revision"
)

// This file caches the results of a prompt, see Prompt.Cache.

// Cache configures how long the server stores the results of a prompt, for further
// requests with the same arguments. Set a Cache only if the result depends on
// nothing except the arguments:
//
//   - The context of the render function has no values.
//   - The function cannot call [Ask] or [Progress].
//   - The function cannot call [Include] if Options.Visible is set.
//
// Requests with the same arguments share one call of the function. Its context ends
// when all of these clients have disconnected or canceled. Results share their
// contents, so no code may change a result afterwards. The cache stores neither
// errors nor invalid results.
type Cache struct {
	// TTL is the time that a result is stored. Default: 0, not at all.
	TTL time.Duration
	// Shared gives all clients the same results. Without Shared, each principal has
	// its own results: see Options.Principal. Without Options.Principal, all clients
	// are one principal.
	Shared bool
	// MaxResults is the maximum number of stored results. The oldest is removed
	// first. Results for arguments of more than 4 KiB in total are not stored.
	// Default: 1,000.
	MaxResults int
	// MaxBytes is the maximum size in bytes of all stored results and their
	// arguments. Default: 64 MiB.
	MaxBytes int
}

const (
	defaultMaxResults = 1000
	defaultMaxBytes   = 64 << 20
	maxResultKey      = 4 << 10
)

// check returns an error for each invalid setting.
func (c Cache) check() []error {
	var faults []error
	if c.TTL < 0 {
		faults = append(faults, errors.New("Cache.TTL is negative"))
	}
	if c.MaxResults < 0 {
		faults = append(faults, errors.New("Cache.MaxResults is negative"))
	}
	if c.MaxBytes < 0 {
		faults = append(faults, errors.New("Cache.MaxBytes is negative"))
	}
	if c.TTL == 0 && c != (Cache{}) {
		faults = append(faults, errors.New("Cache.TTL is 0, so Cache has no effect; set TTL"))
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
	if c.MaxBytes == 0 {
		c.MaxBytes = defaultMaxBytes
	}
	return memo.New[string, *Result](c.TTL, c.MaxResults, c.MaxBytes)
}

// cached returns the render function with a memory.
func (d *definition) cached(args []argument.Text, render boundRender) boundRender {
	return boundFunc(func(ctx context.Context) (*Result, error) {
		s := scopeOf(ctx)
		if s.isCached { // one that includes this one: it has no principal
			return render.call(ctx)
		}
		principal := ""
		if !d.prompt.Cache.Shared {
			principal = s.server.Principal(ctx)
		}
		key := resultKey(s.server, principal, args)
		around, _ := ctx.Value(includesKey{}).(*includes)
		keep := func(r *Result) (bytes int, ok bool) {
			encoded, err := s.server.appendResult(nil, revision.NewestStateful(), r)
			if err != nil || len(key) > maxResultKey {
				return 0, false
			}
			const overhead, perMessage = 256, 64 // of Go values that are not in the JSON
			return overhead + len(key) + len(encoded) + perMessage*len(r.Messages), true
		}
		result, err := d.results.Get(ctx, key, keep, func(ctx context.Context) (*Result, error) {
			// Whose request it is must not show; what has included the prompt must,
			// lest it waits for itself.
			if around != nil {
				ctx = context.WithValue(ctx, includesKey{}, around)
			}
			return render.call(&scope{Context: ctx, server: s.server, prompt: d.prompt.Name, isCached: true})
		})
		return result.own(), err
	})
}

// own returns a copy of a result that others have too, for somebody who may
// append to it.
func (r *Result) own() *Result {
	if r == nil {
		return nil
	}
	return &Result{Description: r.Description, Messages: slices.Clone(r.Messages), Meta: maps.Clone(r.Meta)}
}

// resultKey returns a text that is the same for the same principal of a server
// and the same arguments alone. Two servers of one registry may not mean the same
// by a principal.
func resultKey(s *Server, principal string, args []argument.Text) string {
	b := slices.Clone(s.sealer.Own) // which no other server has
	add := func(part string) {
		b = binary.AppendUvarint(b, uint64(len(part)))
		b = append(b, part...)
	}
	add(principal)
	for _, g := range args {
		if !g.Given {
			b = append(b, 0)
			continue
		}
		b = append(b, 1)
		add(g.Value)
	}
	return string(b)
}
