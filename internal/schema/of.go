package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// This file converts the schemas of the application, which are any value that encodes as a
// JSON schema: no type of the public API is of package jsonschema.

// Parse returns the schema that v is or encodes as; nil for nil.
func Parse(v any) (*jsonschema.Schema, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case *jsonschema.Schema:
		return v, nil
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("schema must encode as JSON: %w", err)
	}
	s := new(jsonschema.Schema)
	if json.Unmarshal(raw, s) == nil && string(raw) != "null" {
		var doc strictjson.Doc
		if err := doc.Parse(string(raw), jsonenc.MaxDepth); err != nil {
			return nil, fmt.Errorf("schema: %w", err)
		}
		setOrder(s, doc.Root())
		return s, nil
	}
	// The error of package jsonschema names Go types.
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || members == nil {
		return nil, fmt.Errorf("schema must encode as an object or a boolean, got %s", phrase.Clip(string(raw), phrase.MaxEcho))
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		member, _ := json.Marshal(map[string]json.RawMessage{name: members[name]})
		if json.Unmarshal(member, new(jsonschema.Schema)) != nil {
			return nil, fmt.Errorf("keyword %q of the schema has an invalid value, got %s", name, phrase.Clip(string(members[name]), phrase.MaxEcho))
		}
	}
	return nil, errors.New("schema has keywords that exclude each other")
}

// setOrder gives the members of a schema, and of its members and elements, the order of the text.
func setOrder(s *jsonschema.Schema, v strictjson.Value) {
	for name, member := range v.Get("properties").Members() {
		s.PropertyOrder = append(s.PropertyOrder, name)
		setOrder(s.Properties[name], member)
	}
	if s.Items != nil {
		setOrder(s.Items, v.Get("items"))
	}
}

// Of is Parse for a value that Parse has accepted.
func Of(v any) *jsonschema.Schema {
	s, _ := Parse(v)
	return s
}

// OfArgument is Parse for an argument that has an enum in addition.
func OfArgument(v any, enum []string) (*jsonschema.Schema, error) {
	s, err := Parse(v)
	if err != nil || enum == nil {
		return s, err
	}
	var own jsonschema.Schema
	if s != nil {
		own = *s
	}
	if own.Enum != nil {
		return nil, errors.New("argument has both Enum and an enum in Schema; remove one of the two")
	}
	own.Enum = make([]any, len(enum))
	for i, value := range enum {
		own.Enum[i] = value
	}
	return &own, nil
}

// AsAny returns nil for a nil schema.
func AsAny(s *jsonschema.Schema) any {
	if s == nil {
		return nil
	}
	return s
}
