package wire

import (
	"strconv"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/transport"
)

type Response struct {
	Msg  []byte
	Code transport.Code // of an error, 0 for a result
}

// The member of a result of 2026-07-28 that says whether the request is complete (JRP-10).
const (
	CompleteResult = `"resultType":"complete"`
	InputRequired  = `"resultType":"input_required"`
)

// AppendResultHead appends the beginning of a response with a result. The
// result and a closing brace complete it.
func AppendResultHead(dst []byte, id string) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, id...)
	return append(dst, `,"result":`...)
}

// NullID is the id of an error response to a message without a readable id, in a
// protocol version that requires an id.
const NullID = "null"

// AppendErrorHead appends the beginning of a response with an error. The error and a closing
// brace complete it. If id is empty, the response has no id.
func AppendErrorHead(dst []byte, id string) []byte {
	dst = append(dst, `{"jsonrpc":"2.0"`...)
	if id != "" {
		dst = append(dst, `,"id":`...)
		dst = append(dst, id...)
	}
	return append(dst, `,"error":`...)
}

// ErrorResponse encodes an error response. If id is empty, the response has no
// id. Data that cannot be encoded is left out.
func ErrorResponse(id string, e *transport.Error) Response {
	dst := append(AppendErrorHead(nil, id), `{"code":`...)
	dst = strconv.AppendInt(dst, int64(e.Code), 10)
	dst = append(dst, `,"message":`...)
	dst = strictjson.AppendString(dst, e.Message)
	if e.Data != nil {
		at := len(dst)
		dst = append(dst, `,"data":`...)
		var err error
		if dst, err = jsonenc.Append(dst, e.Data); err != nil {
			dst = dst[:at]
		}
	}
	return Response{Msg: append(dst, "}}"...), Code: e.Code}
}

// AppendNotification appends a notification. If params is nil, it has no params.
func AppendNotification(dst []byte, method string, params []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","method":"`...)
	dst = append(dst, method...)
	dst = append(dst, '"')
	if params != nil {
		dst = append(dst, `,"params":`...)
		dst = append(dst, params...)
	}
	return append(dst, '}')
}

func AppendRequest(dst []byte, id, method string, params []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":"`...)
	dst = append(dst, id...)
	dst = append(dst, `","method":"`...)
	dst = append(dst, method...)
	dst = append(dst, `","params":`...)
	dst = append(dst, params...)
	return append(dst, '}')
}
