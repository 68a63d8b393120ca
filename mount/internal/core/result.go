package core

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// Reply is a result of prompts/get or tools/call, with contents and input requests in the
// types of an SDK.
type Reply[C, Q any] struct {
	Type        string
	Description string
	Roles       []string // of the messages; nil for a tool
	Contents    []C      // nil if missing
	Structured  json.RawMessage
	IsError     bool
	State       string
	Requests    map[string]Q   // nil if missing
	Meta        map[string]any // without the name of the server, which the SDK adds
}

// ReadReply reads a result of a prompts server. content and request return the form that the
// SDK has for a content and for an input request.
func ReadReply[C, Q any](raw json.RawMessage, content func(json.RawMessage) (C, error), request func(method string, params json.RawMessage) (Q, error)) (*Reply[C, Q], error) {
	var wire struct {
		ResultType  string `json:"resultType"`
		Description string `json:"description"`
		Messages    []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Content           []json.RawMessage `json:"content"`
		StructuredContent json.RawMessage   `json:"structuredContent"`
		IsError           bool              `json:"isError"`
		RequestState      string            `json:"requestState"`
		InputRequests     map[string]struct {
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
		} `json:"inputRequests"`
	}
	if err := json.Unmarshal(raw, &wire); err != nil {
		return nil, err
	}
	meta, err := ReadMeta(raw)
	if err != nil {
		return nil, err
	}
	r := &Reply[C, Q]{
		Type: wire.ResultType, Description: wire.Description, Structured: wire.StructuredContent,
		IsError: wire.IsError, State: wire.RequestState, Meta: meta,
	}
	contents := wire.Content
	if wire.Messages != nil {
		contents = []json.RawMessage{}
	}
	for _, m := range wire.Messages {
		r.Roles, contents = append(r.Roles, m.Role), append(contents, m.Content)
	}
	if contents != nil {
		r.Contents = make([]C, len(contents))
	}
	for i, c := range contents {
		if r.Contents[i], err = content(c); err != nil {
			return nil, fmt.Errorf("content %d: %w", i+1, err)
		}
	}
	if wire.InputRequests != nil {
		r.Requests = make(map[string]Q, len(wire.InputRequests))
	}
	for key, q := range wire.InputRequests {
		if r.Requests[key], err = request(q.Method, q.Params); err != nil {
			return nil, fmt.Errorf("input request %q: %w", key, err)
		}
	}
	return r, nil
}

// ReadMeta returns the _meta of an object, or nil if nothing is in it, without the name of the
// server.
func ReadMeta(raw json.RawMessage) (map[string]any, error) {
	var object struct {
		Meta map[string]any `json:"_meta"`
	}
	err := Decode(raw, &object)
	delete(object.Meta, "io.modelcontextprotocol/serverInfo")
	if len(object.Meta) == 0 {
		return nil, err
	}
	return object.Meta, err
}

// Decode decodes JSON, with the digits of numbers unchanged, and ignores unknown members.
// Nothing decodes to nothing.
func Decode(raw json.RawMessage, to any) error {
	if len(raw) == 0 {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	return decoder.Decode(to)
}

// EncodesTo reports whether the encoding of v has the value of a JSON text, with numbers
// compared as they are written.
func EncodesTo(v any, raw json.RawMessage) bool {
	var values [2]any
	encoded, err := json.Marshal(v)
	return err == nil && json.Valid(raw) && Decode(encoded, &values[0]) == nil && Decode(raw, &values[1]) == nil &&
		reflect.DeepEqual(values[0], values[1])
}
