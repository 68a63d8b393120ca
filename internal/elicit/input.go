package elicit

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts/internal/argument"
	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/syntax"
	"github.com/mcp-prompts/prompts/internal/wire"
)

// This file asks in the protocol's own terms: it checks the params of an elicitation,
// a sampling or a request for roots, and the client's result.

// NewInput returns a question of a method with these params, which are encoded by
// encoding/json. take receives the valid result. The application gets the result as JSON, so
// read checks the result first.
func NewInput(key, method string, params any, take func(result string)) Question {
	var schema *argument.Validator // of a form; nil before encode, and for others
	encode := func(rev revision.Revision) (json.RawMessage, wire.Capabilities, error) {
		if params == nil {
			params = struct{}{}
		}
		raw, err := jsonenc.Append(nil, params)
		if err != nil {
			return nil, wire.Capabilities{}, err
		}
		var doc strictjson.Doc
		if err := doc.Parse(string(raw), jsonenc.MaxDepth); err != nil {
			return nil, wire.Capabilities{}, err
		}
		p := doc.Root()
		if p.Kind() != strictjson.Object {
			return nil, wire.Capabilities{}, errors.New("params must be a JSON object")
		}
		needs, err := inputNeeds(rev, method, p)
		if method == methodElicit && err == nil {
			raw = elicitParams(rev, p)
		}
		if needs.Form && err == nil {
			schema, err = requestedSchema(p)
		}
		return raw, needs, err
	}
	return Question{
		key: key, method: method, encode: encode,
		read: func(rev revision.Revision, result string) error {
			if _, _, err := encode(rev); err != nil {
				return err // it may have been answered in an earlier run
			}
			if err := checkInput(key, method, schema, result); err != nil {
				return err
			}
			take(result)
			return nil
		},
	}
}

func inputNeeds(rev revision.Revision, method string, p strictjson.Value) (wire.Capabilities, error) {
	switch method {
	case methodElicit:
		return elicitNeeds(rev, p)
	case methodSample:
		if p.Get("messages").Kind() != strictjson.Array || !p.Get("maxTokens").IsInteger() {
			return wire.Capabilities{}, errors.New("params.messages must be an array, and params.maxTokens an integer")
		}
		needs := wire.Capabilities{Sampling: true}
		needs.Tools = p.Get("tools").Kind() != strictjson.Invalid || p.Get("toolChoice").Kind() != strictjson.Invalid
		if c := p.Get("includeContext"); c.Kind() != strictjson.Invalid {
			needs.Context = c.Text() != "none"
		}
		return needs, nil
	case methodRoots:
		return wire.Capabilities{Roots: true}, nil
	}
	return wire.Capabilities{}, fmt.Errorf("unknown method %q; expected %s, %s or %s", phrase.Clip(method, phrase.MaxEcho), methodElicit, methodSample, methodRoots)
}

// elicitNeeds is inputNeeds for an elicitation (MRT-26, MRT-29).
func elicitNeeds(rev revision.Revision, p strictjson.Value) (wire.Capabilities, error) {
	if p.Get("message").Kind() != strictjson.String {
		return wire.Capabilities{}, errors.New("params.message is required and must be a string")
	}
	switch mode := p.Get("mode"); {
	case mode.Text() == "url":
		raw := p.Get("url").Text()
		if err := syntax.CheckURI(raw); err != nil {
			return wire.Capabilities{}, fmt.Errorf("params.url: %w", err)
		}
		if u, err := url.Parse(raw); err != nil || u.User != nil {
			return wire.Capabilities{}, errors.New("params.url must not contain credentials") // MRT-27
		}
		return wire.Capabilities{URL: true}, nil
	case mode.Kind() != strictjson.Invalid && mode.Text() != "form":
		return wire.Capabilities{}, errors.New(`params.mode must be "form" or "url"`)
	}
	schema := p.Get("requestedSchema")
	if schema.Get("type").Text() != "object" || schema.Get("properties").Kind() != strictjson.Object {
		return wire.Capabilities{}, errors.New(`params.requestedSchema must have the type "object" and properties`)
	}
	for name, property := range schema.Get("properties").Members() {
		if property.Get("type").Text() == "array" && !rev.ElicitationModes() {
			return wire.Capabilities{}, &Unavailable{Why: "the client's protocol version does not support multiple-choice fields"}
		}
		if err := checkField(property); err != nil {
			return wire.Capabilities{}, fmt.Errorf("params.requestedSchema: property %q %w", name, err)
		}
	}
	return wire.Capabilities{Form: true}, nil
}

func requestedSchema(p strictjson.Value) (*argument.Validator, error) {
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(p.Get("requestedSchema").Raw()), &s); err != nil {
		return nil, fmt.Errorf("params.requestedSchema: %w", err)
	}
	validator, err := argument.NewValidator(&s)
	if err != nil {
		return nil, fmt.Errorf("params.requestedSchema: %w", err)
	}
	return validator, nil
}

func checkField(p strictjson.Value) error {
	switch p.Get("type").Text() {
	case "string":
		if format := p.Get("format"); format.Kind() != strictjson.Invalid && !slices.Contains(fieldFormats, format.Text()) {
			return errors.New("must have one of the formats " + strings.Join(fieldFormats, ", "))
		}
		return nil
	case "number", "integer", "boolean":
		return nil
	case "array":
		items := p.Get("items")
		if items.Get("enum").Kind() == strictjson.Array && items.Get("type").Text() == "string" || items.Get("anyOf").Kind() == strictjson.Array {
			return nil
		}
		return errors.New(`is an array: its items must have an enum with the type "string", or an anyOf`)
	}
	return errors.New("must be a string, a number, a boolean, or an array of choices")
}

var fieldFormats = []string{"date", "date-time", "email", "uri"}

// elicitParams returns the params of an elicitation in the form of a revision:
// 2025-06-18 has no modes, and 2025-11-25 requires an id for URL mode.
func elicitParams(rev revision.Revision, p strictjson.Value) json.RawMessage {
	out := []byte{'{'}
	add := func(name, raw string) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = strictjson.AppendString(out, name)
		out = append(out, ':')
		out = append(out, raw...)
	}
	for name, v := range p.Members() {
		if name != "mode" || rev.ElicitationModes() {
			add(name, v.Raw())
		}
	}
	if !rev.Stateless() && p.Get("mode").Text() == "url" && p.Get("elicitationId").Kind() == strictjson.Invalid {
		add("elicitationId", `"`+rand.Text()+`"`)
	}
	return append(out, '}')
}

// checkInput checks that a client's result is one of the method (MRT-19). Its error is
// that of a question's read.
func checkInput(key, method string, schema *argument.Validator, result string) error {
	invalid := func(reason string) error { return &Invalid{key: key, reason: reason} }
	doc := wire.GetDoc()
	defer wire.PutDoc(doc)
	if method == methodElicit {
		content, err := readAnswer(doc, key, result, schema != nil)
		if err != nil || schema == nil { // asked by URL, which has no content
			return err
		}
		if !schema.Accepts(content.Raw()) {
			return invalid("content does not match requestedSchema")
		}
		return nil
	}
	if err := doc.Parse(result, jsonenc.MaxDepth); err != nil || doc.Root().Kind() != strictjson.Object {
		return invalid("must be an object")
	}
	r := doc.Root()
	switch method {
	case methodSample:
		if role := r.Get("role").Text(); role != "user" && role != "assistant" ||
			r.Get("model").Kind() != strictjson.String || r.Get("content").Kind() < strictjson.Array {
			return invalid("must be a sampling result (role, model and content are required)")
		}
	case methodRoots:
		if r.Get("roots").Kind() != strictjson.Array {
			return invalid("roots is required and must be an array")
		}
		for root := range r.Get("roots").Elements() {
			if !strings.Contains(root.Get("uri").Text(), ":") {
				return invalid("each root must have a URI")
			}
		}
	}
	return nil
}
