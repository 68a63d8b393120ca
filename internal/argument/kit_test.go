package argument

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"
)

type (
	one[T any] struct {
		A T `json:"a"`
	}
	maybe[T any] struct {
		A T `json:"a,omitempty"`
	}
	// Loop embeds itself.
	Loop struct {
		A string
		*Loop
	}
)

func ptr[T any](v T) *T { return &v }

func enum(values ...string) *jsonschema.Schema {
	s := &jsonschema.Schema{Enum: []any{}}
	for _, v := range values {
		s.Enum = append(s.Enum, v)
	}
	return s
}

func itemsOf(s *jsonschema.Schema) *jsonschema.Schema { return &jsonschema.Schema{Items: s} }

// errorOf compiles the arguments of In and returns what is wrong with them.
func errorOf[In any](specs ...Spec) error {
	_, errs := Compile(reflect.TypeFor[In](), specs)
	return errors.Join(errs...)
}

// planOf compiles the arguments of In, which must have no errors.
func planOf[In any](t testing.TB, specs ...Spec) *Plan {
	t.Helper()
	p, errs := Compile(reflect.TypeFor[In](), specs)
	require.Empty(t, errs)
	return p
}

// listOf compiles arguments without a struct, which must have no errors.
func listPlan(t testing.TB, specs ...Spec) *Plan {
	t.Helper()
	p, errs := Compile(nil, specs)
	require.Empty(t, errs)
	return p
}

// valueOf compiles the argument a of type T under the schema.
func valueOf[T any](t testing.TB, s *jsonschema.Schema) *value {
	t.Helper()
	return planOf[maybe[T]](t, Spec{Name: "a", Schema: s}).Arguments[0].value
}

func fill[In any](p *Plan, in *In, texts ...Text) []Problem {
	return p.Fill(context.Background(), reflect.ValueOf(in).Elem(), texts)
}

func text(value string) Text { return Text{Value: value, Given: true} }

// readAs reads a text into a T, under a schema if that is not nil.
func readAs[T any](t testing.TB, value string, s *jsonschema.Schema) (T, []Problem) {
	t.Helper()
	var got one[T]
	problems := fill(planOf[one[T]](t, Spec{Name: "a", Schema: s}), &got, text(value))
	return got.A, problems
}
