// Package promptfeature is for the [feature.Feature] of a package of this module whose methods
// serve prompts in another form, such as tools/call of package prompttools. The methods render and
// list prompts by the rules of prompts/get and prompts/list, ask the user, and encode content.
package promptfeature

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/call"
	"github.com/mcp-prompts/prompts/internal/rpc"
)

// server is what a server of package prompts does for a feature. The methods have the
// fields of the types below as parameters.
type server interface {
	Render(c call.Call, prompt string, arguments json.RawMessage, keys map[string]string, tool string,
		appendTo func(ctx context.Context, dst []byte, r *prompts.Result, rejected *prompts.Error) ([]byte, error),
		unknown func(ctx context.Context, dst []byte, visible func(prompt string) bool) ([]byte, error)) (call.Work, error)
	List(c call.Call, dst []byte, cursor string,
		atOnce func(dst []byte, cursor string, visible func(prompt string) bool) ([]byte, error),
		withContext func(ctx context.Context, dst []byte, cursor string, visible func(prompt string) bool) ([]byte, error)) ([]byte, call.Work, error)
	Interact(c call.Call, noun, name string, arguments json.RawMessage, run call.RunnerFunc,
		rejected func(ctx context.Context, dst []byte, rejected *prompts.Error) ([]byte, error)) (call.Work, error)
	AppendContent(ctx context.Context, dst []byte, content []prompts.Content, meta prompts.Meta) ([]byte, error)
}

func serverOf(c call.Call) (server, error) {
	if call := rpc.CallOf(c); call != nil {
		if s, ok := rpc.OwnerOf[server](call); ok {
			return s, nil
		}
	}
	return nil, errors.New("promptfeature: the Call does not come from the Serve of a feature's method")
}

// Rendering is a request of a feature for a prompt: see [Render].
type Rendering struct {
	// Prompt is the name of the prompt.
	Prompt string
	// Arguments are the arguments, a JSON object that [prompts.Prompt.InputSchema] describes.
	// For a number or a boolean, its string is accepted, too. An undeclared argument is an
	// error. nil means no arguments.
	Arguments json.RawMessage
	// Keys, if not nil, are what the client calls arguments, by their names. Errors and the
	// form of Options.ElicitArguments have the keys. Arguments has the names.
	Keys map[string]string
	// Tool is the name of the tool that the request calls, as the client has sent it. Errors
	// name the tool, and not the prompt, unless the client may see the prompt. Only then does
	// observe.Outcome have the tool. Empty for none.
	Tool string
	// Append appends the result of the request to dst, a JSON object. If rejected is
	// not nil there is no result: the arguments are invalid, the user declined to
	// answer, or the render function has returned rejected. Required.
	Append func(ctx context.Context, dst []byte, r *prompts.Result, rejected *prompts.Error) ([]byte, error)
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
func Render(c call.Call, r Rendering) (call.Work, error) {
	s, err := serverOf(c)
	if err != nil {
		return call.Work{}, err
	}
	return s.Render(c, r.Prompt, r.Arguments, r.Keys, r.Tool, r.Append, r.Unknown)
}

// Listing is a request of a feature for a list of what it makes of prompts: see [List].
type Listing struct {
	// Cursor is the position in the list, for the middleware. Empty for the start.
	Cursor string
	// Append appends the result of the request to dst, a JSON object. visible reports
	// whether the client may see a prompt; it is nil if the client may see all. cursor is
	// Cursor, unless the middleware has changed it. If nothing depends on the client,
	// Append is called at once, so it must return at once.
	Append func(dst []byte, cursor string, visible func(prompt string) bool) ([]byte, error)
	// AppendContext is Append for code that calls AppendContent or may wait. The rules
	// for ctx are those of a [prompts.RenderFunc]. Set one of the two.
	AppendContext func(ctx context.Context, dst []byte, cursor string, visible func(prompt string) bool) ([]byte, error)
}

// List returns a list for a request of a feature, as prompts/list does: with
// Options.Visible and the middleware, which gets a Request with Via. It is called by
// the Serve of a feature's method, which returns the results of List.
func List(c call.Call, dst []byte, l Listing) ([]byte, call.Work, error) {
	s, err := serverOf(c)
	if err == nil && (l.Append == nil) == (l.AppendContext == nil) {
		err = errors.New("promptfeature: List: set either Append or AppendContext of the Listing")
	}
	if err != nil {
		return nil, call.Work{}, err
	}
	return s.List(c, dst, l.Cursor, l.Append, l.AppendContext)
}

// Interaction is a request of a feature whose code may ask the user: see [Interact].
type Interaction struct {
	// Noun and Name say what runs, as those of a call.Work: such as "tool" and
	// "search". The answers of the user count only for the same Name. Required.
	Noun, Name string
	// Arguments are the arguments of the request, as JSON, with the limits MaxArguments
	// and MaxArgumentBytes. The answers of the user count only for the same arguments, which
	// a client may encode in another way, for example with members in another order. nil
	// means an empty object.
	Arguments json.RawMessage
	// Run appends the result of the request to dst, as the Run of a call.Runner. ctx is also
	// that of a [prompts.RenderFunc]: [prompts.Ask], [prompts.Elicit], [prompts.Once] and
	// [prompts.Include] work. An error of Ask is returned. Required.
	Run func(ctx context.Context, dst []byte) ([]byte, error)
	// Rejected, if not nil, appends the result if the arguments exceed a limit, or if the user did
	// not answer and Run has returned the error of Ask. Default: the error of prompts/get.
	Rejected func(ctx context.Context, dst []byte, rejected *prompts.Error) ([]byte, error)
}

// Interact returns the Work of a request of a feature whose code may ask the user. If the user
// has to be asked in 2026-07-28, the response is input_required, and the client's next request,
// with inputResponses and requestState in its params, has to come to Interact again.
//
// It is called by the Serve of a feature's method, with the Call of that. It returns an
// error if inputResponses or requestState are malformed.
func Interact(c call.Call, i Interaction) (call.Work, error) {
	s, err := serverOf(c)
	if err != nil {
		return call.Work{}, err
	}
	return s.Interact(c, i.Noun, i.Name, i.Arguments, i.Run, i.Rejected)
}

// AppendContent appends members of a result to dst, which ends with "{" or a member:
// the content as an array "content", in the form of the client's protocol version,
// with Options.Fallback; and "_meta". Limits.MaxResultBytes limits the members of dst, too.
// In 2026-07-28, AppendContent adds the resultType "complete" and the server's identity.
// ctx is that of Append of a [Rendering] or of a call.Runner. AppendContent returns an
// error if the content is invalid, which becomes an internal error.
func AppendContent(ctx context.Context, dst []byte, content []prompts.Content, meta prompts.Meta) ([]byte, error) {
	if r := rpc.FromContext(ctx); r != nil {
		if s, ok := rpc.OwnerOf[server](r); ok {
			return s.AppendContent(ctx, dst, content, meta)
		}
	}
	return nil, errors.New("promptfeature: AppendContent: this is not the context of a request")
}

// Follow calls f for each change of the registry before the change takes effect, and at once
// for the prompts that exist, in the order of their names, until the end of the registry. An
// error of f rejects the change: Add, Set, Update and Follow return the error, a join of one
// [*prompts.DeclarationError] for each prompt that f rejects. commit, if not nil, is called when
// the change has taken effect. f and commit must not use the registry.
func Follow(reg *prompts.Registry, f func(changes []call.Change[prompts.Prompt]) (commit func(), err error)) error {
	return call.Follow.(func(*prompts.Registry, func([]call.Change[prompts.Prompt]) (func(), error)) error)(reg, f)
}
