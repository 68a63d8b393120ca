package gosdk

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// wireError returns the SDK's form of an error that the client is to get. The
// SDK sends no other error with a code and data as they are.
func wireError(e *prompts.Error) *jsonrpc.Error {
	out := &jsonrpc.Error{Code: int64(e.Code), Message: e.Message}
	if e.Data != nil {
		if data, err := json.Marshal(e.Data); err == nil {
			out.Data = data
		}
	}
	return out
}

// ownError returns this library's form of an error of an SDK's handler: one with a code keeps that,
// with its message and data; of any other the client does not get the text.
func ownError(err error) error {
	var e *jsonrpc.Error
	if !errors.As(err, &e) || e == nil {
		return err
	}
	out := &prompts.Error{Code: transport.Code(e.Code), Message: e.Message}
	if len(e.Data) > 0 {
		out.Data = e.Data
	}
	if err == error(e) {
		return out
	}
	return fmt.Errorf("%w: %w", out, err) // what is around it is for the log
}

// isUnknown reports whether an error is the SDK's error for an unknown prompt or tool
// (v1.8.0 mcp/server.go:908, mcp/server.go:1010).
func isUnknown(err error, kind, name string) bool {
	var e *jsonrpc.Error
	return errors.As(err, &e) && e.Code == jsonrpc.CodeInvalidParams && len(e.Data) == 0 && e.Message == unknown(kind, name)
}

func unknown(kind, name string) string { return fmt.Sprintf("unknown %s %q", kind, name) }

// isNoMethod reports whether an error is the one that the SDK has for a server
// without a CompletionHandler (v1.8.0 mcp/server.go:726). One of the same code
// may be a middleware's, which refuses.
func isNoMethod(err error) bool {
	var e *jsonrpc.Error
	return errors.As(err, &e) && e.Code == jsonrpc.CodeMethodNotFound && len(e.Data) == 0 && e.Message == "method not found"
}

// isMissing reports whether an error is our server's error for a prompt or a tool that is
// unknown or hidden.
func isMissing(err error, kind string) bool {
	var e *jsonrpc.Error
	if !errors.As(err, &e) || e.Code != jsonrpc.CodeInvalidParams {
		return false
	}
	var data map[string]json.RawMessage
	return json.Unmarshal(e.Data, &data) == nil && data[kind] != nil && data["problems"] == nil
}
