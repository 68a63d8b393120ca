package gosdk

import (
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-prompts/prompts/mount/internal/core"
)

// readReply reads a result of prompts/get or tools/call, and sets the result type of result,
// which has no other way to be set (v1.8.0 mcp/protocol.go:984).
func readReply(raw json.RawMessage, result json.Unmarshaler) (*core.Reply[mcp.Content, mcp.InputRequest], error) {
	r, err := core.ReadReply(raw, contentOf, inputRequest)
	if err == nil && r.Type != "" {
		err = result.UnmarshalJSON(fmt.Appendf(nil, `{"content":[],"resultType":%q}`, r.Type))
	}
	return r, err
}

func getResult(raw json.RawMessage) (*mcp.GetPromptResult, error) {
	result := new(mcp.GetPromptResult)
	r, err := readReply(raw, result)
	if err != nil {
		return nil, err
	}
	result.Description, result.RequestState, result.InputRequests, result.Meta = r.Description, r.State, r.Requests, r.Meta
	if r.Contents != nil {
		result.Messages = make([]*mcp.PromptMessage, len(r.Contents))
	}
	for i, content := range r.Contents {
		result.Messages[i] = &mcp.PromptMessage{Role: mcp.Role(r.Roles[i]), Content: content}
	}
	return result, nil
}

func toolResult(raw json.RawMessage) (*mcp.CallToolResult, error) {
	result := new(mcp.CallToolResult)
	r, err := readReply(raw, result)
	if err != nil {
		return nil, err
	}
	result.IsError, result.RequestState, result.InputRequests, result.Meta = r.IsError, r.State, r.Requests, r.Meta
	result.Content = r.Contents
	if r.Structured != nil {
		result.StructuredContent = r.Structured
	}
	return result, nil
}

// contentOf returns the SDK's form of a content, whose encoding is that of raw.
func contentOf(raw json.RawMessage) (mcp.Content, error) {
	var m mcp.PromptMessage
	if err := json.Unmarshal(fmt.Appendf(nil, `{"role":"user","content":%s}`, raw), &m); err != nil {
		return nil, err
	}
	if !core.EncodesTo(m.Content, raw) {
		return &exactContent{m.Content, raw}, nil
	}
	return m.Content, nil
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
