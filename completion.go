package prompts

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// CompleteFunc returns values for an argument that begin with prefix, or that
// a person who has typed it may mean, the best first. args holds the text of
// the prompt's other arguments as far as the client has given them, from
// revision 2025-06-18; they have not been checked, and the map belongs to the
// function.
//
// The rules for ctx and for errors are those of [RenderFunc]. A client gets
// the first 100 of the values, and their number.
type CompleteFunc func(ctx context.Context, prefix string, args map[string]string) ([]string, error)

// maxCompletions is the protocol's limit (CMP-05).
const maxCompletions = 100

const completeFailed = "the argument could not be completed"

// complete is the method completion/complete.
func complete(c *call, dst []byte) ([]byte, work, *Error) {
	p, err := parseCompleteParams(c.message.params, c.rev)
	if err != nil {
		return nil, work{}, err
	}
	s, rev := c.server, c.rev
	d, ok := s.registry.snapshot().Get(p.prompt)
	if !ok {
		return s.unknown(p.prompt)
	}
	i := d.plan.find(p.argument)
	if i < 0 && s.options.Visible == nil {
		return nil, work{}, p.unknownArgument()
	}
	if i >= 0 && s.options.Visible == nil && d.plan.arguments[i].Complete == nil {
		return s.appendCompletion(dst, rev, d.plan.arguments[i].value.completions(p.prefix)), work{}, nil
	}
	if c.message.large {
		p.detach()
	}
	run := func(ctx context.Context, dst []byte) ([]byte, *failure) {
		if !s.isVisible(ctx, d) {
			return nil, &failure{seen: unknownPrompt(d.prompt.Name)}
		}
		if i < 0 {
			return nil, &failure{seen: p.unknownArgument()}
		}
		a := &d.plan.arguments[i]
		if a.Complete == nil {
			return s.appendCompletion(dst, rev, a.value.completions(p.prefix)), nil
		}
		others := make(map[string]string, len(p.others))
		for name, text := range p.others {
			if at := d.plan.find(name); at >= 0 && at != i {
				others[name] = text
			}
		}
		values, err := a.Complete(ctx, p.prefix, others)
		if err == nil {
			err = checkCompletions(values)
		}
		if err != nil {
			if e := renderError(d.prompt.Name, rev, err); e != nil {
				return nil, show(e, err)
			}
			return nil, hide(completeFailed, err)
		}
		return s.appendCompletion(dst, rev, values), nil
	}
	return nil, work{
		code: runFunc(run), failed: completeFailed,
		subject: slog.Group("completion", slog.String("prompt", d.prompt.Name), slog.String("argument", clip(p.argument, maxEcho))),
	}, nil
}

// completeParams are the params of completion/complete.
type completeParams struct {
	prompt, argument, prefix string
	others                   map[string]string
}

func parseCompleteParams(params strictjson.Value, rev revision.Revision) (completeParams, *Error) {
	var p completeParams
	if err := checkCase(params, "ref", "argument", "context", "_meta"); err != nil {
		return p, err
	}
	ref, argument := params.Get("ref"), params.Get("argument")
	if ref.Kind() != strictjson.Object {
		return p, invalidParam("ref", "ref is required, an object")
	}
	if err := checkCase(ref, "type", "name", "title", "uri"); err != nil {
		return p, err
	}
	switch ref.Get("type").Text() {
	case "ref/prompt":
	case "ref/resource":
		return p, invalidParam("ref", "there are no resources to complete here")
	default:
		return p, invalidParam("ref", `ref.type must be "ref/prompt"`)
	}
	if ref.Get("name").Kind() != strictjson.String {
		return p, invalidParam("ref", "ref.name is required, a string")
	}
	if argument.Kind() != strictjson.Object {
		return p, invalidParam("argument", "argument is required, an object")
	}
	if err := checkCase(argument, "name", "value"); err != nil {
		return p, err
	}
	if argument.Get("name").Kind() != strictjson.String || argument.Get("value").Kind() != strictjson.String {
		return p, invalidParam("argument", "argument.name and argument.value are required, strings")
	}
	p.prompt, p.argument, p.prefix = ref.Get("name").Text(), argument.Get("name").Text(), argument.Get("value").Text()
	if !rev.Context() {
		return p, nil
	}
	others := params.Get("context")
	switch others.Kind() {
	case strictjson.Invalid, strictjson.Null:
		return p, nil
	case strictjson.Object:
	default:
		return p, invalidParam("context", "context must be an object")
	}
	if err := checkCase(others, "arguments"); err != nil {
		return p, err
	}
	switch v := others.Get("arguments"); v.Kind() {
	case strictjson.Invalid, strictjson.Null:
	case strictjson.Object:
		p.others = map[string]string{}
		for name, text := range v.Members() {
			if text.Kind() != strictjson.String {
				return p, invalidParam("context", "context.arguments: %q must be a string", clip(name, maxEcho))
			}
			p.others[name] = text.Text()
		}
	default:
		return p, invalidParam("context", "context.arguments must be an object of strings")
	}
	return p, nil
}

// detach makes the texts that an author gets no part of the message.
func (p *completeParams) detach() {
	p.prefix = strings.Clone(p.prefix)
	for name, text := range p.others {
		p.others[name] = strings.Clone(text)
	}
}

func (p *completeParams) unknownArgument() *Error {
	return argumentsError(p.prompt, []problem{{Argument: clip(p.argument, maxEcho), Reason: reasonUnknown, Message: "is not an argument of this prompt"}})
}

func checkCompletions(values []string) error {
	for i, v := range values[:min(len(values), maxCompletions)] {
		if !utf8.ValidString(v) {
			return fmt.Errorf("value %d is not valid UTF-8", i)
		}
	}
	return nil
}

// completions returns the values that begin with the prefix, in any case, if
// the value is one of several by its type or schema.
func (v *value) completions(prefix string) []string {
	var all, some []string
	switch {
	case v.rules.texts != nil:
		all = v.rules.texts
	case v.rules.enum != nil:
		all = v.rules.enumTexts()
	case v.kind == kindBool:
		all = []string{"true", "false"}
	}
	for _, text := range all {
		if len(text) >= len(prefix) && strings.EqualFold(text[:len(prefix)], prefix) {
			some = append(some, text)
		}
	}
	return some
}

// appendCompletion appends the result of completion/complete.
func (s *Server) appendCompletion(dst []byte, rev revision.Revision, values []string) []byte {
	dst = append(dst, '{')
	if rev.Stateless() {
		dst = append(dst, `"resultType":"complete",`...)
	}
	dst = append(dst, `"completion":{"values":[`...)
	for i, v := range values[:min(len(values), maxCompletions)] {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strictjson.AppendString(dst, v)
	}
	dst = append(dst, `],"total":`...)
	dst = strconv.AppendInt(dst, int64(len(values)), 10)
	dst = append(dst, `,"hasMore":`...)
	dst = strconv.AppendBool(dst, len(values) > maxCompletions)
	dst = append(dst, '}')
	if rev.Stateless() {
		dst = append(dst, `,"_meta":{`...)
		dst = append(dst, s.serverInfo...)
		dst = append(dst, '}')
	}
	return append(dst, '}')
}
