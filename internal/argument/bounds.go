package argument

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/schema"
)

// This file fits the bounds of a schema to the numbers that the Go type holds, and
// rejects bounds without a number.

// compileNumber returns an error if the bounds leave no number: no call could give the
// argument. checkReadable checks the values of an enum.
func (v *value) compileNumber(s *jsonschema.Schema) error {
	types, err := schema.PossibleTypes(s)
	if err != nil {
		return err
	}
	// A float64 with the schema type integer accepts the text 3.0, but not 3.5. An
	// enum already lists what is valid.
	if v.kind == schema.Float && !types.HasFractions() && v.rules.enum == nil {
		v.isIntegral, v.expected = true, "an integer"
	}
	if err := v.narrow(); err != nil {
		return err
	}
	if v.kind == schema.Float && !v.isIntegral {
		return v.rules.checkMultiples(v.rules.minimum, v.rules.maximum)
	}
	low, high := v.rules.between()
	if low > high {
		return fmt.Errorf("no integer is %s, so no value is allowed", v.rules.bounds())
	}
	return v.rules.checkMultiples(finite(low), finite(high))
}

// Parsing the text enforces the range of the type anyway. The narrowed bounds are for hints, forms
// and messages, and they find bounds that no value of the type can satisfy.
func (v *value) narrow() error {
	// high is exclusive, because the largest 64-bit integers have no float64 of their own.
	low, high, text := v.held()
	r := &v.rules
	isAbove := func(bound *float64) bool { return bound != nil && *bound >= high }
	isBelow := func(bound *float64) bool { return bound != nil && *bound < low }
	for _, b := range []struct {
		keyword string
		bound   *float64
		isEmpty bool
	}{
		{"minimum", r.minimum, isAbove(r.minimum)},
		{"exclusiveMinimum", r.exclusiveMinimum, isAbove(r.exclusiveMinimum)},
		{"maximum", r.maximum, isBelow(r.maximum)},
		{"exclusiveMaximum", r.exclusiveMaximum, r.exclusiveMaximum != nil && *r.exclusiveMaximum <= low},
	} {
		if b.isEmpty {
			return fmt.Errorf("%s is %s, but the type holds %s, so no value is allowed", b.keyword, phrase.Decimal(*b.bound), text)
		}
	}
	// Bounds of 64 bits and of floats say nothing to a user, except that a uint is at least 0.
	var least, most *float64
	if v.kind == schema.Uint || v.kind == schema.Int && v.bits < 64 {
		least = &low
	}
	// An exclusive maximum has no effect from the end on; high is the largest value from here on,
	// and is exact for fewer than 64 bits.
	end := high
	isPast := func(bound *float64) bool { return bound != nil && *bound >= end }
	if v.kind != schema.Float && v.bits < 64 {
		high--
		most = &high
	}
	// An exclusive bound beyond the range excludes nothing, and is replaced by the
	// inclusive bound of the type.
	replace := func(inclusive, exclusive **float64, isBeyond, isIdle func(*float64) bool, limit *float64) {
		if isBeyond(*inclusive) || isIdle(*exclusive) && *inclusive == nil {
			*inclusive = limit
		}
		if isIdle(*exclusive) {
			*exclusive = nil
		}
	}
	replace(&r.minimum, &r.exclusiveMinimum, isBelow, isBelow, least)
	replace(&r.maximum, &r.exclusiveMaximum, isAbove, isPast, most)
	return nil
}

func finite(bound float64) *float64 {
	if math.IsInf(bound, 0) {
		return nil
	}
	return &bound
}

// checkMultiples returns an error if no multiple is between the bounds. Rational numbers, because
// 0.3 is a multiple of 0.1 as decimals, but not as floats. The numbers come from the declaration,
// so their size is that of a float64 at most.
func (r *rules) checkMultiples(low, high *float64) error {
	if r.multipleOf == nil || low == nil || high == nil {
		return nil
	}
	step := rationalOf(*r.multipleOf)
	steps := new(big.Rat).Quo(rationalOf(*high), step)
	// Div rounds down, because the denominator is positive.
	last := new(big.Rat).SetInt(new(big.Int).Div(steps.Num(), steps.Denom()))
	if last.Mul(last, step).Cmp(rationalOf(*low)) < 0 {
		return errors.New("no multiple of multipleOf is in the range, so no value is allowed")
	}
	return nil
}

// rationalOf returns the shortest decimal of f, which is the number that the author wrote.
func rationalOf(f float64) *big.Rat {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(f, 'e', -1, 64))
	return r
}
