//go:build unix

package hosts_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// hostTimeout is how long a host may take for one case on a machine that is not busy.
const hostTimeout = time.Minute

// patience returns a time limit for this machine: on a busy one, up to five times as long.
func patience(limit time.Duration) time.Duration {
	text, _ := os.ReadFile("/proc/loadavg") // on another system, none
	return patienceAt(limit, string(text))
}

func patienceAt(limit time.Duration, loadavg string) time.Duration {
	load, _, _ := strings.Cut(loadavg, " ")
	waiting, _ := strconv.ParseFloat(load, 64) // 0 if unknown
	return time.Duration(float64(limit) * min(max(waiting/float64(runtime.NumCPU()), 1), 5))
}

// marker is the environment variable by which the processes of a test are found. A host
// may leave a daemon behind, in a process group of its own.
const marker = "PROMPTS_HOST_TEST"

// runHost runs a program of a host, and returns what it printed.
func runHost(t *testing.T, dir string, env []string, command ...string) string {
	t.Helper()
	out, err := runFor(t.Context(), patience(hostTimeout), dir, env, command...)
	require.NoError(t, err)
	return out
}

// runFor runs a program for at most a time, and ends its process group. It returns what
// the program printed, and its status if that is not 0.
func runFor(ctx context.Context, limit time.Duration, dir string, env []string, command ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	c.Dir, c.Env = dir, env
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.WaitDelay = time.Second // for what has left the process group, and holds the output
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	err := c.Run()
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s has not ended after %s; it printed:\n%s", strings.Join(command, " "), limit, &out)
	case c.ProcessState == nil:
		return "", fmt.Errorf("%s does not start: %w", command[0], err)
	case !c.ProcessState.Success():
		fmt.Fprintf(&out, "exit status %d\n", c.ProcessState.ExitCode())
	}
	_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) // if any of the group is left
	return out.String(), nil
}

// endProcesses ends every process that has the marker with this value.
func endProcesses(value string) {
	want := []byte(marker + "=" + value)
	for range 10 { // a process may start another one meanwhile
		paths, _ := filepath.Glob("/proc/[0-9]*/environ") // on another system, none
		found := false
		for _, path := range paths {
			environ, err := os.ReadFile(path)
			if err != nil || !hasVariable(environ, want) {
				continue
			}
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
				found = true
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		if !found {
			return
		}
		time.Sleep(20 * time.Millisecond) // a killed process is still listed until it is waited for
	}
}

func hasVariable(environ, want []byte) bool {
	for variable := range bytes.SplitSeq(environ, []byte{0}) {
		if bytes.Equal(variable, want) {
			return true
		}
	}
	return false
}
