//go:build unix && !race

package prompttemplate_test

import (
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// limited names the variable that makes TestBombs explode the bombs, with the
// address space limited.
const limited = "PROMPTTEMPLATE_TEST_BOMBS"

// No template takes more than its share of memory and time: neither when it is
// declared nor when it is rendered. The process has 2 GiB of address space, in
// which a bomb that is not bounded ends it.
func TestBombs(t *testing.T) {
	if os.Getenv(limited) == "" {
		self, err := os.Executable()
		require.NoError(t, err)
		command := exec.CommandContext(t.Context(), self, "-test.run=^TestBombs$", "-test.v", "-test.timeout=5m")
		command.Env = append(os.Environ(), limited+"=1")
		out, err := command.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Contains(t, string(out), "--- PASS: TestBombs/print_doubles")
		return
	}
	const space = 2 << 30
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: space, Max: space}))
	for _, b := range bombs {
		t.Run(b.name, func(t *testing.T) { b.explode(t) })
	}
}
