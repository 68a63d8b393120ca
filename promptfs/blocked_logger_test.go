package promptfs_test

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
)

// TestLoggerThatBlocks checks that a logger that blocks delays a reload by a second, once,
// holds no lock meanwhile, and delays the end of Watch no longer.
func TestLoggerThatBlocks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe() // which nobody reads
		defer r.Close()
		o := promptfs.Options{Logger: slog.New(slog.NewTextHandler(w, nil))}
		var reg prompts.Registry
		files := fstest.MapFS{"a.md": {Data: []byte("a")}}
		folder := promptfs.NewFolder(&reg, files, o)
		reloaded := make(chan error, 1)
		go func() { reloaded <- folder.Reload(t.Context()) }() // ends after a second
		synctest.Wait()
		start := time.Now()
		require.NoError(t, folder.Reload(t.Context()), "while the logger blocks the first one")
		assert.Zero(t, time.Since(start))
		require.NoError(t, <-reloaded)
		assert.Equal(t, time.Second, time.Since(start))

		ctx, cancel := context.WithCancel(t.Context())
		watched := make(chan struct{})
		go func() { folder.Watch(ctx); close(watched) }() // ends with ctx
		for _, name := range []string{"b", "c", "d"} {
			synctest.Wait()
			files[name+".md"] = &fstest.MapFile{Data: []byte(name), ModTime: time.Now()}
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

// TestMirrorLogger checks that the logger of a Mirror is that of its options, and that
// each change of a Mirror gives its turn back before it logs.
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
