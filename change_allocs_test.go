package prompts_test

import (
	"testing"

	"github.com/mcp-prompts/prompts"
	"github.com/stretchr/testify/assert"
)

// To tell one more subscriber of a change allocates nothing: a burst takes one
// timer, however many are told of it.
func TestChangeAllocations(t *testing.T) {
	const few, many, runs = 1, 200, 5
	for way := range tellings {
		t.Run(way, func(t *testing.T) {
			allocations := func(n int) float64 {
				c := newToldCrowd(t, way, n)
				c.change(t) // which fills the pools
				return testing.AllocsPerRun(runs, func() { c.change(t) })
			}
			more := allocations(many) - allocations(few)
			if !prompts.RaceEnabled { // the race detector allocates, and drops what is pooled
				assert.Less(t, more, float64(many-few)/10)
			}
		})
	}
}
