package main

import (
	"bufio"
	"context"
	"io"
	"sync"
)

// streamCarrier carries messages over a stream.
type streamCarrier struct {
	conn   *conn
	stream duplex
	reader sync.WaitGroup // the goroutine that reads

	mu sync.Mutex // held to write
}

var _ carrier = (*streamCarrier)(nil)

// openStream returns the connection of a good client over a stream.
func openStream(p *place, who, version string, ofSystem, judged bool) (*conn, error) {
	c := newConn(p, who, version)
	if judged {
		c.judge = newJudge(p.rec, who, false)
	}
	stream, err := p.stream(who, ofSystem)
	if err != nil {
		return nil, err
	}
	s := &streamCarrier{conn: c, stream: stream}
	c.carrier = s
	s.reader.Go(s.read)
	return c, nil
}

// lines returns a scanner for the messages of a stream.
func lines(r io.Reader) *bufio.Scanner {
	s := bufio.NewScanner(r)
	s.Buffer(nil, 8*mostBytes)
	return s
}

func (s *streamCarrier) read() {
	all := lines(s.stream)
	for all.Scan() {
		s.conn.receive(append([]byte(nil), all.Bytes()...))
	}
}

func (s *streamCarrier) request(_ context.Context, msg []byte, _, _ string, _ []string) error {
	return s.write(msg)
}

func (s *streamCarrier) notify(msg []byte, _ string) error { return s.write(msg) }

func (s *streamCarrier) write(msg []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conn.judge.client(msg)
	_, err := s.stream.Write(append(msg, '\n'))
	return err
}

func (s *streamCarrier) close() {
	s.stream.hangUp()
	s.reader.Wait() // the server closes its side
	_ = s.stream.Close()
}
