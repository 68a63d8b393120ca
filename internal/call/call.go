// Package call is the door between package feature and the packages of this module that
// serve features: it reaches what a feature.Call hides from its users.
package call

import (
	"encoding/json"

	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// Request is the request behind a feature.Call.
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

// Call is the type that feature.Call is defined by: a pointer to one converts to a pointer to
// the other, here and nowhere outside of this module.
type Call struct{ request Request }

// Bind makes c the Call of a request.
func (c *Call) Bind(r Request) { c.request = r }

// Request returns the request of c; nil for a Call that no server has made.
func (c *Call) Request() Request { return c.request }
