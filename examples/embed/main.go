// Embed is an MCP server with a JSON-RPC layer of its own, into which the
// prompts methods are mounted with Server.Call. Reading, writing and the
// handshake are that layer's, in rpc.go; function mount, below, is all that
// it takes to add prompts. One of the server's tools saves a prompt, so the
// list of prompts changes while a client is connected.
//
// To see it answer a recorded client session:
//
//	go run ./examples/embed < examples/embed/session.jsonl
package main

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"log/slog"
	"maps"
	"os"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/stdio"
)

func main() {
	w := stdio.NewLogWriter(os.Stderr) // which a client may close, or never read
	var reg prompts.Registry
	err := newServer(&reg, slog.New(slog.NewTextHandler(w, nil))).serve(context.Background(), os.Stdin, os.Stdout)
	if _ = w.Close(); err != nil {
		log.Fatal(err)
	}
}

// newServer returns a server that has tools, and the registry's prompts.
func newServer(reg *prompts.Registry, logger *slog.Logger) *server {
	s := &server{capabilities: map[string]any{"tools": struct{}{}}}
	s.methods = map[string]method{
		"initialize": s.initialize,
		"ping":       func(context.Context, json.RawMessage) (any, error) { return struct{}{}, nil },
		"tools/list": listTools,
		"tools/call": callTool(reg),
	}
	mount(s, reg, prompts.MustNewServer(reg, prompts.Options{Logger: logger}))
	return s
}

// mount adds prompts to a server: methods, capabilities and a notification.
func mount(s *server, reg *prompts.Registry, srv *prompts.Server) {
	for _, name := range srv.Methods() {
		s.methods[name] = func(ctx context.Context, params json.RawMessage) (any, error) {
			result, err := srv.Call(ctx, name, params, prompts.CallOptions{})
			if err != nil {
				return nil, ownError(err)
			}
			return result, nil
		}
	}
	maps.Copy(s.capabilities, srv.Capabilities("2025-11-25"))

	// The capabilities promise notifications about changes. The subscription
	// is made now, so that no change is missed; it holds one message at most,
	// however many changes there were.
	changed, cancel := reg.Subscribe()
	s.background = append(s.background, func(ctx context.Context) {
		defer cancel()
		for {
			select {
			case <-changed:
				s.notify("notifications/prompts/list_changed")
			case <-ctx.Done():
				return
			}
		}
	})
}

// ownError turns an error of Call into one of this server's own. A client may
// see all that is in it: Call has kept the rest for the logger.
func ownError(err error) error {
	var e *prompts.Error
	if !errors.As(err, &e) {
		return err
	}
	return &rpcError{Code: int(e.Code), Message: e.Message, Data: e.Data}
}

func listTools(context.Context, json.RawMessage) (any, error) {
	return json.RawMessage(`{"tools":[{
		"name": "save_prompt",
		"description": "Saves a text as a prompt",
		"inputSchema": {
			"type": "object",
			"properties": {"name": {"type": "string"}, "text": {"type": "string"}},
			"required": ["name", "text"]
		}
	}]}`), nil
}

// callTool returns the method tools/call, with the one tool save_prompt.
func callTool(reg *prompts.Registry) method {
	return func(_ context.Context, params json.RawMessage) (any, error) {
		var call struct {
			Name      string
			Arguments struct{ Name, Text string }
		}
		if err := json.Unmarshal(params, &call); err != nil || call.Name != "save_prompt" {
			return nil, &rpcError{Code: -32602, Message: "unknown tool"}
		}
		text, failed := "saved", false
		if err := reg.Set(savedPrompt(call.Arguments.Name, call.Arguments.Text)); err != nil {
			text, failed = err.Error(), true // the error of the tool, so that the model can try again
		}
		return map[string]any{
			"content": []any{map[string]any{"type": "text", "text": text}},
			"isError": failed,
		}, nil
	}
}

// savedPrompt returns a prompt that is data and has no arguments.
func savedPrompt(name, text string) prompts.Prompt {
	return prompts.Prompt{
		Name: name,
		Render: func(context.Context, map[string]string) (*prompts.Result, error) {
			return prompts.Messages(prompts.User(text)), nil
		},
	}
}
