package mcpgo

import (
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcp-prompts/prompts/mount/internal/core"
)

// rawContent is content that the SDK's type would change. It keeps the encoding of our server.
type rawContent struct {
	mcp.Content // nearly the same
	raw         json.RawMessage
}

// MarshalJSON returns the content as our server has encoded it.
func (c rawContent) MarshalJSON() ([]byte, error) { return c.raw, nil }

func getResult(raw json.RawMessage) (*mcp.GetPromptResult, error) {
	var wire struct {
		mcp.GetPromptResult
		Messages []struct {
			Role    mcp.Role        `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	parts, err := core.ReadResult(raw, &wire)
	if err != nil {
		return nil, err
	}
	result := &wire.GetPromptResult
	result.Meta = metaOf(parts.Meta)
	if wire.Messages != nil {
		result.Messages = make([]mcp.PromptMessage, len(wire.Messages))
	}
	for i, m := range wire.Messages {
		content, err := contentOf(m.Content)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i+1, err)
		}
		result.Messages[i] = mcp.PromptMessage{Role: m.Role, Content: content}
	}
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
	if parts.StructuredContent != nil { // not RawStructuredContent, which would hide changes by a middleware
		result.StructuredContent, result.RawStructuredContent = parts.StructuredContent, nil
	}
	result.Meta = metaOf(parts.Meta)
	result.InputRequests, err = core.ReadRequests(parts, inputRequest)
	return result, err
}

func contentOf(raw json.RawMessage) (mcp.Content, error) {
	content, err := mcp.UnmarshalContent(raw)
	if err != nil {
		return nil, err
	}
	return exact(content, raw), nil
}

// exact returns the SDK's form of a content, with the encoding of raw.
func exact(content mcp.Content, raw json.RawMessage) mcp.Content {
	if core.EncodesTo(content, raw) {
		return content
	}
	return rawContent{content, raw}
}

// inputRequest returns a question in the SDK's type, and fails if that says something else.
func inputRequest(method string, params json.RawMessage) (mcp.InputRequest, error) {
	request := mcp.InputRequest{Method: mcp.MCPMethod(method)}
	switch request.Method {
	case mcp.MethodElicitationCreate:
		request.Elicitation = &mcp.ElicitationParams{}
		return request, core.Decode(params, request.Elicitation)
	case mcp.MethodSamplingCreateMessage:
		request.Sampling = &mcp.CreateMessageParams{}
		return request, core.Decode(params, request.Sampling)
	case mcp.MethodListRoots:
		request.Roots = &mcp.ListRootsParams{}
		return request, nil
	}
	return request, fmt.Errorf("mcpgo: mcp-go has no request %q", method)
}

func metaOf(meta map[string]any) *mcp.Meta {
	if meta == nil {
		return nil
	}
	return &mcp.Meta{AdditionalFields: meta}
}
