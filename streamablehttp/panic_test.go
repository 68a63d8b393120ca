package streamablehttp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// faultyWriter is what a middleware may make of a ResponseWriter: one that
// panics, as http.ErrAbortHandler asks it to.
type faultyWriter struct {
	http.ResponseWriter
	call       func(name, text string)
	isHeadless bool // it has no headers
}

func (w faultyWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w faultyWriter) Header() http.Header {
	w.call("Header", "")
	if w.isHeadless {
		return nil
	}
	return w.ResponseWriter.Header()
}

func (w faultyWriter) WriteHeader(status int) {
	w.call("WriteHeader", fmt.Sprint(status))
	w.ResponseWriter.WriteHeader(status)
}

func (w faultyWriter) Write(p []byte) (int, error) {
	w.call("Write", string(p))
	return w.ResponseWriter.Write(p)
}

func (w faultyWriter) FlushError() error {
	w.call("FlushError", "")
	return http.NewResponseController(w.ResponseWriter).Flush()
}

func (w faultyWriter) SetWriteDeadline(at time.Time) error {
	w.call("SetWriteDeadline", "")
	return http.NewResponseController(w.ResponseWriter).SetWriteDeadline(at)
}

// faults are the panics of the writers of a place: those that are called as it
// wants, and what ServeHTTP has panicked with.
type faults struct {
	panics     atomic.Pointer[func(name, text string) bool]
	isHeadless atomic.Bool
	seen       chan any
}

var errOfWriter = errors.New("the writer's own")

// on has the writers of the requests that come panic where it says.
func (f *faults) on(panics func(name, text string) bool) { f.panics.Store(&panics) }

// behind puts the writers in front of a handler.
func (f *faults) behind(inner http.Handler) http.Handler {
	f.on(func(string, string) bool { return false })
	f.seen = make(chan any, 100)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if v := recover(); v != nil {
				f.seen <- v
				panic(http.ErrAbortHandler) // which is not logged
			}
		}()
		panics := *f.panics.Load()
		inner.ServeHTTP(faultyWriter{w, func(name, text string) {
			if panics(name, text) {
				panic(errOfWriter)
			}
		}, f.isHeadless.Load()}, r)
	})
}

// faultyPlace is newPlaceOf with such writers.
func faultyPlace(t *testing.T, own prompts.Options, isHTTP2 bool) (*place, *faults) {
	t.Helper()
	f := new(faults)
	return newPlaceOf(t, own, Options{}, func(s *httptest.Server) {
		s.EnableHTTP2 = isHTTP2
		s.Config.Handler = f.behind(s.Config.Handler)
	}), f
}

// A ResponseWriter that panics ends its own request, with the same value on the
// goroutine of ServeHTTP; all others go on, and nothing of it is left.
func TestWriterPanics(t *testing.T) {
	t.Parallel()
	const get, batch = `{"jsonrpc":"2.0","id":%d,"method":"prompts/get","params":{"name":"text"}}`, "2025-03-26"
	modernText, mirror := modernGet("text")
	modernProgress, progressMirror := modernGet("progress")
	for _, request := range []struct {
		name, body string
		header     func(old, batches header) header
		methods    string // of the writer, beside those that all use
	}{
		{"a body", modernText, func(header, header) header { return mirror }, "Write FlushError SetWriteDeadline"},
		{"events", modernProgress, func(header, header) header { return progressMirror }, "Write FlushError SetWriteDeadline"},
		{"a refusal", strings.Replace(modernText, `"text"`, `"no"`, 1), func(header, header) header { return mirror.with(headerName, "no") }, "Write FlushError SetWriteDeadline"},
		{"a body of a session", fmt.Sprintf(get, 1), func(old, _ header) header { return old }, "Write FlushError SetWriteDeadline"},
		{"events of a session", oldGet("1", "progress"), func(old, _ header) header { return old }, "Write FlushError SetWriteDeadline"},
		{"a batch", "[" + fmt.Sprintf(get, 1) + "," + fmt.Sprintf(get, 2) + "]", func(_, batches header) header { return batches }, "Write FlushError SetWriteDeadline"},
		{"initialize", initializeBody("2025-11-25"), func(header, header) header { return nil }, "Write FlushError SetWriteDeadline"},
		{"a notification", initialized, func(old, _ header) header { return old }, ""},
		{"not JSON", "{", func(old, _ header) header { return old }, "Write FlushError SetWriteDeadline"},
	} {
		for _, isHTTP2 := range []bool{false, true} {
			for method := range strings.FieldsSeq("Header WriteHeader " + request.methods) {
				t.Run(map[bool]string{false: "HTTP/1 ", true: "HTTP/2 "}[isHTTP2]+request.name+" "+method, func(t *testing.T) {
					t.Parallel()
					p, f := faultyPlace(t, prompts.Options{Limits: prompts.Limits{MaxConcurrent: 2}}, isHTTP2)
					old, batches := p.session("2025-11-25"), p.session(batch)
					f.on(func(name, _ string) bool { return name == method })
					for range 3 { // each of which would take its place, if it kept one
						response, err := p.http.Client().Do(p.request(http.MethodPost, request.body, request.header(old, batches)))
						if err == nil { // the headers are out
							_, err = response.Body.Read(make([]byte, 1<<20))
							assert.Error(t, err)
							assert.NoError(t, response.Body.Close())
						}
						assert.Same(t, errOfWriter, await(t, f.seen))
					}
					f.on(func(string, string) bool { return false })
					assert.Equal(t, http.StatusOK, p.post(modernText, mirror).status)
					for _, h := range []header{old, batches} {
						r := p.post(fmt.Sprintf(get, 1), h)
						assert.Equal(t, http.StatusOK, r.status)
						assert.Zero(t, r.code(), r.body)
					}
					assert.NoError(t, p.handler.Shutdown(t.Context()))
					assert.Empty(t, f.seen)
				})
			}
		}
	}
}

// A comment is written by a timer, on a goroutine of ours. One that panics means
// that the client is lost.
func TestCommentPanics(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPipePlace(t, Options{KeepAlive: 25 * time.Second})
		h := p.session("2025-11-25")
		for _, r := range []*http.Request{
			p.request(http.MethodGet, "", h),
			p.request(http.MethodPost, modernBody("subscriptions/listen", listenAll), modernHeader("subscriptions/listen", "")),
		} {
			f := new(faults)
			handler := f.behind(p.handler)
			begun := time.Now()
			f.on(func(name, text string) bool { return name == "Write" && text == ":\n\n" && time.Since(begun) > 0 })
			go func() {
				defer func() { _ = recover() }()
				handler.ServeHTTP(&recorder{}, r)
			}()
			synctest.Wait()
			assert.Equal(t, 1, p.underWay())
			time.Sleep(25 * time.Second)
			synctest.Wait()
			assert.Equal(t, 0, p.underWay())
			require.Len(t, f.seen, 1)
			assert.Same(t, errOfWriter, <-f.seen)
		}
		assert.Equal(t, http.StatusOK, p.post(listBody, h).status)
	})
}

// A stream that another one of its session hurries may panic at that: it ends,
// and the other one takes its place.
func TestHurryPanics(t *testing.T) {
	t.Parallel()
	p, f := faultyPlace(t, prompts.Options{}, false)
	h := p.session("2025-11-25")
	var isHurried atomic.Bool
	isStuck, release, hurries := make(chan struct{}), make(chan struct{}), make(chan struct{}, 9)
	f.on(func(name, text string) bool {
		if name == "Write" && text != ":\n\n" && !isHurried.Swap(true) {
			close(isStuck)
			<-release
		}
		if name != "SetWriteDeadline" || !isHurried.Load() {
			return false
		}
		hurries <- struct{}{}
		return true
	})
	p.open(http.MethodGet, "", h)
	f.on(func(string, string) bool { return false })
	p.change("stuck")
	await(t, isStuck)
	second := p.open(http.MethodGet, "", h)
	await(t, hurries)
	close(release)
	assert.Same(t, errOfWriter, await(t, f.seen))
	p.change("a")
	assert.Equal(t, changed, second.next())
	assert.Equal(t, http.StatusNoContent, p.send(http.MethodDelete, "", h).status)
	second.end()
}

// What is told of a render function that ends its goroutine, or goes on past its
// time, is told on a goroutine of ours, where the writer may panic as well.
func TestLatePanics(t *testing.T) {
	t.Parallel()
	for _, isHTTP2 := range []bool{false, true} {
		for name, render := range map[string]prompts.RenderFunc{
			"Goexit": func(context.Context, map[string]string) (*prompts.Result, error) {
				runtime.Goexit()
				panic("unreachable")
			},
			"overdue": func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			},
		} {
			t.Run(map[bool]string{false: "HTTP/1 ", true: "HTTP/2 "}[isHTTP2]+name, func(t *testing.T) {
				t.Parallel()
				p, f := faultyPlace(t, prompts.Options{Timeouts: prompts.Timeouts{Render: 50 * time.Millisecond}}, isHTTP2)
				p.registry.MustAdd(prompts.Prompt{Name: "late", Render: render})
				h := p.session("2025-03-26")
				late := `{"jsonrpc":"2.0","id":%d,"method":"prompts/get","params":{"name":"late"}}`
				for _, body := range []string{fmt.Sprintf(late, 1), "[" + fmt.Sprintf(late, 1) + "," + fmt.Sprintf(late, 2) + "]"} {
					var calls atomic.Int32 // the first is that of the request itself
					f.on(func(name, _ string) bool { return name == "Header" && calls.Add(1) == 2 })
					_, err := p.http.Client().Do(p.request(http.MethodPost, body, h))
					assert.Error(t, err)
					assert.Same(t, errOfWriter, await(t, f.seen))
				}
				f.on(func(string, string) bool { return false })
				assert.Equal(t, http.StatusOK, p.post(listBody, h).status)
				assert.NoError(t, p.handler.Shutdown(t.Context()))
			})
		}
	}
}

// A ResponseWriter without headers has a panic in what sets them, which over
// HTTP/2 is on a goroutine of ours.
func TestNoHeader(t *testing.T) {
	t.Parallel()
	for _, isHTTP2 := range []bool{false, true} {
		for _, isFull := range []bool{false, true} {
			t.Run(map[bool]string{false: "HTTP/1 ", true: "HTTP/2 "}[isHTTP2]+map[bool]string{false: "opens", true: "full"}[isFull], func(t *testing.T) {
				t.Parallel()
				p, f := faultyPlace(t, prompts.Options{}, isHTTP2)
				if isFull {
					p.handler.options.MaxSessions = 1
				}
				h := p.session("2025-11-25")
				get := p.open(http.MethodGet, "", h)
				f.isHeadless.Store(true)
				_, err := p.http.Client().Do(p.request(http.MethodPost, initializeBody("2025-11-25"), nil))
				assert.Error(t, err)
				_, isOfRuntime := await(t, f.seen).(runtime.Error)
				assert.True(t, isOfRuntime)
				f.isHeadless.Store(false)
				p.change("a")
				assert.Equal(t, changed, get.next())
				assert.NoError(t, p.handler.Shutdown(t.Context()))
				get.end()
			})
		}
	}
}

// Who waits for the answer goes on when the panic has been kept, not before.
func TestSendPanics(t *testing.T) {
	t.Parallel()
	s := newStream(&recorder{}, http1, &Options{})
	x := &exchange{stream: s, isFresh: true, session: new(session), answered: make(chan struct{})}
	assert.ErrorIs(t, x.send([]byte("{}"), 0, true), errPanicked, "there is no header to set")
	await(t, x.answered)
	assert.Panics(t, s.repanic)
	assert.ErrorIs(t, s.event([]byte("{}"), true), http.ErrHandlerTimeout, "nothing more is written")
}
