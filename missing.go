package prompts

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
)

// argumentsKey is the key of the question for arguments of the prompt itself.
const argumentsKey = "prompt.arguments"

// maxAsked is how often a person is asked for arguments in one request.
// (Where each question is a request of its own, the client decides.)
const maxAsked = 3

// bind fills in the arguments of a call.
func (g *rendering) bind(c *caller) (bound, []problem) {
	d := g.definition
	render, problems := d.bind(g.texts)
	if len(g.refilled) > 0 {
		c.round().learn(d, g.texts, g.refilled, problems)
	}
	return render, append(problems, g.undeclared...)
}

// askFor has the client asked for the arguments that have problems, if
// Options.AskArguments says so, and fills in what it answers. It reports
// whether the question is pending; it fails with refused if nobody is asked.
func (g *rendering) askFor(ctx context.Context, c *caller, problems []problem, refused *failure) (pending bool, f *failure) {
	q := g.question(problems)
	if q == nil || g.rounds == maxAsked || c.canAsk(clientCapabilities{form: true}) != nil {
		return false, refused
	}
	g.rounds++
	if g.rev.Stateless() {
		_ = g.binding(ctx) // before the texts change
	}
	c.round().forgetTexts(g.definition, q.positions)
	result, pending, err := g.ask(ctx, c, q)
	// What the function has learnt so far was about other arguments.
	c.round().restart()
	var unable *cannotAsk
	switch {
	case errors.As(err, &unable):
		// To the client it is as if it had not been tried.
		return false, &failure{
			seen: refused.seen, title: "a client could not be asked for arguments", level: slog.LevelInfo,
			unseen: errors.Join(refused.unseen, err), cause: err,
		}
	case err != nil:
		return false, g.fail(err)
	case pending:
		return true, nil
	}
	texts, err := q.form.read(argumentsKey, g.rev, result)
	var declined *refusal
	switch {
	case errors.As(err, &declined):
		return false, &failure{seen: declined.ofArguments(g.definition.prompt.Name, problems), cause: err}
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
func (g *rendering) question(problems []problem) *argumentsQuestion {
	if !g.server.options.AskArguments {
		return nil
	}
	p := g.definition.plan
	q := &argumentsQuestion{form: form{plan: &plan{}, hints: !g.definition.prompt.NoHints}}
	var wrong []string
	for _, problem := range problems {
		i := p.find(problem.Argument)
		if i < 0 {
			return nil
		}
		if slices.Contains(q.positions, i) {
			continue
		}
		if problem.Reason != reasonMissing {
			wrong = append(wrong, problem.sentence())
		}
		q.positions = append(q.positions, i)
		q.form.plan.arguments = append(q.form.plan.arguments, p.arguments[i])
	}
	q.form.message = "Please fill in what the prompt " + quote(g.definition.displayName()) + " needs."
	if len(wrong) > 0 {
		q.form.message += " " + strings.Join(wrong, "; ")
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
func (g *rendering) ask(ctx context.Context, c *caller, q *argumentsQuestion) (result string, pending bool, err error) {
	if q.params, err = q.form.params(g.rev); err != nil {
		return "", false, err
	}
	if !g.rev.Stateless() {
		if err := c.base().asking.take(ctx, c.own); err != nil { // from goroutines of a function that has returned
			return "", false, err
		}
		defer c.base().asking.give()
		results, err := c.peer.request(ctx, []*question{&q.question})
		if err != nil {
			return "", false, err
		}
		return results[0], false, nil
	}
	if result, ok := c.round().takeResponse(argumentsKey); ok {
		return result, false, nil
	}
	c.round().pend([]*question{&q.question})
	return "", true, nil
}

// takeResponse returns what this request answers to a question, once.
func (r *round) takeResponse(key string) (string, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.taken {
		return "", false
	}
	r.taken = true
	return r.fresh(key)
}

// forgetTexts is for arguments that are asked for again.
func (r *round) forgetTexts(d *definition, positions []int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, i := range positions {
		delete(r.Texts, d.plan.arguments[i].Name)
		delete(r.newTexts, d.plan.arguments[i].Name)
	}
}

// learn keeps the arguments that were asked for and have no problem.
func (r *round) learn(d *definition, texts []given, asked []int, problems []problem) {
	wrong := map[string]bool{}
	for _, p := range problems {
		wrong[p.Argument] = true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Texts == nil {
		r.Texts = map[string]*string{}
	}
	if r.newTexts == nil {
		r.newTexts = map[string]bool{}
	}
	for _, i := range asked {
		if name := d.plan.arguments[i].Name; !wrong[name] {
			r.Texts[name], r.newTexts[name] = nil, true
			if text := texts[i].text; texts[i].ok {
				r.Texts[name] = &text
			}
		}
	}
}
