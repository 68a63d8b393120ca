package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
)

// This file stands for the JSON-RPC layer that a server has already. It knows
// nothing of prompts.

// method answers the requests of one method.
type method func(ctx context.Context, params json.RawMessage) (any, error)

// rpcError is an error that the client gets to see.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

func (e *rpcError) Error() string { return e.Message }

// message is any message: a request has an id and a method, a notification a
// method, an answer an id and either result or error.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

// server answers one client.
type server struct {
	methods      map[string]method
	capabilities map[string]any
	background   []func(ctx context.Context) // to run once the client is ready

	writing sync.Mutex // held to use the fields below
	out     *json.Encoder
	failure error // of the first write that has failed
}

// serve answers the requests in in, a line each and one after the other,
// until there are no more.
func (s *server) serve(ctx context.Context, in io.Reader, out io.Writer) error {
	s.out = json.NewEncoder(out)
	s.out.SetEscapeHTML(false)

	ctx, cancel := context.WithCancel(ctx)
	var background sync.WaitGroup
	ready := sync.OnceFunc(func() {
		for _, f := range s.background {
			background.Go(func() { f(ctx) })
		}
	})

	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var m message
		switch err := json.Unmarshal(lines.Bytes(), &m); {
		case err != nil:
			s.write(message{ID: json.RawMessage("null"), Error: &rpcError{Code: -32700, Message: "message must be a JSON object"}})
		case m.Method == "notifications/initialized":
			ready()
		case m.ID != nil && m.Method != "":
			s.write(s.answer(ctx, m))
		}
	}
	cancel()
	background.Wait()
	return errors.Join(lines.Err(), s.failure)
}

// answer returns the answer to a request.
func (s *server) answer(ctx context.Context, request message) message {
	m := s.methods[request.Method]
	if m == nil {
		return message{ID: request.ID, Error: &rpcError{Code: -32601, Message: "method not found"}}
	}
	result, err := m(ctx, request.Params)
	if err == nil {
		return message{ID: request.ID, Result: result}
	}
	var visible *rpcError
	if !errors.As(err, &visible) {
		visible = &rpcError{Code: -32603, Message: "internal error"}
	}
	return message{ID: request.ID, Error: visible}
}

// notify sends a notification, from any goroutine.
func (s *server) notify(method string) { s.write(message{Method: method}) }

func (s *server) write(m message) {
	m.Version = "2.0"
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.out.Encode(m); err != nil && s.failure == nil {
		s.failure = err
	}
}

// initialize is the handshake. It agrees on the one revision of the protocol
// that this server speaks.
func (s *server) initialize(context.Context, json.RawMessage) (any, error) {
	return map[string]any{
		"protocolVersion": "2025-11-25",
		"capabilities":    s.capabilities,
		"serverInfo":      map[string]any{"name": "embed", "version": "1.0.0"},
	}, nil
}
