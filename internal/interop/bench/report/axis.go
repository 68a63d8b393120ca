package main

import (
	"math"

	"gonum.org/v1/plot"
)

// powers marks the powers of ten of an axis, with the unit of its values.
type powers string

func (unit powers) Ticks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for at := decade(low, false); at <= high*1.001; at *= 10 {
		ticks = append(ticks, plot.Tick{Value: at, Label: format(at, string(unit))})
		for i := 2.0; i < 10 && at*i <= high; i++ {
			ticks = append(ticks, plot.Tick{Value: at * i})
		}
	}
	return ticks
}

// decade returns the power of ten at or below x, or at or above it.
func decade(x float64, above bool) float64 {
	exponent := math.Log10(x)
	if above {
		return math.Pow(10, math.Ceil(exponent-1e-9))
	}
	return math.Pow(10, math.Floor(exponent+1e-9))
}
