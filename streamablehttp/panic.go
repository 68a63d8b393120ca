package streamablehttp

import "errors"

// errPanicked is the error of a write after the application's ResponseWriter
// panicked.
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

// storePanic stores the value of the first panic and reports the client as
// disconnected.
func (s *stream) storePanic(v any) {
	if s.panicked.CompareAndSwap(nil, &v) && s.onDisconnect != nil {
		s.onDisconnect()
	}
}

func (s *stream) hasPanicked() bool { return s.panicked.Load() != nil }

// repanic panics with the stored value. The goroutine of the request calls it
// last.
func (s *stream) repanic() {
	if v := s.panicked.Load(); v != nil {
		panic(*v)
	}
}
