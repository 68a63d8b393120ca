package prompts

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"

	"github.com/mcp-prompts/prompts/internal/argument"
	"github.com/mcp-prompts/prompts/internal/call"
	"github.com/mcp-prompts/prompts/internal/match"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/wire"
)

func completionSubject(argumentName string) string {
	return "completion of argument " + phrase.Quote(argumentName)
}

func (s *Server) complete(c *rpc.Call, dst []byte) ([]byte, call.Work, *Error) {
	p, err := parseCompleteParams(c.Message.Params, c.Rev)
	if err != nil {
		return nil, call.Work{}, err
	}
	if len(p.prefix) > s.options.Limits.MaxArgumentBytes {
		return nil, call.Work{}, s.tooLong("argument", p.argument)
	}
	if err := s.checkSizes("context", c.Message.Params.Get("context").Get("arguments"), nil); err != nil {
		return nil, call.Work{}, err
	}
	if c.Message.Large {
		p.detach()
	}
	if s.isOpen() && !c.Deferred {
		if d, ok := s.registry.snapshot().Get(p.prompt); ok {
			if r := p.of(d); r.isBuiltin() {
				c.SetPrompt(d.prompt.Name)
				values, total, err := r.builtin()
				if err != nil {
					return nil, call.Work{}, err
				}
				return s.appendCompletion(dst, c.Rev, values, total), call.Work{}, nil
			}
		}
	}
	r := &servedCompletion{promptRequest: promptRequest{server: s, prompt: p.prompt}, completeParams: p}
	if q := r.open(c, r); q != nil {
		q.Argument, q.Prefix, q.Arguments = p.argument, p.prefix, p.others
	}
	return nil, call.Work{Runner: r, Timeout: s.options.Timeouts.Complete}, nil
}

type servedCompletion struct {
	promptRequest
	completeParams
}

// Run is the work of the request.
func (c *servedCompletion) Run(ctx context.Context, dst []byte) ([]byte, error) {
	return c.run(ctx, dst, c)
}

func (c *servedCompletion) methods() (seen, client string) { return methodComplete, methodComplete }

func (c *servedCompletion) Subject() string { return completionSubject(c.argument) }

func (c *servedCompletion) LogAttr() slog.Attr {
	if !c.isKnown() {
		return unknownAttr
	}
	return slog.Group("completion", slog.String("prompt", c.promptRequest.prompt), slog.String("argument", phrase.Clip(c.argument, phrase.MaxEcho)))
}

func (c *servedCompletion) answer(ctx context.Context, r *Request, _ []byte) (Response, *scope, *rpc.Failure) {
	_, d, unknown := c.find(ctx, r, c.promptRequest.prompt)
	if d == nil {
		return Response{}, nil, unknownPrompt(unknown, c.server.suggestion(ctx, unknown))
	}
	params := c.completeParams
	if r != nil {
		params = completeParams{prompt: r.Prompt, argument: strings.ToValidUTF8(r.Argument, "\ufffd"), prefix: r.Prefix, others: r.Arguments}
	}
	values, total, f := params.of(d).values(ctx)
	return Response{Values: values, Total: total}, nil, f
}

func (c *servedCompletion) append(ctx context.Context, dst []byte, r Response) ([]byte, error) {
	if c.around != nil { // else the values are checked
		if err := checkUTF8(firstCompletions(r.Values)); err != nil {
			return nil, rpc.InternalFailure(c.Subject(), err)
		}
	}
	return c.server.appendCompletion(dst, rpc.FromContext(ctx).Rev, r.Values, max(r.Total, len(r.Values))), nil
}

type completeRequest struct {
	definition *definition
	completeParams
	position int // of the argument, -1 if the prompt has no argument of that name
}

func (p completeParams) of(d *definition) *completeRequest {
	return &completeRequest{d, p, d.plan.Find(p.argument)}
}

// isBuiltin reports whether builtin returns the values, without the code of the application.
func (r *completeRequest) isBuiltin() bool {
	return r.position < 0 || r.definition.completer(r.position) == nil
}

func (r *completeRequest) builtin() ([]string, int, *Error) {
	if r.position < 0 {
		return nil, 0, argumentsError(r.prompt, []argument.Problem{r.definition.plan.Undeclared(r.argument)})
	}
	values, total := r.definition.plan.Arguments[r.position].Complete(r.prefix)
	return values, total, nil
}

func (r *completeRequest) values(ctx context.Context) ([]string, int, *rpc.Failure) {
	if caller := rpc.FromContext(ctx); caller.IsObserved() {
		caller.SetPrompt(r.definition.prompt.Name)
	}
	if r.isBuiltin() {
		values, total, err := r.builtin()
		if err != nil {
			return nil, 0, &rpc.Failure{Client: err}
		}
		return values, total, nil
	}
	plan := r.definition.plan
	r.definition.addSecrets(rpc.FromContext(ctx), r.others)
	others := make(map[string]string, len(r.others))
	for name, text := range r.others {
		if i := plan.Find(name); i >= 0 && i != r.position && !plan.Arguments[i].Sensitive {
			others[plan.Arguments[i].Name] = text
		}
	}
	values, total, err := plan.Arguments[r.position].CompleteWith(r.prefix, func(typed string) ([]string, error) {
		values, err := r.definition.completer(r.position)(ctx, typed, others)
		// An empty value would clear what was typed, and the same one twice is no choice.
		return match.Distinct(values), err
	})
	if err == nil {
		err = checkUTF8(firstCompletions(values))
	}
	if err == nil {
		return values, total, nil
	}
	if e := renderError(r.definition.prompt.Name, r.definition.plan, err); e != nil {
		return nil, 0, clientFailure(e, err)
	}
	return nil, 0, rpc.InternalFailure(completionSubject(r.argument), err)
}

type completeParams struct {
	prompt, argument, prefix string
	others                   map[string]string
}

func parseCompleteParams(params strictjson.Value, rev revision.Revision) (completeParams, *Error) {
	var p completeParams
	if err := wire.CheckCase(params, "ref", "argument", "context", "_meta"); err != nil {
		return p, err
	}
	if err := p.parseRef(params.Get("ref")); err != nil {
		return p, err
	}
	argument := params.Get("argument")
	if argument.Kind() != strictjson.Object {
		return p, wire.WrongKind("argument", "params.argument", "an object", argument)
	}
	if err := wire.CheckCase(argument, "name", "value"); err != nil {
		return p, wire.WithParam(err, "argument")
	}
	for _, member := range []string{"name", "value"} {
		if v := argument.Get(member); v.Kind() != strictjson.String {
			return p, wire.WrongKind("argument", "params.argument."+member, "a string", v)
		}
	}
	p.argument, p.prefix = argument.Get("name").Text(), argument.Get("value").Text()
	if !rev.Context() {
		return p, nil
	}
	return p, p.parseContext(params.Get("context"))
}

func (p *completeParams) parseRef(ref strictjson.Value) *Error {
	if ref.Kind() != strictjson.Object {
		return wire.WrongKind("ref", "params.ref", "an object", ref)
	}
	if err := wire.CheckCase(ref, "type", "name", "title", "uri"); err != nil {
		return wire.WithParam(err, "ref")
	}
	kind := ref.Get("type")
	if kind.Kind() != strictjson.String {
		return wire.WrongKind("ref", "params.ref.type", `"ref/prompt"`, kind)
	}
	switch kind.Text() {
	case "ref/prompt":
	case "ref/resource":
		return wire.InvalidParam("ref", "completion of resource templates (ref/resource) is not supported")
	default:
		return wire.InvalidParam("ref", `params.ref.type must be "ref/prompt", got %s`, phrase.Quote(kind.Text()))
	}
	name := ref.Get("name")
	if name.Kind() != strictjson.String {
		return wire.WrongKind("ref", "params.ref.name", "a string", name)
	}
	p.prompt = name.Text()
	return nil
}

func (p *completeParams) parseContext(c strictjson.Value) *Error {
	switch c.Kind() {
	case strictjson.Invalid, strictjson.Null:
		return nil
	case strictjson.Object:
	default:
		return wire.WrongKind("context", "params.context", "an object", c)
	}
	if err := wire.CheckCase(c, "arguments"); err != nil {
		return wire.WithParam(err, "context")
	}
	switch v := c.Get("arguments"); v.Kind() {
	case strictjson.Invalid, strictjson.Null:
	case strictjson.Object:
		p.others = map[string]string{}
		for name, text := range v.Members() {
			if text.Kind() == strictjson.Null {
				continue // the argument has no value yet (GAP-18)
			}
			if text.Kind() != strictjson.String {
				return wire.WrongKind("context", fmt.Sprintf("params.context.arguments[%q]", phrase.Clip(name, phrase.MaxEcho)), "a string", text)
			}
			p.others[name] = text.Text()
		}
	default:
		return wire.WrongKind("context", "params.context.arguments", "an object whose values are strings", v)
	}
	return nil
}

// detach copies all strings, so that they do not keep the message in memory.
func (p *completeParams) detach() {
	p.prompt, p.argument, p.prefix = strings.Clone(p.prompt), strings.Clone(p.argument), strings.Clone(p.prefix)
	others := make(map[string]string, len(p.others))
	for name, text := range p.others {
		others[strings.Clone(name)] = strings.Clone(text)
	}
	p.others = others
}

func firstCompletions(values []string) []string {
	return values[:min(len(values), revision.MaxCompletions)]
}

func (s *Server) appendCompletion(dst []byte, rev revision.Revision, values []string, total int) []byte {
	dst = append(dst, '{')
	if rev.Stateless() {
		dst = append(append(dst, wire.CompleteResult...), ',')
	}
	dst = append(dst, `"completion":{"values":[`...)
	for i, v := range firstCompletions(values) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strictjson.AppendString(dst, v)
	}
	dst = append(dst, `],"total":`...)
	dst = strconv.AppendInt(dst, int64(total), 10)
	dst = append(dst, `,"hasMore":`...)
	dst = strconv.AppendBool(dst, total > len(firstCompletions(values)))
	dst = append(dst, '}')
	if rev.Stateless() {
		dst = append(dst, `,"_meta":{`...)
		dst = append(dst, s.serverInfo...)
		dst = append(dst, '}')
	}
	return append(dst, '}')
}
