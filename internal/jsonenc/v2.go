//go:build go1.27 && (goexperiment.jsonv2 || go1.28)

package jsonenc

import (
	"encoding/json"
	"encoding/json/jsontext"
	jsonv2 "encoding/json/v2"
	"errors"
	"io"

	"github.com/google/jsonschema-go/jsonschema"
)

// This file is for the implementation of encoding/json in Go 1.27, which
// GOEXPERIMENT=nojsonv2 turns off. By default it replaces invalid UTF-8 by a
// U+FFFD that looks like any other. An option makes it an error.

var (
	// asV1 are the options of encoding/json, but for HTML and invalid UTF-8.
	asV1 = jsonv2.JoinOptions(json.DefaultOptionsV1(), jsontext.EscapeForHTML(false), jsontext.AllowInvalidUTF8(false))

	strictJSON  = jsonv2.JoinOptions(asV1, jsonv2.WithMarshalers(jsonv2.MarshalToFunc(checkSchema)))
	schemaParts = jsonv2.JoinOptions(asV1, jsonv2.WithMarshalers(jsonv2.MarshalToFunc(encodeSchemaParts)))
)

// marshalStrictly is json.Marshal without escapes for HTML. It returns an error
// if a string or the result of a Marshaler is not valid UTF-8.
func marshalStrictly(v any) ([]byte, error) { return jsonv2.Marshal(v, strictJSON) }

// checkSchema returns an error if a string in s is not valid UTF-8. The
// MarshalJSON of a schema calls json.Marshal, which replaces such a string.
func checkSchema(_ *jsontext.Encoder, s *jsonschema.Schema) error {
	if err := jsonv2.MarshalWrite(io.Discard, s, schemaParts); err != nil {
		return err
	}
	return errors.ErrUnsupported // encode s as if this function did not exist
}

// encodeSchemaParts encodes the fields of s without its MarshalJSON: first the
// fields with a JSON name, then all others that are encoded.
func encodeSchemaParts(enc *jsontext.Encoder, s *jsonschema.Schema) error {
	type fields jsonschema.Schema
	return jsonv2.MarshalEncode(enc, []any{
		(*fields)(s), s.DependencySchemas, s.DependencyStrings, s.Type, s.Types, s.Items, s.ItemsArray, s.Extra,
	})
}
