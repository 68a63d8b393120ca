package main

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each journey can be made more than once.
func TestJourneys(t *testing.T) {
	for _, j := range journeys {
		t.Run(j.name, func(t *testing.T) {
			once := j.begin()
			for number := range 3 {
				require.NoError(t, once(number+1))
			}
		})
	}
}

// A row that is in the wrong place is an error, whatever ran before and after the last get.
func TestOrder(t *testing.T) {
	all := steps{{"a.go", "once"}, {"a.go", waiting}, {"a.go", "b"}, {"a.go", "c"}, {"a.go", "write"}}
	traceOf := func(get ...int) []int { return append(slices.Repeat([]int{1, 2, 3, 4}, few), get...) }
	require.NoError(t, all.checkOrder(append([]int{0}, traceOf(1, 2, 3, 4)...)))
	require.NoError(t, all.checkOrder(traceOf(1, 2, 3, 2, 4)), "a step may run again")
	require.EqualError(t, all.checkOrder(traceOf(1, 3, 2, 4)), "docs/architecture.md: c is too late in the table of steps")
	require.ErrorContains(t, all.checkOrder([]int{1, 2, 3, 4}), "has run 1 times")
}
