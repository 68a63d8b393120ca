package gosdk_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/mount/gosdk"
)

// contents is a result with all that there is.
func contents() *prompts.Result {
	zero, size := 0.0, int64(1)<<60
	least := &prompts.Annotations{Audience: []prompts.Role{"user"}, Priority: &zero, LastModified: time.Unix(1e9, 0)}
	meta := prompts.Meta{"example.com/n": json.Number("12345678901234567890.10")}
	user := func(c prompts.Content) prompts.Message { return prompts.Message{Role: prompts.RoleUser, Content: c} }
	return &prompts.Result{Description: "all <&>", Meta: meta, Messages: []prompts.Message{
		prompts.User(""), prompts.Assistant("a\u2028<&>"),
		user(&prompts.Text{Text: "t", Annotations: least, Meta: meta}),
		user(&prompts.Text{Text: "t", Meta: meta}),
		user(&prompts.Image{Data: []byte{0, 255}, MIMEType: "image/png", Annotations: least, Meta: meta}),
		user(&prompts.Image{Data: []byte{}, MIMEType: "image/png"}),
		user(&prompts.Audio{Data: []byte{1}, MIMEType: "audio/wav", Annotations: &prompts.Annotations{}}),
		user(&prompts.EmbeddedResource{URI: "test://empty", MIMEType: "text/x"}),
		user(&prompts.EmbeddedResource{URI: "test://text", Text: "t", ResourceMeta: meta, Meta: meta, Annotations: least}),
		user(&prompts.EmbeddedResource{URI: "test://blob", Blob: []byte{}}),
		user(&prompts.ResourceLink{URI: "test://link", Name: "n", Title: "T", Description: "d", MIMEType: "a/b", Size: &size,
			Icons: []prompts.Icon{{Src: "https://example.com/i", Sizes: []string{"any"}}}, Annotations: least, Meta: meta}),
	}}
}

// A result is as the library's own server sends it, in each revision.
func TestContents(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, revision string) {
		r := registry(
			renders("all", func(context.Context) (*prompts.Result, error) { return contents(), nil }),
			renders("none", func(context.Context) (*prompts.Result, error) { return prompts.Messages(), nil }),
		)
		o := prompts.Options{Fallback: func(context.Context, prompts.Fallback) prompts.Content { return &prompts.Text{Text: "instead"} }}
		s := newServer(nil)
		mount(t, s, r, o)
		for _, params := range []string{`{"name":"all"}`, `{"name":"none"}`} {
			got := members(t, dial(t, s, revision).must("prompts/get", params))
			raw, err := prompts.MustNewServer(r, o).Call(t.Context(), "prompts/get", json.RawMessage(params), prompts.CallOptions{Version: revision})
			require.NoError(t, err)
			want := members(t, raw)
			for _, meta := range []map[string]json.RawMessage{got, want} {
				if meta["_meta"] == nil {
					continue
				}
				m := members(t, meta["_meta"])
				delete(m, mcp.MetaKeyServerInfo) // which each says of itself
				meta["_meta"] = marshal(t, m)
			}
			assertSame(t, marshal(t, want), marshal(t, got))
		}
	})
}

func members(t *testing.T, object json.RawMessage) map[string]json.RawMessage {
	t.Helper()
	var m map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(object, &m), "%s", object)
	return m
}

// Errors keep their code and data, and of what is not for the client there is
// nothing.
func TestErrors(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, revision string) {
		var log logged
		fails := func(name string, err error) prompts.Prompt {
			return renders(name, func(context.Context) (*prompts.Result, error) { return nil, err })
		}
		s := newServer(nil)
		mount(t, s, registry(
			prompts.Prompt{Name: "typed", Arguments: []prompts.Argument{{Name: "lang", Required: true, Enum: []string{"go"}}}, Render: says("").Render},
			fails("coded", fmt.Errorf("secret: %w", &prompts.Error{Code: 7, Message: "seven", Data: map[string]int{"n": 7}})),
			fails("secret", errors.New("secret")),
			renders("panic", func(context.Context) (*prompts.Result, error) { panic("secret") }),
			renders("exit", func(context.Context) (*prompts.Result, error) { runtime.Goexit(); return nil, nil }),
			renders("invalid", func(context.Context) (*prompts.Result, error) {
				return &prompts.Result{Messages: []prompts.Message{{}}}, nil
			}),
		), prompts.Options{Logger: slog.New(slog.NewTextHandler(&log, nil)), StrictArguments: true})
		c := dial(t, s, revision)
		for _, test := range []struct {
			params, data string
			code         int64
		}{
			{`{"name":"typed"}`, `{"prompt":"typed","problems":[{"argument":"lang","reason":"missing","message":"is required"}]}`, -32602},
			{`{"name":"coded"}`, `{"n":7}`, 7},
			{`{"name":"secret"}`, ``, -32603},
			{`{"name":"panic"}`, ``, -32603},
			{`{"name":"exit"}`, ``, -32603},
			{`{"name":"invalid"}`, ``, -32603},
			{`{"name":""}`, `{"prompt":""}`, -32602},
			{`{"name":"nosuch"}`, `{"prompt":"nosuch"}`, -32602},
		} {
			e := c.refused("prompts/get", test.params)
			assert.Equal(t, test.code, e.Code, test.params)
			assert.NotContains(t, strings.ReplaceAll(e.Message, `prompt "secret"`, ""), "secret")
			if test.data == "" && e.Code == -32603 {
				assert.Regexp(t, `^(\{"errorId":"[0-9a-f]{8}"\})?$`, string(e.Data), test.params)
			} else if test.data == "" {
				assert.Empty(t, e.Data, test.params)
			} else {
				assert.JSONEq(t, test.data, string(e.Data), test.params)
			}
		}
		e := c.refused("prompts/get", `{"name":"typed","arguments":{"lang":"goo","more":"x"}}`)
		assert.Contains(t, string(e.Data), `"allowed":["go"]`)
		assert.Contains(t, string(e.Data), `"reason":"unknown"`)
		assert.Contains(t, log.String(), "secret")
		assert.Equal(t, "own: own_a", c.text("own_a"), "the server is alive")
	})
}

// A render that does not heed its context has a limit, and the client gets its
// answer then.
func TestRenderTimeout(t *testing.T) {
	t.Parallel()
	for _, heeds := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			s := newServer(nil)
			var log logged
			leave := make(chan struct{})
			mount(t, s, registry(renders("slow", func(ctx context.Context) (*prompts.Result, error) {
				if heeds {
					<-ctx.Done()
					return nil, ctx.Err()
				}
				<-leave
				prompts.Progress(ctx, 1, 2, "too late")
				return prompts.Messages(), nil
			})), prompts.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
			c := dial(t, s, newest)
			began := time.Now()
			e := c.refused("prompts/get", `{"name":"slow","_meta":{"progressToken":1}}`)
			assert.EqualValues(t, -32603, e.Code)
			assert.Contains(t, e.Message, " timed out after ")
			assert.Equal(t, 30*time.Second, time.Since(began))
			assert.Contains(t, log.String(), "request timed out")
			close(leave)
			synctest.Wait()
			assert.Empty(t, c.told, "of a request that is answered")
		})
	}
}

// An answer waits for progress that is being sent, and none follows it, also if
// whatever sends it does not heed the end of the request.
func TestNoProgressAfterTheAnswer(t *testing.T) {
	t.Parallel()
	s := newServer(nil)
	answered := make(chan struct{})
	s.AddSendingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method == "notifications/progress" {
				<-ctx.Done() // the limit has passed
				select {
				case <-answered: // too early
				case <-time.After(millis(100)):
				}
			}
			return next(context.WithoutCancel(ctx), method, req)
		}
	})
	ended := make(chan struct{})
	mount(t, s, registry(renders("slow", func(ctx context.Context) (*prompts.Result, error) {
		defer close(ended)
		prompts.Progress(ctx, 1, 2, "in time")
		<-answered
		prompts.Progress(ctx, 2, 2, "too late")
		return prompts.Messages(), nil
	})), prompts.Options{Timeouts: prompts.Timeouts{Render: millis(100)}})
	c := dial(t, s, newest)
	c.refused("prompts/get", `{"name":"slow","_meta":{"progressToken":1}}`)
	assert.Len(t, c.told, 1)
	close(answered)
	<-ended
	c.must("ping", "")
	assert.Len(t, c.told, 1)
}

// While a person thinks about a question the limit stands still.
func TestRenderTimeoutWhileAsking(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newServer(nil)
		mount(t, s, registry(renders("asks", func(ctx context.Context) (*prompts.Result, error) {
			for i := range 3 {
				if _, err := prompts.Elicit[colour](ctx, fmt.Sprint(i), "Which?"); err != nil {
					return nil, err
				}
				time.Sleep(2 * time.Second)
			}
			<-ctx.Done()
			return nil, ctx.Err()
		})), prompts.Options{Timeouts: prompts.Timeouts{Render: 10 * time.Second}})
		c := dialAs(t, s, &client{revision: newest, answer: func(string, json.RawMessage) string {
			time.Sleep(time.Minute)
			return `{"action":"accept","content":{"colour":"red"}}`
		}})
		began := time.Now()
		assert.Contains(t, c.refused("prompts/get", `{"name":"asks"}`).Message, " timed out after ")
		assert.Equal(t, 3*time.Minute+10*time.Second, time.Since(began))
	})
}

func TestNoRenderTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newServer(nil)
		mount(t, s, registry(renders("slow", func(context.Context) (*prompts.Result, error) {
			time.Sleep(time.Hour)
			return prompts.Messages(prompts.User("at last")), nil
		})), prompts.Options{Timeouts: prompts.Timeouts{Render: -1}})
		assert.Equal(t, "at last", dial(t, s, newest).text("slow"))
	})
}

// A cancelled request ends at once, and the render's context with it.
func TestCancel(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, revision string) {
		s := newServer(nil)
		entered, ended := make(chan struct{}), make(chan struct{})
		mount(t, s, registry(renders("slow", func(ctx context.Context) (*prompts.Result, error) {
			close(entered)
			<-ctx.Done()
			close(ended)
			return nil, ctx.Err()
		})), prompts.Options{})
		c := dial(t, s, revision)
		id, reply := c.start("prompts/get", `{"name":"slow"}`)
		<-entered
		c.send(&jsonrpc.Request{Method: "notifications/cancelled", Params: marshal(t, map[string]any{"requestId": id.Raw()})})
		<-ended
		// The SDK answers nevertheless (v1.8.0 internal/jsonrpc2/conn.go:718).
		assert.Error(t, (<-reply).Error)
	})
}

func TestProgress(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, revision string) {
		s := newServer(nil)
		next := make(chan struct{})
		mount(t, s, registry(renders("works", func(ctx context.Context) (*prompts.Result, error) {
			for i := range 3 {
				prompts.Progress(ctx, float64(i)+0.5, 3, "step")
				<-next
			}
			return prompts.Messages(), nil
		})), prompts.Options{})
		c := dial(t, s, revision)
		_, reply := c.start("prompts/get", `{"name":"works","_meta":{"progressToken":"tok"}}`)
		for i := range 3 {
			n := <-c.told
			assert.Equal(t, "notifications/progress", n.Method)
			p := members(t, n.Params)
			assert.Equal(t, `"tok"`, string(p["progressToken"]))
			assert.Equal(t, fmt.Sprint(float64(i)+0.5), string(p["progress"]))
			assert.Equal(t, "3", string(p["total"]))
			next <- struct{}{}
		}
		require.NoError(t, (<-reply).Error)
	})
}

// The author's functions reach the SDK's request, and know the client.
func TestRequest(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, revision string) {
		s := newServer(nil)
		var clients []prompts.Implementation
		reach := func(ctx context.Context, kind string) {
			r, ok := gosdk.Request(ctx)
			if !assert.True(t, ok, kind) {
				return
			}
			assert.IsType(t, (*mcp.ServerSession)(nil), r.GetSession())
			assert.Contains(t, fmt.Sprintf("%T", r), kind)
		}
		p := renders("reaches", func(ctx context.Context) (*prompts.Result, error) {
			reach(ctx, "GetPrompt")
			return prompts.Messages(), nil
		})
		p.Arguments = []prompts.Argument{{Name: "arg", Complete: func(ctx context.Context, _ string, _ map[string]string) ([]string, error) {
			reach(ctx, "Complete")
			return []string{"x"}, nil
		}}}
		mount(t, s, registry(p), prompts.Options{
			Principal: func(ctx context.Context) (string, error) { reach(ctx, ""); return "p", nil },
			Middleware: func(next prompts.Handler) prompts.Handler {
				return func(ctx context.Context, r *prompts.Request) (*prompts.Response, error) {
					reach(ctx, "")
					assert.Equal(t, revision, r.Version)
					clients = append(clients, r.Client)
					return next(ctx, r)
				}
			},
		})
		c := dialAs(t, s, &client{revision: revision, name: "editor"})
		c.must("prompts/get", `{"name":"reaches"}`)
		c.must("completion/complete", `{"ref":{"type":"ref/prompt","name":"reaches"},"argument":{"name":"arg","value":""}}`)
		c.must("prompts/list", "")
		editor := prompts.Implementation{Name: "editor", Version: "1", Title: "T"}
		assert.Equal(t, []prompts.Implementation{editor, editor, editor}, clients)
		_, ok := gosdk.Request(t.Context())
		assert.False(t, ok)
	})
}

// An error of the mount has an id, which is in the data and in one record of the log.
func TestErrorIDs(t *testing.T) {
	t.Parallel()
	var log logged
	var breaks atomic.Bool
	s := newServer(nil)
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			if method == "prompts/list" && breaks.Load() {
				return &mcp.GetPromptResult{}, nil
			}
			return next(ctx, method, r)
		}
	})
	mount(t, s, registry(renders("odd", func(context.Context) (*prompts.Result, error) {
		return prompts.Messages(prompts.UserContent(&prompts.Text{Text: "x", Meta: prompts.Meta{"n": json.RawMessage("1e999")}})), nil
	})), prompts.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	c := dial(t, s, newest)
	breaks.Store(true)
	for _, test := range []struct{ method, params, message, event string }{
		{"prompts/get", `{"name":"odd"}`, `internal error: prompt "odd" failed`, "cannot convert result for go-sdk"},
		{"prompts/list", `{}`, "internal error: prompts/list failed", "request failed"},
	} {
		e := c.refused(test.method, test.params)
		assert.EqualValues(t, -32603, e.Code)
		var data struct{ ErrorID string }
		require.NoError(t, json.Unmarshal(e.Data, &data))
		require.NotEmpty(t, data.ErrorID)
		assert.Equal(t, test.message+" (error id "+data.ErrorID+")", e.Message)
		assert.Equal(t, 1, strings.Count(log.String(), "error_id="+data.ErrorID), log.String())
		assert.Contains(t, log.String(), test.event)
	}
}
