package prompts

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/argument"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/internal/seal"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/wire"
)

// This file serves prompts/get: from params to arguments, to the render function, to
// the result. If arguments are missing it can ask the user for them. What travels
// between the requests of one prompt is in retry.go.

// get is the method prompts/get.
func (s *Server) get(c *rpc.Call, _ []byte) ([]byte, feature.Work, *wire.Error) {
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
	if err := s.checkSizes("arguments", args); err != nil {
		return nil, feature.Work{}, err
	}
	if s.handler != nil {
		w, err := s.getThroughMiddleware(c, name.Text(), args)
		return nil, w, err
	}
	g := &getRequest{scope: scope{server: s}}
	if c.Rev.Stateless() {
		var err *wire.Error
		if g.responses, g.state, err = retryParams(p); err != nil {
			return nil, feature.Work{}, err
		}
		if c.Message.Large {
			g.responses, g.state = strings.Clone(g.responses), strings.Clone(g.state)
		}
	}
	d, ok := s.registry.snapshot().Get(name.Text())
	if !ok {
		return nil, s.unknown(name.Text(), promptSubject(name.Text()), 0), nil
	}
	if s.options.Visible == nil {
		c.SetPrompt(d.prompt.Name)
	}
	g.definition = d
	texts, problems, ignored := d.plan.Collect(g.few[:0], args, s.options.StrictArguments, c.Message.Large)
	g.texts, g.others = texts, newOtherArguments(problems, ignored)
	return nil, feature.Work{Handler: g}, nil
}

// passGet is get for a request that goes through the middleware.
func (s *Server) getThroughMiddleware(c *rpc.Call, name string, args strictjson.Value) (feature.Work, *wire.Error) {
	p := &middlewareRequest{request: &Request{Prompt: name, Arguments: map[string]string{}}}
	if c.Rev.Stateless() {
		var err *wire.Error
		if p.responses, p.state, err = retryParams(c.Message.Params); err != nil {
			return feature.Work{}, err
		}
		if c.Message.Large {
			p.responses, p.state = strings.Clone(p.responses), strings.Clone(p.state)
		}
	}
	for name, v := range args.Members() {
		if v.Kind() == strictjson.String {
			p.request.Arguments[strings.Clone(name)] = strings.Clone(v.Text())
		} else {
			name = strings.Clone(name)
			p.request.NonStrings = append(p.request.NonStrings, name)
			if p.examples == nil {
				p.examples = map[string]string{}
			}
			p.examples[name] = strings.Clone(argument.ExampleOf(v))
		}
	}
	return s.throughMiddleware(c, p, promptSubject(p.request.Prompt)), nil
}

// maxResponses is the size of the largest inputResponses, in bytes.
const maxResponses = 256 << 10

// retryParams returns what a request brings that answers an input_required.
func retryParams(p strictjson.Value) (responses, state string, err *wire.Error) {
	switch v := p.Get("inputResponses"); v.Kind() {
	case strictjson.Invalid, strictjson.Null:
	case strictjson.Object:
		if responses = v.Raw(); len(responses) > maxResponses {
			return "", "", wire.InvalidParam("inputResponses", "params.inputResponses exceeds the limit of %d bytes", maxResponses)
		}
	default:
		return "", "", wire.WrongKind("inputResponses", "params.inputResponses", "an object", v)
	}
	switch v := p.Get("requestState"); v.Kind() {
	case strictjson.Invalid, strictjson.Null:
	case strictjson.String:
		if state = v.Text(); state == "" {
			return "", "", errState
		}
	default:
		return "", "", wire.WrongKind("requestState", "params.requestState", "a string", v)
	}
	return responses, state, nil
}

// getRequest is one request for a prompt, after the checks that do not run the
// application's code.
type getRequest struct {
	scope
	definition *definition
	rounds     uint8            // of forms that ask for arguments
	texts      []argument.Text  // of the declared arguments
	few        [4]argument.Text // the array of texts for most prompts
	others     *otherArguments  // undeclared arguments; nil without any
	refilled   []int            // positions of the arguments that a form has just filled in
	// The params of a request that answers an input_required: the JSON of
	// inputResponses, and requestState. Empty for any other request.
	responses, state string

	boundTo *seal.Binding // once it is known
	via     *rendering    // nil for prompts/get
}

// promptSubject names a prompt in an error.
func promptSubject(name string) string { return "prompt " + argument.Quote(name) }

func (g *getRequest) Subject() string { return promptSubject(g.definition.prompt.Name) }

// errState is the one answer to every requestState that is not to be trusted,
// whatever is wrong with it (GAP-39).
var errState = wire.InvalidParam("requestState", "invalid or expired requestState; send the request again without it")

func (g *getRequest) LogAttr() slog.Attr { return slog.String("prompt", g.definition.prompt.Name) }

// Run is the work of a request for a prompt.
func (g *getRequest) Run(ctx context.Context, dst []byte) ([]byte, error) {
	result, pending, f := g.render(ctx)
	switch {
	case f != nil:
		return g.via.fail(ctx, dst, f)
	case pending:
		return runResult(g.appendInputRequired(dst, g.binding(ctx)))
	case g.via != nil:
		return g.via.append(ctx, dst, result)
	}
	dst, err := g.server.appendResult(dst, g.request.Rev, result)
	if err != nil {
		return nil, rpc.InvalidResult(g.Subject(), err)
	}
	return dst, nil
}

// render returns the result of the prompt, or reports that questions to the client are
// pending. The filter, the conversion of an argument and the render function may be the
// application's code.
func (g *getRequest) render(ctx context.Context) (result *Result, pending bool, f *rpc.Failure) {
	d := g.definition
	if !g.server.isVisible(ctx, d) {
		return nil, false, g.server.unknownPrompt(ctx, d.prompt.Name)
	}
	g.Context, g.request, g.prompt = ctx, rpc.FromContext(ctx), d.prompt.Name
	g.request.SetPrompt(d.prompt.Name)
	if g.via != nil {
		if g.via.Tool != "" {
			g.request.SetTool(g.via.Tool)
		}
		if g.via.malformed != nil {
			return nil, false, &rpc.Failure{Client: g.via.malformed, IsAnswer: true}
		}
	}
	if f := g.open(ctx); f != nil {
		return nil, false, f
	}
	defer g.withhold(&result, &f)
	if d.plan.HasSensitive {
		g.addSecrets(d.plan.Secrets(g.texts))
	}
	for {
		render, problems := g.bind()
		var refused *rpc.Failure
		if len(problems) > 0 {
			refused = &rpc.Failure{Client: argumentsError(d.prompt.Name, problems)}
		} else {
			result, err := render.call(&g.scope)
			if err == nil {
				return result, false, nil
			}
			// The function may reject an argument that bind has accepted.
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

// binding returns what a state of this request is bound to. It comes before the
// client fills in arguments, which are not part of the request.
func (g *getRequest) binding(ctx context.Context) seal.Binding {
	if g.boundTo == nil {
		parts := []string{g.definition.prompt.Name}
		for i, text := range g.texts {
			if text.Given {
				parts = append(parts, g.definition.plan.Arguments[i].Name, text.Value)
			}
		}
		to := g.server.bindState(ctx, g.via.method(), parts)
		g.boundTo = &to
	}
	return *g.boundTo
}

// open takes over what the request brings from an earlier one.
func (g *getRequest) open(ctx context.Context) *rpc.Failure {
	if g.state != "" {
		if f := g.openState(g.state, g.binding(ctx)); f != nil {
			return f
		}
		for i := range g.texts {
			if text, ok := g.retry().Texts[g.definition.plan.Arguments[i].Name]; ok {
				g.texts[i] = argument.Text{}
				if text != nil {
					g.texts[i] = argument.Text{Value: *text, Given: true}
				}
			}
		}
	}
	if g.responses != "" {
		g.retry().rawResponses = g.responses
	}
	return nil
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

// appendResult appends the result of a prompt, checked, in the form of a
// revision.
func (s *Server) appendResult(dst []byte, rev revision.Revision, r *Result) ([]byte, error) {
	e := encoder{
		buf: dst, rev: rev, fallback: s.options.Fallback, serverInfo: s.serverInfo,
		room: min(s.options.Limits.MaxResultBytes, math.MaxInt-1) + 1, // 0 is no limit
	}
	e.result(r)
	if len(e.errs) > 0 {
		return nil, errors.Join(e.errs...)
	}
	return e.buf, nil
}

// argumentsKey is the key of the question for arguments of the prompt itself.
const argumentsKey = "prompt.arguments"

// maxAsked is how often a person is asked for arguments in one request.
// (Where each question is a request of its own, the client decides.)
const maxAsked = 3

// bind fills in the arguments of a call.
func (g *getRequest) bind() (boundRender, []argument.Problem) {
	d := g.definition
	render, problems := d.bind(g.texts)
	if len(g.refilled) > 0 {
		g.retry().recordArguments(d, g.texts, g.refilled, problems)
	}
	if g.others != nil {
		problems = append(problems, g.others.problems...)
	}
	return render, problems
}

// askFor asks the client for the arguments that have problems, if
// Options.ElicitArguments is set, and fills in the answer. It reports whether the
// question is pending. If it cannot ask, it returns refused.
func (g *getRequest) askFor(ctx context.Context, problems []argument.Problem, refused *rpc.Failure) (pending bool, f *rpc.Failure) {
	q := g.question(problems)
	if q == nil || g.rounds == maxAsked || g.canAsk(wire.Capabilities{Form: true}) != nil {
		return false, refused
	}
	g.rounds++
	if g.request.Rev.Stateless() {
		_ = g.binding(ctx) // before the texts change
	}
	g.retry().forgetTexts(g.definition, q.positions)
	result, pending, err := g.ask(ctx, q)
	// What the function has learnt so far was about other arguments.
	g.retry().reset()
	var unable *unavailableError
	switch {
	case errors.As(err, &unable):
		// To the client it is as if it had not been tried.
		return false, &rpc.Failure{
			Client: refused.Client, Event: "cannot ask client for arguments", Level: slog.LevelInfo,
			Log: errors.Join(refused.Log, err), Cause: err,
		}
	case err != nil:
		return false, g.fail(err)
	case pending:
		return true, nil
	}
	texts, err := q.form.read(argumentsKey, g.request.Rev, result)
	var declined *refusedError
	switch {
	case errors.As(err, &declined):
		return false, &rpc.Failure{Client: declined.ofArguments(g.definition.prompt.Name, problems), Cause: err}
	case err != nil:
		return false, g.fail(err)
	}
	g.refilled = q.positions
	for i, at := range g.refilled {
		g.texts[at] = texts[i]
	}
	return false, nil
}

// argumentsQuestion asks for some of a prompt's arguments.
type argumentsQuestion struct {
	question
	form      form
	positions []int // of its arguments among the prompt's
}

// question returns the question for the arguments that have problems, or nil
// if it is not to be asked or would not help.
func (g *getRequest) question(problems []argument.Problem) *argumentsQuestion {
	if !g.server.options.ElicitArguments {
		return nil
	}
	p := g.definition.plan
	q := &argumentsQuestion{form: form{hints: !g.definition.prompt.DisableHints}}
	var wrong []string
	for _, problem := range problems {
		i := p.Find(problem.Argument)
		if i < 0 {
			return nil
		}
		if p.Arguments[i].Sensitive {
			return nil // MRT-25
		}
		if slices.Contains(q.positions, i) {
			continue
		}
		if problem.Reason != argument.ReasonMissing {
			wrong = append(wrong, g.knownSecrets().redact(problem.Sentence()))
		}
		q.positions = append(q.positions, i)
	}
	q.form.plan = p.Subset(q.positions)
	q.form.message = argument.Quote(g.definition.displayName()) + " needs a few details."
	for _, sentence := range wrong {
		q.form.message += "\n" + sentence
	}
	q.key, q.method = argumentsKey, methodElicit
	return q
}

// displayName returns the name for people.
func (d *definition) displayName() string {
	if d.prompt.Title != "" {
		return d.prompt.Title
	}
	return d.prompt.Name
}

// ask asks the question and returns the result that the client has answered
// with; or it reports that the question is pending.
func (g *getRequest) ask(ctx context.Context, q *argumentsQuestion) (result string, pending bool, err error) {
	if q.params, err = q.form.params(g.request.Rev); err != nil {
		return "", false, err
	}
	if !g.request.Rev.Stateless() {
		if err := g.request.LockAsking(ctx); err != nil { // from goroutines of a function that has returned
			return "", false, err
		}
		defer g.request.UnlockAsking()
		results, err := g.send(ctx, []*question{&q.question})
		if err != nil {
			return "", false, err
		}
		return results[0], false, nil
	}
	if result, ok := g.retry().takeResponse(argumentsKey); ok {
		return result, false, nil
	}
	g.retry().addPending([]*question{&q.question})
	return "", true, nil
}

// checkSizes refuses more arguments, and larger ones, than the options allow.
// args is the member of params with that name.
func (s *Server) checkSizes(param string, args strictjson.Value) *wire.Error {
	// Each has five characters at least, with its comma.
	if raw := len(args.Raw()); raw <= 5*s.options.Limits.MaxArguments && raw <= s.options.Limits.MaxArgumentBytes {
		return nil
	}
	n := 0
	for name, v := range args.Members() {
		if n++; n > s.options.Limits.MaxArguments {
			return wire.InvalidParam(param, "too many arguments (limit %d)", s.options.Limits.MaxArguments)
		}
		if len(v.Text()) > s.options.Limits.MaxArgumentBytes {
			return s.tooLong(param, name)
		}
	}
	return nil
}

func (s *Server) tooLong(param, name string) *wire.Error {
	return wire.InvalidParam(param, "argument %q exceeds the limit of %d bytes", phrase.Clip(name, 64), s.options.Limits.MaxArgumentBytes)
}
