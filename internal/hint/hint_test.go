package hint_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts/internal/hint"
)

// An error says its fix last, and can be split into both.
func TestSplit(t *testing.T) {
	t.Parallel()
	err := hint.New("write a; b", "cannot read %q: %w", "a; b", io.EOF)
	assert.EqualError(t, err, `cannot read "a; b": EOF; write a; b`)
	assert.ErrorIs(t, err, io.EOF)
	fix, bare := hint.Split(err)
	assert.EqualError(t, bare, `cannot read "a; b": EOF`)
	assert.Equal(t, "write a; b", fix)

	err = hint.New("", "a; b")
	assert.EqualError(t, err, "a; b")
	fix, bare = hint.Split(err)
	assert.Equal(t, err, bare)
	assert.Empty(t, fix)
}
