package prompts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/mcp-prompts/prompts/internal/argument"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/wire"
)

// This file passes requests through the middleware: from the dispatcher to the Handler
// of Options.Middleware, and from its next to the method that serves the request.

type middlewareRequest struct {
	context.Context
	*promptRequest
	served  servedRequest
	caller  *rpc.Running
	request *Request

	// What the client has sent, before the middleware changes the request: the argument of
	// completion/complete with its text, and with Options.Visible the other arguments.
	completed, prefix string
	arguments         map[string]string

	prepare func() error // completes the request before the middleware gets it; nil for one that is complete
	hidden  atomic.Bool  // find has not found the prompt of the client's request
	hasRun  atomic.Bool  // next has rendered a prompt before
	isOver  atomic.Bool
	pending atomic.Pointer[scope] // of next, whose questions are not sent
}

// PromptExists reports whether the prompt exists and is visible to the client. It calls
// Options.Visible. ctx is the context of the [Handler], or a context made from it.
func (r *Request) PromptExists(ctx context.Context) bool {
	p, _ := ctx.Value(middlewareKey{}).(*middlewareRequest)
	if p == nil {
		return false
	}
	d, ok := p.server.visible(ctx, p.server.registry.snapshot(), r.Prompt)
	if r.Prompt == p.prompt {
		p.decide(d)
	}
	return ok
}

type middlewareKey struct{}

func (p *middlewareRequest) Value(key any) any {
	if key == (middlewareKey{}) {
		return p
	}
	return p.Context.Value(key)
}

// open puts the middleware around a request, and returns what the middleware sees, for the
// method to complete. It returns nil without a middleware: then nothing of that is made.
func (p *promptRequest) open(c *rpc.Call, served servedRequest) *Request {
	if p.server.handler == nil {
		return nil
	}
	both := new(struct { // in one allocation
		middlewareRequest
		request Request
	})
	p.around = &both.middlewareRequest
	r, m := &both.request, &c.Message
	r.Prompt = p.prompt
	var client string
	if r.Method, client = served.methods(); client != r.Method {
		r.Via = client
	}
	r.Version = c.Rev.String()
	info := c.ClientInfo()
	r.Client = Implementation{Name: info.Name, Version: info.Version, Title: info.Title}
	if m.Meta.Kind() == strictjson.Object {
		r.Meta, c.KeepsMeta = json.RawMessage(m.Meta.Raw()), true
	}
	r.ID, r.SessionID, r.Transport = m.Own(m.ID), c.SessionID(), c.TransportInfo()
	p.around.promptRequest, p.around.served, p.around.request = p, served, r
	return r
}

func (p *middlewareRequest) run(ctx context.Context, dst []byte) ([]byte, error) {
	s := p.server
	p.Context, p.caller = ctx, rpc.FromContext(ctx)
	p.completed, p.prefix = p.request.Argument, p.request.Prefix
	if p.request.Arguments == nil {
		p.request.Arguments = map[string]string{}
	}
	defer func() {
		p.isOver.Store(true)
		if g := p.pending.Load(); g != nil {
			g.reportUnsent(nil, p.served.LogAttr())
		}
	}()
	if p.prepare != nil {
		if err := p.prepare(); err != nil {
			return nil, rpc.InternalFailure(p.served.Subject(), err)
		}
	}
	principal, err := s.principal(ctx)
	if err != nil {
		return nil, err
	}
	p.request.Principal = principal
	response, err := p.handle()
	switch {
	case err != nil:
		result, f := p.fail(dst, err)
		if f != nil {
			return p.served.fail(p, dst, f)
		}
		return result, nil
	case response == nil:
		return nil, rpc.InternalFailure(p.served.Subject(), errors.New("middleware returned neither a response nor an error"))
	}
	return p.served.append(p, dst, *response)
}

// handle calls the middleware. When it returns or panics, the request has the secrets of the
// client's values.
func (p *middlewareRequest) handle() (response *Response, err error) {
	s, r := p.server, p.request
	if s.options.Visible == nil { // no prompt is hidden
		if d, ok := s.registry.snapshot().Get(p.prompt); ok {
			p.decide(d)
			p.addSecrets(d, r.Arguments)
		}
		return s.handler(p, r)
	}
	if len(r.Arguments) == 0 && p.prefix == "" {
		return s.handler(p, r)
	}
	p.arguments = maps.Clone(r.Arguments)
	isOwn := true // a panic, unless the middleware returns
	defer func() { p.withhold(isOwn) }()
	response, err = s.handler(p, r)
	_, isOwn = p.passedOn(err)
	return response, err
}

// withhold adds the secrets of the request, with Options.Visible. The middleware has run, so that
// Visible decides in the context that next or PromptExists got, if either was called. Nothing that
// a hidden prompt declares has an effect: of a prompt that the client may not see, or of which the
// server does not know that, an error of the middleware's own contains none of the client's values.
func (p *middlewareRequest) withhold(isOwn bool) {
	d := p.shown.Load()
	if d == nil && !p.hidden.Load() {
		d = p.look()
	}
	switch {
	case d != nil:
		p.addSecrets(d, p.arguments)
	case isOwn:
		p.caller.AddSecrets(append(slices.Collect(maps.Values(p.arguments)), p.prefix)...)
	}
}

// look returns the prompt if the client may see it in the context of the request, else nil.
// Visible may panic or return an error, because it may need what the middleware would have
// put into the context. Then the prompt is hidden.
func (p *middlewareRequest) look() (d *definition) {
	defer func() {
		if recover() != nil {
			d = nil
		}
	}()
	if d, _ = p.server.registry.snapshot().Get(p.prompt); d != nil {
		if ok, err := p.server.options.Visible(p, d.filterCopy()); !ok || err != nil {
			d = nil
		}
	}
	p.decide(d)
	return d
}

func (p *middlewareRequest) addSecrets(d *definition, arguments map[string]string) {
	d.addSecrets(p.caller, arguments)
	d.addSecrets(p.caller, map[string]string{p.completed: p.prefix})
}

// passedOn returns the error of next in err. isOwn reports that the middleware has made the
// error for the client.
func (p *middlewareRequest) passedOn(err error) (inner *nextError, isOwn bool) {
	e := wire.ClientError(err)
	isOwn = !errors.As(err, &inner) || e != nil && (inner.failure == nil || e != inner.failure.Client)
	return inner, isOwn && err != nil
}

func (p *middlewareRequest) fail(dst []byte, err error) ([]byte, *rpc.Failure) {
	inner, isOwn := p.passedOn(err)
	if isOwn {
		e, problems := wire.ClientError(err), argument.ArgumentErrors(err, nil)
		if d := p.shown.Load(); d != nil {
			problems = d.plan.Locate(err)
		}
		switch {
		case inner == nil && len(problems) > 0:
			return nil, clientFailure(argumentsError(p.served.name(), problems), err)
		case e != nil:
			return nil, clientFailure(wire.ForRevision(e, p.caller.Rev), err)
		}
		return nil, rpc.InternalFailure(p.served.Subject(), err)
	}
	if g := inner.pending; g != nil {
		if inner.request != p {
			return nil, rpc.InternalFailure(p.served.Subject(), errors.New("middleware returned the error of another request"))
		}
		p.pending.Store(nil)
		return g.appendPending(dst)
	}
	f := *inner.failure // which other requests may have as well
	if err != error(inner) {
		if f.Log == nil {
			f.Event, f.Level = requestRejected, slog.LevelInfo
		}
		f.Log = err
	}
	return nil, &f
}

func (s *Server) baseHandler(ctx context.Context, r *Request) (*Response, error) {
	p, _ := ctx.Value(middlewareKey{}).(*middlewareRequest)
	if p == nil || p.server != s || p.caller != rpc.FromContext(ctx) {
		return nil, errors.New("next: ctx does not come from the context that the middleware got")
	}
	switch method, _ := p.served.methods(); {
	case p.isOver.Load():
		return nil, errors.New("next: request is already answered")
	case r == nil || r.Method != method:
		return nil, fmt.Errorf("next: the request must keep the method %s", method)
	}
	return p.callNext(ctx, r)
}

// callNext answers the request, on what may be a goroutine of the middleware's.
func (p *middlewareRequest) callNext(ctx context.Context, r *Request) (response *Response, err error) {
	defer func() {
		if v := recover(); v != nil {
			response, err = nil, &nextError{request: p, failure: p.caller.Withhold(rpc.Panic(p.served.Subject(), v))}
		}
	}()
	answered, pending, f := p.served.answer(ctx, r, nil)
	if failed := p.caller.Failed(); failed != nil {
		f, pending = failed, nil
	}
	if pending != nil {
		p.pending.Store(pending)
	}
	if f != nil || pending != nil {
		return nil, &nextError{request: p, failure: p.caller.Withhold(f), pending: pending}
	}
	return &answered, nil
}

func listed(list []byte, rev revision.Revision, method string) Response {
	return Response{list: list, listRev: rev, listMethod: method}
}

// page returns the list of a response that comes from listed, for the same request.
func (r *Response) page(rev revision.Revision, method string) ([]byte, error) {
	if r.list == nil || r.listRev != rev || r.listMethod != method {
		return nil, rpc.InternalFailure(method, errors.New("middleware returned a response to prompts/list that is not from next for this protocol version"))
	}
	return r.list, nil
}

// version returns the version that the response names, which a middleware may have set.
func (p *promptRequest) version(r *Response) (v served, err error) {
	if p.around == nil {
		return r.own, nil
	}
	if v.digest = r.Digest; v.digest != "" {
		if err := checkDigest(v.digest); err != nil {
			return served{}, err
		}
	}
	if r.Release.ID != "" {
		v.release, err = newRelease(r.Release)
	}
	return v, err
}

// nextError is the error of the next of a middleware: a failure, or a request for a
// prompt whose questions to the client are pending.
type nextError struct {
	request *middlewareRequest
	failure *rpc.Failure
	pending *scope
}

// Error returns the error without the values of arguments, which the error for the client
// may have: a middleware may log the text.
func (e *nextError) Error() string {
	f := e.failure
	switch {
	case f == nil:
		return ErrInputRequired.Error()
	case f.Cause != nil:
		return f.Cause.Error()
	}
	if data, ok := f.Client.Data.(argumentsData); ok {
		return argument.Redacted(data.Problems)
	}
	return f.Client.Error()
}

func (e *nextError) Unwrap() []error {
	if e.failure == nil {
		return []error{ErrInputRequired}
	}
	errs := []error{e.failure.Client}
	if e.failure.Cause != nil {
		errs = append(errs, e.failure.Cause)
	}
	return errs
}
