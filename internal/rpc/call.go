package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/telemetry"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/observe"
	"github.com/mcp-prompts/prompts/transport"
)

// This file answers requests for another JSON-RPC layer, such as another SDK.

// CallOptions describe the client of a [Server.Call]. The other layer has negotiated Version,
// Capabilities and Info with its client.
type CallOptions struct {
	Version      string          // empty for 2025-11-25
	Capabilities json.RawMessage // a JSON object; empty for none
	Info         wire.ClientInfo // of a stateful client
	// Request, if not nil, sends the client a request and returns the result.
	Request func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	// Notify, if not nil, sends the client a notification.
	Notify func(method string, params json.RawMessage)
	// Overdue, if not nil, is called when the code continues after its time limit.
	Overdue func()
	// ID and Session are those of the request, and Conn describes the connection.
	// They are for the observer and the middleware.
	ID, Session string
	Conn        transport.Info
	ClientKey   string // as that of a transport.Exchange; empty for Session
}

func (o *CallOptions) informer() transport.Informer {
	if o.Conn == (transport.Info{}) {
		return nil
	}
	return fixed(o.Conn)
}

// Call answers one request for another JSON-RPC layer. It returns the result,
// or a [*transport.Error] for the client. If ctx ends first, it returns the cause.
//
// The application's code runs on a goroutine of its own: Call returns at the
// time limit and at the end of ctx, even if the code continues.
//
// A Call has no session here and no id in flight: the end of ctx is its cancellation.
func (s *Server) Call(ctx context.Context, name string, params json.RawMessage, o CallOptions) (json.RawMessage, error) {
	if o.ClientKey == "" && o.Session != "" {
		o.ClientKey = secretKey + o.Session // which is only compared
	}
	if o.Session != "" {
		o.Session = s.sessionID(o.Session)
	}
	c := &Call{engine: s.engine, Rev: revision.NewestStateful(), info: o.Info, conn: o.informer(), sessionID: o.Session, from: o.ClientKey}
	c.Message.ID = o.ID
	c.observed = s.observeCall(ctx, name, params, o)
	result, err := s.answerCall(ctx, c, name, params, o)
	c.observed.EndCall(result, err) // unless a task has it
	return result, err
}

// observeCall starts the operation of a Call.
func (s *Server) observeCall(ctx context.Context, method string, params []byte, o CallOptions) *telemetry.Operation {
	if s.observer == nil {
		return nil
	}
	op := s.observer.Start(ctx, observe.KindRequest, len(params), o.informer())
	// An observer makes metrics by method, which names that clients invent would multiply.
	if s.methods[method] != nil {
		op.SetMethod(method)
	}
	op.SetID(o.ID)
	op.InSession(o.Session, "")
	return op
}

// answerCall is Call but for the observer. A [*transport.Error] is for the client. Any other
// error is about the options, and is for the author of the calling SDK.
func (s *Server) answerCall(ctx context.Context, c *Call, name string, params json.RawMessage, o CallOptions) (json.RawMessage, error) {
	m := s.methods[name]
	if m == nil || !m.callable {
		return nil, wire.MethodNotFound(name)
	}
	if o.Version != "" {
		var ok bool
		if c.Rev, ok = revision.Parse(o.Version); !ok {
			return nil, fmt.Errorf("prompts: unknown protocol version %q", phrase.Clip(o.Version, phrase.MaxEcho))
		}
	}
	doc := wire.GetDoc()
	// The document goes back when this function returns, possibly before the application's
	// code does. The work therefore keeps no parsed value: see Call.
	defer wire.PutDoc(doc)
	if len(o.Capabilities) > 0 {
		if err := doc.Parse(string(o.Capabilities), jsonenc.MaxDepth); err != nil {
			return nil, fmt.Errorf("prompts: client capabilities: %w", err)
		}
		c.Client = wire.ReadCapabilities(c.Rev, doc.Root())
	}
	c.Message.Method, c.Message.Large = name, wire.IsLarge(len(params))
	if len(params) > s.limits.MessageBytes {
		return nil, wire.InvalidParams("params exceed the limit of %d bytes", s.limits.MessageBytes)
	}
	if len(params) > 0 {
		if err := doc.Parse(string(params), jsonenc.MaxDepth); err != nil {
			return nil, wire.InvalidParams("params: %s", err.Error())
		}
		c.Message.SetParams(doc.Root())
	}
	if err := c.Message.CheckParams(); err != nil {
		return nil, err
	}
	c.observed.SetVersion(c.Rev)
	c.observed.SetMeta(&c.Message)
	// The rate applies here too, or the clients of the other layer would have none.
	result, err := m.admitAndCall(c, nil)
	if err != nil {
		return nil, err
	}
	if result != nil {
		return result, nil
	}
	return s.call(ctx, c, o)
}

// call does the work of a Call. The task is admitted but never put in flight: no client knows
// an id by which it could be canceled. Whoever completes the task first, the work or the end
// of ctx, decides what Call returns.
func (s *Server) call(ctx context.Context, c *Call, o CallOptions) (json.RawMessage, error) {
	t := newTask(ctx, c, &exchange{Exchange: transport.Exchange{Informer: c.conn, ClientKey: o.ClientKey, Overdue: o.Overdue}, observed: c.observed})
	b := &callback{options: o, responded: make(chan struct{})}
	t.outlet, t.isCall = b, true
	t.request.CanAsk = o.Request != nil
	// Without a token, reports of progress cost nothing.
	if o.Notify == nil {
		t.request.progress.token = ""
	}
	if err := t.admit(ctx, c.keptBytes(), nil); err != nil {
		return nil, err
	}
	c.observed = nil // the task's
	// The channel has room, so the goroutine ends even if Call has returned at the end of
	// ctx.
	ended := make(chan error, 1)
	s.spawn(func() { // ends with the application's code
		err := ErrNoReturn
		defer func() {
			if t.complete() { // run has panicked, for example in Notify
				t.discard(err)
			}
			ended <- err
		}()
		err = t.run()
	})
	var err error
	select {
	case <-b.responded:
	case err = <-ended:
	case <-ctx.Done():
		if t.complete() {
			t.discard(context.Cause(ctx))
			t.close() // after which there are no notifications
			return nil, context.Cause(ctx)
		}
		select { // the task was faster
		case <-b.responded:
		case err = <-ended:
		}
	}
	return b.outcome(err)
}

// callback is the outlet to the caller of a Call. result and err are written before responded
// is closed, and read after, so they need no lock.
type callback struct {
	options   CallOptions
	result    []byte
	err       *transport.Error
	responded chan struct{} // closed when one of these is set, or there is no response
}

// respond is pending.respond for a Call.
func (c *callback) respond(t *task, result []byte, err *transport.Error) error {
	t.close()
	t.observed.RespondCall(result, err)
	// A copy, because the buffer goes back to the pool when the task returns.
	c.result, c.err = slices.Clone(result), err
	t.done() // before the Call returns, so that a Flush then has the operation
	close(c.responded)
	return nil
}

// outcome returns what Call returns. err is that of the task.
func (c *callback) outcome(err error) (json.RawMessage, error) {
	select {
	case <-c.responded:
	default:
		return nil, err
	}
	if c.err != nil {
		return nil, c.err
	}
	return c.result, nil
}

func (c *callback) hold(t *task, n int) bool { return direct{}.hold(t, n) }

// holdResult counts nothing: the caller does not wait for a client.
func (c *callback) holdResult(*task, int) bool { return true }

// notify calls the Notify of the options, unless the Call has returned. The lock serializes
// the calls, and close takes it too: after Call has returned, the Notify of the caller is
// never called.
func (c *callback) notify(t *task, method string, params []byte) error {
	t.sending.Lock()
	defer t.sending.Unlock()
	if t.isOver {
		return ErrAnswered
	}
	c.options.Notify(method, params)
	return nil
}

// ask calls the Request of the options, concurrently for all requests. The other SDK assigns
// ids and cancels its requests, so no question is registered here.
func (c *callback) ask(ctx context.Context, t *task, requests []ClientRequest, observed asked) ([]string, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// The channel has room for all: a goroutine whose answer nobody waits for any more must
	// end too.
	responses := make(chan answer, len(requests))
	for i, r := range requests {
		// The goroutine ends with Request, whose context ends now at the latest.
		t.engine.spawn(func() {
			response := answer{index: i, err: &NoAnswer{Reason: askFailed, Err: ErrNoReturn}}
			defer func() { responses <- response }()
			raw, err := c.options.Request(ctx, r.Method, r.Params)
			switch {
			case err == nil:
				response.result, response.err = string(raw), nil
			case ctx.Err() != nil && errors.Is(err, ctx.Err()):
				response.err = context.Cause(ctx)
			default:
				response.err = &NoAnswer{Reason: askFailed, Err: err}
			}
		})
	}
	return t.collect(ctx, responses, len(requests), observed)
}

const askFailed = "the request to the client failed"
