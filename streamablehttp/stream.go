package streamablehttp

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// hurried is how long the writes of a stream that is to end may still take.
const hurried = time.Second

// noDeadline returns the deadline of a stream of HTTP/2 with no write in progress. When a stream
// ends, net/http stops the timer of its deadline for good. A zero deadline removes the timer, and a
// deadline that is set after the end would start another, which would keep the stream in memory.
func noDeadline() time.Time { return time.Now().Add(100 * 365 * 24 * time.Hour) }

type stream struct {
	w            http.ResponseWriter
	rc           http.ResponseController // a value: one allocation less
	wait         time.Duration           // for the client to take a message; none if negative
	keepAlive    time.Duration           // between comments; none if negative
	isChunked    bool                    // as the events of HTTP/1.1 are
	isHTTP1      bool                    // which has one request at a time on a connection
	onDisconnect func()                  // called when a comment does not get through, or the writer panics; may be nil

	mu             sync.Mutex // held to write, and for the fields below
	isOpen         bool       // events are being sent
	isOver         bool       // the reply is complete, or the handler has returned
	isLate         bool       // the handler returns later than the reply is complete
	written        time.Time
	keepAliveTimer *time.Timer // until the next comment; nil before the stream is open

	last lastDeadline

	panicked atomic.Pointer[any] // what the writer has panicked with, or nil
}

// lastDeadline is a time after which nothing is written. It is not protected by
// the stream's mutex, which a write holds for as long as its client lets it.
type lastDeadline struct {
	mu       sync.Mutex // protects the fields below
	hasBegun bool       // something has been written
	at       time.Time  // zero until it is set
}

func newStream(w http.ResponseWriter, r *http.Request, o *Options) *stream {
	return &stream{
		w: w, rc: *http.NewResponseController(w), wait: o.WriteTimeout, keepAlive: o.KeepAlive, isHTTP1: r.ProtoMajor == 1, isChunked: r.ProtoMajor == 1 && r.ProtoMinor > 0,
	}
}

func (s *stream) body(status int, msg []byte) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.recoverPanic(&err)
	if s.isOver || s.hasPanicked() {
		return http.ErrHandlerTimeout
	}
	s.isOver = true
	h, values := s.w.Header(), []string{"application/json", "no-store", strconv.Itoa(len(msg))}
	h["Content-Type"], h["Cache-Control"], h["Content-Length"] = values[0:1:1], values[1:2:2], values[2:3:3] // as Set, for less
	s.w.WriteHeader(status)
	return s.write(msg) // the handler may return later
}

// detach prepares the reply for a handler that returns later than the reply is
// complete. A client of HTTP/1 must not use the connection again.
func (s *stream) detach() {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.recoverPanic(nil)
	s.isLate = s.isHTTP1
	if s.isLate && !s.isOpen && !s.isOver {
		s.w.Header().Set("Connection", "close")
	}
}

// closeConn ends the events of a handler that keeps running, and the connection.
func (s *stream) closeConn() {
	conn, _, err := s.rc.Hijack()
	if err != nil {
		return // they end when the handler returns
	}
	if s.wait >= 0 {
		_ = conn.SetWriteDeadline(time.Now().Add(s.wait))
	}
	if s.isChunked {
		_, _ = io.WriteString(conn, "0\r\n\r\n")
	}
	_ = conn.Close()
}

// abandon closes the connection of a client that has disconnected, for a handler that keeps
// running. Nothing more is written.
func (s *stream) abandon() {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.recoverPanic(nil)
	if s.isOver || s.hasPanicked() {
		return
	}
	s.isOver = true
	if conn, _, err := s.rc.Hijack(); err == nil { // else it ends when the handler returns
		_ = conn.Close()
	}
}

// accept replies to what has no answer.
func (s *stream) accept() {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.recoverPanic(nil)
	if !s.isOver && !s.isOpen && !s.hasPanicked() {
		s.isOver = true
		s.w.WriteHeader(http.StatusAccepted)
	}
}

// emptyComment keeps a stream open. A stream begins with it, too: nginx passes on no header
// without a part of the body, and go-sdk's client waits for the header when it connects.
var emptyComment = []byte(":\n\n")

// open begins the events, if they have not begun, before there is one.
func (s *stream) open() (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.recoverPanic(&err)
	return s.openLocked(emptyComment)
}

func (s *stream) openLocked(first ...[]byte) error {
	switch {
	case s.isOver || s.hasPanicked():
		return http.ErrHandlerTimeout
	case s.isOpen:
		return nil
	}
	s.isOpen = true
	h := s.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	s.w.WriteHeader(http.StatusOK)
	if s.keepAlive > 0 {
		s.keepAliveTimer = time.AfterFunc(s.keepAlive, s.comment) // until close
	}
	return s.write(first...)
}

const (
	// noEvents is the error for a client that does not accept the only possible reply.
	noEvents = "Accept must include text/event-stream"
	// noStream is the error if only logBlocked says the cause.
	noStream = "server cannot send event streams; report this error to its operator"
)

// errBlocked is the error of a message that a blocker keeps from the client.
var errBlocked = errors.New("http.ResponseWriter of a middleware implements neither http.Flusher nor Unwrap")

// blocker returns the http.ResponseWriter that does not send at once what is written, or
// nil if each one does.
func blocker(w http.ResponseWriter) http.ResponseWriter {
	for {
		switch t := w.(type) {
		case http.Flusher, interface{ FlushError() error }:
			return nil
		case interface{ Unwrap() http.ResponseWriter }:
			w = t.Unwrap()
		default:
			return w
		}
	}
}

func (s *stream) hasBegun() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.isOpen
}

func (s *stream) event(msg []byte, last bool) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.recoverPanic(&err)
	if err := s.openLocked(); err != nil {
		return err
	}
	s.isOver = last
	const begin, end = "data: ", "\n\n" // a message has no line breaks
	if len(msg) > maxPooledFrame {      // a copy would take as much memory again
		err = s.write([]byte(begin), msg, []byte(end))
	} else {
		frame := getFrame()
		defer putFrame(frame)
		*frame = append(append(append(*frame, begin...), msg...), end...)
		err = s.write(*frame)
	}
	if last && s.isLate {
		s.closeConn()
	}
	return err
}

// comment sends a comment if nothing was sent for the time keepAlive, and schedules its next call.
func (s *stream) comment() {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.recoverPanic(nil)
	if s.isOver || s.hasPanicked() {
		return
	}
	if pause := time.Since(s.written); pause < s.keepAlive {
		s.keepAliveTimer.Reset(s.keepAlive - pause)
		return
	}
	if err := s.write(emptyComment); err != nil {
		if s.onDisconnect != nil {
			s.onDisconnect()
		}
		return
	}
	s.keepAliveTimer.Reset(s.keepAlive)
}

// write has its time for all parts, and so has each of those that follow.
func (s *stream) write(parts ...[]byte) error {
	s.written = time.Now()
	s.deadline(s.written.Add(s.wait))
	for _, part := range parts {
		if _, err := s.w.Write(part); err != nil {
			return err
		}
	}
	if err := s.rc.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) { // a body needs none
		return err
	}
	if !s.isHTTP1 { // which resets a stream at its deadline, be there a write or not
		s.deadline(noDeadline())
	}
	return nil
}

func (s *stream) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.keepAliveTimer != nil {
		s.keepAliveTimer.Stop()
	}
	defer s.recoverPanic(nil)
	isCutOff := s.isOpen && !s.isOver && s.isLate && !s.hasPanicked()
	s.isOver = true
	if isCutOff {
		s.closeConn()
	}
}

// deadline sets when a write is to end, unless it has been hurried.
func (s *stream) deadline(at time.Time) {
	s.last.mu.Lock()
	defer s.last.mu.Unlock()
	s.last.hasBegun = true
	if s.last.at.IsZero() && s.wait >= 0 {
		_ = s.rc.SetWriteDeadline(at) // not all writers have one
	}
}

// expedite limits the time of a write in progress, and of later writes, to hurried.
// The handler must not have returned.
func (s *stream) expedite() {
	s.last.mu.Lock()
	defer s.last.mu.Unlock()
	defer s.recoverPanic(nil) // this is the goroutine of another request
	if s.last.hasBegun && !s.hasPanicked() {
		s.last.at = time.Now().Add(hurried)
		_ = s.rc.SetWriteDeadline(s.last.at)
	}
}

// errPanicked is the error of a write after the application's ResponseWriter panicked.
var errPanicked = errors.New("panic in the http.ResponseWriter")

// recoverPanic stores a panic of the application's ResponseWriter,
// http.ErrAbortHandler included, for the goroutine of the request, where net/http
// expects it. On another goroutine it would end the process. It is deferred
// wherever the writer is called. Nothing is written after a panic. err may be nil.
func (s *stream) recoverPanic(err *error) {
	if v := recover(); v != nil {
		s.storePanic(v)
		if err != nil {
			*err = errPanicked
		}
	}
}

func (s *stream) storePanic(v any) {
	if s.panicked.CompareAndSwap(nil, &v) && s.onDisconnect != nil {
		s.onDisconnect()
	}
}

func (s *stream) hasPanicked() bool { return s.panicked.Load() != nil }

// repanic panics with the stored value. The goroutine of the request calls it last.
func (s *stream) repanic() {
	if v := s.panicked.Load(); v != nil {
		panic(*v)
	}
}
