package prompts

import (
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/transport"
)

// What the tests of package prompts_test need and users do not.

var (
	ErrCancelled     = rpc.ErrCanceled
	ErrNoReturn      = rpc.ErrNoReturn
	ErrSessionClosed = rpc.ErrSessionClosed
	ErrTimeLimit     = rpc.ErrTimeout
)

// Tasks is the number of requests that have entered the server or the session,
// and Slots the number of those that run.
func (s *Server) Tasks() int { return s.rpc.InUse()["tasks"] }
func (s *Server) Slots() int { return s.rpc.InUse()["slots"] }
func (s peeked) Tasks() int  { return s.InUse()["tasks"] }
func (s peeked) Slots() int  { return s.InUse()["slots"] }

type peeked struct{ *rpc.Session }

func Peek(s transport.Session) peeked { return peeked{s.(*rpc.Session)} }

func (r *Registry) Subscribers() int { return r.subscribers.Len() }

// Leftovers is what the server has of its connections, and the session of its
// requests. Once those have ended it is empty.
func (s *Server) Leftovers() map[string]int {
	left := s.rpc.InUse()
	delete(left, "listeners") // sessions, which the subscribers stand for
	if n := s.registry.Subscribers(); n > 0 {
		left["subscribers"] = n
	}
	return left
}

func (s peeked) Leftovers() map[string]int {
	left := s.InUse()
	delete(left, "tasks")
	delete(left, "slots")
	return left
}

// Filled is the server's options with the defaults.
func (s *Server) Filled() Options { return s.options }

// EncodeResult returns a result in the form of a revision, and its errors.
func EncodeResult(rev revision.Revision, r *Result) (string, []error) {
	e := encoder{rev: rev, isResult: true}
	e.result(r)
	return string(e.buf), e.errs
}
