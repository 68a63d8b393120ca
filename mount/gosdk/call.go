package gosdk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-prompts/prompts"
)

type requestKey struct{}

// Request returns the SDK's request that a function of the author's works for,
// and reports whether there is one: ctx is that of a render function or of any
// other function that the options or the prompts have, or comes from it. Under a
// [Mount] it is a *mcp.GetPromptRequest, a *mcp.CompleteRequest or a
// *mcp.ListPromptsRequest. It leads to the session, by GetSession, and to the
// bearer token and the HTTP header, by GetExtra.
func Request(ctx context.Context) (mcp.Request, bool) {
	r, ok := ctx.Value(requestKey{}).(mcp.Request)
	return r, ok
}

// errTooLong is why the context of a request has ended that took too long.
var errTooLong = fmt.Errorf("the time limit has passed: %w", context.DeadlineExceeded)

// outcome is what a call has come to.
type outcome struct {
	result json.RawMessage
	err    error
}

// call has the library's server answer a request. Its error is one of the
// SDK's, which the client is to get.
func (m *mount) call(ctx context.Context, method string, r request) (json.RawMessage, error) {
	ctx, cancel := context.WithCancelCause(context.WithValue(ctx, requestKey{}, r.sdk))
	defer cancel(nil)
	c := newClock(m.limit, func() { cancel(errTooLong) })
	defer c.stop()
	p := &peer{ctx: ctx, session: r.session, clock: c}
	defer p.leave()
	options := prompts.CallOptions{Version: r.version, ClientCapabilities: r.capabilities, Client: r.client, Notify: p.notify}
	if r.version < stateless && r.session != nil {
		options.Request = p.request
	}

	done := make(chan outcome, 1)
	// The goroutine ends with the author's code, whose context ends now at the
	// latest. The client is not to wait for code that goes on.
	go func() {
		o := outcome{err: errors.New("the goroutine has ended without a result")} // unless it comes to its end
		defer func() {
			if v := recover(); v != nil {
				o = outcome{err: fmt.Errorf("panic: %v\n%s", v, debug.Stack())}
			}
			done <- o
		}()
		o.result, o.err = m.server.Call(ctx, method, r.params, options)
	}()
	var o outcome
	select {
	case o = <-done:
	case <-ctx.Done():
		o.err = context.Cause(ctx)
	}
	if o.err == nil {
		return o.result, nil
	}
	return nil, m.failure(ctx, method, o.err)
}

// failure returns what the client gets to see of an error.
func (m *mount) failure(ctx context.Context, method string, err error) error {
	var e *prompts.Error
	switch {
	case errors.As(err, &e):
		return wireError(e)
	case errors.Is(err, errTooLong):
		m.logger.LogAttrs(ctx, slog.LevelError, "the request took too long", slog.String("method", method))
		return internalError("the request took too long")
	case ctx.Err() != nil:
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the request was cancelled"} // which nobody reads
	}
	m.logger.LogAttrs(ctx, slog.LevelError, "the request failed", slog.String("method", method), slog.Any("error", err))
	return internalError("the request failed")
}
