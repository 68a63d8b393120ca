package prompts

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// plan is how the arguments of prompts/get become what a render function
// gets. It is made once, when the prompt is added, and then only read.
type plan struct {
	arguments []argument
	byName    map[string]int // nil while a linear search is as fast
}

// argument is one compiled argument.
type argument struct {
	Argument    // as declared, completed by the struct
	value       *value
	index       []int // of the struct's field
	hasDefault  bool
	defaultText string
	// blank says that the empty text is no value: in an optional argument it
	// is an empty field of a client's form.
	blank bool
}

// given is the text of one argument of a call.
type given struct {
	text      string
	ok        bool
	notString bool // there is a value, but of another type; ok is false
}

// bound is a render function with its arguments filled in.
type bound interface {
	call(ctx context.Context) (*Result, error)
}

type boundFunc func(ctx context.Context) (*Result, error)

func (f boundFunc) call(ctx context.Context) (*Result, error) { return f(ctx) }

// boundStruct is a typedFunc with its struct.
type boundStruct[In any] struct {
	in     In
	render typedFunc[In]
}

func (b *boundStruct[In]) call(ctx context.Context) (*Result, error) { return b.render(ctx, b.in) }

// typedRender is a render function whose arguments are a struct.
type typedRender interface {
	in() reflect.Type
	isNil() bool
	bind(p *plan, args []given) (bound, []problem)
}

// typedFunc is the one typedRender: what New was given.
type typedFunc[In any] func(ctx context.Context, in In) (*Result, error)

func (f typedFunc[In]) in() reflect.Type { return reflect.TypeFor[In]() }

func (f typedFunc[In]) isNil() bool { return f == nil }

func (f typedFunc[In]) bind(p *plan, args []given) (bound, []problem) {
	b := &boundStruct[In]{render: f}
	problems := p.fill(reflect.ValueOf(&b.in).Elem(), args)
	return b, problems
}

// bind fills the map of a prompt without a struct.
func (f RenderFunc) bind(p *plan, args []given) (bound, []problem) {
	texts := make(map[string]string, len(args))
	problems := p.judge(args, func(a *argument, text string) *problem {
		texts[a.Name] = text
		_, problem := a.value.read(reflect.Value{}, text, false)
		return problem
	})
	return boundFunc(func(ctx context.Context) (*Result, error) { return f(ctx, texts) }), problems
}

// fieldAt returns the field at the index, making the embedded structs on the
// way that are pointers.
func fieldAt(v reflect.Value, index []int) reflect.Value {
	for i, x := range index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(x)
	}
	return v
}

// judge passes the text of each argument that has one to read, and collects
// the problems, those of missing arguments among them, in declared order.
func (p *plan) judge(args []given, read func(*argument, string) *problem) []problem {
	var problems []problem
	for i := range p.arguments {
		a := &p.arguments[i]
		g := args[i]
		if g.text == "" && a.blank {
			g.ok = false
		}
		if !g.ok && !g.notString && a.hasDefault {
			g = given{text: a.defaultText, ok: true}
		}
		switch {
		case g.notString:
			problems = append(problems, notString(a.Name))
		case g.ok:
			if problem := read(a, g.text); problem != nil {
				problem.Argument = a.Name
				problems = append(problems, *problem)
			}
		case a.Required:
			problems = append(problems, problem{Argument: a.Name, Reason: reasonMissing, Message: "is required"})
		}
	}
	return problems
}

// collect returns the text of each declared argument, by position, and the
// problems of those that are not declared. Whether the call may give any is
// strict's to say; that every value is a string is the protocol's (PRG-06).
// With detach the texts are copies, and no part of the message. The texts are
// in dst, which must be empty and all zero, if there is room.
func (p *plan) collect(dst []given, args strictjson.Value, strict, detach bool) ([]given, []problem) {
	texts := slices.Grow(dst, len(p.arguments))[:len(p.arguments)]
	var problems []problem
	for name, v := range args.Members() {
		i := p.find(name)
		isString := v.Kind() == strictjson.String
		switch {
		case i >= 0:
			texts[i] = given{text: v.Text(), ok: isString, notString: !isString}
			if detach {
				texts[i].text = strings.Clone(texts[i].text)
			}
		case !isString:
			problems = append(problems, notString(name))
		case strict && len(problems) < maxProblems:
			problems = append(problems, p.undeclared(name))
		case strict:
			problems = append(problems, unknown(name)) // which is only counted
		}
	}
	return texts, problems
}

// undeclared is the problem of an argument that the prompt has not, with what
// may have been meant.
func (p *plan) undeclared(name string) problem {
	u := unknown(name)
	names := make([]string, len(p.arguments))
	for i := range p.arguments {
		names[i] = p.arguments[i].Name
	}
	u.suggest(name, names)
	return u
}

func unknown(name string) problem {
	return problem{Argument: clip(name, maxEcho), Reason: reasonUnknown, Message: "is not an argument of this prompt"}
}

func notString(name string) problem {
	return problem{Argument: clip(name, maxEcho), Reason: reasonNotString, Message: "must be a string"}
}

func (p *plan) find(name string) int {
	if p.byName != nil {
		if i, ok := p.byName[name]; ok {
			return i
		}
		return -1
	}
	for i := range p.arguments {
		if p.arguments[i].Name == name {
			return i
		}
	}
	return -1
}
