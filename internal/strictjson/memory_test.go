package strictjson

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestResetKeepsLittle(t *testing.T) {
	t.Parallel()
	var d Doc
	require.NoError(t, d.Parse(`["a",{"b":1}]`, 0))
	nodes := cap(d.nodes)
	d.Reset()
	assert.Empty(t, d.src)
	assert.Equal(t, nodes, cap(d.nodes), "a small index is kept")

	require.NoError(t, d.Parse("[0"+strings.Repeat(",0", maxKeptNodes)+"]", 0))
	d.Reset()
	assert.Zero(t, cap(d.nodes))

	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	require.Error(t, d.Parse(deep(maxKeptStack/2), 1))
	d.Reset()
	assert.NotZero(t, cap(d.deep))
	require.Error(t, d.Parse(deep(maxKeptStack*2), 1))
	d.Reset()
	assert.Zero(t, cap(d.deep))
}

// The key index refers to the source and must not outlive the parsing of it.
func TestParseForgetsNames(t *testing.T) {
	t.Parallel()
	var d Doc
	for _, n := range []int{smallObject + 1, maxKeptNames, maxKeptNames + 1} {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"%d":0`, i)
		}
		require.NoError(t, d.Parse("{"+b.String()[1:]+"}", 0))
		assert.Empty(t, d.names)
		assert.Equal(t, n > maxKeptNames, d.names == nil)
		require.Error(t, d.Parse("{"+b.String()[1:], 0))
		assert.Empty(t, d.names)
	}
}

func TestCheckLength(t *testing.T) {
	t.Parallel()
	assert.NoError(t, checkLength(math.MaxInt32))
	if math.MaxInt == math.MaxInt32 {
		t.Skip("an int cannot be too large here")
	}
	limit := uint64(math.MaxUint32)
	assert.NoError(t, checkLength(int(limit)))
	var syntax *SyntaxError
	require.True(t, errors.As(checkLength(int(limit+1)), &syntax))
	assert.Equal(t, TooLong, syntax.Reason)
}

// notPlain is arithmetic on eight bytes at once; this is what it means.
func TestSkipPlain(t *testing.T) {
	t.Parallel()
	for c := range 256 {
		plain := c >= 0x20 && c < 0x80 && c != '"' && c != '\\'
		for _, fill := range []string{"a", " ", "!", "#", "[", "]", "~", "\x7f"} {
			for at := range 17 {
				s := strings.Repeat(fill, at) + string([]byte{byte(c)}) + strings.Repeat(fill, 16-at)
				want := len(s)
				if !plain {
					want = at
				}
				require.Equal(t, want, skipPlain(s, 0), "%q", s)
			}
		}
	}
}
