package argument

import (
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
)

// What an argument is completed to by its type and schema alone.
func TestOwnCompletions(t *testing.T) {
	t.Parallel()
	type in struct {
		S string          `json:"s,omitempty"`
		B *bool           `json:"b"`
		I int             `json:"i,omitempty"`
		U *uint8          `json:"u"`
		F float64         `json:"f,omitempty"`
		D time.Duration   `json:"d,omitempty"`
		P *time.Duration  `json:"p"`
		J struct{ X int } `json:"j,omitempty"`
		A any             `json:"a,omitempty"`
		L []int           `json:"l,omitempty"`
	}
	num := jsonschema.Ptr[float64]
	constant := func(v any) *jsonschema.Schema { return &jsonschema.Schema{Const: &v} }
	from := func(low, high float64) *jsonschema.Schema {
		return &jsonschema.Schema{Minimum: &low, Maximum: &high}
	}
	tens := from(0, 100)
	tens.MultipleOf = num(25)
	open := from(0, 5)
	open.ExclusiveMinimum, open.ExclusiveMaximum = num(1), num(4.5)
	seconds := &jsonschema.Schema{Pattern: "^[0-9]+m?s$"}
	for _, test := range []struct {
		name, argument string
		schema         *jsonschema.Schema
		typed          string
		want           []string
	}{
		{"a string", "s", nil, "x", nil},
		{"an enum", "s", enum("ergo", "let go", "Gopher", "go"), "Go", []string{"go", "Gopher", "let go", "ergo"}},
		{"a constant", "s", constant("yes, please"), "please", []string{"yes, please"}},
		{"a boolean", "b", nil, "", []string{"true", "false"}},
		{"a boolean by its first letter", "b", nil, "T", []string{"true"}},
		{"a boolean that can only be one", "b", constant(false), "", []string{"false"}},
		{"an enum of integers", "i", &jsonschema.Schema{Enum: []any{21, 2, 12}}, "2", []string{"2", "21", "12"}},
		{"an enum of any", "a", &jsonschema.Schema{Enum: []any{21, 2, 12}}, "1", []string{"12", "21"}},
		{"a constant integer", "i", constant(7), "", []string{"7"}},
		{"an integer", "i", nil, "", nil},
		{"an integer with one bound", "i", &jsonschema.Schema{Minimum: num(1)}, "", nil},
		{"an integer with the other", "i", &jsonschema.Schema{Maximum: num(1)}, "", nil},
		{"an integer with two", "i", from(-2, 1), "", []string{"-2", "-1", "0", "1"}},
		{"what was typed of it", "i", from(8, 21), "1", []string{"10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "21"}},
		{"bounds that are no integers", "i", from(0.5, 2.5), "", []string{"1", "2"}},
		{"bounds that are not included", "i", open, "", []string{"2", "3", "4"}},
		{"multiples", "i", tens, "", []string{"0", "25", "50", "75", "100"}},
		{"bounds that are far apart", "i", from(0, 101), "", nil},
		{"bounds beyond what a float can count", "i", from(1<<60, 1<<60+2048), "", nil},
		{"an integer without a sign", "u", &jsonschema.Schema{Maximum: num(2)}, "", []string{"0", "1", "2"}},
		{"bounds beyond the type", "u", from(254, 300), "", []string{"254", "255"}},
		{"a number", "f", from(0, 3), "", nil},
		{"a duration", "d", nil, "", nil},
		{"a duration's number", "d", nil, "5", []string{"5s", "5m", "5h", "5ms"}},
		{"a duration's number with a fraction", "p", nil, "-1.5", []string{"-1.5s", "-1.5m", "-1.5h", "-1.5ms"}},
		{"a duration's number that is too large for a unit", "d", nil, "9000000000", []string{"9000000000s", "9000000000ms"}},
		{"a duration with its unit", "d", nil, "5m", nil},
		{"no number", "d", nil, ".", nil},
		{"no number either", "d", nil, "five", nil},
		{"the units that are allowed", "d", seconds, "5", []string{"5s", "5ms"}},
		{"a duration with an enum", "d", enum("5m", "15m"), "5", []string{"5m", "15m"}},
		{"a constant duration", "d", constant("15m"), "5", []string{"15m"}},
		{"JSON", "j", nil, "", nil},
		{"a list of narrow integers", "l", itemsOf(from(1, 3)), "1,", []string{"1,2", "1,3"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var arguments []Spec
			if test.schema != nil {
				arguments = append(arguments, Spec{Name: test.argument, Schema: test.schema})
			}
			p := planOf[in](t, arguments...)
			values, total := p.Arguments[p.Find(test.argument)].Complete(test.typed)
			assert.ElementsMatch(t, test.want, values)
			if len(test.want) > 0 {
				assert.Equal(t, test.want, values)
			}
			assert.Equal(t, len(test.want), total)
		})
	}
}
