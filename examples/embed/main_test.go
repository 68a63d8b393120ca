package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/prompttest"
)

const listChanged = `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}` + "\n"

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

// program returns the command that runs the program.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(os.Environ(), isProgram+"=1")
	return cmd
}

// The program has the recorded answers to the recorded session, byte for
// byte. When the notification comes among them is not fixed.
func TestSession(t *testing.T) {
	t.Parallel()
	session, err := os.Open("session.jsonl")
	require.NoError(t, err)
	defer session.Close()

	var stdout, stderr bytes.Buffer
	cmd := program(t)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = session, &stdout, &stderr
	require.NoError(t, cmd.Run())
	assert.Empty(t, stderr.String())
	answers := slices.DeleteFunc(slices.Collect(strings.Lines(stdout.String())), func(line string) bool {
		return line == listChanged
	})
	got := strings.Join(answers, "")
	if prompttest.Updating() {
		require.NoError(t, os.WriteFile("session.golden", []byte(got), 0o644))
	}
	want, err := os.ReadFile("session.golden")
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

// client is connected to a server by pipes.
type client struct {
	t   *testing.T
	in  io.WriteCloser
	out *bufio.Reader
}

// connect has s serve a client, until stop is called.
func connect(t *testing.T, s *server) (c *client, stop func()) {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := s.serve(t.Context(), inR, outW)
		_ = outW.Close()
		ended <- err
	}()
	c = &client{t: t, in: inW, out: bufio.NewReader(outR)}
	return c, func() {
		t.Helper()
		require.NoError(t, inW.Close())
		rest, err := io.ReadAll(c.out)
		require.NoError(t, err)
		assert.Empty(t, string(rest))
		require.NoError(t, <-ended)
	}
}

func (c *client) send(line string) {
	c.t.Helper()
	_, err := io.WriteString(c.in, line+"\n")
	require.NoError(c.t, err)
}

func (c *client) receive() string {
	c.t.Helper()
	line, err := c.out.ReadString('\n')
	require.NoError(c.t, err)
	return line
}

// call sends a request and returns its answer, without what all have.
func (c *client) call(method, params string) string {
	c.t.Helper()
	c.send(`{"jsonrpc":"2.0","id":"x","method":"` + method + `","params":` + params + `}`)
	answer, ok := strings.CutPrefix(c.receive(), `{"jsonrpc":"2.0","id":"x",`)
	require.True(c.t, ok)
	return strings.TrimSuffix(answer, "}\n")
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// A change is told once the client is ready, and none is lost before.
func TestListChanged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var reg prompts.Registry
		c, stop := connect(t, newServer(&reg, quiet()))
		assert.Equal(t,
			`"result":{"capabilities":{"completions":{},"prompts":{"listChanged":true},"tools":{}},"protocolVersion":"2025-11-25","serverInfo":{"name":"embed","version":"1.0.0"}}`,
			c.call("initialize", "{}"))

		const saved = `"result":{"content":[{"text":"saved","type":"text"}],"isError":false}`
		assert.Equal(t, saved, c.call("tools/call", `{"name":"save_prompt","arguments":{"name":"a","text":"A"}}`))
		assert.Equal(t, saved, c.call("tools/call", `{"name":"save_prompt","arguments":{"name":"b","text":"B"}}`))
		synctest.Wait() // and still no notification: the next message is an answer
		assert.Equal(t, `"result":{"prompts":[{"name":"a"},{"name":"b"}]}`, c.call("prompts/list", "{}"))

		c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		assert.Equal(t, listChanged, c.receive(), "one for both")

		// Somebody else changes the registry while nothing is asked.
		require.True(t, reg.Remove("a"))
		assert.Equal(t, listChanged, c.receive())
		assert.Equal(t, `"result":{"prompts":[{"name":"b"}]}`, c.call("prompts/list", "{}"))
		stop() // nothing else was sent, and synctest sees that no goroutine stays
	})
}

// What Call returns becomes this server's own errors, and what a client must
// not see goes to the log.
func TestErrors(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	reg.MustAdd(
		prompts.Prompt{
			Name:      "greet",
			Arguments: []prompts.Argument{{Name: "who", Required: true}, {Name: "tone", Enum: []string{"kind", "rude"}}},
			Render: func(_ context.Context, args map[string]string) (*prompts.Result, error) {
				return prompts.Messages(prompts.User("Greet <" + args["who"] + ">")), nil
			},
		},
		prompts.Prompt{
			Name: "broken",
			Render: func(context.Context, map[string]string) (*prompts.Result, error) {
				return nil, errors.New("the database has gone")
			},
		},
	)
	var log bytes.Buffer
	c, stop := connect(t, newServer(&reg, slog.New(slog.NewTextHandler(&log, nil))))
	for _, test := range []struct{ method, params, want string }{
		{"prompts/get", `{"name":"greet","arguments":{"who":"World & all"}}`,
			`"result":{"messages":[{"role":"user","content":{"type":"text","text":"Greet <World & all>"}}]}`},
		{"prompts/get", `{"name":"nobody"}`,
			`"error":{"code":-32602,"message":"unknown prompt \"nobody\"","data":{"prompt":"nobody"}}`},
		{"prompts/get", `{"name":"broken"}`,
			`"error":{"code":-32603,"message":"internal error: prompt \"broken\" failed (error id ID)","data":{"errorId":"ID"}}`},
		{"tools/call", `{"name":"nothing"}`,
			`"error":{"code":-32602,"message":"unknown tool"}`},
		{"resources/list", `{}`,
			`"error":{"code":-32601,"message":"method not found"}`},
		{"ping", `{}`,
			`"result":{}`},
	} {
		got := regexp.MustCompile(`[0-9a-f]{8}`).ReplaceAllString(c.call(test.method, test.params), "ID")
		assert.Equal(t, test.want, got)
	}

	// All that is wrong with the arguments, for programs.
	var failure struct {
		Code int
		Data struct {
			Prompt   string
			Problems []struct{ Argument, Reason string }
		}
	}
	answer := c.call("prompts/get", `{"name":"greet","arguments":{"tone":"odd"}}`)
	require.NoError(t, json.Unmarshal([]byte(strings.TrimPrefix(answer, `"error":`)), &failure))
	assert.Equal(t, -32602, failure.Code)
	assert.Equal(t, "greet", failure.Data.Prompt)
	assert.ElementsMatch(t, []struct{ Argument, Reason string }{{"who", "missing"}, {"tone", "enum"}}, failure.Data.Problems)

	// The server's own loop goes on after what is no message.
	c.send(`{"jsonrpc":`)
	assert.Equal(t, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"message must be a JSON object"}}`+"\n", c.receive())
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	assert.Equal(t, `"result":{}`, c.call("ping", "{}"))
	stop()
	assert.Equal(t, 1, strings.Count(log.String(), "\n"), "%s", &log)
	assert.Contains(t, log.String(), `prompt=broken error="the database has gone"`)
}

// A client that has gone is an error of this server's loop.
func TestClientGone(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	require.NoError(t, r.Close())
	var reg prompts.Registry
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	assert.ErrorIs(t, newServer(&reg, quiet()).serve(t.Context(), in, w), io.ErrClosedPipe)
}
