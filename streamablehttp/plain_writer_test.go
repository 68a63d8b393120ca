package streamablehttp

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// plainWriter is what a middleware may make of a ResponseWriter: one that hides
// all that it can do beside.
type plainWriter struct{ inner http.ResponseWriter }

func (w plainWriter) Header() http.Header         { return w.inner.Header() }
func (w plainWriter) Write(p []byte) (int, error) { return w.inner.Write(p) }
func (w plainWriter) WriteHeader(status int)      { w.inner.WriteHeader(status) }

// unwrappedWriter is one that tells what it hides.
type unwrappedWriter struct{ plainWriter }

func (w unwrappedWriter) Unwrap() http.ResponseWriter { return w.inner }

// flushingWriter is one that can send what is written, and nothing more.
type flushingWriter struct{ plainWriter }

func (w flushingWriter) Flush() { _ = http.NewResponseController(w.inner).Flush() }

// behind puts a middleware in front of the handler.
func behind(wrap func(http.ResponseWriter) http.ResponseWriter) func(*httptest.Server) {
	return func(s *httptest.Server) {
		inner := s.Config.Handler
		s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { inner.ServeHTTP(wrap(w), r) })
	}
}

// Behind a middleware that cannot stream, all is served that needs no stream,
// and for the rest the author is told why it is not.
func TestCannotStream(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		change func(*httptest.Server)
	}{
		{"a wrapper", behind(func(w http.ResponseWriter) http.ResponseWriter { return plainWriter{w} })},
		{"a wrapper in another", behind(func(w http.ResponseWriter) http.ResponseWriter { return unwrappedWriter{plainWriter{plainWriter{w}}} })},
		{"http.TimeoutHandler", func(s *httptest.Server) { s.Config.Handler = http.TimeoutHandler(s.Config.Handler, time.Minute, "") }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, Options{}, test.change)
			h := p.session("2025-11-25")
			r := p.send(http.MethodGet, "", h)
			assert.Equal(t, http.StatusInternalServerError, r.status)
			assert.Equal(t, noStream+"\n", r.body)

			r = p.post(modernBody("subscriptions/listen", listenAll), modernHeader("subscriptions/listen", ""))
			assert.Equal(t, http.StatusInternalServerError, r.status)
			assert.Equal(t, "application/json", r.header.Get("Content-Type"))
			assert.Equal(t, -32603, r.code(), r.body)
			assert.Contains(t, r.body, noStream)

			modernGetBody, mirror := modernGet("progress")
			for _, request := range []struct {
				body   string
				header header
			}{{modernGetBody, mirror}, {oldGet("1", "progress"), h}} {
				r = p.post(request.body, request.header)
				assert.Equal(t, http.StatusOK, r.status)
				assert.Equal(t, "application/json", r.header.Get("Content-Type"))
				assert.Contains(t, r.body, "done")
				assert.Zero(t, r.code(), r.body)

				r = p.post(request.body, request.header.with("Accept", "text/event-stream"))
				assert.Equal(t, http.StatusOK, r.status)
				assert.Equal(t, "text/event-stream", r.header.Get("Content-Type"))
				all := r.events()
				require.Len(t, all, 1, r.body)
				assert.Contains(t, all[0], "done")
			}
		})
	}
}

// Behind one that can, be it by telling what it hides, every stream works.
func TestCanStream(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		wrap func(http.ResponseWriter) http.ResponseWriter
	}{
		{"Unwrap", func(w http.ResponseWriter) http.ResponseWriter { return unwrappedWriter{plainWriter{w}} }},
		{"Unwrap twice", func(w http.ResponseWriter) http.ResponseWriter {
			return unwrappedWriter{plainWriter{unwrappedWriter{plainWriter{w}}}}
		}},
		{"Flush", func(w http.ResponseWriter) http.ResponseWriter { return flushingWriter{plainWriter{w}} }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, Options{}, behind(test.wrap))
			get := p.open(http.MethodGet, "", p.session("2025-11-25"))
			listen := p.open(http.MethodPost, modernBody("subscriptions/listen", listenAll), modernHeader("subscriptions/listen", ""))
			assert.Contains(t, listen.next(), "acknowledged")
			p.change("a")
			assert.Equal(t, changed, get.next())
			assert.Contains(t, listen.next(), "list_changed")
			body, mirror := modernGet("wait")
			waiting := p.open(http.MethodPost, body, mirror)
			assert.Contains(t, waiting.next(), "progress")
			close(p.release)
			assert.Contains(t, waiting.next(), "released")
			waiting.end()
		})
	}
}
