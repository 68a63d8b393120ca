package main

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A replica that starts has all there is in the bucket.
func TestLoad(t *testing.T) {
	// Not parallel: it measures memory.
	s := start(t, 0, stays(*many))
	before := heap()
	begin := time.Now()
	r, err := startReplica(t.Context(), "replica", freeAddress(t), s.settings)
	require.NoError(t, err)
	loaded := time.Since(begin)
	kept := heap() - before
	t.Logf("%d prompts loaded in %v; the replica has %.1f MB", r.registry.Len(), loaded, float64(kept)/1e6)
	assert.Equal(t, *many+1, r.registry.Len(), "with announce")
	assert.NoError(t, r.stop(t.Context()))
}

// heap returns the bytes that are in use.
func heap() int64 {
	runtime.GC()
	runtime.GC() // what pools had
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
