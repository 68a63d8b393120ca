package streamablehttp

import (
	"net/http"
	"strconv"
	"sync"
	"time"
)

// stream is the reply to one request: a JSON body, or server-sent events.
type stream struct {
	w    http.ResponseWriter
	rc   *http.ResponseController
	wait time.Duration // for the client to take a message; none if negative

	mu      sync.Mutex // held to write, and for the fields below
	isOpen  bool       // events are being sent
	isOver  bool       // the reply is complete, or the handler has returned
	written time.Time
}

func newStream(w http.ResponseWriter, o *Options) *stream {
	return &stream{w: w, rc: http.NewResponseController(w), wait: o.WriteTimeout}
}

// body sends the one body of a reply.
func (s *stream) body(status int, msg []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isOver {
		return http.ErrHandlerTimeout
	}
	s.isOver = true
	s.deadline()
	s.w.Header().Set("Content-Type", "application/json")
	s.w.Header().Set("Cache-Control", "no-store")
	s.w.Header().Set("Content-Length", strconv.Itoa(len(msg)))
	s.w.WriteHeader(status)
	_, err := s.w.Write(msg)
	return err
}

// open begins the events, if they have not begun.
func (s *stream) open() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.openLocked()
}

func (s *stream) openLocked() error {
	switch {
	case s.isOver:
		return http.ErrHandlerTimeout
	case s.isOpen:
		return nil
	}
	s.isOpen = true
	s.deadline()
	h := s.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	s.w.WriteHeader(http.StatusOK)
	return s.flush()
}

// event sends a message as an event.
func (s *stream) event(msg []byte, last bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.openLocked(); err != nil {
		return err
	}
	s.isOver = last
	s.deadline()
	frame := make([]byte, 0, len(msg)+len("data: \n\n"))
	frame = append(frame, "data: "...)
	frame = append(frame, msg...) // a message has no line breaks
	frame = append(frame, "\n\n"...)
	if _, err := s.w.Write(frame); err != nil {
		return err
	}
	return s.flush()
}

// keepAlive sends a comment if nothing has been sent for the interval.
func (s *stream) keepAlive(interval time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.isOpen || s.isOver || time.Since(s.written) < interval {
		return nil
	}
	s.deadline()
	if _, err := s.w.Write([]byte(":\n\n")); err != nil {
		return err
	}
	return s.flush()
}

// close is the end of the reply: the handler returns.
func (s *stream) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isOver = true
}

// deadline gives the client its time for the next write.
func (s *stream) deadline() {
	s.written = time.Now()
	if s.wait >= 0 {
		_ = s.rc.SetWriteDeadline(s.written.Add(s.wait)) // not all writers have one
	}
}

func (s *stream) flush() error { return s.rc.Flush() }
