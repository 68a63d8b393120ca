package prompttemplate

import (
	"fmt"
	"strings"
	"unicode"
)

// data is what a check knows of the arguments as a whole.
type data interface {
	// all returns the arguments.
	all() []argument
	// selected returns the argument that .a.b selects, given a and b, or what
	// is wrong with that.
	selected(names []string) (argument string, err error)
	// indexed is selected for index . "key".
	indexed(key string) (argument string, err error)
}

// argument is an argument and how a template writes it.
type argument struct{ name, action string }

// named are the arguments of a prompt without a struct.
type named []string

func (n named) all() []argument {
	all := make([]argument, len(n))
	for i, name := range n {
		all[i] = argument{name, fmt.Sprintf("index . %q", name)}
		if isField(name) {
			all[i].action = "." + name
		}
	}
	return all
}

func (n named) selected(names []string) (string, error) {
	argument, err := n.indexed(names[0])
	if err == nil && len(names) > 1 {
		err = fmt.Errorf("the argument %q is a text and has no field %s", names[0], names[1])
	}
	return argument, err
}

func (n named) indexed(key string) (string, error) {
	for _, name := range n {
		if name == key {
			return name, nil
		}
	}
	return "", fmt.Errorf("there is no argument %q; %s", key, advice(key, n, oneOf("declare it in Prompt.Arguments", n)))
}

// isField reports whether text/template reads .name as a field.
func isField(name string) bool {
	return name != "" && (name[0] < '0' || name[0] > '9') && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}
