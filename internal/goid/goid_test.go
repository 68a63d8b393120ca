package goid

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

// It depends on a format that Go does not promise: this test is to notice.
func TestGet(t *testing.T) {
	t.Parallel()
	own := Get()
	assert.Positive(t, own)
	assert.Equal(t, own, Get(), "the same goroutine")
	deep(t, own, 100)

	var mu sync.Mutex
	seen := map[int64]bool{own: true}
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			id := Get()
			mu.Lock()
			defer mu.Unlock()
			assert.Positive(t, id)
			assert.False(t, seen[id], "two goroutines are %d", id)
			seen[id] = true
		})
	}
	wg.Wait()
}

func deep(t *testing.T, want int64, n int) {
	if n > 0 {
		deep(t, want, n-1)
		return
	}
	assert.Equal(t, want, Get())
}
