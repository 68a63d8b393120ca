package interop_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/interop/fixtures"
)

// hiddenPrompt is a prompt of the fixture that no client may see.
const hiddenPrompt = "test_prompt_with_embedded_resource"

// toolServer is a server whose prompts are tools, and what clients do there.
type toolServer struct {
	name    string
	command string // over standard input and output
	web     string // over HTTP
	flags   []string
	listed  []string // tools
	hidden  []string // what is no tool
	calls   []toolCall
	asking  toolCall // asks the user, from 2025-06-18
	logged  []string // by the server over HTTP
	// more are further steps of the client in Go.
	more func(ctx context.Context, t *testing.T, session *mcp.ClientSession, changed chan struct{})
}

// toolCall is a call of a tool and its answer: an error with a code, a result with the
// texts, or a result with isError whose first text contains that of Texts.
type toolCall struct {
	Name      string    `json:"name"`
	Arguments arguments `json:"arguments,omitempty"`
	Code      int       `json:"code,omitempty"`
	IsError   bool      `json:"isError,omitempty"`
	Texts     []string  `json:"texts,omitempty"` // or the URI or the type of other content
}

type arguments = map[string]any

const invalidParams = -32602

var (
	simple  = toolCall{Name: "test_simple_prompt", Texts: []string{"This is a simple prompt for testing."}}
	quoting = toolCall{Name: "test_prompt_with_arguments", Arguments: arguments{"arg1": "a", "arg2": "b"}, Texts: []string{"Prompt with arguments: arg1='a', arg2='b'"}}
	invalid = toolCall{
		Name: "test_prompt_with_arguments", Arguments: arguments{"arg1": 1, "arg3": "x"}, IsError: true,
		Texts: []string{"arg1 must be a string, got the number 1; arg2 is required; arg3 is not an argument of this prompt"},
	}
	image   = toolCall{Name: "test_prompt_with_image", Texts: []string{"image", "Please analyze the image above."}}
	asking  = toolCall{Name: "test_input_required_result_prompt", Texts: []string{"Context: test context"}}
	native  = toolCall{Name: fixtures.NativeTool, Texts: []string{"native"}}
	unknown = toolCall{Name: "no_such_tool", Code: invalidParams}
	hidden  = toolCall{Name: hiddenPrompt, Arguments: arguments{"resourceUri": "test://example"}, Code: invalidParams}
)

// byPair is the call of a prompt by the tool get_prompt.
func byPair(c toolCall) toolCall {
	pair := toolCall{Name: "get_prompt", Arguments: arguments{"name": c.Name}, IsError: c.IsError, Texts: c.Texts}
	if c.Arguments != nil {
		pair.Arguments["arguments"] = c.Arguments
	}
	if c.Code != 0 { // a model has chosen the name of the prompt
		pair.IsError, pair.Texts = true, []string{c.Name}
	}
	return pair
}

var toolServers = []toolServer{
	{
		name: "each", command: "fixture", web: "fixture", flags: []string{"-tools", "each", "-hide", hiddenPrompt},
		listed: []string{"test_simple_prompt", "test_prompt_with_arguments"}, hidden: []string{hiddenPrompt, "get_prompt"},
		calls: []toolCall{simple, quoting, invalid, image, unknown, hidden}, asking: asking, more: waitForTool,
	}, {
		name: "pair", command: "fixture", web: "fixture", flags: []string{"-tools", "pair", "-hide", hiddenPrompt},
		listed: []string{"list_prompts", "get_prompt"}, hidden: []string{hiddenPrompt, "test_simple_prompt"},
		calls:  []toolCall{byPair(simple), byPair(quoting), byPair(invalid), byPair(image), byPair(unknown), byPair(hidden), unknown},
		asking: byPair(asking), more: listPrompts,
	}, {
		name: "codereview", command: "codereview", web: "codereview_http", flags: []string{"-tools"},
		listed: []string{"analyze-project", "code_review", "debug-error", "explain-code", "git-commit"},
		calls: []toolCall{
			{Name: "code_review", Arguments: arguments{"code": "x := 1", "language": "go"}, Texts: []string{"Please review this code:\n```go\nx := 1\n```"}},
			{
				Name: "code_review", Arguments: arguments{"code": "x", "language": "cobol"}, IsError: true,
				Texts: []string{`language must be one of c, cpp, go, java, javascript, python, rust, typescript, got "cobol"`},
			},
			{Name: "git-commit", Arguments: arguments{"changes": "Retry."}, Texts: []string{"Generate a concise but descriptive commit message for these changes:\n\nRetry."}},
			{Name: "git-commit", IsError: true, Texts: []string{"changes is required"}},
			{Name: "explain-code", Arguments: arguments{"code": "10 GOTO 10"}, Texts: []string{"Explain how this code works:\n\n```\n10 GOTO 10\n```"}},
			{
				Name: "analyze-project", Arguments: arguments{"timeframe": "1h", "fileUri": "file:///project/network.py"},
				Texts: []string{"Analyze these system logs and the code file for any issues:\n", "logs://recent?timeframe=1h0m0s", "file:///project/network.py"},
			},
			{Name: "analyze-project", Arguments: arguments{"timeframe": "-1h", "fileUri": "file:///project/network.py"}, IsError: true, Texts: []string{"timeframe: must be longer than nothing"}},
			{Name: "debug-error", Arguments: arguments{"error": "EOF"}, Texts: []string{
				"User:\nHere's an error I'm seeing: EOF\n", "Assistant:\nI'll help analyze this error. What have you tried so far?\n",
				"User:\nI've tried restarting the service, but the error persists.",
			}},
			unknown,
		},
	},
	// The server's own tool wins over the prompt with the same name.
	{
		name: "gosdk", command: "gosdkserver", web: "gosdkserver", flags: []string{"-tools"}, logged: []string{`msg="tool not mounted"`},
		listed: []string{fixtures.NativeTool, "test_simple_prompt"}, calls: []toolCall{native, simple, quoting, invalid, unknown}, asking: asking,
	}, {
		name: "mcpgo", command: "mcpgo", web: "mcpgo", flags: []string{"-tools"}, logged: []string{"WARN tool not mounted"},
		listed: []string{fixtures.NativeTool, "test_simple_prompt"}, calls: []toolCall{native, simple, quoting, invalid, unknown}, asking: asking,
	},
}

// toolSession is what one client does. node/tools.mjs reads its JSON.
type toolSession struct {
	Name    string     `json:"name"`
	Version string     `json:"version"`
	Command []string   `json:"command,omitempty"`
	URL     string     `json:"url,omitempty"`
	Listed  []string   `json:"listed"`
	Hidden  []string   `json:"hidden"`
	Calls   []toolCall `json:"calls"`
	server  toolServer
}

// Clients of the official SDKs in Go and TypeScript that know only tools use the prompts
// of the fixture and of the example codereview, prompts that ask the user, and prompts
// that are mounted on servers of other SDKs: in every version, over standard input and
// output and HTTP. A hidden prompt is no tool.
func TestClientsThatOnlyKnowTools(t *testing.T) {
	t.Parallel()
	tools := built(t)
	tools.buildCodereviewOverHTTP(t)
	node := installNode(t)
	var sessions []toolSession
	for _, s := range toolServers {
		url := tools.startFixtureWith(t, s.web, s.flags, s.logged...)
		for _, version := range append([]string{stateless}, handshakes...) {
			session := toolSession{Version: version, Listed: s.listed, Hidden: s.hidden, Calls: slices.Clone(s.calls), server: s}
			if asking := s.asking; asking.Name != "" {
				if version < canAsk {
					asking.IsError, asking.Texts = true, []string{"elicitation"}
				}
				session.Calls = append(session.Calls, asking)
			}
			overStdio, overHTTP := session, session
			overStdio.Name, overStdio.Command = s.name+"/stdio/"+version, append([]string{tools.path(s.command)}, s.flags...)
			overHTTP.Name, overHTTP.URL = s.name+"/http/"+version, url
			sessions = append(sessions, overStdio, overHTTP)
		}
	}
	for _, s := range sessions {
		t.Run("go/"+s.Name, func(t *testing.T) { t.Parallel(); s.run(t) })
	}
	t.Run("typescript", func(t *testing.T) {
		t.Parallel()
		input, err := json.Marshal(sessions)
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), timeout)
		defer cancel()
		cmd := exec.CommandContext(ctx, node, "node/tools.mjs")
		cmd.Stdin, cmd.Stderr = strings.NewReader(string(input)), os.Stderr
		out, err := cmd.Output()
		require.NoError(t, err, "%s", out)
		said := strings.Split(strings.TrimSpace(string(out)), "\n")
		for _, s := range sessions {
			t.Run(s.Name, func(t *testing.T) { assert.Contains(t, said, "ok "+s.Name) })
		}
	})
}

// buildCodereviewOverHTTP builds the example with another main function.
func (d tools) buildCodereviewOverHTTP(t *testing.T) {
	t.Helper()
	const example = "../../examples/codereview"
	replaced, err := filepath.Abs(example + "/main.go")
	require.NoError(t, err)
	other, err := filepath.Abs("testdata/codereview_main.go.txt")
	require.NoError(t, err)
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{replaced: other}})
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "overlay.json")
	require.NoError(t, os.WriteFile(file, overlay, 0o600))
	out, err := exec.CommandContext(t.Context(), "go", "build", "-overlay", file, "-o", d.path("codereview_http"), example).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// run is the session of a client in Go.
func (s *toolSession) run(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	changed := make(chan struct{}, 100)
	client := mcp.NewClient(&mcp.Implementation{Name: "tools", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"context": "test context"}}, nil
		},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
	})
	session, err := client.Connect(ctx, s.transport(), &mcp.ClientSessionOptions{ProtocolVersion: s.Version})
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	require.Equal(t, s.Version, session.InitializeResult().ProtocolVersion)

	schemas := map[string]any{}
	for tool, err := range session.Tools(ctx, nil) {
		require.NoError(t, err)
		assert.NotContains(t, schemas, tool.Name, "listed twice")
		schemas[tool.Name] = tool.InputSchema
	}
	for _, name := range s.Listed {
		require.Contains(t, schemas, name)
		assert.Equal(t, "object", schemas[name].(map[string]any)["type"])
	}
	for _, name := range s.Hidden {
		assert.NotContains(t, schemas, name)
	}
	for _, c := range s.Calls {
		c.send(ctx, t, session)
	}
	if s.server.more != nil {
		s.server.more(ctx, t, session, changed)
	}
}

func (s *toolSession) transport() mcp.Transport {
	if s.URL != "" {
		return &mcp.StreamableClientTransport{Endpoint: s.URL}
	}
	cmd := exec.Command(s.Command[0], s.Command[1:]...)
	cmd.Stderr = os.Stderr
	return &mcp.CommandTransport{Command: cmd}
}

// send calls the tool, checks the answer, and returns the texts.
func (c toolCall) send(ctx context.Context, t *testing.T, session *mcp.ClientSession) []string {
	t.Helper()
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: c.Name, Arguments: c.Arguments})
	if e := (*jsonrpc.Error)(nil); errors.As(err, &e) {
		assert.EqualValues(t, c.Code, e.Code, "%s: %s", c.Name, e.Message)
		return nil
	}
	require.NoError(t, err, c.Name)
	texts := textsOf(t, result)
	assert.Zero(t, c.Code, "%s: %q", c.Name, texts)
	assert.Equal(t, c.IsError, result.IsError, "%s: %q", c.Name, texts)
	switch {
	case c.IsError:
		assert.Contains(t, texts[0], c.Texts[0], c.Name)
	case c.Texts != nil:
		assert.Equal(t, c.Texts, texts, c.Name)
	}
	return texts
}

// waitForTool adds a prompt, and waits for the notification of a changed list.
func waitForTool(ctx context.Context, t *testing.T, session *mcp.ClientSession, changed chan struct{}) {
	toolCall{Name: "test_trigger_prompt_change"}.send(ctx, t, session)
	select {
	case <-changed:
	case <-time.After(time.Minute):
		t.Error("no notification of a changed list of tools")
	}
}

// listPrompts gets all pages of list_prompts.
func listPrompts(ctx context.Context, t *testing.T, session *mcp.ClientSession, _ chan struct{}) {
	var names []string
	for args, more := (arguments{}), true; more; {
		var page struct {
			Prompts    []struct{ Name string }
			NextCursor string
		}
		texts := toolCall{Name: "list_prompts", Arguments: args}.send(ctx, t, session)
		require.NoError(t, json.Unmarshal([]byte(texts[0]), &page))
		for _, p := range page.Prompts {
			names = append(names, p.Name)
		}
		args["cursor"], more = page.NextCursor, page.NextCursor != ""
	}
	assert.Contains(t, names, "test_simple_prompt")
	assert.NotContains(t, names, hiddenPrompt)
}

// textsOf returns the text of each content, the URI of a resource or the type of other
// content.
func textsOf(t *testing.T, r *mcp.CallToolResult) (texts []string) {
	t.Helper()
	for _, c := range r.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			texts = append(texts, c.Text)
		case *mcp.EmbeddedResource:
			texts = append(texts, c.Resource.URI)
		case *mcp.ImageContent:
			texts = append(texts, "image")
		default:
			assert.Fail(t, "unexpected content", "%T", c)
		}
	}
	require.NotEmpty(t, texts)
	return texts
}
