package prompttemplate

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/schema"
)

// typed is an argument of a prompt without a struct: its type in a template, by its schema.
// Anything that is not one of these types is its text, a date and a duration too.
type typed struct {
	name  string
	types types
	items types // of a list
	value any   // if the argument is absent
	// The list that is the default, by the text that package prompts makes of it.
	text    string
	strings []string
}

// schemaOf returns the schema of an argument, or nil. New reports a value that is no schema.
func schemaOf(a prompts.Argument) *jsonschema.Schema {
	s, _ := schema.OfArgument(a.Schema, a.Enum)
	return s
}

func typedOf(a prompts.Argument) typed {
	s := schemaOf(a)
	v := typed{name: a.Name, types: typeOf(s), value: zeros[typeOf(s)]}
	if v.types != aList {
		return v
	}
	v.items = typeOf(s.Items)
	v.value, _ = v.list("")
	if d := string(s.Default); d != "" {
		if list, err := v.list(d); err == nil {
			v.text = d
			v.strings, _ = list.([]string)
		}
	}
	return v
}

var zeros = map[types]any{aString: "", anInteger: 0, aNumber: 0.0, aBoolean: false}

// typesByName are the types of JSON that are not texts in a template.
var typesByName = map[string]types{"integer": anInteger, "number": aNumber, "boolean": aBoolean, "array": aList}

func typeOf(s *jsonschema.Schema) types {
	if s == nil {
		return aString
	}
	return cmp.Or(typesByName[s.Type], aString)
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

// types are those that an argument may have in a template.
type types uint8

const (
	aString types = 1 << iota
	anInteger
	aNumber
	aBoolean
	aList
	anyType types = 1<<8 - 1
)

// String returns the types in words.
func (t types) String() string {
	var names []string
	for _, n := range []struct {
		types types
		name  string
	}{{aString, "a string"}, {anInteger, "an integer"}, {aNumber, "a number"}, {aBoolean, "a boolean"}, {aList, "a list"}} {
		if t&n.types != 0 && (n.types != anInteger || t&aNumber == 0) {
			names = append(names, n.name)
		}
	}
	if n := len(names) - 1; n > 0 {
		return strings.Join(names[:n], ", ") + " or " + names[n]
	}
	return strings.Join(names, "")
}

func splitList(text string) []string {
	if strings.HasPrefix(strings.TrimSpace(text), "[") {
		var texts []string
		if json.Unmarshal([]byte(text), &texts) == nil {
			return texts
		}
		var raw []json.RawMessage
		if json.Unmarshal([]byte(text), &raw) == nil {
			elements := make([]string, len(raw))
			for i, r := range raw {
				if json.Unmarshal(r, &elements[i]) != nil {
					elements[i] = string(r)
				}
			}
			return elements
		}
	}
	elements := []string{} // which is [] in JSON
	for element := range strings.SplitSeq(text, ",") {
		if element = strings.TrimSpace(element); element != "" {
			elements = append(elements, element)
		}
	}
	return elements
}
