package telemetry_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/call"
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/observe"
	"github.com/mcp-prompts/prompts/transport"
)

// watcher is an observer that counts, and notes what ends.
type watcher struct {
	begin func(op observe.Operation) // nil for nothing
	end   func(op observe.Operation)

	mu     sync.Mutex // protects the fields below
	begun  map[string]int
	ended  map[string]int
	ends   []ending
	broken []string
}

type ending struct {
	op  observe.Operation
	out observe.Outcome
}

type watcherKey struct{}

func (r *watcher) Begin(ctx context.Context, op observe.Operation) context.Context {
	r.mu.Lock()
	if r.begun == nil {
		r.begun, r.ended = map[string]int{}, map[string]int{}
	}
	r.begun[key(op)]++
	r.mu.Unlock()
	if r.begin != nil {
		r.begin(op)
	}
	return context.WithValue(ctx, watcherKey{}, key(op))
}

func (r *watcher) End(ctx context.Context, op observe.Operation, out observe.Outcome) {
	r.mu.Lock()
	if ctx.Value(watcherKey{}) != key(op) {
		r.broken = append(r.broken, "End without the context of Begin: "+key(op))
	}
	r.ended[key(op)]++
	r.ends = append(r.ends, ending{op, out})
	r.mu.Unlock()
	if r.end != nil {
		r.end(op)
	}
}

func key(op observe.Operation) string {
	return fmt.Sprint(op.Kind, " ", op.Method, " ", op.ID, " ", op.Start.UnixNano())
}

// lines returns a line for each operation that has ended, sorted. Every operation
// must have begun and ended once.
func (r *watcher) lines(t *testing.T, srv *prompts.Server) []string {
	t.Helper()
	require.NoError(t, srv.Flush(t.Context()))
	r.mu.Lock()
	defer r.mu.Unlock()
	require.Empty(t, r.broken)
	require.Equal(t, r.begun, r.ended)
	lines := []string{}
	for _, e := range r.ends {
		lines = append(lines, e.String())
	}
	slices.Sort(lines)
	return lines
}

func (e ending) String() string {
	s := e.op.Kind.String()
	add := func(name string, value any) {
		if value != "" && value != 0 && value != transport.Code(0) && value != time.Duration(0) {
			s += fmt.Sprintf(" %s=%v", name, value)
		}
	}
	add("method", e.op.Method)
	add("id", e.op.ID)
	add("version", e.op.Version)
	add("prompt", e.out.Prompt)
	add("result", e.out.ResultType)
	add("code", e.out.Code)
	if e.out.Err != nil {
		add("err", e.out.Err)
	}
	add("size", e.op.Size)
	add("sent", e.out.Size)
	add("queued", e.out.Queued)
	add("ran", e.out.Ran)
	add("duration", e.out.Duration)
	add("delay", e.out.Delay)
	add("subscribers", e.out.Subscribers)
	return s
}

// observedServer is a server of observedPrompts.
func observedServer(o observe.Observer, options prompts.Options) *prompts.Server {
	options.Observer = o
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	return prompts.MustNewServer(observedPrompts(), options)
}

// observedPrompts has a prompt for each end of a request.
func observedPrompts() *prompts.Registry {
	render := func(f func(ctx context.Context) error) prompts.RenderFunc {
		return func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
			if err := f(ctx); err != nil {
				return nil, err
			}
			return prompts.Messages(prompts.User("hi")), nil
		}
	}
	return servertest.RegistryOf(
		prompts.Prompt{Name: "ok", Arguments: []prompts.Argument{{Name: "x", Enum: []string{"red", "green"}}}, Render: render(func(context.Context) error { return nil })},
		prompts.Prompt{Name: "fails", Render: render(func(context.Context) error { return errors.New("secret") })},
		prompts.Prompt{Name: "panics", Render: render(func(context.Context) error { panic("secret") })},
		prompts.Prompt{Name: "exits", Render: render(func(context.Context) error { runtime.Goexit(); return nil })},
		prompts.Prompt{Name: "waits", Render: render(func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })},
		prompts.Prompt{Name: "sleeps", Render: render(func(context.Context) error { time.Sleep(time.Second); return nil })},
		prompts.Prompt{Name: "asks", Render: render(func(ctx context.Context) error {
			_, err := prompts.Elicit[struct{ Name string }](ctx, "name", "Your name?")
			return err
		})},
	)
}

// TestObserverSeesEachMessageOnce plays the sessions of testdata/tables/observed.txt, each over
// a connection of its own. A> NAME adds a prompt. The O> lines are the operations of a session, sorted. With
// -update they are written again.
func TestObserverSeesEachMessageOnce(t *testing.T) {
	t.Parallel()
	const file = "testdata/tables/observed.txt"
	sessions := strings.Split(strings.TrimSpace(servertest.ReadText(t, file)), "\n\n")
	t.Run("sessions", func(t *testing.T) {
		for i, session := range sessions {
			name, lines, _ := strings.Cut(strings.TrimPrefix(session, "# "), "\n")
			servertest.InBubble(t, name, func(t *testing.T) {
				w, reg := new(watcher), observedPrompts()
				srv := prompts.MustNewServer(reg, prompts.Options{
					Observer: w, Logger: slog.New(slog.DiscardHandler),
					Features: servertest.Methods(map[string]servertest.Method{"custom": func(context.Context, json.RawMessage) (any, error) { return struct{}{}, nil }}),
					Limits:   prompts.Limits{MaxConcurrent: 1, MaxMessageBytes: 512},
				})
				c := servertest.Connect(t, srv)
				sessions[i] = "# " + name + "\n"
				for line := range strings.Lines(lines) {
					switch kind, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "> "); kind {
					case "C":
						c.Ask(rest)
						sessions[i] += kind + "> " + rest + "\n"
					case "A":
						reg.MustAdd(servertest.TextPrompt(rest, "added"))
						time.Sleep(time.Second)
						sessions[i] += kind + "> " + rest + "\n"
					}
				}
				time.Sleep(time.Minute) // the time limit is 30 seconds
				require.NoError(t, c.End())
				sessions[i] += "O> " + strings.Join(w.lines(t, srv), "\nO> ")
				assert.True(t, *servertest.Update || session == sessions[i], "%s\ninstead of\n%s", sessions[i], session)
			})
		}
	})
	if *servertest.Update {
		require.NoError(t, os.WriteFile(file, []byte(strings.Join(sessions, "\n\n")+"\n"), 0o644))
	}
}

// TestObserverContext proves that a render function and the log records about it have
// the context that Begin returned, however the request ends.
func TestObserverContext(t *testing.T) {
	t.Parallel()
	for name, level := range map[string]slog.Level{
		"fails": slog.LevelError, "panics": slog.LevelError, "exits": slog.LevelError, "waits": slog.LevelError,
		"canceled": slog.LevelDebug, "refuses": slog.LevelInfo,
	} {
		servertest.InBubble(t, name, func(t *testing.T) {
			var rendered []any
			type record struct {
				level slog.Level
				value any // of the context
			}
			logged := make(chan record, 1)
			srv := observedServer(new(watcher), prompts.Options{
				Logger: slog.New(servertest.Handler{Do: func(ctx context.Context, r slog.Record) { logged <- record{r.Level, ctx.Value(watcherKey{})} }}), Timeouts: prompts.Timeouts{Render: time.Second},
				Middleware: servertest.Around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
					rendered = append(rendered, ctx.Value(watcherKey{}))
					if name == "refuses" {
						return nil, fmt.Errorf("for the log: %w", &prompts.Error{Code: 7, Message: "no"})
					}
					return next(ctx, r)
				}),
			})
			c := servertest.Connect(t, srv).Handshake()
			switch name {
			case "canceled":
				c.Send(servertest.GetLine("1", "waits"))
				synctest.Wait()
				c.Send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"no need"}}`)
			case "refuses":
				c.Send(servertest.GetLine("1", "ok"))
			default:
				c.Send(servertest.GetLine("1", name))
			}
			got := <-logged
			assert.Equal(t, level, got.level)
			require.Len(t, rendered, 1)
			require.NotNil(t, rendered[0])
			assert.Equal(t, rendered[0], got.value)
		})
	}
}

// TestObserverFails proves that each request is answered, however calls of the
// observer end, and that the log says so once.
func TestObserverFails(t *testing.T) {
	t.Parallel()
	fail := map[string]func(){
		"panics":  func() { panic("secret") },
		"exits":   runtime.Goexit,
		"blocks":  nil, // until the test ends it
		"is slow": func() { time.Sleep(time.Second / 2) },
	}
	for how, f := range fail {
		for _, where := range []string{"Begin", "End"} {
			servertest.InBubble(t, where+" "+how, func(t *testing.T) {
				unblock, f := make(chan struct{}), f
				if how == "blocks" {
					f = func() { <-unblock }
				}
				w, log := new(watcher), new(servertest.Journal)
				call := func(observe.Operation) { f() }
				if where == "Begin" {
					w.begin = call
				} else {
					w.end = call
				}
				srv := observedServer(w, prompts.Options{Logger: log.Logger()})
				c := servertest.Connect(t, srv)
				c.Send(servertest.InitializeLine, servertest.InitializedLine)
				for i := range 20 {
					c.Send(servertest.GetLine(fmt.Sprint(i), "ok"), `{"jsonrpc":"2.0","id":"list `+fmt.Sprint(i)+`","method":"prompts/list"}`)
					synctest.Wait()
				}
				time.Sleep(2 * time.Minute)
				c.Send(servertest.GetLine("1000", "ok"))
				time.Sleep(2 * time.Minute)
				got := c.Received()
				assert.Len(t, got, 42)
				if how == "panics" || where == "End" || how == "is slow" {
					assert.NotContains(t, strings.Join(got, ""), `"error"`)
				} else {
					assert.NotContains(t, got[len(got)-1], `"error"`, "the observer is not waited for again")
				}
				if how == "is slow" || how == "blocks" && where == "End" {
					assert.NotContains(t, log.String(), "observer") // the queue is not full
				} else {
					assert.Equal(t, 1, strings.Count(log.String(), "observer failed"))
				}
				close(unblock)
			})
		}
	}
}

// TestObserverThatBlocksIsLeftOut proves that a full queue is waited for once, and
// that operations count again when the observer returns.
func TestObserverThatBlocksIsLeftOut(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		unblock, log := make(chan struct{}), new(servertest.Journal)
		w := &watcher{end: func(observe.Operation) { <-unblock }}
		srv := observedServer(w, prompts.Options{Logger: log.Logger()})
		c := servertest.Connect(t, srv).Handshake()
		start := time.Now()
		const n = 6000 // the queue has room for 4096
		for i := range n {
			got := c.Ask(servertest.PingLine(fmt.Sprint(i)))
			if len(got) == 0 { // it waits for the queue
				time.Sleep(time.Second)
				got = c.Received()
			}
			require.Len(t, got, 1)
		}
		assert.Less(t, time.Since(start), 2*time.Second)
		assert.Equal(t, 1, strings.Count(log.String(), "observer failed"))
		close(unblock)
		require.NoError(t, srv.Flush(t.Context()))
		before := len(w.ends)
		assert.Greater(t, before, 4000)
		c.Ask(servertest.PingLine("7000"))
		require.NoError(t, srv.Flush(t.Context()))
		assert.Len(t, w.ends, before+1)
	})
}

// TestObserverMeta proves that the observer gets the _meta of a request, unless it is
// large.
func TestObserverMeta(t *testing.T) {
	t.Parallel()
	for _, n := range []int{10, 16<<10 - 10, 16 << 10} {
		w := new(watcher)
		srv := observedServer(w, prompts.Options{})
		meta := `{"x":"` + strings.Repeat("x", n-len(`{"x":""}`)+1) + `"}`
		servertest.AnswerTo(t, srv, servertest.NewSession(t, srv), `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":`+meta+`}}`)
		require.NoError(t, srv.Flush(t.Context()))
		if len(meta) > 16<<10 {
			meta = ""
		}
		at := slices.IndexFunc(w.ends, func(e ending) bool { return e.op.Method == "ping" })
		assert.Equal(t, meta, w.ends[at].op.Meta)
	}
}

// TestMiddlewareRequestSaysWhereFrom proves what a request says of its message: the id,
// the session, the connection, and whether the prompt exists.
func TestMiddlewareRequestSaysWhereFrom(t *testing.T) {
	t.Parallel()
	var got []prompts.Request
	var exists []bool
	srv := prompts.MustNewServer(servertest.RegistryOf(servertest.TextPrompt("a", "a"), servertest.TextPrompt("hidden", "b")), prompts.Options{
		Visible: func(_ context.Context, p prompts.Prompt) (bool, error) { return p.Name != "hidden", nil },
		Middleware: servertest.Around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
			got, exists = append(got, *r), append(exists, r.PromptExists(ctx))
			return next(ctx, r)
		}),
	})
	s := srv.NewSession(transport.SessionOptions{Version: "2025-11-25", ID: "secret"})
	defer s.Close()
	x := transport.Exchange{Informer: pipeInfo{}, Send: func([]byte, transport.Code, bool) error { return nil }}
	for i, name := range []string{"a", "hidden", "invented"} {
		require.NoError(t, s.Handle(t.Context(), []byte(servertest.GetLine(fmt.Sprint(i), name)), x))
	}
	require.Len(t, got, 3)
	assert.Equal(t, []bool{true, false, false}, exists)
	assert.Equal(t, "2", got[2].ID)
	assert.Equal(t, transport.Info{Network: "pipe"}, got[0].Transport)
	assert.NotEmpty(t, got[0].SessionID)
	assert.NotContains(t, got[0].SessionID, "secret")
	assert.Equal(t, got[0].SessionID, got[1].SessionID)
}

type pipeInfo struct{}

func (pipeInfo) TransportInfo() transport.Info { return transport.Info{Network: "pipe"} }

// idleObserver is an observer that does nothing.
type idleObserver struct{}

func (idleObserver) Begin(ctx context.Context, _ observe.Operation) context.Context { return ctx }

func (idleObserver) End(context.Context, observe.Operation, observe.Outcome) {}

// TestObserverCost proves that an observer that does nothing allocates nothing.
func TestObserverCost(t *testing.T) {
	if servertest.RaceEnabled {
		return // it allocates, and drops what is pooled
	}
	for _, msg := range []string{`{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`, servertest.GetLine("1", "ok")} {
		allocs := func(o observe.Observer) float64 {
			srv := observedServer(o, prompts.Options{})
			session := srv.NewSession(transport.SessionOptions{Version: "2025-11-25"})
			defer session.Close()
			x := transport.Exchange{Send: func([]byte, transport.Code, bool) error { return nil }}
			return testing.AllocsPerRun(2000, func() { _ = session.Handle(t.Context(), []byte(msg), x) })
		}
		assert.InDelta(t, allocs(nil), allocs(idleObserver{}), 0.5, msg)
	}
}

// injector is an observer with a trace context for the client.
type injector struct{ idleObserver }

func (injector) Inject(context.Context) map[string]string {
	return map[string]string{"tracestate": "a=b", "traceparent": "00-1"}
}

// TestInjector proves that a request to the client has what the observer injects, unless
// the application has set a _meta.
func TestInjector(t *testing.T) {
	t.Parallel()
	const injected = `"_meta":{"traceparent":"00-1","tracestate":"a=b"}`
	for params, want := range map[string]string{
		`{}`:                      `{` + injected + `}`,
		`{"a":1}`:                 `{` + injected + `,"a":1}`,
		`{"a":{"_meta":1}}`:       `{` + injected + `,"a":{"_meta":1}}`,
		`{"a":1,"_meta":{"b":2}}`: `{"a":1,"_meta":{"b":2}}`,
	} {
		t.Run(params, func(t *testing.T) {
			t.Parallel()
			srv := prompts.MustNewServer(servertest.RegistryOf(servertest.Rendered("asks", func(ctx context.Context) (*prompts.Result, error) {
				q := prompts.InputRequest("roots", "roots/list", json.RawMessage(params))
				return prompts.Messages(), prompts.Ask(ctx, q)
			})), prompts.Options{Observer: injector{}, Logger: slog.New(slog.DiscardHandler)})
			got := ""
			_, _ = srv.Call(t.Context(), "prompts/get", []byte(`{"name":"asks"}`), prompts.CallOptions{
				Version:            "2025-11-25",
				ClientCapabilities: json.RawMessage(`{"roots":{}}`),
				Request: func(_ context.Context, _ string, params json.RawMessage) (json.RawMessage, error) {
					got = string(params)
					return json.RawMessage(`{}`), nil
				},
			})
			assert.Equal(t, want, got)
		})
	}
}

// TestObserverOfRejections proves that a message which a transport rejects is an
// operation.
func TestObserverOfRejections(t *testing.T) {
	t.Parallel()
	w := new(watcher)
	srv := observedServer(w, prompts.Options{})
	srv.Reject(t.Context(), pipeInfo{}, &transport.Rejection{Type: "413", Reason: "too large"})
	assert.Contains(t, strings.Join(w.lines(t, srv), "\n"), "invalid err=too large (413)")
	assert.Equal(t, "pipe", w.ends[0].op.Transport.Network)
	observedServer(nil, prompts.Options{}).Reject(t.Context(), nil, new(transport.Rejection))
}

// A function of a feature or of a transport may panic while a message is received. The operation
// of the message ends, alone and in a batch.
func TestOperationsOfPanicsEnd(t *testing.T) {
	t.Parallel()
	const line = `{"jsonrpc":"2.0","id":2,"method":"bad"}`
	for name, msg := range map[string]string{"alone": line, "in a batch": servertest.BatchLine(servertest.PingLine("1"), line, servertest.PingLine("3"))} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := new(watcher)
			bad := feature.Method{Func: call.Func(func(call.Call, []byte) ([]byte, call.Work, error) { panic("secret") })}
			s := prompts.MustNewServer(new(prompts.Registry), prompts.Options{Observer: r, Features: []feature.Feature{{Methods: map[string]feature.Method{"bad": bad}}}})
			session := servertest.SessionIn(t, s, servertest.BatchVersion)
			assert.Panics(t, func() {
				_ = session.Handle(t.Context(), []byte(msg), transport.Exchange{Send: func([]byte, transport.Code, bool) error { return nil }})
			})
			session.Close()
			ended := slices.DeleteFunc(r.lines(t, s), func(line string) bool { return !strings.Contains(line, "method=bad id=2") })
			require.Len(t, ended, 1)
			assert.Contains(t, ended[0], rpc.ErrNoReturn.Error())
		})
	}
}
