package prompts

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"

	"github.com/mcp-prompts/prompts/internal/call"
	"github.com/mcp-prompts/prompts/internal/elicit"
	"github.com/mcp-prompts/prompts/internal/hosts"
	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/internal/seal"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/wire"
)

// This file is for features with methods of their own, such as tools/call: they render
// and list prompts by the rules of prompts/get and prompts/list, ask the user, and
// encode content. Package promptfeature is the way to it.

// features renders, lists and asks for the methods of a feature. Package promptfeature has
// the functions of the same names, with their documentation. The methods have no types of
// their own, because that package cannot name them.
type features struct{ server *Server }

// Render is that of package promptfeature.
func (f *features) Render(c call.Call, prompt string, arguments json.RawMessage, keys map[string]string, tool string, appendTo appendRendered, unknown appendUnknown) (call.Work, error) {
	req, s := rpc.CallOf(c), f.server
	retry, err := elicit.ReadRetry(req)
	if err != nil {
		return call.Work{}, err
	}
	both := new(struct { // in one allocation
		servedGet
		rendering
	})
	g, v := &both.servedGet, &both.rendering
	*v = rendering{server: s, method: c.Method(), keys: keys, tool: tool, appendTo: appendTo, unknown: unknown}
	g.server, g.prompt, g.feature, g.retry = s, prompt, v, retry
	args, detach := inParams(req, arguments), req.Message.Large
	switch {
	// Large arguments that are no part of the message are parsed when the request runs: what
	// the server has counted for the message is not enough for both.
	case args.Kind() == strictjson.Invalid && wire.IsLarge(len(arguments)):
		g.takeText(req, string(arguments))
		return call.Work{Runner: g}, nil
	case args.Kind() == strictjson.Invalid && len(arguments) > 0:
		var doc strictjson.Doc
		err := doc.Parse(string(arguments), jsonenc.MaxDepth)
		args, detach = v.check(doc.Root(), err), false
	default:
		args = v.check(args, nil)
	}
	g.take(req, args, detach)
	return call.Work{Runner: g}, nil
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

// List is that of package promptfeature.
func (f *features) List(c call.Call, dst []byte, cursor string, atOnce func(dst []byte, cursor string, visible func(prompt string) bool) ([]byte, error), withContext appendListed) ([]byte, call.Work, error) {
	req, s := rpc.CallOf(c), f.server
	if s.isOpen() && !req.Deferred && atOnce != nil {
		result, err := atOnce(dst, cursor, nil)
		return result, call.Work{}, err
	}
	l := &servedList{promptRequest: promptRequest{server: s}, rev: req.Rev, method: req.Method(), appendTo: withContext, cursor: strings.Clone(cursor)}
	if atOnce != nil {
		l.appendTo = func(_ context.Context, dst []byte, cursor string, visible func(prompt string) bool) ([]byte, error) {
			return atOnce(dst, cursor, visible)
		}
	}
	if r := l.open(req, l); r != nil {
		r.Cursor = l.cursor
	}
	return nil, call.Work{Runner: l}, nil
}

// Interact is that of package promptfeature.
func (f *features) Interact(c call.Call, noun, name string, arguments json.RawMessage, run call.RunnerFunc, rejected appendRejected) (call.Work, error) {
	s := f.server
	retry, err := elicit.ReadRetry(rpc.CallOf(c))
	if err != nil {
		return call.Work{}, err
	}
	i := &interaction{promptRequest: promptRequest{server: s}, own: scope{server: s, prompts: s.registry.snapshot()},
		noun: noun, called: name, arguments: arguments, code: run, rejected: rejected, method: c.Method(), retry: retry}
	return call.Work{Runner: i, Noun: noun, Name: name}, nil
}

// interaction is a request of a feature whose code may ask the user. It passes through no
// middleware.
type interaction struct {
	promptRequest
	own          scope // the only run
	noun, called string
	arguments    json.RawMessage
	code         call.RunnerFunc
	rejected     appendRejected // nil for the error of prompts/get
	method       string
	retry        *elicit.Retry
}

// Run is the work of the request.
func (i *interaction) Run(ctx context.Context, dst []byte) ([]byte, error) { return i.run(ctx, dst, i) }

func (i *interaction) methods() (seen, client string) { return i.method, i.method }

func (i *interaction) Subject() string { return i.noun + " " + phrase.Quote(i.called) }

func (i *interaction) LogAttr() slog.Attr { return slog.String(i.noun, i.called) }

func (i *interaction) answer(ctx context.Context, _ *Request, dst []byte) (Response, *scope, *rpc.Failure) {
	s := &i.own
	s.Context, s.request = ctx, rpc.FromContext(ctx)
	if i.retry != nil {
		if f := s.resume(i.retry, i.binding); f != nil {
			return Response{}, nil, f
		}
	}
	var doc strictjson.Doc
	_ = doc.Parse(string(i.arguments), jsonenc.MaxDepth) // if it fails, there is nothing to limit
	if e := s.server.checkSizes("arguments", doc.Root(), nil); e != nil {
		return Response{}, nil, &rpc.Failure{Client: e, IsAnswer: true}
	}
	result, err := i.code(s, dst)
	s.reportUnsent(err, i.LogAttr())
	switch {
	case err == nil:
		return Response{list: result}, nil, nil
	case s.isPending(err):
		_, _ = i.binding()
		return Response{}, s, nil
	}
	f, ok := err.(*rpc.Failure) // of AppendContent
	if !ok {
		f = s.refused(i.noun, nil, err)
	}
	if f == nil {
		f = featureFailure(ctx, i.Subject(), err)
	}
	return Response{}, nil, f
}

// binding returns what a state of the request is bound to. The arguments are in the form that
// is the same for every encoding of them.
func (i *interaction) binding() (seal.Binding, error) {
	return i.own.bindTo(i.method, func() []string {
		text := cmp.Or(string(i.arguments), "{}")
		var doc strictjson.Doc
		if doc.Parse(text, jsonenc.MaxDepth) == nil {
			text = string(doc.Root().AppendCanonical(nil))
		}
		return []string{i.called, text}
	})
}

func (i *interaction) append(_ context.Context, _ []byte, r Response) ([]byte, error) {
	return r.list, nil
}

func (i *interaction) fail(ctx context.Context, dst []byte, f *rpc.Failure) ([]byte, error) {
	if i.rejected == nil || !f.IsAnswer {
		return nil, f
	}
	return i.server.reject(ctx, dst, f, i.LogAttr(), i.rejected)
}

// AppendContent is that of package promptfeature.
func (f *features) AppendContent(ctx context.Context, dst []byte, content []Content, meta Meta) ([]byte, error) {
	r, s := rpc.FromContext(ctx), f.server
	e := s.newEncoder(ctx, dst, r.Rev, r.Secrets(), r.Host.Has(hosts.ReadsNoToolAudio))
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
		e.raw("," + wire.CompleteResult)
	}
	if e.end(meta); len(e.errs) > 0 {
		return nil, rpc.InvalidResult(r.Subject(), errors.Join(e.errs...))
	}
	return e.buf, nil
}
