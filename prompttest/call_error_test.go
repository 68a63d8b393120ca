package prompttest_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/prompttest"
)

// Call returns a plain error, which a variable of type error can hold: a nil error for a result.
func TestCallErrors(t *testing.T) {
	t.Parallel()
	c := prompttest.Serve(t, prompts.MustNewServer(new(prompts.Registry), prompts.Options{}), prompttest.ClientOptions{})
	var raw json.RawMessage
	var err error
	raw, err = c.Call("prompts/list", nil)
	require.NoError(t, err)
	assert.Contains(t, string(raw), `"prompts":[]`)
	raw, err = c.Call("prompts/get", map[string]any{"name": "none"})
	assert.Nil(t, raw)
	var refusal *prompts.Error
	require.ErrorAs(t, err, &refusal)
	assert.Equal(t, prompts.CodeInvalidParams, refusal.Code)
	assert.Equal(t, map[string]any{"prompt": "none"}, refusal.Data)
}
