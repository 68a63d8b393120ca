package streamablehttp

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// resettable is the writer of a stream of HTTP/2, with the timers of net/http: the end of the
// stream stops a timer for good, and a deadline that is set after the end starts a timer only
// if there was none.
type resettable struct {
	*httptest.ResponseRecorder
	isClosed         bool
	reading, writing timer
	resetAt, written int // the stream is reset before this write; the number of writes
	reset            func()
}

// timer is the timer of a deadline. It is pending until at.
type timer struct {
	at       time.Time
	isThere  bool
	hasEnded bool
}

func (d *timer) set(at time.Time) {
	switch {
	case d.isThere && d.hasEnded:
	case at.IsZero():
		*d = timer{}
	default:
		d.at, d.isThere = at, true
	}
}

func (d *timer) end() { d.hasEnded = d.isThere }

func (d *timer) isPending() bool { return d.isThere && !d.hasEnded }

func (w *resettable) SetReadDeadline(at time.Time) error  { w.reading.set(at); return nil }
func (w *resettable) SetWriteDeadline(at time.Time) error { w.writing.set(at); return nil }

func (w *resettable) Write(p []byte) (int, error) {
	if w.written == w.resetAt {
		w.close()
	}
	if w.written++; w.isClosed {
		return 0, context.Canceled
	}
	return w.ResponseRecorder.Write(p)
}

func (w *resettable) close() {
	w.isClosed = true
	w.reading.end()
	w.writing.end()
	w.reset()
}

// A stream of HTTP/2 that its client has reset, whenever that was, is released at once: no
// timer of a deadline keeps it.
func TestResetStreamsAreReleased(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := MustNewHandler(prompts.MustNewServer(new(prompts.Registry), prompts.Options{}), Options{})
		list := modernBody("prompts/list", "{}")
		for name, test := range map[string]struct {
			method, body string
			header       header
			isEarly      bool // the reset comes before the handler
		}{
			"a response":             {http.MethodPost, list, modernHeader("prompts/list", ""), false},
			"an event":               {http.MethodPost, modernBody("subscriptions/listen", listenAll), modernHeader("subscriptions/listen", ""), false},
			"an error":               {http.MethodPost, "{", modernHeader("prompts/list", ""), false},
			"a refusal":              {http.MethodPut, "", nil, false},
			"a request not yet read": {http.MethodPost, list, modernHeader("prompts/list", ""), true},
			"a refused request":      {http.MethodPut, "x", nil, true},
		} {
			ctx, cancel := context.WithCancel(t.Context())
			r := httptest.NewRequestWithContext(ctx, test.method, "/", strings.NewReader(test.body))
			r.Proto, r.ProtoMajor, r.ProtoMinor = "HTTP/2.0", 2, 0
			r.Header.Set("Content-Type", "application/json")
			for key, value := range test.header {
				r.Header.Set(key, value)
			}
			w := &resettable{ResponseRecorder: httptest.NewRecorder(), reset: cancel}
			if test.isEarly {
				w.close()
			}
			h.ServeHTTP(w, r)
			require.True(t, w.isClosed, name)
			assert.False(t, w.reading.isPending(), name)
			if w.writing.isPending() {
				assert.True(t, test.isEarly, name)
				assert.LessOrEqual(t, time.Until(w.writing.at), hurried, name)
			}
		}
	})
}
