package rpc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/notify"
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/transport"
)

// What only the author is to know: texts of errors and panics, and what a
// client of another connection has sent.
const (
	secretError    = "secret-of-an-error"
	secretPanic    = "secret-of-a-panic"
	secretArgument = "secret-of-an-argument"
)

// ordeal is a server with prompts of many kinds, a client that is well, and
// one whose transport or context is at fault.
type ordeal struct {
	t        *testing.T
	log      servertest.Journal
	registry *prompts.Registry
	server   *prompts.Server
	other    *servertest.Client
	bad      *faultyWire
	cancel   context.CancelFunc
	served   chan error
	closed   atomic.Bool // the client at fault has closed its side

	mu    sync.Mutex // protects the fields below
	calls int        // of the transport and of the author's code
	call  func(n int)
}

// point counts a call, and has the test do what it wants to at that one.
func (o *ordeal) point() {
	o.mu.Lock()
	o.calls++
	n, call := o.calls, o.call
	o.mu.Unlock()
	if call != nil {
		call(n)
	}
}

// faultyWire is a wire whose n-th Read or Write does something else. It holds
// the server to asking no further after a failure.
type faultyWire struct {
	*servertest.Wire
	o               *ordeal
	onRead, onWrite func(n int, do func() ([]byte, error)) ([]byte, error)

	mu             sync.Mutex // protects the fields below
	reads, writes  int
	failed, broken bool     // reading, writing
	tried          []string // what Write was called with
}

func (w *faultyWire) Read(ctx context.Context) ([]byte, error) {
	w.mu.Lock()
	w.reads++
	n := w.reads
	assert.False(w.T, w.failed, "it reads on after a failure")
	w.failed = true // unless it returns
	w.mu.Unlock()
	msg, err := w.onRead(n, func() ([]byte, error) { return w.Wire.Read(ctx) })
	w.mu.Lock()
	w.failed = err != nil && !errors.Is(err, transport.ErrTooLarge)
	w.mu.Unlock()
	w.o.point()
	return msg, err
}

func (w *faultyWire) Write(ctx context.Context, msgs ...[]byte) error {
	for _, msg := range msgs {
		if err := w.write(ctx, msg); err != nil {
			return err
		}
	}
	return nil
}

func (w *faultyWire) write(ctx context.Context, msg []byte) error {
	w.mu.Lock()
	w.writes++
	n := w.writes
	assert.False(w.T, w.broken, "it writes on after a failure")
	w.tried = append(w.tried, string(msg))
	w.broken = true // unless it returns
	w.mu.Unlock()
	_, err := w.onWrite(n, func() ([]byte, error) { return nil, nil })
	w.mu.Lock()
	w.broken = err != nil
	w.mu.Unlock()
	if err == nil {
		w.Said.Add(true, string(msg))
	}
	w.o.point()
	return err
}

// asItShould is what a call does that is not at fault.
func asItShould(_ int, do func() ([]byte, error)) ([]byte, error) { return do() }

// newOrdeal connects both clients. It must be called inside of a synctest
// bubble, which does not end before all goroutines have.
func newOrdeal(t *testing.T, fault func(o *ordeal)) *ordeal {
	t.Helper()
	o := &ordeal{t: t, served: make(chan error, 1)}
	point := func(name string, f func(context.Context) (*prompts.Result, error)) prompts.Prompt {
		return servertest.Rendered(name, func(ctx context.Context) (*prompts.Result, error) { o.point(); return f(ctx) })
	}
	o.registry = servertest.RegistryOf(
		point("text", func(context.Context) (*prompts.Result, error) { return prompts.Messages(prompts.User("hi")), nil }),
		point("fails", func(context.Context) (*prompts.Result, error) { return nil, errors.New(secretError) }),
		point("panics", func(context.Context) (*prompts.Result, error) { panic(secretPanic) }),
		point("exits", func(context.Context) (*prompts.Result, error) { runtime.Goexit(); return nil, nil }),
		point("waits", func(ctx context.Context) (*prompts.Result, error) { <-ctx.Done(); return nil, ctx.Err() }),
		point("reports", func(ctx context.Context) (*prompts.Result, error) {
			prompts.Progress(ctx, 1, 2, "half")
			o.point()
			return prompts.Messages(prompts.User("done")), nil
		}),
		point("asks", func(ctx context.Context) (*prompts.Result, error) {
			answer, err := prompts.Elicit[servertest.Colour](ctx, "colour", "Which?")
			o.point()
			return prompts.Messages(prompts.User(answer.Colour)), err
		}),
		prompts.Prompt{
			Name: "argument",
			Arguments: []prompts.Argument{{Name: "a", Complete: func(context.Context, string, map[string]string) ([]string, error) {
				o.point()
				panic(secretPanic)
			}}},
			Render: func(_ context.Context, args map[string]string) (*prompts.Result, error) {
				o.point()
				return nil, fmt.Errorf("%s: %s", secretError, args["a"])
			},
		},
	)
	o.server = prompts.MustNewServer(o.registry, prompts.Options{
		Logger:  o.log.Logger(),
		Visible: func(context.Context, prompts.Prompt) (bool, error) { o.point(); return true, nil },
	})
	o.other = servertest.Connect(t, o.server).Handshake()
	o.bad = &faultyWire{Wire: servertest.NewWire(t), o: o, onRead: asItShould, onWrite: asItShould}
	ctx, cancel := context.WithCancel(context.Background())
	o.cancel = cancel
	o.mu.Lock()
	o.calls = 0
	o.mu.Unlock()
	fault(o)
	go func() { o.served <- o.server.Serve(ctx, o.bad) }()
	return o
}

// play has the client at fault go through a session: it may be over at any
// point of it.
func (o *ordeal) play() {
	argument := `{"jsonrpc":"2.0","id":8,"method":"prompts/get","params":{"name":"argument","arguments":{"a":"` + secretArgument + `"}}}`
	for _, msg := range []string{
		servertest.InitializeAs("2025-11-25", servertest.FormCapability), servertest.InitializedLine, servertest.PingLine("1"), `{"jsonrpc":"2.0","id":2,"method":"prompts/list"}`, "{",
		servertest.GetLine("3", "text"), servertest.GetLine("4", "fails"), servertest.GetLine("5", "panics"), servertest.GetLine("6", "exits"), withToken(servertest.GetLine("7", "reports"), "7"),
		argument, servertest.CompleteLine("9", "argument", "a", secretArgument), servertest.GetLine("10", "asks"), `{"jsonrpc":"2.0","id":"prompts-1","result":` + servertest.Red + `}`,
		servertest.ListenLine("11"), "", servertest.GetLine("12", "waits"), servertest.CancelLine("12"), servertest.EnvelopedGet("13", "text"), servertest.GetLine("14", "waits"),
	} {
		if msg == "" {
			require.NoError(o.t, o.registry.Set(servertest.TextPrompt("new", "x")))
			time.Sleep(notify.MinPause)
		} else {
			o.bad.In <- []byte(msg)
		}
		synctest.Wait()
	}
}

// close closes the side of the client at fault.
func (o *ordeal) close() {
	o.closed.Store(true)
	close(o.bad.In)
}

// end waits for Serve, at most for the limit after its connection has ended,
// and looks at what is left: nothing of the one client, and all of the other.
func (o *ordeal) end(limit time.Duration) error {
	t := o.t
	t.Helper()
	began := time.Now()
	err := <-o.served
	assert.LessOrEqual(t, time.Since(began), limit, "Serve goes on")
	assert.EqualValues(t, 1, o.bad.Closed.Load(), "calls of Close")

	told := o.other.Received() // of the change, and it is well
	assert.Subset(t, []string{servertest.ListChangedLine}, told)
	assert.Equal(t, []string{servertest.PongLine("1")}, o.other.Ask(servertest.PingLine("1")))
	assert.Equal(t, []string{servertest.TextLine("2", "hi")}, o.other.Ask(servertest.GetLine("2", "text")))
	assert.NoError(t, o.other.End())

	o.bad.mu.Lock()
	defer o.bad.mu.Unlock()
	answers := map[string]int{}
	for _, msg := range o.bad.tried {
		for _, secret := range []string{secretError, secretPanic, secretArgument} {
			assert.NotContains(t, msg, secret)
		}
		var m struct {
			ID     json.RawMessage
			Method string
		}
		assert.NoError(t, json.Unmarshal([]byte(msg), &m), msg)
		if m.Method == "" && m.ID != nil {
			answers[string(m.ID)]++
			assert.Equal(t, 1, answers[string(m.ID)], "answers to %s", m.ID)
		}
	}
	assert.NotContains(t, o.log.String(), secretArgument+" ", "only what the author says of it is logged")
	return err
}

// assertOver is end for what heeds the end of its connection: nothing is left.
func (o *ordeal) assertOver(limit time.Duration) error {
	o.t.Helper()
	err := o.end(limit)
	synctest.Wait()
	servertest.AssertNoTrace(o.t, o.server)
	return err
}

// extent returns how many reads, writes and calls in all there are if nothing
// is at fault, and checks that the session goes through all that it is to.
func extent(t *testing.T) (reads, writes, calls int) {
	synctest.Test(t, func(t *testing.T) {
		o := newOrdeal(t, func(*ordeal) {})
		o.play()
		o.close()
		assert.NoError(t, o.assertOver(servertest.DefaultGrace+servertest.Stragglers))
		reads, writes, calls = o.bad.reads, o.bad.writes, o.calls
		tried := make([]string, len(o.bad.tried))
		for i, msg := range o.bad.tried {
			tried[i] = servertest.Neutral(msg)
		}
		for _, want := range []string{
			servertest.TextLine("3", "hi"), servertest.ErrorLine("4", prompts.CodeInternalError, servertest.RenderFailed), servertest.ErrorLine("5", prompts.CodeInternalError, servertest.RenderFailed),
			servertest.ErrorLine("6", prompts.CodeInternalError, servertest.RenderFailed), servertest.TextLine("7", "done"), servertest.ErrorLine("8", prompts.CodeInternalError, servertest.RenderFailed),
			servertest.TextLine("10", "red"), servertest.AckLine("11"), servertest.ChangedLine("11"), servertest.EnvelopedText("13", "hi"), servertest.ListChangedLine, servertest.ListenEndLine("11"),
		} {
			assert.Contains(t, tried, want)
		}
		for _, want := range []string{secretError, "panic: " + secretPanic, "runtime.Goexit", "with pending requests"} {
			assert.Contains(t, o.log.String(), want)
		}
	})
	return reads, writes, calls
}

// faultyCall is a call of Read or Write that may do something else than do.
type faultyCall func(o *ordeal, do func() ([]byte, error)) ([]byte, error)

// failsWith is a call that only fails.
func failsWith(err error) faultyCall {
	return func(*ordeal, func() ([]byte, error)) ([]byte, error) { return nil, err }
}

var failures = []struct {
	name string
	do   faultyCall
	want error         // of Serve
	ends bool          // the connection ends by that
	wait time.Duration // that Serve may take then, or once its context has ended
	// held says that Write cannot do it here: it is called with a mutex held,
	// and in a bubble a goroutine that waits for one stops the clock.
	held bool
}{
	{"fails", failsWith(servertest.ErrDisk), servertest.ErrDisk, true, servertest.Stragglers, false},
	{"finds nobody", failsWith(fmt.Errorf("gone: %w", io.ErrClosedPipe)), nil, true, servertest.Stragglers, false},
	{"finds the end", failsWith(fmt.Errorf("over: %w", io.EOF)), nil, true, servertest.Stragglers, false},
	{"succeeds and fails", func(_ *ordeal, do func() ([]byte, error)) ([]byte, error) {
		msg, err := do()
		return msg, errors.Join(servertest.ErrDisk, err)
	}, servertest.ErrDisk, true, servertest.Stragglers, false},
	{"panics", func(*ordeal, func() ([]byte, error)) ([]byte, error) { panic(secretPanic) }, rpc.ErrNoReturn, true, servertest.Stragglers, false},
	{"ends its goroutine", func(*ordeal, func() ([]byte, error)) ([]byte, error) {
		runtime.Goexit()
		return nil, nil
	}, rpc.ErrNoReturn, true, servertest.Stragglers, false},
	{"heeds Close alone", func(o *ordeal, _ func() ([]byte, error)) ([]byte, error) {
		<-o.bad.Gone
		return nil, io.ErrClosedPipe
	}, nil, false, 2 * servertest.Stragglers, true},
	{"is slow", func(_ *ordeal, do func() ([]byte, error)) ([]byte, error) {
		time.Sleep(time.Minute)
		return do()
	}, nil, false, 2 * servertest.Stragglers, true},
}

// Whichever Read or Write fails, and however, the connection is over at once if
// it says so and with its context otherwise, and costs nobody else anything.
func TestEveryReadAndWriteFails(t *testing.T) {
	t.Parallel()
	reads, writes, _ := extent(t)
	require.Greater(t, reads, 15)
	require.Greater(t, writes, 15)
	for _, f := range failures {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			run := func(reading bool, at int) {
				synctest.Test(t, func(t *testing.T) {
					hit, late := false, false // late is when the client has closed its side
					o := newOrdeal(t, func(o *ordeal) {
						on := func(n int, do func() ([]byte, error)) (msg []byte, err error) {
							if n != at {
								return do()
							}
							hit = true
							defer func() { late = o.closed.Load() && (!reading || errors.Is(err, io.EOF)) }()
							return f.do(o, do)
						}
						if reading {
							o.bad.onRead = on
						} else {
							o.bad.onWrite = on
						}
					})
					o.play()
					if !f.ends {
						o.cancel()
					} else {
						o.close()
					}
					err := o.end(f.wait + servertest.DefaultGrace)
					assert.True(t, hit, "%d is never called", at)
					if f.want == nil || late {
						assert.NoError(t, err, "%d", at)
					} else {
						assert.ErrorIs(t, err, f.want, "%d", at)
						if !reading {
							assert.ErrorContains(t, err, "prompts: write message: ", "%d", at)
						}
					}
					time.Sleep(time.Hour) // what is slow ends
					servertest.AssertNoTrace(t, o.server)
				})
			}
			for n := range reads {
				run(true, n+1)
			}
			for n := range writes {
				if !f.held {
					run(false, n+1)
				}
			}
		})
	}
}

// Whenever its context ends, at any call of the transport or of an author's
// code, Serve ends soon after, and that is no failure.
func TestContextEndsAtEveryPoint(t *testing.T) {
	t.Parallel()
	_, _, calls := extent(t)
	require.Greater(t, calls, 50)
	for n := range calls {
		synctest.Test(t, func(t *testing.T) {
			o := newOrdeal(t, func(o *ordeal) {
				o.call = func(i int) {
					if i == n+1 {
						o.cancel()
						for range n % 50 {
							runtime.Gosched() // Serve gets on meanwhile, or not
						}
					}
				}
			})
			o.play()
			o.cancel()
			assert.NoError(t, o.assertOver(2*servertest.Stragglers))
		})
	}
}

// closer is a transport whose Close does something else.
type closer struct {
	*servertest.Wire
	do func()
}

func (c closer) Close() error {
	_ = c.Wire.Close()
	c.do()
	return nil
}

// A Close that panics or ends its goroutine changes nothing of how Serve ends.
func TestCloseThatDoesNotReturn(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(){
		"it panics":             func() { panic(secretPanic) },
		"it ends its goroutine": runtime.Goexit,
	} {
		servertest.InBubble(t, name, func(t *testing.T) {
			var log servertest.Journal
			w := closer{servertest.NewWire(t), do}
			close(w.In)
			assert.NoError(t, prompts.MustNewServer(new(prompts.Registry), prompts.Options{Logger: log.Logger()}).Serve(t.Context(), w))
			if name == "it panics" {
				assert.Contains(t, log.String(), "panic recovered")
				assert.Contains(t, log.String(), secretPanic)
			}
		})
	}
}

// What a foreign transport is called with on a goroutine of ours may panic
// there, and is told of in the log. The request is answered if that is still
// possible.
func TestForeignTransportPanics(t *testing.T) {
	t.Parallel()
	reporting := servertest.Rendered("reports", func(ctx context.Context) (*prompts.Result, error) {
		prompts.Progress(ctx, 1, 2, "")
		time.Sleep(time.Second)
		return prompts.Messages(prompts.User("hi")), nil
	})
	late := servertest.Rendered("late", func(context.Context) (*prompts.Result, error) {
		time.Sleep(time.Minute)
		return prompts.Messages(prompts.User("hi")), nil
	})
	for _, test := range []struct {
		name, line string
		version    string
		panics     func(last bool) bool
		want       []string // the messages that Send did not panic at
		err        error
	}{
		{"Send, with progress", withToken(servertest.GetLine("1", "reports"), "1"), "2025-11-25", func(last bool) bool { return !last }, []string{servertest.TextLine("1", "hi")}, nil},
		{"Send, with progress in a batch", "[" + withToken(servertest.GetLine("1", "reports"), "1") + "]", servertest.BatchVersion, func(last bool) bool { return !last }, []string{"[" + servertest.TextLine("1", "hi") + "]"}, nil},
		{"Send, after the time limit", servertest.GetLine("1", "late"), "2025-11-25", func(bool) bool { return true }, nil, rpc.ErrTimeout},
	} {
		servertest.InBubble(t, test.name, func(t *testing.T) {
			var log servertest.Journal
			s := prompts.MustNewServer(servertest.RegistryOf(reporting, late), prompts.Options{Logger: log.Logger(), Timeouts: prompts.Timeouts{Render: 30 * time.Second}})
			session := s.NewSession(transport.SessionOptions{Version: test.version})
			var got []string
			err := session.Handle(t.Context(), []byte(test.line), transport.Exchange{
				Send: func(msg []byte, _ transport.Code, last bool) error {
					if test.panics(last) {
						panic(secretPanic)
					}
					got = append(got, string(msg))
					return nil
				},
			})
			assert.ErrorIs(t, err, test.err)
			assert.Equal(t, test.want, got)
			assert.Contains(t, log.String(), "panic recovered")
			assert.Contains(t, log.String(), secretPanic)
			assert.Empty(t, servertest.SessionLeftovers(session), "it waits for an answer for ever")
			assert.Equal(t, errors.Is(test.err, rpc.ErrTimeout), strings.Contains(log.String(), "request timed out"))
			session.Close()
			synctest.Wait()
			servertest.AssertNoTrace(t, s)
		})
	}
	servertest.InBubble(t, "Notify of a Call", func(t *testing.T) {
		var log servertest.Journal
		s := prompts.MustNewServer(servertest.RegistryOf(reporting), prompts.Options{Logger: log.Logger()})
		result, err := s.Call(t.Context(), "prompts/get", []byte(`{"name":"reports","_meta":{"progressToken":1}}`), prompts.CallOptions{
			Version: "2025-11-25",
			Notify:  func(string, json.RawMessage) { panic(secretPanic) },
		})
		require.NoError(t, err)
		assert.Contains(t, string(result), "hi")
		assert.Contains(t, log.String(), "panic recovered")
	})
}

// A Send of a notification that panics or ends its goroutine costs its own client the
// connection, and no other client a notification.
func TestNotifyingTransportPanics(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(){
		"panics":             func() { panic(secretPanic) },
		"ends its goroutine": runtime.Goexit,
	} {
		servertest.InBubble(t, "session, "+name, func(t *testing.T) {
			testNotifyingFault(t, do, func(ctx context.Context, s *prompts.Server, send func()) error {
				session := s.NewSession(transport.SessionOptions{Version: "2025-11-25"})
				defer session.Close()
				return session.Notifications(ctx, func([]byte) error { send(); return nil })
			}, rpc.ErrNoReturn)
		})
		servertest.InBubble(t, "subscription, "+name, func(t *testing.T) {
			testNotifyingFault(t, do, func(ctx context.Context, s *prompts.Server, send func()) error {
				acknowledged := false
				return s.Handle(ctx, []byte(servertest.ListenLine("1")), transport.Exchange{Send: func(_ []byte, _ transport.Code, last bool) error {
					if acknowledged && !last {
						send()
					}
					acknowledged = true
					return nil
				}})
			}, nil) // its way of ending is that of a client that has gone
		})
	}
}

// testNotifyingFault subscribes clients, of which one in 50 fails at its first notification.
func testNotifyingFault(t *testing.T, fail func(), subscribe func(ctx context.Context, s *prompts.Server, send func()) error, want error) {
	const n = 500
	var log servertest.Journal
	reg := new(prompts.Registry)
	s := prompts.MustNewServer(reg, prompts.Options{Logger: log.Logger()})
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	counts := make([]atomic.Int32, n)
	errs := make([]error, n)
	for i := range n {
		running.Go(func() {
			errs[i] = subscribe(ctx, s, func() {
				if counts[i].Add(1); i%50 == 0 {
					fail()
				}
			})
		})
	}
	synctest.Wait()
	for change := range 2 {
		reg.MustAdd(servertest.TextPrompt(fmt.Sprint(change), "x"))
		time.Sleep(time.Second)
	}
	cancel()
	running.Wait()
	for i := range n {
		if i%50 == 0 {
			assert.EqualValues(t, 1, counts[i].Load(), "a client that has failed")
			if want != nil {
				assert.ErrorIs(t, errs[i], want)
			}
		} else {
			assert.EqualValues(t, 2, counts[i].Load(), "client %d", i)
		}
	}
}
