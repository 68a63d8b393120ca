package stdio_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/stdio"
)

// recorder remembers each call of Write; nil functions succeed.
type recorder struct {
	calls []string
	write func(p []byte) (int, error)
}

func (r *recorder) Write(p []byte) (int, error) {
	r.calls = append(r.calls, string(p))
	if r.write != nil {
		return r.write(p)
	}
	return len(p), nil
}

func writerTo(w io.Writer) *stdio.Conn {
	return stdio.NewStream(strings.NewReader(""), w, stdio.Options{})
}

// STD-01: one line per message, and one Write call, whatever its size.
func TestWriteOneCallPerMessage(t *testing.T) {
	t.Parallel()
	var rec recorder
	tr := writerTo(&rec)
	messages := []string{`{"a":1}`, strings.Repeat("x", 300_000), `{"b":2}`, "", `[]`}
	var want []string
	for _, m := range messages {
		require.NoError(t, tr.Write(t.Context(), []byte(m)))
		want = append(want, m+"\n")
	}
	assert.Equal(t, want, rec.calls)
}

// Write neither keeps msg nor touches what lies behind it.
func TestWriteLeavesMessageAlone(t *testing.T) {
	t.Parallel()
	backing := []byte(`{}rest`)
	var out bytes.Buffer
	tr := writerTo(&out)
	require.NoError(t, tr.Write(t.Context(), backing[:2]))
	assert.Equal(t, `{}rest`, string(backing))
	copy(backing, "[]")
	require.NoError(t, tr.Write(t.Context(), backing[:2]))
	assert.Equal(t, "{}\n[]\n", out.String())
}

// STD-02: a message with a newline would be two lines.
func TestWriteRefusesNewline(t *testing.T) {
	t.Parallel()
	var rec recorder
	tr := writerTo(&rec)
	for _, m := range []string{"\n", "{}\n", "{\n}", "\n{}", "{}\r\n"} {
		err := tr.Write(t.Context(), []byte(m))
		require.Error(t, err, "%q", m)
		assert.NotErrorIs(t, err, io.ErrClosedPipe, "that is the server's failure, not the client's end")
	}
	assert.Empty(t, rec.calls)
	require.NoError(t, tr.Write(t.Context(), []byte(`{"text":"a\nb"}`)), "escaped it is fine, and nothing is broken")
	assert.Equal(t, []string{`{"text":"a\nb"}` + "\n"}, rec.calls)
}

func TestWriteEndedContext(t *testing.T) {
	t.Parallel()
	var rec recorder
	tr := writerTo(&rec)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.Equal(t, context.Canceled, tr.Write(ctx, []byte("{}")))
	assert.Empty(t, rec.calls)
	assert.NoError(t, tr.Write(t.Context(), []byte("{}")), "nothing is broken by that")
}

// STD-03: after a failure there may be half a line on the wire, which nothing
// that follows can put right.
func TestWriteError(t *testing.T) {
	t.Parallel()
	full := errors.New("disk full")
	type test struct {
		name string
		n    int
		err  error
		want error
		gone bool // the server may take it for the client's end
	}
	tests := []test{
		{"before anything", 0, full, full, false},
		{"half-way", 1, full, full, false},
		{"after everything", 3, full, full, false},
		{"short", 2, nil, io.ErrShortWrite, false},
		{"nothing at all", 0, nil, io.ErrShortWrite, false},
		{"closed connection", 0, &net.OpError{Op: "write", Net: "tcp", Err: net.ErrClosed}, net.ErrClosed, true},
		{"closed file", 0, &os.PathError{Op: "write", Path: "x", Err: os.ErrClosed}, os.ErrClosed, true},
		{"closed pipe", 0, io.ErrClosedPipe, io.ErrClosedPipe, true},
	}
	for _, errno := range stdio.GoneErrnos {
		tests = append(tests,
			test{"file: " + errno.Error(), 0, &os.PathError{Op: "write", Path: "x", Err: errno}, errno, true},
			test{"connection: " + errno.Error(), 1, &net.OpError{Op: "write", Net: "tcp", Err: os.NewSyscallError("write", errno)}, errno, true})
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			rec := &recorder{write: func([]byte) (int, error) { return test.n, test.err }}
			tr := writerTo(rec)
			err := tr.Write(t.Context(), []byte("{}"))
			require.ErrorIs(t, err, test.want)
			assert.ErrorContains(t, err, "stdio: write: ")
			assert.Equal(t, test.gone, errors.Is(err, io.ErrClosedPipe))

			rec.write = nil // were it asked again, it would do
			assert.Equal(t, err, tr.Write(t.Context(), []byte("[]")))
			assert.Equal(t, []string{"{}\n"}, rec.calls, "nothing follows")
		})
	}
}

// A real connection, closed under the Conn by somebody else.
func TestConnectionClosedByItsOwner(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	conn, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	tr := stdio.NewStream(conn, conn, stdio.Options{})
	require.NoError(t, conn.Close())

	err = tr.Write(t.Context(), []byte("{}"))
	assert.ErrorIs(t, err, io.ErrClosedPipe)
	assert.ErrorIs(t, err, net.ErrClosed)
	_, err = tr.Read(t.Context())
	assert.ErrorIs(t, err, io.ErrClosedPipe)
	assert.ErrorIs(t, err, net.ErrClosed)
	assert.NoError(t, tr.Close(), "it is closed, as asked")
}

// The same with files.
func TestFilesClosedByTheirOwner(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	tr := stdio.NewStream(r, w, stdio.Options{})
	require.NoError(t, errors.Join(r.Close(), w.Close()))

	err = tr.Write(t.Context(), []byte("{}"))
	assert.ErrorIs(t, err, io.ErrClosedPipe)
	assert.ErrorIs(t, err, os.ErrClosed)
	_, err = tr.Read(t.Context())
	assert.ErrorIs(t, err, io.ErrClosedPipe)
	assert.ErrorIs(t, err, os.ErrClosed)
	assert.NoError(t, tr.Close())
}

// A message up to the size that is kept takes no memory of its own.
func TestWriteAllocations(t *testing.T) {
	tr := writerTo(io.Discard)
	msg := bytes.Repeat([]byte("x"), 40_000)
	ctx := t.Context()
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		_ = tr.Write(ctx, msg)
	}))
}
