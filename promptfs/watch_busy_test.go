package promptfs_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
)

// A file that somebody writes on and on keeps the others waiting for a while,
// and not for good.
func TestWatchOfAFileThatGoesOnChanging(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	busy := filepath.Join(dir, "busy.md")
	require.NoError(t, os.WriteFile(busy, []byte("busy"), 0o600))
	var reg prompts.Registry
	reports := make(chan promptfs.Report, 1)
	folder := promptfs.NewDir(&reg, dir, promptfs.Options{
		Debounce: 50 * time.Millisecond,
		OnReload: func(r promptfs.Report) { reports <- r },
	})
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var both sync.WaitGroup
	defer both.Wait()
	defer cancel()
	both.Go(func() {
		for ctx.Err() == nil {
			soon := time.Now().Add(time.Second) // which no pause of this loop makes an old time
			_ = os.Chtimes(busy, soon, soon)    // which fails only when the test has
			time.Sleep(time.Millisecond)
		}
	})
	both.Go(func() { folder.Watch(ctx) })
	select {
	case r := <-reports:
		r.Release = prompts.Release{}
		assert.Equal(t, promptfs.Report{Added: []string{"busy"}}, r)
	case <-ctx.Done():
		t.Error("the file has not been read")
	}
}
