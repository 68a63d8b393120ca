package interop_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAISDK drives the MCP client of Vercel's AI SDK, in each version and over each transport
// that the client has.
func TestAISDK(t *testing.T) {
	t.Parallel()
	tools := built(t)
	node := installNode(t)
	for _, revision := range []string{stateless, newest} {
		want := wanted(revision)
		for _, check := range []string{"ping", "list-changed"} { // unknown to the client
			delete(want, check)
		}
		for _, check := range []string{"progress", "cancel"} {
			want[check] = "SKIP"
		}
		args := []string{"node/ai.mjs", "--expect-version", revision}
		if revision != stateless {
			args = append(args, "--protocol-version", revision)
		}
		t.Run(revision+"/stdio", func(t *testing.T) {
			t.Parallel()
			session := tools.drive(t, "fixture", want, node, args...)
			verifyOpening(t, session, revision)
			verifyQuestions(t, session, revision)
		})
		t.Run(revision+"/HTTP", func(t *testing.T) {
			t.Parallel()
			url := tools.startFixture(t, "fixture")
			runDriver(t, want, node, append(slices.Clone(args), "--config", "fixture.json", "--url", url)...)
		})
	}
}

// TestCommandLineClients runs clients with which people try a server: the command-line client
// of the MCP Inspector, in each of its eras of the protocol, and @wong2/mcp-cli. Each request is
// a session of its own, and every message of the server is as the specification's schemas say.
func TestCommandLineClients(t *testing.T) {
	t.Parallel()
	tools := built(t)
	node := installNode(t)
	const (
		two   = "test_prompt_with_arguments"
		image = "test_prompt_with_image"
	)
	for _, c := range []struct {
		client, era, version string
		method, name         string
		args                 map[string]string
		want                 string // in the output
		fails                bool
	}{
		{"inspector", "modern", stateless, "prompts/list", "", nil, image, false},
		{"inspector", "modern", stateless, "prompts/get", two, map[string]string{"arg1": `héllo "q"`, "arg2": "two words"}, `arg1='héllo \"q\"', arg2='two words'`, false},
		{"inspector", "modern", stateless, "prompts/get", two, map[string]string{"arg1": "a"}, "arg2 is required", true},
		{"inspector", "modern", stateless, "tools/call", two, map[string]string{"arg1": "a", "arg2": "b"}, "arg1='a', arg2='b'", false},
		{"inspector", "auto", stateless, "prompts/get", image, nil, "image/png", false},
		{"inspector", "legacy", newest, "prompts/list", "", nil, image, false},
		{"inspector", "legacy", newest, "prompts/get", two, map[string]string{"arg1": "a", "arg2": "b"}, "arg1='a', arg2='b'", false},
		{"inspector", "legacy", newest, "prompts/get", "no_such_prompt", nil, "no_such_prompt", true},
		{"mcp-cli", "", newest, "prompts/get", two, map[string]string{"arg1": `héllo "q"`, "arg2": "two words"}, `arg1='héllo \"q\"', arg2='two words'`, false},
		{"mcp-cli", "", newest, "prompts/get", two, map[string]string{"arg1": "a"}, "arg2 is required", true},
		{"mcp-cli", "", newest, "tools/call", image, nil, "image/png", false},
		{"mcp-cli", "", newest, "tools/call", "no_such_tool", nil, "no_such_tool", true},
	} {
		run := func(t *testing.T, server ...string) {
			command := inspector(c.era, c.method, c.name, c.args, server)
			if c.client == "mcp-cli" {
				command = mcpCLI(t, c.method, c.name, c.args, server)
			}
			ctx, cancel := context.WithTimeout(t.Context(), timeout)
			defer cancel()
			cmd := exec.CommandContext(ctx, node, command...)
			cmd.Env = append(os.Environ(), "HOME="+t.TempDir()) // in which the clients keep files
			out, err := cmd.CombinedOutput()
			assert.Equal(t, c.fails, err != nil, "%v\n%s", err, out)
			assert.Contains(t, string(out), c.want)
		}
		name := strings.Join([]string{c.client, c.era, c.method, c.name, strconv.Itoa(len(c.args))}, " ")
		t.Run(name+"/stdio", func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "session.txt")
			run(t, tools.path("record"), file, tools.path("fixture"), "-tools", "each")
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			session := parseRecording(t, string(text))
			assert.Positive(t, judge(t, string(text)), "the server says nothing")
			verifyOpening(t, session, c.version)
			assert.NotEmpty(t, session.calls(client, c.method), "%s", session)
		})
		if c.method == "prompts/list" {
			t.Run(name+"/HTTP", func(t *testing.T) {
				t.Parallel()
				run(t, tools.startFixture(t, "fixture"))
			})
		}
	}
}

// inspector returns the arguments of node for a request of the Inspector's client to a command,
// or to a URL.
func inspector(era, method, name string, args map[string]string, server []string) []string {
	command := []string{"--import", "./conformance/node20-shim.mjs", "node/node_modules/@modelcontextprotocol/inspector/clients/cli/build/index.js",
		"--protocol-era", era, "--format", "json", "--quiet", "--method", method}
	kind := map[string]string{"prompts/get": "prompt", "tools/call": "tool"}[method]
	if kind != "" {
		command = append(command, "--"+kind+"-name", name)
	}
	for k, v := range args {
		command = append(command, map[string]string{"prompt": "--prompt-args", "tool": "--tool-arg"}[kind], k+"="+v)
	}
	if len(server) == 1 {
		return append(command, "--transport", "http", "--server-url", server[0])
	}
	return slices.Concat(command, []string{"--transport", "stdio", "--"}, server)
}

// mcpCLI is inspector for @wong2/mcp-cli, which without a user gets prompts and calls tools, of
// servers on standard input and output.
func mcpCLI(t *testing.T, method, name string, args map[string]string, server []string) []string {
	t.Helper()
	config, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"fixture": map[string]any{"command": server[0], "args": server[1:]}}})
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "config.json")
	require.NoError(t, os.WriteFile(file, config, 0o600))
	values, err := json.Marshal(args)
	require.NoError(t, err)
	if args == nil {
		values = []byte("{}")
	}
	command := map[string]string{"prompts/get": "get-prompt", "tools/call": "call-tool"}[method]
	return []string{"node/node_modules/@wong2/mcp-cli/src/cli.js", "--config", file, command, "fixture:" + name, "--args", string(values)}
}
