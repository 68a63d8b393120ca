//go:build unix && !race

package promptfs_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// The bombs do no harm with 2 GiB of address space, in which one that is not
// bounded ends the process.
func TestBombsInLittleMemory(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	out, err := exec.CommandContext(t.Context(), "sh", "-c", `ulimit -v 2097152 && exec "$0" -test.run='^TestBombsOnAServer$' -test.v`, self).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS: TestBombsOnAServer")
}
