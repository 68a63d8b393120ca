package argument

import (
	"fmt"
	"math/big"
	"strconv"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
)

// DecimalOracle judges an instance as jsonschema-go does, but that a multiple
// is one in decimals, of a value and of the elements of a list.
func DecimalOracle(s *jsonschema.Schema, instance any) error {
	rest := s.CloneSchemas()
	for inner := rest; inner != nil; inner = inner.Items {
		inner.MultipleOf = nil
	}
	resolved, err := rest.Resolve(nil)
	if err != nil {
		return err
	}
	if err := resolved.Validate(instance); err != nil {
		return err
	}
	return checkDecimals(s, instance)
}

func checkDecimals(s *jsonschema.Schema, instance any) error {
	if list, ok := instance.([]any); ok && s.Items != nil {
		for _, e := range list {
			if err := checkDecimals(s.Items, e); err != nil {
				return err
			}
		}
	}
	text := fmt.Sprint(instance)
	if f, ok := instance.(float64); ok {
		text = strconv.FormatFloat(f, 'e', -1, 64)
	}
	n, ok := new(big.Rat).SetString(text)
	if s.MultipleOf == nil || !ok {
		return nil
	}
	of, _ := new(big.Rat).SetString(strconv.FormatFloat(*s.MultipleOf, 'e', -1, 64))
	if !n.Quo(n, of).IsInt() {
		return fmt.Errorf("%s is not a multiple of %v", text, *s.MultipleOf)
	}
	return nil
}

// Multiples are those of the decimals that are written, and exact.
func TestMultiples(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		of   float64
		want bool
	}{
		{"0.3", 0.1, true},
		{"0.35", 0.1, false},
		{"-0.7", 0.1, true},
		{"1e-7", 1e-8, true},
		{"1e-8", 1e-7, false},
		{"0", 0.1, true},
		{"1.10", 0.01, true},
		{"1.005", 0.01, false},
		{"1e22", 10, true},
		{"1e308", 5e-324, true},
		{"100", 0.8, true}, // only the zeros make the multiple
		{"10", 0.8, false},
		{"1.5", 3, false},
		{"4503599627370497.5", 0.5, true},
		{"9007199254740994", 3, false}, // 9007199254740993 is
	} {
		_, problems := readAs[float64](t, c.text, &jsonschema.Schema{MultipleOf: &c.of})
		assert.Equal(t, c.want, len(problems) == 0, "%s of %v", c.text, c.of)
	}
	for _, c := range []struct {
		text string
		of   float64
		want bool
	}{
		{"7", 3.5, true},
		{"8", 3.5, false},
		{"9007199254740993", 2, false},
		{"9007199254740993", 3, true},
		{"9223372036854775807", 7, true},
		{"-9223372036854775807", 49, true},
		{"9223372036854775807", 2, false},
	} {
		_, problems := readAs[int64](t, c.text, &jsonschema.Schema{MultipleOf: &c.of})
		assert.Equal(t, c.want, len(problems) == 0, "%s of %v", c.text, c.of)
	}
	_, problems := readAs[uint64](t, "18446744073709551615", &jsonschema.Schema{MultipleOf: ptr(5.0)})
	assert.Empty(t, problems)
	_, problems = readAs[uint64](t, "18446744073709551614", &jsonschema.Schema{MultipleOf: ptr(5.0)})
	assert.Len(t, problems, 1)
}
