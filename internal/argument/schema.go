package argument

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// This file copies, merges and walks JSON schemas. schema_check.go rejects those that
// make no sense.

func typesOf(s *jsonschema.Schema) []string {
	if s.Type != "" {
		return []string{s.Type}
	}
	return s.Types
}

// annotationsRemoved returns a shallow copy without the keywords that reject no
// value.
func annotationsRemoved(s *jsonschema.Schema) jsonschema.Schema {
	c := *s
	c.ID, c.Schema, c.Comment = "", "", ""
	c.Title, c.Description, c.Default, c.Examples = "", "", nil, nil
	c.Deprecated, c.ReadOnly, c.WriteOnly = false, false, false
	c.ContentEncoding, c.ContentMediaType, c.ContentSchema, c.Format = "", "", nil, ""
	c.Extra, c.PropertyOrder = nil, nil
	return c
}

// isEmpty reports whether the schema rejects no value.
func isEmpty(s *jsonschema.Schema) bool {
	return reflect.ValueOf(annotationsRemoved(s)).IsZero()
}

// falseSchema returns a schema that accepts no value.
func falseSchema() *jsonschema.Schema { return &jsonschema.Schema{Not: &jsonschema.Schema{}} }

// isFalse reports whether the schema is a falseSchema, with other keywords or without.
func isFalse(s *jsonschema.Schema) bool { return s != nil && s.Not != nil && isEmpty(s.Not) }

func isNumeric(schemaType string) bool { return schemaType == "integer" || schemaType == "number" }

// pointerEscaper escapes a name for a JSON pointer.
var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

// subschemas yields the schemas directly inside of s, each with its JSON pointer
// from s, always in the same order.
func subschemas(s *jsonschema.Schema) iter.Seq2[string, *jsonschema.Schema] {
	return func(yield func(string, *jsonschema.Schema) bool) {
		for at, sub := range parts(s) {
			if sub != nil && !yield(at, sub) {
				return
			}
		}
	}
}

// parts is subschemas with the nil elements of lists and maps.
func parts(s *jsonschema.Schema) iter.Seq2[string, *jsonschema.Schema] {
	return func(yield func(string, *jsonschema.Schema) bool) {
		v := reflect.ValueOf(s).Elem()
		for i := range v.NumField() {
			if v.Field(i).IsZero() { // as most are
				continue
			}
			at := "/" + keywordOf(v.Type().Field(i))
			switch f := v.Field(i).Interface().(type) {
			case *jsonschema.Schema:
				if f != nil && !yield(at, f) {
					return
				}
			case []*jsonschema.Schema:
				for j, sub := range f {
					if !yield(at+"/"+strconv.Itoa(j), sub) {
						return
					}
				}
			case map[string]*jsonschema.Schema:
				for _, name := range slices.Sorted(maps.Keys(f)) {
					if !yield(at+"/"+pointerEscaper.Replace(name), f[name]) {
						return
					}
				}
			}
		}
	}
}

// all yields s and the schemas inside of it.
func all(s *jsonschema.Schema) iter.Seq[*jsonschema.Schema] {
	return func(yield func(*jsonschema.Schema) bool) {
		if !yield(s) {
			return
		}
		for _, sub := range subschemas(s) {
			for inner := range all(sub) {
				if !yield(inner) {
					return
				}
			}
		}
	}
}

// keywordOf returns the keyword that a field of a Schema stands for.
func keywordOf(sf reflect.StructField) string {
	switch sf.Name {
	case "Items", "ItemsArray":
		return "items"
	case "DependencySchemas":
		return "dependencies"
	}
	name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
	return name
}

// refersOutside reports whether Items is not a schema by itself: it may refer to
// another part of the schema, or depend on another keyword.
func refersOutside(s *jsonschema.Schema) bool {
	return s.Schema != "" || s.PrefixItems != nil || s.ItemsArray != nil || hasReference(s)
}

func hasReference(s *jsonschema.Schema) bool {
	for sub := range all(s) {
		if sub.Ref != "" || sub.DynamicRef != "" {
			return true
		}
	}
	return false
}

// cloneSchema returns a deep copy. All values in it are as encoding/json decodes
// them.
func cloneSchema(s *jsonschema.Schema) (*jsonschema.Schema, error) {
	if err := checkTree(s, nil); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	raw, err := jsonenc.Append(nil, s)
	if err != nil {
		for inner := err; inner != nil; inner = errors.Unwrap(inner) {
			err = inner // the outer ones name types of jsonschema-go
		}
		return nil, fmt.Errorf("schema: %w", err)
	}
	c := new(jsonschema.Schema)
	if err := json.Unmarshal(raw, c); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return c, nil
}

// checkTree returns an error for schemas that encoding/json would loop on, change
// or reject without an explanation.
func checkTree(s *jsonschema.Schema, within []*jsonschema.Schema) error {
	if slices.Contains(within, s) {
		return errors.New("schema contains itself")
	}
	if s.Enum != nil && len(s.Enum) == 0 {
		return errors.New("enum is empty, so no value is allowed")
	}
	if s.Default != nil && !json.Valid(s.Default) {
		return fmt.Errorf("default %s is not valid JSON; quote strings, as in \"%[1]s\"", phrase.Clip(string(s.Default), 64))
	}
	values := s.Enum
	if s.Const != nil {
		values = append(values[:len(values):len(values)], *s.Const)
	}
	for _, v := range values {
		if err := checkExact(v); err != nil {
			return err
		}
	}
	for at, sub := range parts(s) {
		if sub == nil {
			return fmt.Errorf("%s is nil", at)
		}
		if err := checkTree(sub, append(within, s)); err != nil {
			return err
		}
	}
	return nil
}

// checkExact returns an error for an integer in a schema that has no float64:
// encoding/json would decode another number.
func checkExact(v any) error {
	raw, err := jsonenc.Marshal(v)
	var doc strictjson.Doc
	if err != nil || doc.Parse(string(raw), jsonenc.MaxDepth) != nil {
		return nil // cloneSchema has a better error
	}
	return checkExactIn(doc.Root())
}

func checkExactIn(v strictjson.Value) error {
	if v.IsInteger() {
		f, err := strconv.ParseFloat(v.Raw(), 64)
		if err != nil || jsonenc.Text(f) != v.Raw() {
			return fmt.Errorf("integer %s exceeds the precision of JSON numbers in a schema; use a string argument, or check the value in the render function", phrase.Clip(v.Raw(), 64))
		}
	}
	for e := range v.Elements() {
		if err := checkExactIn(e); err != nil {
			return err
		}
	}
	for _, m := range v.Members() {
		if err := checkExactIn(m); err != nil {
			return err
		}
	}
	return nil
}

// mergeSchemas returns inferred, overwritten by the keywords of declared.
func mergeSchemas(inferred, declared *jsonschema.Schema) *jsonschema.Schema {
	merged := inferred.CloneSchemas()
	items, properties, values := merged.Items, merged.Properties, merged.AdditionalProperties
	dst, src := reflect.ValueOf(merged).Elem(), reflect.ValueOf(declared).Elem()
	for i := range src.NumField() {
		if !src.Field(i).IsZero() {
			dst.Field(i).Set(src.Field(i))
		}
	}
	if declared.Type != "" {
		merged.Types = nil
	} else if declared.Types != nil {
		merged.Type = ""
	}
	if items != nil && declared.Items != nil {
		merged.Items = mergeSchemas(items, declared.Items)
	}
	if properties == nil && values != nil && declared.AdditionalProperties != nil { // of a map
		merged.AdditionalProperties = mergeSchemas(values, declared.AdditionalProperties)
	}
	if properties != nil && declared.Properties != nil {
		merged.Properties = properties
		for name, p := range declared.Properties {
			if properties[name] != nil {
				p = mergeSchemas(properties[name], p)
			}
			properties[name] = p
		}
	}
	return merged
}

// withEnum returns the schema with an enum of the consts, if its anyOf or oneOf
// contains nothing but consts with titles. It returns s otherwise.
func withEnum(s *jsonschema.Schema) (*jsonschema.Schema, error) {
	if s.Enum != nil || s.Const != nil {
		return s, nil
	}
	c := *s
	if c.Enum = constsOf(s.AnyOf); c.Enum != nil {
		c.AnyOf = nil
		return &c, nil
	}
	if c.Enum = constsOf(s.OneOf); c.Enum == nil {
		return s, nil
	}
	for i, v := range c.Enum {
		if contains(c.Enum[:i], v) {
			return nil, fmt.Errorf("schema: oneOf has the const %s twice, so the value is never allowed; remove one of the two", phrase.Clip(jsonenc.Text(v), 64))
		}
	}
	c.OneOf = nil
	return &c, nil
}

// constsOf returns the consts of the schemas; nil if one of them is anything else.
func constsOf(schemas []*jsonschema.Schema) []any {
	var values []any
	for _, s := range schemas {
		if s.Const == nil {
			return nil
		}
		rest := *s
		rest.Const, rest.Type, rest.Types = nil, "", nil
		if declaredTypes(s)&typeSets[typeOf(*s.Const)] == 0 || !isEmpty(&rest) {
			return nil
		}
		values = append(values, *s.Const)
	}
	return values
}

// typeOf returns the JSON type of a value that encoding/json has decoded.
func typeOf(v any) string {
	switch v := v.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<63 { // others are read as a float
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	case nil:
		return "null"
	}
	return "object"
}
