package notmade

import (
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Nil calls a function that has a nil argument, and checks the text of the error, or of the panic
// of a function that returns no error.
func Nil(t testing.TB, want string, f any, arguments ...any) {
	t.Helper()
	v := reflect.ValueOf(f)
	why, panics := whyNot(v, arguments...)
	n := v.Type().NumOut()
	returnsError := n > 0 && v.Type().Out(n-1) == reflect.TypeFor[error]()
	assert.Equal(t, want, why)
	assert.NotEqual(t, returnsError, panics, "%s; a function that returns an error must not panic", why)
}

// Negative calls use with a struct of options in which one number is negative, for each number of
// it and of the structs in it. The text of the error or of the panic must name the field, but for
// rates and the fields that mayBeNegative names: their negative numbers have a meaning.
func Negative[O any](t testing.TB, use func(o O) error, mayBeNegative ...string) {
	t.Helper()
	var o O
	negative(reflect.ValueOf(&o).Elem(), "", func(name string, isRate bool) {
		want := name + " must not be negative, got -1"
		got, _ := whyNot(reflect.ValueOf(func() error { return use(o) }))
		if isRate || slices.Contains(mayBeNegative, name) {
			assert.Empty(t, got, "%T.%s", o, name)
		} else {
			assert.Contains(t, got, want, "%T.%s", o, name)
		}
	})
}

func negative(o reflect.Value, in string, each func(name string, isRate bool)) {
	for i := range o.NumField() {
		name, v := in+o.Type().Field(i).Name, o.Field(i)
		switch {
		case !v.CanSet():
		case v.Kind() == reflect.Struct:
			negative(v, name+".", each)
		case v.CanInt() || v.CanFloat():
			v.Set(reflect.ValueOf(-1).Convert(v.Type()))
			each(name, v.CanFloat())
			v.SetZero()
		}
	}
}
