package prompts_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
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
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/transport"
)

// counting is a prompt that tells how often it has been rendered.
func counting(c prompts.Cache) prompts.Prompt {
	var n atomic.Int64
	p := prompts.New(prompts.Prompt{Name: "p", Cache: c}, func(ctx context.Context, in struct {
		A string `json:"a,omitempty"`
		N int    `json:"n,omitempty"`
	}) (*prompts.Result, error) {
		if in.A == "fails" {
			return nil, fmt.Errorf("render %d", n.Add(1))
		}
		principal, err := servertest.PrincipalOf(ctx)
		return prompts.Messages(prompts.User(fmt.Sprintf("%q %d render %d for %q", in.A, in.N, n.Add(1), principal))), err
	})
	return p
}

// cached is a prompt whose results are kept for an hour.
func cached(name string, f func(context.Context) (*prompts.Result, error)) prompts.Prompt {
	p := servertest.Rendered(name, f)
	p.Cache = prompts.Cache{TTL: time.Hour}
	return p
}

func getAs(t *testing.T, s *prompts.Server, user, args string) (string, error) {
	t.Helper()
	raw, err := s.Call(context.WithValue(t.Context(), servertest.PrincipalKey{}, user), "prompts/get", json.RawMessage(`{"name":"p","arguments":`+args+`}`), prompts.CallOptions{Version: "2025-11-25"})
	if err != nil {
		return "", err
	}
	return answerOf(t, string(raw), nil).text, nil
}

// A result is kept for its time, for the same arguments of the same principal.
func TestCache(t *testing.T) {
	t.Parallel()
	for _, shared := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := prompts.MustNewServer(servertest.RegistryOf(counting(prompts.Cache{TTL: time.Minute, AllPrincipals: shared})), prompts.Options{Principal: servertest.PrincipalOf})
			get := func(user, args string) string {
				text, err := getAs(t, s, user, args)
				require.NoError(t, err)
				return text
			}
			first := get("ann", `{"a":"x"}`)
			assert.Equal(t, `"x" 0 render 1 for ""`, first, "its context has no values")
			assert.Equal(t, first, get("ann", `{"a":"x"}`))
			assert.Equal(t, `"x" 1 render 2 for ""`, get("ann", `{"a":"x","n":"1"}`))
			assert.Equal(t, `"" 0 render 3 for ""`, get("ann", `{}`))
			assert.Equal(t, `"" 0 render 4 for ""`, get("ann", `{"a":""}`), "absent is not empty")
			if shared {
				assert.Equal(t, first, get("ben", `{"a":"x"}`))
			} else {
				assert.Equal(t, `"x" 0 render 5 for ""`, get("ben", `{"a":"x"}`))
				assert.Equal(t, `"x" 0 render 6 for ""`, get("", `{"a":"x"}`))
			}
			time.Sleep(time.Minute - 1)
			assert.Equal(t, first, get("ann", `{"a":"x"}`))
			time.Sleep(time.Nanosecond)
			assert.NotEqual(t, first, get("ann", `{"a":"x"}`))
		})
	}
}

// Neither errors nor faulty arguments are kept, nor what is too large to keep.
func TestCacheKeepsNot(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	s := prompts.MustNewServer(servertest.RegistryOf(counting(prompts.Cache{TTL: time.Hour, MaxResults: 2})), prompts.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	for i := range 2 {
		_, err := getAs(t, s, "", `{"a":"fails"}`)
		require.Error(t, err)
		assert.Contains(t, log.String(), fmt.Sprint("render ", i+1))
		_, err = getAs(t, s, "", `{"n":"x"}`)
		assert.ErrorContains(t, err, "n must be an integer")
	}
	get := func(a string) string {
		text, err := getAs(t, s, "", `{"a":"`+a+`"}`)
		require.NoError(t, err)
		return text
	}
	large := strings.Repeat("x", servertest.MaxResultKey)
	assert.NotEqual(t, get(large), get(large))

	// Of three results the oldest is forgotten.
	texts := map[string]string{}
	for _, a := range []string{"a", "b", "c"} {
		texts[a] = get(a)
	}
	for _, a := range []string{"c", "b"} {
		assert.Equal(t, texts[a], get(a))
	}
	assert.NotEqual(t, texts["a"], get("a"))
}

// How a function fails that works for several clients.
func TestCacheFailures(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	fails := func(err error) func(context.Context) (*prompts.Result, error) {
		return func(context.Context) (*prompts.Result, error) { return nil, err }
	}
	includes := func(name string) func(context.Context) (*prompts.Result, error) {
		return func(ctx context.Context) (*prompts.Result, error) {
			prompts.Progress(ctx, 1, 2, "")
			return prompts.Include(ctx, name, nil)
		}
	}
	s := prompts.MustNewServer(servertest.RegistryOf(
		cached("panics", func(context.Context) (*prompts.Result, error) { panic("no") }),
		cached("goes", func(context.Context) (*prompts.Result, error) { runtime.Goexit(); return nil, nil }),
		cached("asks", func(ctx context.Context) (*prompts.Result, error) { return servertest.Asking("asks").Render(ctx, nil) }),
		cached("blames", fails(prompts.InvalidArgument("a", "is bad"))),
		cached("nothing", fails(nil)),
		cached("a", includes("b")),
		cached("b", includes("a")),
		cached("reports", includes("plain")),
		servertest.TextPrompt("plain", "hi"),
	), prompts.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	for name, want := range map[string]string{
		"panics":  "panic: no",
		"goes":    "runtime.Goexit",
		"nothing": "neither",
		"a":       "Include: cycle",
	} {
		_, logged, err := called(t, s, &log, name)
		assert.ErrorContains(t, err, "(-32603)", name)
		assert.Contains(t, logged, want, name)
	}
	_, _, err := called(t, s, &log, "asks")
	assert.ErrorContains(t, err, "cached prompt cannot ask the user")
	_, _, err = called(t, s, &log, "blames")
	assert.ErrorContains(t, err, "a: is bad (-32602)")
	text, _, err := called(t, s, &log, "reports")
	require.NoError(t, err)
	assert.Equal(t, "hi", text)
}

// A prompt that is replaced has new results.
func TestCacheOfReplacedPrompt(t *testing.T) {
	t.Parallel()
	reg := servertest.RegistryOf(counting(prompts.Cache{TTL: time.Hour}))
	s := prompts.MustNewServer(reg, prompts.Options{})
	first, err := getAs(t, s, "", "{}")
	require.NoError(t, err)
	require.NoError(t, reg.Set(servertest.TextPrompt("p", "new")))
	second, err := getAs(t, s, "", "{}")
	require.NoError(t, err)
	assert.NotEqual(t, first, second)
}

func TestInvalidCache(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]prompts.Cache{
		"Cache.TTL must not be negative":        {TTL: -1},
		"Cache.MaxResults must not be negative": {TTL: 1, MaxResults: -1},
		"Cache.MaxBytes must not be negative":   {TTL: 1, MaxBytes: -1},
		"TTL is 0":                              {AllPrincipals: true},
	} {
		var reg prompts.Registry
		assert.ErrorContains(t, reg.Add(counting(c)), want)
	}
}

// What a request appends to a result that is kept is its own.
func TestCachedResultIsNotShared(t *testing.T) {
	t.Parallel()
	s := prompts.MustNewServer(servertest.RegistryOf(
		cached("base", func(context.Context) (*prompts.Result, error) {
			messages := make([]prompts.Message, 0, 100)
			return &prompts.Result{Messages: append(messages, prompts.User("base")), Meta: prompts.Meta{"a": 1}}, nil
		}),
		prompts.Prompt{Name: "p", Arguments: []prompts.Argument{{Name: "q"}}, Render: func(ctx context.Context, args map[string]string) (*prompts.Result, error) {
			r, err := prompts.Include(ctx, "base", nil)
			if err != nil {
				return nil, err
			}
			r.Messages = append(r.Messages, prompts.User(args["q"]))
			r.Messages[0], r.Meta["q"] = prompts.User(args["q"]), args["q"]
			runtime.Gosched()
			return prompts.Messages(r.Messages[1]), nil
		}},
	), prompts.Options{})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			q := fmt.Sprint("secret", i)
			for range 300 {
				text, err := getAs(t, s, "", `{"q":"`+q+`"}`)
				if assert.NoError(t, err) && !assert.Equal(t, q, text) {
					return
				}
			}
		})
	}
	all.Wait()
	raw, err := s.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"base"}`), prompts.CallOptions{Version: "2025-11-25"})
	require.NoError(t, err)
	assert.NotContains(t, string(raw), "secret")
}

// A function that goes on after all who waited have gone has the place of one of
// them until it returns.
func TestCacheCountsForMaxConcurrent(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		release := make(chan struct{})
		var running atomic.Int64
		ignorant := func() { running.Add(1); <-release; running.Add(-1) }
		s := prompts.MustNewServer(servertest.RegistryOf(
			cached("p", func(context.Context) (*prompts.Result, error) { ignorant(); return prompts.Messages(), nil }),
			servertest.Completing("c", prompts.SuggestCached(time.Hour, func(context.Context, map[string]string) string { return "" },
				func(context.Context, string) ([]string, error) { ignorant(); return nil, nil })),
		), prompts.Options{Limits: prompts.Limits{MaxConcurrent: 2, MaxConcurrentTotal: 2, CompletionsPerSecond: -1}})
		session := servertest.SessionIn(t, s, "2025-11-25")
		for i := range 20 {
			for _, msg := range []string{servertest.GetLine(fmt.Sprint(i), "p"), `{"jsonrpc":"2.0","id":"c` + fmt.Sprint(i) + `","method":"completion/complete","params":{` + servertest.CompleteParamsOf("c", "a", "") + `}}`} {
				go func() {
					_ = session.Handle(t.Context(), []byte(msg), transport.Exchange{Send: func([]byte, transport.Code, bool) error { return nil }})
				}()
				synctest.Wait()
			}
			for _, id := range []string{fmt.Sprint(i), fmt.Sprintf(`"c%d"`, i)} {
				servertest.AnswerTo(t, s, session, servertest.CancelLine(id))
				synctest.Wait()
			}
			assert.LessOrEqual(t, running.Load(), int64(2))
		}
		assert.Equal(t, int64(2), running.Load())
		close(release)
		synctest.Wait()
		assert.Zero(t, running.Load())
	})
}

// Prompts that include each other do not wait for each other.
func TestCachedPromptsInACircle(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		var log strings.Builder
		include := func(name, other string) prompts.Prompt {
			return cached(name, func(ctx context.Context) (*prompts.Result, error) {
				time.Sleep(time.Second) // the other one has begun
				return prompts.Include(ctx, other, nil)
			})
		}
		s := prompts.MustNewServer(servertest.RegistryOf(include("a", "b"), include("b", "a")), prompts.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		begin := time.Now()
		var all sync.WaitGroup
		for _, name := range []string{"a", "b"} {
			all.Go(func() {
				_, e := servertest.Call(t, s, "prompts/get", `{"name":"`+name+`"}`)
				assert.Equal(t, prompts.CodeInternalError, e.Code)
			})
		}
		all.Wait()
		assert.LessOrEqual(t, time.Since(begin), 4*time.Second)
		assert.Contains(t, log.String(), "Include: cycle")
	})
}

// A cached prompt works for nobody: neither is the author asked who it is, nor
// what that may see.
func TestCachedPromptHasNoPrincipal(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	o := prompts.Options{
		Principal: func(ctx context.Context) (string, error) { return ctx.Value(servertest.PrincipalKey{}).(string), nil },
		Logger:    slog.New(slog.NewTextHandler(&log, nil)), Limits: prompts.Limits{CompletionsPerSecond: -1},
	}
	reg := servertest.RegistryOf(
		cached("p", func(ctx context.Context) (*prompts.Result, error) { return prompts.Include(ctx, "q", nil) }),
		cached("q", func(context.Context) (*prompts.Result, error) { return prompts.Messages(prompts.User("hi")), nil }),
	)
	text, err := getAs(t, prompts.MustNewServer(reg, o), "ann", "{}")
	require.NoError(t, err)
	assert.Equal(t, "hi", text)

	o.Visible = func(context.Context, prompts.Prompt) (bool, error) { return true, nil }
	_, err = getAs(t, prompts.MustNewServer(reg, o), "ann", "{}")
	require.Error(t, err)
	assert.Contains(t, log.String(), "cannot use Include with Options.Visible")
}
