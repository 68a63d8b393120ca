package prompts

import "math/big"

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

func (n number) instance() any {
	switch n.kind {
	case kindInt:
		return n.int
	case kindUint:
		return n.uint
	}
	return n.float
}
