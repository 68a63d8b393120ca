package mcpgo_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/mount/mcpgo"
	"github.com/mcp-prompts/prompts/prompttools"
)

func nativeTool(s *server.MCPServer, name string) {
	s.AddTool(mcp.NewTool(name), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("native"), nil
	})
}

func (w *wire) toolNames() []string {
	w.t.Helper()
	var list struct{ Tools []struct{ Name string } }
	decode(w.t, w.do("tools/list", `{}`).Result, &list)
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
	for _, version := range mcp.ValidProtocolVersions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			s := server.NewMCPServer("s", "1", server.WithToolCapabilities(true))
			nativeTool(s, "native")
			r := new(prompts.Registry)
			r.MustAdd(says("a", "ours"), says("secret", "x"), prompts.NewText(prompts.Prompt{Name: "lines"}, func(_ context.Context, in struct {
				Lines int    `json:"lines" minimum:"1"`
				Tone  string `json:"tone,omitempty" default:"kind"`
			}) (string, error) {
				return string(rune('a'+in.Lines)) + " " + in.Tone, nil
			}))
			tools, err := prompttools.New(r, prompttools.Options{Select: func(prompts.Prompt) bool { return true }})
			require.NoError(t, err)
			unmount := mount(t, s, r, prompts.Options{Features: []feature.Feature{tools}, Visible: func(_ context.Context, p prompts.Prompt) (bool, error) { return p.Name != "secret", nil }})
			w := dial(t, s, version)
			assert.Equal(t, []string{"a", "lines", "native"}, w.toolNames())
			assert.Contains(t, string(w.do("tools/list", `{}`).Result), `"minimum":1`)
			assert.Contains(t, string(w.do("tools/call", `{"name":"a"}`).Result), "ours")
			assert.Contains(t, string(w.do("tools/call", `{"name":"native"}`).Result), "native")
			assert.Contains(t, string(w.do("tools/call", `{"name":"lines","arguments":{"lines":2}}`).Result), `"c kind"`)
			assert.Contains(t, string(w.do("tools/call", `{"name":"lines","arguments":{"lines":2,"tone":null}}`).Result), `"c kind"`, "GAP-18")
			assert.Contains(t, string(w.do("tools/call", `{"name":"lines","arguments":{"lines":null}}`).Result), "lines is required", "GAP-18")
			wrong := string(w.do("tools/call", `{"name":"lines","arguments":{"lines":0}}`).Result)
			assert.Contains(t, wrong, `"isError":true`)
			assert.Contains(t, wrong, "lines must be at least 1, got 0")
			hidden, missing := w.do("tools/call", `{"name":"secret"}`), w.do("tools/call", `{"name":"misses"}`)
			require.NotNil(t, hidden.Error)
			assert.Equal(t, missing.Error.Code, hidden.Error.Code)
			assert.Equal(t, "tool 'secret' not found: tool not found", hidden.Error.Message)

			r.MustAdd(says("late", ""))
			r.Remove("a")
			require.Eventually(t, func() bool { return assert.ObjectsAreEqual([]string{"late", "lines", "native"}, w.toolNames()) }, time.Minute, 10*time.Millisecond)
			unmount()
			assert.Equal(t, []string{"native"}, w.toolNames())
		})
	}
}

// CCH-07: a list that depends on the client is private, whatever the server's options say.
func TestListsOfVisibleArePrivate(t *testing.T) {
	t.Parallel()
	for _, version := range mcp.ValidProtocolVersions {
		s := server.NewMCPServer("s", "1", server.WithToolCapabilities(true), server.WithCacheHints(5000, mcp.CacheScopePublic))
		r := new(prompts.Registry)
		r.MustAdd(says("a", "ours"))
		tools, err := prompttools.New(r, prompttools.Options{Names: []string{"a"}})
		require.NoError(t, err)
		unmount := mount(t, s, r, prompts.Options{Features: []feature.Feature{tools}, Visible: func(context.Context, prompts.Prompt) (bool, error) { return true, nil }})
		w := dial(t, s, version)
		for _, method := range []string{"prompts/list", "tools/list"} {
			text := string(w.do(method, `{}`).Result)
			assert.NotContains(t, text, "public", version)
			assert.Equal(t, version == stateless, strings.Contains(text, `"ttlMs":0,"cacheScope":"private"`), text)
		}
		unmount()
		assert.Equal(t, version == stateless, strings.Contains(string(w.do("prompts/list", `{}`).Result), "public"), version)
	}
}

// A tool that the server has already is an error, and nothing changes.
func TestToolsThatClash(t *testing.T) {
	t.Parallel()
	s := server.NewMCPServer("s", "1", server.WithToolCapabilities(true))
	nativeTool(s, "a")
	r := new(prompts.Registry)
	r.MustAdd(says("a", "ours"), says("b", ""))
	tools, err := prompttools.New(r, prompttools.Options{Names: []string{"a", "b"}})
	require.NoError(t, err)
	_, err = mcpgo.Mount(s, r, mcpgo.Options{Server: prompts.Options{Features: []feature.Feature{tools}}})
	require.ErrorIs(t, err, prompts.ErrExists)
	assert.ErrorContains(t, err, `tool "a"`)
	w := dial(t, s, "2025-11-25")
	assert.Equal(t, []string{"a"}, w.toolNames())
	assert.Contains(t, string(w.do("tools/call", `{"name":"a"}`).Result), "native")
}

// A tool that the server gets later under the name of one of the registry wins: all
// clients see it, and neither the next change nor unmount deletes it.
func TestToolsOfTheServerWin(t *testing.T) {
	t.Parallel()
	s := server.NewMCPServer("s", "1", server.WithToolCapabilities(true))
	r := new(prompts.Registry)
	r.MustAdd(says("hidden", ""), says("gone", ""), says("own", ""))
	tools, err := prompttools.New(r, prompttools.Options{Select: func(prompts.Prompt) bool { return true }})
	require.NoError(t, err)
	unmount := mount(t, s, r, prompts.Options{Features: []feature.Feature{tools}, Visible: func(_ context.Context, p prompts.Prompt) (bool, error) { return p.Name == "late", nil }})
	w := dial(t, s, "2025-11-25")
	assert.Empty(t, w.toolNames())
	nativeTool(s, "hidden")
	nativeTool(s, "gone")
	assert.Equal(t, []string{"gone", "hidden"}, w.toolNames())
	assert.Contains(t, string(w.do("tools/call", `{"name":"hidden"}`).Result), "native")
	r.Remove("gone")
	r.MustAdd(says("late", ""))
	require.Eventually(t, func() bool { return assert.ObjectsAreEqual([]string{"gone", "hidden", "late"}, w.toolNames()) }, timeout, time.Millisecond)
	unmount()
	assert.Equal(t, []string{"gone", "hidden"}, w.toolNames())
}

// A prompt that asks the user does so from a tool, too: in a session while the call
// waits, in 2026-07-28 by input_required.
func TestToolsThatAsk(t *testing.T) {
	t.Parallel()
	s := server.NewMCPServer("s", "1", server.WithToolCapabilities(true))
	r := new(prompts.Registry)
	r.MustAdd(prompts.Prompt{Name: "asks", Render: asks})
	tools, err := prompttools.New(r, prompttools.Options{Names: []string{"asks"}})
	require.NoError(t, err)
	mount(t, s, r, prompts.Options{Features: []feature.Feature{tools}})
	accepts := elicitor(func(mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
		return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: "accept", Content: map[string]any{"name": "Ada"}}}, nil
	})
	declines := elicitor(func(mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
		return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: "decline"}}, nil
	})
	for _, version := range []string{"2025-06-18", "2025-11-25"} {
		assert.Contains(t, string(dial(t, s, version, accepts).result("tools/call", `{"name":"asks"}`, nil)), "Hello, Ada")
		declined := string(dial(t, s, version, declines).result("tools/call", `{"name":"asks"}`, nil))
		assert.Contains(t, declined, `"isError":true`)
		assert.Contains(t, declined, `"action":"decline"`)
	}
	old := string(dial(t, s, "2025-03-26", accepts).result("tools/call", `{"name":"asks"}`, nil))
	assert.Contains(t, old, `"isError":true`)

	w := dial(t, s, stateless)
	var first struct {
		ResultType, RequestState string
		InputRequests            map[string]json.RawMessage
	}
	w.result("tools/call", `{"name":"asks"}`, &first)
	assert.Equal(t, "input_required", first.ResultType)
	assert.Contains(t, string(first.InputRequests["who"]), "Who?")
	assert.NotEmpty(t, first.RequestState)
	retry := fmt.Sprintf(`{"name":"asks","requestState":%q,"inputResponses":{"who":{"action":"accept","content":{"name":"Ada"}}}}`, first.RequestState)
	assert.Contains(t, string(w.result("tools/call", retry, nil)), "Hello, Ada")
}

// A registry that was unmounted is not kept in memory by the server, although its
// tools had a filter.
func TestUnmountedToolsAreCollected(t *testing.T) {
	t.Parallel()
	s := server.NewMCPServer("s", "1", server.WithToolCapabilities(true))
	nativeTool(s, "native")
	collected := make(chan struct{})
	func() {
		r := new(prompts.Registry)
		r.MustAdd(says("a", "ours"))
		tools, err := prompttools.New(r, prompttools.Options{Names: []string{"a"}})
		require.NoError(t, err)
		unmount, err := mcpgo.Mount(s, r, mcpgo.Options{Server: prompts.Options{Features: []feature.Feature{tools}, Visible: func(context.Context, prompts.Prompt) (bool, error) { return true, nil }}})
		require.NoError(t, err)
		unmount()
		runtime.AddCleanup(r, func(c chan struct{}) { close(c) }, collected)
	}()
	require.Eventually(t, func() bool {
		runtime.GC()
		select {
		case <-collected:
			return true
		default:
			return false
		}
	}, timeout, time.Millisecond)
	assert.Equal(t, []string{"native"}, dial(t, s, "2025-11-25").toolNames())
}

// A tool that the server gets after the mount, with the name of one of the mount, is logged once.
func TestReplacedTool(t *testing.T) {
	t.Parallel()
	s := server.NewMCPServer("s", "1", server.WithToolCapabilities(true))
	r := new(prompts.Registry)
	r.MustAdd(says("a", "ours"), says("b", "ours"))
	tools, err := prompttools.New(r, prompttools.Options{Select: func(prompts.Prompt) bool { return true }})
	require.NoError(t, err)
	var log lockedBuffer
	mount(t, s, r, prompts.Options{Features: []feature.Feature{tools}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	w := dial(t, s, "2025-06-18")
	w.toolNames()
	assert.Empty(t, log.String())
	nativeTool(s, "a")
	for range 2 {
		assert.Equal(t, []string{"a", "b"}, w.toolNames())
	}
	assert.Equal(t, 1, strings.Count(log.String(), `msg="tool not mounted" error="mcpgo: tool \"a\" exists on the server, too: the list has the server's entry, and the server's tool answers; rename one of the two"`), log.String())
	assert.Equal(t, 1, strings.Count(log.String(), "\n"), log.String())
}
