package stdio_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/stdio"
)

// secret is what no client is to see.
const secret = "secret-of-an-error"

// session is what a client sends. What waits is answered last, or never.
var session = strings.Join([]string{
	`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
	`{"jsonrpc":"2.0","method":"notifications/initialized"}`, "",
	`{"jsonrpc":"2.0","id":2,"method":"ping"}` + "\r",
	`{"jsonrpc":"2.0","id":3,"method":"prompts/list"}`,
	`{"jsonrpc":"2.0","id":4,"method":"prompts/get","params":{"name":"text"}}`,
	`{"jsonrpc":"2.0","id":5,"method":"prompts/get","params":{"name":"fails"}}`, "{",
	`{"jsonrpc":"2.0","id":6,"method":"ping","params":{"_meta":{"x":"` + strings.Repeat("x", 1000) + `"}}}`,
	`{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"text"}}`,
}, "\n")

// answers are the lines that the session is answered with.
const answers = 8

// faultyStream reads the session in pieces and takes what is written. Each of
// its calls may be at fault. It can be closed, as a connection can.
type faultyStream struct {
	onRead  func(n int, p []byte, do func([]byte) (int, error)) (int, error)
	onWrite func(n int, p []byte) (int, error)
	gone    chan struct{}

	mu            sync.Mutex // protects the fields below
	left          string
	reads, writes int
	out           bytes.Buffer
	ended         bool // a call of Write has not taken all
	closed        int
}

func newFaultyStream() *faultyStream {
	return &faultyStream{left: session, gone: make(chan struct{})}
}

func (f *faultyStream) Read(p []byte) (int, error) {
	f.mu.Lock()
	f.reads++
	n := f.reads
	f.mu.Unlock()
	do := func(p []byte) (int, error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.left == "" {
			return 0, io.EOF
		}
		n := copy(p[:min(len(p), 97)], f.left)
		f.left = f.left[n:]
		return n, nil
	}
	if f.onRead != nil {
		return f.onRead(n, p, do)
	}
	return do(p)
}

func (f *faultyStream) Write(p []byte) (int, error) {
	f.mu.Lock()
	f.writes++
	n := f.writes
	f.mu.Unlock()
	size, err := len(p), error(nil)
	if f.onWrite != nil {
		size, err = f.onWrite(n, p)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.out.Write(p[:size])
	f.ended = size < len(p) || err != nil
	return size, err
}

func (f *faultyStream) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed++; f.closed == 1 {
		close(f.gone)
	}
	return nil
}

// serve serves the stream until it ends, or for a minute, after which its
// context does, and holds what was written to the rules: whole lines of JSON,
// but for the last if it was cut, and no secrets. It must be called in a
// synctest bubble, which does not end before all goroutines have.
func (f *faultyStream) serve(t *testing.T) error {
	t.Helper()
	var registry prompts.Registry
	registry.MustAdd(
		prompts.Prompt{Name: "text", Render: func(context.Context, map[string]string) (*prompts.Result, error) {
			return prompts.Messages(prompts.User("hi")), nil
		}},
		prompts.Prompt{Name: "fails", Render: func(context.Context, map[string]string) (*prompts.Result, error) {
			return nil, errors.New(secret)
		}},
	)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	began := time.Now()
	err := prompts.MustNewServer(&registry, prompts.Options{}).Serve(ctx, stdio.NewStream(f, f, stdio.Options{}))
	assert.LessOrEqual(t, time.Since(began), time.Minute+2*time.Second)
	f.mu.Lock()
	defer f.mu.Unlock()
	assert.Equal(t, 1, f.closed)
	assert.NotContains(t, f.out.String(), secret)
	lines := strings.SplitAfter(f.out.String(), "\n")
	for i, line := range lines {
		if whole := strings.HasSuffix(line, "\n"); whole {
			assert.True(t, json.Valid([]byte(line)), line)
		} else if line != "" {
			assert.True(t, f.ended, "half a line: %s", line)
			assert.Equal(t, len(lines)-1, i, "something follows half a line")
		}
	}
	return err
}

var (
	errDisk = errors.New("the disk is on fire")
	errAny  = errors.New("any error")
)

func assertError(t *testing.T, want, err error, call string, at int) {
	t.Helper()
	switch want {
	case nil:
		assert.NoError(t, err, "%s %d", call, at+1)
	case errAny:
		assert.Error(t, err, "%s %d", call, at+1)
	default:
		assert.ErrorIs(t, err, want, "%s %d", call, at+1)
	}
}

// STD-03, STD-09: whichever Read of the stream fails, and however, the server
// ends: at once if the stream does.
func TestEveryReadOfAStreamFails(t *testing.T) {
	t.Parallel()
	var reads int
	synctest.Test(t, func(t *testing.T) {
		f := newFaultyStream()
		require.NoError(t, f.serve(t))
		reads = f.reads
		assert.LessOrEqual(t, f.writes, answers, "what comes together is written together")
		for _, id := range []string{"1", "2", "3", "4", "5", "6", "7"} {
			assert.Contains(t, f.out.String(), `"id":`+id+`,`)
		}
	})
	require.Greater(t, reads, 15)
	for _, test := range []struct {
		name string
		want error
		read func(f *faultyStream, p []byte, do func([]byte) (int, error)) (int, error)
	}{
		{"fails", errDisk, func(*faultyStream, []byte, func([]byte) (int, error)) (int, error) { return 0, errDisk }},
		{"is cut", io.ErrUnexpectedEOF, func(*faultyStream, []byte, func([]byte) (int, error)) (int, error) {
			return 0, io.ErrUnexpectedEOF
		}},
		{"ends", nil, func(*faultyStream, []byte, func([]byte) (int, error)) (int, error) { return 0, io.EOF }},
		{"returns data and fails", errDisk, func(_ *faultyStream, p []byte, do func([]byte) (int, error)) (int, error) {
			n, _ := do(p)
			return n, errDisk
		}},
		{"returns data and ends", nil, func(_ *faultyStream, p []byte, do func([]byte) (int, error)) (int, error) {
			n, _ := do(p)
			return n, io.EOF
		}},
		{"returns nothing for ever", io.ErrNoProgress, func(*faultyStream, []byte, func([]byte) (int, error)) (int, error) { return 0, nil }},
		{"waits for Close", nil, func(f *faultyStream, _ []byte, _ func([]byte) (int, error)) (int, error) {
			<-f.gone
			return 0, io.ErrClosedPipe
		}},
		{"panics", errAny, func(*faultyStream, []byte, func([]byte) (int, error)) (int, error) { panic(secret) }},
		{"has read less than nothing", errAny, func(*faultyStream, []byte, func([]byte) (int, error)) (int, error) { return -1, nil }},
		{"ends its goroutine", errAny, func(*faultyStream, []byte, func([]byte) (int, error)) (int, error) {
			runtime.Goexit()
			return 0, nil
		}},
		{"returns half a line for ever after Close", nil, func(f *faultyStream, p []byte, _ func([]byte) (int, error)) (int, error) {
			<-f.gone
			time.Sleep(time.Minute)
			return copy(p, "{}"), nil
		}},
		{"returns a line after Close", nil, func(f *faultyStream, p []byte, _ func([]byte) (int, error)) (int, error) {
			<-f.gone
			time.Sleep(time.Hour)
			return copy(p, "{}\n"), nil
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for at := range reads {
				synctest.Test(t, func(t *testing.T) {
					f := newFaultyStream()
					f.onRead = func(n int, p []byte, do func([]byte) (int, error)) (int, error) {
						if n > at {
							return test.read(f, p, do)
						}
						return do(p)
					}
					err := f.serve(t)
					time.Sleep(2 * time.Hour) // the last Read returns
					assertError(t, test.want, err, "read", at)
				})
			}
		})
	}
}

// STD-01, STD-03: whichever Write of the stream fails, and however much of the
// line it has taken, nothing follows.
func TestEveryWriteOfAStreamFails(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		want  error
		write func(f *faultyStream, p []byte) (int, error)
	}{
		{"fails", errDisk, func(*faultyStream, []byte) (int, error) { return 0, errDisk }},
		{"is short", io.ErrShortWrite, func(_ *faultyStream, p []byte) (int, error) { return len(p) / 2, nil }},
		{"lacks the newline", io.ErrShortWrite, func(_ *faultyStream, p []byte) (int, error) { return len(p) - 1, nil }},
		{"fails half-way", errDisk, func(_ *faultyStream, p []byte) (int, error) { return len(p) / 2, errDisk }},
		{"takes all and fails", errDisk, func(_ *faultyStream, p []byte) (int, error) { return len(p), errDisk }},
		{"finds nobody", nil, func(*faultyStream, []byte) (int, error) { return 0, io.ErrClosedPipe }},
		{"panics", errAny, func(*faultyStream, []byte) (int, error) { panic(secret) }},
		{"ends its goroutine", errAny, func(*faultyStream, []byte) (int, error) {
			runtime.Goexit()
			return 0, nil
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for at := range answers {
				synctest.Test(t, func(t *testing.T) {
					f := newFaultyStream()
					f.left += "\n" // its last line is complete while the stream is open
					f.onWrite = func(n int, p []byte) (int, error) {
						if n > at {
							return test.write(f, p)
						}
						return len(p), nil
					}
					// The client is there for as long as it is answered. It sends a line when the
					// one before is answered: what comes together is written together.
					f.onRead = func(_ int, p []byte, do func([]byte) (int, error)) (int, error) {
						synctest.Wait()
						f.mu.Lock()
						line := min(len(p), strings.Index(f.left, "\n")+1)
						f.mu.Unlock()
						n, err := do(p[:line])
						if err == io.EOF {
							<-f.gone
							err = io.ErrClosedPipe
						}
						return n, err
					}
					began := time.Now()
					err := f.serve(t)
					assert.Less(t, time.Since(began), time.Minute, "it does not end by itself")
					assert.Equal(t, at+1, f.writes, "it writes on")
					assertError(t, test.want, err, "write", at)
				})
			}
		})
	}
}

// A write that has panicked may have sent half a line: nothing follows it.
func TestWriteAfterAPanic(t *testing.T) {
	t.Parallel()
	f := newFaultyStream()
	f.onWrite = func(int, []byte) (int, error) { panic(secret) }
	wire := stdio.NewStream(f, f, stdio.Options{})
	assert.PanicsWithValue(t, secret, func() { _ = wire.Write(t.Context(), []byte("{}")) })
	assert.ErrorContains(t, wire.Write(t.Context(), []byte("{}")), "panicked")
	assert.Equal(t, 1, f.writes)
	assert.NoError(t, wire.Close())
}
