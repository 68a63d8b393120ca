package prompts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

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
type bound func(ctx context.Context) (*Result, error)

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
	in := new(In)
	v := reflect.ValueOf(in).Elem()
	problems := p.judge(args, func(a *argument, text string) *problem {
		_, problem := a.value.read(fieldAt(v, a.index), text, false)
		return problem
	})
	return func(ctx context.Context) (*Result, error) { return f(ctx, *in) }, problems
}

// bind fills the map of a prompt without a struct.
func (f RenderFunc) bind(p *plan, args []given) (bound, []problem) {
	texts := make(map[string]string, len(args))
	problems := p.judge(args, func(a *argument, text string) *problem {
		texts[a.Name] = text
		_, problem := a.value.read(reflect.Value{}, text, false)
		return problem
	})
	return func(ctx context.Context) (*Result, error) { return f(ctx, texts) }, problems
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
// With detach the texts are copies, and no part of the message.
func (p *plan) collect(args strictjson.Value, strict, detach bool) ([]given, []problem) {
	texts := make([]given, len(p.arguments))
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
		case strict:
			problems = append(problems, problem{Argument: clip(name, maxEcho), Reason: reasonUnknown, Message: "is not an argument of this prompt"})
		}
	}
	return texts, problems
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

// linear is the number of arguments up to which a search beats a map.
const linear = 8

// compilePlan compiles the arguments of a prompt and returns everything that
// is wrong with them.
func compilePlan(p *Prompt) (*plan, []error) {
	c := planCompiler{plan: &plan{}}
	if p.typed != nil {
		c.fromStruct(infer(p.typed.in()), p.Arguments)
	} else {
		c.fromList(p.Arguments)
	}
	if n := len(c.plan.arguments); n > linear {
		c.plan.byName = make(map[string]int, n)
		for i, a := range c.plan.arguments {
			c.plan.byName[a.Name] = i
		}
	}
	return c.plan, c.faults
}

type planCompiler struct {
	plan   *plan
	faults []error
}

func (c *planCompiler) fault(name string, err error) {
	c.faults = append(c.faults, fmt.Errorf("argument %q: %w", name, err))
}

// fromList compiles the arguments of a prompt without a struct.
func (c *planCompiler) fromList(arguments []Argument) {
	seen := map[string]bool{}
	for _, a := range arguments {
		if seen[a.Name] {
			c.fault(a.Name, errors.New("declared twice"))
			continue
		}
		seen[a.Name] = true
		v, err := a.compileSchema()
		if err != nil {
			c.fault(a.Name, err)
			a.Schema, v = nil, &value{} // to go on with what else may be wrong
		}
		c.add(argument{Argument: a, value: v}, nil)
	}
}

// compileSchema compiles the schema of an argument without a struct, and
// replaces it by its copy.
func (a *Argument) compileSchema() (*value, error) {
	if a.Schema == nil {
		return compileValue(nil, &jsonschema.Schema{})
	}
	var err error
	if a.Schema, err = cloneSchema(a.Schema); err != nil {
		return nil, err
	}
	return compileValue(nil, a.Schema)
}

// fromStruct compiles the arguments that a struct declares, completed by
// those that are listed.
func (c *planCompiler) fromStruct(inf *inferred, listed []Argument) {
	c.faults = append(c.faults, inf.faults...)
	extras := map[string]*Argument{}
	for i := range listed {
		name := listed[i].Name
		if extras[name] != nil {
			c.fault(name, errors.New("declared twice"))
		}
		extras[name] = &listed[i]
	}
	for i := range inf.fields {
		f := &inf.fields[i]
		extra := extras[f.name]
		delete(extras, f.name)
		if f.value == nil {
			continue // its fault is among the others
		}
		a := argument{
			Argument: Argument{Name: f.name, Description: f.description, Required: !f.optional, Schema: f.schema},
			value:    f.value,
			index:    f.index,
		}
		if extra != nil {
			for _, err := range a.complete(extra, f.typ) {
				c.fault(f.name, err)
			}
		}
		c.add(a, f.typ)
	}
	for _, a := range listed {
		if extras[a.Name] != nil {
			c.fault(a.Name, errors.New("the struct has no such field"))
			delete(extras, a.Name)
		}
	}
}

// complete lets the members of a listed argument win over the struct's.
func (a *argument) complete(extra *Argument, t reflect.Type) (faults []error) {
	if extra.Required && !a.Required {
		faults = append(faults, errors.New("the struct says that it is optional, so Required cannot be set; remove omitempty or the pointer"))
	}
	if extra.Title != "" {
		a.Title = extra.Title
	}
	if extra.Description != "" {
		a.Description = extra.Description
	}
	if extra.Schema == nil {
		return faults
	}
	s, err := cloneSchema(extra.Schema)
	if err != nil {
		return append(faults, err)
	}
	s = mergeSchemas(a.Schema, s)
	v, err := compileValue(t, s)
	if err != nil {
		return append(faults, err)
	}
	a.Schema, a.value = s, v
	return faults
}

// add checks what does not depend on where the argument comes from.
func (c *planCompiler) add(a argument, t reflect.Type) {
	if err := checkName(a.Name); err != nil {
		c.fault(a.Name, err)
	}
	if a.Schema != nil && a.Schema.Default != nil {
		if err := a.setDefault(t); err != nil {
			c.fault(a.Name, err)
		}
	}
	a.blank = !a.Required && !a.value.takesEmpty()
	c.plan.arguments = append(c.plan.arguments, a)
}

// setDefault turns the default of the schema into the text that would have
// given it, which must satisfy everything that a client's text must.
func (a *argument) setDefault(t reflect.Type) error {
	if a.Required {
		return errors.New("it is required, so its default would never be used")
	}
	raw := a.Schema.Default
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return fmt.Errorf("its default is not JSON: %w", err)
	}
	if want, got := a.value.kind.instanceType(), typeOf(v); want != "" && want != got && !(isNumeric(want) && isNumeric(got)) {
		return fmt.Errorf("its default %s is not of type %s", clip(string(raw), 64), want)
	}
	text := string(raw)
	if a.value.kind.judgedAsText() {
		text = v.(string)
	}
	var dst reflect.Value
	if t != nil {
		dst = reflect.New(t).Elem()
	}
	if _, p := a.value.read(dst, text, false); p != nil {
		return fmt.Errorf("its default: %s", p.Message)
	}
	a.hasDefault, a.defaultText = true, text
	return nil
}
