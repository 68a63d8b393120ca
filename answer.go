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

// errorAnswer encodes an error response. An empty id is one that could not be
// read: it is left out, as revisions from 2025-11-25 have it (GAP-13).
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
