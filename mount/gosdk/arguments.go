package gosdk

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The SDK reads an argument that is null as an empty string, before any
// middleware (v1.8.0 mcp/protocol.go:949). Handler and Transport read the message before
// the SDK, and name such arguments in _meta, where the mount finds them.

const nullsKey = "io.github.mcp-prompts/null-arguments"

// maxMarkedBody is the maximum number of bytes of a request that Handler reads, as
// many as the SDK reads by default.
const maxMarkedBody = 4 << 20

// Handler returns a handler that wraps next, such as a [mcp.StreamableHTTPHandler],
// and lets the mount read a null argument as one that is left out. Without Handler, the SDK
// turns null into an empty string. It holds a request's body in memory, up to 4 MiB, and passes
// longer ones to next unchanged.
func Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.Body != nil {
			body := r.Body
			raw, err := io.ReadAll(io.LimitReader(body, maxMarkedBody+1))
			if err == nil && len(raw) <= maxMarkedBody {
				raw = markMessage(raw)
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
// lets the mount read a null argument as one that is left out. Without Transport, the SDK
// turns null into an empty string. With Transport, the SDK accepts batches over standard input in
// all versions (v1.8.0 mcp/transport.go:705).
func Transport(t mcp.Transport) mcp.Transport { return markingTransport{t} }

type markingTransport struct{ mcp.Transport }

func (t markingTransport) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := t.Transport.Connect(ctx)
	return markingConn{conn}, err
}

type markingConn struct{ mcp.Connection }

func (c markingConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(ctx)
	if request, ok := msg.(*jsonrpc.Request); ok && err == nil && request.Method == methodGet {
		request.Params = markNulls(request.Params)
	}
	return msg, err
}

func markMessage(raw []byte) []byte {
	if !bytes.Contains(raw, []byte("null")) || !bytes.Contains(raw, []byte(methodGet)) {
		return raw
	}
	msg, err := jsonrpc.DecodeMessage(raw)
	request, ok := msg.(*jsonrpc.Request)
	if err != nil || !ok || request.Method != methodGet {
		return raw
	}
	request.Params = markNulls(request.Params)
	if changed, err := jsonrpc.EncodeMessage(request); err == nil {
		return changed
	}
	return raw
}

// markNulls returns the params of a prompts/get, with the names of the arguments
// that are null in _meta.
func markNulls(params json.RawMessage) json.RawMessage {
	if !bytes.Contains(params, []byte("null")) {
		return params
	}
	var members, arguments, meta map[string]json.RawMessage
	if json.Unmarshal(params, &members) != nil || json.Unmarshal(members["arguments"], &arguments) != nil {
		return params // the SDK answers
	}
	var names []string
	for name, value := range arguments {
		if string(value) == "null" {
			names = append(names, name)
		}
	}
	slices.Sort(names) // the SDK's errors repeat the params
	if names == nil || members["_meta"] != nil && json.Unmarshal(members["_meta"], &meta) != nil {
		return params
	}
	if meta == nil {
		meta = map[string]json.RawMessage{}
	}
	var err error
	if meta[nullsKey], err = json.Marshal(names); err != nil {
		return params
	}
	if members["_meta"], err = json.Marshal(meta); err != nil {
		return params
	}
	changed, err := json.Marshal(members)
	if err != nil {
		return params
	}
	return changed
}

// argumentsOf returns the arguments of a request as the client has sent them, and
// its _meta without what says which of them are null.
func argumentsOf(p *mcp.GetPromptParams) (arguments map[string]any, meta mcp.Meta) {
	if p.Arguments == nil {
		return nil, p.Meta
	}
	arguments = make(map[string]any, len(p.Arguments))
	for name, value := range p.Arguments {
		arguments[name] = value
	}
	names, ok := p.Meta[nullsKey].([]any)
	if !ok {
		return arguments, p.Meta
	}
	for _, name := range names {
		if name, ok := name.(string); ok && arguments[name] == "" {
			arguments[name] = nil
		}
	}
	meta = maps.Clone(p.Meta)
	delete(meta, nullsKey)
	return arguments, meta
}
