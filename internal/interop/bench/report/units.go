package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// format writes a value as a person reads it: three digits and the unit that
// fits.
func format(value float64, unit string) string {
	quantity, _, _ := strings.Cut(unit, "/")
	switch quantity {
	case "ns", "cpu-ns":
		return scaled(value, 1000, "ns", "µs", "ms", "s")
	case "B", "B-program", "B-declared", "B-listed":
		return scaled(value, 1000, "B", "KB", "MB", "GB")
	default:
		return digits(value)
	}
}

func scaled(value, step float64, units ...string) string {
	for len(units) > 1 && abs(value) >= step {
		value /= step
		units = units[1:]
	}
	return digits(value) + " " + units[0]
}

// digits writes three digits, all of those before the point, and no point
// behind a whole number.
func digits(value float64) string {
	switch {
	case value == math.Trunc(value), abs(value) >= 99.95:
		return thousands(strconv.FormatFloat(value, 'f', 0, 64))
	case abs(value) >= 9.995:
		return strconv.FormatFloat(value, 'f', 1, 64)
	default:
		return strconv.FormatFloat(value, 'f', 2, 64)
	}
}

// thousands puts commas into a whole number.
func thousands(number string) string {
	sign := ""
	if strings.HasPrefix(number, "-") {
		sign, number = "-", number[1:]
	}
	for i := len(number) - 3; i > 0; i -= 3 {
		number = number[:i] + "," + number[i:]
	}
	return sign + number
}

// ratio writes how many times as much a is as b.
func ratio(a, b float64) string {
	if b <= 0 {
		return ""
	}
	r := a / b
	switch {
	case r >= 9.95:
		return thousands(fmt.Sprintf("%.0f", r)) + " ×"
	case r < 0.995:
		return fmt.Sprintf("%.2g ×", r)
	default:
		return fmt.Sprintf("%.1f ×", r)
	}
}

func abs(x float64) float64 { return max(x, -x) }
