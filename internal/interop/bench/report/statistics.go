package main

import (
	"math"
	"slices"
)

// median returns the middle value, or the mean of the two in the middle; 0 of
// none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// spread returns how far the values lie from their median, as half of their
// range in parts of the median.
func spread(values []float64) float64 {
	middle := median(values)
	if middle == 0 {
		return 0
	}
	return (slices.Max(values) - slices.Min(values)) / 2 / middle
}

// point is a measurement at a size.
type point struct{ size, value float64 }

// exponent returns the slope of the straight line that fits the points best
// where both axes are logarithmic: 0 is constant, 1 linear, 2 quadratic. It
// wants two different sizes at least, and values above 0.
func exponent(points []point) (float64, bool) {
	var n, sumX, sumY, sumXX, sumXY float64
	for _, p := range points {
		if p.size <= 0 || p.value <= 0 {
			continue
		}
		x, y := math.Log(p.size), math.Log(p.value)
		n, sumX, sumY, sumXX, sumXY = n+1, sumX+x, sumY+y, sumXX+x*x, sumXY+x*y
	}
	under := n*sumXX - sumX*sumX
	if n < 2 || under < 1e-9 {
		return 0, false
	}
	return (n*sumXY - sumX*sumY) / under, true
}
