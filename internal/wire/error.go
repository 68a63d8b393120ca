package wire

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/transport"
)

// InvalidParams returns an invalid params error without data.
func InvalidParams(format string, args ...any) *transport.Error {
	return &transport.Error{Code: transport.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

type paramData struct {
	Param string `json:"param"`
}

// InvalidParam returns an invalid params error whose data names a member of params.
func InvalidParam(name, format string, args ...any) *transport.Error {
	e := InvalidParams(format, args...)
	e.Data = paramData{name}
	return e
}

// WrongKind returns an invalid params error for a value of params that is missing, or
// that is not what is expected.
func WrongKind(param, subject, want string, v strictjson.Value) *transport.Error {
	if v.Kind() == strictjson.Invalid {
		return InvalidParam(param, "%s is required and must be %s", subject, want)
	}
	return InvalidParam(param, "%s must be %s, got %s", subject, want, v.Kind())
}

// WithParam turns an error about params into one about the object that is the
// member param of params.
func WithParam(e *transport.Error, param string) *transport.Error {
	e.Message = strings.Replace(e.Message, "params", "params."+param, 1)
	e.Data = paramData{param}
	return e
}

// IsAboutParams reports whether an error is about params, and has no data but that of
// [InvalidParam]. Encoding the error then runs none of the application's code.
func IsAboutParams(e *transport.Error) bool {
	if e == nil {
		return false
	}
	_, isOurs := e.Data.(paramData)
	return e.Code == transport.CodeInvalidParams && (isOurs || e.Data == nil)
}

// ClientError returns the error in err that the client receives, or nil. An error with
// the code 0 does not count, because 0 means that no error occurred.
func ClientError(err error) *transport.Error {
	var e *transport.Error
	if errors.As(err, &e) && e != nil && e.Code != 0 {
		return e
	}
	return nil
}

func InvalidRequest(format string, args ...any) *transport.Error {
	e := InvalidParams(format, args...)
	e.Code = transport.CodeInvalidRequest
	return e
}

func InternalError(message string) *transport.Error {
	return &transport.Error{Code: transport.CodeInternalError, Message: message}
}

// Busy returns the error for a request that a limit rejects.
func Busy() *transport.Error { return InternalError("server is at capacity; retry later") }

func MethodNotFound(name string) *transport.Error {
	return &transport.Error{
		Code:    transport.CodeMethodNotFound,
		Message: "method not found: " + phrase.Clip(name, 64),
		Data: struct {
			Method string `json:"method"`
		}{phrase.Clip(name, phrase.MaxEcho)},
	}
}

// UnsupportedVersion returns the error for a request whose metadata names a
// protocol version that is not served statelessly (DSC-07, GAP-05, GAP-06).
func UnsupportedVersion(requested string) *transport.Error {
	supported := Versions()
	if _, ok := revision.Parse(requested); ok {
		// The version is served, but with initialize: a client that finds it
		// in the list would only send the same request again.
		supported = slices.DeleteFunc(supported, func(v string) bool {
			rev, _ := revision.Parse(v)
			return !rev.Stateless()
		})
	}
	return &transport.Error{
		Code: transport.CodeUnsupportedVersion,
		Message: fmt.Sprintf("unsupported protocol version %q (supported: %s)",
			phrase.Clip(requested, 64), strings.Join(supported, ", ")),
		Data: struct {
			Supported []string `json:"supported"`
			Requested string   `json:"requested"`
		}{supported, phrase.Clip(requested, phrase.MaxEcho)},
	}
}

func Versions() []string {
	var all []string
	for _, rev := range revision.All() {
		all = append(all, rev.String())
	}
	return all
}

// ForRevision returns the error of an application's method with a code that the protocol version
// allows. 2026-07-28 has retired two codes and reserves a range (JRP-23, JRP-24).
func ForRevision(e *transport.Error, rev revision.Revision) *transport.Error {
	if !rev.Stateless() {
		return e
	}
	code := e.Code
	switch {
	case code == -32002: // resource not found
		code = transport.CodeInvalidParams
	case code == -32042, -32099 <= code && code < transport.CodeUnsupportedVersion:
		code = transport.CodeInternalError
	}
	return &transport.Error{Code: code, Message: e.Message, Data: e.Data}
}

// Unaccepted is the error of a message that is not accepted and has no response.
type Unaccepted struct{ Err *transport.Error }

func (u *Unaccepted) Error() string { return "message rejected: " + u.Err.Error() }

func (u *Unaccepted) Unwrap() error { return u.Err }
