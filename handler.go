package prompts

import (
	"context"
	"encoding/json"

	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/transport"
)

// This file has what a middleware sees: the Handler, the requests for lists, prompts and
// completions, and their responses. middleware.go passes them through.

// Handler answers a request: see Options.Middleware. It returns a response or an
// error. An [*Error], wrapped or not, is sent to the client unchanged. Any other
// error becomes an internal error without its text.
//
// The error of next may be returned unchanged, or wrapped to add details for the
// log. The error wraps the [*Error] for the client and the error of the
// application's code, or [ErrInputRequired] if the server asks the user.
type Handler func(ctx context.Context, r *Request) (*Response, error)

// Request is a request for a list of prompts, a prompt or completions, before any
// lookup or validation. A middleware may pass another Request to next, with another
// prompt or other arguments.
type Request struct {
	// Method is prompts/list, prompts/get or completion/complete. A middleware must
	// not change Method.
	Method string
	// Via is the method of the client's request, if that is not Method but a method of
	// a feature: tools/call renders prompts, and tools/list lists them.
	Via string
	// Prompt is the name of the prompt. It is empty for prompts/list, and for a tool that
	// does not exist. A client that calls a tool may not know the name: see PromptExists.
	Prompt string
	// Arguments are the arguments of prompts/get by name, or the other arguments in
	// completion/complete. It is never nil. A client that calls a tool may have sent an
	// argument by its key: only for a prompt that exists is the key replaced by the name.
	Arguments map[string]string
	// NonStrings are the names of the arguments that are null and, in a request of prompts/get,
	// of those that are not strings. Null is the same as leaving the argument out, unless its
	// schema admits null. Because of any other value, the server rejects the request.
	NonStrings []string
	// Argument is the name of the argument in completion/complete, and Prefix the
	// text in the input field.
	Argument, Prefix string
	// Cursor is the position in the list. It is empty for the start.
	Cursor string

	// Version is the protocol version of the response.
	Version string
	// Client is the client's description of itself: Name, Version and Title. It is not verified.
	Client Implementation
	// Principal is the result of Options.Principal.
	Principal string
	// ID is the JSON-RPC id of the request as JSON. It is empty for a Call without an id.
	ID string
	// SessionID identifies the session. It is empty without a session. It is a keyed
	// hash of the Mcp-Session-Id of HTTP, which is a secret.
	SessionID string
	// Transport describes the connection, if the transport provides a description.
	Transport transport.Info
	// Meta is the request's _meta, a JSON object, or nil. It contains traceparent,
	// tracestate and baggage.
	Meta json.RawMessage
}

// Response is the result of a [Request]. The response to prompts/list is opaque: a
// middleware returns the response of next, or an error.
type Response struct {
	// Result is the result of prompts/get. It must not be changed, because a render
	// function may return the same Result again.
	Result *Result
	// Values are the completions of completion/complete. The client gets the first
	// 100. Total is the number of all values, if larger.
	Values []string
	Total  int
	// Digest is the Digest of the rendered prompt, and Release the release that the prompt
	// or the list is of: see [Tx.SetRelease]. They are sent in the _meta of the result.
	Digest  string
	Release Release
	// Elicited reports that the result contains answers of the user. Do not use such
	// a result for another request.
	Elicited bool

	list       []byte            // the JSON of a page
	listRev    revision.Revision // that list is for
	listMethod string            // the client's method that list is for
	own        served            // Digest and Release, as they are sent without a middleware
}

// The methods of prompts, which go through the middleware.
const (
	methodList     = "prompts/list"
	methodGet      = "prompts/get"
	methodComplete = "completion/complete"
)
