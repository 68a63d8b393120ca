package gosdk

import (
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-prompts/prompts/mount/internal/core"
)

// getResult returns the SDK's form of a result of prompts/get.
func getResult(raw json.RawMessage) (*mcp.GetPromptResult, error) {
	var wire struct {
		ResultType    json.RawMessage            `json:"resultType"`
		Description   string                     `json:"description"`
		Messages      []wireMessage              `json:"messages"`
		RequestState  string                     `json:"requestState"`
		InputRequests map[string]wireQuestion    `json:"inputRequests"`
		Meta          map[string]json.RawMessage `json:"_meta"`
	}
	if err := json.Unmarshal(raw, &wire); err != nil {
		return nil, err
	}
	result := new(mcp.GetPromptResult)
	if wire.ResultType != nil {
		// There is no other way to set it (v1.8.0 mcp/protocol.go:984).
		if err := result.UnmarshalJSON([]byte(`{"resultType":` + string(wire.ResultType) + `}`)); err != nil {
			return nil, err
		}
	}
	result.Description, result.RequestState, result.Meta = wire.Description, wire.RequestState, metaOf(wire.Meta)
	if wire.Messages != nil {
		result.Messages = make([]*mcp.PromptMessage, len(wire.Messages))
	}
	for i, message := range wire.Messages {
		content, err := contentOf(message.Content)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i+1, err)
		}
		result.Messages[i] = &mcp.PromptMessage{Role: mcp.Role(message.Role), Content: content}
	}
	if wire.InputRequests != nil {
		result.InputRequests = make(mcp.InputRequestMap, len(wire.InputRequests))
	}
	for key, q := range wire.InputRequests {
		question, err := inputRequest(q.Method, q.Params)
		if err != nil {
			return nil, fmt.Errorf("question %q: %w", key, err)
		}
		result.InputRequests[key] = question
	}
	return result, nil
}

type wireMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

type wireQuestion struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// metaOf returns a _meta with its values as they are. What says who the server
// is must be missing: that is the SDK's to say.
func metaOf(raw map[string]json.RawMessage) mcp.Meta {
	var meta mcp.Meta
	for key, value := range raw {
		if key == mcp.MetaKeyServerInfo {
			continue
		}
		if meta == nil {
			meta = mcp.Meta{}
		}
		meta[key] = value
	}
	return meta
}

// contentOf returns the SDK's form of a content, whose encoding is that of raw.
func contentOf(raw json.RawMessage) (mcp.Content, error) {
	message, err := json.Marshal(wireMessage{Role: "user", Content: raw})
	if err != nil {
		return nil, err
	}
	var m mcp.PromptMessage
	if err := json.Unmarshal(message, &m); err != nil {
		return nil, err
	}
	again, err := json.Marshal(m.Content)
	if err != nil {
		return nil, err
	}
	if !core.SameJSON(raw, again) {
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
