// Jrpc2 is an MCP server on a JSON-RPC library that reads messages and looks up methods itself:
// github.com/creachadair/jrpc2. It passes each request that is not its own to Server.Call, which
// answers every method of the protocol in every version. What is left to the program is the
// state of one client, in type peer: the result of initialize, and the notifications.
//
// After initialize, the negotiated version wins over a version in _meta. Without initialize, each
// request has its version in _meta.
//
// Type messages, a line each:
//
//	go -C examples/jrpc2 run .
//	{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"haiku","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}}
package main

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"os"
	"sync"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
	"github.com/creachadair/jrpc2/handler"

	"github.com/mcp-prompts/prompts"
)

func main() {
	var reg prompts.Registry
	reg.MustAdd(prompts.NewText(prompts.Prompt{Name: "haiku", Description: "Writes a haiku"}, haiku))
	srv := prompts.MustNewServer(&reg, prompts.Options{Info: prompts.Implementation{Name: "jrpc2", Version: "1.0.0"}})
	if err := serve(context.Background(), srv, saving(&reg), channel.Line(os.Stdin, os.Stdout)); err != nil {
		log.Fatal(err)
	}
}

// saving returns the program's own method, which changes the list of prompts.
func saving(reg *prompts.Registry) handler.Map {
	return handler.Map{"demo/save": handler.New(func(_ context.Context, p struct{ Name, Text string }) (struct{}, error) {
		return struct{}{}, reg.Set(prompts.NewText(prompts.Prompt{Name: p.Name}, func(context.Context, struct{}) (string, error) { return p.Text, nil }))
	})}
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

// serve serves one client until it disconnects.
func serve(ctx context.Context, srv *prompts.Server, own handler.Map, ch channel.Channel) error {
	ctx, cancel := context.WithCancel(ctx)
	ready := make(chan struct{})
	p := &peer{server: srv, own: own, ctx: ctx, ready: ready, setReady: sync.OnceFunc(func() { close(ready) })}
	err := jrpc2.NewServer(p, &jrpc2.ServerOptions{
		AllowPush:      true,                                  // notifications, and questions to the user
		Concurrency:    1000,                                  // a subscription or a question occupies a handler for long
		DisableBuiltin: true,                                  // no method that MCP does not have
		NewContext:     func() context.Context { return ctx }, // of all requests
	}).Start(ch).Wait()
	cancel()
	p.listening.Wait()
	return err
}

// peer is one client.
type peer struct {
	server    *prompts.Server
	own       handler.Map
	ctx       context.Context // ends with the connection
	ready     <-chan struct{} // closed by notifications/initialized
	setReady  func()
	listening sync.WaitGroup

	mu     sync.Mutex          // protects the field below
	client prompts.CallOptions // of the session; zero before initialize, and in 2026-07-28
}

// Assign makes a peer a jrpc2.Assigner.
func (p *peer) Assign(ctx context.Context, method string) jrpc2.Handler {
	if own := p.own.Assign(ctx, method); own != nil {
		return own
	}
	return p.handle
}

// handle answers a request by the prompts server.
func (p *peer) handle(ctx context.Context, r *jrpc2.Request) (any, error) {
	s := jrpc2.ServerFromContext(ctx)
	if r.IsNotification() {
		p.notified(s, r)
		return nil, nil
	}
	p.mu.Lock()
	o := p.client
	p.mu.Unlock()
	o.ID = r.ID()
	o.Notify = func(method string, params json.RawMessage) { _ = s.Notify(ctx, method, params) }
	o.Request = func(ctx context.Context, method string, params json.RawMessage) (result json.RawMessage, err error) {
		response, err := s.Callback(ctx, method, params)
		if err == nil {
			err = response.UnmarshalResult(&result)
		}
		return result, err
	}
	var params json.RawMessage
	if r.HasParams() {
		params = json.RawMessage(r.ParamString())
	}
	result, err := p.server.Call(ctx, r.Method(), params, o)
	if e := (*prompts.Error)(nil); errors.As(err, &e) {
		data, _ := e.Data.(json.RawMessage)
		return nil, &jrpc2.Error{Code: jrpc2.Code(e.Code), Message: e.Message, Data: data}
	}
	if err == nil && r.Method() == "initialize" {
		err = p.initialized(s, params, result)
	}
	return result, err
}

// initialized keeps what the session's later requests need, and subscribes to changes. The
// client gets the response afterwards, so that it misses no change.
func (p *peer) initialized(s *jrpc2.Server, params, result json.RawMessage) error {
	var sent struct{ Capabilities, ClientInfo json.RawMessage }
	var negotiated struct{ ProtocolVersion string }
	if err := errors.Join(json.Unmarshal(params, &sent), json.Unmarshal(result, &negotiated)); err != nil {
		return err
	}
	p.mu.Lock()
	p.client = prompts.CallOptions{Version: negotiated.ProtocolVersion, ClientCapabilities: sent.Capabilities, ClientInfo: sent.ClientInfo}
	p.mu.Unlock()

	listening, isListening := context.WithCancel(p.ctx)
	p.listening.Go(func() { // returns when the connection ends
		defer isListening()
		_, _ = p.server.Call(p.ctx, "subscriptions/listen", []byte(`{"notifications":{"promptsListChanged":true}}`), prompts.CallOptions{
			Version: "2026-07-28",
			Notify: func(method string, _ json.RawMessage) {
				if isListening(); method == "notifications/subscriptions/acknowledged" {
					return
				}
				select {
				case <-p.ready:
					_ = s.Notify(p.ctx, method, nil)
				case <-p.ctx.Done():
				}
			},
		})
	})
	<-listening.Done()
	return nil
}

// notified acts on a notification of the client.
func (p *peer) notified(s *jrpc2.Server, r *jrpc2.Request) {
	switch r.Method() {
	case "notifications/initialized":
		p.setReady()
	case "notifications/cancelled":
		var c struct{ RequestID json.RawMessage }
		if r.UnmarshalParams(&c) == nil {
			s.CancelRequest(string(c.RequestID))
		}
	}
}
