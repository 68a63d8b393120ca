// Package schema checks and copies the JSON schemas of arguments. It knows how the string of a
// client is read by what a schema allows ([KindOf]), but neither arguments nor Go types.
//
// check.go rejects schemas that make no sense, and type.go finds the types that a schema allows.
package schema

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

// TypesOf returns the types of the keyword type; nil without the keyword.
// jsonschema-go has two fields for the keyword, of which one is set.
func TypesOf(s *jsonschema.Schema) []string {
	if s.Type != "" {
		return []string{s.Type}
	}
	return s.Types
}

// WithoutAnnotations returns a shallow copy without the keywords that reject no value. Format is
// one of them: the specification makes format an annotation by default. Callers that check formats
// read the field themselves.
func WithoutAnnotations(s *jsonschema.Schema) jsonschema.Schema {
	c := *s
	c.ID, c.Schema, c.Comment = "", "", ""
	c.Title, c.Description, c.Default, c.Examples = "", "", nil, nil
	c.Deprecated, c.ReadOnly, c.WriteOnly = false, false, false
	c.ContentEncoding, c.ContentMediaType, c.ContentSchema, c.Format = "", "", nil, ""
	c.Extra, c.PropertyOrder = nil, nil
	return c
}

// annotations are the fields of a Schema that WithoutAnnotations removes.
var annotations = fieldsNamed("ID", "Schema", "Comment", "Title", "Description", "Default", "Examples", "Deprecated", "ReadOnly", "WriteOnly",
	"ContentEncoding", "ContentMediaType", "ContentSchema", "Format", "Extra", "PropertyOrder")

// IsEmpty reports whether the schema rejects no value. References and definitions count as keywords
// here, so a schema with $defs alone is not empty.
func IsEmpty(s *jsonschema.Schema) bool {
	return hasOnly(s, annotations)
}

// False returns a schema that accepts no value.
// jsonschema-go writes and reads the boolean schema false in this form.
func False() *jsonschema.Schema { return &jsonschema.Schema{Not: &jsonschema.Schema{}} }

// IsFalse reports whether the schema is a False, with other keywords or without.
func IsFalse(s *jsonschema.Schema) bool { return s != nil && s.Not != nil && IsEmpty(s.Not) }

func IsNumeric(schemaType string) bool { return schemaType == "integer" || schemaType == "number" }

// Subschemas yields the schemas directly inside of s, each with its JSON pointer from s, always in
// the same order. The fields of a schema are found by reflection, so that a new keyword of
// jsonschema-go is visited without a change here.
func Subschemas(s *jsonschema.Schema) iter.Seq2[string, *jsonschema.Schema] {
	return func(yield func(string, *jsonschema.Schema) bool) {
		for at, sub := range parts(s) {
			if sub != nil && !yield(at, sub) {
				return
			}
		}
	}
}

// parts is Subschemas with the nil elements of lists and maps.
func parts(s *jsonschema.Schema) iter.Seq2[string, *jsonschema.Schema] {
	return func(yield func(string, *jsonschema.Schema) bool) {
		if isFlat(s) {
			return
		}
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
					if !yield(at+"/"+phrase.PointerToken(name), f[name]) {
						return
					}
				}
			}
		}
	}
}

func all(s *jsonschema.Schema) iter.Seq[*jsonschema.Schema] {
	return func(yield func(*jsonschema.Schema) bool) {
		if !yield(s) {
			return
		}
		for _, sub := range Subschemas(s) {
			for inner := range all(sub) {
				if !yield(inner) {
					return
				}
			}
		}
	}
}

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

// RefersOutside reports whether Items is not a schema by itself: it may refer to another part of
// the schema, or depend on another keyword. prefixItems changes which elements items applies to,
// and $schema says which draft the items have.
func RefersOutside(s *jsonschema.Schema) bool {
	return s.Schema != "" || s.PrefixItems != nil || s.ItemsArray != nil || HasReference(s)
}

func HasReference(s *jsonschema.Schema) bool {
	if isFlat(s) {
		return false
	}
	for sub := range all(s) {
		if sub.Ref != "" || sub.DynamicRef != "" {
			return true
		}
	}
	return false
}

// Clone returns a deep copy. All values in it are as encoding/json decodes them. Values of a schema
// built by hand may have any Go type. After Clone they are nil, bool, float64, string, []any and
// map[string]any, and nothing is shared with s.
func Clone(s *jsonschema.Schema) (*jsonschema.Schema, error) {
	if c := cloneFlat(s); c != nil {
		return c, nil
	}
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

// within are the schemas around s. The same schema may occur twice side by side:
// the copy then has two.
func checkTree(s *jsonschema.Schema, within []*jsonschema.Schema) error {
	if slices.Contains(within, s) {
		return errors.New("schema contains itself")
	}
	if err := checkEmpty(s); err != nil {
		return err
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

// checkEmpty returns an error for an empty list of alternatives, which no value is one of.
// An empty list is not a keyword that is absent: jsonschema-go rejects all values, but
// encoding/json leaves out the list.
func checkEmpty(s *jsonschema.Schema) error {
	for _, list := range []struct {
		keyword string
		isEmpty bool
	}{
		{"type", s.Types != nil && len(s.Types) == 0},
		{"enum", s.Enum != nil && len(s.Enum) == 0},
		{"anyOf", s.AnyOf != nil && len(s.AnyOf) == 0},
		{"oneOf", s.OneOf != nil && len(s.OneOf) == 0},
	} {
		if list.isEmpty {
			return fmt.Errorf("%s is empty, so no value is allowed", list.keyword)
		}
	}
	return nil
}

// The author would see another number in the error of a client than in the code.
func checkExact(v any) error {
	raw, err := jsonenc.Marshal(v)
	var doc strictjson.Doc
	if err != nil || doc.Parse(string(raw), jsonenc.MaxDepth) != nil {
		return nil // Clone has a better error
	}
	return checkExactIn(doc.Root())
}

// checkExactIn is checkExact for a value inside of a value of the schema.
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

// Merge returns inferred, overwritten by the keywords of declared. Items, properties and the values
// of a map are merged in depth, so that a declared rule of one member does not remove what the Go
// type says of the others. Other keywords are replaced as a whole. Neither argument is changed.
func Merge(inferred, declared *jsonschema.Schema) *jsonschema.Schema {
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
		merged.Items = Merge(items, declared.Items)
	}
	if properties == nil && values != nil && declared.AdditionalProperties != nil { // of a map
		merged.AdditionalProperties = Merge(values, declared.AdditionalProperties)
	}
	if properties != nil && declared.Properties != nil {
		merged.Properties = properties
		for name, p := range declared.Properties {
			if properties[name] != nil {
				p = Merge(properties[name], p)
			}
			properties[name] = p
		}
	}
	return merged
}

// WithEnum returns the schema with an enum of the consts, if its anyOf or oneOf contains nothing
// but consts with titles. It returns s otherwise. JSON Schema accepts a value of a oneOf only if
// one const equals it, so a const that occurs twice rejects its value. An anyOf may repeat a const.
func WithEnum(s *jsonschema.Schema) (*jsonschema.Schema, error) {
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

// Annotations such as titles are not kept. A const that its own type does not allow is no value.
func constsOf(schemas []*jsonschema.Schema) []any {
	var values []any
	for _, s := range schemas {
		if s.Const == nil {
			return nil
		}
		rest := *s
		rest.Const, rest.Type, rest.Types = nil, "", nil
		if declaredTypes(s)&typeSets[TypeOf(*s.Const)] == 0 || !IsEmpty(&rest) {
			return nil
		}
		values = append(values, *s.Const)
	}
	return values
}

// TypeOf returns the JSON type of a value that encoding/json has decoded. A float64 without a
// fraction is an integer, because JSON Schema does not distinguish 3 and 3.0.
func TypeOf(v any) string {
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
