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
// encode content.

var errCallOfNoServer = errors.New("prompts: the Call does not come from the Serve of a feature's method")

// Rendering is a request of a feature for a prompt: see [Render].
type Rendering struct {
	// Prompt is the name of the prompt.
	Prompt string
	// Arguments are the arguments, a JSON object that [Prompt.InputSchema] describes:
	// an integer is 3, not "3". An undeclared argument is an error. nil means no
	// arguments.
	Arguments json.RawMessage
	// Tool is the name of the tool that the request calls, for observe.Outcome. It counts only
	// if the client may see the prompt. Empty for none.
	Tool string
	// Append appends the result of the request to dst, a JSON object. If rejected is
	// not nil there is no result: the arguments are invalid, the user declined to
	// answer, or the render function has returned rejected. Required.
	Append func(ctx context.Context, dst []byte, r *Result, rejected *Error) ([]byte, error)
	// Unknown, if not nil, is Append for a prompt that does not exist or that the client
	// may not see. visible is that of a [Listing]. Default: the error of prompts/get.
	Unknown func(ctx context.Context, dst []byte, visible func(prompt string) bool) ([]byte, error)
}

// Render returns the Work that renders a prompt for a request of a feature, as
// prompts/get does: with Options.Visible, the middleware, which gets a Request with
// Via, Options.ElicitArguments and the limits. If the user has to be asked in
// 2026-07-28, the response is input_required, and the client's next request, with
// inputResponses and requestState in its params, has to come to Render again.
//
// It is called by the Serve of a feature's method, with the Call of that. It returns
// an error if inputResponses or requestState are malformed.
func Render(c *feature.Call, r Rendering) (feature.Work, error) {
	call := rpc.CallOf(c)
	if call == nil {
		return feature.Work{}, errCallOfNoServer
	}
	s := call.Owner().(*Server)
	v := &rendering{Rendering: r, server: s, clientMethod: strings.Clone(c.Method()), text: string(r.Arguments)}
	v.Arguments = nil // v.text has them
	typed := v.check()
	retry, err := elicit.ReadRetry(call)
	if err != nil {
		return feature.Work{}, err
	}
	if s.handler != nil {
		p := &middlewareRequest{promptMethod: methodGet, served: &servedRendering{v, retry}}
		p.request = &Request{Prompt: r.Prompt, Arguments: typed.Texts}
		return s.throughMiddleware(call, p, promptSubject(r.Prompt)), nil
	}
	all := s.registry.snapshot()
	d, ok := all.Get(r.Prompt)
	if !ok {
		run := func(ctx context.Context, dst []byte) ([]byte, error) {
			return v.fail(ctx, dst, s.unknownPrompt(ctx, v.Prompt))
		}
		return feature.Work{Handler: unknownRequest{feature.HandlerFunc(unknownAttr, run), promptSubject(r.Prompt)}}, nil
	}
	return feature.Work{Handler: v.request(all, d, retry, typed, typed.Texts)}, nil
}

// rendering is a Rendering that is served.
type rendering struct {
	Rendering
	server       *Server
	clientMethod string
	text         string // of the arguments; empty if they are malformed
	malformed    *Error // of all arguments
}

// check returns the arguments. If they are malformed, it sets the error and returns none.
func (v *rendering) check() argument.Typed {
	text := v.text
	v.text = "" // unless they are valid
	if text == "" || text == "null" {
		return v.read()
	}
	var doc strictjson.Doc
	if doc.Parse(text, jsonenc.MaxDepth) != nil || doc.Root().Kind() != strictjson.Object {
		v.malformed = wire.InvalidParam("arguments", "arguments must be a JSON object")
		return v.read()
	}
	if v.malformed = v.server.checkSizes("arguments", doc.Root(), true); v.malformed != nil {
		return v.read()
	}
	v.text = text
	return argument.ReadTyped(doc.Root())
}

// read reads the arguments from their text. Their parsed form takes several times the
// memory of the text, so it is not kept while a request waits.
func (v *rendering) read() argument.Typed {
	var doc strictjson.Doc
	if v.text == "" || doc.Parse(v.text, jsonenc.MaxDepth) != nil {
		return argument.ReadTyped(strictjson.Value{})
	}
	return argument.ReadTyped(doc.Root())
}

// renderingRequest is the request for the prompt of a rendering.
type renderingRequest struct {
	getRequest
	rendering *rendering
}

// request returns the request for a prompt. texts are the texts of the arguments, which a
// middleware may have changed.
func (v *rendering) request(all *snapshot, d *definition, retry elicit.Retry, typed argument.Typed, texts map[string]string) *renderingRequest {
	g := &renderingRequest{rendering: v}
	g.server, g.prompts, g.definition, g.retry, g.method, g.isTyped = v.server, all, d, retry, v.clientMethod, true
	collected, problems := d.plan.CollectTyped(typed, texts)
	g.texts, g.others = collected, newOtherArguments(problems, nil)
	return g
}

// Run is the work of the request.
func (g *renderingRequest) Run(ctx context.Context, dst []byte) ([]byte, error) {
	result, pending, f := g.render(ctx)
	switch {
	case f != nil:
		return g.rendering.fail(ctx, dst, f)
	case pending:
		return runResult(g.appendPending(ctx, dst))
	}
	return g.rendering.append(ctx, dst, result)
}

// render is that of a getRequest. Only who may see the prompt learns that the arguments
// are malformed.
func (g *renderingRequest) render(ctx context.Context) (result *Result, pending bool, f *rpc.Failure) {
	if f := g.begin(ctx); f != nil {
		return nil, false, f
	}
	if g.rendering.Tool != "" {
		g.getRequest.request.SetTool(g.rendering.Tool)
	}
	if g.rendering.malformed != nil {
		return nil, false, &rpc.Failure{Client: g.rendering.malformed, IsAnswer: true}
	}
	return g.renderVisible(ctx)
}

// servedRendering is a rendering behind a middleware.
type servedRendering struct {
	*rendering
	retry elicit.Retry
}

func (v *servedRendering) about(d *definition, _ *Request) slog.Attr { return promptAttr(d) }

func (v *servedRendering) answer(ctx context.Context, p *middlewareRequest, r *Request) (*Response, pendingRequest, *rpc.Failure) {
	all, d, f := p.find(ctx, r)
	if f != nil {
		return nil, nil, f
	}
	g := v.request(all, d, v.retry, v.read(), r.Arguments)
	result, pending, f := g.render(ctx)
	if pending {
		return nil, g, nil
	}
	return g.response(result), nil, f
}

func (v *servedRendering) append(p *middlewareRequest, dst []byte, r *Response) ([]byte, error) {
	return v.rendering.append(p, dst, r.Result)
}

func (v *servedRendering) fail(p *middlewareRequest, dst []byte, f *rpc.Failure) ([]byte, error) {
	return v.rendering.fail(p, dst, f)
}

// append appends the result of the feature's method.
func (v *rendering) append(ctx context.Context, dst []byte, r *Result) ([]byte, error) {
	if r == nil {
		return nil, rpc.InvalidResult(promptSubject(v.Prompt), errors.New("render function returned neither a result nor an error"))
	}
	for i, m := range r.Messages { // of which Append may encode the content alone
		if err := checkRole(m.Role); err != nil {
			return nil, rpc.InvalidResult(promptSubject(v.Prompt), fmt.Errorf("message %d: %w", i+1, err))
		}
	}
	return v.Append(ctx, dst, r, nil)
}

// fail answers a request that has failed: with a result from Append or Unknown, or
// with an error of the method.
func (v *rendering) fail(ctx context.Context, dst []byte, f *rpc.Failure) ([]byte, error) {
	f = rpc.FromContext(ctx).Withhold(f)
	if _, ok := f.Client.Data.(unknownData); ok && v.Unknown != nil {
		return v.Unknown(ctx, dst, v.server.visibleIn(ctx))
	}
	if in, ok := f.Client.Data.(elicit.InputData); ok && in.Action == "" {
		return nil, f // the client sent an invalid answer, of which a model knows nothing
	}
	_, isAboutArguments := f.Client.Data.(argumentsData)
	if !isAboutArguments && !f.IsAnswer || f.Client.Code == transport.CodeMissingCapability {
		return nil, f
	}
	if f.Log != nil {
		v.server.rpc.Log(ctx, f.Level, f.Event, slog.String("prompt", phrase.Clip(v.Prompt, phrase.MaxEcho)), slog.Any("error", f.Log))
	}
	return v.Append(ctx, dst, nil, f.Client)
}

// Listing is a request of a feature for a list of what it makes of prompts: see
// [List].
type Listing struct {
	// Cursor is the position in the list, for the middleware. Empty for the start.
	Cursor string
	// Append appends the result of the request to dst, a JSON object. visible reports
	// whether the client may see a prompt; it is nil if the client may see all. cursor is
	// Cursor, unless the middleware has changed it. If nothing depends on the client,
	// Append is called at once, so it must return at once.
	Append func(dst []byte, cursor string, visible func(prompt string) bool) ([]byte, error)
	// AppendContext is Append for code that calls AppendContent or may wait. The rules
	// for ctx are those of a [RenderFunc]. Set one of the two.
	AppendContext func(ctx context.Context, dst []byte, cursor string, visible func(prompt string) bool) ([]byte, error)
}

// append calls the function that is set.
func (l *Listing) append(ctx context.Context, dst []byte, cursor string, visible func(prompt string) bool) ([]byte, error) {
	if l.AppendContext != nil {
		return l.AppendContext(ctx, dst, cursor, visible)
	}
	return l.Append(dst, cursor, visible)
}

// List returns a list for a request of a feature, as prompts/list does: with
// Options.Visible and the middleware, which gets a Request with Via. It is called by
// the Serve of a feature's method, which returns the results of List.
func List(c *feature.Call, dst []byte, l Listing) ([]byte, feature.Work, error) {
	call := rpc.CallOf(c)
	if call == nil {
		return nil, feature.Work{}, errCallOfNoServer
	}
	if (l.Append == nil) == (l.AppendContext == nil) {
		return nil, feature.Work{}, errors.New("prompts: List: set either Append or AppendContext of the Listing")
	}
	s := call.Owner().(*Server)
	if s.handler != nil {
		p := &middlewareRequest{promptMethod: methodList, served: &servedListing{&l}, request: &Request{Cursor: l.Cursor}}
		return nil, s.throughMiddleware(call, p, call.Method()), nil
	}
	if s.options.Visible == nil && !call.Deferred && l.AppendContext == nil {
		result, err := l.Append(dst, l.Cursor, nil)
		return result, feature.Work{}, err
	}
	l.Cursor = strings.Clone(l.Cursor)
	run := func(ctx context.Context, dst []byte) ([]byte, error) {
		return runResult(s.appendListing(ctx, dst, &l, l.Cursor))
	}
	return nil, feature.Work{Handler: feature.HandlerFunc(slog.String("method", strings.Clone(c.Method())), run)}, nil
}

// servedListing is a Listing behind a middleware.
type servedListing struct{ listing *Listing }

func (l *servedListing) about(*definition, *Request) slog.Attr { return slog.Attr{} }

func (l *servedListing) answer(ctx context.Context, p *middlewareRequest, r *Request) (*Response, pendingRequest, *rpc.Failure) {
	list, f := p.server.appendListing(ctx, nil, l.listing, r.Cursor)
	return p.listed(list), nil, f
}

func (l *servedListing) append(p *middlewareRequest, dst []byte, r *Response) ([]byte, error) {
	list, err := p.list(r)
	return append(dst, list...), err
}

func (l *servedListing) fail(_ *middlewareRequest, _ []byte, f *rpc.Failure) ([]byte, error) {
	return nil, f
}

// appendListing appends the result of a Listing.
func (s *Server) appendListing(ctx context.Context, dst []byte, l *Listing, cursor string) ([]byte, *rpc.Failure) {
	visible, subject := s.visibleIn(ctx), rpc.FromContext(ctx).Subject()
	result, err := l.append(ctx, dst, cursor, visible)
	if visible != nil && ctx.Err() != nil {
		return nil, rpc.InternalFailure(subject, context.Cause(ctx)) // and not half a list
	}
	if err != nil {
		return nil, featureFailure(ctx, subject, err)
	}
	return result, nil
}

// visibleIn returns the visible of a [Listing].
func (s *Server) visibleIn(ctx context.Context) func(prompt string) bool {
	if s.options.Visible == nil {
		return nil
	}
	return func(prompt string) bool {
		d, ok := s.registry.snapshot().Get(prompt)
		return ok && ctx.Err() == nil && s.isVisible(ctx, d)
	}
}

// Interaction is a request of a feature whose code may ask the user: see [Interact].
type Interaction struct {
	// About describes what runs, in the log and in errors: the key is a noun such as
	// "tool", and the value a name.
	About slog.Attr
	// Arguments are the arguments of the request, as JSON, with the limits MaxArguments
	// and MaxArgumentBytes. The answers of the user count only for the same arguments, which
	// a client may encode in another way, for example with members in another order. nil
	// means an empty object.
	Arguments json.RawMessage
	// Run appends the result of the request to dst, as the Run of a feature.Handler. ctx
	// is also that of a [RenderFunc]: [Ask], [Elicit], [Once] and [Include] work. An error
	// of Ask is returned. Required.
	Run func(ctx context.Context, dst []byte) ([]byte, error)
	// Rejected, if not nil, appends the result if the arguments exceed a limit, or if the
	// user did not answer and Run has returned the error of Ask. Default: the error of
	// prompts/get.
	Rejected func(ctx context.Context, dst []byte, rejected *Error) ([]byte, error)
}

// Interact returns the Work of a request of a feature whose code may ask the user. If the
// user has to be asked in 2026-07-28, the response is input_required, and the client's
// next request, with inputResponses and requestState in its params, has to come to
// Interact again.
//
// It is called by the Serve of a feature's method, with the Call of that. It returns an
// error if inputResponses or requestState are malformed.
func Interact(c *feature.Call, i Interaction) (feature.Work, error) {
	call := rpc.CallOf(c)
	if call == nil {
		return feature.Work{}, errCallOfNoServer
	}
	s := call.Owner().(*Server)
	r := &interactionRequest{Interaction: i, clientMethod: strings.Clone(c.Method()), scope: scope{server: s, prompts: s.registry.snapshot()}}
	var err *Error
	if r.retry, err = elicit.ReadRetry(call); err != nil {
		return feature.Work{}, err
	}
	return feature.Work{Handler: r}, nil
}

// interactionRequest is an Interaction that is served.
type interactionRequest struct {
	Interaction
	scope
	clientMethod string
	retry        elicit.Retry
}

func (r *interactionRequest) LogAttr() slog.Attr { return r.About }

// Run is the work of the request.
func (r *interactionRequest) Run(ctx context.Context, dst []byte) ([]byte, error) {
	r.Context, r.request = ctx, rpc.FromContext(ctx)
	to := sync.OnceValue(func() seal.Binding {
		return elicit.Bind(r.clientMethod, r.server.Principal(ctx), []string{r.About.Value.String(), r.canonicalArguments()})
	})
	if !r.retry.IsZero() {
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
	case !f.IsAnswer || r.Rejected == nil || f.Client.Code == transport.CodeMissingCapability:
		return nil, f
	}
	if f.Log != nil {
		r.server.rpc.Log(ctx, f.Level, f.Event, r.About, slog.Any("error", f.Log))
	}
	return r.Rejected(ctx, dst, f.Client)
}

// canonicalArguments returns the arguments in the form that is the same for every
// encoding of them.
func (r *interactionRequest) canonicalArguments() string {
	text := cmp.Or(string(r.Arguments), "{}")
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
	_ = doc.Parse(string(r.Arguments), jsonenc.MaxDepth) // if it fails, there is nothing to limit
	if e := r.server.checkSizes("arguments", doc.Root(), true); e != nil {
		return nil, false, &rpc.Failure{Client: e, IsAnswer: true}
	}
	result, err := r.Interaction.Run(&r.scope, dst)
	r.reportUnsent(err, r.About)
	switch {
	case err == nil:
		return result, false, nil
	case r.request.Rev.Stateless() && errors.Is(err, ErrInputRequired):
		return nil, true, nil
	}
	if e := elicitationError(r.request.Rev, r.About.Key, err); e != nil {
		f = clientFailure(e, err)
		f.IsAnswer = true
		return nil, false, f
	}
	if f, ok := err.(*rpc.Failure); ok { // of AppendContent
		return nil, false, f
	}
	return nil, false, featureFailure(r.Context, r.request.Subject(), err)
}

// AppendContent appends members of a result to dst, which ends with "{" or a member:
// the content as an array "content", in the form of the client's protocol version,
// with Options.Fallback; and "_meta". Limits.MaxResultBytes limits the members of dst, too.
// In 2026-07-28, AppendContent adds the resultType "complete" and the server's identity.
// ctx is that of Append of a [Rendering] or of a feature.Handler. AppendContent returns an
// error if the content is invalid, which becomes an internal error.
func AppendContent(ctx context.Context, dst []byte, content []Content, meta Meta) ([]byte, error) {
	r := rpc.FromContext(ctx)
	if r == nil {
		return nil, errors.New("prompts: AppendContent: this is not the context of a request")
	}
	s := r.Owner().(*Server)
	e := s.newEncoder(dst, r.Rev, r.Secrets(), r.Host.Has(hosts.ReadsNoToolAudio))
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
