package promptnats_test

import (
	"io"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/promptnats"
)

// A logger that blocks delays a Follower by a second, once: changes are still served, and
// Close returns at the end of the test.
func TestLoggerThatBlocks(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe() // which nobody reads
	t.Cleanup(func() { r.Close() })
	js := connect(t, startBroker(t, nil).url())
	kv := newBucket(t, js)
	put(t, kv, "a.md", "a")
	f, o := newFollower(t, promptnats.Options{})
	o.Files.Logger = slog.New(slog.NewTextHandler(w, nil))
	require.NoError(t, f.start(js, o))
	f.says("a", "a")
	put(t, kv, "a.md", "b")
	f.says("a", "b")
	f.Close()
}
