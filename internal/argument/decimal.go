package argument

import (
	"cmp"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// This file computes with decimals exactly, in time linear in their length: a float64
// rounds 100.00000000000000001 to 100, and 1e999999999 has no big.Rat that fits memory.

// decimal is the number 0.digits × 10^point. The digits neither begin nor end with a zero. Zero has
// no digits. Each number has exactly one decimal, so equality and order are those of the fields.
type decimal struct {
	negative bool
	digits   string
	point    int
}

// farExponent stands for every larger exponent. The digits of a text cannot reach it, and an
// int of 32 bits can hold it.
const farExponent = 1 << 30

// The digits are a part of the text, or one copy without the point.
func parseDecimal(text string) decimal {
	var d decimal
	d.negative = strings.HasPrefix(text, "-")
	text = strings.TrimLeft(text, "+-")
	exponent := 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		var err error
		if exponent, err = strconv.Atoi(text[i+1:]); err != nil || exponent < -farExponent || exponent > farExponent {
			// Beyond this size only the sign matters: no bound of a schema is near.
			exponent = farExponent
			if text[i+1] == '-' {
				exponent = -farExponent
			}
		}
		text = text[:i]
	}
	whole, fraction, _ := strings.Cut(text, ".")
	d.digits = whole
	if fraction != "" {
		d.digits = whole + fraction
	}
	trimmed := strings.TrimLeft(d.digits, "0")
	d.point = len(whole) - (len(d.digits) - len(trimmed)) + exponent
	// -0 is 0 in JSON Schema.
	if d.digits = strings.TrimRight(trimmed, "0"); d.digits == "" {
		return decimal{}
	}
	return d
}

// decimalOf returns the number that a schema means by f: the integer, or else the shortest decimal
// with this float64. phrase.Decimal must print the same number: a message "at most
// 9007199254740993" for another bound would be wrong.
func decimalOf(f float64) decimal {
	if f == math.Trunc(f) && math.Abs(f) < 1e21 {
		return parseDecimal(strconv.FormatFloat(f, 'f', 0, 64))
	}
	return shortestOf(f)
}

func shortestOf(f float64) decimal { return parseDecimal(strconv.FormatFloat(f, 'e', -1, 64)) }

// With the same sign, the larger point decides. Digits without leading zeros compare like strings,
// and a prefix is smaller.
func (d decimal) cmp(other decimal) int {
	switch {
	case d.sign() != other.sign():
		return cmp.Compare(d.sign(), other.sign())
	case d.negative:
		d, other = other, d
	}
	return cmp.Or(cmp.Compare(d.point, other.point), strings.Compare(d.digits, other.digits))
}

func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.negative:
		return -1
	}
	return 1
}

func (d decimal) isInteger() bool { return len(d.digits) <= d.point || d.digits == "" }

// isMultipleOf reports whether the number is a multiple of step, whose digits fit 63 bits. The
// remainder is computed digit by digit, and the zeros that follow by squaring. So the time is
// linear in the digits and logarithmic in the exponent, also for 1e999999999.
func (d decimal) isMultipleOf(step decimal) bool {
	// In units of the last digit of step. As digits do not end with a zero, a number
	// with a fraction of such units is no multiple.
	zeros := (d.point - len(d.digits)) - (step.point - len(step.digits))
	if d.digits == "" || zeros < 0 {
		return d.digits == ""
	}
	of, err := strconv.ParseUint(step.digits, 10, 63)
	if err != nil {
		return false
	}
	rest := uint64(0)
	for i := range len(d.digits) {
		rest = mulMod(rest, 10, of, uint64(d.digits[i]-'0'))
	}
	for power := 10 % of; zeros > 0; zeros >>= 1 { // rest × 10^zeros
		if zeros&1 == 1 {
			rest = mulMod(rest, power, of, 0)
		}
		power = mulMod(power, power, of, 0)
	}
	return rest == 0
}

// mulMod returns (a × b + c) mod m, for a below m.
func mulMod(a, b, m, c uint64) uint64 {
	high, low := bits.Mul64(a, b%m)
	low, carry := bits.Add64(low, c, 0)
	return bits.Rem64(high+carry, low, m)
}

// appendKey appends a text that is the same for equal numbers only. The digits cannot contain e,
// and the semicolon ends the key, see appendKey of instance.go.
func (d decimal) appendKey(dst []byte) []byte {
	if d.negative {
		dst = append(dst, '-')
	}
	dst = append(append(dst, d.digits...), 'e')
	return append(strconv.AppendInt(dst, int64(d.point), 10), ';')
}
