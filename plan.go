package prompts

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

// linear is the number of arguments up to which a search beats a map.
const linear = 8

// compilePlan compiles the arguments of a prompt and returns everything that
// is wrong with them. The plan may be one that other prompts have too.
func compilePlan(typed typedRender, arguments []Argument) (*plan, []error) {
	var c planCompiler
	if typed == nil {
		c.fromList(arguments)
		return c.plan, c.faults
	}
	inf := infer(typed.in())
	if inf.plan != nil && len(arguments) == 0 {
		return inf.plan, nil
	}
	c.fromStruct(inf, arguments)
	return c.plan, c.faults
}

type planCompiler struct {
	plan   *plan
	faults []error
}

func (c *planCompiler) fault(name string, err error) {
	c.faults = append(c.faults, &argumentFault{name, err})
}

// begin makes a plan with room for n arguments.
func (c *planCompiler) begin(n int) {
	c.plan = &plan{}
	if n > 0 {
		c.plan.arguments = make([]argument, 0, n)
	}
	if n > linear {
		c.plan.byName = make(map[string]int, n)
	}
}

// fromList compiles the arguments of a prompt without a struct.
func (c *planCompiler) fromList(arguments []Argument) {
	c.begin(len(arguments))
	for _, a := range arguments {
		if c.plan.find(a.Name) >= 0 {
			c.fault(a.Name, errors.New("declared twice"))
			continue
		}
		v, err := a.compileSchema()
		if err != nil {
			c.fault(a.Name, err)
			a.Schema, v = nil, &value{} // to go on with what else may be wrong
		}
		a.describe(a.Schema)
		c.add(argument{Argument: a, value: v}, nil)
	}
}

// plainValue is the value of an argument without a struct and without a schema.
// All of them share it.
var plainValue = sync.OnceValues(func() (*value, error) { return compileValue(nil, &jsonschema.Schema{}) })

// compileSchema compiles the schema of an argument without a struct, and
// replaces it by its copy.
func (a *Argument) compileSchema() (*value, error) {
	if a.Schema == nil {
		return plainValue()
	}
	var err error
	if a.Schema, err = cloneSchema(a.Schema); err != nil {
		return nil, err
	}
	return compileValue(nil, a.Schema)
}

// describe takes over what the author's schema says to people, where the
// argument itself says nothing.
func (a *Argument) describe(s *jsonschema.Schema) {
	if s != nil {
		a.Title = cmp.Or(a.Title, s.Title)
		a.Description = cmp.Or(a.Description, s.Description)
	}
}

// fromStruct compiles the arguments that a struct declares, completed by
// those that are listed.
func (c *planCompiler) fromStruct(inf *inferred, listed []Argument) {
	c.begin(len(inf.fields))
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
			c.fault(a.Name, inf.noField(a.Name))
			delete(extras, a.Name)
		}
	}
}

// noField is the fault of a listed argument that the struct has not.
func (inf *inferred) noField(name string) error {
	if len(inf.fields) == 0 {
		return errors.New("the struct has no such field, nor any other")
	}
	names := make([]string, len(inf.fields))
	for i, f := range inf.fields {
		names[i] = f.name
	}
	return fmt.Errorf("the struct has no such field, but %s%s", enumeration(names), meant(name, names))
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
	a.Complete = extra.Complete
	if extra.Schema == nil {
		return faults
	}
	s, err := cloneSchema(extra.Schema)
	if err != nil {
		return append(faults, err)
	}
	a.describe(s)
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
	if c.plan.byName != nil {
		c.plan.byName[a.Name] = len(c.plan.arguments)
	}
	c.plan.arguments = append(c.plan.arguments, a)
}

// setDefault turns the default of the schema into the text that would have
// given it, which must satisfy everything that a client's text must.
func (a *argument) setDefault(t reflect.Type) error {
	if a.Required {
		if t == nil {
			return errors.New("it is required, so its default would never be used; remove one of them")
		}
		return errors.New("it is required, so its default would never be used; tag the field omitempty")
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
