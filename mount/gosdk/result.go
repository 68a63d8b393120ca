package gosdk

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-prompts/prompts/mount/internal/core"
)

func getResult(raw json.RawMessage) (*mcp.GetPromptResult, error) {
	result := new(mcp.GetPromptResult)
	parts, err := core.ReadResult(raw, result)
	if err != nil {
		return nil, err
	}
	for i, m := range result.Messages {
		m.Content = exact(m.Content, parts.Messages[i].Content)
	}
	result.Meta = parts.Meta
	result.InputRequests, err = core.ReadRequests(parts, inputRequest)
	return result, err
}

func toolResult(raw json.RawMessage) (*mcp.CallToolResult, error) {
	result := new(mcp.CallToolResult)
	parts, err := core.ReadResult(raw, result)
	if err != nil {
		return nil, err
	}
	for i, content := range result.Content {
		result.Content[i] = exact(content, parts.Content[i])
	}
	if parts.StructuredContent != nil {
		result.StructuredContent = parts.StructuredContent
	}
	result.Meta = parts.Meta
	result.InputRequests, err = core.ReadRequests(parts, inputRequest)
	return result, err
}

// exact returns the SDK's form of a content, with the encoding of raw.
func exact(content mcp.Content, raw json.RawMessage) mcp.Content {
	if core.EncodesTo(content, raw) {
		return content
	}
	return &exactContent{content, raw}
}

// exactContent is content that the SDK's type would change: the type leaves out a
// priority of 0, the empty text of a resource, and the last digits of large numbers
// in _meta (v1.8.0 mcp/protocol.go:215, mcp/content.go:305).
type exactContent struct {
	mcp.Content // the SDK's form, and its unexported method
	raw         json.RawMessage
}

// MarshalJSON returns the content as our server has encoded it.
func (c *exactContent) MarshalJSON() ([]byte, error) { return c.raw, nil }
