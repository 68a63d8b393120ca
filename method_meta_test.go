package prompts_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// JRP-09, MET-09: a _meta or a resultType that is null, such as a nil map of the
// author's makes it, is as if it were absent: no member is sent twice.
func TestMethodResultWithNullMembers(t *testing.T) {
	t.Parallel()
	for _, result := range []string{`{"_meta":null}`, `{"resultType":null}`} {
		s := prompts.NewServer(nil, prompts.Options{Methods: map[string]prompts.Method{"raw": func(context.Context, json.RawMessage) (any, error) {
			return json.RawMessage(result), nil
		}}})
		got, err := handle(t, s, nil, envelopedLine("1", "raw", ""))
		require.NoError(t, err)
		assert.Equal(t, 1, strings.Count(got, `"_meta":`), got)
		assert.Equal(t, `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","_meta":{`+ownIdentity+`}}}`, got)
	}
}

// Nor is one that is something else, which no reader could make sense of.
func TestMethodResultWithMetaOfAnotherType(t *testing.T) {
	t.Parallel()
	for _, meta := range []string{"1", `"x"`, "[]", "true"} {
		s := prompts.NewServer(nil, prompts.Options{Methods: map[string]prompts.Method{"raw": func(context.Context, json.RawMessage) (any, error) {
			return json.RawMessage(`{"_meta":` + meta + `}`), nil
		}}})
		got, err := handle(t, s, nil, envelopedLine("1", "raw", ""))
		require.NoError(t, err)
		assert.LessOrEqual(t, strings.Count(got, `"_meta":`), 1, got)
	}
}
