package prompts

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"

	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/argument"
	"github.com/mcp-prompts/prompts/internal/elicit"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/wire"
)

// This file passes requests through the middleware: from the dispatcher to the Handler
// of Options.Middleware, and from its next to the functions that serve the request.

// middlewareRequest is a request that passes through the middleware, and its context.
type middlewareRequest struct {
	context.Context
	server       *Server
	caller       *rpc.Request
	rev          revision.Revision
	promptMethod string // prompts/list, prompts/get or completion/complete
	clientMethod string // the method of the client's request
	request      *Request
	subject      string // see feature.Handler
	about        slog.Attr

	retry    elicit.Retry
	examples map[string]string // of NonStrings, see argument.ExampleOf
	isOver   atomic.Bool

	// Of a request of a feature, see Render and List; else nil.
	via     *rendering
	listing *Listing
}

// PromptExists reports whether the prompt exists and is visible to the client. It
// calls Options.Visible. ctx is the context of the [Handler], or a context made from
// it.
func (r *Request) PromptExists(ctx context.Context) bool {
	p, _ := ctx.Value(middlewareKey{}).(*middlewareRequest)
	if p == nil {
		return false
	}
	d, ok := p.server.registry.snapshot().Get(r.Prompt)
	return ok && p.server.isVisible(ctx, d)
}

type middlewareKey struct{}

func (p *middlewareRequest) Value(key any) any {
	if key == (middlewareKey{}) {
		return p
	}
	return p.Context.Value(key)
}

// throughMiddleware returns the work of a request that goes through the middleware.
func (s *Server) throughMiddleware(c *rpc.Call, p *middlewareRequest, subject string) feature.Work {
	r, m := p.request, &c.Message
	p.server, p.rev, p.subject = s, c.Rev, subject
	if p.promptMethod == "" {
		p.promptMethod = m.Method
	} else {
		r.Via = strings.Clone(m.Method)
	}
	p.clientMethod = cmp.Or(r.Via, p.promptMethod)
	r.Method, r.Version = p.promptMethod, c.Rev.String()
	info := c.ClientInfo()
	r.Client = Implementation{Name: info.Name, Version: info.Version, Title: info.Title}
	if m.Meta.Kind() == strictjson.Object {
		r.Meta, c.KeepsMeta = json.RawMessage(m.Meta.Raw()), true
	}
	r.ID, r.SessionID, r.Transport = strings.Clone(m.ID), c.SessionID(), c.TransportInfo()
	r.Prompt, r.Argument, r.Prefix, r.Cursor =
		strings.Clone(r.Prompt), strings.Clone(r.Argument), strings.Clone(r.Prefix), strings.Clone(r.Cursor)
	if r.Arguments == nil {
		r.Arguments = map[string]string{}
	}
	p.about = s.describe(p) // before the middleware changes the request
	return feature.Work{Handler: p}
}

func (p *middlewareRequest) Subject() string { return p.subject }

func (p *middlewareRequest) LogAttr() slog.Attr { return p.about }

// Run is the work of the request.
func (p *middlewareRequest) Run(ctx context.Context, dst []byte) ([]byte, error) {
	s := p.server
	p.Context, p.caller = ctx, rpc.FromContext(ctx)
	if d, ok := s.registry.snapshot().Get(p.request.Prompt); ok {
		d.addSecrets(p.caller, p.request.Arguments)
		d.addSecrets(p.caller, map[string]string{p.request.Argument: p.request.Prefix})
	}
	defer p.isOver.Store(true)
	if s.options.Principal != nil {
		p.request.Principal = s.options.Principal(ctx)
	}
	response, err := s.handler(p, p.request)
	switch {
	case err != nil:
		result, f := p.fail(dst, err)
		if f != nil {
			return p.via.fail(p, dst, f)
		}
		return result, nil
	case response == nil:
		return nil, rpc.InternalFailure(p.subject, errors.New("middleware returned neither a response nor an error"))
	}
	if p.via != nil {
		return p.via.append(p, dst, response.Result)
	}
	return runResult(p.append(dst, response))
}

// fail is the end of a request with an error: that of next, which has been
// passed on, or one of the middleware's own.
func (p *middlewareRequest) fail(dst []byte, err error) ([]byte, *rpc.Failure) {
	var inner *nextError
	e := wire.ClientError(err)
	if !errors.As(err, &inner) || e != nil && (inner.failure == nil || e != inner.failure.Client) {
		problems := argument.ArgumentErrors(err, nil)
		switch {
		case inner == nil && len(problems) > 0:
			return nil, clientFailure(argumentsError(p.request.Prompt, problems), err)
		case e != nil:
			return nil, clientFailure(wire.ForRevision(e, p.rev), err)
		}
		return nil, rpc.InternalFailure(p.subject, err)
	}
	if g := inner.pending; g != nil {
		if inner.request != p {
			return nil, rpc.InternalFailure(p.subject, errors.New("middleware returned the error of another request"))
		}
		return g.appendInputRequired(dst, g.binding(p))
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

// baseHandler is the Handler that the middleware is wrapped around.
func (s *Server) baseHandler(ctx context.Context, r *Request) (*Response, error) {
	p, _ := ctx.Value(middlewareKey{}).(*middlewareRequest)
	if p == nil || p.server != s || p.caller != rpc.FromContext(ctx) {
		return nil, errors.New("next: ctx does not come from the context that the middleware got")
	}
	switch {
	case p.isOver.Load():
		return nil, errors.New("next: request is already answered")
	case r == nil || r.Method != p.promptMethod:
		return nil, fmt.Errorf("next: the request must keep the method %s", p.promptMethod)
	}
	return p.callNext(ctx, r)
}

// callNext answers the request, on what may be a goroutine of the middleware's.
func (p *middlewareRequest) callNext(ctx context.Context, r *Request) (response *Response, err error) {
	defer func() {
		if v := recover(); v != nil {
			response, err = nil, &nextError{request: p, failure: p.caller.Withhold(rpc.Panic(p.subject, v))}
		}
	}()
	response, pending, f := p.answer(ctx, r)
	if f != nil || pending != nil {
		return nil, &nextError{request: p, failure: p.caller.Withhold(f), pending: pending}
	}
	return response, nil
}

// answer returns the response to the request, or the request for a prompt
// whose questions to the client are pending.
func (p *middlewareRequest) answer(ctx context.Context, r *Request) (*Response, *getRequest, *rpc.Failure) {
	s := p.server
	if p.listing != nil {
		list, f := s.appendListing(ctx, nil, p.listing, r.Cursor)
		return &Response{list: list, listRev: p.rev, listMethod: p.clientMethod}, nil, f
	}
	if p.promptMethod == methodList {
		after, err := listParams{cursor: r.Cursor}.after()
		if err != nil {
			return nil, nil, &rpc.Failure{Client: err}
		}
		l := listRequest{server: s, rev: p.rev, after: after}
		list, f := l.appendPage(ctx, []byte{'{'})
		list = append(list, '}')
		return &Response{list: list, listRev: p.rev, listMethod: p.clientMethod, Release: l.prompts.releaseOfList().public()}, nil, f
	}
	all := s.registry.snapshot()
	d, ok := all.Get(r.Prompt)
	if !ok {
		return nil, nil, s.unknownPrompt(ctx, strings.ToValidUTF8(r.Prompt, "\ufffd"))
	}
	if p.promptMethod == methodComplete {
		completion := &completeRequest{
			server: s, rev: p.rev, definition: d, position: d.plan.Find(r.Argument),
			completeParams: completeParams{prompt: r.Prompt, argument: strings.ToValidUTF8(r.Argument, "\ufffd"), prefix: r.Prefix, others: r.Arguments},
		}
		values, total, f := completion.values(ctx)
		return &Response{Values: values, Total: total}, nil, f
	}
	g := &getRequest{scope: scope{server: s, prompts: all}, definition: d, retry: p.retry, via: p.via}
	if p.via != nil {
		g.collect(p.via.read(), r.Arguments)
	} else {
		texts, problems, ignored := d.plan.CollectTexts(r.Arguments, r.NonStrings, p.examples, s.options.StrictArguments)
		g.texts, g.others = texts, newOtherArguments(problems, ignored)
	}
	result, pending, f := g.render(ctx)
	if pending {
		return nil, g, nil
	}
	return &Response{Result: result, Digest: d.prompt.Digest, Release: all.releaseOf(&d.prompt).public(), Elicited: p.retry.HasState() || g.rounds > 0 || g.hasAsked.Load()}, nil, f
}

// append appends the result that a response is.
func (p *middlewareRequest) append(dst []byte, r *Response) ([]byte, *rpc.Failure) {
	s := p.server
	switch p.promptMethod {
	case methodList:
		if r.list == nil || r.listRev != p.rev || r.listMethod != p.clientMethod {
			return nil, rpc.InternalFailure(p.subject, errors.New("middleware returned a response to prompts/list that is not from next for this protocol version"))
		}
		if p.listing != nil {
			return append(dst, r.list...), nil
		}
		dst = append(dst, r.list[:len(r.list)-1]...)
		v, err := r.served()
		if err != nil {
			return nil, rpc.InternalFailure(p.subject, err)
		}
		return append(s.appendListEnd(dst, p.rev, v.release), '}'), nil
	case methodComplete:
		if err := checkUTF8(firstCompletions(r.Values)); err != nil {
			return nil, rpc.InternalFailure(p.subject, err)
		}
		return s.appendCompletion(dst, p.rev, r.Values, max(r.Total, len(r.Values))), nil
	}
	var v served
	var err error
	if !s.options.DisableReleaseMeta {
		if v, err = r.served(); err != nil {
			return nil, rpc.InternalFailure(p.subject, err)
		}
	}
	dst, err = s.appendResult(dst, p.rev, p.caller.Host, p.caller.Secrets(), r.Result, v)
	if err != nil {
		return nil, rpc.InvalidResult(p.subject, err)
	}
	return dst, nil
}

// served returns the version that the response names, which a middleware may have set.
func (r *Response) served() (v served, err error) {
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
	pending *getRequest
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

// describe describes a request for the log, as without the middleware.
func (s *Server) describe(p *middlewareRequest) slog.Attr {
	r := p.request
	d, ok := s.registry.snapshot().Get(r.Prompt)
	switch {
	case p.promptMethod == methodList:
		return slog.String("method", p.clientMethod)
	case !ok:
		return unknownAttr
	case p.promptMethod == methodComplete:
		return completionAttr(d, r.Argument)
	}
	return slog.String("prompt", d.prompt.Name)
}
