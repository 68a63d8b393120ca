package prompts

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"

	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/argument"
	"github.com/mcp-prompts/prompts/internal/elicit"
	"github.com/mcp-prompts/prompts/internal/hosts"
	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/internal/seal"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/transport"
)

// This file is for features with methods of their own, such as tools/call: they render
// and list prompts by the rules of prompts/get and prompts/list, ask the user, and
// encode content. Package promptfeature is the way to it.

// features renders, lists and asks for the methods of a feature. Package promptfeature has
// the functions of the same names, with their documentation. The methods have no types of
// their own, because that package cannot name them.
type features struct{ server *Server }

// appendRendered and the other functions are those of the types of package promptfeature.
type (
	appendRendered = func(ctx context.Context, dst []byte, r *Result, rejected *Error) ([]byte, error)
	appendUnknown  = func(ctx context.Context, dst []byte, visible func(prompt string) bool) ([]byte, error)
	appendListed   = func(ctx context.Context, dst []byte, cursor string, visible func(prompt string) bool) ([]byte, error)
	appendRejected = func(ctx context.Context, dst []byte, rejected *Error) ([]byte, error)
)

// Render is that of package promptfeature.
func (f *features) Render(c *feature.Call, prompt string, arguments json.RawMessage, keys map[string]string, tool string, appendTo appendRendered, unknown appendUnknown) (feature.Work, error) {
	call, s := rpc.CallOf(c), f.server
	v := &rendering{server: s, method: c.Method(), keys: keys, tool: tool, appendTo: appendTo, unknown: unknown}
	retry, err := elicit.ReadRetry(call)
	if err != nil {
		return feature.Work{}, err
	}
	g := &servedGet{promptRequest: promptRequest{server: s, prompt: prompt}, feature: v, retry: retry}
	args, detach := inParams(call, arguments), call.Message.Large
	switch {
	// Large arguments that are no part of the message are parsed when the request runs: what
	// the server has counted for the message is not enough for both.
	case args.Kind() == strictjson.Invalid && wire.IsLarge(len(arguments)):
		g.takeText(call, string(arguments))
		return feature.Work{Handler: g}, nil
	case args.Kind() == strictjson.Invalid && len(arguments) > 0:
		var doc strictjson.Doc
		err := doc.Parse(string(arguments), jsonenc.MaxDepth)
		args, detach = v.check(doc.Root(), err), false
	default:
		args = v.check(args, nil)
	}
	g.take(call, args, detach)
	return feature.Work{Handler: g}, nil
}

// rendering is what a request of a feature for a prompt has in addition to prompts/get. The
// arguments are typed.
type rendering struct {
	server    *Server
	method    string            // of the client's request
	tool      string            // the name of a tool, if the client has named that
	keys      map[string]string // what the client calls arguments, by name; may be nil
	appendTo  appendRendered
	unknown   appendUnknown // nil for the error of prompts/get
	malformed *Error        // of all arguments
}

// check returns the arguments. If they are malformed, or err is the error of their text, check
// sets the error and returns none.
func (v *rendering) check(args strictjson.Value, err error) strictjson.Value {
	switch {
	case err != nil:
		v.malformed = wire.InvalidParam("arguments", "arguments must be a JSON object: %v", err)
	case args.Kind() == strictjson.Object:
		v.malformed = v.server.checkSizes("arguments", args, v.keys)
	case args.Kind() > strictjson.Null:
		v.malformed = wire.InvalidParam("arguments", "arguments must be a JSON object")
	}
	if args.Kind() != strictjson.Object || v.malformed != nil {
		return strictjson.Value{}
	}
	return args
}

// inParams returns the arguments as the server has parsed them with the message: the member
// of the params with that name, as of tools/call, or that of a tool that gets prompts.
// Otherwise it returns Invalid.
func inParams(c *rpc.Call, arguments json.RawMessage) strictjson.Value {
	v := c.Message.Params.Get("arguments")
	for v.Kind() == strictjson.Object && len(v.Raw()) > len(arguments) {
		v = v.Get("arguments")
	}
	if v.Kind() == strictjson.Invalid || v.Raw() != string(arguments) {
		return strictjson.Value{}
	}
	return v
}

// append appends the result of the feature's method.
func (v *rendering) append(ctx context.Context, dst []byte, r *Result) ([]byte, error) {
	if r == nil {
		return nil, rpc.InvalidResult(rpc.FromContext(ctx).Subject(), errors.New("render function returned neither a result nor an error"))
	}
	for i, m := range r.Messages { // of which Append may encode the content alone
		if err := checkRole(m.Role); err != nil {
			return nil, rpc.InvalidResult(rpc.FromContext(ctx).Subject(), fmt.Errorf("message %d: %w", i+1, err))
		}
	}
	return v.appendTo(ctx, dst, r, nil)
}

// fail answers a request that has failed: with a result from Append or Unknown, or
// with an error of the method. Only a visible prompt has keys.
func (v *rendering) fail(ctx context.Context, dst []byte, f *rpc.Failure, g *servedGet) ([]byte, error) {
	if data, ok := f.Client.Data.(argumentsData); ok && v.keys != nil && g.shown.Load() != nil {
		named, client := *f, *f.Client // which other requests may have as well
		isOurs := client.Message == data.error().Message
		data.Problems = argument.Rename(data.Problems, v.keys)
		if client.Data = data; isOurs { // and not the text of a middleware
			client.Message = data.error().Message
		}
		named.Client = &client
		f = &named
	}
	f = rpc.FromContext(ctx).Withhold(f)
	if _, ok := f.Client.Data.(unknownData); ok && v.unknown != nil {
		return v.unknown(ctx, dst, g.server.visibleIn(ctx))
	}
	if in, ok := f.Client.Data.(elicit.InputData); ok && in.Action == "" {
		return nil, f // the client sent an invalid answer, of which a model knows nothing
	}
	_, isAboutArguments := f.Client.Data.(argumentsData)
	if !isAboutArguments && !f.IsAnswer || f.Client.Code == transport.CodeMissingCapability {
		return nil, f
	}
	if f.Log != nil {
		g.server.rpc.Log(ctx, f.Level, f.Event, slog.String("prompt", phrase.Clip(g.prompt, phrase.MaxEcho)), slog.Any("error", f.Log))
	}
	return v.appendTo(ctx, dst, nil, f.Client)
}

// List is that of package promptfeature.
func (f *features) List(c *feature.Call, dst []byte, cursor string, atOnce func(dst []byte, cursor string, visible func(prompt string) bool) ([]byte, error), withContext appendListed) ([]byte, feature.Work, error) {
	call, s := rpc.CallOf(c), f.server
	if s.isOpen() && !call.Deferred && atOnce != nil {
		result, err := atOnce(dst, cursor, nil)
		return result, feature.Work{}, err
	}
	l := &servedList{promptRequest: promptRequest{server: s}, rev: call.Rev, method: call.Method(), appendTo: withContext, cursor: strings.Clone(cursor)}
	if atOnce != nil {
		l.appendTo = func(_ context.Context, dst []byte, cursor string, visible func(prompt string) bool) ([]byte, error) {
			return atOnce(dst, cursor, visible)
		}
	}
	if r := l.open(call, l); r != nil {
		r.Cursor = l.cursor
	}
	return nil, feature.Work{Handler: l}, nil
}

// appendList appends the list of a feature.
func (l *servedList) appendList(ctx context.Context, dst []byte, cursor string) ([]byte, *rpc.Failure) {
	visible := l.server.visibleIn(ctx)
	list, err := l.appendTo(ctx, dst, cursor, visible)
	switch {
	case visible != nil && ctx.Err() != nil:
		return nil, rpc.InternalFailure(l.method, context.Cause(ctx)) // and not half a list
	case err != nil:
		return nil, featureFailure(ctx, l.method, err)
	}
	return list, nil
}

// visibleIn returns the visible of a listing.
func (s *Server) visibleIn(ctx context.Context) func(prompt string) bool {
	if s.options.Visible == nil {
		return nil
	}
	return func(prompt string) bool {
		if ctx.Err() != nil {
			return false
		}
		_, ok := s.visible(ctx, s.registry.snapshot(), prompt)
		return ok
	}
}

// Interact is that of package promptfeature.
func (f *features) Interact(c *feature.Call, noun, name string, arguments json.RawMessage, run feature.HandlerFunc, rejected appendRejected) (feature.Work, error) {
	call, s := rpc.CallOf(c), f.server
	r := &interactionRequest{noun: noun, name: name, arguments: arguments, run: run, rejected: rejected, clientMethod: c.Method(), scope: scope{server: s, prompts: s.registry.snapshot()}}
	var err *Error
	if r.retry, err = elicit.ReadRetry(call); err != nil {
		return feature.Work{}, err
	}
	return feature.Work{Handler: r, Noun: noun, Name: name}, nil
}

// interactionRequest is a request of a feature whose code may ask the user.
type interactionRequest struct {
	noun, name string
	arguments  json.RawMessage
	run        feature.HandlerFunc
	rejected   appendRejected // nil for the error of prompts/get
	scope
	clientMethod string
	retry        *elicit.Retry
}

// Run is the work of the request.
func (r *interactionRequest) Run(ctx context.Context, dst []byte) ([]byte, error) {
	r.Context, r.request = ctx, rpc.FromContext(ctx)
	to := sync.OnceValue(func() seal.Binding {
		return elicit.Bind(r.clientMethod, r.server.Principal(ctx), []string{r.name, r.canonicalArguments()})
	})
	if r.retry != nil {
		if f := r.resume(r.retry, to); f != nil {
			return nil, f
		}
	}
	result, pending, f := r.call(dst)
	f = r.request.Withhold(f)
	switch {
	case pending:
		return runResult(r.appendInputRequired(dst, to()))
	case f == nil:
		return result, nil
	case !f.IsAnswer || r.rejected == nil || f.Client.Code == transport.CodeMissingCapability:
		return nil, f
	}
	if f.Log != nil {
		r.server.rpc.Log(ctx, f.Level, f.Event, slog.String(r.noun, r.name), slog.Any("error", f.Log))
	}
	return r.rejected(ctx, dst, f.Client)
}

// canonicalArguments returns the arguments in the form that is the same for every
// encoding of them.
func (r *interactionRequest) canonicalArguments() string {
	text := cmp.Or(string(r.arguments), "{}")
	var doc strictjson.Doc
	if doc.Parse(text, jsonenc.MaxDepth) != nil {
		return text
	}
	return string(doc.Root().AppendCanonical(nil))
}

// call calls the Run of the application, or reports that questions to the client are
// pending.
func (r *interactionRequest) call(dst []byte) (result []byte, pending bool, f *rpc.Failure) {
	var doc strictjson.Doc
	_ = doc.Parse(string(r.arguments), jsonenc.MaxDepth) // if it fails, there is nothing to limit
	if e := r.server.checkSizes("arguments", doc.Root(), nil); e != nil {
		return nil, false, &rpc.Failure{Client: e, IsAnswer: true}
	}
	result, err := r.run(&r.scope, dst)
	r.reportUnsent(err, slog.String(r.noun, r.name))
	switch {
	case err == nil:
		return result, false, nil
	case r.request.Rev.Stateless() && errors.Is(err, ErrInputRequired):
		return nil, true, nil
	}
	if e := elicitationError(r.request.Rev, r.noun, err); e != nil {
		f = clientFailure(e, err)
		f.IsAnswer = true
		return nil, false, f
	}
	if f, ok := err.(*rpc.Failure); ok { // of AppendContent
		return nil, false, f
	}
	return nil, false, featureFailure(r.Context, r.request.Subject(), err)
}

// AppendContent is that of package promptfeature.
func (f *features) AppendContent(ctx context.Context, dst []byte, content []Content, meta Meta) ([]byte, error) {
	r, s := rpc.FromContext(ctx), f.server
	e := s.newEncoder(dst, r.Rev, r.Secrets(), r.Host.Has(hosts.ReadsNoToolAudio))
	e.lacksLinks = e.lacksLinks || r.Host.Has(hosts.ReadsNoToolLinks)
	e.joinsTexts = r.Host.Has(hosts.JoinsTexts)
	if most := s.options.Limits.MaxResultBytes; len(dst)-r.Head > most {
		e.errorf("structured content exceeds Options.Limits.MaxResultBytes (%d)", most)
	}
	e.key("content")
	e.raw("[")
	e.inMessages = true
	for i, c := range content {
		if i > 0 {
			e.raw(",")
		}
		e.message, e.isInner = i, i < len(content)-1
		e.raw("{")
		e.content(c)
		e.raw("}")
	}
	e.raw("]")
	e.inMessages = false
	if r.Rev.Stateless() {
		e.raw(`,"resultType":"complete"`)
	}
	if e.end(meta); len(e.errs) > 0 {
		return nil, rpc.InvalidResult(r.Subject(), errors.Join(e.errs...))
	}
	return e.buf, nil
}
