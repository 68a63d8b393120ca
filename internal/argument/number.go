package argument

import (
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/mcp-prompts/prompts/internal/schema"
)

// This file compares numbers exactly: those of clients with those of a schema.

// number is an integer or a float. It is compared with the bounds of a schema,
// which are floats, without rounding: the int64 2^53+1 is more than the bound 2^53,
// although its float64 is equal.
type number struct {
	kind  schema.Kind // Int, Uint or Float
	int   int64
	uint  uint64
	float float64 // the value, rounded if an integer is too large
}

// exactFloat limits the integers that all have a float64.
const exactFloat = 1 << 53

// cmp compares the number with f as big.Float's Cmp does.
func (n number) cmp(f float64) int {
	if n.kind == schema.Float || -exactFloat < n.float && n.float < exactFloat {
		switch {
		case n.float < f:
			return -1
		case n.float > f:
			return 1
		}
		return 0
	}
	exact := new(big.Float)
	if n.kind == schema.Int {
		exact.SetInt64(n.int)
	} else {
		exact.SetUint64(n.uint)
	}
	return exact.Cmp(big.NewFloat(f))
}

// isMultipleOf reports whether the number is a multiple of f. A float counts as
// its shortest decimal: 0.3 is a multiple of 0.1, although the float64 of 0.3 is
// no multiple of the float64 of 0.1.
func (n number) isMultipleOf(f float64) bool {
	isSmall := -exactFloat < n.float && n.float < exactFloat
	if isSmall && f == math.Trunc(f) && (n.kind != schema.Float || n.float == math.Trunc(n.float)) {
		return math.Mod(n.float, f) == 0 // both are exact, and so is Mod
	}
	return new(big.Rat).Quo(n.decimal(), decimalOf(f)).IsInt()
}

func (n number) decimal() *big.Rat {
	switch n.kind {
	case schema.Int:
		return new(big.Rat).SetInt64(n.int)
	case schema.Uint:
		return new(big.Rat).SetUint64(n.uint)
	}
	return decimalOf(n.float)
}

func decimalOf(f float64) *big.Rat {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(f, 'e', -1, 64))
	return r
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

// parseFloat parses a decimal number. It rejects hexadecimal numbers, underscores,
// infinities and NaN.
func parseFloat(text string, bits int) (float64, error) {
	f, err := strconv.ParseFloat(text, bits)
	if err == nil && (math.IsInf(f, 0) || math.IsNaN(f)) || strings.ContainsAny(text, "xX_") {
		return 0, strconv.ErrSyntax
	}
	return f, err
}

func isNegative(text string) bool {
	_, err := strconv.ParseInt(text, 10, 64)
	return strings.HasPrefix(text, "-") && (err == nil || errors.Is(err, strconv.ErrRange))
}

// plainInteger returns the integer of a JSON number such as 3.0 or 1e3. It returns any
// other number unchanged.
func plainInteger(number string) string {
	if !strings.ContainsAny(number, ".eE") && number != "-0" {
		return number
	}
	if f, err := strconv.ParseFloat(number, 64); err == nil && f == math.Trunc(f) && math.Abs(f) < exactFloat {
		return strconv.FormatInt(int64(f), 10)
	}
	return number
}
