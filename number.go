package prompts

import (
	"math"
	"math/big"
	"strconv"
)

// number is an integer or a float that can be compared with the bounds of a
// schema, which are floats, without rounding.
type number struct {
	kind  kind // kindInt, kindUint or kindFloat
	int   int64
	uint  uint64
	float float64 // the value, rounded if an integer is too large
}

// exactFloat is the largest integer below which every integer is a float64.
const exactFloat = 1 << 53

// cmp compares the number with f as big.Float's Cmp does.
func (n number) cmp(f float64) int {
	if n.kind == kindFloat || -exactFloat < n.float && n.float < exactFloat {
		switch {
		case n.float < f:
			return -1
		case n.float > f:
			return 1
		}
		return 0
	}
	exact := new(big.Float)
	if n.kind == kindInt {
		exact.SetInt64(n.int)
	} else {
		exact.SetUint64(n.uint)
	}
	return exact.Cmp(big.NewFloat(f))
}

// isMultipleOf reports whether the number is a multiple of f. Floats are the
// shortest decimals that they stand for, as people write them: 0.3 is a
// multiple of 0.1, although no float64 is one of the other.
func (n number) isMultipleOf(f float64) bool {
	isSmall := -exactFloat < n.float && n.float < exactFloat
	if isSmall && f == math.Trunc(f) && (n.kind != kindFloat || n.float == math.Trunc(n.float)) {
		return math.Mod(n.float, f) == 0 // both are exact, and so is Mod
	}
	return new(big.Rat).Quo(n.decimal(), decimalOf(f)).IsInt()
}

func (n number) decimal() *big.Rat {
	switch n.kind {
	case kindInt:
		return new(big.Rat).SetInt64(n.int)
	case kindUint:
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
	case kindInt:
		return n.int
	case kindUint:
		return n.uint
	}
	return n.float
}
