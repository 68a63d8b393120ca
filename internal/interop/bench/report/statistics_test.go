package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMedian(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		values []float64
		want   float64
	}{
		"none":              {nil, 0},
		"one":               {[]float64{7}, 7},
		"the middle":        {[]float64{9, 1, 5}, 5},
		"between two":       {[]float64{4, 1, 2, 100}, 3},
		"an outlier counts": {[]float64{1, 1, 1000, 2, 2}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			given := append([]float64(nil), test.values...)
			assert.InDelta(t, test.want, median(test.values), 1e-12)
			assert.Equal(t, given, test.values, "it is not sorted in place")
		})
	}
}

func TestSpread(t *testing.T) {
	t.Parallel()
	assert.InDelta(t, 0.0, spread([]float64{3, 3, 3}), 1e-12)
	assert.InDelta(t, 0.1, spread([]float64{9, 10, 11}), 1e-12)
	assert.InDelta(t, 0.0, spread([]float64{0, 0}), 1e-12)
}

func TestExponent(t *testing.T) {
	t.Parallel()
	points := func(f func(size float64) float64) []point {
		var all []point
		for size := 10.0; size <= 1e6; size *= 10 {
			all = append(all, point{size, f(size)})
		}
		return all
	}
	for name, test := range map[string]struct {
		points []point
		want   float64
	}{
		"constant":            {points(func(float64) float64 { return 42 }), 0},
		"linear":              {points(func(n float64) float64 { return 3 * n }), 1},
		"quadratic":           {points(func(n float64) float64 { return n * n / 7 }), 2},
		"falling":             {points(func(n float64) float64 { return 1 / n }), -1},
		"the best of several": {[]point{{1, 1}, {10, 100}, {100, 100}}, 1},
		"0 is left out":       {[]point{{0, 5}, {1, 1}, {10, 10}, {100, 0}}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ok := exponent(test.points)
			assert.True(t, ok)
			assert.InDelta(t, test.want, got, 1e-9)
		})
	}
	for name, points := range map[string][]point{
		"no points": nil,
		"one point": {{10, 10}},
		"one size":  {{10, 10}, {10, 20}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, ok := exponent(points)
			assert.False(t, ok)
		})
	}
}
