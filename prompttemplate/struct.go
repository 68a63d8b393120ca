package prompttemplate

import (
	"context"
	"encoding"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/suggest"
)

// structData are the arguments of a prompt whose arguments are a struct.
type structData struct {
	typ    reflect.Type
	fields []field
	// pointers are the embedded structs that are pointers, outer ones first.
	pointers [][]int
}

// field is an argument of a struct.
type field struct {
	argument
	index []int
}

// structOf returns what is known of In, or what [prompts.New] finds wrong
// with it.
func structOf[In any]() (*structData, []error) {
	var scratch prompts.Registry
	err := scratch.Add(prompts.New(prompts.Prompt{Name: "it"}, func(context.Context, In) (*prompts.Result, error) {
		return prompts.Messages(), nil
	}))
	if err != nil {
		return nil, faultsOf(err)
	}
	s := &structData{typ: reflect.TypeFor[In]()}
	walk := fieldWalk{indexes: map[string][]int{}, within: map[reflect.Type]bool{}}
	walk.walk(s.typ, nil)
	s.pointers = walk.pointers
	it, _ := scratch.Lookup("it")
	var faults []error
	for _, a := range it.Arguments {
		index := walk.indexes[a.Name]
		action, ok := s.action(index)
		if !ok {
			faults = append(faults, fmt.Errorf("argument %q: no template can write %s, because an embedded struct that is not exported has the field, and another has one of that name; rename one", a.Name, action))
		}
		s.fields = append(s.fields, field{argument{a.Name, action}, index})
	}
	return s, faults
}

// faultsOf returns the faults that a registry has found in the scratch prompt,
// without its name.
func faultsOf(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{errors.Unwrap(err)}
	}
	var faults []error
	for _, err := range joined.Unwrap() {
		faults = append(faults, faultsOf(err)...)
	}
	return faults
}

// fieldWalk finds the fields that are arguments, as package prompts does,
// which tells their names but not where they are.
type fieldWalk struct {
	indexes  map[string][]int // of the shallowest field of each name
	pointers [][]int
	within   map[reflect.Type]bool
}

func (w *fieldWalk) walk(t reflect.Type, index []int) {
	if w.within[t] {
		return
	}
	w.within[t] = true
	defer delete(w.within, t)
	for i := range t.NumField() {
		f := t.Field(i)
		at := append(slices.Clone(index), i)
		tag := f.Tag.Get("json")
		name, _, _ := strings.Cut(tag, ",")
		switch inner, isPointer := embedded(f, name); {
		case tag == "-":
		case inner != nil:
			if isPointer {
				w.pointers = append(w.pointers, at)
			}
			w.walk(inner, at)
		case f.IsExported():
			if name == "" {
				name = f.Name
			}
			if known, ok := w.indexes[name]; !ok || len(at) < len(known) {
				w.indexes[name] = at
			}
		}
	}
}

// embedded returns the struct whose fields count as those of the struct that
// f is in, or nil.
func embedded(f reflect.StructField, jsonName string) (t reflect.Type, isPointer bool) {
	t = f.Type
	if isPointer = t.Kind() == reflect.Pointer; isPointer {
		t = t.Elem()
	}
	if !f.Anonymous || jsonName != "" || t.Kind() != reflect.Struct || t == reflect.TypeFor[url.URL]() ||
		reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return nil, false
	}
	return t, isPointer
}

// action returns how a template writes the field: by its name alone if Go
// promotes it, else with the embedded structs that it is in. It reports
// whether a template may write that.
func (s *structData) action(index []int) (path string, ok bool) {
	t := s.typ
	ok = true
	for i, x := range index {
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		f := t.Field(x)
		if i == len(index)-1 {
			if promoted, ok := s.typ.FieldByName(f.Name); ok && slices.Equal(promoted.Index, index) {
				return "." + f.Name, true
			}
		}
		path += "." + f.Name
		ok = ok && f.IsExported()
		t = f.Type
	}
	return path, ok
}

func (s *structData) all() []argument {
	all := make([]argument, len(s.fields))
	for i, f := range s.fields {
		all[i] = f.argument
	}
	return all
}

func (s *structData) selected(names []string) (string, error) {
	t, index := s.typ, []int(nil)
	for _, name := range names {
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if _, isMethod := reflect.PointerTo(t).MethodByName(name); isMethod {
			return "", fmt.Errorf("%s is a method of %s, and only its fields are the data; add a function to Options.Funcs and give it the fields", name, typeName(t))
		}
		f, ok := t.FieldByName(name)
		if !ok {
			return "", fmt.Errorf("%s has no field %s; %s", typeName(t), name, s.advice(name))
		}
		index = append(index, f.Index...)
		for _, argument := range s.fields {
			if len(argument.index) <= len(index) && slices.Equal(argument.index, index[:len(argument.index)]) {
				return argument.name, nil
			}
		}
		if !f.IsExported() {
			return "", fmt.Errorf("the field %s of %s is not exported, so it is no argument", name, typeName(t))
		}
		if inner, _ := embedded(f, jsonName(f)); inner == nil || f.Tag.Get("json") == "-" {
			return "", fmt.Errorf("the field %s of %s is no argument, by its json tag or because another of that name hides it", name, typeName(t))
		}
		t = f.Type
	}
	last := names[len(names)-1]
	return "", fmt.Errorf("%s is a struct of several arguments; write one of its fields, as in {{.%s.Name}}", last, strings.Join(names, "."))
}

func (s *structData) indexed(key string) (string, error) {
	return "", fmt.Errorf("index does not work on a struct, whose fields are written by name; %s", s.advice(key))
}

// advice says which field may have been meant by the name of an argument or
// of a field.
func (s *structData) advice(name string) string {
	var names, actions []string
	for _, f := range s.fields {
		if f.name == name {
			return "did you mean {{" + f.action + "}}?"
		}
		actions = append(actions, "{{"+f.action+"}}")
		names = append(names, f.action)
	}
	if n := suggest.Near("."+name, names); n != "" {
		return "did you mean {{" + n + "}}?"
	}
	return oneOf("add it", actions)
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

func typeName(t reflect.Type) string {
	if t.Name() == "" {
		return "the struct"
	}
	return t.Name()
}

// complete makes the embedded structs that are nil pointers because none of
// their arguments was given, so that their fields can be read. The value has
// been made for one call.
func (s *structData) complete(in any) {
	if len(s.pointers) == 0 {
		return
	}
	v := reflect.ValueOf(in).Elem()
	for _, index := range s.pointers {
		if f := v.FieldByIndex(index); f.IsNil() {
			f.Set(reflect.New(f.Type().Elem()))
		}
	}
}
