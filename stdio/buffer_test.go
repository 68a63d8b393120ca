package stdio

import (
	"io"
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
