package prompts

import (
	"cmp"
	"context"
	"errors"
	"log/slog"

	"github.com/mcp-prompts/prompts/internal/argument"
	"github.com/mcp-prompts/prompts/internal/elicit"
	"github.com/mcp-prompts/prompts/internal/hosts"
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/internal/seal"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/wire"
)

// This file has one run of a prompt for prompts/get or a method of a feature: from the arguments,
// which the user may be asked for, to the result. render.go runs the function of the prompt.

type getRequest struct {
	scope
	placed
	of       *servedGet
	rounds   uint8 // of forms that ask for arguments
	refilled []int // positions of the arguments that a form has just filled in
}

func (g *getRequest) collect(of *servedGet, all *snapshot, d *definition, given argument.Given) {
	g.of, g.server, g.prompts, g.definition = of, of.server, all, d
	given.IsTyped, given.IsStrict = of.feature != nil, of.server.options.StrictArguments
	g.place(d, given)
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

// binding returns what a state of this request is bound to. The first call comes before the
// client fills in arguments, which are not part of the request.
func (g *getRequest) binding() (seal.Binding, error) {
	_, method := g.of.methods()
	return g.bindTo(method, func() []string {
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
		return parts
	})
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
		_, _ = g.binding() // before the texts change
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

func (g *getRequest) begin(ctx context.Context) {
	d := g.definition
	g.Context, g.request = ctx, rpc.FromContext(ctx)
	host := g.request.Host
	if g.of.feature == nil && (host.Has(hosts.SendsEmptyFields) || host.Has(hosts.SkipsOptional) && d.hasOneOptional()) {
		d.plan.OmitEmpty(g.texts)
	}
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

// render returns the result of the prompt, or reports that questions to the client are pending.
// The conversion of an argument and the render function may be the application's code.
func (g *getRequest) render(ctx context.Context) (result *Result, pending bool, f *rpc.Failure) {
	d := g.definition
	if v := g.of.feature; v != nil && v.malformed != nil { // of which only who may see the prompt learns
		return nil, false, &rpc.Failure{Client: v.malformed, IsAnswer: true}
	}
	if g.of.retry != nil {
		if f := g.resume(g.of.retry, g.binding); f != nil {
			return nil, false, f
		}
		g.knowledge().Restore(d.plan, g.texts) // the arguments that the user was asked for
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
			if problems = d.plan.Locate(err); len(problems) == 0 {
				if g.isPending(err) {
					_, _ = g.binding()
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

// fill records the valid answers of the user, and adds the problems of undeclared arguments.
func (g *getRequest) fill() (filledRender, []argument.Problem) {
	d := g.definition
	var problems []argument.Problem
	if g.of.feature == nil && g.request.Host.Has(hosts.SendsPlaceholders) {
		problems = d.plan.Placeholders(g.texts, g.request.Host.Host)
	}
	render, problems := g.bind(g.Context, d, problems)
	if len(g.refilled) > 0 {
		g.knowledge().Record(d.plan, g.texts, g.refilled, problems)
	}
	return render, problems
}

func (g *getRequest) fail(err error) *rpc.Failure {
	d := g.definition
	if f := g.refused("prompt", renderError(d.prompt.Name, d.plan, err), err); f != nil {
		return f
	}
	return rpc.InternalFailure(promptSubject(d.prompt.Name), err)
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
