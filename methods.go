package prompts

import (
	"context"
	"encoding/json"
	"errors"
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
		rev = revision.Newest() // the client decides whether it can (LIF-06, GAP-03)
	}
	if err := c.session.initialize(rev, readCapabilities(rev, capabilities)); err != nil {
		return nil, work{}, err
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
	return nil, work{code: runFunc(run), subject: slog.String("method", c.message.method), failed: listFailed}, nil
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

func getPrompt(c *call, _ []byte) ([]byte, work, *Error) {
	p := c.message.params
	if p.Kind() != strictjson.Object {
		return nil, work{}, invalidParams("params are required, an object")
	}
	if err := checkCase(p, "name", "arguments", "_meta", "inputResponses", "requestState"); err != nil {
		return nil, work{}, err
	}
	name := p.Get("name")
	if name.Kind() != strictjson.String {
		return nil, work{}, invalidParam("name", "name is required, a string")
	}
	args := p.Get("arguments")
	switch args.Kind() {
	case strictjson.Invalid, strictjson.Null, strictjson.Object:
	default:
		return nil, work{}, invalidParam("arguments", "arguments must be an object of strings")
	}
	s := c.server
	g := &rendering{server: s, rev: c.rev}
	if c.rev.Stateless() {
		var err *Error
		if g.responses, g.state, err = retryParams(p); err != nil {
			return nil, work{}, err
		}
	}
	d, ok := s.registry.snapshot().Get(name.Text())
	if !ok {
		return s.unknown(name.Text())
	}
	g.definition = d
	g.texts, g.undeclared = d.plan.collect(args, s.options.StrictArguments, c.message.large)
	return nil, work{
		code: g, subject: slog.String("prompt", d.prompt.Name),
		failed: renderFailed,
	}, nil
}

// maxResponses is the size of the largest inputResponses, in bytes.
const maxResponses = 256 << 10

// retryParams returns what a request brings that answers an input_required.
func retryParams(p strictjson.Value) (responses, state string, err *Error) {
	switch v := p.Get("inputResponses"); v.Kind() {
	case strictjson.Invalid, strictjson.Null:
	case strictjson.Object:
		if responses = v.Raw(); len(responses) > maxResponses {
			return "", "", invalidParam("inputResponses", "inputResponses must not have more than %d bytes", maxResponses)
		}
	default:
		return "", "", invalidParam("inputResponses", "inputResponses must be an object")
	}
	switch v := p.Get("requestState"); v.Kind() {
	case strictjson.Invalid, strictjson.Null:
	case strictjson.String:
		if state = v.Text(); state == "" {
			return "", "", errState
		}
	default:
		return "", "", invalidParam("requestState", "requestState must be a string")
	}
	return responses, state, nil
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

// eraOf returns where there is a method of the protocol's that is an author's to
// serve (DSC-14).
func eraOf(name string) era {
	switch name {
	case "logging/setLevel", "resources/subscribe", "resources/unsubscribe":
		return handshakeOnly
	}
	return bothEras
}

// rawMethod makes a row of the table of a Method.
func rawMethod(name string, f Method) *method {
	const failed = "the request failed"
	return &method{era: eraOf(name), serve: func(c *call, _ []byte) ([]byte, work, *Error) {
		var params json.RawMessage
		if p := c.message.params; p.Kind() == strictjson.Object {
			params = json.RawMessage(p.Raw())
		}
		s, rev := c.server, c.rev
		run := func(ctx context.Context, dst []byte) ([]byte, *failure) {
			result, err := f(ctx, params)
			if err != nil {
				if e := visibleError(err); e != nil {
					return nil, show(e.in(rev), err)
				}
				return nil, hide(failed, err)
			}
			at := len(dst)
			dst, err = appendJSON(dst, result)
			if err == nil && dst[at] != '{' {
				err = errors.New("its result is not a JSON object")
			}
			if err != nil {
				return nil, hide(failed, err)
			}
			if rev.Stateless() {
				if dst, err = s.appendComplete(dst[:at], string(dst[at:])); err != nil {
					return nil, hide(failed, err)
				}
			}
			return dst, nil
		}
		return nil, work{code: runFunc(run), subject: slog.String("method", c.message.method), failed: failed}, nil
	}}
}

// appendComplete appends the result of a Method, which is a JSON object, with
// what every result of the stateless era has: a resultType, and the server's
// identity in _meta. What the author has set is left as it is.
func (s *Server) appendComplete(dst []byte, result string) ([]byte, error) {
	var doc strictjson.Doc
	_ = doc.Parse(result, maxDepth) // it has been checked
	root := doc.Root()
	kind, meta := root.Get("resultType"), root.Get("_meta")
	switch {
	case kind.Kind() > strictjson.Null && kind.Text() == "":
		return nil, errors.New("its resultType is not a string that says something")
	case meta.Kind() > strictjson.Null && meta.Kind() != strictjson.Object:
		return nil, errors.New("its _meta is not a JSON object")
	}
	dst = append(dst, '{')
	if kind.Kind() <= strictjson.Null {
		dst = append(dst, `"resultType":"complete",`...)
	}
	for name, v := range root.Members() {
		if name == "_meta" || name == "resultType" && v.Kind() == strictjson.Null {
			continue
		}
		dst = strictjson.AppendString(dst, name)
		dst = append(dst, ':')
		dst = append(dst, v.Raw()...)
		dst = append(dst, ',')
	}
	dst = append(dst, `"_meta":{`...)
	if meta.Get(serverInfoKey).Kind() == strictjson.Invalid {
		dst = append(dst, s.serverInfo...)
	}
	for name, v := range meta.Members() {
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = strictjson.AppendString(dst, name)
		dst = append(dst, ':')
		dst = append(dst, v.Raw()...)
	}
	return append(dst, "}}"...), nil
}
