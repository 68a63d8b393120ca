package streamablehttp

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
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

// recordingWriter is the one of a middleware that records the status.
type recordingWriter struct {
	http.ResponseWriter
	status int
}

func (w *recordingWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Behind a middleware that cannot stream, all is served that needs no stream. For the rest,
// the log has the cause, once, whichever request misses its stream first.
func TestCannotStream(t *testing.T) {
	t.Parallel()
	listen, mirrorOfListen := modernBody("subscriptions/listen", listenAll), modernHeader("subscriptions/listen", "")
	modernGetBody, mirror := modernGet("progress")
	get := func(t *testing.T, p *place, h header) {
		r := p.send(http.MethodGet, "", h)
		assert.Equal(t, http.StatusInternalServerError, r.status)
		assert.Equal(t, noStream+"\n", r.body)
	}
	progress := func(body string, h func(header) header) func(*testing.T, *place, header) {
		return func(t *testing.T, p *place, session header) {
			h := h(session)
			r := p.post(body, h)
			assert.Equal(t, http.StatusOK, r.status)
			assert.Equal(t, "application/json", r.header.Get("Content-Type"))
			assert.Contains(t, r.body, "done")
			assert.Zero(t, r.code(), r.body)

			r = p.post(body, h.with("Accept", "text/event-stream"))
			assert.Equal(t, http.StatusOK, r.status)
			assert.Equal(t, "text/event-stream", r.header.Get("Content-Type"))
			all := r.events()
			require.Len(t, all, 1, r.body)
			assert.Contains(t, all[0], "done")
		}
	}
	inSession := func(h header) header { return h }
	doors := []struct {
		name string
		use  func(t *testing.T, p *place, session header)
	}{
		{"GET", get},
		{"listen", func(t *testing.T, p *place, _ header) {
			r := p.post(listen, mirrorOfListen)
			assert.Equal(t, http.StatusInternalServerError, r.status)
			assert.Equal(t, "application/json", r.header.Get("Content-Type"))
			assert.Equal(t, -32603, r.code(), r.body)
			assert.Contains(t, r.body, noStream)
		}},
		{"progress", progress(modernGetBody, func(header) header { return mirror })},
		{"progress in a session", progress(oldGet("1", "progress"), inSession)},
		{"progress in a batch", progress("["+oldGet("1", "progress")+"]", inSession)},
		{"elicitation", func(t *testing.T, p *place, session header) {
			r := p.post(oldGet("1", "ask"), session)
			assert.Equal(t, http.StatusOK, r.status)
			assert.Equal(t, -32603, r.code(), r.body)
			assert.Contains(t, r.body, "the request could not be sent to the client")
			assert.NotContains(t, r.body, "Accept")
		}},
	}
	for _, test := range []struct {
		name, writer string
		change       func(*httptest.Server)
	}{
		{"a wrapper", "streamablehttp.plainWriter", behind(func(w http.ResponseWriter) http.ResponseWriter { return plainWriter{w} })},
		{"a recorder of the status", "*streamablehttp.recordingWriter", behind(func(w http.ResponseWriter) http.ResponseWriter { return &recordingWriter{ResponseWriter: w} })},
		{"a wrapper in another", "streamablehttp.plainWriter", behind(func(w http.ResponseWriter) http.ResponseWriter { return unwrappedWriter{plainWriter{plainWriter{w}}} })},
		{"http.TimeoutHandler", "*http.timeoutWriter", func(s *httptest.Server) { s.Config.Handler = http.TimeoutHandler(s.Config.Handler, time.Minute, "") }},
	} {
		for i := range doors {
			t.Run(test.name+", first "+doors[i].name, func(t *testing.T) {
				t.Parallel()
				var log logbook
				p := newPlaceOf(t, prompts.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}, Options{}, test.change)
				blocked := func() int { return strings.Count(log.String(), "cannot stream responses") }
				h := p.session("2025-03-26")
				asking := p.session("2025-11-25")
				body, mirror := modernGet("text")
				assert.Equal(t, http.StatusOK, p.post(body, mirror).status)
				r := p.post(oldGet("1", "progress"), h.with("Accept", "application/json")) // the client's own choice
				assert.Contains(t, r.body, "done")
				assert.Zero(t, blocked(), "nothing was lost")
				for n := range doors {
					door := doors[(i+n)%len(doors)]
					session := h
					if door.name == "elicitation" {
						session = asking
					}
					door.use(t, p, session)
					require.Equal(t, 1, blocked(), door.name)
				}
				assert.Contains(t, log.String(), `level=WARN msg="cannot stream responses" writer=`+test.writer+
					` error="http.ResponseWriter of a middleware implements neither http.Flusher nor Unwrap"`)
			})
		}
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
