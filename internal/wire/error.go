package wire

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// Code is a JSON-RPC error code.
type Code int

// The error codes of JSON-RPC and of the protocol.
const (
	CodeParseError         Code = -32700
	CodeInvalidRequest     Code = -32600
	CodeMethodNotFound     Code = -32601
	CodeInvalidParams      Code = -32602
	CodeInternalError      Code = -32603
	CodeMissingCapability  Code = -32021 // 2026-07-28
	CodeUnsupportedVersion Code = -32022 // 2026-07-28
)

// Error is the error object of a response: the client gets all three fields.
// The root package has a type of the same fields, so that the one converts to
// the other for free.
type Error struct {
	Code    Code
	Message string
	Data    any // encodable by encoding/json, or nil
}

func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", e.Message, int(e.Code)) }

// InvalidParams returns an invalid params error without data.
func InvalidParams(format string, args ...any) *Error {
	return &Error{Code: CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

// paramData is the data of an error about one member of params.
type paramData struct {
	Param string `json:"param"`
}

// InvalidParam returns an invalid params error whose data names a member of
// params.
func InvalidParam(name, format string, args ...any) *Error {
	e := InvalidParams(format, args...)
	e.Data = paramData{name}
	return e
}

// WrongKind returns an invalid params error for a value of params that is missing, or
// that is not what is expected.
func WrongKind(param, subject, want string, v strictjson.Value) *Error {
	if v.Kind() == strictjson.Invalid {
		return InvalidParam(param, "%s is required and must be %s", subject, want)
	}
	return InvalidParam(param, "%s must be %s, got %s", subject, want, v.Kind())
}

// WithParam turns an error about params into one about the object that is the
// member param of params.
func (e *Error) WithParam(param string) *Error {
	e.Message = strings.Replace(e.Message, "params", "params."+param, 1)
	e.Data = paramData{param}
	return e
}

// InvalidRequest returns an invalid request error.
func InvalidRequest(format string, args ...any) *Error {
	e := InvalidParams(format, args...)
	e.Code = CodeInvalidRequest
	return e
}

// InternalError returns an internal error.
func InternalError(message string) *Error {
	return &Error{Code: CodeInternalError, Message: message}
}

// Busy returns the error for a request that a limit rejects.
func Busy() *Error { return InternalError("server is at capacity; retry later") }

// MethodNotFound returns the error for an unknown method.
func MethodNotFound(name string) *Error {
	return &Error{
		Code:    CodeMethodNotFound,
		Message: "method not found: " + phrase.Clip(name, 64),
		Data: struct {
			Method string `json:"method"`
		}{phrase.Clip(name, phrase.MaxEcho)},
	}
}

// UnsupportedVersion returns the error for a request whose metadata names a
// protocol version that is not served statelessly (DSC-07, GAP-05, GAP-06).
func UnsupportedVersion(requested string) *Error {
	supported := Versions()
	if _, ok := revision.Parse(requested); ok {
		// The version is served, but with initialize: a client that finds it
		// in the list would only send the same request again.
		supported = slices.DeleteFunc(supported, func(v string) bool {
			rev, _ := revision.Parse(v)
			return !rev.Stateless()
		})
	}
	return &Error{
		Code: CodeUnsupportedVersion,
		Message: fmt.Sprintf("unsupported protocol version %q (supported: %s)",
			phrase.Clip(requested, 64), strings.Join(supported, ", ")),
		Data: struct {
			Supported []string `json:"supported"`
			Requested string   `json:"requested"`
		}{supported, phrase.Clip(requested, phrase.MaxEcho)},
	}
}

// Versions returns the protocol versions that are served, newest first.
func Versions() []string {
	var all []string
	for _, rev := range revision.All() {
		all = append(all, rev.String())
	}
	return all
}

// ForRevision returns the error of an application's method with a code that
// the protocol version allows. 2026-07-28 has retired two codes and reserves a
// range (JRP-23, JRP-24).
func (e *Error) ForRevision(rev revision.Revision) *Error {
	if !rev.Stateless() {
		return e
	}
	code := e.Code
	switch {
	case code == -32002: // resource not found
		code = CodeInvalidParams
	case code == -32042, -32099 <= code && code < CodeUnsupportedVersion:
		code = CodeInternalError
	}
	return &Error{Code: code, Message: e.Message, Data: e.Data}
}
