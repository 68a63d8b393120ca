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
	rates  *rates // nil for no limit
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
	from    string         // see Exchange.Client
	info    Implementation // of the client, outside of a session
	// isDeferred says that nothing is to be answered before an author's code has
	// said who the client is.
	isDeferred bool
	message    message
}

func ping(_ *call, dst []byte) ([]byte, work, *Error) { return append(dst, "{}"...), work{}, nil }

// The methods that go through the middleware.
const (
	methodList     = "prompts/list"
	methodGet      = "prompts/get"
	methodComplete = "completion/complete"
)

const methodListen = "subscriptions/listen"

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
	if err := c.session.initialize(rev, readCapabilities(rev, capabilities), readClientInfo(p.Get("clientInfo"))); err != nil {
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
	s := c.server
	if s.handler != nil {
		return nil, c.passage(&passage{request: &Request{Cursor: p.cursor}}, listFailed), nil
	}
	after, err := p.after()
	if err != nil {
		return nil, work{}, err
	}
	l := listing{server: s, rev: c.rev, after: after}
	if s.options.Visible == nil {
		dst, _ = l.run(context.Background(), dst) // it has no use for one
		return dst, work{}, nil
	}
	code := l
	return nil, work{code: &code, failed: listFailed}, nil
}

const listFailed = "the prompts could not be listed"

// listing is one request for a list of prompts.
type listing struct {
	server *Server
	rev    revision.Revision
	after  string
}

// run appends the result of the request. The context is only for the filter.
func (l *listing) run(ctx context.Context, dst []byte) ([]byte, *failure) {
	dst, f := l.appendPage(ctx, append(dst, '{'))
	if f != nil {
		return nil, f
	}
	if l.rev.Stateless() {
		dst = append(dst, l.server.cacheable...)
	}
	return append(dst, '}'), nil
}

func (l *listing) subject() slog.Attr { return slog.String("method", methodList) }

// appendPage appends the members of the result that are the page.
func (l *listing) appendPage(ctx context.Context, dst []byte) ([]byte, *failure) {
	s := l.server
	var visible func(*definition) bool
	if s.options.Visible != nil {
		visible = func(d *definition) bool { return ctx.Err() == nil && s.isVisible(ctx, d) }
	}
	dst = appendPage(dst, s.registry, l.rev.Shape(), l.after, s.options.PageSize, visible)
	if visible != nil && ctx.Err() != nil {
		return nil, hide(listFailed, context.Cause(ctx)) // and not half a list
	}
	return dst, nil
}

// unknown answers a request for a prompt that there is not. Where some are
// hidden it takes the way that a request for one of these takes, which has the
// same answer: with a turn to wait for.
func (s *Server) unknown(name string) ([]byte, work, *Error) {
	err := unknownPrompt(strings.Clone(clip(name, maxEcho)))
	if s.options.Visible == nil {
		return nil, work{}, err
	}
	return nil, work{code: refusalOf(slog.String("prompt", "unknown"), err), failed: renderFailed}, nil
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
