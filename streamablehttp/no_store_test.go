package streamablehttp

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
)

// What one client is told is kept for no other: by no cache on the way.
func TestNoStore(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	h := p.session("2025-11-25")
	body, mirror := modernGet("progress")
	for _, test := range []struct {
		name string
		head http.Header
		kind string
	}{
		{"initialize", p.post(initializeBody("2025-11-25"), nil).header, "application/json"},
		{"an answer", p.post(listBody, h).header, "application/json"},
		{"an error", p.post(oldGet("1", "no"), h).header, "application/json"},
		{"no session", p.post(listBody, nil).header, "application/json"},
		{"a stateless answer", p.post(body, mirror.with("Accept", "application/json")).header, "application/json"},
		{"an answer as events", p.post(body, mirror).header, "text/event-stream"},
		{"an answer as an event", p.post(listBody, h.with("Accept", "text/event-stream")).header, "text/event-stream"},
		{"changes", p.open(http.MethodGet, "", h).response.Header, "text/event-stream"},
		{"stateless changes", p.open(http.MethodPost, modernBody("subscriptions/listen", listenAll), modernHeader("subscriptions/listen", "")).response.Header, "text/event-stream"},
	} {
		assert.Equal(t, test.kind, test.head.Get("Content-Type"), test.name)
		assert.Equal(t, "no-store", test.head.Get("Cache-Control"), test.name)
	}
}
