package argument

import (
	"errors"
	"fmt"
	"reflect"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts/internal/nearest"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/schema"
)

// An inferred with errors is cached as well: the type will not change, and each
// prompt with the type reports the same errors.
type inferred struct {
	fields []field
	errs   []error
	plan   *Plan // of all prompts that list no arguments; nil if there are errors
}

// field is an argument that a struct declares. The schema has the keywords of the tags already. The
// schema that a prompt lists for the field is merged into a copy, see extend.
type field struct {
	structField
	schema *jsonschema.Schema // shared by prompts, so immutable
	value  *value             // nil if it could not be compiled
}

// structs caches inferred by type. Inference costs much more than everything
// else that adding a prompt does, and depends on nothing but the type.
// The number of types in a program is finite, so the cache needs no limit.
var structs sync.Map // reflect.Type -> *inferred

// infer returns what the struct type t declares. Two goroutines may infer the same type at once.
// Both get the result that is stored first, so that all prompts share one plan.
func infer(t reflect.Type) *inferred {
	if cached, ok := structs.Load(t); ok {
		return cached.(*inferred)
	}
	inf := &inferred{}
	// The type comes from a type parameter of the application, which can be any
	// type. The error names the change that fits.
	if t.Kind() == reflect.Struct {
		inf.inferFields(t)
	} else if e := withoutPointers(t); e.Kind() == reflect.Struct {
		//lint:ignore ST1005 it begins with the name of a function
		inf.errs = append(inf.errs, fmt.Errorf("New: type argument must be a struct, got %s; use %s", t, e))
	} else {
		//lint:ignore ST1005 it begins with the name of a field
		inf.errs = append(inf.errs, errors.New("New: type argument must be a struct; without a struct, set Arguments and Render"))
	}
	// The plan of the struct alone is compiled here, once, although a prompt may
	// list more: most prompts list nothing.
	var c compiler
	if c.fromStruct(inf, nil); len(c.errs) == 0 {
		inf.plan = c.plan
	}
	cached, _ := structs.LoadOrStore(t, inf)
	return cached.(*inferred)
}

// A field with an error stays in the list without a value, so that an argument listed for the field
// is no unknown one.
func (inf *inferred) inferFields(t reflect.Type) {
	fail := func(name string, err error) {
		inf.errs = append(inf.errs, &DeclarationError{Name: name, Err: err})
	}
	for _, f := range fieldsOf(t) {
		// Without the error, the option would have no effect: the string "3" is the
		// text of an int either way.
		if f.quoted {
			fail(f.name, errors.New(`json tag option "string" is not needed, because arguments are always sent as strings; remove the option`))
		}
		if f.err != nil {
			fail(f.name, f.err)
		}
		if !f.ignored {
			inf.fields = append(inf.fields, field{structField: f})
		}
	}
	for i := range inf.fields {
		f := &inf.fields[i]
		var err error
		if f.schema, err = schemaOf(f.typ); err == nil {
			f.schema, err = f.constrain(f.schema, false)
		}
		if err == nil {
			f.value, err = compileValue(f.typ, f.schema)
		}
		if several, ok := err.(interface{ Unwrap() []error }); ok {
			for _, err := range several.Unwrap() {
				fail(f.name, err)
			}
		} else if err != nil {
			fail(f.name, err)
		}
	}
}

func (inf *inferred) noField(name string) error {
	if len(inf.fields) == 0 {
		return errors.New("unknown field; the struct has no fields")
	}
	names := make([]string, len(inf.fields))
	for i, f := range inf.fields {
		names[i] = f.name
	}
	return fmt.Errorf("unknown field; the fields are %s%s", phrase.Enumerate(names), nearest.DidYouMean(name, names))
}

// The order of the arguments is that of the fields, also if the prompt lists the arguments in
// another order: the struct is the declaration, and the list only adds to it.
func (c *compiler) fromStruct(inf *inferred, listed []Spec) {
	c.begin(len(inf.fields))
	c.errs = append(c.errs, inf.errs...)
	extras := make(map[string]int, len(listed)) // positions in listed
	for i := range listed {
		name := listed[i].Name
		if _, ok := extras[name]; ok {
			c.fail(name, errors.New("argument is declared twice"))
		}
		extras[name] = i
	}
	for i := range inf.fields {
		f := &inf.fields[i]
		extra, isListed := extras[f.name]
		// The names that remain in extras after the loop belong to no field.
		delete(extras, f.name)
		if f.value == nil {
			continue // inf.errs has the error
		}
		a := Argument{
			Spec:  Spec{Name: f.name, Title: f.tag.Get("title"), Description: f.description, Required: !f.optional, Sensitive: f.sensitive, Schema: f.schema},
			Index: f.index,
			value: f.value,
		}
		if isListed {
			for _, err := range a.extend(&listed[extra], f.typ) {
				c.fail(f.name, err)
			}
		}
		c.add(a, f.typ)
	}
	// This loop runs over the list and not over the map, so that the errors keep their order.
	for _, s := range listed {
		if _, ok := extras[s.Name]; ok {
			c.fail(s.Name, inf.noField(s.Name))
			delete(extras, s.Name)
		}
	}
}

// The members of extra win. An extension may narrow what the field accepts, but the value must
// still fill the Go type, so the merged schema is compiled again with the type t.
func (a *Argument) extend(extra *Spec, t reflect.Type) (errs []error) {
	if extra.Required && !a.Required {
		//lint:ignore ST1005 it begins with the name of a field
		errs = append(errs, errors.New("Required conflicts with the field, which is optional; remove omitempty or the pointer"))
	}
	if extra.Title != "" {
		a.Title = extra.Title
	}
	if extra.Description != "" {
		a.Description = extra.Description
	}
	// A list can make an argument sensitive, but never undo the tag of the struct.
	a.Sensitive = a.Sensitive || extra.Sensitive
	a.Verbatim = extra.Verbatim
	if extra.Schema == nil {
		return errs
	}
	s, err := schema.Clone(extra.Schema)
	if err != nil {
		return append(errs, err)
	}
	// The title and the description of the merged schema go into the argument, if
	// neither the list nor the field has its own.
	a.describe(s)
	s = schema.Merge(a.Schema, s)
	v, err := compileValue(t, s)
	if err != nil {
		return append(errs, err)
	}
	a.Schema, a.value = s, v
	return errs
}
