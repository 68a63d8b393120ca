package stdio_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/stdio"
)

// closer counts its Close calls.
type closer struct {
	io.Reader
	io.Writer
	err    error
	closed int
}

func (c *closer) Close() error {
	c.closed++
	return c.err
}

// STD-09, STD-10: Close ends a blocked Read and Write, and the goroutine
// behind Read: the bubble fails if one is left.
func TestCloseUnblocks(t *testing.T) {
	t.Parallel()
	streams := map[string]func() (io.Reader, io.Writer){
		"net.Pipe": func() (io.Reader, io.Writer) {
			ours, _ := net.Pipe()
			return ours, ours
		},
		"io.Pipe": func() (io.Reader, io.Writer) {
			r, _ := io.Pipe()
			_, w := io.Pipe()
			return r, w
		},
	}
	for name, stream := range streams {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r, w := stream()
				tr := stdio.NewStream(r, w, stdio.Options{})
				reading, writing := make(chan error), make(chan error)
				go func() {
					_, err := tr.Read(t.Context())
					reading <- err
				}()
				go func() { writing <- tr.Write(t.Context(), []byte("{}")) }()
				synctest.Wait() // both are blocked

				require.NoError(t, tr.Close())
				assert.ErrorIs(t, <-reading, io.ErrClosedPipe)
				assert.ErrorIs(t, <-writing, io.ErrClosedPipe)
			})
		})
	}
}

// A medium that cannot be interrupted holds up neither Read nor Close; the
// goroutine behind Read ends when the medium lets go.
func TestCloseOfUninterruptibleReader(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		// No Close method, as a terminal's is of no use to a read.
		tr := stdio.NewStream(struct{ io.Reader }{r}, io.Discard, stdio.Options{})
		reading := make(chan error)
		go func() {
			_, err := tr.Read(t.Context())
			reading <- err
		}()
		synctest.Wait()
		require.NoError(t, tr.Close())
		require.ErrorIs(t, <-reading, io.ErrClosedPipe)

		_, err := io.WriteString(w, "{}\n")
		require.NoError(t, err, "the goroutine was still reading")
		_, err = tr.Read(t.Context())
		assert.ErrorIs(t, err, io.ErrClosedPipe)
		// The bubble ends only if the goroutine has taken this line for its end.
	})
}

// After Close there is neither reading nor writing, whatever has arrived.
func TestAfterClose(t *testing.T) {
	t.Parallel()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, readFirst := range []bool{false, true} {
		var out bytes.Buffer
		tr := stdio.NewStream(strings.NewReader("{}\n[]\n"), &out, stdio.Options{})
		if readFirst {
			_, err := tr.Read(t.Context())
			require.NoError(t, err)
		}
		require.NoError(t, tr.Close())
		for _, ctx := range []context.Context{t.Context(), ended} {
			_, err := tr.Read(ctx)
			assert.ErrorIs(t, err, io.ErrClosedPipe)
			assert.ErrorIs(t, tr.Write(ctx, []byte("{}")), io.ErrClosedPipe)
		}
		assert.Zero(t, out.Len())
	}
}

// A Close that comes between the end of the stream and its Read wins.
func TestCloseAfterEnd(t *testing.T) {
	t.Parallel()
	tr := stdio.NewStream(strings.NewReader(""), io.Discard, stdio.Options{})
	_, err := tr.Read(t.Context())
	require.Equal(t, io.EOF, err)
	require.NoError(t, tr.Close())
	_, err = tr.Read(t.Context())
	assert.ErrorIs(t, err, io.ErrClosedPipe)
}

// While Write fails because of Close, whatever the stream's own error says, it
// is the end and no failure.
func TestWriteFailsByClose(t *testing.T) {
	t.Parallel()
	odd := errors.New("bad file handle")
	var tr *stdio.Conn
	tr = writerTo(&recorder{write: func([]byte) (int, error) {
		_ = tr.Close()
		return 0, odd
	}})
	err := tr.Write(t.Context(), []byte("{}"))
	assert.ErrorIs(t, err, io.ErrClosedPipe)
	assert.ErrorIs(t, err, odd)
}

func TestCloseClosesEachStreamOnce(t *testing.T) {
	t.Parallel()
	t.Run("two streams", func(t *testing.T) {
		t.Parallel()
		r, w := &closer{err: errors.New("r")}, &closer{err: errors.New("w")}
		tr := stdio.NewStream(r, w, stdio.Options{})
		err := tr.Close()
		assert.ErrorIs(t, err, r.err)
		assert.ErrorIs(t, err, w.err)
		assert.Equal(t, err, tr.Close())
		assert.Equal(t, []int{1, 1}, []int{r.closed, w.closed})
	})
	t.Run("one stream", func(t *testing.T) {
		t.Parallel()
		rw := &closer{}
		tr := stdio.NewStream(rw, rw, stdio.Options{})
		assert.NoError(t, tr.Close())
		assert.NoError(t, tr.Close())
		assert.Equal(t, 1, rw.closed)
	})
	t.Run("closed already", func(t *testing.T) {
		t.Parallel()
		for _, err := range []error{os.ErrClosed, net.ErrClosed, io.ErrClosedPipe} {
			rw := &closer{err: err}
			assert.NoError(t, stdio.NewStream(rw, rw, stdio.Options{}).Close())
		}
	})
	t.Run("streams that cannot be compared", func(t *testing.T) {
		t.Parallel()
		s := incomparable{func() {}}
		assert.NoError(t, stdio.NewStream(s, s, stdio.Options{}).Close())
	})
	t.Run("real files", func(t *testing.T) {
		t.Parallel()
		r, w, err := os.Pipe()
		require.NoError(t, err)
		require.NoError(t, stdio.NewStream(r, w, stdio.Options{}).Close())
		assert.ErrorIs(t, r.Close(), os.ErrClosed)
		assert.ErrorIs(t, w.Close(), os.ErrClosed)
	})
	t.Run("closed files", func(t *testing.T) {
		t.Parallel()
		r, w, err := os.Pipe()
		require.NoError(t, err)
		require.NoError(t, errors.Join(r.Close(), w.Close()))
		tr := stdio.NewStream(r, w, stdio.Options{})
		assert.ErrorIs(t, tr.Write(t.Context(), []byte("{}")), os.ErrClosed)
		assert.NoError(t, tr.Close())
	})
}

type incomparable struct{ f func() }

func (incomparable) Read([]byte) (int, error)    { return 0, io.EOF }
func (incomparable) Write(p []byte) (int, error) { return len(p), nil }
func (incomparable) Close() error                { return nil }

// Everything at once, for the race detector: each message arrives whole.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	const writers, each = 4, 200
	ours, theirs := net.Pipe()
	a := stdio.NewStream(ours, ours, stdio.Options{})
	b := stdio.NewStream(theirs, theirs, stdio.Options{})
	ctx := t.Context()

	var sending sync.WaitGroup
	for range writers {
		sending.Go(func() {
			for range each {
				assert.NoError(t, a.Write(ctx, []byte(`{"jsonrpc":"2.0"}`)))
			}
		})
	}
	var echoing sync.WaitGroup
	var received, echoed int
	echoing.Go(func() {
		for {
			msg, err := b.Read(ctx)
			if err != nil {
				return
			}
			received++
			assert.Equal(t, `{"jsonrpc":"2.0"}`, string(msg))
			assert.NoError(t, b.Write(ctx, msg))
		}
	})
	for ; echoed < writers*each; echoed++ {
		_, err := a.Read(ctx)
		require.NoError(t, err)
	}
	sending.Wait()

	require.NoError(t, a.Close())
	echoing.Wait()
	assert.NoError(t, b.Close())
	assert.Equal(t, writers*each, received)
}

// Close in the middle of traffic: everyone gets to hear of it, in the same words.
func TestCloseDuringTraffic(t *testing.T) {
	t.Parallel()
	for range 50 {
		ours, theirs := net.Pipe()
		a := stdio.NewStream(ours, ours, stdio.Options{})
		b := stdio.NewStream(theirs, theirs, stdio.Options{})
		started := make(chan struct{}, 2)
		var traffic sync.WaitGroup
		traffic.Go(func() {
			var err error
			for err == nil {
				err = a.Write(t.Context(), []byte("{}"))
				select {
				case started <- struct{}{}:
				default:
				}
			}
			assert.ErrorIs(t, err, io.ErrClosedPipe)
		})
		traffic.Go(func() {
			var err error
			for err == nil {
				_, err = b.Read(t.Context())
			}
			assert.True(t, err == io.EOF || errors.Is(err, io.ErrClosedPipe), "%v", err)
		})
		<-started
		var closing sync.WaitGroup
		for _, tr := range []*stdio.Conn{a, a, b, b} {
			closing.Go(func() { assert.NoError(t, tr.Close()) })
		}
		closing.Wait()
		traffic.Wait()
	}
}
