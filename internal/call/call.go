// Package call is the door between package feature and the packages of this module that
// serve features: it reaches what feature hides from its users. The functions take any, so
// that feature can import this package.
package call

import (
	"encoding/json"

	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// Request is the request behind a *feature.Call.
type Request interface {
	Method() string
	Version() string
	Params() json.RawMessage
	// Parsed returns the params as the server has parsed them; Invalid without params.
	// The value and all that is read from it are valid until Serve returns.
	Parsed() strictjson.Value
	// Sender returns the fields of the feature.Client.
	Sender() (session uint64, key string)
	SetTool(name string)
}

// Package feature sets these variables when the program starts.
var (
	// Bind makes a *feature.Call the Call of a request.
	Bind func(c any, r Request)
	// Of returns the request of a *feature.Call; nil for one that no server has made.
	Of func(c any) Request
	// SetRaw makes a *feature.Method raw, and IsRaw reports whether it is. The result of
	// such a method is sent unchanged: it is on one line, and has the members that
	// 2026-07-28 requires.
	SetRaw func(method any)
	IsRaw  func(method any) bool
)

// Params returns the parsed params of a *feature.Call: see the Parsed method of Request.
func Params(c any) strictjson.Value {
	if r := Of(c); r != nil {
		return r.Parsed()
	}
	return strictjson.Value{}
}

// Raw returns a feature.Method that is raw.
func Raw[M any](method M) M {
	SetRaw(&method)
	return method
}
