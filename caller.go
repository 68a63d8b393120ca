package prompts

import (
	"context"
	"sync/atomic"

	"github.com/mcp-prompts/prompts/internal/revision"
)

// caller is the client that an author's function works for, as far as the
// function can talk to it. It is in the function's context.
type caller struct {
	server *Server
	rev    revision.Revision
	client clientCapabilities
	// asks says that the function may ask the client for input: only render
	// functions may.
	asks bool
	// isCached says that the function works for several clients.
	isCached bool
	// isLive says that the peer can send the client requests.
	isLive   bool
	peer     peer
	own      context.Context // of the function; ends with its request
	asking   turn            // of the function's goroutines, to ask the client
	progress reporter
	learnt   atomic.Pointer[round] // nil until there is anything
	passage  *passage              // through the middleware, or nil
	rendered string                // the name of the prompt
	hasAsked atomic.Bool

	// root is the caller that this one is a fork of, or nil.
	root *caller
}

// fork returns the caller of one more run of a prompt that is part of the same
// request: it has not learnt anything yet.
func (c *caller) fork() *caller {
	return &caller{
		server: c.server, rev: c.rev, client: c.client, isLive: c.isLive, peer: c.peer, own: c.own, passage: c.passage,
		root: c.base(),
	}
}

// round returns what the prompt has learnt from its client. Most learn nothing.
func (c *caller) round() *round {
	if r := c.learnt.Load(); r != nil {
		return r
	}
	c.learnt.CompareAndSwap(nil, new(round)) // or another goroutine has done so
	return c.learnt.Load()
}

// base returns the caller of the request, whose progress and turn to ask are
// those of all its forks.
func (c *caller) base() *caller {
	if c.root != nil {
		return c.root
	}
	return c
}

// peer is a way to a client while its request is being worked on.
type peer interface {
	// request sends requests, all at once, and returns the results that the
	// client has answered with, as JSON. Its error wraps ErrCannotAsk, or is
	// that of a context.
	request(ctx context.Context, questions []*question) ([]string, error)
	// notify sends a notification, unless the request has been answered.
	notify(method string, params []byte) error
}

// callerContext is a context of somebody else's, for a caller.
type callerContext struct {
	context.Context
	caller *caller
}

type callerKey struct{}

func (c *callerContext) Value(key any) any {
	if key == (callerKey{}) {
		return c.caller
	}
	return c.Context.Value(key)
}

// callerOf returns the client in a function's context, or nil.
func callerOf(ctx context.Context) *caller {
	c, _ := ctx.Value(callerKey{}).(*caller)
	return c
}
