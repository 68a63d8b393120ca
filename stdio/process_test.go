package stdio_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/stdio"
)

// childEnv names, in the environment of a process that the tests start, which
// of children it is to run in place of the tests. The standard files of a
// process can be tested in a process only.
const childEnv = "STDIO_TEST_CHILD"

// children return what went wrong, which ends the process with status 3.
var children = map[string]func() error{
	"broken output": brokenOutput,
	"echo":          echo,
	"after close":   afterClose,
}

func TestMain(m *testing.M) {
	name := os.Getenv(childEnv)
	if name == "" {
		os.Exit(m.Run())
	}
	if err := children[name](); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	os.Exit(0)
}

func command(t *testing.T, child string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), exe)
	// The race detector would have each child sleep for a second at its end.
	cmd.Env = append(os.Environ(), childEnv+"="+child, "GORACE=atexit_sleep_ms=0")
	return cmd
}

// STD-09: a client that has gone is an error of Write, and no SIGPIPE that
// kills the process.
func TestProcessBrokenOutput(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, r.Close())
	defer w.Close()
	cmd := command(t, "broken output")
	cmd.Stdout = w
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	require.NoError(t, cmd.Run(), "%s", &stderr)
}

func brokenOutput() error {
	tr := stdio.New()
	for range 3 {
		if err := tr.Write(context.Background(), []byte("{}")); !errors.Is(err, io.ErrClosedPipe) {
			return fmt.Errorf("want io.ErrClosedPipe, have %w", err)
		}
	}
	return tr.Close()
}

// STD-01, STD-03, STD-04, STD-09: messages and nothing else on standard
// output, and an end as soon as standard input has ended.
func TestProcessEcho(t *testing.T) {
	cmd := command(t, "echo")
	cmd.Stdin = strings.NewReader("{\"a\":1}\r\n\n{\"b\":2}")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	assert.Equal(t, "{\"a\":1}\n{\"b\":2}\n", string(out))
	assert.Equal(t, "at the end\n", stderr.String())
}

func echo() error {
	ctx := context.Background()
	tr := stdio.New()
	for {
		msg, err := tr.Read(ctx)
		if err == io.EOF {
			fmt.Fprintln(os.Stderr, "at the end")
			return tr.Close()
		}
		if err != nil {
			return err
		}
		if err := tr.Write(ctx, msg); err != nil {
			return err
		}
	}
}

// Close ends a Read of standard input, which nothing can interrupt, and leaves
// the standard files to the process.
func TestProcessAfterClose(t *testing.T) {
	cmd := command(t, "after close")
	in, err := cmd.StdinPipe() // open, and silent
	require.NoError(t, err)
	defer in.Close()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s", &stderr)
	assert.Equal(t, "{}\nthe process's own\n", string(out))
	assert.Equal(t, "the process's own\n", stderr.String())
}

func afterClose() error {
	ctx := context.Background()
	tr := stdio.New()
	onStderr := stdio.NewStream(os.Stdin, os.Stderr, stdio.Options{})
	reading := make(chan error)
	go func() {
		_, err := tr.Read(ctx)
		reading <- err
	}()
	if err := tr.Write(ctx, []byte("{}")); err != nil {
		return err
	}
	if err := errors.Join(tr.Close(), onStderr.Close()); err != nil {
		return err
	}
	if err := <-reading; !errors.Is(err, io.ErrClosedPipe) {
		return fmt.Errorf("Read: want io.ErrClosedPipe, have %w", err)
	}
	if err := tr.Write(ctx, []byte("[]")); !errors.Is(err, io.ErrClosedPipe) {
		return fmt.Errorf("Write: want io.ErrClosedPipe, have %w", err)
	}
	_, err1 := fmt.Fprintln(os.Stdout, "the process's own")
	_, err2 := fmt.Fprintln(os.Stderr, "the process's own")
	_, err3 := os.Stdin.Stat()
	return errors.Join(err1, err2, err3)
}
