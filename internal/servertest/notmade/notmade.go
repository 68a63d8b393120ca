// Package notmade tests values that no function made, of all modules.
package notmade

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Check calls each exported method of a pointer to a zero value, and of the nil pointer, with
// zero arguments. The text of the panic or of the error must be want. The silent methods have
// nothing to do, and return.
func Check(t testing.TB, it any, want string, silent ...string) {
	t.Helper()
	for _, v := range []reflect.Value{reflect.ValueOf(it), reflect.Zero(reflect.TypeOf(it))} {
		for i := range v.NumMethod() {
			name, expected := v.Type().Method(i).Name, want
			if slices.Contains(silent, name) {
				expected = ""
			}
			why, _ := whyNot(v.Method(i))
			assert.Equal(t, expected, why, "%T.%s, nil: %v", it, name, v.IsNil())
		}
	}
}

// whyNot returns the text of the panic or the error of a function that gets the given values, and
// zero values for the others and for nil.
func whyNot(f reflect.Value, given ...any) (why string, panics bool) {
	defer func() {
		if p := recover(); p != nil {
			why, panics = fmt.Sprint(p), true
		}
	}()
	var args []reflect.Value
	for i := range f.Type().NumIn() {
		if f.Type().IsVariadic() && i == f.Type().NumIn()-1 {
			break
		}
		if i < len(given) && given[i] != nil {
			args = append(args, reflect.ValueOf(given[i]))
			continue
		}
		args = append(args, reflect.Zero(f.Type().In(i)))
	}
	out := f.Call(args)
	if len(out) > 0 {
		if err, ok := out[len(out)-1].Interface().(error); ok {
			return err.Error(), false
		}
	}
	return "", false
}
