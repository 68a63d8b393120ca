package main

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"

	"github.com/mcp-prompts/prompts/transport"
)

// maxAnswerBytes bounds what the bridge reads from the server, which it
// trusts more than the server trusts its clients.
const maxAnswerBytes = 64 << 20

// bridge passes messages between a client and the server at the other end of
// conn, until the server has sent its last one or ctx ends. It closes both.
func bridge(ctx context.Context, client transport.Conn, conn *net.UnixConn) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	server := &framed{conn: conn, limit: maxAnswerBytes}

	var up error
	var wg sync.WaitGroup
	wg.Go(func() {
		up = forward(ctx, server, client)
		if up == io.EOF {
			_ = conn.CloseWrite() // the client's last message; its answer is still to come
		} else {
			cancel()
		}
	})
	down := forward(ctx, client, server)
	cancel()
	_ = server.Close()
	_ = client.Close()
	wg.Wait()
	return errors.Join(failure(up), failure(down))
}

// forward passes messages on until there are no more, and returns why.
func forward(ctx context.Context, dst, src transport.Conn) error {
	for {
		msg, err := src.Read(ctx)
		if err != nil {
			return err
		}
		if err := dst.Write(ctx, msg); err != nil {
			return err
		}
	}
}

// failure returns err unless it is one of the ways in which connections end.
func failure(err error) error {
	for _, end := range []error{io.EOF, io.ErrClosedPipe, net.ErrClosed, context.Canceled} {
		if errors.Is(err, end) {
			return nil
		}
	}
	return err
}
