package core

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// Parts are the parts of a result of prompts/get or tools/call that the types of an SDK may change.
type Parts struct {
	Messages          []struct{ Content json.RawMessage } // of a prompt
	Content           []json.RawMessage                   // of a tool
	StructuredContent json.RawMessage
	InputRequests     map[string]struct {
		Method string
		Params json.RawMessage
	}
	Meta map[string]any `json:"_meta"` // without the name of the server, which the SDK adds
}

// ReadResult decodes a result of a prompts server into the type of an SDK, and returns its parts.
func ReadResult(raw json.RawMessage, result any) (*Parts, error) {
	p := new(Parts)
	if err := errors.Join(json.Unmarshal(raw, result), Decode(raw, p)); err != nil {
		return nil, err
	}
	p.Meta = withoutServer(p.Meta)
	return p, nil
}

// ReadRequests returns the input requests of a result, or nil if it has none. read returns the
// form that an SDK has for an input request.
func ReadRequests[Q any](p *Parts, read func(method string, params json.RawMessage) (Q, error)) (map[string]Q, error) {
	if p.InputRequests == nil {
		return nil, nil
	}
	all := make(map[string]Q, len(p.InputRequests))
	for key, q := range p.InputRequests {
		request, err := read(q.Method, q.Params)
		if err != nil {
			return nil, fmt.Errorf("input request %q: %w", key, err)
		}
		all[key] = request
	}
	return all, nil
}

// ReadMeta returns the _meta of an object, or nil if nothing is in it, without the name of the
// server.
func ReadMeta(raw json.RawMessage) (map[string]any, error) {
	var object struct {
		Meta map[string]any `json:"_meta"`
	}
	err := Decode(raw, &object)
	return withoutServer(object.Meta), err
}

func withoutServer(meta map[string]any) map[string]any {
	delete(meta, "io.modelcontextprotocol/serverInfo")
	if len(meta) == 0 {
		return nil
	}
	return meta
}

// Encode returns the JSON of v, or nil if v is nil or cannot be encoded.
func Encode(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil || string(raw) == "null" {
		return nil
	}
	return raw
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
