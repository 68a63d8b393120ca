package regular_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/regular"
)

// Each access to a path opens each folder of the path a fixed number of times, however deep the path
// is, with links and without. The kernel counts.
func TestDepth(t *testing.T) {
	t.Parallel()
	const depth = 50
	dir, deep := t.TempDir(), strings.Repeat("/a", depth)[1:]
	require.NoError(t, os.MkdirAll(filepath.Join(dir, deep), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, deep, "file"), []byte("a"), 0o600))
	require.NoError(t, os.Symlink("a", filepath.Join(dir, "link")))
	queue, err := syscall.InotifyInit1(syscall.IN_NONBLOCK | syscall.IN_CLOEXEC)
	require.NoError(t, err)
	t.Cleanup(func() { _ = syscall.Close(queue) })
	for folder := deep; folder != "."; folder = filepath.Dir(folder) {
		_, err := syscall.InotifyAddWatch(queue, filepath.Join(dir, folder), syscall.IN_OPEN)
		require.NoError(t, err)
	}
	opened := func() (n int) {
		buf := make([]byte, 64<<10)
		for {
			size, err := syscall.Read(queue, buf)
			if err != nil {
				require.Equal(t, syscall.EAGAIN, err)
				return n
			}
			for at := 0; at < size; n++ {
				at += syscall.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(buf[at+12:]))
			}
		}
	}
	for name, most := range map[string]int{deep + "/file": 8, "link" + deep[1:] + "/file": 24} {
		content, err := regular.Read(t.Context(), regular.FS(dir), name, limit)
		require.NoError(t, err)
		assert.Equal(t, "a", string(content))
		n := opened()
		assert.Positive(t, n)
		assert.LessOrEqual(t, n, most*depth, "%s", name)
		_, err = regular.Resolve(regular.FS(dir), name)
		require.NoError(t, err)
		assert.LessOrEqual(t, opened(), most*depth, "%s", name)
	}
}
