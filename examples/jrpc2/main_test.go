package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"testing"

	"github.com/creachadair/jrpc2/channel"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/prompttest"
	"github.com/mcp-prompts/prompts/stdio"
)

// connect serves a client of the program with the prompts in reg and haiku, over lines.
func connect(t *testing.T, reg *prompts.Registry) (in io.WriteCloser, out io.Reader) {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	reg.MustAdd(prompts.NewText(prompts.Prompt{Name: "haiku"}, haiku))
	ended := make(chan error, 1)
	go func() { // ends when the client closes its input
		ended <- serve(t.Context(), prompts.MustNewServer(reg, prompts.Options{}), saving(reg), channel.Line(inR, outW))
		_ = outW.Close()
	}()
	t.Cleanup(func() {
		_ = inW.Close()
		assert.NoError(t, <-ended)
	})
	return inW, outR
}

// In every version, a client has all that the protocol has: questions, progress, errors, and the
// notification of a change by a method of the program.
func TestVersions(t *testing.T) {
	t.Parallel()
	for _, version := range prompttest.Versions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			progress := make(chan string, 10)
			in, out := connect(t, new(prompts.Registry))
			c := prompttest.NewClient(t, stdio.NewStream(out, in, stdio.Options{}), prompttest.ClientOptions{
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

			_, err := c.Call("demo/save", map[string]string{"name": "greet", "text": "Say hello."})
			require.NoError(t, err)
			c.WaitChanged()
			assert.Len(t, c.List(), 2)
			assert.Equal(t, prompts.Messages(prompts.User("Say hello.")).Messages, c.Get("greet", nil).Messages)
			e := c.GetError("limerick", nil)
			assert.Equal(t, prompts.CodeInvalidParams, e.Code)
			assert.Equal(t, map[string]any{"prompt": "limerick"}, e.Data)
			_, err = c.Call("resources/list", nil)
			assert.ErrorContains(t, err, "-32601")
			c.Close()
		})
	}
}

// session sends messages by hand.
type session struct {
	t  *testing.T
	ch channel.Channel
}

func (s *session) send(msg string) {
	s.t.Helper()
	require.NoError(s.t, s.ch.Send([]byte(msg)))
}

func (s *session) receive() string {
	s.t.Helper()
	msg, err := s.ch.Recv()
	require.NoError(s.t, err)
	return string(msg)
}

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`

// A change between the response to initialize and notifications/initialized is not lost, and
// none is sent before. A session is initialized once, and a client may cancel.
func TestSession(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	running, canceled := make(chan struct{}), make(chan struct{})
	reg.MustAdd(prompts.Prompt{Name: "wait", Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
		close(running)
		<-ctx.Done()
		close(canceled)
		return nil, ctx.Err()
	}})
	in, out := connect(t, &reg)
	s := &session{t, channel.Line(out, in)}
	s.send(initialize)
	assert.Contains(t, s.receive(), `"prompts":{"listChanged":true}`)
	s.send(initialize)
	assert.Contains(t, s.receive(), "session is already initialized")

	reg.Remove("haiku")
	s.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	assert.Equal(t, `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`, s.receive())

	s.send(`{"jsonrpc":"2.0","id":2,"method":"ping","params":{` + meta + `}}`)
	assert.Equal(t, `{"jsonrpc":"2.0","id":2,"result":{}}`, s.receive(), "the negotiated version wins, and has ping")

	s.send(`{"jsonrpc":"2.0","id":"w","method":"prompts/get","params":{"name":"wait"}}`)
	<-running
	s.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"w"}}`)
	<-canceled
	assert.Contains(t, s.receive(), `"id":"w","error"`)
	for _, msg := range []string{`{"jsonrpc":"2.0","id":9,"method":"rpc.serverInfo"}`, `{"jsonrpc":"2.0","id":9,"method":"no/such"}`} {
		s.send(msg)
		assert.Contains(t, s.receive(), fmt.Sprintf(`"code":%d`, prompts.CodeMethodNotFound))
	}
}
