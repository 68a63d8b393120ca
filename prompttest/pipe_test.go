package prompttest

import (
	"context"
	"io"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts/transport"
)

// The two ends of a pipe keep what a transport.Conn promises.
func TestPipe(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		near, far := newPipe()

		// A message comes as it was, whatever becomes of the slice.
		for _, ends := range [][2]transport.Conn{{near, far}, {far, near}} {
			go func() {
				msg := []byte("a")
				assert.NoError(t, ends[0].Write(ctx, msg))
				msg[0] = 'b'
			}()
			synctest.Wait()
			got, err := ends[1].Read(ctx)
			assert.NoError(t, err)
			synctest.Wait()
			assert.Equal(t, "a", string(got))
		}

		// A context ends what waits.
		ended, cancel := context.WithCancel(ctx)
		cancel()
		_, err := near.Read(ended)
		assert.ErrorIs(t, err, context.Canceled)
		assert.ErrorIs(t, near.Write(ended, nil), context.Canceled)

		// So does the end of either side.
		errs := make(chan error, 4)
		read := func(from transport.Conn) {
			_, err := from.Read(ctx)
			errs <- err
		}
		go read(near)
		synctest.Wait()
		assert.NoError(t, far.Close())
		assert.NoError(t, far.Close())
		assert.Equal(t, io.EOF, <-errs)
		assert.Equal(t, io.ErrClosedPipe, near.Write(ctx, nil))
		assert.Equal(t, io.ErrClosedPipe, far.Write(ctx, nil))
		_, err = far.Read(ctx)
		assert.Equal(t, io.ErrClosedPipe, err)

		for _, closes := range []int{0, 1} {
			near, far := newPipe()
			go func() { errs <- near.Write(ctx, nil) }()
			go read(near)
			synctest.Wait()
			_ = []io.Closer{near, far}[closes].Close()
			one, other := <-errs, <-errs
			if one == io.EOF {
				one, other = other, one
			}
			assert.Equal(t, io.ErrClosedPipe, one)
			assert.Equal(t, []error{io.ErrClosedPipe, io.EOF}[closes], other)
		}
	})
}
