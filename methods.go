package prompts

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// method is one row of the method table.
type method struct {
	// serve checks the params and appends the result to dst; or it returns
	// the work that makes the result of an author's code, and a nil result.
	serve func(c *call, dst []byte) ([]byte, work, *Error)
	era   era
	// fresh methods are answered before a session is initialized.
	fresh bool
	// shared methods are answered by Call.
	shared bool
}

// era says in which of the protocol's two eras there is a method.
type era uint8

const (
	bothEras era = iota
	handshakeOnly
	statelessOnly
)

// call is one request on its way to its method.
type call struct {
	server  *Server
	session *Session // nil outside of one
	rev     revision.Revision
	client  clientCapabilities
	message message
}

func ping(_ *call, dst []byte) ([]byte, work, *Error) { return append(dst, "{}"...), work{}, nil }

func initialize(c *call, dst []byte) ([]byte, work, *Error) {
	p := c.message.params
	if err := checkCase(p, "protocolVersion", "capabilities", "clientInfo", "_meta"); err != nil {
		return nil, work{}, err
	}
	version := p.Get("protocolVersion")
	if version.Kind() != strictjson.String {
		return nil, work{}, invalidParam("protocolVersion", "protocolVersion is required, a string")
	}
	capabilities := p.Get("capabilities")
	if capabilities.Kind() != strictjson.Object {
		return nil, work{}, invalidParam("capabilities", "capabilities are required, an object")
	}
	if !isImplementation(p.Get("clientInfo")) {
		return nil, work{}, invalidParam("clientInfo", "clientInfo is required, an object with name and version")
	}
	rev, ok := revision.Parse(version.Text())
	if !ok || rev.Stateless() {
		rev = revision.NewestHandshake() // the client decides whether it can (LIF-06, GAP-03)
	}
	if err := c.session.initialize(rev, readCapabilities(rev, capabilities)); err != nil {
		return nil, work{}, err
	}
	if c.session.isDetached {
		return append(dst, c.server.detached[rev]...), work{}, nil
	}
	return append(dst, c.server.initialized[rev]...), work{}, nil
}

func discover(c *call, dst []byte) ([]byte, work, *Error) {
	return append(dst, c.server.discovered...), work{}, nil
}

func listPrompts(c *call, dst []byte) ([]byte, work, *Error) {
	p, err := parseListParams(c.message.params)
	if err != nil {
		return nil, work{}, err
	}
	s, rev := c.server, c.rev
	if s.options.Visible == nil {
		return s.appendList(dst, rev, p.after, nil), work{}, nil
	}
	run := func(ctx context.Context, dst []byte) ([]byte, *failure) {
		dst = s.appendList(dst, rev, p.after, func(d *definition) bool {
			return ctx.Err() == nil && s.isVisible(ctx, d)
		})
		if ctx.Err() != nil {
			return nil, hide(listFailed, context.Cause(ctx)) // and not half a list
		}
		return dst, nil
	}
	return nil, work{code: runFunc(run), subject: slog.String("method", "prompts/list"), failed: listFailed}, nil
}

const listFailed = "the prompts could not be listed"

// appendList appends the result of prompts/list.
func (s *Server) appendList(dst []byte, rev revision.Revision, after string, visible func(*definition) bool) []byte {
	dst = append(dst, '{')
	dst = appendPage(dst, s.registry, rev.Shape(), after, s.options.PageSize, visible)
	if rev.Stateless() {
		dst = append(dst, s.cacheable...)
	}
	return append(dst, '}')
}

// unknown answers a request for a prompt that there is not. Where some are
// hidden it takes the way that a request for one of these takes, which has the
// same answer: with a turn to wait for.
func (s *Server) unknown(name string) ([]byte, work, *Error) {
	err := unknownPrompt(strings.Clone(clip(name, maxEcho)))
	if s.options.Visible == nil {
		return nil, work{}, err
	}
	refuse := func(context.Context, []byte) ([]byte, *failure) { return nil, &failure{seen: err} }
	return nil, work{code: runFunc(refuse), subject: slog.String("prompt", "unknown"), failed: renderFailed}, nil
}

// isVisible reports whether the client in ctx may know of the prompt. It runs
// an author's code.
func (s *Server) isVisible(ctx context.Context, d *definition) bool {
	return s.options.Visible == nil || s.options.Visible(ctx, d.shown())
}

func unknownPrompt(name string) *Error {
	return &Error{
		Code:    CodeInvalidParams,
		Message: fmt.Sprintf("there is no prompt %q", clip(name, 64)),
		Data: struct {
			Prompt string `json:"prompt"`
		}{clip(name, maxEcho)},
	}
}
