package streamablehttp

import "errors"

// errPanicked is that of a write after the author's ResponseWriter has panicked.
var errPanicked = errors.New("the http.ResponseWriter has panicked")

// catch keeps what the author's ResponseWriter panics with, be it
// http.ErrAbortHandler, for the goroutine of the request, where net/http expects
// it: on another one it would end the process, and in the midst of an answer it
// would leave the server's own work half done. It is deferred wherever the
// writer is called, and nothing is written after it has caught one. err may be
// nil.
func (s *stream) catch(err *error) {
	if v := recover(); v != nil {
		s.keep(v)
		if err != nil {
			*err = errPanicked
		}
	}
}

// keep keeps the first value of a panic. There is nobody left to write to.
func (s *stream) keep(v any) {
	if s.panicked.CompareAndSwap(nil, &v) && s.lost != nil {
		s.lost()
	}
}

func (s *stream) hasPanicked() bool { return s.panicked.Load() != nil }

// rethrow panics with what has been kept. It is for the goroutine of the
// request, when all else is done.
func (s *stream) rethrow() {
	if v := s.panicked.Load(); v != nil {
		panic(*v)
	}
}
