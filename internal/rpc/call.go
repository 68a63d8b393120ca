package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/limit"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/transport"
)

// CallOptions describe the client of a [Dispatcher.Call]. The other layer has negotiated Version,
// Capabilities and Info with its client.
type CallOptions struct {
	Version            string          // empty for the version in the _meta of params
	Capabilities, Info json.RawMessage // JSON objects, as in initialize; empty for none
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

type caller struct {
	options  *CallOptions
	method   string
	rev      revision.Revision // negotiated: the version of the message does not apply; 0 for none
	declared wire.Capabilities // by a client of rev
	info     wire.ClientInfo   // of a client of rev
	session  string            // for the observer and the middleware

	overdue    chan struct{}   // closed if the code continues after its time limit
	unanswered limit.WaitGroup // counts the request until it is answered
	request    inFlight        // set before the job runs

	mu     sync.Mutex // protects the fields below; held to call Notify
	result []byte
	err    *transport.Error
	isOver bool // Call returns, or has returned
}

func (c *caller) readOptions(s *Dispatcher) error {
	if c.options.Version != "" {
		var ok bool
		if c.rev, ok = revision.Parse(c.options.Version); !ok {
			return fmt.Errorf("prompts: unknown protocol version %q", phrase.Clip(c.options.Version, phrase.MaxEcho))
		}
	}
	if c.options.Session != "" {
		c.session = s.sessionID(c.options.Session)
	}
	err := readOption("ID", "a string or an integer of at most 256 bytes", c.options.ID, func(v strictjson.Value) bool {
		_, ok := wire.ReadID(v)
		return ok
	})
	if err != nil {
		return err
	}
	err = readOption("client capabilities", "an object", string(c.options.Capabilities), func(v strictjson.Value) bool {
		c.declared = wire.ReadCapabilities(c.rev, v)
		return v.Kind() == strictjson.Object
	})
	if err != nil {
		return err
	}
	return readOption("client info", "an object", string(c.options.Info), func(v strictjson.Value) bool {
		c.info = wire.ReadClientInfo(v)
		return v.Kind() == strictjson.Object
	})
}

// readOption reads the JSON of an option. read reports whether the value is valid.
func readOption(name, valid, text string, read func(strictjson.Value) bool) error {
	if text == "" {
		return nil
	}
	doc := wire.GetDoc()
	defer wire.PutDoc(doc)
	if err := doc.Parse(text, jsonenc.MaxDepth); err != nil {
		return fmt.Errorf("prompts: %s: %w", name, err)
	}
	if !read(doc.Root()) {
		return fmt.Errorf("prompts: %s must be %s, got %s", name, valid, phrase.Clip(text, phrase.MaxEcho))
	}
	return nil
}

func (c *caller) read(m *wire.Message, doc *strictjson.Doc, params string) *transport.Error {
	m.Kind, m.ID, m.Method = wire.KindRequest, c.options.ID, c.method
	if params == "" {
		return nil
	}
	if err := doc.Parse(params, jsonenc.MaxDepth); err != nil {
		return wire.InvalidParams("params: %s", err.Error())
	}
	m.SetParams(doc.Root())
	return nil
}

// cancel ends the request, and reports whether it had no response yet. From then on, Notify
// is not called.
func (c *caller) cancel(cause error) bool {
	if !c.request.complete() {
		return false
	}
	c.request.discard(cause)
	return true
}

func (c *caller) setOverdue() {
	if c.options.Overdue != nil {
		c.options.Overdue()
	}
	close(c.overdue)
}

// send is the Send of the exchange. The lock serializes the calls of Notify, and outcome takes
// it too: after Call has returned, Notify is never called.
func (c *caller) send(msg []byte, code transport.Code, last bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.isOver:
		return ErrAnswered
	case last && code == 0:
		// A copy, because the buffer goes back to the pool.
		c.result = slices.Clone(msg[len(wire.AppendResultHead(nil, c.options.ID)) : len(msg)-len("}")])
	case last:
		head := len(wire.AppendErrorHead(nil, c.options.ID))
		e, err := members(msg[head : len(msg)-len("}")])
		if err != nil {
			return err
		}
		c.err = &transport.Error{Code: code, Message: e.Get("message").Text()}
		if data := e.Get("data"); data.Kind() != strictjson.Invalid {
			c.err.Data = json.RawMessage(data.Raw())
		}
	case c.options.Notify != nil:
		m, err := members(msg)
		if err != nil {
			return err
		}
		c.options.Notify(m.Get("method").Text(), json.RawMessage(m.Get("params").Raw()))
	}
	return nil
}

func members(text []byte) (strictjson.Value, error) {
	var doc strictjson.Doc
	err := doc.Parse(string(text), jsonenc.MaxDepth+1) // the object around a value of ours
	return doc.Root(), err
}

func (c *caller) outcome(err error) (json.RawMessage, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.isOver = true
	switch {
	case c.err != nil:
		return nil, c.err
	case c.result != nil:
		return c.result, nil
	}
	return nil, err
}
