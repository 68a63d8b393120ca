package promptotel

// This file has the names of the semantic conventions for MCP, in development, of
// https://github.com/open-telemetry/semantic-conventions-genai (docs/gen-ai/mcp.md) at
// commit 0393513c908bf895e7b3ec480a2c1eb073c584af. The semconv packages of
// go.opentelemetry.io/otel have not had them since v1.41.

const (
	attrMethod          = "mcp.method.name"
	attrVersion         = "mcp.protocol.version"
	attrSession         = "mcp.session.id"
	attrPrompt          = "gen_ai.prompt.name"
	attrTool            = "gen_ai.tool.name"
	attrGenAIOperation  = "gen_ai.operation.name"
	attrRequestID       = "jsonrpc.request.id"
	attrStatusCode      = "rpc.response.status_code"
	attrErrorType       = "error.type"
	attrTransport       = "network.transport"
	attrProtocol        = "network.protocol.name"
	attrProtocolVersion = "network.protocol.version"
	attrClientAddress   = "client.address"

	// The conventions have no names for these. They are not in metrics.
	attrDigest  = "io.github.mcp-prompts.digest"
	attrRelease = "io.github.mcp-prompts.release"
	attrLabel   = "io.github.mcp-prompts.label"
)

const (
	metricServerOperation = "mcp.server.operation.duration"
	metricClientOperation = "mcp.client.operation.duration"
	metricServerSession   = "mcp.server.session.duration"
)

// Values that the conventions have for tools.
const (
	executeTool = "execute_tool" // of attrGenAIOperation
	toolError   = "tool_error"   // of attrErrorType, for a result with isError
)

// other is the value for what the conventions have no value for, and for what a
// client has invented.
const other = "_OTHER"

// buckets are the boundaries that the conventions advise for all three metrics.
var buckets = []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300}
