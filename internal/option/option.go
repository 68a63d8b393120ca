// Package option checks what functions of all packages get by one rule: a nil argument is an error,
// and so is a negative number, unless the comment of the option says what it means. A negative rate
// is no limit. A number is a field of any integer kind: name an option with valid negative values,
// such as a slog.Level, in mayBe of [Negative].
//
// The modules that import the package have versions of their own: the package only gets additions.
package option

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
)

// Negative returns the errors of the integers and durations in a struct that are negative, and of
// rates that are no number. The fields of mayBe, such as "Timeouts.Render", may be negative.
func Negative(options any, mayBe ...string) []error {
	return negative(reflect.ValueOf(options), "", mayBe)
}

func negative(o reflect.Value, in string, mayBe []string) (errs []error) {
	for i := range o.NumField() {
		v, name := o.Field(i), in+o.Type().Field(i).Name
		switch {
		case !o.Type().Field(i).IsExported() || slices.Contains(mayBe, name):
		case v.Kind() == reflect.Struct:
			errs = append(errs, negative(v, name+".", mayBe)...)
		case v.CanInt() && v.Int() < 0:
			errs = append(errs, fmt.Errorf("%s must not be negative, got %v", name, v))
		case v.CanFloat() && math.IsNaN(v.Float()):
			errs = append(errs, fmt.Errorf("%s is not a number", name))
		}
	}
	return errs
}

// Check returns the error of a function that gets a nil argument, or a negative option. arguments
// are names and values in turn, such as "registry", reg. Without options, options is struct{}{}.
func Check(caller string, options any, arguments ...any) error {
	for i := 0; i < len(arguments); i += 2 {
		if v := reflect.ValueOf(arguments[i+1]); !v.IsValid() || (v.Kind() == reflect.Pointer || v.Kind() == reflect.Func) && v.IsNil() {
			return fmt.Errorf("%s: %v is nil", caller, arguments[i])
		}
	}
	if err := errors.Join(Negative(options)...); err != nil {
		return fmt.Errorf("%s: options: %w", caller, err)
	}
	return nil
}

// Must panics with the error of [Check].
func Must(caller string, options any, arguments ...any) {
	if err := Check(caller, options, arguments...); err != nil {
		panic(err)
	}
}
