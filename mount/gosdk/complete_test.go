package gosdk_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/mount/gosdk"
)

func completion(ref, argument, value string) string {
	return fmt.Sprintf(`{"ref":%s,"argument":{"name":%q,"value":%q},"context":{"arguments":{"other":"o"}}}`, ref, argument, value)
}

func ofPrompt(name string) string { return fmt.Sprintf(`{"type":"ref/prompt","name":%q}`, name) }

func withArgument() prompts.Prompt {
	p := says("a")
	p.Arguments = []prompts.Argument{
		{Name: "lang", Enum: []string{"go", "gopher", "python"}},
		{Name: "other"},
		{Name: "mine", Complete: func(_ context.Context, prefix string, args map[string]string) ([]string, error) {
			return []string{prefix + args["other"]}, nil
		}},
	}
	return p
}

// The arguments of a registry's prompts complete, and for everything else the
// server's own handler is asked.
func TestComplete(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, revision string) {
		s := newServer(&mcp.ServerOptions{CompletionHandler: func(_ context.Context, r *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{"own:" + r.Params.Ref.Name + r.Params.Ref.URI}}}, nil
		}})
		mount(t, s, registry(withArgument()), prompts.Options{})
		c := dial(t, s, revision)
		for _, test := range []struct{ ref, argument, want string }{
			{ofPrompt("a"), "lang", `{"values":["go","gopher"],"total":2}`},
			{ofPrompt("own_a"), "lang", `{"values":["own:own_a"]}`},
			{ofPrompt("nosuch"), "lang", `{"values":["own:nosuch"]}`},
			{`{"type":"ref/resource","uri":"test://x"}`, "lang", `{"values":["own:test://x"]}`},
		} {
			got := members(t, c.must("completion/complete", completion(test.ref, test.argument, "go")))
			assert.JSONEq(t, test.want, string(got["completion"]))
		}
		var got struct{ Completion struct{ Values []string } }
		require.NoError(t, json.Unmarshal(c.must("completion/complete", completion(ofPrompt("a"), "mine", "x")), &got))
		want := "x"
		if revision >= canAsk { // the first one with the other arguments
			want = "xo"
		}
		assert.Equal(t, []string{want}, got.Completion.Values)
		e := c.refused("completion/complete", completion(ofPrompt("a"), "long", ""))
		assert.EqualValues(t, -32602, e.Code)
		assert.Contains(t, string(e.Data), `"reason":"unknown"`)
	})
}

// An argument without completions of its own, as that of a prompt that has moved from a
// server of the SDK, is completed as there.
func TestCompletionsOfOldServer(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, revision string) {
		s := newServer(nil)
		hidden := withArgument()
		hidden.Name = "hidden"
		unmount, err := gosdk.Mount(s, registry(withArgument(), hidden), gosdk.Options{
			Server: prompts.Options{Visible: func(_ context.Context, p prompts.Prompt) (bool, error) { return p.Name != "hidden", nil }},
			Completions: func(_ context.Context, r *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
				return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{"old:" + r.Params.Ref.Name + r.Params.Argument.Value}}}, nil
			},
		})
		require.NoError(t, err)
		defer unmount()
		c := dial(t, s, revision)
		for argument, want := range map[string]string{
			"other": `{"values":["old:ago"]}`,
			"lang":  `{"values":["go","gopher"],"total":2}`,
		} {
			got := members(t, c.must("completion/complete", completion(ofPrompt("a"), argument, "go")))
			assert.JSONEq(t, want, string(got["completion"]))
		}
		for _, name := range []string{"hidden", "nosuch"} {
			assert.EqualValues(t, -32602, c.refused("completion/complete", completion(ofPrompt(name), "other", "go")).Code)
		}
		assert.EqualValues(t, -32602, c.refused("completion/complete", completion(ofPrompt("a"), "long", "")).Code)
	})
}

// A prompt that Visible shows only in the context of the middleware has its completions and
// errors, and the handler of the server has the completions of every other prompt, whatever the
// middleware does.
func TestCompletionsInsideOfMiddleware(t *testing.T) {
	t.Parallel()
	type allowed struct{}
	inEach(t, func(t *testing.T, revision string) {
		for _, panics := range []bool{false, true} {
			s := newServer(&mcp.ServerOptions{CompletionHandler: func(_ context.Context, r *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
				return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{"own"}}}, nil
			}})
			fails := withArgument()
			fails.Arguments = append(fails.Arguments, prompts.Argument{Name: "fails", Complete: func(context.Context, string, map[string]string) ([]string, error) {
				return nil, errors.New("no database")
			}})
			hidden := fails
			hidden.Name = "hidden"
			renamed := hidden
			renamed.Name = "renamed"
			var seen []string
			unmount, err := gosdk.Mount(s, registry(fails, hidden, renamed), gosdk.Options{
				Server: prompts.Options{
					Visible: func(ctx context.Context, p prompts.Prompt) (bool, error) {
						name, ok := ctx.Value(allowed{}).(string)
						if !ok && panics {
							panic("no context of the middleware")
						}
						return name == p.Name, nil
					},
					Middleware: func(next prompts.Handler) prompts.Handler {
						return func(ctx context.Context, r *prompts.Request) (*prompts.Response, error) {
							if r.Method == "completion/complete" {
								seen = append(seen, r.Prompt)
							}
							if r.Prompt == "renamed" {
								r.Prompt = "a"
							}
							response, err := next(context.WithValue(ctx, allowed{}, "a"), r)
							if err != nil && r.Prompt == "hidden" {
								err = &prompts.Error{Code: -32002, Message: "refused"}
							}
							return response, err
						}
					},
				},
				Completions: func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
					return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{"old"}}}, nil
				},
			})
			require.NoError(t, err)
			c := dial(t, s, revision)
			assert.EqualValues(t, -32602, c.refused("completion/complete", completion(ofPrompt("a"), "nosuch", "go")).Code)
			assert.Contains(t, c.refused("completion/complete", completion(ofPrompt("a"), "fails", "go")).Message, `completion of argument "fails" failed`)
			for _, test := range []struct{ ref, argument, want string }{
				{ofPrompt("a"), "lang", `{"values":["go","gopher"],"total":2}`},
				{ofPrompt("a"), "other", `{"values":["old"]}`},
				{ofPrompt("hidden"), "lang", `{"values":["own"]}`},
				{ofPrompt("hidden"), "fails", `{"values":["own"]}`},
				{ofPrompt("renamed"), "lang", `{"values":["own"]}`},
				{ofPrompt("renamed"), "other", `{"values":["own"]}`},
				{ofPrompt("nosuch"), "lang", `{"values":["own"]}`},
				{ofPrompt("own_a"), "lang", `{"values":["own"]}`},
			} {
				got := members(t, c.must("completion/complete", completion(test.ref, test.argument, "go")))
				assert.JSONEq(t, test.want, string(got["completion"]), "%s %s", test.ref, test.argument)
			}
			assert.Equal(t, []string{"a", "a", "a", "a", "hidden", "hidden", "renamed", "renamed"}, seen, "not of prompts that are not ours")
			unmount()
		}
	})
}

// On a server without a handler the capability is the mount's, and what it
// does not know is told in its terms.
func TestCompleteWithoutHandler(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, revision string) {
		s := newServer(&mcp.ServerOptions{PageSize: 1})
		unmount := mount(t, s, registry(withArgument()), prompts.Options{})
		c := dial(t, s, revision)
		assert.JSONEq(t, `{"values":[]}`, string(members(t, c.must("completion/complete", completion(ofPrompt("own_b"), "x", "")))["completion"]))
		assert.JSONEq(t, `{"prompt":"nosuch"}`, string(c.refused("completion/complete", completion(ofPrompt("nosuch"), "x", "")).Data))
		assert.EqualValues(t, -32602, c.refused("completion/complete", completion(`{"type":"ref/resource","uri":"test://x"}`, "x", "")).Code)
		assert.EqualValues(t, -32602, c.refused("completion/complete", `{"argument":{"name":"x","value":""}}`).Code)
		assert.Equal(t, revision != oldest, announces(t, s, revision))

		unmount()
		assert.EqualValues(t, -32601, c.refused("completion/complete", completion(ofPrompt("a"), "lang", "")).Code)
		assert.False(t, announces(t, s, revision))
		mount(t, s, registry(withArgument()), prompts.Options{DisableCompletions: true})
		assert.EqualValues(t, -32601, c.refused("completion/complete", completion(ofPrompt("a"), "lang", "")).Code)
		assert.False(t, announces(t, s, revision))
	})
}

// announces reports whether the server declares the capability for completion.
func announces(t *testing.T, s *mcp.Server, revision string) bool {
	t.Helper()
	c := dialAs(t, s, &client{revision: stateless})
	var result json.RawMessage
	if revision == stateless {
		result = c.must("server/discover", "")
	} else {
		c.revision = revision
		result = c.must("initialize", fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"c","version":"1"}}`, revision))
	}
	all := members(t, members(t, result)["capabilities"])
	assert.JSONEq(t, `{"listChanged":true}`, string(all["prompts"]))
	return all["completions"] != nil
}
