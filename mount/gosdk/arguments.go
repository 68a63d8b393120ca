package gosdk

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The SDK reads an argument that is null as an empty string, before any
// middleware (v1.8.0 mcp/protocol.go:949). Handler and Transport read the message before
// the SDK, and remove such arguments.

// maxReadBody is the maximum number of bytes of a request that Handler reads, as
// many as the SDK reads by default.
const maxReadBody = 4 << 20

// Handler returns a handler that wraps next, such as a [mcp.StreamableHTTPHandler],
// and removes null arguments from requests for prompts, also for those of the server's own. Without
// Handler, the SDK turns null into an empty string. It holds a request's body in memory, up to 4 MiB, and passes
// longer ones to next unchanged.
func Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.Body != nil {
			body := r.Body
			raw, err := io.ReadAll(io.LimitReader(body, maxReadBody+1))
			if err == nil && len(raw) <= maxReadBody {
				raw = withoutNullsIn(raw)
			}
			r = r.WithContext(r.Context()) // a copy, since the caller's is not to be changed
			r.ContentLength = -1
			r.Body = struct {
				io.Reader
				io.Closer
			}{io.MultiReader(bytes.NewReader(raw), body), body}
		}
		next.ServeHTTP(w, r)
	})
}

// Transport returns a transport that wraps t, such as a [mcp.StdioTransport], and
// removes null arguments from requests for prompts, also for those of the server's own. Without
// Transport, the SDK turns null into an empty string. With Transport, the SDK accepts batches over standard input in
// all versions (v1.8.0 mcp/transport.go:705).
func Transport(t mcp.Transport) mcp.Transport { return strictTransport{t} }

type strictTransport struct{ mcp.Transport }

func (t strictTransport) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := t.Transport.Connect(ctx)
	return strictConn{conn}, err
}

type strictConn struct{ mcp.Connection }

func (c strictConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(ctx)
	if request, ok := msg.(*jsonrpc.Request); ok && err == nil && request.Method == methodGet {
		request.Params = withoutNulls(request.Params)
	}
	return msg, err
}

func withoutNullsIn(message []byte) []byte {
	if !bytes.Contains(message, []byte("null")) || !bytes.Contains(message, []byte(methodGet)) {
		return message
	}
	decoded, err := jsonrpc.DecodeMessage(message)
	request, ok := decoded.(*jsonrpc.Request)
	if err != nil || !ok || request.Method != methodGet {
		return message
	}
	request.Params = withoutNulls(request.Params)
	if changed, err := jsonrpc.EncodeMessage(request); err == nil {
		return changed
	}
	return message
}

// withoutNulls returns the params of a prompts/get without the arguments that are null.
func withoutNulls(params json.RawMessage) json.RawMessage {
	var members, arguments map[string]json.RawMessage
	if json.Unmarshal(params, &members) != nil || json.Unmarshal(members["arguments"], &arguments) != nil {
		return params // the SDK answers
	}
	given := len(arguments)
	maps.DeleteFunc(arguments, func(_ string, value json.RawMessage) bool { return string(value) == "null" })
	if len(arguments) == given {
		return params
	}
	members["arguments"], _ = json.Marshal(arguments) // JSON already, so that it never fails
	changed, _ := json.Marshal(members)
	return changed
}
