package hosts_test

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/interop/hosts/terminal"
)

// What these tests do with a machine that is not as they need it. Nothing waits longer than
// its limit.

// A host that is not installed, or another version of it, is named with the command that
// installs it.
func TestHostIsNotInstalled(t *testing.T) {
	t.Parallel()
	h := &host{title: "Claude Code", npm: "@anthropic-ai/claude-code", folder: t.TempDir()}
	want := "Claude Code 2.1.330 is not installed; run: npm install --prefix internal/interop/hosts/" + h.folder
	assert.EqualError(t, checkInstalled(h, "2.1.330"), want)
	installed := filepath.Join(h.folder, "node_modules", h.npm, "package.json")
	require.NoError(t, os.MkdirAll(filepath.Dir(installed), 0o700))
	require.NoError(t, os.WriteFile(installed, []byte(`{"version":"2.0.0"}`), 0o600))
	assert.EqualError(t, checkInstalled(h, "2.1.330"), want)
	require.NoError(t, os.WriteFile(installed, []byte(`{"version":"2.1.330"}`), 0o600))
	assert.NoError(t, checkInstalled(h, "2.1.330"))
}

// A server whose port is in use says so, and the test does not wait for its URL.
func TestPortIsInUse(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = taken.Close() }()
	built, err := programs()
	require.NoError(t, err)
	dir := t.TempDir()
	program := filepath.Join(dir, "fixture")
	require.NoError(t, os.Link(filepath.Join(built, "fixture"), program))
	options, err := json.Marshal(serverOptions{HTTP: taken.Addr().String(), Dir: "fixture/prompts", Record: filepath.Join(dir, "record")})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(program+".json", options, 0o600))
	c := exec.Command(program)
	stderr, err := c.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	_, err = readURL(stderr)
	_ = c.Wait()
	assert.ErrorContains(t, err, "the server over HTTP does not start: ")
	assert.ErrorContains(t, err, "listen tcp "+taken.Addr().String()+": bind: address already in use")
}

// A host that does not end is ended, with what it has started.
func TestHostDoesNotEnd(t *testing.T) {
	t.Parallel()
	_, err := runFor(t.Context(), time.Second, t.TempDir(), os.Environ(), "/bin/sh", "-c", "trap '' TERM INT; while :; do sleep 1000; done")
	assert.ErrorContains(t, err, "done has not ended after 1s; it printed:\n")
	_, err = runFor(t.Context(), time.Second, t.TempDir(), os.Environ(), "/nothing/here")
	assert.ErrorContains(t, err, "/nothing/here does not start: ")
}

// On a busy machine, a time limit is longer, up to five times.
func TestPatience(t *testing.T) {
	t.Parallel()
	load := func(each float64) string {
		return fmt.Sprintf("%.2f 1.00 1.00 3/500 1234\n", each*float64(runtime.NumCPU()))
	}
	for loadavg, want := range map[string]time.Duration{load(0): time.Minute, load(1): time.Minute, load(2): 2 * time.Minute, load(50): 5 * time.Minute, "": time.Minute} {
		assert.Equal(t, want, patienceAt(time.Minute, loadavg), "%q", loadavg)
	}
}

// A daemon that a host leaves behind, in a session of its own, is ended with the test.
func TestDaemonIsEnded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := append(os.Environ(), marker+"="+dir)
	_, err := runFor(t.Context(), hostTimeout, dir, env, "/bin/sh", "-c",
		`setsid --fork /bin/sh -c 'exec >/dev/null 2>&1 </dev/null; echo $$ > pid.new; mv pid.new pid; exec sleep 1000'
		while [ ! -e pid ]; do sleep 0.01; done`)
	require.NoError(t, err)
	pid, err := os.ReadFile(filepath.Join(dir, "pid"))
	require.NoError(t, err)
	environ := filepath.Join("/proc", strings.TrimSpace(string(pid)), "environ")
	text, err := os.ReadFile(environ)
	require.NoError(t, err)
	require.NotEmpty(t, text, "the daemon does not run")
	endProcesses(dir)
	assert.Eventually(t, func() bool {
		text, _ := os.ReadFile(environ) // of a zombie it is empty
		return len(text) == 0
	}, hostTimeout, 10*time.Millisecond)
}

// A terminal whose program does not answer is reported with its screen. Without tmux, the
// error says how to install it.
func TestTerminalDoesNotAnswer(t *testing.T) {
	dir, err := os.MkdirTemp("", "h") // short, because tmux has a socket in it
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	tty, err := terminal.Start(terminal.Width, dir, dir, os.Environ(), "/bin/sh", "-c", "echo starts; exec sleep 1000")
	require.NoError(t, err)
	t.Cleanup(func() { _ = tty.Close() })
	require.NoError(t, tty.Wait(hostTimeout, func(screen string) bool { return strings.Contains(screen, "starts") }))
	err = tty.Wait(time.Second, func(string) bool { return false })
	assert.EqualError(t, err, "terminal does not answer within 1s; its screen is:\nstarts")

	t.Setenv("PATH", dir)
	_, err = terminal.Start(terminal.Width, dir, dir, os.Environ(), "/bin/sh")
	assert.EqualError(t, err, "tmux is not installed; run: apt-get install tmux")
}
