package prompts

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"

	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/internal/seal"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/transport"
)

// This file is for features whose methods ask the user, such as a tool that
// is not a prompt.

// Interaction is a request of a feature whose code may ask the user: see [Interact].
type Interaction struct {
	// About describes what runs, in the log and in errors: the key is a noun such as
	// "tool", and the value a name.
	About slog.Attr
	// Arguments are the arguments of the request, as JSON, with the limits MaxArguments
	// and MaxArgumentBytes. The answers of the user count only for the same arguments.
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
func Interact(c feature.Call, i Interaction) (feature.Work, error) {
	call := c.(*rpc.Call)
	r := &interactionRequest{Interaction: i, method: strings.Clone(c.Method()), scope: scope{server: call.Owner().(*Server)}}
	if call.Rev.Stateless() {
		var err *wire.Error
		if r.responses, r.state, err = retryParams(call.Message.Params); err != nil {
			return feature.Work{}, err
		}
		if call.Message.Large {
			r.responses, r.state = strings.Clone(r.responses), strings.Clone(r.state)
		}
	}
	return feature.Work{Handler: r}, nil
}

// interactionRequest is an Interaction that is served.
type interactionRequest struct {
	Interaction
	scope
	method           string
	responses, state string // see getRequest
}

func (r *interactionRequest) LogAttr() slog.Attr { return r.About }

// Run is the work of the request.
func (r *interactionRequest) Run(ctx context.Context, dst []byte) ([]byte, error) {
	r.Context, r.request = ctx, rpc.FromContext(ctx)
	to := sync.OnceValue(func() seal.Binding {
		return r.server.bindState(ctx, r.method, []string{r.About.Value.String(), string(r.Arguments)})
	})
	if r.state != "" {
		if f := r.openState(r.state, to()); f != nil {
			return nil, f
		}
	}
	if r.responses != "" {
		r.retry().rawResponses = r.responses
	}
	result, pending, f := r.call(dst)
	switch {
	case pending:
		return runResult(r.appendInputRequired(dst, to()))
	case f == nil:
		return result, nil
	case !f.IsAnswer || r.Rejected == nil || f.Client.Code == transport.CodeMissingCapability:
		return nil, f
	}
	if f.Log != nil {
		r.server.Log(ctx, f.Level, f.Event, r.About, slog.Any("error", f.Log))
	}
	return r.Rejected(ctx, dst, (*Error)(f.Client))
}

// call calls the Run of the application, or reports that questions to the client are
// pending.
func (r *interactionRequest) call(dst []byte) (result []byte, pending bool, f *rpc.Failure) {
	defer r.withhold(&f)
	var doc strictjson.Doc
	_ = doc.Parse(string(r.Arguments), jsonenc.MaxDepth) // if it fails, there is nothing to limit
	if e := r.server.checkSizes("arguments", doc.Root()); e != nil {
		return nil, false, &rpc.Failure{Client: e, IsAnswer: true}
	}
	result, err := r.Interaction.Run(&r.scope, dst)
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
	_, f = r.server.failure(r.Context, r.request.Subject(), err, nil)
	return nil, false, f
}

// withhold is deferred by call. It removes the secrets of included prompts from the
// failure, which may be a panic.
func (r *interactionRequest) withhold(f **rpc.Failure) {
	secrets := r.knownSecrets()
	if secrets == nil {
		return // a panic continues
	}
	if v := recover(); v != nil {
		*f = rpc.Panic(r.request.Subject(), v)
	}
	if *f != nil {
		*f = secrets.redactFailure(*f, r.request.Subject())
	}
}
