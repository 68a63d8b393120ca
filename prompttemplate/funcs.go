package prompttemplate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"text/template"

	"github.com/mcp-prompts/prompts"
)

// orEmpty is the name of the function that the value of every action passes
// through.
const orEmpty = "_orEmpty"

// functions returns those that all templates have.
func functions() template.FuncMap {
	return template.FuncMap{
		"fence":     func(language, code reflect.Value) string { return prompts.Fence(textOf(language), textOf(code)) },
		"untrusted": func(label, text reflect.Value) string { return prompts.Untrusted(textOf(label), textOf(text)) },
		"json":      toJSON,
		orEmpty: func(v reflect.Value) reflect.Value {
			if isAbsent(v) {
				return reflect.ValueOf("")
			}
			return v
		},
	}
}

// isAbsent reports whether v is no value or leads to none. text/template
// would write "<no value>" or "<nil>" for it.
func isAbsent(v reflect.Value) bool {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	return !v.IsValid()
}

// textOf returns what an action writes for v.
func textOf(v reflect.Value) string {
	if isAbsent(v) {
		return ""
	}
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if v.Type() == reflect.TypeFor[string]() {
		return v.String()
	}
	if v.CanAddr() { // so that it may be the pointer that has the method String
		if s, ok := v.Addr().Interface().(fmt.Stringer); ok {
			return s.String()
		}
	}
	return fmt.Sprint(v.Interface())
}

// toJSON returns v as JSON, without escapes for HTML.
func toJSON(v reflect.Value) (string, error) {
	var value any
	switch {
	case !v.IsValid():
	case v.CanAddr(): // so that it may be the pointer that has the method MarshalJSON
		value = v.Addr().Interface()
	default:
		value = v.Interface()
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return "", err
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}
