package main

import (
	"bytes"
	"cmp"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/prompttest"
)

// isProgram is the variable that makes the test binary the program itself, which saves
// building it.
const isProgram = "TEST_IS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(isProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// program returns the command that runs the program.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(os.Environ(), isProgram+"=1")
	return cmd
}

// run gives the program the input, as a shell's < does, and returns its
// output and what it has logged.
func run(t *testing.T, in io.Reader) (out, log string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := program(t)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, &stdout, &stderr
	require.NoError(t, cmd.Run(), "%s", &stderr)
	return stdout.String(), stderr.String()
}

// sorted returns the lines in the order of their ids: requests run
// concurrently, so their answers come in any order.
func sorted(text string) []string {
	lines := slices.Collect(strings.Lines(text))
	slices.SortFunc(lines, func(a, b string) int {
		return cmp.Or(cmp.Compare(idDigits(a), idDigits(b)), strings.Compare(a, b))
	})
	return lines
}

// idDigits returns how many digits the id of an answer has: those of more are
// greater.
func idDigits(line string) int {
	_, rest, _ := strings.Cut(line, `"id":`)
	id, _, _ := strings.Cut(rest, ",")
	return len(id)
}

// The recorded session has the recorded answers, byte for byte.
func TestSession(t *testing.T) {
	t.Parallel()
	session, err := os.Open("session.jsonl")
	require.NoError(t, err)
	defer session.Close()

	got, log := run(t, session)
	if prompttest.Updating() {
		require.NoError(t, os.WriteFile("session.golden", []byte(strings.Join(sorted(got), "")), 0o644))
	}
	want, err := os.ReadFile("session.golden")
	require.NoError(t, err)
	assert.Equal(t, sorted(string(want)), sorted(got))
	assert.Empty(t, log, "a client's mistake is not the author's")
}

// What the prompts refuse themselves is told as checks of the library are.
func TestRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ timeframe, file, want string }{
		{"1h", "file:///project/../../etc/passwd", "fileUri: names no file of this project"},
		{"1h", "file:///etc/passwd", "fileUri: names no file of this project"},
		{"1h", "https://example.com/project/network.py", "fileUri: names no file of this project"},
		{"-1h", "file:///project/network.py", "timeframe: must be longer than nothing"},
		{"soon", "file:///project/network.py", `timeframe must be a duration such as 1h30m, got \"soon\"`},
	} {
		out, log := run(t, strings.NewReader(
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"analyze-project","arguments":{"timeframe":"`+test.timeframe+`","fileUri":"`+test.file+`"}}}`))
		assert.Contains(t, out, `{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"invalid arguments for prompt \"analyze-project\": `+test.want+`"`)
		assert.Empty(t, log)
	}
}

func TestRecentLog(t *testing.T) {
	t.Parallel()
	for period, want := range map[time.Duration]int{1: 1, 5 * time.Second: 2, time.Hour: 3, 24 * time.Hour: 4} {
		log, err := recentLog(period)
		require.NoError(t, err)
		assert.Len(t, strings.Split(log, "\n"), want, "%v", period)
	}
}

// A signal ends the program as the end of its input does: cleanly.
func TestSignal(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be sent os.Interrupt on Windows")
	}
	cmd := program(t)
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())

	// An answer says that the program is up and listens to signals.
	_, err = io.WriteString(stdin, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n")
	require.NoError(t, err)
	want := `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n"
	got := make([]byte, len(want))
	_, err = io.ReadFull(stdout, got)
	require.NoError(t, err)
	assert.Equal(t, want, string(got))

	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	rest, err := io.ReadAll(stdout)
	require.NoError(t, err)
	assert.Empty(t, string(rest))
	assert.NoError(t, cmd.Wait())
}
