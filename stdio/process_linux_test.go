package stdio

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The duplicate of standard output is not inherited by programs that the
// server starts, which would keep the client's pipe open after it has ended.
func TestDuplicateClosesOnExec(t *testing.T) {
	t.Parallel()
	tr := New()
	dup, ok := tr.w.(*os.File)
	require.True(t, ok)
	fd, ok := descriptor(dup)
	require.True(t, ok)
	require.Greater(t, fd, uintptr(2))

	assert.NotZero(t, statusFlags(t, fd)&syscall.O_CLOEXEC)

	require.NoError(t, tr.Close())
	_, ok = descriptor(dup)
	assert.False(t, ok, "Close closes the duplicate")
	_, err := os.Stdout.Stat()
	assert.NoError(t, err, "and only that")
}

// To find out what kind of file it has, the Conn must not turn it into a
// blocking one, whose reads Close could not interrupt.
func TestFilesStayNonBlocking(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	tr := NewStream(r, w, Options{})
	for _, f := range []*os.File{r, w} {
		fd, ok := descriptor(f)
		require.True(t, ok)
		assert.NotZero(t, statusFlags(t, fd)&syscall.O_NONBLOCK)
	}
	require.NoError(t, tr.Close())
}

// statusFlags returns the flags of an open descriptor, as for open(2).
func statusFlags(t *testing.T, fd uintptr) int {
	t.Helper()
	info, err := os.ReadFile(fmt.Sprintf("/proc/self/fdinfo/%d", fd))
	require.NoError(t, err)
	flags := regexp.MustCompile(`flags:\s+(\d+)`).FindSubmatch(info)
	require.NotNil(t, flags, "%s", info)
	n, err := strconv.ParseInt(string(flags[1]), 8, 64)
	require.NoError(t, err)
	return int(n)
}
