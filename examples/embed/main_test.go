package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/prompttest"
	"github.com/mcp-prompts/prompts/stdio"
)

// isProgram is the variable that makes the test binary the program itself, which saves
// building it.
const isProgram = "TEST_IS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(isProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// The program has the recorded answers to the recorded session, byte for byte, in any order.
func TestSession(t *testing.T) {
	t.Parallel()
	session, err := os.Open("session.jsonl")
	require.NoError(t, err)
	defer session.Close()

	self, err := os.Executable()
	require.NoError(t, err)
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), isProgram+"=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = session, &stdout, &stderr
	require.NoError(t, cmd.Run())
	assert.Empty(t, stderr.String())
	answers := slices.DeleteFunc(slices.Sorted(strings.Lines(stdout.String())), func(line string) bool {
		return strings.Contains(line, "list_changed\"}")
	})
	got := strings.Join(answers, "")
	if prompttest.Updating() {
		require.NoError(t, os.WriteFile("session.golden", []byte(got), 0o644))
	}
	want, err := os.ReadFile("session.golden")
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

// connect returns a client of the loop.
func connect(t *testing.T, o prompttest.ClientOptions) *prompttest.Client {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ended := make(chan error, 1)
	go func() { // ends when the client closes its input
		err := newServer(slog.New(slog.DiscardHandler)).serve(t.Context(), inR, outW)
		_ = outW.Close()
		ended <- err
	}()
	c := prompttest.NewClient(t, stdio.NewStream(outR, inW, stdio.Options{}), o)
	t.Cleanup(func() {
		c.Close()
		assert.NoError(t, <-ended)
	})
	return c
}

// In every version, a client has all that the protocol has: questions, progress, errors, and the
// notification of a prompt that a tool of the loop has saved.
func TestVersions(t *testing.T) {
	t.Parallel()
	for _, version := range prompttest.Versions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			progress := make(chan string, 10)
			c := connect(t, prompttest.ClientOptions{
				Version: version,
				Answer:  func(prompttest.Question) any { return prompttest.Accept(map[string]any{"subject": "Go"}) },
				OnNotification: func(method string, params json.RawMessage) {
					if method == "notifications/progress" {
						progress <- string(params)
					}
				},
			})
			c.Listen()
			want := "Write a haiku about Go."
			if version < "2025-06-18" { // the first version with questions
				want = "Write a haiku about the sea."
			}
			assert.Equal(t, prompts.Messages(prompts.User(want)).Messages, c.Get("haiku", nil).Messages)
			assert.Contains(t, <-progress, `"progress":1`)

			_, err := c.Call("tools/call", map[string]any{
				"name": "save_prompt", "arguments": map[string]string{"name": "greet", "text": "Say hello.\n"},
			})
			require.NoError(t, err)
			c.WaitChanged()
			assert.Len(t, c.List(), 2)
			prompttest.Golden(t, "testdata/greet.golden", c.Get("greet", nil))
			assert.Equal(t, prompts.CodeInvalidParams, c.GetError("limerick", nil).Code)
			_, err = c.Call("resources/list", nil)
			assert.ErrorContains(t, err, "-32601")
		})
	}
}

// A request in a session that names a version is served in that version.
func TestVersionOfRequest(t *testing.T) {
	t.Parallel()
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	var out bytes.Buffer
	require.NoError(t, newServer(slog.New(slog.DiscardHandler)).serve(t.Context(), strings.NewReader(strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"prompts/list","params":{` + meta + `}}`,
		`{"jsonrpc":"2.0","id":3,"method":"prompts/list"}`,
	}, "\n")), &out))
	for line := range strings.Lines(out.String()) {
		assert.Equal(t, strings.Contains(line, `"id":2`), strings.Contains(line, `"resultType":"complete"`), line)
	}
	assert.Equal(t, 3, strings.Count(out.String(), "\n"))
}

// A client that has disconnected ends the loop, with more messages to come.
func TestDisconnected(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	require.NoError(t, r.Close())
	messages := strings.NewReader(strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n", 100))
	s := newServer(slog.New(slog.DiscardHandler))
	assert.NoError(t, s.serve(t.Context(), messages, w))
	assert.ErrorIs(t, s.serve(t.Context(), strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`), w), io.ErrClosedPipe)
	assert.ErrorContains(t, s.serve(context.Background(), strings.NewReader(strings.Repeat("x", 5<<20)), io.Discard), "too long")
}

// A saved prompt renders its text alone, and the text names no tool that does not exist.
func TestDeclaration(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	reg.MustAdd(savedPrompt("greet", "Say hello with the `save_prompt` tool."))
	prompttest.CheckArguments(t, &reg, prompttest.CheckOptions{})
	prompttest.CheckTools(t, &reg, prompttest.CheckOptions{}, "save_prompt")
	prompttest.CheckPortable(t, &reg, prompttest.CheckOptions{})
}
