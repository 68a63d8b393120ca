package prompts_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// withToken adds a progress token to the request of a line.
func withToken(line, token string) string {
	if strings.Contains(line, `"_meta":{`) {
		return strings.Replace(line, `"_meta":{`, `"_meta":{"progressToken":`+token+`,`, 1)
	}
	return strings.Replace(line, `"params":{`, `"params":{"_meta":{"progressToken":`+token+`},`, 1)
}

// progressLine is a notification; rest are the members after the token.
func progressLine(token, rest string) string {
	return `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + token + `,` + rest + `}}`
}

func progressOf(t testing.TB, msg string) float64 {
	t.Helper()
	var m struct {
		Method string
		Params struct{ Progress *float64 }
	}
	require.NoError(t, json.Unmarshal([]byte(msg), &m))
	require.Equal(t, "notifications/progress", m.Method, msg)
	require.NotNil(t, m.Params.Progress, msg)
	return *m.Params.Progress
}

// PRO-01, PRO-03, PRO-05, PRO-06, PRG-14: each report in each revision, as it
// was made; the message only where there is one. Tokens are repeated as they
// were written.
func TestProgress(t *testing.T) {
	t.Parallel()
	reports := rendered("reports", func(ctx context.Context) (*prompts.Result, error) {
		prompts.Progress(ctx, 0.5, 2, "half <of> it")
		time.Sleep(time.Second)
		prompts.Progress(ctx, 1, 0, "")
		time.Sleep(time.Second)
		prompts.Progress(ctx, 2, 2, "done")
		time.Sleep(time.Second)
		return prompts.Messages(prompts.User("hi")), nil
	})
	for _, version := range append([]string{"2026-07-28"}, handshakeVersions...) {
		for _, token := range []string{"17", `"t"`, `"\u0061\/\"\ud83d\ude00"`, `""`, "-0", "123456789012345678901234567890"} {
			t.Run(version+" "+token, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					c := connect(t, prompts.NewServer(registryOf(reports), prompts.Options{}))
					request, answer := envelopedGet("1", "reports"), envelopedText("1", "hi")
					if version != "2026-07-28" {
						c.handshakeIn(version)
						request, answer = getLine("1", "reports"), textLine("1", "hi")
					}
					message := func(text string) string {
						if version == "2024-11-05" {
							return ""
						}
						return `,"message":"` + text + `"`
					}
					assert.Equal(t, []string{progressLine(token, `"progress":0.5,"total":2`+message("half <of> it"))}, c.ask(withToken(request, token)))
					time.Sleep(time.Second)
					assert.Equal(t, []string{progressLine(token, `"progress":1`)}, c.received())
					time.Sleep(time.Second)
					assert.Equal(t, []string{progressLine(token, `"progress":2,"total":2`+message("done"))}, c.received())
					time.Sleep(time.Second)
					assert.Equal(t, []string{answer}, c.received())
					require.NoError(t, c.end())
				})
			})
		}
	}
}

// Without a token there is no progress, and Progress is harmless everywhere.
func TestProgressThatNobodyWants(t *testing.T) {
	t.Parallel()
	prompts.Progress(t.Context(), 1, 2, "outside of a request")
	s := prompts.NewServer(registryOf(rendered("reports", func(ctx context.Context) (*prompts.Result, error) {
		prompts.Progress(ctx, 1, 2, "x")
		return prompts.Messages(prompts.User("hi")), nil
	})), prompts.Options{})
	session := newSession(t, s)
	for _, meta := range []string{"", `"_meta":{},`, `"_meta":null,`, `"_meta":{"progressToken":null},`} {
		got, err := handle(t, s, session, strings.Replace(getLine("1", "reports"), `"params":{`, `"params":{`+meta, 1))
		require.NoError(t, err)
		assert.Equal(t, textLine("1", "hi"), got)
	}
	for _, token := range []string{"1.5", "1e3", "true", "{}", "[]"} {
		got, err := handle(t, s, session, withToken(getLine("1", "reports"), token))
		require.NoError(t, err)
		assert.Equal(t, errorResponse("1", invalidParam("_meta", "_meta.progressToken must be a string or an integer")), got)
	}
	_, err := s.Call(t.Context(), "prompts/get", []byte(`{"name":"reports","_meta":{"progressToken":1}}`), prompts.CallOptions{})
	assert.NoError(t, err, "there is no way to tell")
}

// PRO-04, PRO-05: progress rises with every notification; what does not, or is
// no number, is as if it had not been reported. A total that is none is left out.
func TestProgressRises(t *testing.T) {
	t.Parallel()
	inf, nan := math.Inf(1), math.NaN()
	type call struct {
		done, total float64
		want        string // empty for none
	}
	for _, test := range []struct {
		name  string
		calls []call
	}{
		{"zero is a beginning", []call{{0, 10, `"progress":0,"total":10`}, {1, 10, `"progress":1,"total":10`}}},
		{"equal and less", []call{{1, 0, `"progress":1`}, {1, 5, ""}, {0.5, 0, ""}, {-1, 0, ""}, {1.5, 0, `"progress":1.5`}}},
		{"no numbers", []call{{nan, 1, ""}, {inf, 1, ""}, {-inf, 1, ""}, {1, 1, `"progress":1,"total":1`}, {nan, 1, ""}, {inf, 1, ""}, {2, 1, `"progress":2,"total":1`}}},
		{"totals that are none", []call{{1, -1, `"progress":1`}, {2, nan, `"progress":2`}, {3, inf, `"progress":3`}, {4, -inf, `"progress":4`}, {5, math.Copysign(0, -1), `"progress":5`}}},
		{"the tiniest step", []call{{1, 0, `"progress":1`}, {math.Nextafter(1, 2), 0, `"progress":1.0000000000000002`}}},
		{"fractions", []call{{1e-9, 0.1, `"progress":1e-09,"total":0.1`}, {0.1, 0.3, `"progress":0.1,"total":0.3`}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := prompts.NewServer(registryOf(rendered("reports", func(ctx context.Context) (*prompts.Result, error) {
					for _, c := range test.calls {
						prompts.Progress(ctx, c.done, c.total, "")
						time.Sleep(time.Second)
					}
					return prompts.Messages(prompts.User("hi")), nil
				})), prompts.Options{})
				r, session := &recorder{t: t}, newSession(t, s)
				require.NoError(t, session.Handle(t.Context(), r.hear(session, withToken(getLine("1", "reports"), "1")), transport.Exchange{Send: r.send}))
				var want []sent
				for _, c := range test.calls {
					if c.want != "" {
						want = append(want, sent{progressLine("1", c.want), 0, false})
					}
				}
				assert.Equal(t, append(want, sent{textLine("1", "hi"), 0, true}), r.messages)
			})
		})
	}
}

// Whatever the number, what is sent is the same number.
func TestProgressNumbersAreJSON(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		numbers := []float64{-math.MaxFloat64, -1e300, -0.1, 0, math.SmallestNonzeroFloat64, 1e-300, 1e-9, 0.1, 1.0 / 3, 1, 123456789.123, 1 << 53, 1e21, 1e300, math.MaxFloat64}
		s := prompts.NewServer(registryOf(rendered("reports", func(ctx context.Context) (*prompts.Result, error) {
			for _, n := range numbers {
				prompts.Progress(ctx, n, math.Abs(n), "")
				time.Sleep(time.Second)
			}
			return prompts.Messages(prompts.User("hi")), nil
		})), prompts.Options{})
		r, session := &recorder{t: t}, newSession(t, s)
		require.NoError(t, session.Handle(t.Context(), r.hear(session, withToken(getLine("1", "reports"), "1")), transport.Exchange{Send: r.send}))
		require.Len(t, r.messages, len(numbers)+1)
		for i, n := range numbers {
			var m struct {
				Params struct{ Progress, Total float64 }
			}
			require.NoError(t, json.Unmarshal([]byte(r.messages[i].msg), &m), r.messages[i].msg)
			assert.Equal(t, n, m.Params.Progress)
			assert.Equal(t, math.Abs(n), m.Params.Total)
		}
	})
}

// JRP-30: a message that is no UTF-8 is repaired, since it is for people.
func TestProgressMessage(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(registryOf(rendered("reports", func(ctx context.Context) (*prompts.Result, error) {
		prompts.Progress(ctx, 1, 0, "a\xffb\"\n")
		return prompts.Messages(prompts.User("hi")), nil
	})), prompts.Options{})
	r, session := &recorder{t: t}, newSession(t, s)
	require.NoError(t, session.Handle(t.Context(), r.hear(session, withToken(getLine("1", "reports"), "1")), transport.Exchange{Send: r.send}))
	require.Len(t, r.messages, 2)
	assert.Equal(t, progressLine("1", `"progress":1,"message":"a`+"\ufffd"+`b\"\n"`), r.messages[0].msg)
}

// PRO-08: a render does not wait for its client, and a client that is slow gets
// the latest report and not each.
func TestProgressDoesNotWaitForTheClient(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const reports = 1000
		var took time.Duration
		s := prompts.NewServer(registryOf(rendered("reports", func(ctx context.Context) (*prompts.Result, error) {
			began := time.Now()
			for i := range reports {
				prompts.Progress(ctx, float64(i+1), reports, "")
			}
			took = time.Since(began)
			time.Sleep(30 * time.Second)
			prompts.Progress(ctx, reports+1, 0, "the last")
			return prompts.Messages(prompts.User("hi")), nil
		})), prompts.Options{Timeouts: prompts.Timeouts{Render: -1}})
		c := connect(t, s).handshake()
		c.wire.onWrite = func(context.Context, []byte) error { time.Sleep(time.Second); return nil }
		c.send(withToken(getLine("1", "reports"), "1"))
		time.Sleep(time.Minute)
		got := c.received()
		assert.Zero(t, took)
		require.LessOrEqual(t, len(got), 5)
		assert.Equal(t, progressLine("1", `"progress":1000,"total":1000`), got[len(got)-3])
		assert.Equal(t, progressLine("1", `"progress":1001,"message":"the last"`), got[len(got)-2])
		assert.Equal(t, textLine("1", "hi"), got[len(got)-1])
		for i := range got[:len(got)-2] {
			assert.Less(t, progressOf(t, got[i]), progressOf(t, got[i+1]), "PRO-04")
		}
		require.NoError(t, c.end())
	})
}

// PRO-04: reports of several goroutines rise as those of one do.
func TestProgressOfSeveralGoroutines(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(registryOf(rendered("reports", func(ctx context.Context) (*prompts.Result, error) {
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Go(func() {
				for i := range 200 {
					prompts.Progress(ctx, float64(8*i+g), 1600, fmt.Sprint(g))
					runtime.Gosched()
				}
			})
		}
		wg.Wait()
		prompts.Progress(ctx, 1600, 1600, "all")
		return prompts.Messages(prompts.User("hi")), nil
	})), prompts.Options{})
	session := newSession(t, s)
	var sending sync.Mutex
	var got []string
	require.NoError(t, session.Handle(t.Context(), []byte(withToken(getLine("1", "reports"), "1")), transport.Exchange{Send: func(msg []byte, _ prompts.Code, _ bool) error {
		if assert.True(t, sending.TryLock(), "Send is called concurrently") {
			defer sending.Unlock()
		}
		got = append(got, string(msg))
		runtime.Gosched()
		return nil
	}}))
	require.GreaterOrEqual(t, len(got), 2)
	for i := range got[:len(got)-2] {
		assert.Less(t, progressOf(t, got[i]), progressOf(t, got[i+1]))
	}
	assert.Equal(t, 1600.0, progressOf(t, got[len(got)-2]), "the last one is not lost")
	assert.Equal(t, textLine("1", "hi"), got[len(got)-1])
}

// PRO-02, PRO-07, CAN-03: there is none once the request is over, however it
// has ended, and whoever still reports.
func TestProgressEndsWithTheRequest(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		end  func(c *client, let chan struct{})
		want []string
	}{
		{"answered", func(_ *client, let chan struct{}) { close(let) }, []string{textLine("1", "hi")}},
		{"cancelled", func(c *client, _ chan struct{}) { c.send(cancelLine("1")) }, nil},
		{"out of time", func(*client, chan struct{}) { time.Sleep(defaultRenderTimeout) }, []string{errorLine("1", prompts.CodeInternalError, "the request took too long")}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				let, over := make(chan struct{}), make(chan struct{})
				s := prompts.NewServer(registryOf(rendered("reports", func(ctx context.Context) (*prompts.Result, error) {
					prompts.Progress(ctx, 1, 0, "")
					go func() { // it goes on whatever its context says
						defer close(over)
						<-ctx.Done()
						for i := range 10 {
							prompts.Progress(ctx, float64(i+2), 0, "late")
							time.Sleep(time.Second)
						}
					}()
					select {
					case <-let:
					case <-ctx.Done():
						prompts.Progress(ctx, 1.5, 0, "late")
						<-over
						prompts.Progress(ctx, 100, 0, "late")
					}
					return prompts.Messages(prompts.User("hi")), nil
				})), prompts.Options{})
				c := connect(t, s).handshake()
				assert.Equal(t, []string{progressLine(`"t"`, `"progress":1`)}, c.ask(withToken(getLine("1", "reports"), `"t"`)))
				test.end(c, let)
				assert.Equal(t, test.want, c.received())
				time.Sleep(time.Hour)
				<-over
				assert.Empty(t, c.received())
				require.NoError(t, c.end())
			})
		})
	}
}

// A cancellation while a report waits for the one that the client does not
// take: it is not sent any more (CAN-03).
func TestProgressOfACancelledRequestIsDropped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		s := prompts.NewServer(registryOf(rendered("reports", func(ctx context.Context) (*prompts.Result, error) {
			prompts.Progress(ctx, 1, 0, "")
			time.Sleep(time.Second)
			prompts.Progress(ctx, 2, 0, "")
			<-ctx.Done()
			return nil, ctx.Err()
		})), prompts.Options{})
		c := connect(t, s)
		c.wire.onWrite = func(context.Context, []byte) error { <-hold; return nil }
		c.send(withToken(envelopedGet("1", "reports"), "1"))
		time.Sleep(2 * time.Second)
		assert.Empty(t, c.ask(cancelLine("1")))
		close(hold)
		assert.Equal(t, []string{progressLine("1", `"progress":1`)}, c.received())
		require.NoError(t, c.end())
	})
}

// CompleteFuncs, Methods and Visible may report too.
func TestProgressOfOtherFunctions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reg := registryOf(prompts.Prompt{Name: "p", Arguments: []prompts.Argument{{Name: "a", Complete: func(ctx context.Context, _ string, _ map[string]string) ([]string, error) {
			prompts.Progress(ctx, 1, 1, "")
			return []string{"x"}, nil
		}}}, Render: func(context.Context, map[string]string) (*prompts.Result, error) { return prompts.Messages(), nil }})
		s := prompts.NewServer(reg, prompts.Options{
			Methods: map[string]prompts.Method{"work": func(ctx context.Context, _ json.RawMessage) (any, error) {
				prompts.Progress(ctx, 1, 1, "")
				return struct{}{}, nil
			}},
			Visible: func(ctx context.Context, _ prompts.Prompt) bool {
				prompts.Progress(ctx, 0.5, 1, "")
				time.Sleep(time.Second)
				return true
			},
		})
		for _, test := range []struct{ line, answer, first string }{
			{envelopedLine("1", "work", ""), `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","_meta":{` + ownIdentity + `}}}`, `"progress":1,"total":1`},
			{envelopedLine("1", "completion/complete", `"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}`),
				`{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","completion":{"values":["x"],"total":1,"hasMore":false},"_meta":{` + ownIdentity + `}}}`, `"progress":0.5,"total":1`},
			{envelopedLine("1", "prompts/list", ""),
				`{"jsonrpc":"2.0","id":1,"result":{"prompts":[{"name":"p","arguments":[{"name":"a"}]}],"resultType":"complete","ttlMs":0,"cacheScope":"private","_meta":{` + ownIdentity + `}}}`, `"progress":0.5,"total":1`},
		} {
			r := &recorder{t: t}
			require.NoError(t, s.Handle(t.Context(), r.hear(nil, withToken(test.line, `"t"`)), transport.Exchange{Send: r.send}))
			require.GreaterOrEqual(t, len(r.messages), 2)
			assert.Equal(t, sent{progressLine(`"t"`, test.first), 0, false}, r.messages[0])
			assert.Equal(t, sent{test.answer, 0, true}, r.messages[len(r.messages)-1])
		}
	})
}

// What fails has its progress before the error, and a render that ends its
// goroutine leaves none behind that reports.
func TestProgressOfWhatFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for name, fail := range map[string]func(){"panic": func() { panic("x") }, "exit": runtime.Goexit} {
			s := prompts.NewServer(registryOf(rendered("fails", func(ctx context.Context) (*prompts.Result, error) {
				prompts.Progress(ctx, 1, 0, "")
				fail()
				return nil, nil
			})), prompts.Options{})
			c := connect(t, s).handshake()
			got := c.ask(withToken(getLine("1", "fails"), "1"))
			require.NotEmpty(t, got, name)
			assert.Equal(t, errorLine("1", prompts.CodeInternalError, "the prompt could not be rendered"), got[len(got)-1])
			for _, msg := range got[:len(got)-1] {
				assert.Equal(t, progressLine("1", `"progress":1`), msg)
			}
			require.NoError(t, c.end())
			assertNoTrace(t, s)
		}
	})
}

// Call tells of progress through its option, never two at a time nor after it
// has returned.
func TestProgressOfACall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := prompts.NewServer(registryOf(rendered("reports", func(ctx context.Context) (*prompts.Result, error) {
			for i := range 100 {
				prompts.Progress(ctx, float64(i), 100, "")
			}
			return prompts.Messages(prompts.User("hi")), nil
		})), prompts.Options{})
		var got []string
		returned := false
		_, err := s.Call(t.Context(), "prompts/get", []byte(`{"name":"reports","_meta":{"progressToken":"t"}}`), prompts.CallOptions{
			Notify: func(method string, params json.RawMessage) {
				assert.False(t, returned)
				time.Sleep(time.Second)
				got = append(got, method+" "+string(params))
				clear(params)
			},
		})
		returned = true
		require.NoError(t, err)
		require.NotEmpty(t, got)
		assert.LessOrEqual(t, len(got), 3)
		assert.Equal(t, `notifications/progress {"progressToken":"t","progress":99,"total":100}`, got[len(got)-1])
		time.Sleep(time.Hour)
	})
}

// A report that cannot be written ends the connection as an answer would.
func TestProgressThatCannotBeSent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := prompts.NewServer(registryOf(rendered("reports", func(ctx context.Context) (*prompts.Result, error) {
			prompts.Progress(ctx, 1, 0, "")
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(time.Second):
				return prompts.Messages(prompts.User("hi")), nil
			}
		})), prompts.Options{})
		c := connect(t, s).handshake()
		c.wire.onWrite = func(_ context.Context, msg []byte) error { return failAt("progress")(string(msg)) }
		c.send(withToken(getLine("1", "reports"), "1"))
		assert.ErrorIs(t, c.wait(), errDisk)
		assertNoTrace(t, s)
	})
}
