package prompts

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"math"
	"strings"

	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// getPrompt is the method prompts/get.
func getPrompt(c *call, _ []byte) ([]byte, work, *Error) {
	p := c.message.params
	if p.Kind() != strictjson.Object {
		return nil, work{}, invalidParams("params are required, an object")
	}
	if err := checkCase(p, "name", "arguments", "_meta", "inputResponses", "requestState"); err != nil {
		return nil, work{}, err
	}
	name := p.Get("name")
	if name.Kind() != strictjson.String {
		return nil, work{}, invalidParam("name", "name is required, a string")
	}
	args := p.Get("arguments")
	switch args.Kind() {
	case strictjson.Invalid, strictjson.Null, strictjson.Object:
	default:
		return nil, work{}, invalidParam("arguments", "arguments must be an object of strings")
	}
	s := c.server
	if err := s.checkSizes("arguments", args); err != nil {
		return nil, work{}, err
	}
	if s.handler != nil {
		w, err := c.passGet(name.Text(), args)
		return nil, w, err
	}
	g := &rendering{server: s, rev: c.rev}
	if c.rev.Stateless() {
		var err *Error
		if g.responses, g.state, err = retryParams(p); err != nil {
			return nil, work{}, err
		}
	}
	d, ok := s.registry.snapshot().Get(name.Text())
	if !ok {
		return s.unknown(name.Text())
	}
	g.definition = d
	g.texts, g.undeclared = d.plan.collect(g.few[:0], args, s.options.StrictArguments, c.message.large)
	return nil, work{code: g, failed: renderFailed}, nil
}

// passGet is getPrompt for a request that goes through the middleware.
func (c *call) passGet(name string, args strictjson.Value) (work, *Error) {
	p := &passage{request: &Request{Prompt: name, Arguments: map[string]string{}}}
	if c.rev.Stateless() {
		var err *Error
		if p.responses, p.state, err = retryParams(c.message.params); err != nil {
			return work{}, err
		}
	}
	for name, v := range args.Members() {
		if v.Kind() == strictjson.String {
			p.request.Arguments[strings.Clone(name)] = strings.Clone(v.Text())
		} else {
			p.request.NotStrings = append(p.request.NotStrings, strings.Clone(name))
		}
	}
	return c.passage(p, renderFailed), nil
}

// maxResponses is the size of the largest inputResponses, in bytes.
const maxResponses = 256 << 10

// retryParams returns what a request brings that answers an input_required.
func retryParams(p strictjson.Value) (responses, state string, err *Error) {
	switch v := p.Get("inputResponses"); v.Kind() {
	case strictjson.Invalid, strictjson.Null:
	case strictjson.Object:
		if responses = v.Raw(); len(responses) > maxResponses {
			return "", "", invalidParam("inputResponses", "inputResponses must not have more than %d bytes", maxResponses)
		}
	default:
		return "", "", invalidParam("inputResponses", "inputResponses must be an object")
	}
	switch v := p.Get("requestState"); v.Kind() {
	case strictjson.Invalid, strictjson.Null:
	case strictjson.String:
		if state = v.Text(); state == "" {
			return "", "", errState
		}
	default:
		return "", "", invalidParam("requestState", "requestState must be a string")
	}
	return responses, state, nil
}

// rendering is one request for a prompt, checked as far as that needs no
// author's code.
type rendering struct {
	server     *Server
	definition *definition
	rev        revision.Revision
	rounds     uint8     // of forms that ask for arguments
	texts      []given   // of the declared arguments
	few        [4]given  // which has room for the texts of most prompts
	undeclared []problem // of others
	refilled   []int     // positions of those that a form has just filled in
	// What a request that answers an input_required brings: the JSON of the
	// responses and the state; empty if there is none.
	responses, state string

	boundTo *binding // once it is known
	caller  *caller  // once it is rendered
}

const renderFailed = "the prompt could not be rendered"

// errState is the one answer to every requestState that is not to be trusted,
// whatever is wrong with it (GAP-39).
var errState = invalidParam("requestState", "requestState is not one that this server has given for this request, or it is too old")

func (g *rendering) subject() slog.Attr { return slog.String("prompt", g.definition.prompt.Name) }

// run is the work of a request for a prompt.
func (g *rendering) run(ctx context.Context, dst []byte) ([]byte, *failure) {
	c := callerOf(ctx)
	result, f := g.render(ctx, c)
	switch {
	case f == nil:
		return g.server.appendResult(dst, g.rev, result)
	case f.asking != nil:
		return g.appendInputRequired(ctx, dst)
	}
	return nil, f
}

// render returns what the prompt comes to. All of it may be an author's code:
// the filter, the conversion of an argument, the render function.
func (g *rendering) render(ctx context.Context, c *caller) (*Result, *failure) {
	d := g.definition
	if !g.server.isVisible(ctx, d) {
		return nil, &failure{seen: unknownPrompt(d.prompt.Name)}
	}
	g.caller, c.asks, c.rendered = c, true, d.prompt.Name
	if f := g.open(ctx, c); f != nil {
		return nil, f
	}
	for {
		render, problems := g.bind(c)
		var refused *failure
		if len(problems) > 0 {
			refused = &failure{seen: argumentsError(d.prompt.Name, problems)}
		} else {
			result, err := render.call(ctx)
			if err == nil {
				return result, nil
			}
			// The function may find fault with an argument that bind has not.
			if problems = blamed(err, nil); len(problems) == 0 {
				if g.rev.Stateless() && errors.Is(err, ErrInputRequired) {
					return nil, &failure{asking: g}
				}
				return nil, g.fail(err)
			}
			refused = g.fail(err)
		}
		pending, f := g.askFor(ctx, c, problems, refused)
		switch {
		case f != nil:
			return nil, f
		case pending:
			return nil, &failure{asking: g}
		}
	}
}

// binding returns what a state of this request is bound to. It comes before the
// client fills in arguments, which are not part of the request.
func (g *rendering) binding(ctx context.Context) binding {
	if g.boundTo == nil {
		to := g.server.bindState(ctx, g.definition, g.texts)
		g.boundTo = &to
	}
	return *g.boundTo
}

// open takes over what the request brings from an earlier one.
func (g *rendering) open(ctx context.Context, c *caller) *failure {
	if g.state != "" {
		state, ok, err := g.server.openState(g.state, g.binding(ctx))
		if err != nil {
			return hide(renderFailed, err)
		}
		if !ok {
			return &failure{seen: errState}
		}
		r := c.round()
		r.roundState, r.expires = state.roundState, state.Expires
		for i := range g.texts {
			if text, ok := state.Texts[g.definition.plan.arguments[i].Name]; ok {
				g.texts[i] = given{}
				if text != nil {
					g.texts[i] = given{text: *text, ok: true}
				}
			}
		}
	}
	if g.responses != "" {
		c.round().unread = g.responses
	}
	return nil
}

// fail returns the failure of a render function's error.
func (g *rendering) fail(err error) *failure {
	e := renderError(g.definition.prompt.Name, err)
	if e == nil || len(blamed(err, nil)) == 0 {
		e = cmp.Or(askError(g.rev, err), e)
	}
	if e != nil {
		return show(e, err)
	}
	return hide(renderFailed, err)
}

// appendResult appends the result of a prompt, checked, in the form of a
// revision.
func (s *Server) appendResult(dst []byte, rev revision.Revision, r *Result) ([]byte, *failure) {
	e := encoder{
		buf: dst, rev: rev, fallback: s.options.Fallback, serverInfo: s.serverInfo,
		room: min(s.options.MaxResultBytes, math.MaxInt-1) + 1, // 0 is no limit
	}
	e.result(r)
	if len(e.faults) > 0 {
		return nil, hide("the prompt's content is not valid", errors.Join(e.faults...))
	}
	return e.buf, nil
}

// appendInputRequired appends the result that asks the pending questions.
func (g *rendering) appendInputRequired(ctx context.Context, dst []byte) ([]byte, *failure) {
	s, c := g.server, g.caller
	questions, state := c.round().asked(s.options.StateTTL)
	if len(questions) == 0 {
		return nil, hide(renderFailed, errors.New("the render function has returned ErrInputRequired without asking anything"))
	}
	sealed, err := s.sealState(state, g.binding(ctx))
	if err != nil {
		if errors.Is(err, errStateSize) && state.sizeOfAnswers() > maxState/2 {
			return nil, &failure{seen: errAnswersSize}
		}
		return nil, hide(renderFailed, err)
	}
	dst = append(dst, `{"resultType":"input_required","inputRequests":{`...)
	for i, q := range questions {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strictjson.AppendString(dst, q.key)
		dst = append(dst, `:{"method":"`...)
		dst = append(dst, q.method...)
		dst = append(dst, `","params":`...)
		dst = append(dst, q.params...)
		dst = append(dst, '}')
	}
	dst = append(dst, `},"requestState":"`...)
	dst = append(dst, sealed...)
	dst = append(dst, `","_meta":{`...)
	dst = append(dst, s.serverInfo...)
	return append(dst, "}}"...), nil
}
