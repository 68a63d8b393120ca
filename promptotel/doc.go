// Package promptotel traces and measures a prompts server with OpenTelemetry, by the
// semantic conventions for MCP:
//
//	observer, err := promptotel.New()
//	if err != nil {
//		return err
//	}
//	srv := prompts.MustNewServer(reg, prompts.Options{Observer: observer})
//
// Each request and notification from a client is a span of kind SERVER, such as "prompts/get
// review", and a point of the histogram mcp.server.operation.duration. An invalid message counts
// too, with the method _OTHER. Each request and notification to a client is a span of kind CLIENT
// and a point of mcp.client.operation.duration, including the client's response. Each session is a
// point of mcp.server.session.duration.
//
// The parent of a span is the trace context in the _meta of the request (traceparent, tracestate
// and baggage), and the span of the HTTP request is linked. Without a trace context in _meta, the
// span of the HTTP request is the parent. A malformed trace context is ignored.
//
// Values chosen by a client never become the name of a span or the value of an attribute, except
// the JSON-RPC id, which only spans have. Values of arguments, messages of prompts and messages of
// errors are not recorded. mcp.session.id is a hash of the session's id.
package promptotel
