package prompttemplate

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/mcp-prompts/prompts"
	declared "github.com/mcp-prompts/prompts/internal/argument"
	"github.com/mcp-prompts/prompts/internal/explain"
	"github.com/mcp-prompts/prompts/internal/hint"
	"github.com/mcp-prompts/prompts/internal/nearest"
)

// data is what a check knows of the arguments as a whole.
type data interface {
	all() []argument
	// selected returns the argument that .a.b selects, given a and b.
	selected(names []string) (argument string, err error)
	// indexed is selected for index . "key".
	indexed(key string) (argument string, err error)
	typesOf(argument string) types
	// isString reports whether an argument is a string without methods.
	isString(argument string) bool
}

// argument is an argument and how a template writes it.
type argument struct{ name, action string }

type named struct {
	arguments []argument
	values    []typed
	byName    map[string]*typed // of values
	isText    bool              // all arguments are strings
}

func namedOf(arguments []prompts.Argument) *named {
	n := &named{values: make([]typed, len(arguments)), byName: make(map[string]*typed, len(arguments)), isText: true}
	for i, a := range arguments {
		made := argument{a.Name, "." + a.Name}
		if !isField(a.Name) {
			made.action = fmt.Sprintf("index . %q", a.Name)
		}
		n.arguments = append(n.arguments, made)
		n.values[i] = typedOf(a)
		n.byName[a.Name] = &n.values[i]
		n.isText = n.isText && n.values[i].types == aString
	}
	return n
}

func (n *named) all() []argument { return n.arguments }

func (n *named) typesOf(argument string) types {
	if v := n.byName[argument]; v != nil {
		return v.types
	}
	return 0
}

func (n *named) isString(argument string) bool { return n.typesOf(argument) == aString }

func (n *named) selected(names []string) (string, error) {
	argument, err := n.indexed(names[0])
	if err == nil && len(names) > 1 {
		err = fmt.Errorf("argument %q is %s and has no field %q", names[0], n.typesOf(argument), names[1])
	}
	return argument, err
}

func (n *named) indexed(key string) (string, error) {
	if n.byName[key] != nil {
		return key, nil
	}
	names := make([]string, len(n.arguments))
	for i, a := range n.arguments {
		names[i] = a.name
	}
	return "", hint.New(nearest.Fix(key, names, oneOf("declare the argument", names)), "unknown argument %q", explain.Short(key))
}

// isField reports whether text/template reads .name as a field.
func isField(name string) bool {
	return name != "" && (name[0] < '0' || name[0] > '9') && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// data returns the data of a template, of the texts that a client has sent.
func (n *named) data(args map[string]string) (any, error) {
	if n.isText {
		return args, nil
	}
	data := make(map[string]any, len(n.values))
	for i := range n.values {
		v := &n.values[i]
		value, err := v.of(args[v.name])
		if err != nil {
			return nil, fmt.Errorf("argument %q must be %s", v.name, v.types)
		}
		data[v.name] = value
	}
	return data, nil
}

// structData are the arguments of a prompt whose arguments are a struct.
type structData struct {
	typ    reflect.Type
	fields []field
	// pointers are the embedded structs that are pointers, outer ones first.
	pointers [][]int
}

type field struct {
	argument
	index []int
}

// structOf returns what is known of In, or what [prompts.New] finds wrong with it.
func structOf[In any]() (*structData, []*Error) {
	s := &structData{typ: reflect.TypeFor[In]()}
	plan, errs := declared.Compile(s.typ, nil)
	var faults []*Error
	for _, err := range errs {
		faults = append(faults, place{}.error(err))
	}
	if len(faults) > 0 {
		return nil, faults
	}
	for _, a := range plan.Arguments {
		s.addPointers(a.Index)
		action, ok := s.action(a.Index)
		if !ok {
			faults = append(faults, place{}.error(hint.New("rename one of the fields", "argument %q: a template cannot select %s: its embedded struct is not exported, and another field has the same name", a.Name, action)))
		}
		s.fields = append(s.fields, field{argument{a.Name, action}, a.Index})
	}
	return s, faults
}

// addPointers adds the embedded pointers on the way to the field at the index.
func (s *structData) addPointers(index []int) {
	for n := 1; n < len(index); n++ {
		at := index[:n]
		isKnown := slices.ContainsFunc(s.pointers, func(known []int) bool { return slices.Equal(known, at) })
		if !isKnown && s.typ.FieldByIndex(at).Type.Kind() == reflect.Pointer {
			s.pointers = append(s.pointers, at)
		}
	}
}

// isWithin reports whether the field at the index is an embedded struct with arguments.
func (s *structData) isWithin(index []int) bool {
	return slices.ContainsFunc(s.fields, func(f field) bool {
		return len(f.index) > len(index) && slices.Equal(f.index[:len(index)], index)
	})
}

// action returns how a template writes the field: by its name alone if Go promotes it, else with
// the embedded structs that it is in. It reports whether a template may write that.
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

// typesOf is not known of a struct, whose types may have methods.
func (s *structData) typesOf(string) types { return anyType }

func (s *structData) isString(argument string) bool {
	return slices.ContainsFunc(s.fields, func(f field) bool {
		return f.name == argument && s.typ.FieldByIndex(f.index).Type == reflect.TypeFor[string]()
	})
}

func (s *structData) selected(names []string) (string, error) {
	t, index := s.typ, []int(nil)
	for _, name := range names {
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if _, isMethod := reflect.PointerTo(t).MethodByName(name); isMethod {
			return "", hint.New("add a function to Options.Funcs", "%s is a method of %s, and methods cannot be called in a template", name, typeName(t))
		}
		f, ok := t.FieldByName(name)
		if !ok {
			return "", hint.New(s.advice(name), "%s has no field %s", typeName(t), name)
		}
		index = append(index, f.Index...)
		for _, argument := range s.fields {
			if len(argument.index) <= len(index) && slices.Equal(argument.index, index[:len(argument.index)]) {
				return argument.name, nil
			}
		}
		if !f.IsExported() {
			return "", hint.New("export the field", "field %s of %s is not exported and so is not an argument", name, typeName(t))
		}
		if !s.isWithin(index) {
			return "", fmt.Errorf("field %s of %s is not an argument: excluded by its json tag, or shadowed by another field", name, typeName(t))
		}
		t = f.Type
	}
	last := names[len(names)-1]
	return "", hint.New(fmt.Sprintf("use one of the fields, for example {{.%s.Name}}", strings.Join(names, ".")), "%s is a struct with several arguments", last)
}

func (s *structData) indexed(key string) (string, error) {
	return "", hint.New(s.advice(key), "index cannot select a field of a struct")
}

// advice says which field may have been meant by the name of an argument or of a field.
func (s *structData) advice(name string) string {
	var names, actions []string
	for _, f := range s.fields {
		if f.name == name {
			return "did you mean {{" + f.action + "}}?"
		}
		actions = append(actions, "{{"+f.action+"}}")
		names = append(names, f.action)
	}
	if n := nearest.Name("."+name, names); n != "" {
		return "did you mean {{" + n + "}}?"
	}
	return oneOf("add the field", actions)
}

func typeName(t reflect.Type) string {
	if t.Name() == "" {
		return "the struct"
	}
	return t.Name()
}

// complete makes the embedded structs that are nil pointers because none of their arguments was
// given, so that their fields can be read. The value has been made for one call.
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
