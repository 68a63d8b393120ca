package argument

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/problem"
)

// explained says in several ways what it does not want.
type explained struct{}

func (*explained) UnmarshalText(text []byte) error {
	switch string(text) {
	case "blamed":
		return Refuse("any", "names no branch")
	case "wrapped":
		return fmt.Errorf("a secret: %w", Refuse("", "names no branch"))
	case "several":
		return errors.Join(Refuse("", "is too old"), errors.New("a secret"), Refuse("", "is locked"))
	case "hidden":
		return errors.New("a secret")
	}
	return nil
}

// What a type blames its text for is the client's to know, and no other error.
func TestErrorsOfUnmarshalText(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text    string
		reason  problem.Reason
		message string
	}{
		{"blamed", problem.Refused, "names no branch"},
		{"wrapped", problem.Refused, "names no branch"},
		{"several", problem.Refused, "is too old; is locked"},
		{"hidden", problem.Type, `must be a valid value, got "hidden"`},
	} {
		_, problems := readAs[explained](t, test.text, nil)
		require.Len(t, problems, 1, test.text)
		assert.Equal(t, Problem{Argument: "a", Reason: test.reason, Message: test.message}, problems[0])
		_, problems = readAs[[]*explained](t, "fine,"+test.text, nil)
		require.Len(t, problems, 1, test.text)
		assert.Equal(t, Problem{Argument: "a", Path: "/1", Reason: test.reason, Message: test.message, place: "[1]", logged: "[1]"}, problems[0])
	}
}

// panicky panics whatever it reads.
type panicky struct{}

func (*panicky) UnmarshalText([]byte) error { panic("in UnmarshalText") }

// An author's method that panics when a prompt is added is a fault of it.
func TestPanicsOfUnmarshalTextInDeclarations(t *testing.T) {
	t.Parallel()
	constant := any("x")
	for _, test := range []struct {
		schema *jsonschema.Schema
		fault  string
	}{
		{enum("x", "y"), `enum value "x" is not a valid value`},
		{&jsonschema.Schema{Const: &constant}, `const "x" is not a valid value`},
		{&jsonschema.Schema{Default: []byte(`"x"`)}, "default"},
	} {
		err := errorOf[struct {
			A *panicky
		}](Spec{Name: "A", Schema: test.schema})
		assert.ErrorContains(t, err, `argument "A": schema: `+test.fault+": read as argument.panicky: panic: in UnmarshalText")
	}
	err := errorOf[struct{ L []panicky }](Spec{Name: "L", Schema: &jsonschema.Schema{Enum: []any{[]any{"x"}}}})
	assert.ErrorContains(t, err, `enum value ["x"] is not a valid value: read as []argument.panicky: panic: in UnmarshalText`)
	assert.NoError(t, errorOf[struct{ A *panicky }](Spec{Name: "A"}), "nothing is read yet")
}
