package prompts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

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
	message message
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
	// The conversion of a value may be an author's code too.
	texts, problems := d.plan.collect(args, c.server.options.StrictArguments, c.message.large)
	rev := c.rev
	const failed = "the prompt could not be rendered"
	run := func(ctx context.Context, dst []byte) ([]byte, *failure) {
		render, more := d.bind(texts)
		if problems := append(more, problems...); len(problems) > 0 {
			return nil, &failure{seen: argumentsError(d.prompt.Name, problems)}
		}
		result, err := render(ctx)
		if err == nil {
			return d.appendResult(dst, rev, result)
		}
		if e := renderError(d.prompt.Name, err); e != nil {
			return nil, show(e, err)
		}
		return nil, hide(failed, err)
	}
	return work{run: run, subject: slog.String("prompt", d.prompt.Name), failed: failed}, nil
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

// appendResult appends the result of a prompt, checked, in the form of a
// revision.
func (d *definition) appendResult(dst []byte, rev revision.Revision, r *Result) ([]byte, *failure) {
	e := encoder{buf: dst, rev: rev}
	e.result(r)
	if len(e.faults) > 0 {
		return nil, hide("the prompt's content is not valid", errors.Join(e.faults...))
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
		run := func(ctx context.Context, dst []byte) ([]byte, *failure) {
			result, err := f(ctx, params)
			if err != nil {
				if e := visibleError(err); e != nil {
					return nil, show(e, err)
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
			return dst, nil
		}
		return work{run: run, subject: slog.String("method", c.message.method), failed: failed}, nil
	}}
}
