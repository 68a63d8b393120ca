package rpc

import (
	"context"
	"sync/atomic"

	"github.com/mcp-prompts/prompts/internal/telemetry"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/transport"
)

// This file calls the functions of a transport.

// exchange receives the responses to one message.
type exchange struct {
	transport.Exchange
	// emit, if not nil, sends a message that is not the response, unless the
	// request is completed by the time that it is the message's turn.
	emit     func(msg []byte, completed *atomic.Bool) error
	observed *telemetry.Operation // of the message; nil without an observer
}

// recipient is what a pending request keeps of its exchange.
type recipient struct {
	Client    string
	Send      func(msg []byte, code transport.Code, last bool) error
	Overdue   func()
	Connected context.Context
	Done      <-chan struct{}
	emit      func(msg []byte, completed *atomic.Bool) error
}

func (x *exchange) recipient() recipient {
	return recipient{x.ClientKey, x.Send, x.Overdue, x.Connected, x.Done, x.emit}
}

// overdue reports to the transport that the application's code outlives the response.
func (r *recipient) overdue() {
	if r.Overdue != nil {
		r.Overdue()
	}
}

// release gives the message back to the caller.
func (x *exchange) release() {
	if x.Release != nil {
		x.Release()
	}
}

func (x *exchange) respond(r wire.Response) error {
	err := x.Send(r.Msg, r.Code, true)
	if x.observed != nil {
		x.observed.Respond(r, err)
	}
	return err
}

// find returns the session of a stateful message.
func (x *exchange) find(m *wire.Message) (transport.Session, *transport.Error) {
	found, err := x.Session(transport.RequestInfo{Method: m.Method, ID: m.ID, Request: m.Kind == wire.KindRequest})
	return found, rejection(err)
}

// check calls CheckVersion or CheckRouting for a request.
func (x *exchange) check(f func(transport.RequestInfo) error, m *wire.Message, version string) *transport.Error {
	if f == nil {
		return nil
	}
	i := transport.RequestInfo{Version: version, Method: m.Method, ID: m.ID, Request: true}
	i.Name, i.HasName = m.Name()
	return rejection(f(i))
}

// rejection returns what the client gets for an error of a transport.
func rejection(err error) *transport.Error {
	if err == nil {
		return nil
	}
	if e := wire.ClientError(err); e != nil {
		return e
	}
	return wire.InternalError("transport rejected the message")
}

// fixed describes the connection of a [Server.Call].
type fixed transport.Info

func (f fixed) TransportInfo() transport.Info { return transport.Info(f) }
