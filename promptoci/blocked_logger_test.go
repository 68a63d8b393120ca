package promptoci

import (
	"io"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
)

// A logger that blocks delays a Follower by a second, once: releases are still served, and
// Close returns.
func TestLoggerThatBlocks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe() // which nobody reads
		defer r.Close()
		s := layout{t.TempDir()}
		moved(t, s, "production", pushed(t, s, 1))
		start := time.Now()
		f, err := Follow(t.Context(), new(prompts.Registry), s, "production", Options{Files: promptfs.Options{Logger: slog.New(slog.NewTextHandler(w, nil))}})
		require.NoError(t, err)
		assert.Equal(t, time.Second, time.Since(start))
		two := pushed(t, s, 2)
		moved(t, s, "production", two)
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, two, f.Status().Release)
		start = time.Now()
		f.Close()
		assert.Zero(t, time.Since(start))
	})
}
