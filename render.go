package prompts

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/mcp-prompts/prompts/internal/argument"
	"github.com/mcp-prompts/prompts/internal/elicit"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/internal/seal"
	"github.com/mcp-prompts/prompts/internal/unsent"
)

// This file runs render functions: their context, the cache of their results, and the
// prompts that they include.

// scope is the context of one run of a render function, and what the run knows of its client. A
// request may have several: each call of a middleware's next is a run.
type scope struct {
	context.Context
	server     *Server
	request    *rpc.Running // nil for a run that is cached
	prompts    *snapshot    // of the whole run, with the prompts that it includes
	definition *definition  // nil for the code of a feature
	isCached   bool         // the run works for several clients
	hasAsked   atomic.Bool
	known      atomic.Pointer[elicit.State] // nil until there is anything
	boundTo    *seal.Binding                // see bindTo; nil until it is known
}

// name returns the name of the prompt; empty for the code of a feature.
func (s *scope) name() string {
	if s.definition == nil {
		return ""
	}
	return s.definition.prompt.Name
}

type scopeKey struct{}

func (s *scope) Value(key any) any {
	if key == (scopeKey{}) {
		return s
	}
	return s.Context.Value(key)
}

// scopeOf returns the scope of the render function that ctx is for, or nil. The context may
// also be that of another function, which another server runs for the render function.
func scopeOf(ctx context.Context) *scope {
	s, _ := ctx.Value(scopeKey{}).(*scope)
	if s == nil || s.request != rpc.FromContext(ctx) {
		return nil
	}
	return s
}

// knowledge returns what the run knows from its client, which is made at the first call.
// Most runs need none.
func (s *scope) knowledge() *elicit.State {
	if k := s.known.Load(); k != nil {
		return k
	}
	s.known.CompareAndSwap(nil, new(elicit.State)) // or another goroutine has done so
	return s.known.Load()
}

// reportUnsent logs the questions that the client does not get, because the function has
// returned err instead of the error of Ask.
func (s *scope) reportUnsent(err error, about slog.Attr) {
	known := s.known.Load()
	if known == nil || errors.Is(err, ErrInputRequired) {
		return
	}
	keys := known.Unsent()
	if len(keys) == 0 {
		return
	}
	if report, ok := s.Context.Value(unsent.Key{}).(func(string, []string)); ok {
		report(s.request.Subject(), keys)
	}
	attrs := []slog.Attr{about, slog.Int("count", len(keys))}
	if s.request.Secrets() == nil { // else the keys may be made of them
		attrs = append(attrs, slog.Any("questions", keys))
	}
	s.server.rpc.Log(s.Context, slog.LevelWarn, "questions not sent", attrs...)
}

func (s *scope) resume(retry *elicit.Retry, to func() (seal.Binding, error)) *rpc.Failure {
	return s.knowledge().Resume(s.Context, s.request, retry, &s.server.sealer, to)
}

// bindTo returns what a state of the request is bound to. The first call decides: parts returns
// the name and the arguments of what the method runs.
func (s *scope) bindTo(method string, parts func() []string) (seal.Binding, error) {
	if s.boundTo == nil {
		principal, err := s.server.principal(s.Context)
		if err != nil {
			return seal.Binding{}, err
		}
		to := elicit.Bind(method, principal, parts())
		s.boundTo = &to
	}
	return *s.boundTo, nil
}

// appendPending appends the result that asks the pending questions. bindTo was called, and
// after its error the request fails.
func (s *scope) appendPending(dst []byte) ([]byte, *rpc.Failure) {
	if f := s.request.Failed(); f != nil {
		return nil, f
	}
	return s.knowledge().AppendInputRequired(s.Context, dst, s.request, &s.server.sealer, *s.boundTo, s.server.serverInfo)
}

// isPending reports whether the function has returned err for questions that the client gets
// with the result.
func (s *scope) isPending(err error) bool {
	return s.request.Rev.Stateless() && errors.Is(err, ErrInputRequired)
}

// refused returns the failure of a function whose error is for the client: e, which may be
// nil, unless err says that the user did not answer. noun is what has asked: a prompt or a
// tool. It returns nil for any other error.
func (s *scope) refused(noun string, e *Error, err error) *rpc.Failure {
	if e == nil || len(argument.ArgumentErrors(err, nil)) == 0 {
		e = cmp.Or(elicitationError(s.request.Rev, noun, err), e)
	}
	if e == nil {
		return nil
	}
	f := clientFailure(e, err)
	f.IsAnswer = true
	return f
}

type placed struct {
	texts  []argument.Text  // of the declared arguments
	few    [4]argument.Text // the array of texts for most prompts
	others *otherArguments  // undeclared arguments; nil without any
}

// otherArguments are the arguments of a request that the prompt does not declare.
type otherArguments struct {
	problems []argument.Problem
	ignored  []string // the names of those that are not a problem
}

func (p *placed) place(d *definition, given argument.Given) {
	texts, problems, ignored := d.plan.Collect(p.few[:0], given)
	if p.texts = texts; problems != nil || ignored != nil {
		p.others = &otherArguments{problems, ignored}
	}
}

// bind returns the render function with the arguments filled in, unless they have problems
// already, and all problems.
func (p *placed) bind(ctx context.Context, d *definition, problems []argument.Problem) (render filledRender, all []argument.Problem) {
	if len(problems) == 0 {
		render, problems = d.bind(ctx, p.texts)
	}
	if p.others != nil {
		problems = append(problems, p.others.problems...)
	}
	return render, problems
}

func (d *definition) bind(ctx context.Context, args []argument.Text) (filledRender, []argument.Problem) {
	var render filledRender
	var problems []argument.Problem
	if d.prompt.typed != nil {
		render, problems = d.prompt.typed.bind(ctx, d.plan, args)
	} else {
		render, problems = d.prompt.Render.bind(ctx, d.plan, args)
	}
	// A placeholder has markers that are random in each result.
	if d.more().results != nil && !slices.ContainsFunc(args, func(t argument.Text) bool { return t.IsPlaceholder }) {
		render = d.cached(args, render)
	}
	return render, problems
}

// maxResultKey is the maximum size of the key of a cached result in bytes.
const maxResultKey = 4 << 10

func (d *definition) cached(args []argument.Text, render filledRender) filledRender {
	return filledFunc(func(ctx context.Context) (*Result, error) {
		s := scopeOf(ctx)
		if s.isCached { // one that includes this one: it has no principal
			return render.call(ctx)
		}
		principal, err := "", error(nil)
		if !d.more().Cache.AllPrincipals {
			principal, err = s.server.principal(ctx)
		}
		if err != nil {
			return nil, err
		}
		key := resultKey(s.server, principal, args)
		around, _ := ctx.Value(includesKey{}).(*includes)
		size := func(r keptResult) (bytes int, ok bool) {
			return r.bytes + len(key), r.bytes > 0 && len(key) <= maxResultKey
		}
		kept, err := d.more().results.Get(ctx, key, size, func(own context.Context) (keptResult, error) {
			// The context has no values of the request, but its trace, and the prompts that
			// include this one: a cycle would wait for itself.
			own = rpc.Link(own, ctx)
			if around != nil {
				own = context.WithValue(own, includesKey{}, around)
			}
			r, err := render.call(&scope{Context: own, server: s.server, prompts: s.prompts, definition: d, isCached: true})
			if err != nil {
				return keptResult{}, err
			}
			if _, err := s.server.appendResult(own, nil, revision.NewestStateful(), nil, nil, r, served{}); err != nil {
				return keptResult{result: r}, nil // which is an error of each request
			}
			return keep(r), nil
		})
		return kept.result.clone(), err
	})
}

// clone returns a copy for a caller that may append to the messages or the Meta. Other
// callers may have the same result: of a cache, or of a function that returns it again.
func (r *Result) clone() *Result {
	if r == nil {
		return nil
	}
	return &Result{Description: r.Description, Messages: slices.Clone(r.Messages), Meta: maps.Clone(r.Meta)}
}

// resultKey returns the key of a cached result. Each server, principal and set of arguments has
// its own: two servers of one registry may give the name of a principal to different users.
func resultKey(s *Server, principal string, args []argument.Text) string {
	b := slices.Clone(s.sealer.Own) // which no other server has
	add := func(part string) {
		b = binary.AppendUvarint(b, uint64(len(part)))
		b = append(b, part...)
	}
	add(principal)
	for _, g := range args {
		switch {
		case g.Given:
			b = append(b, 1)
			add(g.Value)
		case g.IsNull:
			b = append(b, 2)
		default:
			b = append(b, 0)
		}
	}
	return string(b)
}

// Include renders another prompt of the same server and returns the result, for a render function
// to add to its own. ctx is the context of the function, or a context made from it. Arguments are
// validated as in a request, and an undeclared argument is an error. Questions that the other
// prompt sends with [Ask] are part of this request and share its keys. You may append messages to
// the result, but must not change their contents. The middleware does not see the call.
//
// Include returns an error if
//
//   - the prompt does not exist or is hidden from the client;
//   - prompts include each other in a cycle;
//   - the arguments are invalid. The client does not get these details;
//   - the other render function fails. Its errors about arguments are not attributed
//     to arguments of this prompt;
//   - the calling prompt has a [Cache], and Options.Visible is set or the other
//     prompt has sensitive arguments.
func Include(ctx context.Context, name string, args map[string]string) (*Result, error) {
	s := scopeOf(ctx)
	if s == nil {
		return nil, errors.New("prompts: Include: ctx does not come from a render function")
	}
	outer, _ := ctx.Value(includesKey{}).(*includes)
	if outer == nil || outer.server != s.server { // which may have called this one
		outer = &includes{server: s.server, name: s.name()}
	}
	if s.isCached && s.server.options.Visible != nil {
		return nil, errors.New("prompts: Include: a cached prompt cannot use Include with Options.Visible")
	}
	if outer.has(name) {
		return nil, fmt.Errorf("prompts: Include: cycle: %s", outer.path(name))
	}
	d, ok := s.server.visible(ctx, s.prompts, name)
	if !ok {
		return nil, fmt.Errorf("prompts: Include: unknown prompt %q", phrase.Clip(name, phrase.MaxEcho))
	}
	var given placed
	given.place(d, argument.Given{IsAltered: true, Texts: args, IsStrict: true})
	if d.plan.HasSensitive {
		if s.isCached {
			return nil, fmt.Errorf("prompts: Include: prompt %q has sensitive arguments and cannot be part of a cached result; remove the Cache of prompt %q", name, s.name())
		}
		addValues(s.request, d.plan.Secrets(given.texts))
	}
	render, problems := given.bind(ctx, d, nil)
	if len(problems) > 0 {
		return nil, fmt.Errorf("prompts: Include: prompt %q: %s", name, argument.Redacted(problems))
	}
	result, err := render.call(context.WithValue(ctx, includesKey{}, &includes{server: s.server, name: name, by: outer}))
	if err == nil && result == nil {
		err = errors.New("render function returned neither a result nor an error")
	}
	if err != nil {
		return nil, &includeError{prompt: name, err: err}
	}
	return result.clone(), nil
}

type includes struct {
	server *Server
	name   string
	by     *includes // nil for the prompt of the request
}

type includesKey struct{}

func (i *includes) has(name string) bool {
	for ; i != nil; i = i.by {
		if i.name == name {
			return true
		}
	}
	return false
}

func (i *includes) path(name string) string {
	names := []string{fmt.Sprintf("%q", name)}
	for ; i != nil; i = i.by {
		names = append(names, fmt.Sprintf("%q", i.name))
	}
	slices.Reverse(names)
	return strings.Join(names, " > ")
}

type includeError struct {
	prompt string
	err    error
}

func (e *includeError) Error() string { return fmt.Sprintf("included prompt %q: %v", e.prompt, e.err) }

func (e *includeError) Unwrap() error { return e.err }

// OfAnotherPrompt marks the errors of arguments in err as errors of the included
// prompt's arguments, not of the including prompt's.
func (e *includeError) OfAnotherPrompt() {}
