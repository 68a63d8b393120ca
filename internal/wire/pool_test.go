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

// The buffer of a page serves the next one of about the same size, no other message, and
// none for which it is much too large.
func TestGrowPage(t *testing.T) {
	const size = 4 * maxPooledBuffer
	small := []byte("head")
	page := GrowPage(small, size)
	assert.GreaterOrEqual(t, cap(page), len(small)+size)
	page = append(page, "rest"...)
	assert.Equal(t, "headrest", string(page))
	reused := false
	for range 100 { // a pool may lose what it is given
		PutBuffer(&page)
		next := GrowPage([]byte("other"), size-100)
		assert.Equal(t, "other", string(next))
		reused = reused || &next[:1][0] == &page[:1][0]
		PutBuffer(&next)
		assert.LessOrEqual(t, cap(GrowPage(nil, size/4)), 3*size/4)
	}
	assert.True(t, reused)
	assert.LessOrEqual(t, cap(GrowPage(nil, 10)), maxPooledBuffer)
	huge := make([]byte, 0, maxPooledPage+1)
	PutBuffer(&huge)
	assert.NotEqual(t, cap(huge), cap(GrowPage(nil, maxPooledPage-maxPooledBuffer)))
}
