package main

import (
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
