package promptoci_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/servertest/notmade"
	"github.com/mcp-prompts/prompts/promptoci"
)

// A value that no function made says which function makes it.
func TestValuesNotMade(t *testing.T) {
	t.Parallel()
	notmade.Check(t, &promptoci.Follower{}, "promptoci: Follower is not made by Follow")
	store, all, err := released(t.Context(), t.TempDir())
	require.NoError(t, err)
	listed, err := promptoci.Releases(t.Context(), store)
	require.NoError(t, err)
	require.Len(t, listed, len(all))
	for _, r := range append(listed, nil, &promptoci.Release{}) {
		assert.EqualError(t, promptoci.Push(t.Context(), store, r), "promptoci: push: Release is not made by Build or Pull")
	}
	again, err := promptoci.Releases(t.Context(), store)
	require.NoError(t, err)
	assert.Equal(t, listed, again)
}
