package promptnats_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// proxy stands between a client and a broker.
type proxy struct {
	target   string
	listener net.Listener
	running  sync.WaitGroup

	mu      sync.Mutex
	changed *sync.Cond
	conns   map[net.Conn]bool
	isCut   bool          // no connection gets through
	frozen  bool          // nothing that is sent arrives
	delay   time.Duration // of whatever is sent
	repeats bool          // each revision of a key is sent twice, and older ones in between
	again   int           // how many were
	drops   int           // how many revisions are still to be lost
}

func startProxy(t testing.TB, b *broker) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &proxy{target: strings.TrimPrefix(b.url(), "nats://"), listener: l, conns: map[net.Conn]bool{}}
	p.changed = sync.NewCond(&p.mu)
	p.running.Go(p.accept) // until the listener is closed
	t.Cleanup(func() {
		_ = l.Close()
		p.set(func() { p.frozen = false; p.isCut = true })
		p.running.Wait()
	})
	return p
}

func (p *proxy) url() string { return "nats://" + p.listener.Addr().String() }

// set changes what the proxy does.
func (p *proxy) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
	if p.isCut {
		for c := range p.conns {
			_ = c.Close()
		}
	}
	p.changed.Broadcast()
}

func (p *proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.target)
		if err != nil {
			_ = client.Close()
			continue
		}
		p.mu.Lock()
		p.conns[client], p.conns[server] = true, true
		if p.isCut {
			_, _ = client.Close(), server.Close()
		}
		p.mu.Unlock()
		p.running.Go(func() { p.copy(server, client, false) })
		p.running.Go(func() { p.copy(client, server, true) })
	}
}

// copy passes on what is sent, until one of the ends is closed.
func (p *proxy) copy(to, from net.Conn, isServer bool) {
	defer func() {
		_, _ = to.Close(), from.Close()
		p.mu.Lock()
		delete(p.conns, from)
		p.mu.Unlock()
	}()
	r := bufio.NewReader(from)
	var before [][]byte
	for {
		frame, isRevision, err := readFrame(r, isServer)
		if err != nil {
			return
		}
		p.mu.Lock()
		for p.frozen {
			p.changed.Wait()
		}
		delay, repeats := p.delay, p.repeats && isRevision
		isLost := isRevision && p.drops > 0
		if isLost {
			p.drops--
		}
		p.mu.Unlock()
		if isLost {
			continue
		}
		if delay > 0 {
			time.Sleep(delay) // this is what the proxy is for
		}
		if repeats {
			before = append(before, frame)
			frame = bytes.Join(append([][]byte{frame, frame}, before...), nil)
			p.set(func() { p.again++ })
		}
		if _, err := to.Write(frame); err != nil {
			return
		}
	}
}

// readFrame reads one message of the broker, and whether it is a revision of a
// key; of a client, whatever there is.
func readFrame(r *bufio.Reader, isServer bool) ([]byte, bool, error) {
	if !isServer {
		if _, err := r.Peek(1); err != nil {
			return nil, false, err
		}
		frame := make([]byte, r.Buffered())
		_, err := io.ReadFull(r, frame)
		return frame, false, err
	}
	line, err := r.ReadBytes('\n')
	if err != nil {
		return nil, false, err
	}
	words := strings.Fields(string(line))
	if len(words) == 0 || words[0] != "MSG" && words[0] != "HMSG" {
		return line, false, nil
	}
	size, err := strconv.Atoi(words[len(words)-1])
	if err != nil {
		return nil, false, fmt.Errorf("%q: %w", line, err)
	}
	payload := make([]byte, size+2)
	if _, err := io.ReadFull(r, payload); err != nil {
		return nil, false, err
	}
	return append(line, payload...), strings.HasPrefix(words[1], "$KV."), nil
}
