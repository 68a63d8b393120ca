package prompts

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/mcp-prompts/prompts/internal/argument"
	"github.com/mcp-prompts/prompts/internal/call"
	"github.com/mcp-prompts/prompts/internal/elicit"
	"github.com/mcp-prompts/prompts/internal/hosts"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/transport"
)

// This file serves prompts/get: from params to arguments, which the user may be asked for, and
// from the result of the prompt to a response. render.go runs the function of the prompt.

func (s *Server) get(c *rpc.Call, _ []byte) ([]byte, call.Work, *Error) {
	p := c.Message.Params
	if p.Kind() != strictjson.Object {
		return nil, call.Work{}, wire.InvalidParams("params is required and must be an object")
	}
	if err := wire.CheckCase(p, "name", "arguments", "_meta", "inputResponses", "requestState"); err != nil {
		return nil, call.Work{}, err
	}
	name := p.Get("name")
	if name.Kind() != strictjson.String {
		return nil, call.Work{}, wire.WrongKind("name", "params.name", "a string", name)
	}
	args := p.Get("arguments")
	switch args.Kind() {
	case strictjson.Invalid, strictjson.Null, strictjson.Object:
	default:
		return nil, call.Work{}, wire.WrongKind("arguments", "params.arguments", "an object whose values are strings", args)
	}
	if err := s.checkSizes("arguments", args, nil); err != nil {
		return nil, call.Work{}, err
	}
	retry, err := elicit.ReadRetry(c)
	if err != nil {
		return nil, call.Work{}, err
	}
	g := &servedGet{promptRequest: promptRequest{server: s, prompt: c.Message.Own(name.Text())}, retry: retry}
	g.take(c, args, c.Message.Large)
	return nil, call.Work{Runner: g}, nil
}

// servedGet is a request for a prompt: of prompts/get, or of a method of a feature.
type servedGet struct {
	promptRequest
	feature *rendering // nil for prompts/get
	retry   *elicit.Retry
	// text has the arguments, unless the prompt was found at once. Their parsed form takes
	// several times the memory of the text, so it is not kept while a request waits.
	text     string
	isUnread bool       // the text is what Render got, and nobody has read it
	own      getRequest // the only run, unless a middleware calls next again
}

// take takes the arguments of the request. If the prompt is found at once, the arguments are
// collected as the server has parsed them. Otherwise only the prompt says which are kept, so
// all are, as JSON.
func (g *servedGet) take(c *rpc.Call, args strictjson.Value, detach bool) {
	if g.server.isOpen() {
		all := g.server.registry.snapshot()
		if d, ok := all.Get(g.prompt); ok {
			c.SetPrompt(d.prompt.Name)
			g.decide(d)
			g.own.collect(g, all, d, argument.Given{Object: args, Detach: detach})
			return
		}
	}
	g.takeJSON(c, args, detach)
}

func (g *servedGet) takeJSON(c *rpc.Call, args strictjson.Value, detach bool) {
	r := g.open(c, g)
	if r != nil {
		r.Arguments, r.NonStrings = argument.TextsOf(args, g.feature != nil, detach)
		if g.feature == nil && r.NonStrings == nil {
			return // the texts are all
		}
	}
	if g.text = args.Raw(); detach {
		g.text = strings.Clone(g.text)
		if r != nil { // which has copies of the texts too
			c.Keeps += len(g.text)
		}
	}
}

func (g *servedGet) takeText(c *rpc.Call, text string) {
	g.text, g.isUnread = text, true
	if r := g.open(c, g); r != nil {
		c.Keeps += len(text)
		g.around.prepare = func() error {
			g.isUnread = false
			return g.around.caller.Parse(text, func(args strictjson.Value, err error) {
				r.Arguments, r.NonStrings = argument.TextsOf(g.feature.check(args, err), true, true)
			})
		}
	}
}

// Run is the work of the request.
func (g *servedGet) Run(ctx context.Context, dst []byte) ([]byte, error) { return g.run(ctx, dst, g) }

func (g *servedGet) methods() (seen, client string) {
	if g.feature != nil {
		return methodGet, g.feature.method
	}
	return methodGet, methodGet
}

// name returns the name of the prompt for an error. A client that has named a tool learns
// the name of the prompt only if it may see the prompt.
func (g *servedGet) name() string {
	if tool := g.hiddenTool(); tool != "" {
		return tool
	}
	return g.prompt
}

func (g *servedGet) Subject() string {
	if tool := g.hiddenTool(); tool != "" {
		return "tool " + phrase.Quote(tool)
	}
	return promptSubject(g.prompt)
}

// hiddenTool returns the tool that the client has named, as long as it may not see the prompt.
func (g *servedGet) hiddenTool() string {
	if g.feature == nil || g.shown.Load() != nil {
		return ""
	}
	return g.feature.tool
}

func (g *servedGet) answer(ctx context.Context, r *Request, _ []byte) (Response, *scope, *rpc.Failure) {
	q := &g.own
	if r != nil && g.around.hasRun.Swap(true) {
		q = new(getRequest)
	}
	if q.definition == nil { // else it was found at once
		if f := g.findLate(ctx, r, q); f != nil {
			return Response{}, nil, f
		}
	}
	q.begin(ctx)
	result, pending, f := q.render(ctx)
	if pending {
		return Response{}, &q.scope, nil
	}
	return q.response(result), nil, f
}

func (g *servedGet) findLate(ctx context.Context, r *Request, q *getRequest) *rpc.Failure {
	all, d, unknown := g.find(ctx, r, g.name())
	if d == nil {
		return g.unknown(ctx, unknown)
	}
	given := argument.Given{}
	if r != nil {
		given.IsAltered, given.Texts, given.NonStrings = true, r.Arguments, r.NonStrings
	}
	return q.collectText(ctx, g, all, d, given)
}

// unknown returns the failure of a request for an unknown prompt. A feature with an error of its
// own makes suggestions of its own.
func (g *servedGet) unknown(ctx context.Context, name string) *rpc.Failure {
	if g.feature != nil && g.feature.unknown != nil {
		return unknownPrompt(name, "")
	}
	return unknownPrompt(name, g.server.suggestion(ctx, name))
}

func (g *servedGet) append(ctx context.Context, dst []byte, r Response) ([]byte, error) {
	if g.feature != nil {
		return g.feature.append(ctx, dst, r.Result)
	}
	var v served
	var err error
	if !g.server.options.DisableReleaseMeta {
		if v, err = g.version(&r); err != nil {
			return nil, rpc.InternalFailure(g.Subject(), err)
		}
	}
	caller := rpc.FromContext(ctx)
	dst, err = g.server.appendResult(ctx, dst, caller.Rev, caller.Host, caller.Secrets(), r.Result, v)
	if err != nil {
		return nil, rpc.InvalidResult(g.Subject(), err)
	}
	return dst, nil
}

func (g *servedGet) fail(ctx context.Context, dst []byte, f *rpc.Failure) ([]byte, error) {
	if g.feature != nil {
		return g.feature.fail(ctx, dst, f, g)
	}
	caller := rpc.FromContext(ctx)
	data, isAboutArguments := f.Client.Data.(argumentsData)
	if !isAboutArguments || !caller.Host.Has(hosts.HidesErrors) {
		return nil, f
	}
	if text := argument.ExplainPlaceholders(g.prompt, caller.Host.Host, data.Problems); text != "" {
		return g.server.appendResult(ctx, dst, caller.Rev, caller.Host, nil, Messages(User(text)), served{})
	}
	return nil, f
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
	if _, ok := f.Client.Data.(unknownData); ok && v.unknown != nil {
		return v.unknown(ctx, dst, g.server.visibleIn(ctx))
	}
	if in, ok := f.Client.Data.(elicit.InputData); ok && in.Action == "" {
		return nil, f // the client sent an invalid answer, of which a model knows nothing
	}
	if _, isAboutArguments := f.Client.Data.(argumentsData); !isAboutArguments && !f.IsAnswer {
		return nil, f
	}
	return g.server.reject(ctx, dst, f, slog.String("prompt", phrase.Clip(g.prompt, phrase.MaxEcho)),
		func(ctx context.Context, dst []byte, rejected *Error) ([]byte, error) {
			return v.appendTo(ctx, dst, nil, rejected)
		})
}

func (s *Server) reject(ctx context.Context, dst []byte, f *rpc.Failure, about slog.Attr, appendTo appendRejected) ([]byte, error) {
	f = rpc.FromContext(ctx).Withhold(f)
	if f.Client.Code == transport.CodeMissingCapability {
		return nil, f // of which a model knows nothing
	}
	if f.Log != nil {
		s.rpc.Log(ctx, f.Level, f.Event, about, slog.Any("error", f.Log))
	}
	return appendTo(ctx, dst, f.Client)
}
