package argument

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"unicode"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/schema"
)

// Compile compiles the arguments of a prompt, and returns all errors of the declaration, always in
// the same order. in is the struct type that declares the arguments. The listed specs add to its
// fields by name. If in is nil, the specs are the arguments. Prompts that list nothing share the
// plan of their struct type. A plan with errors must not be used: its arguments may lack a schema.
func Compile(in reflect.Type, listed []Spec) (*Plan, []error) {
	var c compiler
	if in == nil {
		c.fromList(listed)
		return c.plan, c.errs
	}
	inf := infer(in)
	if inf.plan != nil && len(listed) == 0 {
		return inf.plan, nil
	}
	c.fromStruct(inf, listed)
	return c.plan, c.errs
}

// CheckName returns an error for a name that no prompt or argument may have. It does not check the
// encoding. A control character in a name could break the lines of a log or of a terminal. All
// other characters are allowed, because the protocol has no rule for names.
func CheckName(name string) error {
	if name == "" {
		//lint:ignore ST1005 it begins with the name of a field
		return errors.New("Name is empty")
	}
	if strings.ContainsFunc(name, unicode.IsControl) {
		//lint:ignore ST1005 it begins with the name of a field
		return errors.New("Name contains a control character")
	}
	return nil
}

// compiler makes one plan. After an error it continues, and leaves out what cannot be compiled.
type compiler struct {
	plan *Plan
	errs []error
}

func (c *compiler) fail(name string, err error) {
	c.errs = append(c.errs, &DeclarationError{Name: name, Err: err})
}

// The map is decided before the first argument is added, so that Find works during
// the compilation as well as after it.
func (c *compiler) begin(n int) {
	c.plan = &Plan{}
	if n > 0 {
		c.plan.Arguments = make([]Argument, 0, n)
	}
	if n > linear {
		c.plan.byName = make(map[string]int, n)
	}
}

// Without a Go type, the schema alone says how each string is read. An argument whose schema is
// invalid gets a value of no rules, so that the checks of its name and its flags still run.
func (c *compiler) fromList(listed []Spec) {
	c.begin(len(listed))
	for _, spec := range listed {
		if c.plan.Find(spec.Name) >= 0 {
			c.fail(spec.Name, errors.New("argument is declared twice"))
			continue
		}
		v, err := spec.compileSchema()
		if err != nil {
			c.fail(spec.Name, err)
			spec.Schema, v = nil, &value{} // to find further errors
		}
		spec.describe(spec.Schema)
		c.add(Argument{Spec: spec, value: v}, nil)
	}
}

var plainValue = sync.OnceValues(func() (*value, error) { return compileValue(nil, &jsonschema.Schema{}) })

// A copy, because the application may change its schema after Compile, and because values in a
// schema built by hand may be of any Go type. A copy holds what encoding/json decodes.
func (s *Spec) compileSchema() (*value, error) {
	if s.Schema == nil {
		return plainValue()
	}
	var err error
	if s.Schema, err = schema.Clone(s.Schema); err != nil {
		return nil, err
	}
	return compileValue(nil, s.Schema)
}

// A title or a description that the prompt declares outside of the schema wins.
func (s *Spec) describe(schema *jsonschema.Schema) {
	if schema != nil {
		s.Title = cmp.Or(s.Title, schema.Title)
		s.Description = cmp.Or(s.Description, schema.Description)
	}
}

// t is the type of the field, or nil. acceptsEmpty needs the compiled value. An argument
// with an error is added too: later arguments must see that its name is taken.
func (c *compiler) add(a Argument, t reflect.Type) {
	if err := CheckName(a.Name); err != nil {
		c.fail(a.Name, err)
	}
	if a.Schema != nil && a.Schema.Default != nil {
		if err := a.setDefault(t); err != nil {
			c.fail(a.Name, err)
		}
	}
	if a.Sensitive && a.hasDefault { // a default is in the descriptions of prompts/list
		c.fail(a.Name, errors.New("a sensitive argument cannot have a default; remove one of the two"))
	}
	a.emptyIsAbsent = !a.value.acceptsEmpty(a.Required)
	a.admitsNull = a.acceptsNull()
	c.plan.HasSensitive = c.plan.HasSensitive || a.Sensitive
	if c.plan.byName != nil {
		c.plan.byName[a.Name] = len(c.plan.Arguments)
	}
	c.plan.Arguments = append(c.plan.Arguments, a)
}

// The default becomes the string that a client would send. Unlike in JSON Schema, the default must
// be valid like any other value.
func (a *Argument) setDefault(t reflect.Type) error {
	if a.Required {
		if t == nil {
			return errors.New("a required argument never uses its default; remove one of the two")
		}
		return errors.New("a required argument never uses its default; tag the field omitempty")
	}
	raw := a.Schema.Default
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return fmt.Errorf("default is not JSON: %w", err)
	}
	// The type is checked before the text is read. Below, the default of a string
	// kind must be a string in Go, and a list would split the JSON string "a,b".
	// For JSON Schema, 3 is also a number and 3.0 also an integer.
	if want, got := a.value.kind.InstanceType(), schema.TypeOf(v); want != "" && want != got && !(schema.IsNumeric(want) && schema.IsNumeric(got)) {
		return fmt.Errorf("default %s is not of type %s", phrase.Clip(string(raw), 64), want)
	}
	text := string(raw)
	if a.value.kind.IsString() {
		text = v.(string)
	}
	var dst reflect.Value
	if t != nil {
		dst = reflect.New(t).Elem()
	}
	// Reading into a value of the Go type also runs UnmarshalText, so that a default which the
	// application rejects is an error now and not in the first call.
	if _, p := a.value.read(context.Background(), dst, text, false); p != nil {
		return fmt.Errorf("default: %s", p[0].inside())
	}
	a.hasDefault, a.defaultValue = true, text
	return nil
}
