//go:build !race

package streamablehttp

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// An event allocates nothing of its own. The race detector drops what is
// pooled.
func TestEventAllocations(t *testing.T) {
	s, msg := discardingStream(t), []byte(changed)
	assert.Zero(t, testing.AllocsPerRun(100, func() { _ = s.event(msg, false) }))
}
