// Embed is an MCP server with a JSON-RPC loop of its own. The loop answers the methods of its
// tools, and passes every other message to the prompts server, which takes the loop for a
// connection: see conn. Prompts so have all that the protocol has for them, in every version:
// questions to the user, progress, subscriptions and notifications of changes.
//
// The negotiated version applies to the requests of a session. A request with version 2026-07-28
// in _meta is of no session, and is served in its own version.
//
// To see it answer a recorded client session:
//
//	go run ./examples/embed < examples/embed/session.jsonl
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"log/slog"
	"os"
	"sync"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/stdio"
)

func main() {
	w := stdio.NewLogWriter(os.Stderr) // which a client may close, or never read
	s := newServer(slog.New(slog.NewTextHandler(w, nil)))
	err := s.serve(context.Background(), os.Stdin, os.Stdout)
	if _ = w.Close(); err != nil {
		log.Fatal(err)
	}
}

// conn is the connection of one client, as the prompts server sees it.
type conn struct {
	in     chan []byte   // from the loop
	closed chan struct{} // by the prompts server
	mu     sync.Mutex    // held to use out
	out    io.Writer
}

// Read returns the next message that is not the loop's own.
func (c *conn) Read(ctx context.Context) ([]byte, error) {
	select {
	case msg, ok := <-c.in:
		if !ok {
			return nil, io.EOF
		}
		return msg, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write writes messages, a line each, of the prompts server or of the loop.
func (c *conn) Write(_ context.Context, msgs ...[]byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err := c.out.Write(append(bytes.Join(msgs, []byte("\n")), '\n'))
	return err
}

func (c *conn) Close() error { close(c.closed); return nil }

// server has a loop with methods of its own, and prompts.
type server struct {
	own     map[string]func(params json.RawMessage) any
	prompts *prompts.Server
}

// serve answers the messages in in, a line each, until there are no more.
func (s *server) serve(ctx context.Context, in io.Reader, out io.Writer) error {
	c := &conn{in: make(chan []byte), closed: make(chan struct{}), out: out}
	ended := make(chan error, 1)
	go func() { ended <- s.prompts.Serve(ctx, c) }() // returns when c.in is closed
	err := s.loop(ctx, in, c)
	close(c.in)
	return errors.Join(err, <-ended)
}

func (s *server) loop(ctx context.Context, in io.Reader, c *conn) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var m struct {
			ID, Params json.RawMessage
			Method     string
		}
		_ = json.Unmarshal(lines.Bytes(), &m) // the prompts server answers an invalid message
		if own := s.own[m.Method]; own != nil && m.ID != nil {
			response, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": own(m.Params)})
			if err = errors.Join(err, c.Write(ctx, response)); err != nil {
				return err
			}
			continue
		}
		select {
		case c.in <- bytes.Clone(lines.Bytes()):
		case <-c.closed: // the client has disconnected
			return nil
		}
	}
	return lines.Err()
}

// newServer returns a server with the prompt haiku and the tool save_prompt.
func newServer(logger *slog.Logger) *server {
	reg := new(prompts.Registry)
	reg.MustAdd(prompts.NewText(prompts.Prompt{Name: "haiku", Description: "Writes a haiku"}, haiku))
	// The prompts server answers initialize and server/discover for both.
	tools := feature.Feature{Capabilities: func(string, bool) map[string]any { return map[string]any{"tools": struct{}{}} }}
	return &server{
		own: map[string]func(json.RawMessage) any{"tools/list": listTools, "tools/call": callTool(reg)},
		prompts: prompts.MustNewServer(reg, prompts.Options{
			Info: prompts.Implementation{Name: "embed", Version: "1.0.0"}, Logger: logger, Features: []feature.Feature{tools},
		}),
	}
}

// haiku asks the user for the subject.
func haiku(ctx context.Context, _ struct{}) (string, error) {
	prompts.Progress(ctx, 1, 2, "asking for the subject")
	answer, err := prompts.Elicit[struct {
		Subject string `json:"subject"`
	}](ctx, "subject", "What is the haiku about?")
	if errors.Is(err, prompts.ErrElicitationUnavailable) { // a client without forms
		answer.Subject, err = "the sea", nil
	}
	return "Write a haiku about " + answer.Subject + ".", err
}

// listTools and callTool have resultType, ttlMs and cacheScope for clients of 2026-07-28.
func listTools(json.RawMessage) any {
	return json.RawMessage(`{"tools":[{
		"name": "save_prompt",
		"description": "Saves a text as a prompt",
		"inputSchema": {
			"type": "object",
			"properties": {"name": {"type": "string"}, "text": {"type": "string"}},
			"required": ["name", "text"]
		}
	}],"resultType":"complete","ttlMs":0,"cacheScope":"private"}`)
}

func callTool(reg *prompts.Registry) func(params json.RawMessage) any {
	return func(params json.RawMessage) any {
		var call struct {
			Name      string
			Arguments struct{ Name, Text string }
		}
		err := json.Unmarshal(params, &call)
		if err == nil && call.Name != "save_prompt" {
			err = errors.New("unknown tool")
		}
		if err == nil {
			err = reg.Set(savedPrompt(call.Arguments.Name, call.Arguments.Text)) // notifies all clients
		}
		text := "saved"
		if err != nil {
			text = err.Error() // so that the model can try again
		}
		return map[string]any{"content": []any{map[string]any{"type": "text", "text": text}}, "isError": err != nil, "resultType": "complete"}
	}
}

// savedPrompt returns a prompt that is data and has no arguments.
func savedPrompt(name, text string) prompts.Prompt {
	return prompts.NewText(prompts.Prompt{Name: name}, func(context.Context, struct{}) (string, error) { return text, nil })
}
