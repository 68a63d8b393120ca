package prompttest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/transport"
)

// TransportOptions configures CheckTransport.
type TransportOptions struct {
	// MaxMessageBytes is the maximum size in bytes of a message that the server's end
	// reads, at least 128. To keep the check fast, connect with a small limit. A
	// connection in memory needs none. Default: 4 MiB; negative: none.
	MaxMessageBytes int
}

// CheckTransport tests an implementation of [transport.Conn]. The function connect
// returns the two ends of a new connection. The server's end is tested, and the client's
// end is its peer: another Conn of the same type, or a Conn made for the test. To test
// both, call CheckTransport twice and exchange the ends. connect is called once for each
// check. CheckTransport calls Close once for each end. It reports through t.Errorf:
//
//   - a Close after which the other end does not read io.EOF;
//   - a Read that does not return when its context ends and Close is called;
//   - a Read that does not return the client's last message and then io.EOF;
//   - a Write without an error after the client's Close, or with an error that does not
//     wrap io.ErrClosedPipe or io.EOF;
//   - a message above the limit that Read returns, or that ends the connection;
//   - a message that is lost, late, changed or overwritten, among 1,000 in each
//     direction, for a slow reader, in calls of Write with up to 5 messages.
//
// No wait is longer than 10 seconds. A bubble of testing/synctest is supported if the
// connection has no network. With go test -race, CheckTransport also finds a Conn whose
// methods are not safe together.
func CheckTransport(t testing.TB, connect func(t testing.TB) (client, server transport.Conn), o TransportOptions) {
	t.Helper()
	notNil(t, "function", connect)
	c := &transportCheck{t: t, connect: connect, limit: o.MaxMessageBytes}
	switch {
	case c.limit == 0:
		c.limit = defaultMaxMessageBytes
	case c.limit > 0 && c.limit < minMessageBytes:
		t.Fatalf("prompttest: TransportOptions.MaxMessageBytes must be at least %d, got %d; connect with a larger limit", minMessageBytes, c.limit)
	}
	closes := c.run((*checkedConn).close)
	if ends := c.run((*checkedConn).blockedRead); closes && ends { // or the same bug would be reported for each of its effects
		c.run((*checkedConn).lastMessage)
		c.run((*checkedConn).disconnect)
	}
	if c.limit >= 0 {
		c.run((*checkedConn).tooLarge)
	}
	c.run((*checkedConn).traffic)
}

const (
	// transportTimeout is how long a call of a transport may take.
	transportTimeout = 10 * time.Second
	// defaultMaxMessageBytes is the default of the transports of this module.
	defaultMaxMessageBytes = 4 << 20
	// minMessageBytes is the size of the smallest message of the check.
	minMessageBytes = 128
	// trafficMessages are sent in each direction. With messages of trafficBytes, they
	// are more than the buffers of a network connection hold.
	trafficMessages = 1000
	trafficBytes    = 8 << 10
	// slowReader is how long messages wait before the first is read.
	slowReader = 100 * time.Millisecond
)

type transportCheck struct {
	t       testing.TB
	connect func(t testing.TB) (client, server transport.Conn)
	limit   int // of a message; negative for none
}

// run calls a check with a new connection, and reports whether the check has found nothing.
func (c *transportCheck) run(check func(*checkedConn) error) bool {
	c.t.Helper()
	client, server := c.connect(c.t)
	if client == nil || server == nil {
		c.t.Fatalf("prompttest: connect must return two connections, got client %v and server %v", client, server)
	}
	ctx, cancel := context.WithCancel(context.Background())
	conn := &checkedConn{ctx, cancel, c.limit, &end{Conn: client}, &end{Conn: server}}
	err := check(conn)
	cancel()
	// Both at once, because a Close may wait for the other end's.
	clientClosed, serverClosed := conn.client.close(), conn.server.close()
	for _, closed := range []<-chan result{clientClosed, serverClosed} {
		if _, ok := wait(closed); !ok && err == nil {
			err = fmt.Errorf("Close does not return within %s; end the connection even if the other end does not react", transportTimeout)
		}
	}
	if err != nil {
		c.t.Errorf("prompttest: transport: %v", err)
	}
	return err == nil
}

type checkedConn struct {
	ctx            context.Context // ends with the check
	cancel         func()
	limit          int
	client, server *end
}

// end is an end of a connection. Its calls run on goroutines of their own, because they may block.
type end struct {
	transport.Conn
	once   sync.Once
	closed chan result
}

type result struct {
	msg []byte
	err error
}

func start(call func() ([]byte, error)) <-chan result {
	done := make(chan result, 1)
	go func() {
		msg, err := call()
		done <- result{msg, err}
		close(done)
	}()
	return done
}

// wait returns what a call returned, or false if it does not return in time.
func wait(done <-chan result) (result, bool) {
	timer := time.NewTimer(transportTimeout)
	defer timer.Stop()
	select {
	case r := <-done:
		return r, true
	case <-timer.C:
		return result{}, false
	}
}

func (e *end) read(ctx context.Context) <-chan result {
	return start(func() ([]byte, error) { return e.Read(ctx) })
}

func (e *end) write(ctx context.Context, msgs ...[]byte) <-chan result {
	return start(func() ([]byte, error) { return nil, e.Write(ctx, msgs...) })
}

func (e *end) close() <-chan result {
	e.once.Do(func() {
		e.closed = make(chan result)
		go func() {
			_ = e.Close() // Serve logs the error; the connection ends with or without
			close(e.closed)
		}()
	})
	return e.closed
}

func (c *checkedConn) close() error {
	const fix = "; Close must end the connection, and Read of the other end must then return io.EOF"
	read := c.client.read(c.ctx)
	c.server.close()
	r, ok := wait(read)
	switch {
	case !ok:
		return fmt.Errorf("after Close of the server's end, Read of the client's end does not return within %s%s", transportTimeout, fix)
	case !errors.Is(r.err, io.EOF):
		return fmt.Errorf("after Close of the server's end, Read of the client's end must return io.EOF, got %s%s", r, fix)
	}
	return nil
}

// blockedRead checks that a Read that waits for a message ends as Serve ends it.
func (c *checkedConn) blockedRead() error {
	read := c.server.read(c.ctx)
	select {
	case r := <-read:
		return fmt.Errorf("Read must wait for a message, got %s without one", r)
	case <-time.After(slowReader):
	}
	c.cancel()
	c.server.close()
	r, ok := wait(read)
	switch {
	case !ok:
		return fmt.Errorf("a waiting Read does not return within %s of the end of its context and of Close; let one of both end it", transportTimeout)
	case r.err == nil:
		return fmt.Errorf("a waiting Read must return an error after the end of its context and Close, got %s", r)
	}
	return nil
}

func (c *checkedConn) lastMessage() error {
	const fix = "; return the messages that arrived before the client's Close, and then io.EOF"
	want := numbered(0, minMessageBytes)
	written := start(func() ([]byte, error) {
		if err := c.client.Write(c.ctx, want); err != nil {
			return nil, err
		}
		c.client.close()
		return nil, nil
	})
	if r, ok := wait(c.server.read(c.ctx)); !ok || !bytes.Equal(r.msg, want) {
		return fmt.Errorf("the client's last message must arrive, got %s%s", r.or(ok), fix)
	}
	if r, ok := wait(written); !ok || r.err != nil {
		return fmt.Errorf("Write of the client's end must succeed, got %s", r.or(ok))
	}
	r, ok := wait(c.server.read(c.ctx))
	if !ok || !errors.Is(r.err, io.EOF) {
		return fmt.Errorf("after the client's Close, Read must return io.EOF, got %s%s", r.or(ok), fix)
	}
	return nil
}

func (c *checkedConn) disconnect() error {
	const fix = "; return an error that wraps io.ErrClosedPipe if the client disconnected"
	reading := c.server.read(c.ctx) // as Serve does at the same time
	c.client.close()
	for begin := time.Now(); ; time.Sleep(time.Millisecond) {
		r, ok := wait(c.server.write(c.ctx, numbered(0, minMessageBytes)))
		switch {
		case !ok:
			return fmt.Errorf("after the client's Close, Write does not return within %s%s", transportTimeout, fix)
		case r.err == nil && time.Since(begin) < transportTimeout:
			continue
		case r.err == nil:
			return fmt.Errorf("Write succeeds for %s after the client's Close%s", transportTimeout, fix)
		case !errors.Is(r.err, io.ErrClosedPipe) && !errors.Is(r.err, io.EOF):
			return fmt.Errorf("after the client's Close, Write returns the error %q, which Serve reports as a failure%s", r.err, fix)
		}
		wait(reading)
		return nil
	}
}

// tooLarge checks that a message at the limit arrives, that a larger one does not, and
// that the connection survives it.
func (c *checkedConn) tooLarge() error {
	const fix = "; skip the rest of a message above the limit, return transport.ErrTooLarge, and continue with the next message"
	largest, next := numbered(1, c.limit), numbered(2, minMessageBytes)
	written := start(func() ([]byte, error) {
		return nil, c.client.Write(c.ctx, largest, numbered(0, c.limit+1), next)
	})
	for _, step := range []struct {
		what string
		want []byte // nil for an error
	}{
		{fmt.Sprintf("a message of MaxMessageBytes (%d)", c.limit), largest},
		{fmt.Sprintf("a message of %d bytes, 1 above MaxMessageBytes,", c.limit+1), nil},
		{"the message after a message above the limit", next},
	} {
		r, ok := wait(c.server.read(c.ctx))
		if step.want == nil && !errors.Is(r.err, transport.ErrTooLarge) {
			return fmt.Errorf("Read of %s must return transport.ErrTooLarge, got %s%s", step.what, r.or(ok), fix)
		}
		if step.want != nil && (r.err != nil || !bytes.Equal(r.msg, step.want)) {
			return fmt.Errorf("Read must return %s, got %s%s", step.what, r.or(ok), fix)
		}
	}
	if r, ok := wait(written); !ok || r.err != nil {
		return fmt.Errorf("Write of the client's end must succeed, got %s", r.or(ok))
	}
	return nil
}

func (c *checkedConn) traffic() error {
	up := start(func() ([]byte, error) { return nil, c.send(c.client, c.server, "client") })
	down := start(func() ([]byte, error) { return nil, c.send(c.server, c.client, "server") })
	// Each direction bounds its own time.
	first, second := <-up, <-down
	return errors.Join(first.err, second.err)
}

// send writes messages at one end, overwrites each after Write, and compares what arrives
// at the other end.
func (c *checkedConn) send(from, to *end, name string) error {
	size := trafficBytes
	if c.limit >= 0 {
		size = min(size, c.limit)
	}
	arrived := make(chan result)
	received := make(chan struct{})
	defer close(received)
	go func() { // ends with send, at the latest when Close ends its Read
		time.Sleep(slowReader)
		for range trafficMessages {
			msg, err := to.Read(c.ctx)
			select {
			case arrived <- result{msg, err}:
			case <-received:
				return
			}
		}
	}()
	written := start(func() ([]byte, error) { return nil, writeAll(c.ctx, from, size) })
	var last []byte
	for n := range trafficMessages {
		r, ok := wait(arrived)
		if ok && bytes.Equal(r.msg, numbered(n, size)) {
			if last != nil && !bytes.Equal(last, numbered(n-1, size)) {
				return fmt.Errorf("message %d that Read returned changes with the next Read; return a new slice for each message", n)
			}
			last = r.msg
			continue
		}
		// An error of Write says more.
		select {
		case w := <-written:
			if w.err != nil {
				return fmt.Errorf("Write of the %s's end: %w", name, w.err)
			}
		default:
		}
		what := fmt.Sprintf("message %d of %d from the %s's end", n+1, trafficMessages, name)
		if bytes.Contains(r.msg, overwritten) {
			return fmt.Errorf("%s arrives with the bytes that were in its memory after Write; Write must not keep msgs or a message: copy what is sent later", what)
		}
		return fmt.Errorf("%s must arrive next, got %s; Write must send all messages in order, and wait while the other end does not read", what, r.or(ok))
	}
	if w, ok := wait(written); !ok || w.err != nil {
		return fmt.Errorf("Write of the %s's end: %s", name, w.or(ok))
	}
	return nil
}

var overwritten = []byte("xxxxxxxx")

func writeAll(ctx context.Context, to *end, size int) error {
	for n := 0; n < trafficMessages; {
		var msgs [][]byte
		for range min(1+n%5, trafficMessages-n) {
			msgs = append(msgs, numbered(n, size))
			n++
		}
		given := append([][]byte(nil), msgs...)
		if err := to.Write(ctx, given...); err != nil {
			return err
		}
		for i, msg := range msgs {
			if !bytes.Equal(given[i], numbered(n-len(msgs)+i, size)) {
				return errors.New("Write changed msgs or a message; copy before changing")
			}
			copy(msg, bytes.Repeat(overwritten, 1+size/len(overwritten)))
			given[i] = msg[:0]
		}
	}
	return nil
}

func numbered(n, size int) []byte {
	msg := fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/prompttest","params":{"number":%d,"text":"`, n)
	const end = `"}}`
	msg = append(msg, strings.Repeat("-", size-len(msg)-len(end))...)
	return append(msg, end...)
}

// String returns a result for people.
func (r result) String() string {
	if r.err != nil {
		return fmt.Sprintf("the error %q", r.err)
	}
	return "the message " + phrase.Quote(string(r.msg))
}

// or returns r for people, or that the call has not returned.
func (r result) or(ok bool) string {
	if !ok {
		return fmt.Sprintf("nothing within %s", transportTimeout)
	}
	return r.String()
}
