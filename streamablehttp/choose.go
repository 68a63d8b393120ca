package streamablehttp

import (
	"net/http"
	"sync"

	"github.com/mcp-prompts/prompts/internal/option"
)

// Choose returns a handler that passes each request to one of several Handlers, for example
// to try a release of the prompts with a part of the users: one Handler and its server serve
// the new release, another the old one. choose returns the Handler for a request without a
// session. choose should go by the principal, or by a hash of the principal, so that a
// client of 2026-07-28, without a session, stays with one release. A request with a
// session goes to the Handler that created the session, whatever choose returns.
//
// choose may be called concurrently. choose must return the same few Handlers at each call,
// because Choose keeps them. If choose returns nil, the response is 404. To shut down, call
// Shutdown of each Handler.
func Choose(choose func(r *http.Request) *Handler) http.Handler {
	option.Must("streamablehttp: Choose", struct{}{}, "function", choose)
	return &chooser{choose: choose}
}

type chooser struct {
	choose func(r *http.Request) *Handler
	known  sync.Map // *Handler, as keys
}

func (c *chooser) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if id := r.Header.Get(headerSession); id != "" {
		found := (*Handler)(nil)
		c.known.Range(func(key, _ any) bool {
			if h := key.(*Handler); h.sessions.exists(id) {
				found = h
			}
			return found == nil
		})
		if found != nil {
			found.ServeHTTP(w, r)
			return
		}
	}
	h := c.choose(r)
	if h == nil {
		http.NotFound(w, r)
		return
	}
	c.known.LoadOrStore(h, true)
	h.ServeHTTP(w, r) // which rejects an unknown session
}
