package rpc

import (
	"context"
	"sync/atomic"

	"github.com/mcp-prompts/prompts/internal/telemetry"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/transport"
)

// This file calls the functions of a transport.

// exchange receives the responses to one message. A connection has one exchange for all
// messages. A transport over HTTP makes one for each.
type exchange struct {
	transport.Exchange
	// emit, if not nil, sends a message that is not the response, unless the
	// request is completed by the time that it is the message's turn.
	emit     func(msg []byte, completed *atomic.Bool) error
	observed *telemetry.Operation // of the message; nil without an observer
	caller   *caller              // of a Server.Call; nil for a message
	batch    *batch               // that the message is part of; nil for none
}

// recipient is what a pending request keeps of its exchange. The functions for the headers of
// a message are left out: nothing calls them once the request is in flight.
type recipient struct {
	Client    string
	Send      func(msg []byte, code transport.Code, last bool) error
	Overdue   func()
	Connected context.Context
	emit      func(msg []byte, completed *atomic.Bool) error
	caller    *caller
	batch     *batch
}

func (x *exchange) recipient() recipient {
	return recipient{x.ClientKey, x.Send, x.Overdue, x.Connected, x.emit, x.caller, x.batch}
}

// overdue reports to the transport that the application's code outlives the response. A
// transport over HTTP/1 must know before the response is sent that Handle will not return
// soon.
func (r *recipient) overdue() {
	if r.Overdue != nil {
		r.Overdue()
	}
}

// release gives the message back to the caller. From then on, nothing may read the bytes of
// the message, so receive copies them first.
func (x *exchange) release() {
	if x.Release != nil {
		x.Release()
	}
}

// exchange.respond is for messages that are answered on the goroutine that received them. A
// pending request responds by pending.respond, which also orders the response after
// everything else.
func (x *exchange) respond(r wire.Response) error {
	err := x.Send(r.Msg, r.Code, true)
	if x.observed != nil {
		x.observed.Respond(r, err)
	}
	return err
}

// find returns the session of a stateful message. Only the transport knows the header with
// the id of a session.
func (x *exchange) find(m *wire.Message) (transport.Session, *transport.Error) {
	found, err := x.Session(transport.RequestInfo{Method: m.Method, ID: m.ID, Request: m.Kind == wire.KindRequest})
	return found, rejection(err)
}

// check calls CheckVersion or CheckRouting for a request. Over HTTP both compare headers with
// the message. A proxy may have routed the request by these headers, so a header that differs
// is an error.
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
	// The text may contain details of the deployment, which are no business of the client.
	return wire.InternalError("transport rejected the message")
}

// fixed describes the connection of a [Server.Call].
type fixed transport.Info

func (f fixed) TransportInfo() transport.Info { return transport.Info(f) }
