package prompts

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync/atomic"

	"github.com/mcp-prompts/prompts/internal/argument"
	"github.com/mcp-prompts/prompts/internal/schema"
)

// This file has the function of a prompt: it gets a struct or a map, and a Render that
// the application decorates gets a map.

// filledRender is a render function with its arguments filled in.
type filledRender interface {
	call(ctx context.Context) (*Result, error)
}

type filledFunc func(ctx context.Context) (*Result, error)

func (f filledFunc) call(ctx context.Context) (*Result, error) { return f(ctx) }

type filledStruct[In any] struct {
	in     In
	render typedFunc[In]
}

func (b *filledStruct[In]) call(ctx context.Context) (*Result, error) { return b.render(ctx, b.in) }

type typedRender interface {
	in() reflect.Type // nil without a struct
	isNil() bool
	plain() RenderFunc // nil for a function that gets a struct
	bind(ctx context.Context, p *argument.Plan, args []argument.Text) (filledRender, []argument.Problem)
}

// typedPrompt is a function that a Prompt was made with. Its render is the Render of the
// Prompt, unless the application has replaced it.
type typedPrompt struct {
	typedRender
	rare *rareParts // nil without any
}

// rareParts is what few prompts have when a function is added to them.
type rareParts struct {
	digest    string
	hadRender bool // another function, too
	arguments []Argument
	plan      atomic.Pointer[argument.Plan] // of the arguments; nil until the first call of render
}

var noRareParts rareParts

func (t *typedPrompt) more() *rareParts {
	if t.rare == nil {
		return &noRareParts
	}
	return t.rare
}

func newTypedPrompt(f typedRender, p *Prompt) *typedPrompt {
	t := &typedPrompt{typedRender: f}
	if p.Digest != "" || p.Render != nil || len(p.Arguments) > 0 {
		t.rare = &rareParts{digest: p.Digest, hadRender: p.Render != nil, arguments: p.Arguments}
	}
	return t
}

// takeRender makes a Render that the application has set the function of the prompt. If the
// application has replaced a function and kept its digest, the digest is dropped, because the text
// is another. It marks a function with a digest, so that the next replacement is seen, too.
func (p *Prompt) takeRender() {
	if p.Render == nil {
		return
	}
	if p.typed != nil && typedOf(p.Render) == p.typed {
		if m := p.typed.more(); m.digest != p.Digest { // which was set later
			p.typed = &typedPrompt{p.typed.typedRender, &rareParts{digest: p.Digest, hadRender: m.hadRender, arguments: m.arguments}}
			p.Render = p.typed.render
		}
		return
	}
	f := plainRender{nil, p.Render}
	if p.typed != nil {
		if inner, ok := p.typed.typedRender.(plainRender); ok {
			f.of = inner.of
		} else if p.typed.in() != nil {
			f.of = p.typed
		}
		if p.Digest == p.typed.more().digest {
			p.Digest = ""
		}
	}
	if p.typed == nil && p.Digest == "" {
		return // as most prompts without a struct
	}
	p.typed = &typedPrompt{typedRender: f}
	if p.Digest != "" {
		p.typed.rare = &rareParts{digest: p.Digest}
	}
	p.Render = p.typed.render
}

// plainRender is a function that gets the arguments as a map.
type plainRender struct {
	of     *typedPrompt // the function with a struct that the application decorates, or nil
	render RenderFunc
}

func (f plainRender) in() reflect.Type {
	if f.of == nil {
		return nil
	}
	return f.of.in()
}

func (f plainRender) isNil() bool { return f.render == nil }

func (f plainRender) plain() RenderFunc { return f.render }

func (f plainRender) bind(ctx context.Context, p *argument.Plan, args []argument.Text) (filledRender, []argument.Problem) {
	if f.of == nil {
		return f.render.bind(ctx, p, args)
	}
	sent, problems := p.Texts(ctx, args)
	d := &decorated{f.of, p, slices.Clone(args), maps.Clone(sent)}
	return filledFunc(func(ctx context.Context) (*Result, error) {
		return f.render(context.WithValue(ctx, decoratedKey{}, d), sent)
	}), problems
}

// decorated is what a client gave to a prompt that the application decorates. The map that the
// decorating function gets cannot say that a value is null or a placeholder.
type decorated struct {
	of    *typedPrompt
	plan  *argument.Plan
	texts []argument.Text
	sent  map[string]string // to the function
}

type decoratedKey struct{}

// isChanged reports whether the function has set, replaced or removed an argument.
func (d *decorated) isChanged(name string, args map[string]string) bool {
	was, had := d.sent[name]
	now, has := args[name]
	return has != had || now != was || d.plan.Find(name) < 0
}

// render is the Render of a Prompt. The server calls it only for code of the application
// that decorates the prompt. Otherwise the server binds the function to the arguments of the
// request, without a map.
func (t *typedPrompt) render(ctx context.Context, args map[string]string) (*Result, error) {
	if _, ok := ctx.(*identifying); ok {
		return nil, t
	}
	if t.isNil() {
		return nil, errors.New("prompts: render function is nil")
	}
	if f := t.plain(); f != nil {
		return f(ctx, args)
	}
	d, _ := ctx.Value(decoratedKey{}).(*decorated)
	if d == nil || d.of != t {
		plan, err := t.compile()
		if err != nil {
			return nil, err
		}
		d = &decorated{plan: plan} // no function that decorates this prompt calls
	}
	texts, problems, _ := d.plan.Collect(nil, argument.Given{IsAltered: true, Texts: args, IsStrict: true})
	for i := range d.texts {
		if !d.isChanged(d.plan.Arguments[i].Name, args) {
			texts[i] = d.texts[i]
		}
	}
	filled, more := t.bind(ctx, d.plan, texts)
	problems = append(more, problems...)
	own := slices.DeleteFunc(slices.Clone(problems), func(p argument.Problem) bool { return d.of == nil || !d.isChanged(p.Argument, args) })
	if len(own) > 0 {
		return nil, fmt.Errorf("prompts: the function that decorates the prompt called Render with invalid arguments: %s", argument.Redacted(own))
	}
	var errs []error
	for _, p := range problems {
		errs = append(errs, &argument.Error{Problem: p})
	}
	if errs != nil {
		return nil, errors.Join(errs...)
	}
	return filled.call(ctx)
}

func (t *typedPrompt) compile() (*argument.Plan, error) {
	m := t.more()
	if plan := m.plan.Load(); plan != nil {
		return plan, nil
	}
	specs, errs := appendSpecs(nil, m.arguments)
	plan, more := argument.Compile(t.in(), specs)
	errs = append(errs, more...)
	if errs == nil && len(m.arguments) > 0 { // else the plan is kept with the type
		m.plan.Store(plan) // or another goroutine has done so
	}
	return plan, errors.Join(errs...)
}

// identifying is the context with which typedOf calls render, which returns its typedPrompt as
// the error.
type identifying struct{ context.Context }

func (*typedPrompt) Error() string { return "not rendered" }

var codeOfRender = reflect.ValueOf((*typedPrompt)(nil).render).Pointer()

// typedOf returns the typedPrompt whose render f is, and nil for any other function. It calls
// f only if f is a render of ours.
func typedOf(f RenderFunc) *typedPrompt {
	if f == nil || reflect.ValueOf(f).Pointer() != codeOfRender {
		return nil
	}
	_, err := f((*identifying)(nil), nil)
	t, _ := err.(*typedPrompt)
	return t
}

// typedFunc is the one typedRender: what New was given. Of an argument.Map, the prompt has no
// struct, as one of package prompttemplate.
type typedFunc[In any] func(ctx context.Context, in In) (*Result, error)

func (f typedFunc[In]) in() reflect.Type {
	if in := reflect.TypeFor[In](); in != reflect.TypeFor[argument.Map]() {
		return in
	}
	return nil
}

func (f typedFunc[In]) isNil() bool { return f == nil }

func (f typedFunc[In]) plain() RenderFunc {
	plain, _ := any(f).(typedFunc[argument.Map])
	if plain == nil {
		return nil
	}
	return func(ctx context.Context, args map[string]string) (*Result, error) { return plain(ctx, args) }
}

func (f typedFunc[In]) bind(ctx context.Context, p *argument.Plan, args []argument.Text) (filledRender, []argument.Problem) {
	b := &filledStruct[In]{render: f}
	if texts, ok := any(&b.in).(*argument.Map); ok {
		var problems []argument.Problem
		*texts, problems = p.Texts(ctx, args)
		return b, problems
	}
	return b, p.Fill(ctx, reflect.ValueOf(&b.in).Elem(), args)
}

func (f RenderFunc) bind(ctx context.Context, p *argument.Plan, args []argument.Text) (filledRender, []argument.Problem) {
	texts, problems := p.Texts(ctx, args)
	return filledFunc(func(ctx context.Context) (*Result, error) { return f(ctx, texts) }), problems
}

// appendSpecs appends what the arguments declare, but for their CompleteFuncs. The errors are
// those of values that are no schema.
func appendSpecs(dst []argument.Spec, arguments []Argument) (specs []argument.Spec, errs []error) {
	for _, a := range arguments {
		s, err := schema.OfArgument(a.Schema, a.Enum)
		if err != nil {
			errs = append(errs, &argument.DeclarationError{Name: a.Name, Err: err})
		}
		dst = append(dst, argument.Spec{Name: a.Name, Title: a.Title, Description: a.Description, Required: a.Required, Sensitive: a.Sensitive, Verbatim: a.Verbatim, Schema: s})
	}
	return dst, errs
}
