package hint_test

import (
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts/internal/hint"
)

// An error says its fix last, and has both apart.
func TestFix(t *testing.T) {
	t.Parallel()
	err := hint.New("write a; b", "cannot read %q: %w", "a; b", io.EOF)
	assert.EqualError(t, err, `cannot read "a; b": EOF; write a; b`)
	assert.ErrorIs(t, err, io.EOF)
	assert.EqualError(t, errors.Unwrap(err), `cannot read "a; b": EOF`)
	assert.Equal(t, "write a; b", err.(interface{ Fix() string }).Fix())

	err = hint.New("", "a; b")
	assert.EqualError(t, err, "a; b")
	assert.NotImplements(t, (*interface{ Fix() string })(nil), err)
}
