package transport

import "fmt"

// Code is a JSON-RPC error code.
type Code int

// The codes of the protocol. A transport may map the codes of invalid messages to
// status codes of its own.
const (
	CodeParseError         Code = -32700 // invalid JSON or UTF-8
	CodeInvalidRequest     Code = -32600 // JSON that is not a request
	CodeMethodNotFound     Code = -32601 // no such method, or not now
	CodeInvalidParams      Code = -32602 // unknown prompt, bad arguments, bad cursor
	CodeInternalError      Code = -32603 // an error of the server, or of the application's code
	CodeHeaderMismatch     Code = -32020 // 2026-07-28: an HTTP header that does not match the message
	CodeMissingCapability  Code = -32021 // 2026-07-28: the client did not declare a required capability
	CodeUnsupportedVersion Code = -32022 // 2026-07-28: an unknown protocol version
)

// Error is an error for the client, which gets all three fields. Package prompts has the
// rules for the errors of an application.
type Error struct {
	Code    Code
	Message string // one short sentence
	// Data is for programs, encoded by encoding/json; nil for none. If Data cannot be encoded, the
	// server logs why, and the client gets Code and Message alone. In an error of Server.Call, Data is
	// a json.RawMessage.
	Data any
}

// Error returns the message and the code. The text may change.
func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", e.Message, int(e.Code)) }
