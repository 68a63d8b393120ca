package stdio

import (
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// One large message does not cost its memory for the rest of the connection.
func TestWriteKeepsNoHugeBuffer(t *testing.T) {
	t.Parallel()
	tr := NewStream(strings.NewReader(""), io.Discard, Options{})
	for _, size := range []int{300, 1 << 20, 300} {
		require.NoError(t, tr.Write(t.Context(), make([]byte, size)))
		assert.NotZero(t, cap(tr.buf))
		assert.LessOrEqual(t, cap(tr.buf), maxKeptBytes)
	}
}

// Large messages do not allocate a buffer each.
func TestLargeWritesReuseBuffers(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // which would empty the pool
	const size, n = 256 << 10, 100
	tr := NewStream(strings.NewReader(""), io.Discard, Options{})
	msg := make([]byte, size)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range n {
		require.NoError(t, tr.Write(t.Context(), msg))
	}
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(n*size*9/10)) // the race detector drops a quarter, and each costs twice its size
}
