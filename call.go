package prompts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcp-prompts/prompts/internal/revision"
)

// CallOptions say whom a [Server.Call] is for. The zero value is a client of
// revision 2025-11-25 with no capabilities.
type CallOptions struct {
	// Version is the protocol revision that the client speaks, such as
	// "2025-06-18". Default: 2025-11-25.
	Version string
	// ClientCapabilities is the JSON object that the client has declared, in
	// initialize or with its request. Default: none.
	ClientCapabilities json.RawMessage
	// Client is what the client has said of itself in initialize, for
	// Request.Client: of it the Name, Version and Title are kept, the first 256
	// bytes of each. A request of revision 2026-07-28 says so itself, in its
	// _meta, and this is not looked at. Default: nothing.
	Client Implementation
	// Request, if not nil, sends the client a request and returns the result
	// that it answers with. It is how an [Ask] reaches a client of revision
	// 2025-06-18 or 2025-11-25: concurrently for each question, on goroutines
	// of its own. It must return when ctx ends: with the first failure, after
	// Options.AskTimeout, and with the Call. An error means that the client
	// cannot be asked.
	Request func(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error)
	// Notify, if not nil, sends the client a notification: the progress of
	// the request, if it has a token. Call calls it on a goroutine of its own
	// or on the caller's, one call at a time, and not once it has returned.
	// Notify must not keep params.
	Notify func(method string, params json.RawMessage)
}

// errVersion is what Call returns for a version that there is not.
var errVersion = errors.New("prompts: no such protocol version")

// Call answers one request of the methods in [Server.Methods] for somebody
// else's JSON-RPC layer, which has read the envelope and found out to whom it
// talks. params is the JSON text of the request's params, or nil; it is read
// as strictly as a whole message, but for what belongs to the envelope. Call
// returns the JSON text of the result, or an [*Error], which is what the
// client is to get. If there is no answer because ctx has ended, the error is
// the cause of that; it is another one if an option is at fault.
//
// It renders on the caller's goroutine, within Options.MaxConcurrentTotal, and
// waits for the render function to return. There is no time limit but ctx's.
func (s *Server) Call(ctx context.Context, name string, params json.RawMessage, o CallOptions) (json.RawMessage, error) {
	m := s.methods[name]
	if m == nil || !m.shared {
		return nil, methodNotFound(name)
	}
	c := &call{server: s, rev: revision.NewestHandshake(), info: o.Client}
	if o.Version != "" {
		var ok bool
		if c.rev, ok = revision.Parse(o.Version); !ok {
			return nil, fmt.Errorf("%w: %q", errVersion, clip(o.Version, maxEcho))
		}
	}
	doc := takeDoc()
	defer giveDoc(doc)
	if len(o.ClientCapabilities) > 0 {
		if err := doc.Parse(string(o.ClientCapabilities), maxDepth); err != nil {
			return nil, fmt.Errorf("prompts: client capabilities: %w", err)
		}
		c.client = readCapabilities(c.rev, doc.Root())
	}
	c.message.method, c.message.large = name, len(params) > maxShared
	if len(params) > s.options.MaxMessageBytes {
		return nil, invalidParams("params are too large")
	}
	if len(params) > 0 {
		if err := doc.Parse(string(params), maxDepth); err != nil {
			return nil, invalidParams("params: %s", err.Error())
		}
		c.message.setParams(doc.Root())
	}
	if err := c.message.checkParams(); err != nil {
		return nil, err
	}
	result, w, err := m.answer(c, nil)
	if err != nil {
		return nil, err
	}
	if result != nil {
		return result, nil
	}
	return s.work(ctx, c, w, o)
}

// work does the work of a Call.
func (s *Server) work(ctx context.Context, c *call, w work, o CallOptions) (json.RawMessage, error) {
	p := &callPeer{server: s, options: o}
	p.place.server = s.limit
	if !p.place.enter(ctx, nil) {
		return nil, busy()
	}
	defer p.place.leave()
	if err := p.place.acquire(ctx, 0); err != nil {
		return nil, err
	}
	defer p.ctx.cancel(errAnswered)
	p.ctx.parent, p.ctx.caller = ctx, &caller{
		server: s,
		rev:    c.rev, client: c.client, isLive: o.Request != nil, peer: p, own: &p.ctx,
	}
	if o.Notify != nil {
		p.ctx.caller.progress.token = c.message.progressToken()
	}
	// Goexit in the work must not leave a goroutine that reports.
	defer p.ctx.caller.progress.finish(p.ctx.caller, false)
	result, failed := w.do(&p.ctx, nil)
	p.place.leaveServer()
	if p.ctx.caller.asking.isUsed() {
		p.ctx.cancel(errAnswered)
		p.ctx.caller.asking.close()
	}
	p.ctx.caller.progress.finish(p.ctx.caller, true)
	switch {
	case failed == nil:
		return result, nil
	case failed.cut:
		return nil, context.Cause(ctx)
	}
	s.tell(ctx, w, failed)
	return nil, failed.seen
}

// callPeer is the client of a Call, as far as the options lead to it.
type callPeer struct {
	server  *Server
	options CallOptions
	ctx     taskContext
	place   place
	clock   clock // never started: a Call has no time limit
}

// request is that of a peer.
func (p *callPeer) request(ctx context.Context, questions []*question) (results []string, err error) {
	err = pause(&p.ctx, &p.place, &p.clock, func() error {
		ctx, cancel := p.server.untilAnswered(ctx)
		defer cancel()
		results, err = p.askAll(ctx, questions)
		return err
	})
	return results, err
}

// askAll asks the questions concurrently, and waits for the results of all of
// them or for the first failure.
func (p *callPeer) askAll(ctx context.Context, questions []*question) ([]string, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	replies := make(chan reply, len(questions))
	for i, q := range questions {
		// The goroutine ends with the author's Request, whose context ends now
		// at the latest.
		go func() {
			r := reply{to: i, err: &cannotAsk{why: requestFailed, cause: errGoexit}} // unless it comes to its end
			defer func() { replies <- r }()
			r.result, r.err = p.ask(ctx, q)
		}()
	}
	return collect(ctx, &p.ctx, replies, len(questions))
}

// ask calls the author's Request.
func (p *callPeer) ask(ctx context.Context, q *question) (result string, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &cannotAsk{why: requestFailed, cause: fmt.Errorf("panic: %v", v)}
		}
	}()
	raw, failed := p.options.Request(ctx, q.method, q.params)
	switch {
	case failed == nil:
		return string(raw), nil
	case ctx.Err() != nil && errors.Is(failed, ctx.Err()):
		return "", context.Cause(ctx)
	}
	return "", &cannotAsk{why: requestFailed, cause: failed}
}

const requestFailed = "the request to it has failed"

// notify is that of a peer.
func (p *callPeer) notify(method string, params []byte) (err error) {
	defer p.server.guard(&p.ctx, &err)
	p.options.Notify(method, params)
	return nil
}
