package prompttemplate

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/hint"
)

// data is what a check knows of the arguments as a whole.
type data interface {
	// all returns the arguments.
	all() []argument
	// selected returns the argument that .a.b selects, given a and b.
	selected(names []string) (argument string, err error)
	// indexed is selected for index . "key".
	indexed(key string) (argument string, err error)
	// typesOf returns the types that an argument may have.
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
	return "", hint.New(suggestion(key, names, oneOf("declare the argument", names)), "unknown argument %q", shortened(key))
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
