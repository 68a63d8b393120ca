// Package call has the methods of this module's own features. Package feature has methods
// that answer with a value for encoding/json. A [Serve] appends the result instead, and reads
// the params as the server has parsed them.
package call

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"time"

	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// Seal is the parameter of a method that only this module can implement.
type Seal struct{}

// Serve answers a request without encoding/json. It checks the params and appends the result, a
// JSON object, to dst. The server puts the result on one line and adds the members that
// 2026-07-28 requires, so Serve and the Work must not append them: resultType, ttlMs and
// cacheScope by Cache, and _meta with the server's identity. If the result needs code that
// takes time, waits, asks the user or depends on the client, Serve returns [Work], and nil or
// dst instead of a result. Serve runs on the goroutine that reads the connection, so it must
// return at once. It may be called concurrently.
//
// An error that is, or wraps, a *prompts.Error is sent to the client. For any other error, the
// client gets an internal error without text, and the log gets the error.
type Serve func(c Call, dst []byte) (result []byte, w Work, err error)

// Call is a request for a Serve. It must not be used after Serve has returned.
type Call interface {
	Method() string
	// Version returns the protocol version of the response.
	Version() string
	// Params returns a copy of the params, a JSON object without duplicate names or invalid
	// UTF-8, or nil.
	Params() json.RawMessage
	// Parsed returns the params as the server has parsed them; Invalid without params.
	// The value and all that is read from it are valid until Serve returns.
	Parsed() strictjson.Value
	// Sender returns the fields of the feature.ClientID.
	Sender() (session uint64, key string)
	// SetTool names the tool that the request calls, for the Outcome of an observe.Observer.
	// The tool must exist, and the client must be allowed to see it: metrics have the name.
	SetTool(name string)
}

// Work produces the result of one request. It takes a slot of the concurrency
// limits, and runs within the time limit of the server.
type Work struct {
	// Runner produces the result. Required.
	Runner Runner
	// Noun and Name say what runs, such as "tool" and "search": in the log, as an
	// attribute, and in internal errors, which clients read. Default: the method.
	Noun, Name string
	// Timeout, if above 0, is a shorter time limit than the server's.
	Timeout time.Duration
}

// Runner produces the result of one request with code that may take time.
type Runner interface {
	// Run appends the result, a JSON object, to dst. The rules for ctx are those of
	// a prompts.RenderFunc. prompts.Progress reports progress. The rules for errors
	// are those of a Serve.
	Run(ctx context.Context, dst []byte) ([]byte, error)
}

// RunnerFunc is a function that is a [Runner].
type RunnerFunc func(ctx context.Context, dst []byte) ([]byte, error)

func (f RunnerFunc) Run(ctx context.Context, dst []byte) ([]byte, error) { return f(ctx, dst) }

// served is a method that a Serve answers.
type served struct {
	serve    Serve
	registry any
}

// Func returns the Func of a feature.Method that a Serve answers. A server finds the Serve by
// [ServeOf]. Any other caller of the function gets an error.
func Func(serve Serve) func(ctx context.Context, params json.RawMessage) (any, error) {
	return FuncOf(nil, serve)
}

// FuncOf is [Func] for a Serve that renders the prompts of a *prompts.Registry. A server of
// another registry rejects the method.
func FuncOf(registry any, serve Serve) func(ctx context.Context, params json.RawMessage) (any, error) {
	return (&served{serve, registry}).answer
}

// identifying is the context with which ServeOf calls answer.
type identifying struct{ context.Context }

var errCalled = errors.New("only a server calls the methods of this feature; do not wrap them")

func (s *served) answer(ctx context.Context, _ json.RawMessage) (any, error) {
	if _, ok := ctx.(*identifying); ok {
		return s, nil
	}
	return nil, errCalled
}

var codeOfAnswer = reflect.ValueOf((*served)(nil).answer).Pointer()

// ServeOf returns the Serve of a function that [Func] has returned, and nil for any other
// function, which it does not call.
func ServeOf(f func(ctx context.Context, params json.RawMessage) (any, error)) Serve {
	return servedBy(f).serve
}

// RegistryOf returns the registry of a function that [FuncOf] has returned, and nil for any
// other function.
func RegistryOf(f func(ctx context.Context, params json.RawMessage) (any, error)) any {
	return servedBy(f).registry
}

func servedBy(f func(ctx context.Context, params json.RawMessage) (any, error)) served {
	if f == nil || reflect.ValueOf(f).Pointer() != codeOfAnswer {
		return served{}
	}
	v, _ := f((*identifying)(nil), nil)
	return *v.(*served)
}

// Request is the request that a plain Func answers, for feature.RequestOf.
type Request struct {
	Method, Version           string
	Session                   uint64
	Key                       string
	ClientName, ClientVersion string
}

type requestKey struct{}

func WithRequest(ctx context.Context, r *Request) context.Context {
	return context.WithValue(ctx, requestKey{}, r)
}

// RequestOf returns the request of the context, or nil.
func RequestOf(ctx context.Context) *Request {
	r, _ := ctx.Value(requestKey{}).(*Request)
	return r
}

// Change is a prompt, a prompts.Prompt, that was added, replaced or removed.
type Change[P any] struct {
	Name string
	// Prompt is a copy of the prompt; nil if it was removed.
	Prompt *P
}

// Follow is the method follow of a prompts.Registry, for promptfeature.Follow. Package prompts
// sets it.
var Follow any
