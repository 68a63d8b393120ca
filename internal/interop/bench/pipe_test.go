package bench_test

import (
	"bytes"
	"context"
	"io"
	"sync"

	"github.com/mcp-prompts/prompts/transport"
)

// pipe is a connection of channels, for one request at a time.
type pipe struct {
	in, out chan []byte
	written []byte           // the last answer
	heard   func(msg []byte) // of changes, if not nil
	closing sync.Once
	closed  chan struct{}
}

var _ transport.Conn = (*pipe)(nil)

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
// and so before the next Write. What is unasked does not wait for it.
func (p *pipe) Write(ctx context.Context, msgs ...[]byte) error {
	for _, msg := range msgs {
		if err := p.write(ctx, msg); err != nil {
			return err
		}
	}
	return nil
}

func (p *pipe) write(ctx context.Context, msg []byte) error {
	if isNotification(msg) {
		if p.heard != nil {
			p.heard(msg)
		}
		return nil
	}
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

// isNotification tells a notification from an answer by what it begins with.
func isNotification(msg []byte) bool {
	return bytes.Contains(msg[:min(len(msg), 64)], []byte(`"method":"notifications/`))
}
