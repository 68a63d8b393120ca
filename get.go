package prompts

import (
	"cmp"
	"context"
	"errors"
	"log/slog"

	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/argument"
	"github.com/mcp-prompts/prompts/internal/elicit"
	"github.com/mcp-prompts/prompts/internal/hosts"
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/internal/seal"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/wire"
)

// This file serves prompts/get: from params to arguments, which the user may be asked
// for, and from the result of the prompt to a response. render.go runs the function of the
// prompt.

// get is the method prompts/get.
func (s *Server) get(c *rpc.Call, _ []byte) ([]byte, feature.Work, *Error) {
	p := c.Message.Params
	if p.Kind() != strictjson.Object {
		return nil, feature.Work{}, wire.InvalidParams("params is required and must be an object")
	}
	if err := wire.CheckCase(p, "name", "arguments", "_meta", "inputResponses", "requestState"); err != nil {
		return nil, feature.Work{}, err
	}
	name := p.Get("name")
	if name.Kind() != strictjson.String {
		return nil, feature.Work{}, wire.WrongKind("name", "params.name", "a string", name)
	}
	args := p.Get("arguments")
	switch args.Kind() {
	case strictjson.Invalid, strictjson.Null, strictjson.Object:
	default:
		return nil, feature.Work{}, wire.WrongKind("arguments", "params.arguments", "an object whose values are strings", args)
	}
	if err := s.checkSizes("arguments", args, nil); err != nil {
		return nil, feature.Work{}, err
	}
	retry, err := elicit.ReadRetry(c)
	if err != nil {
		return nil, feature.Work{}, err
	}
	if s.handler != nil {
		return nil, s.getThroughMiddleware(c, name.Text(), args, retry), nil
	}
	if s.options.Visible == nil { // no prompt is hidden
		all := s.registry.snapshot()
		if d, ok := all.Get(name.Text()); ok {
			c.SetPrompt(d.prompt.Name)
			g := &getRequest{scope: scope{server: s, prompts: all}, definition: d, retry: retry, method: methodGet}
			g.collect(argument.Given{Object: args, Detach: c.Message.Large})
			return nil, feature.Work{Handler: g}, nil
		}
	}
	m := &c.Message
	return nil, feature.Work{Handler: &namedGet{namedPrompt{server: s, prompt: m.Own(name.Text())}, m.Own(args.Raw()), retry}}, nil
}

// namedGet is a request for a prompt that is not found yet: see namedPrompt.
type namedGet struct {
	namedPrompt
	arguments string // as JSON, because only the prompt says which are kept
	retry     *elicit.Retry
}

// Run is the work of the request.
func (n *namedGet) Run(ctx context.Context, dst []byte) ([]byte, error) {
	all, d, f := n.find(ctx, n.prompt)
	if f != nil {
		return nil, f
	}
	g := &getRequest{scope: scope{server: n.server, prompts: all}, definition: d, retry: n.retry, method: methodGet}
	if f := g.collectText(ctx, n.arguments, argument.Given{}); f != nil {
		return nil, f
	}
	return g.Run(ctx, dst)
}

// getThroughMiddleware is get for a request that goes through the middleware.
func (s *Server) getThroughMiddleware(c *rpc.Call, name string, args strictjson.Value, retry *elicit.Retry) feature.Work {
	all := new(struct { // in one allocation
		middlewareRequest
		request Request
		get     servedGet
	})
	p, g, m := &all.middlewareRequest, &all.get, &c.Message
	p.request, p.served, g.retry = &all.request, g, retry
	p.request.Prompt = name
	p.request.Arguments, p.request.NonStrings = argument.TextsOf(args, false, m.Large)
	if p.request.NonStrings != nil {
		g.text = m.Own(args.Raw())
		if m.Large {
			c.Keeps += len(g.text)
		}
	}
	return s.throughMiddleware(c, p)
}

// servedGet is a request for a prompt behind a middleware.
type servedGet struct {
	retry *elicit.Retry
	text  string // of all arguments, if NonStrings has some
}

func (g *servedGet) answer(ctx context.Context, p *middlewareRequest, r *Request) (*Response, pendingRequest, *rpc.Failure) {
	all, d, f := p.find(ctx, r.Prompt)
	if f != nil {
		return nil, nil, f
	}
	q := &getRequest{scope: scope{server: p.server, prompts: all}, definition: d, retry: g.retry, method: methodGet}
	if f := q.collectText(ctx, g.text, argument.Given{IsAltered: true, Texts: r.Arguments, NonStrings: r.NonStrings}); f != nil {
		return nil, nil, f
	}
	q.begin(ctx)
	result, pending, f := q.render(ctx)
	if pending {
		return nil, q, nil
	}
	return q.response(result), nil, f
}

// response returns the response of next.
func (g *getRequest) response(r *Result) *Response {
	m := g.definition.more()
	return &Response{Result: r, Digest: m.Digest, Release: g.prompts.releaseOf(m.Source).public(), Elicited: g.retry.HasState() || g.rounds > 0 || g.hasAsked.Load()}
}

func (g *servedGet) append(p *middlewareRequest, dst []byte, r *Response) ([]byte, error) {
	var v served
	var err error
	if !p.server.options.DisableReleaseMeta {
		if v, err = r.served(); err != nil {
			return nil, rpc.InternalFailure(p.Subject(), err)
		}
	}
	dst, err = p.server.appendResult(dst, p.rev, p.caller.Host, p.caller.Secrets(), r.Result, v)
	if err != nil {
		return nil, rpc.InvalidResult(p.Subject(), err)
	}
	return dst, nil
}

func (g *servedGet) fail(_ *middlewareRequest, _ []byte, f *rpc.Failure) ([]byte, error) {
	return nil, f
}

// getRequest is one request for a prompt that the client may see.
type getRequest struct {
	scope
	definition *definition
	rounds     uint8             // of forms that ask for arguments
	isTyped    bool              // the arguments are typed, as those of a tool
	keys       map[string]string // what the client calls arguments, by name; may be nil
	texts      []argument.Text   // of the declared arguments
	few        [4]argument.Text  // the array of texts for most prompts
	others     *otherArguments   // undeclared arguments; nil without any
	refilled   []int             // positions of the arguments that a form has just filled in
	retry      *elicit.Retry
	boundTo    *seal.Binding // once it is known
	method     string        // of the client's request
}

// collect takes the arguments of the request.
func (g *getRequest) collect(given argument.Given) {
	given.IsTyped, given.IsStrict = g.isTyped, g.server.options.StrictArguments
	texts, problems, ignored := g.definition.plan.Collect(g.few[:0], given)
	g.texts, g.others = texts, newOtherArguments(problems, ignored)
}

// collectText is collect for arguments that the request has kept as JSON, while it runs.
func (g *getRequest) collectText(ctx context.Context, text string, given argument.Given) *rpc.Failure {
	err := rpc.FromContext(ctx).Parse(text, func(object strictjson.Value, _ error) {
		given.Object, given.Detach = object, wire.IsLarge(len(text))
		g.collect(given)
	})
	if err != nil {
		return rpc.InternalFailure(g.Subject(), err)
	}
	return nil
}

func (g *getRequest) Subject() string { return promptSubject(g.definition.prompt.Name) }

func (g *getRequest) LogAttr() slog.Attr { return promptAttr(g.definition) }

// Run is the work of a request for a prompt.
func (g *getRequest) Run(ctx context.Context, dst []byte) ([]byte, error) {
	g.begin(ctx)
	result, pending, f := g.render(ctx)
	switch {
	case f != nil:
		return nil, f
	case pending:
		return runResult(g.appendPending(ctx, dst))
	}
	dst, err := g.server.appendResult(dst, g.request.Rev, g.request.Host, g.request.Secrets(), result, g.served())
	if err != nil {
		return nil, rpc.InvalidResult(g.Subject(), err)
	}
	return dst, nil
}

// served returns the version of what the request renders.
func (g *getRequest) served() served {
	if g.server.options.DisableReleaseMeta {
		return served{}
	}
	m := g.definition.more()
	return served{m.Digest, g.prompts.releaseOf(m.Source)}
}

// appendPending appends the result that asks the questions of the prompt.
func (g *getRequest) appendPending(ctx context.Context, dst []byte) ([]byte, *rpc.Failure) {
	return g.appendInputRequired(dst, g.binding(ctx))
}

// otherArguments are the arguments of a request that the prompt does not declare.
type otherArguments struct {
	problems []argument.Problem
	ignored  []string // the names of those that are not a problem
}

func newOtherArguments(problems []argument.Problem, ignored []string) *otherArguments {
	if problems == nil && ignored == nil {
		return nil
	}
	return &otherArguments{problems, ignored}
}

// binding returns what a state of this request is bound to. It comes before the
// client fills in arguments, which are not part of the request.
func (g *getRequest) binding(ctx context.Context) seal.Binding {
	if g.boundTo == nil {
		parts := []string{g.definition.prompt.Name}
		for i, text := range g.texts {
			a := &g.definition.plan.Arguments[i]
			switch {
			case text.Given:
				parts = append(parts, a.Name, a.Canonical(text.Value))
			case text.IsNull:
				parts = append(parts, "", a.Name) // no argument has the name ""
			}
		}
		to := elicit.Bind(g.method, g.server.Principal(ctx), parts)
		g.boundTo = &to
	}
	return *g.boundTo
}

// resumeArguments resumes the state of an earlier request, if the client has sent one,
// and restores the arguments that the user was asked for.
func (g *getRequest) resumeArguments(ctx context.Context) *rpc.Failure {
	if g.retry == nil {
		return nil
	}
	if f := g.resume(g.retry, func() seal.Binding { return g.binding(ctx) }); f != nil {
		return f
	}
	g.knowledge().Restore(g.definition.plan, g.texts)
	return nil
}

// maxAsked is the maximum number of forms for arguments in one request of a session. In
// 2026-07-28 a form ends the request, and the client decides whether to send another.
const maxAsked = 3

// askFor asks the client for the arguments that have problems, if
// Options.ElicitArguments is set, and fills in the answer. It reports whether the
// question is pending. If it cannot ask, it returns refused.
func (g *getRequest) askFor(ctx context.Context, problems []argument.Problem, refused *rpc.Failure) (pending bool, f *rpc.Failure) {
	if !g.server.options.ElicitArguments || g.rounds == maxAsked {
		return false, refused
	}
	d := g.definition
	q := elicit.ForArguments(g.request, d.plan, cmp.Or(d.prompt.Title, d.prompt.Name), !d.more().DisableHints, problems, g.keys)
	if q == nil {
		return false, refused
	}
	g.rounds++
	if g.request.Rev.Stateless() {
		_ = g.binding(ctx) // before the texts change
	}
	texts, pending, err := g.knowledge().AskArguments(ctx, g.request, q)
	if pending {
		return true, nil
	}
	var unable *elicit.Unavailable
	var declined *elicit.Refused
	switch {
	case errors.As(err, &unable):
		// To the client it is as if it had not been tried.
		return false, &rpc.Failure{
			Client: refused.Client, Event: "cannot ask client for arguments", Level: slog.LevelInfo,
			Log: errors.Join(refused.Log, err), Cause: askErrorOf(err),
		}
	case errors.As(err, &declined):
		return false, &rpc.Failure{Client: declinedArguments(d.prompt.Name, problems, declined), Cause: askErrorOf(err)}
	case err != nil:
		return false, g.fail(askErrorOf(err))
	}
	g.refilled = q.Positions
	for i, at := range g.refilled {
		g.texts[at] = texts[i]
	}
	return false, nil
}

// nameIgnored adds the ignored arguments to an error about arguments. One of them
// may be the misspelled name of an argument that is missing.
func (g *getRequest) nameIgnored(f *rpc.Failure) {
	if f == nil || g.others == nil || g.others.ignored == nil {
		return
	}
	if data, ok := f.Client.Data.(argumentsData); ok {
		var sentence string
		data.Ignored, sentence = g.definition.plan.Ignored(g.others.ignored)
		f.Client.Data = data
		f.Client.Message += "; " + sentence
	}
}

// begin begins the run of the prompt.
func (g *getRequest) begin(ctx context.Context) {
	d := g.definition
	g.Context, g.request, g.prompt = ctx, rpc.FromContext(ctx), d.prompt.Name
	g.request.SetPrompt(d.prompt.Name)
	if g.request.IsObserved() {
		m := d.more()
		r := g.prompts.releaseOf(m.Source).public()
		g.request.SetVersion(m.Digest, r.ID, r.Label)
	}
}

// render returns the result of the prompt, or reports that questions to the client are
// pending. The conversion of an argument and the render function may be the application's
// code.
func (g *getRequest) render(ctx context.Context) (result *Result, pending bool, f *rpc.Failure) {
	d := g.definition
	if f := g.resumeArguments(ctx); f != nil {
		return nil, false, f
	}
	if d.plan.HasSensitive {
		addValues(g.request, d.plan.Secrets(g.texts))
	}
	for {
		render, problems := g.fill()
		var refused *rpc.Failure
		if len(problems) > 0 {
			refused = &rpc.Failure{Client: argumentsError(d.prompt.Name, problems)}
		} else {
			result, err := render.call(&g.scope)
			g.reportUnsent(err, g.LogAttr())
			if err == nil {
				return result, false, nil
			}
			// The function may reject an argument that fill has accepted.
			if problems = argument.ArgumentErrors(err, nil); len(problems) == 0 {
				if g.request.Rev.Stateless() && errors.Is(err, ErrInputRequired) {
					return nil, true, nil
				}
				return nil, false, g.fail(err)
			}
			refused = g.fail(err)
		}
		if pending, f := g.askFor(ctx, problems, refused); f != nil || pending {
			g.nameIgnored(f)
			return nil, pending, f
		}
	}
}

// fill fills in the arguments of the request. It records the valid answers of
// the user, and adds the problems of undeclared arguments.
func (g *getRequest) fill() (filledRender, []argument.Problem) {
	d := g.definition
	var render filledRender
	var problems []argument.Problem
	if !g.isTyped && g.request.Host.Has(hosts.SendsPlaceholders) {
		problems = d.plan.Placeholders(g.texts, g.request.Host.Host, hosts.IsPlaceholder)
	}
	if len(problems) == 0 {
		render, problems = d.bind(g.texts)
	}
	if len(g.refilled) > 0 {
		g.knowledge().Record(d.plan, g.texts, g.refilled, problems)
	}
	if g.others != nil {
		problems = append(problems, g.others.problems...)
	}
	return render, problems
}

// fail returns the failure of a render function's error.
func (g *getRequest) fail(err error) *rpc.Failure {
	e := renderError(g.definition.prompt.Name, err)
	if e == nil || len(argument.ArgumentErrors(err, nil)) == 0 {
		e = cmp.Or(elicitationError(g.request.Rev, "prompt", err), e)
	}
	if e != nil {
		f := clientFailure(e, err)
		f.IsAnswer = true
		return f
	}
	return rpc.InternalFailure(g.Subject(), err)
}
