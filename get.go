package prompts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"time"

	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/argument"
	"github.com/mcp-prompts/prompts/internal/elicit"
	"github.com/mcp-prompts/prompts/internal/hosts"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/redact"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/internal/seal"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/suggest"
	"github.com/mcp-prompts/prompts/internal/wire"
)

// This file serves prompts/get: from params to arguments, which the user may be asked
// for, and from the result of the prompt to a response. render.go runs the prompt.

// get is the method prompts/get.
func (s *Server) get(c *rpc.Call, _ []byte) ([]byte, feature.Work, *Error) {
	p := c.Message.Params
	if p.Kind() != strictjson.Object {
		return nil, feature.Work{}, wire.InvalidParams("params is required and must be an object")
	}
	if err := wire.CheckCase(p, "name", "arguments", "_meta", "inputResponses", "requestState"); err != nil {
		return nil, feature.Work{}, err
	}
	name := p.Get("name")
	if name.Kind() != strictjson.String {
		return nil, feature.Work{}, wire.WrongKind("name", "params.name", "a string", name)
	}
	args := p.Get("arguments")
	switch args.Kind() {
	case strictjson.Invalid, strictjson.Null, strictjson.Object:
	default:
		return nil, feature.Work{}, wire.WrongKind("arguments", "params.arguments", "an object whose values are strings", args)
	}
	if err := s.checkSizes("arguments", args, false); err != nil {
		return nil, feature.Work{}, err
	}
	retry, err := elicit.ReadRetry(c)
	if err != nil {
		return nil, feature.Work{}, err
	}
	if s.handler != nil {
		return nil, s.getThroughMiddleware(c, name.Text(), args, retry), nil
	}
	all := s.registry.snapshot()
	d, ok := all.Get(name.Text())
	if !ok {
		return nil, s.unknown(name.Text(), promptSubject(name.Text()), 0), nil
	}
	if s.options.Visible == nil {
		c.SetPrompt(d.prompt.Name)
	}
	g := &getRequest{scope: scope{server: s, prompts: all}, definition: d, retry: retry}
	texts, problems, ignored := d.plan.Collect(g.few[:0], args, s.options.StrictArguments, c.Message.Large)
	g.texts, g.others = texts, newOtherArguments(problems, ignored)
	return nil, feature.Work{Handler: g}, nil
}

// getThroughMiddleware is get for a request that goes through the middleware.
func (s *Server) getThroughMiddleware(c *rpc.Call, name string, args strictjson.Value, retry elicit.Retry) feature.Work {
	p := &middlewareRequest{request: &Request{Prompt: name, Arguments: map[string]string{}}, retry: retry}
	for name, v := range args.Members() {
		if v.Kind() == strictjson.String {
			p.request.Arguments[strings.Clone(name)] = strings.Clone(v.Text())
		} else {
			name = strings.Clone(name)
			p.request.NonStrings = append(p.request.NonStrings, name)
			if p.examples == nil {
				p.examples = map[string]string{}
			}
			p.examples[name] = strings.Clone(argument.ExampleOf(v))
		}
	}
	return s.throughMiddleware(c, p, promptSubject(p.request.Prompt))
}

// getRequest is one request for a prompt, after the checks that do not run the
// application's code.
type getRequest struct {
	scope
	definition *definition
	rounds     uint8            // of forms that ask for arguments
	texts      []argument.Text  // of the declared arguments
	few        [4]argument.Text // the array of texts for most prompts
	others     *otherArguments  // undeclared arguments; nil without any
	refilled   []int            // positions of the arguments that a form has just filled in
	retry      elicit.Retry
	boundTo    *seal.Binding // once it is known
	via        *rendering    // nil for prompts/get
}

// promptSubject names a prompt in an error.
func promptSubject(name string) string { return "prompt " + argument.Quote(name) }

func (g *getRequest) Subject() string { return promptSubject(g.definition.prompt.Name) }

func (g *getRequest) LogAttr() slog.Attr { return slog.String("prompt", g.definition.prompt.Name) }

// Run is the work of a request for a prompt.
func (g *getRequest) Run(ctx context.Context, dst []byte) ([]byte, error) {
	result, pending, f := g.render(ctx)
	switch {
	case f != nil:
		return g.via.fail(ctx, dst, f)
	case pending:
		return runResult(g.appendInputRequired(dst, g.binding(ctx)))
	}
	return g.append(ctx, dst, result)
}

// append appends the result.
func (g *getRequest) append(ctx context.Context, dst []byte, r *Result) ([]byte, error) {
	if g.via != nil {
		return g.via.append(ctx, dst, r)
	}
	dst, err := g.server.appendResult(dst, g.request.Rev, g.request.Host, g.request.Secrets(), r, g.served())
	if err != nil {
		return nil, rpc.InvalidResult(g.Subject(), err)
	}
	return dst, nil
}

// served returns the version of what the request renders.
func (g *getRequest) served() served {
	if g.server.options.DisableReleaseMeta {
		return served{}
	}
	return served{g.definition.prompt.Digest, g.prompts.releaseOf(&g.definition.prompt)}
}

// otherArguments are the arguments of a request that the prompt does not declare.
type otherArguments struct {
	problems []argument.Problem
	ignored  []string // the names of those that are not a problem
}

func newOtherArguments(problems []argument.Problem, ignored []string) *otherArguments {
	if problems == nil && ignored == nil {
		return nil
	}
	return &otherArguments{problems, ignored}
}

// binding returns what a state of this request is bound to. It comes before the
// client fills in arguments, which are not part of the request.
func (g *getRequest) binding(ctx context.Context) seal.Binding {
	if g.boundTo == nil {
		parts := []string{g.definition.prompt.Name}
		for i, text := range g.texts {
			if text.Given {
				a := &g.definition.plan.Arguments[i]
				parts = append(parts, a.Name, a.Canonical(text.Value))
			}
		}
		to := elicit.Bind(g.clientMethod(), g.server.Principal(ctx), parts)
		g.boundTo = &to
	}
	return *g.boundTo
}

// clientMethod returns the method of the client's request.
func (g *getRequest) clientMethod() string {
	if g.via == nil {
		return methodGet
	}
	return g.via.clientMethod
}

// resumeArguments resumes the state of an earlier request, if the client has sent one,
// and restores the arguments that the user was asked for.
func (g *getRequest) resumeArguments(ctx context.Context) *rpc.Failure {
	if g.retry.IsZero() {
		return nil
	}
	if f := g.resume(g.retry, func() seal.Binding { return g.binding(ctx) }); f != nil {
		return f
	}
	g.knowledge().Restore(g.definition.plan, g.texts)
	return nil
}

// maxAsked is the maximum number of forms for arguments in one request of a session. In
// 2026-07-28 a form ends the request, and the client decides whether to send another.
const maxAsked = 3

// askFor asks the client for the arguments that have problems, if
// Options.ElicitArguments is set, and fills in the answer. It reports whether the
// question is pending. If it cannot ask, it returns refused.
func (g *getRequest) askFor(ctx context.Context, problems []argument.Problem, refused *rpc.Failure) (pending bool, f *rpc.Failure) {
	if !g.server.options.ElicitArguments || g.rounds == maxAsked {
		return false, refused
	}
	d := g.definition
	q := elicit.ForArguments(g.request, d.plan, cmp.Or(d.prompt.Title, d.prompt.Name), !d.prompt.DisableHints, problems)
	if q == nil {
		return false, refused
	}
	g.rounds++
	if g.request.Rev.Stateless() {
		_ = g.binding(ctx) // before the texts change
	}
	texts, pending, err := g.knowledge().AskArguments(ctx, g.request, q)
	if pending {
		return true, nil
	}
	var unable *elicit.Unavailable
	var declined *elicit.Refused
	switch {
	case errors.As(err, &unable):
		// To the client it is as if it had not been tried.
		return false, &rpc.Failure{
			Client: refused.Client, Event: "cannot ask client for arguments", Level: slog.LevelInfo,
			Log: errors.Join(refused.Log, err), Cause: askErrorOf(err),
		}
	case errors.As(err, &declined):
		return false, &rpc.Failure{Client: declinedArguments(d.prompt.Name, problems, declined), Cause: askErrorOf(err)}
	case err != nil:
		return false, g.fail(askErrorOf(err))
	}
	g.refilled = q.Positions
	for i, at := range g.refilled {
		g.texts[at] = texts[i]
	}
	return false, nil
}

// nameIgnored adds the ignored arguments to an error about arguments. One of them
// may be the misspelled name of an argument that is missing.
func (g *getRequest) nameIgnored(f *rpc.Failure) {
	if f == nil || g.others == nil || g.others.ignored == nil {
		return
	}
	if data, ok := f.Client.Data.(argumentsData); ok {
		var sentence string
		data.Ignored, sentence = g.definition.plan.Ignored(g.others.ignored)
		f.Client.Data = data
		f.Client.Message += "; " + sentence
	}
}

// appendResult appends the result of a prompt, checked, in the form of a revision, for the
// host of the client, which may be nil. Its links must not contain the secrets.
func (s *Server) appendResult(dst []byte, rev revision.Revision, host *hosts.Client, secrets *redact.Secrets, r *Result, v served) ([]byte, error) {
	readsTexts := host.Has(hosts.ReadsTexts)
	e := s.newEncoder(dst, rev, secrets, readsTexts)
	e.lacksResources, e.served = readsTexts, v
	if e.result(r); len(e.errs) > 0 {
		return nil, errors.Join(e.errs...)
	}
	return e.buf, nil
}

// newEncoder returns an encoder that appends a result. With lacksLinks, the client reads
// no links and no audio, whatever its revision has.
func (s *Server) newEncoder(dst []byte, rev revision.Revision, secrets *redact.Secrets, lacksLinks bool) encoder {
	return encoder{
		buf: dst, rev: rev, isResult: true, secrets: secrets, fallback: s.options.Fallback, serverInfo: s.serverInfo,
		lacksAudio: lacksLinks || !rev.Audio(), lacksLinks: lacksLinks || !rev.ResourceLink(),
		room: min(s.options.Limits.MaxResultBytes, math.MaxInt-1) + 1, // 0 is no limit
	}
}

// checkSizes returns an error if there are more arguments, or larger ones, than the
// options allow. args is the member of params with that name. The size of a value that is
// not a string counts only if typed, because it is else rejected elsewhere.
func (s *Server) checkSizes(param string, args strictjson.Value, typed bool) *Error {
	// Each has five characters at least, with its comma.
	if raw := len(args.Raw()); raw <= 5*s.options.Limits.MaxArguments && raw <= s.options.Limits.MaxArgumentBytes {
		return nil
	}
	n := 0
	for name, v := range args.Members() {
		if n++; n > s.options.Limits.MaxArguments {
			return wire.InvalidParam(param, "too many arguments (limit %d)", s.options.Limits.MaxArguments)
		}
		size := len(v.Text())
		if typed && v.Kind() != strictjson.String {
			size = len(v.Raw())
		}
		if size > s.options.Limits.MaxArgumentBytes {
			return s.tooLong(param, name)
		}
	}
	return nil
}

func (s *Server) tooLong(param, name string) *Error {
	return wire.InvalidParam(param, "argument %q exceeds the limit of %d bytes", phrase.Clip(name, 64), s.options.Limits.MaxArgumentBytes)
}

// unknown returns the work of a request for a prompt that does not exist. It is work, as
// for a hidden prompt, whose response is the same. The time limit is that of the request;
// 0 is the usual one.
func (s *Server) unknown(name, subject string, timeout time.Duration) feature.Work {
	name = strings.Clone(phrase.Clip(name, phrase.MaxEcho))
	run := func(ctx context.Context, _ []byte) ([]byte, error) { return nil, s.unknownPrompt(ctx, name) }
	return feature.Work{Handler: unknownRequest{feature.HandlerFunc(unknownAttr, run), subject}, Timeout: timeout}
}

// unknownAttr describes a request for an unknown prompt. The log does not get the name.
var unknownAttr = slog.String("prompt", "unknown")

// unknownRequest is a request for an unknown prompt.
type unknownRequest struct {
	feature.Handler
	subject string
}

func (u unknownRequest) Subject() string { return u.subject }

// unknownPrompt returns the failure of a request for a prompt that the client may
// not see or that does not exist.
func (s *Server) unknownPrompt(ctx context.Context, name string) *rpc.Failure {
	data := unknownData{phrase.Clip(name, phrase.MaxEcho), s.suggestion(ctx, name)}
	message := fmt.Sprintf("unknown prompt %q", phrase.Clip(name, 64))
	if data.Suggestion != "" {
		message += fmt.Sprintf("; did you mean %q?", data.Suggestion)
	}
	return &rpc.Failure{Client: &Error{Code: CodeInvalidParams, Message: message, Data: data}}
}

// unknownData is the data of an error about an unknown prompt.
type unknownData struct {
	Prompt     string `json:"prompt"`
	Suggestion string `json:"suggestion,omitempty"`
}

const (
	// maxSearched is how many prompts are compared with an unknown name. Hidden prompts
	// must not count: with a filter, all are compared.
	maxSearched = 10_000
	// maxSearches is how many unknown names per second are compared with all prompts.
	maxSearches = 20
)

// suggestion returns the name of the visible prompt that is most similar to name, or
// the empty string if no name is similar. It runs the application's code.
func (s *Server) suggestion(ctx context.Context, name string) string {
	if s.options.Visible != nil && !s.searches.Allow() {
		return ""
	}
	search, n := suggest.NewSearch(name), 0
	for other, d := range s.registry.snapshot().All() {
		switch n++; {
		case ctx.Err() != nil:
			return ""
		case s.options.Visible == nil && n > maxSearched:
			return search.Near()
		}
		search.Add(other, func() bool { return s.isVisible(ctx, d) })
	}
	return search.Near()
}
