package wire

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// One large message does not stay in memory.
func TestLargeBuffersAreNotPooled(t *testing.T) {
	large := make([]byte, 0, maxPooledBuffer+1)
	PutBuffer(&large)
	for range 10 {
		assert.LessOrEqual(t, cap(*GetBuffer()), maxPooledBuffer)
	}
}
