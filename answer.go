package prompts

import (
	"strconv"

	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// answer is a response, encoded.
type answer struct {
	msg  []byte
	code Code // of an error, 0 for a result
}

// appendResultHead begins a response that ends with the result and a brace.
func appendResultHead(dst []byte, id string) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, id...)
	return append(dst, `,"result":`...)
}

// nullID is the id of an error response where a revision needs one and there
// is none to repeat.
const nullID = "null"

// errorAnswer encodes an error response. Without an id it has none.
func errorAnswer(id string, e *Error) answer {
	dst := []byte(`{"jsonrpc":"2.0"`)
	if id != "" {
		dst = append(dst, `,"id":`...)
		dst = append(dst, id...)
	}
	dst = append(dst, `,"error":{"code":`...)
	dst = strconv.AppendInt(dst, int64(e.Code), 10)
	dst = append(dst, `,"message":`...)
	dst = strictjson.AppendString(dst, e.Message)
	if e.Data != nil {
		at := len(dst)
		dst = append(dst, `,"data":`...)
		var err error
		if dst, err = appendJSON(dst, e.Data); err != nil {
			dst = dst[:at] // an author's data that cannot be sent is no reason not to answer
		}
	}
	return answer{msg: append(dst, "}}"...), code: e.Code}
}

// appendNotification appends a notification. Without params it has none.
func appendNotification(dst []byte, method string, params []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","method":"`...)
	dst = append(dst, method...)
	dst = append(dst, '"')
	if params != nil {
		dst = append(dst, `,"params":`...)
		dst = append(dst, params...)
	}
	return append(dst, '}')
}

// appendRequest appends a request to the client.
func appendRequest(dst []byte, id, method string, params []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":"`...)
	dst = append(dst, id...)
	dst = append(dst, `","method":"`...)
	dst = append(dst, method...)
	dst = append(dst, `","params":`...)
	dst = append(dst, params...)
	return append(dst, '}')
}
