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
	r, err := core.ReadReply(raw, contentOf, inputRequest)
	if err != nil {
		return nil, err
	}
	result := &mcp.GetPromptResult{Description: r.Description}
	result.Meta, result.ResultType = metaOf(r.Meta), mcp.ResultType(r.Type)
	result.InputRequests, result.RequestState = r.Requests, r.State
	if r.Contents != nil {
		result.Messages = make([]mcp.PromptMessage, len(r.Contents))
	}
	for i, content := range r.Contents {
		result.Messages[i] = mcp.PromptMessage{Role: mcp.Role(r.Roles[i]), Content: content}
	}
	return result, nil
}

func toolResult(raw json.RawMessage) (*mcp.CallToolResult, error) {
	r, err := core.ReadReply(raw, contentOf, inputRequest)
	if err != nil {
		return nil, err
	}
	result := &mcp.CallToolResult{IsError: r.IsError, Content: r.Contents}
	result.Meta, result.ResultType = metaOf(r.Meta), mcp.ResultType(r.Type)
	result.InputRequests, result.RequestState = r.Requests, r.State
	if r.Structured != nil {
		result.StructuredContent = r.Structured
	}
	return result, nil
}

// contentOf returns content in the SDK's type, if that says the same.
func contentOf(raw json.RawMessage) (mcp.Content, error) {
	content, err := mcp.UnmarshalContent(raw)
	if err == nil && !core.EncodesTo(content, raw) {
		return rawContent{content, raw}, nil
	}
	return content, err
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
