package prompts

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"strings"

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
	g := &servedGet{promptRequest: promptRequest{server: s, prompt: s.registry.snapshot().meant(c.Message.Own(name.Text()))}, retry: retry}
	g.take(c, args, c.Message.Large)
	return nil, feature.Work{Handler: g}, nil
}

// servedGet is a request for a prompt: of prompts/get, or of a method of a feature.
type servedGet struct {
	promptRequest
	feature *rendering // nil for prompts/get
	retry   *elicit.Retry
	// text has the arguments, unless the prompt was found at once. Their parsed form takes
	// several times the memory of the text, so it is not kept while a request waits.
	text     string
	isUnread bool       // the text is what Render got, and nobody has read it
	own      getRequest // the only run, unless a middleware calls next again
}

// take takes the arguments of the request. If the prompt is found at once, the arguments are
// collected as the server has parsed them. Otherwise only the prompt says which are kept, so
// all are, as JSON.
func (g *servedGet) take(c *rpc.Call, args strictjson.Value, detach bool) {
	if g.server.isOpen() {
		all := g.server.registry.snapshot()
		if d, ok := all.Get(g.prompt); ok {
			c.SetPrompt(d.prompt.Name)
			g.decide(d)
			g.own.collect(g, all, d, argument.Given{Object: args, Detach: detach})
			return
		}
	}
	r := g.open(c, g)
	if r != nil {
		r.Arguments, r.NonStrings = argument.TextsOf(args, g.feature != nil, detach)
		if g.feature == nil && r.NonStrings == nil {
			return // the texts are all
		}
	}
	if g.text = args.Raw(); detach {
		g.text = strings.Clone(g.text)
		if r != nil { // which has copies of the texts too
			c.Keeps += len(g.text)
		}
	}
}

// takeText takes the arguments of a feature, as JSON that is read when the request runs.
func (g *servedGet) takeText(c *rpc.Call, text string) {
	g.text, g.isUnread = text, true
	if r := g.open(c, g); r != nil {
		c.Keeps += len(text)
		g.around.prepare = func() error {
			g.isUnread = false
			return g.around.caller.Parse(text, func(args strictjson.Value, err error) {
				r.Arguments, r.NonStrings = argument.TextsOf(g.feature.check(args, err), true, true)
			})
		}
	}
}

// Run is the work of the request.
func (g *servedGet) Run(ctx context.Context, dst []byte) ([]byte, error) { return g.run(ctx, dst, g) }

func (g *servedGet) methods() (seen, client string) {
	if g.feature != nil {
		return methodGet, g.feature.method
	}
	return methodGet, methodGet
}

// name returns the name of the prompt for an error. A client that has named a tool learns
// the name of the prompt only if it may see the prompt.
func (g *servedGet) name() string {
	if tool := g.hiddenTool(); tool != "" {
		return tool
	}
	return g.prompt
}

func (g *servedGet) Subject() string {
	if tool := g.hiddenTool(); tool != "" {
		return "tool " + argument.Quote(tool)
	}
	return promptSubject(g.prompt)
}

// hiddenTool returns the tool that the client has named, as long as it may not see the prompt.
func (g *servedGet) hiddenTool() string {
	if g.feature == nil || g.shown.Load() != nil {
		return ""
	}
	return g.feature.tool
}

func (g *servedGet) answer(ctx context.Context, r *Request, _ []byte) (Response, *getRequest, *rpc.Failure) {
	q := &g.own
	if r != nil && g.around.hasRun.Swap(true) {
		q = new(getRequest)
	}
	if q.definition == nil { // else it was found at once
		all, d, f := g.find(ctx, r, g.name())
		if f != nil {
			return Response{}, nil, f
		}
		given := argument.Given{}
		if r != nil {
			given.IsAltered, given.Texts, given.NonStrings = true, r.Arguments, r.NonStrings
		}
		if f := q.collectText(ctx, g, all, d, given); f != nil {
			return Response{}, nil, f
		}
	}
	q.begin(ctx)
	result, pending, f := q.render(ctx)
	if pending {
		return Response{}, q, nil
	}
	return q.response(result), nil, f
}

// response returns the response for a result. Only a middleware looks at more than is sent.
func (g *getRequest) response(r *Result) Response {
	m := g.definition.more()
	of := g.prompts.releaseOf(m.Source)
	if g.of.around == nil {
		return Response{Result: r, own: served{m.Digest, of}}
	}
	return Response{Result: r, Digest: m.Digest, Release: of.public(), Elicited: g.of.retry.HasState() || g.rounds > 0 || g.hasAsked.Load()}
}

func (g *servedGet) append(ctx context.Context, dst []byte, r Response) ([]byte, error) {
	if g.feature != nil {
		return g.feature.append(ctx, dst, r.Result)
	}
	var v served
	var err error
	if !g.server.options.DisableReleaseMeta {
		if v, err = g.version(&r); err != nil {
			return nil, rpc.InternalFailure(g.Subject(), err)
		}
	}
	caller := rpc.FromContext(ctx)
	dst, err = g.server.appendResult(dst, caller.Rev, caller.Host, caller.Secrets(), r.Result, v)
	if err != nil {
		return nil, rpc.InvalidResult(g.Subject(), err)
	}
	return dst, nil
}

func (g *servedGet) fail(ctx context.Context, dst []byte, f *rpc.Failure) ([]byte, error) {
	if g.feature != nil {
		return g.feature.fail(ctx, dst, f, g)
	}
	return nil, f
}

// getRequest is one run of a request for a prompt that the client may see.
type getRequest struct {
	scope
	of       *servedGet
	rounds   uint8            // of forms that ask for arguments
	texts    []argument.Text  // of the declared arguments
	few      [4]argument.Text // the array of texts for most prompts
	others   *otherArguments  // undeclared arguments; nil without any
	refilled []int            // positions of the arguments that a form has just filled in
	boundTo  *seal.Binding    // once it is known
}

// collect sets the prompt of the run, and takes its arguments.
func (g *getRequest) collect(of *servedGet, all *snapshot, d *definition, given argument.Given) {
	g.of, g.server, g.prompts, g.definition = of, of.server, all, d
	given.IsTyped, given.IsStrict = of.feature != nil, of.server.options.StrictArguments
	texts, problems, ignored := d.plan.Collect(g.few[:0], given)
	g.texts, g.others = texts, newOtherArguments(problems, ignored)
}

// collectText is collect for arguments that the request has kept as JSON, while it runs.
func (g *getRequest) collectText(ctx context.Context, of *servedGet, all *snapshot, d *definition, given argument.Given) *rpc.Failure {
	err := rpc.FromContext(ctx).Parse(of.text, func(object strictjson.Value, err error) {
		if of.isUnread {
			object = of.feature.check(object, err)
		}
		given.Object, given.Detach = object, wire.IsLarge(len(of.text))
		g.collect(of, all, d, given)
	})
	if err != nil {
		return rpc.InternalFailure(promptSubject(d.prompt.Name), err)
	}
	return nil
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
		_, method := g.of.methods()
		to := elicit.Bind(method, g.server.Principal(ctx), parts)
		g.boundTo = &to
	}
	return *g.boundTo
}

// resumeArguments resumes the state of an earlier request, if the client has sent one,
// and restores the arguments that the user was asked for.
func (g *getRequest) resumeArguments(ctx context.Context) *rpc.Failure {
	if g.of.retry == nil {
		return nil
	}
	if f := g.resume(g.of.retry, func() seal.Binding { return g.binding(ctx) }); f != nil {
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
	var keys map[string]string
	if g.of.feature != nil {
		keys = g.of.feature.keys
	}
	q := elicit.ForArguments(g.request, d.plan, cmp.Or(d.prompt.Title, d.prompt.Name), !d.more().DisableHints, problems, keys)
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
	g.Context, g.request = ctx, rpc.FromContext(ctx)
	if g.request.IsObserved() {
		g.request.SetPrompt(d.prompt.Name)
		if v := g.of.feature; v != nil && v.tool != "" {
			g.request.SetTool(v.tool)
		}
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
	if v := g.of.feature; v != nil && v.malformed != nil { // of which only who may see the prompt learns
		return nil, false, &rpc.Failure{Client: v.malformed, IsAnswer: true}
	}
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
			if g.known.Load() != nil {
				g.reportUnsent(err, promptAttr(d))
			}
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
	if g.of.feature == nil && g.request.Host.Has(hosts.SendsPlaceholders) {
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
	return rpc.InternalFailure(promptSubject(g.definition.prompt.Name), err)
}
