package prompts_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/transport"
)

// A deadline of the middleware's is one for the author's code. Once it has
// passed, the request has not ended: the middleware may do something else.
func TestMiddlewareDeadline(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		w := servertest.NewWaiter()
		var j servertest.Journal
		hasty := func(fallback bool) *prompts.Server {
			return prompts.MustNewServer(servertest.RegistryOf(w.Prompt("wait")), prompts.Options{Logger: j.Logger(), Middleware: servertest.Around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
				short, cancel := context.WithTimeout(ctx, time.Second)
				defer cancel()
				response, err := next(short, r)
				if fallback && errors.Is(err, context.DeadlineExceeded) {
					assert.NoError(t, ctx.Err())
					return &prompts.Response{Result: prompts.Messages(prompts.User("later"))}, nil
				}
				return response, err
			})})
		}
		for fallback, want := range map[bool]string{
			true:  servertest.TextLine("1", "later"),
			false: servertest.ErrorLine("1", prompts.CodeInternalError, servertest.RenderFailed),
		} {
			c := servertest.Connect(t, hasty(fallback)).Handshake()
			assert.Empty(t, c.Ask(servertest.GetLine("1", "wait")))
			time.Sleep(time.Second)
			assert.Equal(t, []string{want}, c.Received())
			<-w.Causes
			assert.NoError(t, c.End())
		}
		assert.Equal(t, 1, strings.Count(j.String(), "level=ERROR"))
	})
}

// JRP-23, JRP-24: of several errors, one with a code that errors.As finds first is the
// client's, with any code but those that the protocol version does not allow. Any other
// error is a secret. An argument may be rejected, as a render function does. What a
// middleware wraps around the error of next is for the log, and makes no difference to
// the client.
func TestMiddlewareErrors(t *testing.T) {
	t.Parallel()
	own := &prompts.Error{Code: 7, Message: "own", Data: []int{7}}
	coded := func(code transport.Code) func(error) error {
		return func(error) error { return &prompts.Error{Code: code, Message: "<m>"} }
	}
	far, near := prompts.InvalidArgument("to", "is far"), prompts.InvalidArgument("from", "is near")
	const (
		theirs   = `"code":-32602,"message":"unknown prompt \"none\"","data":{"prompt":"none"}`
		ours     = `"code":7,"message":"own","data":[7]`
		secret   = `"code":-32603,"message":"` + servertest.RenderFailed + `"`
		isFar    = `{"argument":"to","reason":"refused","message":"is far"}`
		rejected = `"code":-32602,"message":"invalid arguments for prompt \"none\": to: is far","data":{"prompt":"none","problems":[` + isFar + `]}`
	)
	for name, test := range map[string]struct {
		make func(next error) error
		want string
		log  string // empty for nothing
	}{
		"passed on":                          {func(next error) error { return next }, theirs, ""},
		"wrapped":                            {func(next error) error { return fmt.Errorf("of the tenant: %w", next) }, theirs, `level=INFO msg="request rejected"`},
		"replaced":                           {func(error) error { return own }, ours, ""},
		"replaced, with its text":            {func(next error) error { return fmt.Errorf("%v: %w", next, own) }, ours, "unknown prompt"},
		"own before next's":                  {func(next error) error { return fmt.Errorf("%w: %w", own, next) }, ours, "own"},
		"next's before own":                  {func(next error) error { return fmt.Errorf("%w: %w", next, own) }, theirs, "own"},
		"joined, own first":                  {func(next error) error { return errors.Join(own, next) }, ours, ""},
		"joined, next's first":               {func(next error) error { return errors.Join(next, own) }, theirs, "own"},
		"own without a code":                 {func(next error) error { return errors.Join(&prompts.Error{Message: "none"}, next) }, theirs, "none"},
		"own that is nil":                    {func(next error) error { return errors.Join((*prompts.Error)(nil), next) }, theirs, "nil"},
		"a secret before it":                 {func(next error) error { return errors.Join(servertest.ErrDisk, next) }, theirs, servertest.ErrDisk.Error()},
		"one that is in another one as well": {func(next error) error { return errors.Join(fmt.Errorf("a: %w", own), fmt.Errorf("b: %w", next)) }, ours, "a: own"},

		"a negative code":             {coded(-31999), `"code":-31999,"message":"<m>"`, ""},
		"invalid params":              {coded(prompts.CodeInvalidParams), `"code":-32602,"message":"<m>"`, ""},
		"an internal error":           {coded(prompts.CodeInternalError), `"code":-32603,"message":"<m>"`, ""},
		"no such method":              {coded(prompts.CodeMethodNotFound), `"code":-32601,"message":"<m>"`, ""},
		"a code of an implementation": {coded(-32000), `"code":-32000,"message":"<m>"`, ""},
		"a retired code":              {coded(-32002), `"code":-32002,"message":"<m>"`, ""},
		"a reserved code":             {coded(-32023), `"code":-32023,"message":"<m>"`, ""},
		"the last reserved code":      {coded(-32099), `"code":-32099,"message":"<m>"`, ""},
		"the code below":              {coded(-32100), `"code":-32100,"message":"<m>"`, ""},
		"no code":                     {coded(0), secret, "<m>"},
		"a message that is not UTF-8": {func(error) error { return &prompts.Error{Code: 7, Message: "\xff"} }, "\"code\":7,\"message\":\"\ufffd\"", ""},

		"a secret":          {func(error) error { return servertest.ErrDisk }, secret, `level=ERROR msg="request failed"`},
		"a nil Error":       {func(error) error { return (*prompts.Error)(nil) }, secret, "level=ERROR"},
		"no question":       {func(error) error { return prompts.ErrInputRequired }, secret, prompts.ErrInputRequired.Error()},
		"a foreign context": {func(error) error { return context.Canceled }, secret, context.Canceled.Error()},

		"an argument is rejected": {func(error) error { return far }, rejected, ""},
		"and that is wrapped":     {func(error) error { return fmt.Errorf("of the tenant: %w", far) }, rejected, "of the tenant: to: is far"},
		"with a secret":           {func(error) error { return errors.Join(far, servertest.ErrDisk) }, rejected, servertest.ErrDisk.Error()},
		"after next's":            {func(next error) error { return errors.Join(far, next) }, theirs, "is far"},
		"two arguments are rejected": {func(error) error { return errors.Join(far, near) },
			`"code":-32602,"message":"invalid arguments for prompt \"none\": to: is far; from: is near","data":{"prompt":"none","problems":[` +
				isFar + `,{"argument":"from","reason":"refused","message":"is near"}]}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var j servertest.Journal
			s := prompts.MustNewServer(traveller(), prompts.Options{Logger: j.Logger(), Middleware: servertest.Around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
				_, err := next(ctx, r)
				return &prompts.Response{Result: prompts.Messages(prompts.User("never"))}, test.make(err)
			})})
			session := servertest.NewSession(t, s)
			stateless := strings.NewReplacer("-32002", "-32602", "-32023", "-32603", "-32099", "-32603").Replace(test.want)
			assert.Equal(t, `{"jsonrpc":"2.0","id":1,"error":{`+test.want+`}}`, servertest.AnswerTo(t, s, session, servertest.GetLine("1", "none")))
			assert.Equal(t, `{"jsonrpc":"2.0","id":1,"error":{`+stateless+`}}`, servertest.AnswerTo(t, s, nil, servertest.EnvelopedGet("1", "none")))
			if test.want != secret { // which names the method
				assert.Equal(t, `{"jsonrpc":"2.0","id":1,"error":{`+test.want+`}}`, servertest.AnswerTo(t, s, session, servertest.CompleteLine("1", "none", "to", "")))
			}
			if test.log == "" {
				assert.Empty(t, j.String())
			} else {
				assert.Contains(t, j.String(), test.log)
			}
		})
	}
}

// A panic in the middleware, before next or after it, is like one in a render function, and
// so are the end of its goroutine and an error: the client gets the word of the method. The
// log says what the client has asked for, whatever the middleware has made of that, and no
// value of an argument.
func TestMiddlewareFails(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func() error{
		"panic": func() error { panic("in the middleware") }, "goexit": func() error { runtime.Goexit(); return nil }, "error": func() error { return servertest.ErrDisk },
	} {
		for _, after := range []bool{false, true} {
			servertest.InBubble(t, fmt.Sprintf("%s/after=%t", name, after), func(t *testing.T) {
				var j servertest.Journal
				s := prompts.MustNewServer(traveller(), prompts.Options{Logger: j.Logger(), Middleware: servertest.Around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
					if after {
						_, _ = next(ctx, r)
					}
					r.Method, r.Prompt, r.Argument = "changed", "changed", "changed"
					return nil, end()
				})})
				c := servertest.Connect(t, s).Handshake()
				for line, message := range map[string]string{
					plainList: servertest.ListFailed,
					strings.Replace(servertest.GetLine("1", "trip"), `"trip"`, `"trip","arguments":{"to":"Rome"}`, 1): servertest.RenderFailed,
					servertest.CompleteLine("1", "trip", "to", "Rome"):                                                servertest.CompleteFailed,
				} {
					assert.Equal(t, []string{servertest.ErrorLine("1", prompts.CodeInternalError, message)}, c.Ask(line))
				}
				assert.Equal(t, []string{servertest.PongLine("2")}, c.Ask(servertest.PingLine("2")))
				assert.NoError(t, c.End())
				assert.Equal(t, 3, strings.Count(j.String(), "level=ERROR"))
				for _, want := range []string{
					" method=prompts/list error", " prompt=trip error",
					" completion.prompt=trip completion.argument=to error",
				} {
					assert.Contains(t, j.String(), want)
				}
				assert.NotContains(t, j.String(), "Rome")
				assert.NotContains(t, j.String(), "changed")
				assert.Zero(t, servertest.Tasks(s))
				assert.Zero(t, servertest.Slots(s))
			})
		}
	}
}

// A panic in what says who the client is, too.
func TestPrincipalPanicsBeforeTheMiddleware(t *testing.T) {
	t.Parallel()
	s := prompts.MustNewServer(traveller(), prompts.Options{Middleware: servertest.Passing, Principal: func(context.Context) (string, error) { panic("a secret") }})
	got := servertest.AnswerTo(t, s, servertest.NewSession(t, s), plainList)
	assert.Equal(t, servertest.ErrorLine("1", prompts.CodeInternalError, servertest.ListFailed), got)
}

// It is called once, when the server is made. One that returns nothing is a
// fault of the options, and it has nothing to call next for yet.
func TestMiddlewareIsMadeOnce(t *testing.T) {
	t.Parallel()
	made := 0
	s := prompts.MustNewServer(traveller(), prompts.Options{Middleware: func(next prompts.Handler) prompts.Handler {
		made++
		_, err := next(context.Background(), &prompts.Request{Method: "prompts/list"})
		assert.ErrorContains(t, err, "ctx does not come from")
		return next
	}})
	for range 3 {
		servertest.AnswerTo(t, s, servertest.NewSession(t, s), plainList)
	}
	assert.Equal(t, 1, made)
	none := func(prompts.Handler) prompts.Handler { return nil }
	err := servertest.OptionsError(prompts.Options{PageSize: -1, Middleware: none})
	assert.ErrorContains(t, err, "PageSize must not be negative")
	assert.ErrorContains(t, err, "Middleware returned nil")
}

// A panic of next on a goroutine of the middleware is an error there, with the stack of
// the panic in the log.
func TestNextPanicsOnAnotherGoroutine(t *testing.T) {
	t.Parallel()
	for line, message := range map[string]string{
		plainList:                         servertest.ListFailed,
		servertest.GetLine("1", "panics"): servertest.RenderFailed,
		servertest.CompleteLine("1", "panics", "a", ""): servertest.CompleteFailed,
	} {
		var j servertest.Journal
		p := servertest.Completing("panics", func(context.Context, string, map[string]string) ([]string, error) { panic("a secret") })
		p.Render = func(context.Context, map[string]string) (*prompts.Result, error) { panic("a secret") }
		visible := func(context.Context, prompts.Prompt) (bool, error) {
			if line == plainList {
				panic("a secret")
			}
			return true, nil
		}
		s := prompts.MustNewServer(servertest.RegistryOf(p), prompts.Options{Logger: j.Logger(), Visible: visible, Middleware: servertest.Around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
			failed := make(chan error)
			go func() {
				_, err := next(ctx, r)
				failed <- err
			}()
			err := <-failed
			assert.ErrorContains(t, err, "a secret")
			assert.EqualError(t, servertest.AsNeutral(err), message+" (-32603)")
			return nil, fmt.Errorf("of the tenant: %w", err)
		})})
		assert.Equal(t, servertest.ErrorLine("1", prompts.CodeInternalError, message), servertest.AnswerTo(t, s, servertest.NewSession(t, s), line))
		assert.Equal(t, 1, strings.Count(j.String(), "level=ERROR"))
		assert.Contains(t, j.String(), `error="of the tenant: panic: a secret"`)
		assert.Contains(t, j.String(), "TestNextPanicsOnAnotherGoroutine", "the stack is that of the panic")
	}
}

// After its request next does nothing.
func TestNextAfterTheRequest(t *testing.T) {
	t.Parallel()
	for _, result := range []error{nil, servertest.ErrDisk} {
		runs := 0
		var late func() (*prompts.Response, error)
		s := prompts.MustNewServer(servertest.RegistryOf(servertest.Rendered("p", func(context.Context) (*prompts.Result, error) { runs++; return prompts.Messages(), nil })), prompts.Options{
			Visible: func(context.Context, prompts.Prompt) (bool, error) { runs++; return true, nil },
			Middleware: servertest.Around(func(ctx context.Context, r *prompts.Request, next prompts.Handler) (*prompts.Response, error) {
				late = func() (*prompts.Response, error) { return next(context.WithoutCancel(ctx), r) }
				return &prompts.Response{Result: prompts.Messages()}, result
			}),
		})
		for _, line := range []string{plainList, servertest.GetLine("1", "p"), servertest.CompleteLine("1", "p", "a", "")} {
			servertest.AnswerTo(t, s, servertest.NewSession(t, s), line)
			response, err := late()
			assert.Nil(t, response)
			assert.EqualError(t, err, "next: request is already answered")
		}
		assert.Zero(t, runs)
	}
}

// TestAuditLog proves that each get is one record, however it ends, without values.
func TestAuditLog(t *testing.T) {
	t.Parallel()
	render := func(f func(ctx context.Context) error) prompts.RenderFunc {
		return func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
			time.Sleep(time.Second)
			return prompts.Messages(prompts.User("secret text")), f(ctx)
		}
	}
	all := map[string]func(ctx context.Context) error{
		"ok":      func(context.Context) error { return nil },
		"refuses": func(context.Context) error { return prompts.InvalidArgument("x", "secret reason") },
		"own":     func(context.Context) error { return &prompts.Error{Code: 7, Message: "secret message"} },
		"fails":   func(context.Context) error { return errors.New("secret error") },
		"panics":  func(context.Context) error { panic("secret panic") },
		"exits":   func(context.Context) error { runtime.Goexit(); return nil },
		"waits":   func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		"asks": func(ctx context.Context) error {
			_, err := prompts.Elicit[struct{ Name string }](ctx, "name", "secret question")
			return err
		},
	}
	for name, test := range map[string]struct {
		prompt, want string
		cancel       bool // while the prompt renders
	}{
		"result":         {prompt: "ok", want: "prompt=ok outcome=complete duration=1s"},
		"invalid result": {prompt: "invalid", want: "prompt=invalid outcome=complete duration=0s"},
		"question":       {prompt: "asks", want: "prompt=asks outcome=input_required duration=1s"},
		"refused":        {prompt: "refuses", want: "prompt=refuses outcome=-32602 duration=1s"},
		"error's code":   {prompt: "own", want: "prompt=own outcome=7 duration=1s"},
		"error":          {prompt: "fails", want: "prompt=fails outcome=-32603 duration=1s"},
		"panic":          {prompt: "panics", want: "prompt=panics outcome=-32603 duration=1s"},
		"exit":           {prompt: "exits", want: "prompt=exits outcome=-32603 duration=1s"},
		"time limit":     {prompt: "waits", want: "prompt=waits outcome=timeout duration=10s"},
		"canceled":       {prompt: "waits", want: "prompt=waits outcome=canceled duration=5s", cancel: true},
		"unknown prompt": {prompt: "invented", want: "prompt=invented outcome=-32602 duration=0s"},
		"long name":      {prompt: strings.Repeat("x", 1000), want: "prompt=" + strings.Repeat("x", 256) + "… outcome=-32602 duration=0s"},
	} {
		servertest.InBubble(t, name, func(t *testing.T) {
			var log bytes.Buffer
			logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey {
					return slog.Attr{}
				}
				return a
			}}))
			reg := servertest.RegistryOf(prompts.Prompt{Name: "invalid", Render: func(context.Context, map[string]string) (*prompts.Result, error) {
				return prompts.Messages(prompts.Message{}), nil
			}})
			for name, f := range all {
				reg.MustAdd(prompts.Prompt{Name: name, Arguments: []prompts.Argument{{Name: "x"}}, Render: render(f)})
			}
			srv := prompts.MustNewServer(reg, prompts.Options{
				Middleware: prompts.AuditLog(logger), Principal: func(context.Context) (string, error) { return "ada", nil },
				Timeouts: prompts.Timeouts{Render: 10 * time.Second}, Logger: slog.New(slog.DiscardHandler),
			})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if test.cancel {
				time.AfterFunc(5*time.Second, cancel)
			}
			o := prompts.CallOptions{Version: "2026-07-28", ClientCapabilities: json.RawMessage(`{"elicitation":{}}`)}
			params, err := json.Marshal(map[string]any{"name": test.prompt, "arguments": map[string]string{"x": "secret value"}})
			require.NoError(t, err)
			_, _ = srv.Call(ctx, "prompts/get", params, o)
			_, err = srv.Call(ctx, "prompts/list", nil, o)
			require.Equal(t, test.cancel, err != nil)
			synctest.Wait()
			assert.Equal(t, `level=INFO msg="prompt requested" principal=ada `+test.want+"\n", log.String())
		})
	}
}
