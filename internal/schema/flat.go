package schema

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

// This file recognizes the schemas of nearly all arguments, which need neither
// jsonschema-go nor encoding/json: a folder may have thousands.

// flatKeywords are the fields of a Schema that are about one value, not about its parts.
var flatKeywords = fieldsNamed("Title", "Description", "Default", "Deprecated", "ReadOnly", "WriteOnly", "Examples", "Type", "Enum", "Const",
	"MultipleOf", "Minimum", "Maximum", "ExclusiveMinimum", "ExclusiveMaximum", "MinLength", "MaxLength", "Pattern", "Format")

func fieldsNamed(names ...string) []bool {
	t := reflect.TypeFor[jsonschema.Schema]()
	is := make([]bool, t.NumField())
	for i := range is {
		is[i] = slices.Contains(names, t.Field(i).Name)
	}
	return is
}

func hasOnly(s *jsonschema.Schema, fields []bool) bool {
	v := reflect.ValueOf(s).Elem()
	for i, is := range fields {
		if !is && !v.Field(i).IsZero() {
			return false
		}
	}
	return true
}

// isFlat reports whether the schema has flatKeywords only. So it contains no schema, no
// reference, and no name that a reference could lead to.
func isFlat(s *jsonschema.Schema) bool { return hasOnly(s, flatKeywords) }

// cloneFlat is [Clone] for a flat schema whose values need no conversion. It returns nil
// for all others.
func cloneFlat(s *jsonschema.Schema) *jsonschema.Schema {
	if !isFlat(s) || s.Enum != nil && len(s.Enum) == 0 || !isPlainDefault(s.Default) {
		return nil
	}
	for _, text := range []string{s.Title, s.Description, s.Type, s.Pattern, s.Format} {
		if !utf8.ValidString(text) {
			return nil
		}
	}
	if !areDecoded(s.Enum) || !areDecoded(s.Examples) || s.Const != nil && !areDecoded([]any{*s.Const}) {
		return nil
	}
	for _, n := range []*float64{s.MultipleOf, s.Minimum, s.Maximum, s.ExclusiveMinimum, s.ExclusiveMaximum} {
		if n != nil && !isFinite(*n) {
			return nil
		}
	}
	for _, n := range []*int{s.MinLength, s.MaxLength} {
		if n != nil && (*n < 0 || *n > math.MaxInt32) {
			return nil
		}
	}
	c := *s
	c.Default, c.Enum, c.Examples = slices.Clone(s.Default), slices.Clone(s.Enum), slices.Clone(s.Examples)
	if len(s.Examples) == 0 {
		c.Examples = nil
	}
	c.Const = copied(s.Const)
	c.MultipleOf, c.Minimum, c.Maximum = copied(s.MultipleOf), copied(s.Minimum), copied(s.Maximum)
	c.ExclusiveMinimum, c.ExclusiveMaximum = copied(s.ExclusiveMinimum), copied(s.ExclusiveMaximum)
	c.MinLength, c.MaxLength = copied(s.MinLength), copied(s.MaxLength)
	return &c
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	return new(*p)
}

func isFinite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// areDecoded reports whether encoding/json decodes the values to what they are, and none has parts.
func areDecoded(values []any) bool {
	for _, v := range values {
		ok := true
		switch v := v.(type) {
		case string:
			ok = utf8.ValidString(v)
		case float64:
			ok = isFinite(v)
		case nil, bool:
		default:
			ok = false
		}
		if !ok {
			return false
		}
	}
	return true
}

// isPlainDefault reports whether a default is missing, or is a string or a word that
// encoding/json does not write in another way.
func isPlainDefault(raw json.RawMessage) bool {
	switch string(raw) {
	case "true", "false":
		return true
	}
	if raw == nil {
		return true
	}
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return false
	}
	return !slices.ContainsFunc(raw[1:len(raw)-1], func(b byte) bool { return b < ' ' || b > '~' || b == '"' || b == '\\' })
}
