package gosdk_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// guard is receiving middleware that answers the requests for which f returns
// something, and lets the others pass.
func guard(f func(method, prompt string) (mcp.Result, error)) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			name := ""
			switch r := req.(type) {
			case *mcp.GetPromptRequest:
				name = r.Params.Name
			case *mcp.CompleteRequest:
				if r.Params.Ref != nil {
					name = r.Params.Ref.Name
				}
			}
			if res, err := f(method, name); res != nil || err != nil {
				return res, err
			}
			return next(ctx, method, req)
		}
	}
}

// What guarded the server before the mount guards the registry's prompts too.
func TestEarlierMiddlewareRefuses(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, revision string) {
		s := newServer(nil)
		forbidden := func(method, prompt string) (mcp.Result, error) {
			switch {
			case strings.HasPrefix(prompt, "forbidden"):
				return nil, &jsonrpc.Error{Code: 403, Message: "forbidden " + method, Data: []byte(`{"for":"you"}`)}
			case prompt == "gone": // not what the SDK says of a prompt that there is not
				return nil, &jsonrpc.Error{Code: -32602, Message: `unknown prompt "another"`}
			case prompt == "unavailable":
				return nil, &jsonrpc.Error{Code: -32601, Message: "not for you"}
			}
			return nil, nil
		}
		s.AddReceivingMiddleware(guard(forbidden))
		var log logged
		rendered := func(name string) prompts.Prompt {
			p := renders(name, func(context.Context) (*prompts.Result, error) {
				t.Errorf("%s has been rendered", name)
				return prompts.Messages(), nil
			})
			p.Arguments = []prompts.Argument{{Name: "arg", Complete: func(context.Context, string, map[string]string) ([]string, error) {
				t.Errorf("%s has completed", name)
				return nil, nil
			}}}
			return p
		}
		mount(t, s, registry(withArgument(), rendered("forbidden"), rendered("forbidden too"), rendered("gone"), rendered("unavailable")), prompts.Options{
			Logger:  slog.New(slog.NewTextHandler(&log, nil)),
			Visible: func(_ context.Context, p prompts.Prompt) (bool, error) { return p.Name != "forbidden too", nil },
		})
		c := dial(t, s, revision)
		for _, name := range []string{"forbidden", "forbidden too", "forbidden, and not there"} {
			for method, params := range map[string]string{
				"prompts/get":         fmt.Sprintf(`{"name":%q}`, name),
				"completion/complete": completion(ofPrompt(name), "arg", ""),
			} {
				e := c.refused(method, params)
				assert.EqualValues(t, 403, e.Code, "%s %s", method, name)
				assert.Equal(t, "forbidden "+method, e.Message)
				assert.JSONEq(t, `{"for":"you"}`, string(e.Data))
			}
		}
		assert.Equal(t, `unknown prompt "another"`, c.refused("prompts/get", `{"name":"gone"}`).Message)
		assert.Equal(t, `unknown prompt "another"`, c.refused("completion/complete", completion(ofPrompt("gone"), "arg", "")).Message)
		assert.EqualValues(t, -32601, c.refused("prompts/get", `{"name":"unavailable"}`).Code)
		assert.EqualValues(t, -32601, c.refused("completion/complete", completion(ofPrompt("unavailable"), "arg", "")).Code)
		assert.Empty(t, log.String())

		assert.Equal(t, "ours: a", c.text("a"), "and what it lets pass is answered")
		assert.Contains(t, string(c.must("completion/complete", completion(ofPrompt("a"), "lang", "py"))), "python")
	})
}

// No page of a list is there for a client that may not list, and none of the
// registry's code is run.
func TestEarlierMiddlewareRefusesLists(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, revision string) {
		s := newServer(nil)
		var closed atomic.Bool
		s.AddReceivingMiddleware(guard(func(method, _ string) (mcp.Result, error) {
			if method == "prompts/list" && closed.Load() {
				return nil, &jsonrpc.Error{Code: 403, Message: "forbidden"}
			}
			return nil, nil
		}))
		mount(t, s, registry(says("a"), says("b"), says("c")), prompts.Options{PageSize: 1, Visible: func(context.Context, prompts.Prompt) (bool, error) {
			assert.False(t, closed.Load())
			return true, nil
		}})
		c := dial(t, s, revision)
		second := c.page("").NextCursor
		third := c.page(second).NextCursor
		closed.Store(true)
		for _, cursor := range []string{"", second, third} {
			e := c.refused("prompts/list", fmt.Sprintf(`{"cursor":%q}`, cursor))
			assert.EqualValues(t, 403, e.Code, cursor)
		}
	})
}

// A CompletionHandler that fails for prompts that it does not know completes no prompt of the
// registry, and no prompt of the registry fails by it. Its failures do not fill the log.
func TestCompletionHandlerThatFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newServer(&mcp.ServerOptions{CompletionHandler: func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			return nil, errors.New("no such prompt")
		}})
		var log logged
		mount(t, s, registry(withArgument()), prompts.Options{Logger: slog.New(slog.NewTextHandler(&log, nil)), Limits: prompts.Limits{CompletionsPerSecond: -1}})
		c := dial(t, s, newest)
		assert.Equal(t, "no such prompt", c.refused("completion/complete", completion(ofPrompt("own_a"), "lang", "")).Message)
		assert.Empty(t, log.String(), "which is none of the mount's concern")
		for range 1000 {
			require.Contains(t, string(c.must("completion/complete", completion(ofPrompt("a"), "lang", "py"))), "python")
		}
		assert.NotContains(t, log.String(), "no such prompt", "the text may quote a sensitive argument")
		assert.Equal(t, 200, strings.Count(log.String(), "CompletionHandler returned an error for a registry prompt"), "the burst of the limit")
	})
}

// Middleware that answers by itself, such as a cache, has answered.
func TestEarlierMiddlewareAnswers(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, revision string) {
		s := newServer(nil)
		s.AddReceivingMiddleware(guard(func(method, prompt string) (mcp.Result, error) {
			if method == "prompts/get" && prompt == "a" {
				return ownPrompt("from the cache")(context.Background(), nil)
			}
			return nil, nil
		}))
		mount(t, s, registry(says("a"), says("b")), prompts.Options{})
		c := dial(t, s, revision)
		assert.Equal(t, "from the cache", c.text("a"))
		assert.Equal(t, "ours: b", c.text("b"))
	})
}

// A completion for a prompt that is hidden is that for one that there is not,
// also where the server's handler has one for whatever it is asked.
func TestHiddenFromAHandler(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, revision string) {
		s := newServer(&mcp.ServerOptions{CompletionHandler: func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{"own"}}}, nil
		}})
		hidden := withArgument()
		hidden.Name = "hidden"
		mount(t, s, registry(withArgument(), hidden), prompts.Options{
			Visible: func(_ context.Context, p prompts.Prompt) (bool, error) { return p.Name != "hidden", nil },
		})
		c := dial(t, s, revision)
		for _, argument := range []string{"lang", "mine", "nosuch"} {
			assert.Equal(t,
				string(c.must("completion/complete", completion(ofPrompt("nosuch"), argument, ""))),
				string(c.must("completion/complete", completion(ofPrompt("hidden"), argument, ""))))
		}
		assert.Contains(t, string(c.must("completion/complete", completion(ofPrompt("a"), "lang", "py"))), "python")
		assert.EqualValues(t, -32602, c.refused("completion/complete", completion(ofPrompt("a"), "nosuch", "")).Code)
	})
}

// Middleware of the server sees every request in the SDK's own types: what came
// after the mount with its answer, and what was there before up to where the
// server itself has none.
func TestMiddlewareOfTheServer(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, revision string) {
		s := newServer(nil)
		var before, after []string
		record := func(seen *[]string) mcp.Middleware {
			return func(next mcp.MethodHandler) mcp.MethodHandler {
				return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
					res, err := next(ctx, method, req)
					if strings.HasPrefix(method, "prompts/") || method == "completion/complete" {
						*seen = append(*seen, fmt.Sprintf("%s %T %v", method, res, err))
					}
					return res, err
				}
			}
		}
		s.AddReceivingMiddleware(record(&before))
		p := withArgument()
		p.Render = renders("a", func(context.Context) (*prompts.Result, error) { return contents(), nil }).Render
		mount(t, s, registry(p), prompts.Options{
			Fallback: func(context.Context, prompts.Fallback) prompts.Content { return &prompts.Text{} },
		})
		before = nil
		s.AddReceivingMiddleware(record(&after))
		c := dial(t, s, revision)
		c.must("prompts/get", `{"name":"a"}`)
		c.must("prompts/get", `{"name":"own_a"}`)
		c.must("completion/complete", completion(ofPrompt("a"), "lang", ""))
		c.must("prompts/list", ``)
		get, complete, list := "prompts/get *mcp.GetPromptResult <nil>", "completion/complete *mcp.CompleteResult <nil>", "prompts/list *mcp.ListPromptsResult <nil>"
		assert.Equal(t, []string{get, get, complete, list}, after)
		require.Len(t, before, 4)
		assert.Contains(t, before[0], `unknown prompt "a"`)
		assert.Equal(t, get, before[1])
		assert.Contains(t, before[2], `method not found`)
		assert.Equal(t, list, before[3])
	})
}
