package prompttemplate

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// What templates write for a value is what package fmt writes, but for numbers
// and lists: see [written].

// indirect returns what a pointer or an interface leads to; a pointer or an
// interface if it leads to itself, or very far.
func indirect(v reflect.Value) reflect.Value {
	for range maxValueDepth {
		if v.Kind() != reflect.Pointer && v.Kind() != reflect.Interface {
			break
		}
		v = v.Elem()
	}
	return v
}

// isEndless reports whether text/template, too, would follow a value that
// indirect returns.
func isEndless(v reflect.Value) bool {
	return v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface
}

// orEmpty returns what an action writes for v: a string, unless text/template
// writes the same, and it is known to be short. It panics as step does.
func (r *run) orEmpty(v reflect.Value) reflect.Value {
	d := indirect(v)
	switch d.Kind() {
	case reflect.Invalid:
		return reflect.ValueOf("")
	case reflect.String:
		if d.Type() == stringType {
			return d
		}
	case reflect.Bool, reflect.Int, reflect.Int64:
		if d.Type().PkgPath() == "" {
			return d
		}
	}
	s, err := r.textOf(v)
	if err != nil {
		panic(err)
	}
	return reflect.ValueOf(s)
}

var stringType = reflect.TypeFor[string]()

// textOf returns what an action writes for v.
func (r *run) textOf(v reflect.Value) (string, error) {
	d := indirect(v)
	switch {
	case !d.IsValid():
		return "", nil
	case d.Type() == stringType:
		return d.String(), nil
	case isEndless(d):
		return "", errDeep
	case d.Kind() == reflect.Func || d.Kind() == reflect.Chan:
		return "", fmt.Errorf("cannot write a value of type %s", d.Type())
	}
	if _, err := r.bound([]any{d.Interface()}, nil); err != nil {
		return "", err
	}
	value := d.Interface()
	if d.CanAddr() { // so that it may be the pointer that has the method
		switch p := d.Addr().Interface().(type) {
		case fmt.Stringer, error:
			value = p
		}
	}
	s := fmt.Sprint(writtenOf(value))
	return s, r.spend(len(s))
}

// written is a number or a list, for package fmt. With %v it is written as JSON
// writes the number, without an exponent from 1e-6 up to 1e21, and the elements of
// the list with commas between them. With other verbs, a precision, or a flag for
// digits it is written as package fmt does.
type written struct{ value any }

// writtenOf returns v as what package fmt is to write.
func writtenOf(v any) any {
	switch v.(type) {
	case nil, string, int, bool, fmt.Formatter, fmt.Stringer, error:
		return v
	case float64, []string:
		return written{v}
	}
	t := reflect.TypeOf(v)
	if isFloat(t) || (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) && isElement(t.Elem()) {
		return written{v}
	}
	return v
}

func isFloat(t reflect.Type) bool { return t.Kind() == reflect.Float64 || t.Kind() == reflect.Float32 }

// isElement reports whether lists of a type are written with commas: of strings,
// numbers and booleans, but not of bytes.
func isElement(t reflect.Type) bool {
	return t.Kind() == reflect.String || t.Kind() >= reflect.Bool && t.Kind() <= reflect.Float64 && t.Kind() != reflect.Uint8
}

// Format writes the value.
func (w written) Format(s fmt.State, verb rune) {
	v := reflect.ValueOf(w.value)
	_, isPlain := s.Precision()
	isPlain = !isPlain && (verb == 'v' || verb == 's' && !isFloat(v.Type()) && v.Type().Elem().Kind() == reflect.String)
	for _, flag := range "# 0" {
		isPlain = isPlain && !s.Flag(int(flag))
	}
	format, value := fmt.FormatString(s, verb), w.value
	if isPlain {
		format, value = fmt.FormatString(s, 's'), textOfPlain(v)
	}
	fmt.Fprintf(s, format, value)
}

// textOfPlain returns the text of a number or of a list.
func textOfPlain(v reflect.Value) string {
	if isFloat(v.Type()) {
		var number any = v.Float()
		if v.Kind() == reflect.Float32 {
			number = float32(v.Float())
		}
		text, err := json.Marshal(number)
		if err != nil { // not a number, or infinite
			return fmt.Sprint(number)
		}
		return string(text)
	}
	var b strings.Builder
	for i := range v.Len() {
		if i > 0 {
			b.WriteString(", ")
		}
		if e := v.Index(i); e.Type() == stringType {
			b.WriteString(e.String())
		} else {
			fmt.Fprint(&b, writtenOf(e.Interface()))
		}
	}
	return b.String()
}
