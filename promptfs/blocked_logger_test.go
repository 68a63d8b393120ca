package promptfs_test

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
)

// TestLoggerThatBlocks checks that a logger that blocks delays one reload by a second, and
// that Watch continues and ends.
func TestLoggerThatBlocks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe() // which nobody reads
		defer r.Close()
		o := promptfs.Options{Logger: slog.New(slog.NewTextHandler(w, nil))}
		var reg prompts.Registry
		dir := t.TempDir()
		write := func(name string) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name+".md"), []byte(name), 0o600))
		}
		write("a")
		folder := promptfs.NewFolder(&reg, os.DirFS(dir), o) // which Watch polls
		start := time.Now()
		for range 3 {
			require.NoError(t, folder.Reload(t.Context()))
			_, ok := reg.Lookup("a")
			assert.True(t, ok)
			assert.Equal(t, time.Second, time.Since(start))
		}

		ctx, cancel := context.WithCancel(t.Context())
		watched := make(chan struct{})
		go func() { folder.Watch(ctx); close(watched) }() // ends with ctx
		for _, name := range []string{"b", "c", "d"} {
			write(name)
			time.Sleep(5 * time.Second)
			_, ok := reg.Lookup(name)
			assert.True(t, ok, name)
		}
		start = time.Now()
		cancel()
		<-watched
		assert.LessOrEqual(t, time.Since(start), time.Second)
	})
}

// TestMirrorLogger checks that the logger of a Mirror is that of its options, and that one
// that blocks delays one change of the Mirror by a second.
func TestMirrorLogger(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe() // which nobody reads
		defer r.Close()
		var reg prompts.Registry
		m := promptfs.NewMirror(&reg, promptfs.Options{Logger: slog.New(slog.NewTextHandler(w, nil))})
		start := time.Now()
		file := promptfs.File{Path: "a.md", Content: []byte("a"), Revision: 1}
		require.NoError(t, m.Reset(t.Context(), file))
		for i, change := range []func() error{
			func() error {
				return m.Apply(t.Context(), promptfs.File{Path: "b.md", Content: []byte("b"), Revision: 2})
			},
			func() error { return m.Replace(t.Context(), prompts.Release{ID: "r"}, file) },
			func() error { m.Logger().Info("of the store"); return nil },
		} {
			require.NoError(t, change(), i)
		}
		assert.Equal(t, time.Second, time.Since(start))
	})
	assert.NotNil(t, promptfs.NewMirror(new(prompts.Registry), promptfs.Options{}).Logger())
}
