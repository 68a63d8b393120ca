package prompts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// method is one row of the method table.
type method struct {
	// quick appends the result at once: it runs no code of an author.
	quick func(c *call, dst []byte) ([]byte, *Error)
	// slow checks the params and returns the work that makes the result.
	slow func(c *call) (work, *Error)
	// fresh methods are answered before a session is initialized.
	fresh bool
	// shared methods are answered by Call.
	shared bool
}

// call is one request on its way to its method.
type call struct {
	server  *Server
	session *Session // nil outside of one
	rev     revision.Revision
	message *message
}

// work is an author's code with its arguments, and what makes a result of it.
type work struct {
	run     func(ctx context.Context, dst []byte) ([]byte, error)
	subject slog.Attr // what it is, for the log
}

// hidden is a failure that the client does not get to see.
type hidden struct {
	message string // what it gets to see instead
	err     error
	stack   []byte // of a panic
}

func (h *hidden) Error() string { return h.message + ": " + h.err.Error() }

func (h *hidden) Unwrap() error { return h.err }

// explain returns what the client gets for a failure of the work, and tells
// the author the rest.
func (s *Server) explain(ctx context.Context, w work, failure error) *Error {
	var h *hidden
	if errors.As(failure, &h) {
		attrs := []slog.Attr{w.subject, slog.Any("error", h.err)}
		if h.stack != nil {
			attrs = append(attrs, slog.String("stack", string(h.stack)))
		}
		s.options.Logger.LogAttrs(ctx, slog.LevelError, h.message, attrs...)
		return internalError(h.message)
	}
	var e *Error
	if !errors.As(failure, &e) {
		panic("prompts: a failure is neither hidden nor to be seen")
	}
	return e
}

// protect runs an author's function and turns a panic into a hidden failure.
func protect[T any](message string, f func() (T, error)) (result T, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &hidden{message: message, err: fmt.Errorf("panic: %v", v), stack: debug.Stack()}
		}
	}()
	return f()
}

func ping(_ *call, dst []byte) ([]byte, *Error) { return append(dst, "{}"...), nil }

func initialize(c *call, dst []byte) ([]byte, *Error) {
	p := c.message.params
	if err := checkCase(p, "protocolVersion", "capabilities", "clientInfo", "_meta"); err != nil {
		return nil, err
	}
	version := p.Get("protocolVersion")
	if version.Kind() != strictjson.String {
		return nil, invalidParam("protocolVersion", "protocolVersion is required, a string")
	}
	if p.Get("capabilities").Kind() != strictjson.Object {
		return nil, invalidParam("capabilities", "capabilities are required, an object")
	}
	info := p.Get("clientInfo")
	if info.Get("name").Kind() != strictjson.String || info.Get("version").Kind() != strictjson.String {
		return nil, invalidParam("clientInfo", "clientInfo is required, an object with name and version")
	}
	rev, ok := revision.Parse(version.Text())
	if !ok || !rev.Served() || rev.Stateless() {
		rev = revision.Newest() // the client decides whether it can (LIF-06)
	}
	if err := c.session.initialize(rev); err != nil {
		return nil, err
	}
	return append(dst, c.server.initialized[rev]...), nil
}

func listPrompts(c *call, dst []byte) ([]byte, *Error) {
	p, err := parseListParams(c.message.params)
	if err != nil {
		return nil, err
	}
	dst = append(dst, '{')
	dst = appendPage(dst, c.server.registry, c.rev.Shape(), p.after, c.server.options.PageSize)
	return append(dst, '}'), nil
}

func getPrompt(c *call) (work, *Error) {
	p := c.message.params
	if p.Kind() != strictjson.Object {
		return work{}, invalidParams("params are required, an object")
	}
	if err := checkCase(p, "name", "arguments", "_meta"); err != nil {
		return work{}, err
	}
	name := p.Get("name")
	if name.Kind() != strictjson.String {
		return work{}, invalidParam("name", "name is required, a string")
	}
	args := p.Get("arguments")
	switch args.Kind() {
	case strictjson.Invalid, strictjson.Null, strictjson.Object:
	default:
		return work{}, invalidParam("arguments", "arguments must be an object of strings")
	}
	d, ok := c.server.registry.snapshot().Get(name.Text())
	if !ok {
		return work{}, unknownPrompt(name.Text())
	}
	render, err := c.server.bindArguments(d, args)
	if err != nil {
		return work{}, err
	}
	rev := c.rev
	return work{
		subject: slog.String("prompt", d.prompt.Name),
		run: func(ctx context.Context, dst []byte) ([]byte, error) {
			return d.render(ctx, render, rev, dst)
		},
	}, nil
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

// bindArguments fills in the arguments of a call. The conversion of a value
// may be an author's code too.
func (s *Server) bindArguments(d *definition, args strictjson.Value) (bound, *Error) {
	var few [linear]given
	texts, problems := d.plan.collect(few[:0], args, s.options.StrictArguments)
	render, err := protect("the arguments could not be read", func() (bound, error) {
		render, more := d.bind(texts)
		problems = append(more, problems...)
		return render, nil
	})
	if err != nil {
		return nil, s.explain(context.Background(), work{subject: slog.String("prompt", d.prompt.Name)}, err)
	}
	if len(problems) > 0 {
		return nil, argumentsError(d.prompt.Name, problems)
	}
	return render, nil
}

// render appends the result of a prompt, checked, in the form of a revision.
func (d *definition) render(ctx context.Context, f bound, rev revision.Revision, dst []byte) ([]byte, error) {
	const failed = "the prompt could not be rendered"
	result, err := protect(failed, func() (*Result, error) { return f(ctx) })
	var h *hidden
	switch {
	case errors.As(err, &h):
		return nil, err
	case err != nil:
		e, visible := renderError(d.prompt.Name, err)
		if !visible {
			return nil, &hidden{message: failed, err: err}
		}
		return nil, e
	}
	e := encoder{buf: dst, rev: rev}
	e.result(result)
	if len(e.faults) > 0 {
		return nil, &hidden{message: "the prompt's content is not valid", err: errors.Join(e.faults...)}
	}
	return e.buf, nil
}

// rawMethod makes a row of the table of a Method.
func rawMethod(f Method) *method {
	const failed = "the request failed"
	return &method{slow: func(c *call) (work, *Error) {
		var params json.RawMessage
		if p := c.message.params; p.Kind() == strictjson.Object {
			params = json.RawMessage(p.Raw())
		}
		run := func(ctx context.Context, dst []byte) ([]byte, error) {
			result, err := protect(failed, func() (any, error) { return f(ctx, params) })
			var e *Error
			var h *hidden
			switch {
			case errors.As(err, &h):
				return nil, err
			case errors.As(err, &e):
				return nil, e
			case err != nil:
				return nil, &hidden{message: failed, err: err}
			}
			at := len(dst)
			dst, err = appendJSON(dst, result)
			if err == nil && dst[at] != '{' {
				err = errors.New("its result is not a JSON object")
			}
			if err != nil {
				return nil, &hidden{message: failed, err: err}
			}
			return dst, nil
		}
		return work{run: run, subject: slog.String("method", c.message.method)}, nil
	}}
}
