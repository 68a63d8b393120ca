package gosdk_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/mount/gosdk"
	"github.com/mcp-prompts/prompts/prompttools"
)

// A prompt and a tool that the server gets after the mount, with the name of one of the mount,
// are logged once, with a filter of the mount and without.
func TestNamesAfterMount(t *testing.T) {
	t.Parallel()
	for name, visible := range map[string]func(context.Context, prompts.Prompt) (bool, error){
		"all": nil, "filter": func(context.Context, prompts.Prompt) (bool, error) { return true, nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(nil)
			r := registry(says("a"), says("b"))
			tools, err := prompttools.New(r, prompttools.Options{Names: []string{"a"}})
			require.NoError(t, err)
			var log logged
			mount(t, s, r, prompts.Options{Visible: visible, Features: []feature.Feature{tools}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
			c := dial(t, s, newest)
			c.must("prompts/list", "")
			c.must("tools/list", "")
			assert.Equal(t, "ours: b", c.text("b"))
			assert.Empty(t, log.String())
			for _, name := range []string{"a", "b"} {
				s.AddPrompt(&mcp.Prompt{Name: name}, ownPrompt("own: "+name))
			}
			s.AddTool(&mcp.Tool{Name: "a", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{}, nil
			})
			assert.Equal(t, "own: b", c.text("b"))
			assert.Contains(t, log.String(), `msg="prompt not mounted" prompt=b error="gosdk: prompt \"b\" exists on the server, too: the list has the registry's entry, and the server's prompt answers; rename one of the two"`)
			for range 2 {
				c.must("prompts/list", "")
				c.must("tools/list", "")
			}
			assert.Contains(t, log.String(), `msg="prompt not mounted" prompt=a`)
			assert.Contains(t, log.String(), `msg="tool not mounted" error="gosdk: tool \"a\" exists on the server, too: the list has the server's entry, and the server's tool answers; rename one of the two"`)
			assert.Equal(t, 3, strings.Count(log.String(), "\n"))
		})
	}
}

// The progress of an imported prompt reaches the client. A question through the session does
// not, and the log says so.
func TestSessionOfImportedPrompt(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, revision string) {
		old := newServer(nil)
		old.AddPrompt(&mcp.Prompt{Name: "works"}, func(ctx context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			for i := range 2 {
				if err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: r.Params.GetProgressToken(), Progress: float64(i) + 0.5, Total: 2, Message: "step"}); err != nil {
					return nil, err
				}
			}
			return ownPrompt("done")(ctx, r)
		})
		old.AddPrompt(&mcp.Prompt{Name: "asks"}, func(ctx context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			_, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Message: "Who?", RequestedSchema: map[string]any{"type": "object"}})
			return nil, err
		})
		all, err := gosdk.Import(t.Context(), old)
		require.NoError(t, err)
		var log logged
		s := mcp.NewServer(&mcp.Implementation{Name: "new", Version: "1"}, nil)
		mount(t, s, registry(all...), prompts.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		c := dial(t, s, revision)
		_, reply := c.start("prompts/get", `{"name":"works","_meta":{"progressToken":"tok"}}`)
		p := members(t, (<-c.told).Params)
		assert.Equal(t, `"tok"`, string(p["progressToken"]))
		assert.Equal(t, "2", string(p["total"]))
		require.NoError(t, (<-reply).Error)
		assert.EqualValues(t, -32603, c.refused("prompts/get", `{"name":"asks"}`).Code)
		assert.Contains(t, log.String(), `imported prompt \"asks\" must return InputRequests, because its session has no client to ask; or add the prompt by FromPrompt: `)
	})
}

// A middleware that answers prompts/get for a prompt of the mount is no prompt of the server.
func TestMiddlewareThatAnswers(t *testing.T) {
	t.Parallel()
	s := newServer(nil)
	s.AddReceivingMiddleware(guard(func(method, prompt string) (mcp.Result, error) {
		if method == "prompts/get" && prompt == "a" {
			return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "cached"}}}}, nil
		}
		return nil, nil
	}))
	var log logged
	mount(t, s, registry(says("a"), says("b")), prompts.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	c := dial(t, s, newest)
	for range 2 {
		assert.Equal(t, "cached", c.text("a"))
		assert.Equal(t, "ours: b", c.text("b"))
	}
	assert.Empty(t, log.String())
	s.AddPrompt(&mcp.Prompt{Name: "a"}, ownPrompt("own: a"))
	c.must("prompts/list", "")
	assert.Contains(t, log.String(), `msg="prompt not mounted" prompt=a`)
}
