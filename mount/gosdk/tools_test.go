package gosdk_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/mount/gosdk"
	"github.com/mcp-prompts/prompts/prompttools"
)

// nativeTool adds a tool to the SDK's server.
func nativeTool(s *mcp.Server, name string) {
	mcp.AddTool(s, &mcp.Tool{Name: name}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "from a native tool"}}}, nil, nil
	})
}

// toolNames returns the names of all tools that the client sees.
func (c *client) toolNames() []string {
	c.t.Helper()
	var list struct{ Tools []struct{ Name string } }
	require.NoError(c.t, json.Unmarshal(c.must("tools/list", `{}`), &list))
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return names
}

// The prompts that are tools are tools of the server, beside its own, until the
// registry is unmounted.
func TestTools(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, revision string) {
		s := newServer(nil)
		nativeTool(s, "native")
		r := registry(says("a"), prompts.NewText(prompts.Prompt{Name: "lines"}, func(_ context.Context, in struct {
			Lines int    `json:"lines" minimum:"1"`
			Tone  string `json:"tone,omitempty" default:"kind"`
		}) (string, error) {
			return string(rune('a'+in.Lines)) + " " + in.Tone, nil
		}))
		tools, err := prompttools.New(r, prompttools.Options{Select: func(p prompts.Prompt) bool { return p.Name != "hidden" }})
		require.NoError(t, err)
		unmount := mount(t, s, r, prompts.Options{Features: []feature.Feature{tools}})
		c := dial(t, s, revision)
		assert.Equal(t, []string{"a", "lines", "native"}, c.toolNames())
		assert.Contains(t, string(c.must("tools/list", `{}`)), `"minimum":1`)
		assert.Contains(t, string(c.must("tools/call", `{"name":"a"}`)), "ours: a")
		assert.Contains(t, string(c.must("tools/call", `{"name":"native","arguments":{}}`)), "from a native tool")
		assert.Contains(t, string(c.must("tools/call", `{"name":"lines","arguments":{"lines":2}}`)), `"c kind"`)
		assert.Contains(t, string(c.must("tools/call", `{"name":"lines","arguments":{"lines":2,"tone":null}}`)), `"c kind"`, "GAP-18")
		assert.Contains(t, string(c.must("tools/call", `{"name":"lines","arguments":{"lines":null}}`)), "lines is required", "GAP-18")
		wrong := string(c.must("tools/call", `{"name":"lines","arguments":{"lines":0}}`))
		assert.Contains(t, wrong, `"isError":true`)
		assert.Contains(t, wrong, "lines must be at least 1, got 0")
		assert.EqualValues(t, -32602, c.refused("tools/call", `{"name":"missing"}`).Code)

		r.MustAdd(says("late"))
		r.Remove("a")
		require.Eventually(t, func() bool { return assert.ObjectsAreEqual([]string{"late", "lines", "native"}, c.toolNames()) }, time.Minute, 10*time.Millisecond)
		unmount()
		assert.Equal(t, []string{"native"}, c.toolNames())
	})
}

// A tool that the server has already is an error, and nothing changes.
func TestToolsThatClash(t *testing.T) {
	t.Parallel()
	s := newServer(nil)
	nativeTool(s, "a")
	r := registry(says("a"), says("b"))
	tools, err := prompttools.New(r, prompttools.Options{Names: []string{"a", "b"}})
	require.NoError(t, err)
	_, err = gosdk.Mount(s, r, gosdk.Options{Server: prompts.Options{Features: []feature.Feature{tools}}})
	require.ErrorIs(t, err, prompts.ErrExists)
	assert.ErrorContains(t, err, `tool "a"`)
	c := dial(t, s, newest)
	assert.Equal(t, []string{"a"}, c.toolNames())
	assert.Contains(t, string(c.must("tools/call", `{"name":"a","arguments":{}}`)), "native")
	_, err = gosdk.Mount(s, r, gosdk.Options{})
	require.NoError(t, err, "without the tools")
}

// A tool that the server gets later under the name of one of the registry wins: all
// clients see it, and neither the next change nor unmount removes it. When the server
// removes it, the next change restores that of the registry.
func TestToolsOfTheServerWin(t *testing.T) {
	t.Parallel()
	s := newServer(nil)
	r := registry(says("hidden"), says("gone"), says("back"))
	tools, err := prompttools.New(r, prompttools.Options{Select: func(prompts.Prompt) bool { return true }})
	require.NoError(t, err)
	unmount := mount(t, s, r, prompts.Options{Features: []feature.Feature{tools}, Visible: func(_ context.Context, p prompts.Prompt) (bool, error) {
		return p.Name != "hidden" && p.Name != "gone", nil
	}})
	c := dial(t, s, newest)
	assert.Equal(t, []string{"back"}, c.toolNames())
	for _, name := range []string{"back", "gone", "hidden"} {
		nativeTool(s, name)
	}
	assert.Equal(t, []string{"back", "gone", "hidden"}, c.toolNames())
	assert.Contains(t, string(c.must("tools/call", `{"name":"hidden","arguments":{}}`)), "from a native tool")
	change := func(name string, want ...string) {
		t.Helper()
		r.MustAdd(says(name))
		require.Eventually(t, func() bool { return assert.ObjectsAreEqual(want, c.toolNames()) }, time.Minute, time.Millisecond)
	}
	r.Remove("gone")
	change("late", "back", "gone", "hidden", "late")
	assert.Contains(t, string(c.must("tools/call", `{"name":"gone","arguments":{}}`)), "from a native tool")
	s.RemoveTools("back")
	change("later", "back", "gone", "hidden", "late", "later")
	assert.Contains(t, string(c.must("tools/call", `{"name":"back"}`)), "ours: back")
	unmount()
	assert.Equal(t, []string{"gone", "hidden"}, c.toolNames())
}

// A hidden prompt is no tool: it is answered as a tool that does not exist, even if the
// server's middleware copies tools.
func TestHiddenTools(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, revision string) {
		s := newServer(nil)
		s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
			return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
				result, err := next(ctx, method, r)
				if list, ok := result.(*mcp.ListToolsResult); ok {
					for i := range list.Tools {
						tool := *list.Tools[i]
						list.Tools[i] = &tool
					}
				}
				return result, err
			}
		})
		r := registry(says("open"), says("secret"))
		tools, err := prompttools.New(r, prompttools.Options{Names: []string{"open", "secret"}})
		require.NoError(t, err)
		mount(t, s, r, prompts.Options{Features: []feature.Feature{tools}, Visible: func(_ context.Context, p prompts.Prompt) (bool, error) { return p.Name == "open", nil }})
		c := dial(t, s, revision)
		assert.Equal(t, []string{"open"}, c.toolNames())
		hidden, missing := c.refused("tools/call", `{"name":"secret"}`), c.refused("tools/call", `{"name":"misses"}`)
		assert.Equal(t, missing.Code, hidden.Code)
		assert.Equal(t, `unknown tool "misses"`, missing.Message)
		assert.Equal(t, `unknown tool "secret"`, hidden.Message)
		assert.Equal(t, missing.Data, hidden.Data)
	})
}

// A prompt that asks the user does so from a tool, too.
func TestToolsThatAsk(t *testing.T) {
	t.Parallel()
	s := newServer(nil)
	r := registry(prompts.NewText(prompts.Prompt{Name: "asks"}, func(ctx context.Context, _ struct{}) (string, error) {
		in, err := prompts.Elicit[struct {
			City string `json:"city"`
		}](ctx, "where", "Where to?")
		return "to " + in.City, err
	}))
	tools, err := prompttools.New(r, prompttools.Options{Names: []string{"asks"}})
	require.NoError(t, err)
	mount(t, s, r, prompts.Options{Features: []feature.Feature{tools}})
	answer := func(string, json.RawMessage) string { return `{"action":"accept","content":{"city":"Rome"}}` }
	for _, revision := range []string{canAsk, newest} {
		c := dialAs(t, s, &client{revision: revision, answer: answer})
		assert.Contains(t, string(c.must("tools/call", `{"name":"asks"}`)), "to Rome")
	}
	c := dialAs(t, s, &client{revision: stateless, answer: answer})
	var first struct{ ResultType, RequestState string }
	require.NoError(t, json.Unmarshal(c.must("tools/call", `{"name":"asks"}`), &first))
	assert.Equal(t, "input_required", first.ResultType)
	retry, err := json.Marshal(map[string]any{"name": "asks", "requestState": first.RequestState,
		"inputResponses": map[string]any{"where": json.RawMessage(answer("", nil))}})
	require.NoError(t, err)
	assert.Contains(t, string(c.must("tools/call", string(retry))), "to Rome")
}
