package bench_test

import (
	"bytes"
	"context"
	"io"
	"sync"

	"github.com/mcp-prompts/prompts"
)

// pipe is a connection of channels, for one request at a time.
type pipe struct {
	in, out chan []byte
	written []byte // the last answer
	closing sync.Once
	closed  chan struct{}
}

var _ prompts.Transport = (*pipe)(nil)

func newPipe() *pipe {
	return &pipe{in: make(chan []byte), out: make(chan []byte), closed: make(chan struct{})}
}

// ask is a server: it sends a request and waits for the answer.
func (p *pipe) ask(request []byte, answer func([]byte)) error {
	if err := p.send(request); err != nil {
		return err
	}
	select {
	case msg := <-p.out:
		answer(msg)
		return nil
	case <-p.closed:
		return io.ErrClosedPipe
	}
}

func (p *pipe) send(msg []byte) error {
	select {
	case p.in <- msg:
		return nil
	case <-p.closed:
		return io.ErrClosedPipe
	}
}

// Read returns a copy, as a transport has to that reads from a stream.
func (p *pipe) Read(ctx context.Context) ([]byte, error) {
	select {
	case msg := <-p.in:
		return bytes.Clone(msg), nil
	case <-p.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write hands a copy over. The client is done with it before it asks again,
// and so before the next Write.
func (p *pipe) Write(ctx context.Context, msg []byte) error {
	p.written = append(p.written[:0], msg...)
	select {
	case p.out <- p.written:
		return nil
	case <-p.closed:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *pipe) Close() error {
	p.closing.Do(func() { close(p.closed) })
	return nil
}
