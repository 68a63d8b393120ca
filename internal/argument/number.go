package argument

import (
	"cmp"
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/mcp-prompts/prompts/internal/schema"
)

// number is an integer or a float. It is compared with the bounds of a schema, which are floats,
// without rounding: the int64 2^53+1 is more than the bound 2^53, although its float64 is equal.
// Most numbers are short, and one comparison of floats decides. Only the others are turned into
// decimals, which takes time linear in their digits.
type number struct {
	kind  schema.Kind // Int, Uint or Float
	int   int64
	uint  uint64
	float float64 // the value, rounded if there are too many digits
	text  string  // of a float with so many digits that a decimal is compared; else ""
}

// exactFloat limits the integers that all have a float64.
const exactFloat = 1 << 53

// exactDigits is the length up to which different decimals have different float64s: 15 decimal
// digits (DBL_DIG in C).
const exactDigits = 15

// The text is kept only if f may have lost digits.
func floatNumber(text string, f float64) number {
	n := number{kind: schema.Float, float: f}
	if len(text) > exactDigits {
		n.text = text
	}
	return n
}

// An integer beyond exactFloat was rounded to a float, and a bound there may be another integer.
func (n number) cmp(f float64) int {
	if n.text == "" && (n.kind == schema.Float || -exactFloat < n.float && n.float < exactFloat) {
		return cmp.Compare(n.float, f)
	}
	return n.decimal().cmp(decimalOf(f))
}

// isMultipleOf reports whether the number is a multiple of f. Both are decimals: 0.3 is a
// multiple of 0.1, although the float64 of 0.3 is no multiple of the float64 of 0.1.
// jsonschema-go divides floats, so that 0.3 is no multiple of 0.1 there.
func (n number) isMultipleOf(f float64) bool {
	isSmall := n.text == "" && -exactFloat < n.float && n.float < exactFloat
	if isSmall && f == math.Trunc(f) && (n.kind != schema.Float || n.float == math.Trunc(n.float)) {
		return math.Mod(n.float, f) == 0 // both are exact, and so is Mod
	}
	return n.decimal().isMultipleOf(shortestOf(f))
}

func (n number) isInteger() bool {
	if n.text != "" {
		return n.decimal().isInteger()
	}
	return n.kind != schema.Float || n.float == math.Trunc(n.float)
}

// isRounded reports whether the float64 is another number: neither its integer nor its shortest
// decimal, which is how a schema is written. Schemas are decoded to float64, so a number with more
// digits than its float64 can equal no value of an enum.
func (n number) isRounded() bool {
	return n.text != "" && n.decimal().cmp(decimalOf(n.float)) != 0 && n.decimal().cmp(shortestOf(n.float)) != 0
}

func (n number) decimal() decimal {
	switch {
	case n.text != "":
		return parseDecimal(n.text)
	case n.kind == schema.Int:
		return parseDecimal(strconv.FormatInt(n.int, 10))
	case n.kind == schema.Uint:
		return parseDecimal(strconv.FormatUint(n.uint, 10))
	}
	return decimalOf(n.float)
}

func (n number) instance() any {
	switch n.kind {
	case schema.Int:
		return n.int
	case schema.Uint:
		return n.uint
	}
	return n.float
}

// parseFloat parses a decimal number. It rejects hexadecimal numbers, underscores, infinities and
// NaN. JSON allows no such number, and 0x10 is more likely an error than a number.
func parseFloat(text string, bits int) (float64, error) {
	f, err := strconv.ParseFloat(text, bits)
	if err == nil && (math.IsInf(f, 0) || math.IsNaN(f)) || strings.ContainsAny(text, "xX_") {
		return 0, strconv.ErrSyntax
	}
	return f, err
}

// isNegative reports whether the text is a negative integer of any size. For a uint
// it is out of range, and not of the wrong type.
func isNegative(text string) bool {
	_, err := strconv.ParseInt(text, 10, 64)
	return strings.HasPrefix(text, "-") && (err == nil || errors.Is(err, strconv.ErrRange))
}

// plainInteger returns the integer of a JSON number such as 3.0 or 1e3. It returns any other number
// unchanged. A client that encodes all numbers as floats sends 3.0 for 3. The exponent is bounded,
// so that 1e999999999 does not become a gigabyte of zeros.
func plainInteger(number string) string {
	if !strings.ContainsAny(number, ".eE") && number != "-0" {
		return number
	}
	d := parseDecimal(number)
	if zeros := d.point - len(d.digits); zeros >= 0 && d.point <= 20 || d.digits == "" { // as an int64 or uint64 has
		digits := cmp.Or(d.digits, "0") + strings.Repeat("0", max(zeros, 0))
		if d.negative {
			return "-" + digits
		}
		return digits
	}
	return number
}
