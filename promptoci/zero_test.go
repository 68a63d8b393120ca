package promptoci_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
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

// A function with a nil argument says which of its arguments is nil.
func TestNilArguments(t *testing.T) {
	t.Parallel()
	ctx, reg := t.Context(), new(prompts.Registry)
	built, err := promptoci.Build(map[string][]byte{"a.md": []byte("hi")}, promptoci.Info{})
	require.NoError(t, err)
	notmade.Nil(t, "promptoci: Follow: registry is nil", promptoci.Follow, ctx)
	notmade.Nil(t, "promptoci: Follow: store is nil", promptoci.Follow, ctx, reg)
	notmade.Nil(t, "promptoci: Push: store is nil", promptoci.Push, ctx, nil, built)
	notmade.Nil(t, "promptoci: Pull: store is nil", promptoci.Pull, ctx)
	notmade.Nil(t, "promptoci: Releases: store is nil", promptoci.Releases, ctx)
	notmade.Nil(t, "promptoci: Apply: store is nil", promptoci.Apply, ctx)
	notmade.Nil(t, "promptoci: Rollback: store is nil", promptoci.Rollback, ctx)
	notmade.Nil(t, "promptoci: Rollback: store is nil", promptoci.Rollback, ctx, nil, promptoci.Move{To: built.Digest})
	for _, err := range promptoci.Log(ctx, nil, "production") {
		assert.EqualError(t, err, "promptoci: Log: store is nil")
	}
}

// A negative number of each option is an error.
func TestNegativeOptions(t *testing.T) {
	t.Parallel()
	store, _, err := released(t.Context(), t.TempDir())
	require.NoError(t, err)
	notmade.Negative(t, func(o promptoci.Options) error {
		f, err := promptoci.Follow(context.WithoutCancel(t.Context()), new(prompts.Registry), store, "production", o)
		if err == nil {
			f.Close()
		}
		return err
	})
	notmade.Negative(t, func(l promptoci.Limits) error {
		_, err := promptoci.Pull(t.Context(), store, "production", l)
		return err
	})
}
