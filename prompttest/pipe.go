package prompttest

import (
	"context"
	"io"
	"slices"
	"sync"

	"github.com/mcp-prompts/prompts/transport"
)

// newPipe returns the two ends of a connection in memory. A message written to one end
// is read from the other, and Write waits for the Read. After Close of one end, the
// other end reads io.EOF, and every Write fails with io.ErrClosedPipe.
func newPipe() (client, server transport.Conn) {
	up, down := make(chan []byte), make(chan []byte)
	near := &pipe{in: down, out: up, closed: make(chan struct{})}
	far := &pipe{in: up, out: down, closed: make(chan struct{})}
	near.peer, far.peer = far, near
	return near, far
}

type pipe struct {
	in     <-chan []byte
	out    chan<- []byte
	peer   *pipe
	closed chan struct{}
	once   sync.Once
}

func (p *pipe) Read(ctx context.Context) ([]byte, error) {
	select {
	case <-p.closed: // before a message that has come at the same time
		return nil, io.ErrClosedPipe
	default:
	}
	select {
	case msg := <-p.in:
		return msg, nil
	case <-p.closed:
		return nil, io.ErrClosedPipe
	case <-p.peer.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipe) Write(ctx context.Context, msgs ...[]byte) error {
	for _, msg := range msgs {
		if err := p.write(ctx, msg); err != nil {
			return err
		}
	}
	return nil
}

func (p *pipe) write(ctx context.Context, msg []byte) error {
	select {
	case <-p.closed:
		return io.ErrClosedPipe
	case <-p.peer.closed:
		return io.ErrClosedPipe
	default:
	}
	select {
	case p.out <- slices.Clone(msg): // the reader's own from then on
		return nil
	case <-p.closed:
		return io.ErrClosedPipe
	case <-p.peer.closed:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *pipe) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}
