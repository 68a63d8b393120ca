package mcpgo

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcp-prompts/prompts/mount/internal/core"
)

// rawContent is content that the SDK's type would change. It keeps the encoding of
// our server.
type rawContent struct {
	mcp.Content // nearly the same
	raw         json.RawMessage
}

// MarshalJSON returns the content as our server has encoded it.
func (c rawContent) MarshalJSON() ([]byte, error) { return c.raw, nil }

// decodeResult translates what the prompts server answers prompts/get with.
func decodeResult(raw json.RawMessage) (*mcp.GetPromptResult, error) {
	var from struct {
		ResultType    mcp.ResultType             `json:"resultType"`
		Meta          json.RawMessage            `json:"_meta"`
		Description   string                     `json:"description"`
		InputRequests map[string]json.RawMessage `json:"inputRequests"`
		RequestState  string                     `json:"requestState"`
		Messages      []struct {
			Role    mcp.Role        `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(raw, &from); err != nil {
		return nil, err
	}
	meta, err := resultMeta(from.Meta)
	if err != nil {
		return nil, err
	}
	to := &mcp.GetPromptResult{Description: from.Description}
	to.Meta, to.ResultType, to.RequestState = meta, from.ResultType, from.RequestState
	for key, raw := range from.InputRequests {
		request, err := decodeInputRequest(raw)
		if err != nil {
			return nil, fmt.Errorf("input request %q: %w", key, err)
		}
		if to.InputRequests == nil {
			to.InputRequests = mcp.InputRequests{}
		}
		to.InputRequests[key] = request
	}
	for i, m := range from.Messages {
		content, err := decodeContent(m.Content)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i+1, err)
		}
		to.Messages = append(to.Messages, mcp.PromptMessage{Role: m.Role, Content: content})
	}
	return to, nil
}

// decodeContent returns content in the SDK's type, if that says the same.
func decodeContent(raw json.RawMessage) (mcp.Content, error) {
	content, err := mcp.UnmarshalContent(raw)
	if err != nil {
		return nil, err
	}
	again, err := json.Marshal(content)
	if err != nil {
		return nil, err
	}
	if core.SameJSON(raw, again) {
		return content, nil
	}
	return rawContent{content, raw}, nil
}

// decodeInputRequest returns a question in the SDK's type, and fails if that
// says something else.
func decodeInputRequest(raw json.RawMessage) (mcp.InputRequest, error) {
	var request mcp.InputRequest
	var envelope struct {
		Method mcp.MCPMethod   `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	if err := json.Unmarshal(raw, &envelope); err != nil {
		return request, err
	}
	request.Method = envelope.Method
	switch envelope.Method {
	case mcp.MethodElicitationCreate:
		request.Elicitation = &mcp.ElicitationParams{}
		return request, decodeExactly(envelope.Params, request.Elicitation)
	case mcp.MethodSamplingCreateMessage:
		request.Sampling = &mcp.CreateMessageParams{}
		return request, decodeExactly(envelope.Params, request.Sampling)
	case mcp.MethodListRoots:
		request.Roots = &mcp.ListRootsParams{}
		return request, nil
	}
	return request, fmt.Errorf("mcp-go has no request %q", envelope.Method)
}

// decodeExactly decodes into one of the SDK's types, numbers as they are. It
// does not mind members that the type has not.
func decodeExactly(raw json.RawMessage, to any) error {
	if len(raw) == 0 {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	return decoder.Decode(to)
}

// decodeObject returns an object with its numbers as they are.
func decodeObject(raw json.RawMessage) (map[string]any, error) {
	var object map[string]any
	return object, decodeExactly(raw, &object)
}

// decodeMeta returns a _meta with its numbers as they are, or nil if there is
// none.
func decodeMeta(raw json.RawMessage) (*mcp.Meta, error) {
	fields, err := decodeObject(raw)
	if err != nil || fields == nil {
		return nil, err
	}
	return &mcp.Meta{AdditionalFields: fields}, nil
}

// resultMeta returns the _meta of a result without the identity of the server, which
// the SDK's server adds itself. It returns nil if nothing is left.
func resultMeta(raw json.RawMessage) (*mcp.Meta, error) {
	meta, err := decodeMeta(raw)
	if meta == nil || err != nil {
		return nil, err
	}
	delete(meta.AdditionalFields, mcp.MetaKeyServerInfo)
	if len(meta.AdditionalFields) == 0 && meta.ProgressToken == nil {
		return nil, nil
	}
	return meta, nil
}
