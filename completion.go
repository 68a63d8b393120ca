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
// a person who has typed it may mean, the best first. [Suggest], [SuggestFunc]
// and [SuggestCached] make one of a list of candidates. args holds the text of
// the prompt's other arguments as far as the client has given them, from
// revision 2025-06-18; they have not been checked, and the map belongs to the
// function.
//
// Of a list that is separated by commas the last element is completed: prefix
// is what has been typed of it, and the values are elements. The client gets
// each with the list before it, but for those that are in the list already, and
// those that cannot stand between commas. For a list that is written as JSON
// the function is not called.
//
// The rules for ctx and for errors are those of [RenderFunc]. A client gets
// the first 100 of the values, and their number. A value that is empty or that
// was there before is left out, and not counted.
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
	s := c.server
	if len(p.prefix) > s.options.MaxArgumentBytes {
		return nil, work{}, s.tooLong("argument", p.argument)
	}
	if err := s.checkSizes("context", c.message.params.Get("context").Get("arguments")); err != nil {
		return nil, work{}, err
	}
	if s.handler != nil {
		r := &Request{Prompt: p.prompt, Argument: p.argument, Prefix: p.prefix, Arguments: map[string]string{}}
		for name, text := range p.others {
			r.Arguments[strings.Clone(name)] = strings.Clone(text)
		}
		w := c.passage(&passage{request: r}, completeFailed)
		w.limit = s.options.CompleteTimeout
		return nil, w, nil
	}
	d, ok := s.registry.snapshot().Get(p.prompt)
	if !ok {
		return s.unknown(p.prompt)
	}
	g := &completion{server: s, rev: c.rev, definition: d, completeParams: p, position: d.plan.find(p.argument)}
	if s.options.Visible == nil && !c.isDeferred && g.needsNoAuthor() {
		values, total, err := g.own()
		if err != nil {
			return nil, work{}, err
		}
		return s.appendCompletion(dst, c.rev, values, total), work{}, nil
	}
	if c.message.large {
		g.detach()
	}
	return nil, work{code: g, failed: completeFailed, limit: s.options.CompleteTimeout}, nil
}

// completion is one request for completion, checked as far as that needs no
// author's code.
type completion struct {
	server     *Server
	rev        revision.Revision
	definition *definition
	completeParams
	position int // of the argument, -1 if the prompt has none of that name
}

func (g *completion) subject() slog.Attr {
	return slog.Group("completion", slog.String("prompt", g.definition.prompt.Name), slog.String("argument", clip(g.argument, maxEcho)))
}

// needsNoAuthor reports whether own can answer.
func (g *completion) needsNoAuthor() bool {
	return g.position < 0 || g.definition.plan.arguments[g.position].Complete == nil
}

// own returns the values of an argument that completes by itself, and how many
// there are.
func (g *completion) own() ([]string, int, *Error) {
	if g.position < 0 {
		return nil, 0, argumentsError(g.prompt, []problem{g.definition.plan.undeclared(g.argument)})
	}
	values, total := g.definition.plan.arguments[g.position].value.completions(g.prefix)
	return values, total, nil
}

// run is the work of a request that needs an author's code.
func (g *completion) run(ctx context.Context, dst []byte) ([]byte, *failure) {
	values, total, f := g.values(ctx)
	if f != nil {
		return nil, f
	}
	return g.server.appendCompletion(dst, g.rev, values, total), nil
}

// values returns the values of the argument, and how many there are.
func (g *completion) values(ctx context.Context) ([]string, int, *failure) {
	if !g.server.isVisible(ctx, g.definition) {
		return nil, 0, &failure{seen: unknownPrompt(g.definition.prompt.Name)}
	}
	if g.needsNoAuthor() {
		values, total, err := g.own()
		if err != nil {
			return nil, 0, &failure{seen: err}
		}
		return values, total, nil
	}
	plan := g.definition.plan
	others := make(map[string]string, len(g.others))
	for name, text := range g.others {
		if i := plan.find(name); i >= 0 && i != g.position {
			others[plan.arguments[i].Name] = text
		}
	}
	values, total, err := plan.arguments[g.position].completions(ctx, g.prefix, others)
	if err == nil {
		return values, total, nil
	}
	if e := renderError(g.definition.prompt.Name, err); e != nil {
		return nil, 0, show(e, err)
	}
	return nil, 0, hide(completeFailed, err)
}

// completions returns what the author's function completes the argument to.
func (a *argument) completions(ctx context.Context, typed string, others map[string]string) (values []string, total int, err error) {
	if a.value.kind != kindList || !a.value.elem.splits() {
		values, err = a.call(ctx, typed, others)
		return values, len(values), err
	}
	l, ok := openListOf(typed)
	if !ok {
		return nil, 0, nil
	}
	if values, err = a.call(ctx, l.typed, others); err != nil {
		return nil, 0, err
	}
	values, total = l.close(values)
	return values, total, checkCompletions(values) // others may have come among the first
}

// call calls the author's function, and checks what it returns. An empty value
// would clear what was typed, and the same one twice is no choice.
func (a *argument) call(ctx context.Context, typed string, others map[string]string) ([]string, error) {
	values, err := a.Complete(ctx, typed, others)
	if err != nil {
		return nil, err
	}
	values = distinct(values)
	return values, checkCompletions(values)
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
	if err := p.parseRef(params.Get("ref")); err != nil {
		return p, err
	}
	argument := params.Get("argument")
	if argument.Kind() != strictjson.Object {
		return p, invalidParam("argument", "argument is required, an object")
	}
	if err := checkCase(argument, "name", "value"); err != nil {
		return p, err.about("argument")
	}
	if argument.Get("name").Kind() != strictjson.String || argument.Get("value").Kind() != strictjson.String {
		return p, invalidParam("argument", "argument.name and argument.value are required, strings")
	}
	p.argument, p.prefix = argument.Get("name").Text(), argument.Get("value").Text()
	if !rev.Context() {
		return p, nil
	}
	return p, p.parseContext(params.Get("context"))
}

func (p *completeParams) parseRef(ref strictjson.Value) *Error {
	if ref.Kind() != strictjson.Object {
		return invalidParam("ref", "ref is required, an object")
	}
	if err := checkCase(ref, "type", "name", "title", "uri"); err != nil {
		return err.about("ref")
	}
	switch ref.Get("type").Text() {
	case "ref/prompt":
	case "ref/resource":
		return invalidParam("ref", "there are no resources to complete here")
	default:
		return invalidParam("ref", `ref.type must be "ref/prompt"`)
	}
	if ref.Get("name").Kind() != strictjson.String {
		return invalidParam("ref", "ref.name is required, a string")
	}
	p.prompt = ref.Get("name").Text()
	return nil
}

func (p *completeParams) parseContext(c strictjson.Value) *Error {
	switch c.Kind() {
	case strictjson.Invalid, strictjson.Null:
		return nil
	case strictjson.Object:
	default:
		return invalidParam("context", "context must be an object")
	}
	if err := checkCase(c, "arguments"); err != nil {
		return err.about("context")
	}
	switch v := c.Get("arguments"); v.Kind() {
	case strictjson.Invalid, strictjson.Null:
	case strictjson.Object:
		p.others = map[string]string{}
		for name, text := range v.Members() {
			if text.Kind() != strictjson.String {
				return invalidParam("context", "context.arguments: %q must be a string", clip(name, maxEcho))
			}
			p.others[name] = text.Text()
		}
	default:
		return invalidParam("context", "context.arguments must be an object of strings")
	}
	return nil
}

// detach makes the texts that an author gets no part of the message.
func (p *completeParams) detach() {
	p.prefix = strings.Clone(p.prefix)
	for name, text := range p.others {
		p.others[name] = strings.Clone(text)
	}
}

func checkCompletions(values []string) error {
	for i, v := range values[:min(len(values), maxCompletions)] {
		if !utf8.ValidString(v) {
			return fmt.Errorf("value %d is not valid UTF-8", i)
		}
	}
	return nil
}

// appendCompletion appends the result of completion/complete: the first of a
// total of values.
func (s *Server) appendCompletion(dst []byte, rev revision.Revision, values []string, total int) []byte {
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
	dst = strconv.AppendInt(dst, int64(total), 10)
	dst = append(dst, `,"hasMore":`...)
	dst = strconv.AppendBool(dst, total > min(len(values), maxCompletions))
	dst = append(dst, '}')
	if rev.Stateless() {
		dst = append(dst, `,"_meta":{`...)
		dst = append(dst, s.serverInfo...)
		dst = append(dst, '}')
	}
	return append(dst, '}')
}
