package prompts

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// Handler answers a request: see Options.Middleware. It returns a response, or
// the error for the client: an [*Error], possibly wrapped, is sent as it is,
// any other error is an internal error without its text.
//
// What the handler that is given to a middleware returns as its error may be
// passed on as it is, or wrapped with what the author's log should have. It wraps
// the [*Error] that the client is to get, and what the author's code has
// returned; or [ErrInputRequired] if the client is to be asked.
type Handler func(ctx context.Context, r *Request) (*Response, error)

// Request is a request for a list of prompts, a prompt or completions, as the
// client has sent it: nothing in it has been looked up or checked. A middleware
// may pass on another one, with another prompt or other arguments.
type Request struct {
	// Method is prompts/list, prompts/get or completion/complete. It must stay
	// as it is.
	Method string
	// Prompt is the name of the prompt; empty for a list.
	Prompt string
	// Arguments are those that are given for prompts/get, by name; and the other
	// arguments that completion/complete comes with. It is never nil.
	Arguments map[string]string
	// NotStrings are the names of those for prompts/get whose values are no
	// strings. The request will be refused for them.
	NotStrings []string
	// Argument is the name of the argument that is completed, and Prefix what
	// has been typed of it.
	Argument, Prefix string
	// Cursor is where in the list to go on; empty for its beginning.
	Cursor string

	// Version is the protocol revision that the request is answered in.
	Version string
	// Client describes the client: its Name, Version and Title, if it has said
	// so. Nothing vouches for it.
	Client Implementation
	// Principal is who the client is, if Options.Principal says so.
	Principal string
	// Meta is the request's _meta, a JSON object, nil if it has none. It is
	// where traceparent, tracestate and baggage are.
	Meta json.RawMessage
}

// Response is the result of a [Request].
type Response struct {
	// Result is the prompt, for prompts/get. It must not be changed: a render
	// function may have returned it before.
	Result *Result
	// Values complete the argument, for completion/complete: the first 100 of
	// them are sent. Total is how many there are, if that is more.
	Values []string
	Total  int
	// List is the result of prompts/list, encoded for the request's Version: an
	// object with prompts and, if there are more, nextCursor, which may be a
	// cursor of the middleware's own.
	List json.RawMessage
	// Asked says that the client was asked for what is in the result: it is no
	// good for another request.
	Asked bool

	list []byte // as this server has encoded it
}

// passage is a request on its way through the middleware.
type passage struct {
	server  *Server
	rev     revision.Revision
	method  string
	request *Request
	failed  string // what the client is told of a failure that it does not get to see
	about   slog.Attr

	responses, state string // see rendering
	isOver           atomic.Bool
}

// passage returns the work of a request that goes through the middleware.
func (c *call) passage(p *passage, failed string) work {
	r, m := p.request, &c.message
	p.server, p.rev, p.method, p.failed = c.server, c.rev, m.method, failed
	r.Method, r.Version = m.method, c.rev.String()
	r.Client = c.clientInfo()
	if m.meta.Kind() == strictjson.Object {
		r.Meta = json.RawMessage(m.meta.Raw())
	}
	r.Prompt, r.Argument, r.Prefix, r.Cursor =
		strings.Clone(r.Prompt), strings.Clone(r.Argument), strings.Clone(r.Prefix), strings.Clone(r.Cursor)
	if r.Arguments == nil {
		r.Arguments = map[string]string{}
	}
	p.about = slogRequest(r) // before the middleware changes it
	return work{code: p, failed: failed}
}

func (p *passage) subject() slog.Attr { return p.about }

// run is the work of the request.
func (p *passage) run(ctx context.Context, dst []byte) ([]byte, *failure) {
	s := p.server
	callerOf(ctx).passage = p
	defer p.isOver.Store(true)
	if s.options.Principal != nil {
		p.request.Principal = s.options.Principal(ctx)
	}
	response, err := s.handler(ctx, p.request)
	if err != nil {
		return p.fail(ctx, dst, err)
	}
	return p.append(dst, response)
}

// fail is the end of a request with an error: that of next, which has been
// passed on, or one of the middleware's own.
func (p *passage) fail(ctx context.Context, dst []byte, err error) ([]byte, *failure) {
	var inner *failureError
	e := visibleError(err)
	if !errors.As(err, &inner) || e != nil && e != inner.failure.seen {
		problems := blamed(err, nil)
		switch {
		case inner == nil && len(problems) > 0:
			return nil, show(argumentsError(p.request.Prompt, problems), err)
		case e != nil:
			return nil, show(e.in(p.rev), err)
		}
		return nil, hide(p.failed, err)
	}
	if g := inner.failure.asking; g != nil {
		if g.caller.passage != p {
			return nil, hide(p.failed, errors.New("the middleware has returned the error of another request"))
		}
		return g.appendInputRequired(ctx, dst)
	}
	f := *inner.failure // which other requests may have as well
	if err != error(inner) {
		if f.unseen == nil {
			f.title, f.level = "the request was refused", slog.LevelInfo
		}
		f.unseen = err
	}
	return nil, &f
}

// innermost is the Handler that the middleware is wrapped around.
func (s *Server) innermost(ctx context.Context, r *Request) (*Response, error) {
	c := callerOf(ctx)
	if c == nil || c.passage == nil || c.passage.server != s {
		return nil, errors.New("this is not the context that the middleware was given, nor one that comes from it")
	}
	p := c.passage
	switch {
	case p.isOver.Load():
		return nil, errors.New("the request is over")
	case r == nil || r.Method != p.method:
		return nil, fmt.Errorf("the request that is passed on must be one of %s", p.method)
	}
	// Each run of a prompt learns its own answers.
	fork := c.fork()
	response, f := p.attempt(&callerContext{ctx, fork}, fork, r)
	if f != nil {
		return nil, &failureError{f}
	}
	return response, nil
}

// attempt is answer, on what may be a goroutine of the middleware's.
func (p *passage) attempt(ctx context.Context, c *caller, r *Request) (response *Response, f *failure) {
	defer func() {
		if v := recover(); v != nil {
			response, f = nil, panicked(p.failed, v)
		}
	}()
	return p.answer(ctx, c, r)
}

func (p *passage) answer(ctx context.Context, c *caller, r *Request) (*Response, *failure) {
	s := p.server
	if p.method == methodList {
		after, err := listParams{cursor: r.Cursor}.after()
		if err != nil {
			return nil, &failure{seen: err}
		}
		l := listing{server: s, rev: p.rev, after: after}
		list, f := l.appendPage(ctx, []byte{'{'})
		list = append(list, '}')
		return &Response{List: slices.Clone(list), list: list}, f
	}
	d, ok := s.registry.snapshot().Get(r.Prompt)
	if !ok {
		return nil, &failure{seen: unknownPrompt(strings.ToValidUTF8(r.Prompt, "\ufffd"))}
	}
	if p.method == methodComplete {
		g := &completion{
			server: s, rev: p.rev, definition: d, position: d.plan.find(r.Argument),
			completeParams: completeParams{prompt: r.Prompt, argument: strings.ToValidUTF8(r.Argument, "\ufffd"), prefix: r.Prefix, others: r.Arguments},
		}
		values, total, f := g.values(ctx)
		return &Response{Values: values, Total: total}, f
	}
	g := &rendering{server: s, rev: p.rev, definition: d, responses: p.responses, state: p.state}
	g.texts, g.undeclared = d.plan.collectTexts(r.Arguments, r.NotStrings, s.options.StrictArguments)
	result, f := g.render(ctx, c)
	return &Response{Result: result, Asked: p.state != "" || g.rounds > 0 || c.hasAsked.Load()}, f
}

// append appends the result that a response is.
func (p *passage) append(dst []byte, r *Response) ([]byte, *failure) {
	s := p.server
	if r == nil {
		return nil, hide(p.failed, errors.New("the middleware has returned neither a response nor an error"))
	}
	switch p.method {
	case methodList:
		list := r.list
		if list == nil || !bytes.Equal(list, r.List) {
			var err error
			if list, err = compactList(r.List); err != nil {
				return nil, hide(p.failed, fmt.Errorf("the middleware's list: %w", err))
			}
		}
		dst = append(dst, list[:len(list)-1]...)
		if p.rev.Stateless() {
			dst = append(dst, s.cacheable...)
		}
		return append(dst, '}'), nil
	case methodComplete:
		if err := checkCompletions(r.Values); err != nil {
			return nil, hide(p.failed, err)
		}
		return s.appendCompletion(dst, p.rev, r.Values, max(r.Total, len(r.Values))), nil
	}
	return s.appendResult(dst, p.rev, r.Result)
}

// compactList returns a list of the middleware's own as it can be sent, or what is
// wrong with it.
func compactList(list json.RawMessage) ([]byte, error) {
	var doc strictjson.Doc
	if err := doc.Parse(string(list), maxDepth); err != nil {
		return nil, err
	}
	root := doc.Root()
	if root.Get("prompts").Kind() != strictjson.Array {
		return nil, errors.New("it has no array of prompts")
	}
	for p := range root.Get("prompts").Elements() {
		if p.Get("name").Kind() != strictjson.String {
			return nil, errors.New("it has a prompt without a name")
		}
	}
	for name, v := range root.Members() {
		switch {
		case name == "prompts":
		case name != "nextCursor":
			return nil, fmt.Errorf("it has a member %q", name)
		case v.Text() == "":
			return nil, errors.New("its nextCursor is not a string that says something")
		}
	}
	var b bytes.Buffer
	if err := json.Compact(&b, list); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// failureError is a failure as the error of what the middleware is wrapped around.
type failureError struct{ failure *failure }

// Error may be logged, by a middleware or by us if that wraps it: it has no
// values of arguments, which the error for the client has.
func (o *failureError) Error() string {
	f := o.failure
	switch {
	case f.asking != nil:
		return ErrInputRequired.Error()
	case f.cause != nil:
		return f.cause.Error()
	}
	if data, ok := f.seen.Data.(argumentsData); ok {
		return withoutValues(data.Problems)
	}
	return f.seen.Error()
}

func (o *failureError) Unwrap() []error {
	if o.failure.asking != nil {
		return []error{ErrInputRequired}
	}
	errs := []error{o.failure.seen}
	if o.failure.cause != nil {
		errs = append(errs, o.failure.cause)
	}
	return errs
}

// collectTexts is collect for arguments that the middleware has passed on.
func (p *plan) collectTexts(args map[string]string, notStrings []string, strict bool) ([]given, []problem) {
	texts := make([]given, len(p.arguments))
	var problems []problem
	for _, name := range notStrings {
		if _, ok := args[name]; ok {
			continue
		}
		if i := p.find(name); i >= 0 {
			texts[i].notString = true
		} else {
			problems = append(problems, notString(strings.ToValidUTF8(name, "\ufffd")))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		switch i := p.find(name); {
		case i >= 0:
			texts[i] = given{text: args[name], ok: true}
		case !strict:
		case len(problems) < maxProblems:
			problems = append(problems, p.undeclared(strings.ToValidUTF8(name, "\ufffd")))
		default: // one that is not detailed
			problems = append(problems, unknown(strings.ToValidUTF8(name, "\ufffd")))
		}
	}
	slices.SortStableFunc(problems, func(a, b problem) int { return strings.Compare(a.Argument, b.Argument) })
	return texts, problems
}

// slogRequest says for the log what a request is.
func slogRequest(r *Request) slog.Attr {
	attrs := []any{slog.String("method", r.Method)}
	if r.Prompt != "" {
		attrs = append(attrs, slog.String("prompt", clip(r.Prompt, maxEcho)))
	}
	if r.Argument != "" {
		attrs = append(attrs, slog.String("argument", clip(r.Argument, maxEcho)))
	}
	return slog.Group("request", attrs...)
}
