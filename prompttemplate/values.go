package prompttemplate

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts"
)

// typed is an argument of a prompt without a struct: its type in a template,
// by its schema. Anything that is not one of these types is its text, a date
// and a duration too.
type typed struct {
	name  string
	types types
	items types // of a list
	value any   // if the argument is absent
	// The list that is the default, by the text that package prompts makes of
	// it.
	text    string
	strings []string
}

func typedOf(a prompts.Argument) typed {
	v := typed{name: a.Name, types: typeOf(a.Schema)}
	switch v.types {
	case anInteger:
		v.value = 0
	case aNumber:
		v.value = 0.0
	case aBoolean:
		v.value = false
	case aList:
		v.items = typeOf(a.Schema.Items)
		v.value, _ = v.list("")
		if d := string(a.Schema.Default); d != "" {
			if list, err := v.list(d); err == nil {
				v.text = d
				v.strings, _ = list.([]string)
			}
		}
	default:
		v.value = ""
	}
	return v
}

// typeOf returns the type of the values of a schema.
func typeOf(s *jsonschema.Schema) types {
	if s == nil {
		return aString
	}
	switch s.Type {
	case "integer":
		return anInteger
	case "number":
		return aNumber
	case "boolean":
		return aBoolean
	case "array":
		return aList
	}
	return aString
}

// of returns the value of a text that a client has sent, or the default.
func (v *typed) of(text string) (any, error) {
	if text == "" {
		return v.value, nil
	}
	if v.types == aList {
		if text == v.text && v.strings != nil {
			return slices.Clone(v.strings), nil
		}
		return v.list(text)
	}
	return scalar(v.types, text)
}

// scalar returns the value of a text.
func scalar(t types, text string) (any, error) {
	switch t {
	case anInteger:
		return strconv.Atoi(text)
	case aNumber:
		f, err := strconv.ParseFloat(text, 64)
		if err == nil && (math.IsInf(f, 0) || math.IsNaN(f)) {
			err = strconv.ErrSyntax
		}
		return f, err
	case aBoolean:
		return strconv.ParseBool(text)
	}
	return text, nil
}

// list returns the elements of a list as a slice of their type.
func (v *typed) list(text string) (any, error) {
	switch v.items {
	case anInteger:
		return elements[int](v.items, text)
	case aNumber:
		return elements[float64](v.items, text)
	case aBoolean:
		return elements[bool](v.items, text)
	}
	return splitList(text), nil
}

func elements[T any](t types, text string) ([]T, error) {
	all := []T{} // which is [] in JSON
	if strings.HasPrefix(strings.TrimSpace(text), "[") {
		return all, json.Unmarshal([]byte(text), &all)
	}
	for _, element := range splitList(text) {
		value, err := scalar(t, element)
		if err != nil {
			return nil, err
		}
		all = append(all, value.(T))
	}
	return all, nil
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
