//go:build unix

package stdio_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/stdio"
)

func init() {
	children["no descriptors"] = noDescriptors
	children["swapped files"] = swappedFiles
	children["SIGPIPE"] = plainWrite
	children["replaced files"] = replacedFiles
}

// What TestProcessBrokenOutput would see without our care: the hazard is real,
// and the test can tell.
func TestProcessSIGPIPE(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, r.Close())
	defer w.Close()
	cmd := command(t, "SIGPIPE")
	cmd.Stdout = w
	require.Error(t, cmd.Run())
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	require.True(t, ok)
	assert.Equal(t, syscall.SIGPIPE, status.Signal())
}

func plainWrite() error {
	_, err := os.Stdout.WriteString("{}\n")
	return err
}

// Where no descriptor is left for a duplicate, standard output itself does.
func TestProcessNoDescriptors(t *testing.T) {
	cmd := command(t, "no descriptors")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s", &stderr)
	assert.Equal(t, "{}\nthe process's own\n", string(out))
}

func noDescriptors() error {
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 0, Max: 0}); err != nil {
		return err
	}
	tr := stdio.New()
	if err := tr.Write(context.Background(), []byte("{}")); err != nil {
		return err
	}
	if err := tr.Close(); err != nil {
		return err
	}
	_, err := fmt.Println("the process's own")
	return err
}

// STD-03: a program may point os.Stdin and os.Stdout elsewhere, to keep stray
// prints off the wire, and pass on the files that were there. Those are the
// standard files still.
func TestProcessSwappedFiles(t *testing.T) {
	cmd := command(t, "swapped files")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "%s", &stderr)
	assert.Equal(t, "{}\nstill open\n", string(out))
	assert.Equal(t, "a stray print\n", stderr.String())
}

func swappedFiles() error {
	in, out := os.Stdin, os.Stdout
	os.Stdin, os.Stdout = nil, os.Stderr
	tr := stdio.NewStream(in, out, stdio.Options{})
	fmt.Println("a stray print")
	if err := tr.Write(context.Background(), []byte("{}")); err != nil {
		return err
	}
	if err := tr.Close(); err != nil {
		return err
	}
	_, errOut := out.WriteString("still open\n")
	_, errIn := in.Stat()
	return errors.Join(errOut, errIn)
}

// Files that a program has put in the place of os.Stdin and os.Stdout are the
// process's as well, whatever their descriptors.
func TestProcessReplacedFiles(t *testing.T) {
	cmd := command(t, "replaced files")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Empty(t, out)
}

func replacedFiles() error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	os.Stdin, os.Stdout = r, w
	ctx := context.Background()
	tr := stdio.New()
	if err := tr.Write(ctx, []byte("{}")); err != nil {
		return err
	}
	if msg, err := tr.Read(ctx); string(msg) != "{}" || err != nil {
		return fmt.Errorf("Read: %q, %w", msg, err)
	}
	if err := tr.Close(); err != nil {
		return err
	}
	return errors.Join(r.Close(), w.Close()) // fails if they are closed already
}
