package prompttools_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/prompttest"
	"github.com/mcp-prompts/prompts/prompttools"
)

// Tools of the application are served beside the prompts.
func TestOwnTools(t *testing.T) {
	t.Parallel()
	srv, _ := serve(t, prompttools.Options{Tools: []prompttools.Tool{
		{Name: "echo", Call: func(_ context.Context, args json.RawMessage) (*prompttools.Result, error) {
			return &prompttools.Result{Content: []prompts.Content{&prompts.Text{Text: "ok"}}, Structured: map[string]any{"args": args}}, nil
		}},
		{Name: "refuses", Call: func(context.Context, json.RawMessage) (*prompttools.Result, error) {
			return nil, &prompts.Error{Code: 5, Message: "no"}
		}},
		{Name: "fails", Call: func(context.Context, json.RawMessage) (*prompttools.Result, error) { return nil, errors.New("secret") }},
		{Name: "panics", Call: func(context.Context, json.RawMessage) (*prompttools.Result, error) { panic("secret") }},
		{Name: "nothing", Call: func(context.Context, json.RawMessage) (*prompttools.Result, error) { return nil, nil }},
		{Name: "list", Call: func(context.Context, json.RawMessage) (*prompttools.Result, error) {
			return &prompttools.Result{Structured: []int{1}}, nil
		}},
	}}, prompts.Options{})
	for _, version := range prompttest.Versions() {
		c := connect(t, srv, version)
		r := c.call("echo", `{"a":[1]}`)
		assert.Equal(t, "ok", r.Content[0].Text)
		if version >= "2025-06-18" {
			assert.JSONEq(t, `{"args":{"a":[1]}}`, string(r.StructuredContent))
		}
		assert.True(t, c.call("echo", `[]`).IsError)
		assert.Equal(t, 5, c.call("refuses", ``).Code)
		for _, tool := range []string{"fails", "panics", "nothing"} {
			r := c.call(tool, "")
			assert.Equal(t, -32603, r.Code)
			assert.Regexp(t, `^internal error: tool "\w+" failed \(error id [0-9a-f]{8}\)$`, r.Message)
		}
	}
	assert.Equal(t, -32603, connect(t, srv, "2025-11-25").call("list", "").Code)
}

// Arguments that several alternatives of the schema accept, or none, are an error for the
// model, too.
func TestAlternativesOfOwnTools(t *testing.T) {
	t.Parallel()
	of := func(required ...string) *jsonschema.Schema { return &jsonschema.Schema{Required: required} }
	srv, _ := serve(t, prompttools.Options{Tools: []prompttools.Tool{{
		Name: "t", InputSchema: &jsonschema.Schema{Type: "object", OneOf: []*jsonschema.Schema{of("op"), of("op"), of("op", "x"), of("y")}},
		Call: func(context.Context, json.RawMessage) (*prompttools.Result, error) {
			return &prompttools.Result{Content: []prompts.Content{&prompts.Text{Text: "ok"}}}, nil
		},
	}}}, prompts.Options{})
	for arguments, want := range map[string]string{
		`{"y":1}`:        `ok`,
		`{}`:             `invalid arguments for tool "t": op is required, unless y is given`,
		`{"op":1}`:       `invalid arguments for tool "t": the object must match only one of the JSON Schemas {"required":["op"]} and {"required":["op"]}, got {"op":1}`,
		`{"op":1,"x":1}`: `invalid arguments for tool "t": the object must match only one of the JSON Schemas {"required":["op"]} and {"required":["op"]}, got {"op":1,"x":1}`,
	} {
		for _, version := range prompttest.Versions() {
			r := connect(t, srv, version).call("t", arguments)
			require.Len(t, r.Content, 1, "%s: %s", arguments, r.Message)
			assert.Equal(t, want, r.Content[0].Text)
		}
	}
}

// Arguments that the schema of the application's tool rejects are a result for the model,
// and the tool is not called.
func TestArgumentsOfOwnTools(t *testing.T) {
	t.Parallel()
	calls := 0
	var schema jsonschema.Schema
	require.NoError(t, json.Unmarshal([]byte(`{"type": "object", "required": ["env"], "additionalProperties": false, "properties": {
		"env": {"type": "string", "enum": ["test", "live"]},
		"n": {"type": "integer", "minimum": 1},
		"tags": {"type": "array", "items": {"type": "string"}},
		"note": {"type": ["string", "null"]},
		"id": {"type": "string", "pattern": "^[a-z]+$"}
	}, "dependentRequired": {"n": ["note"]}}`), &schema))
	srv, _ := serve(t, prompttools.Options{Tools: []prompttools.Tool{{Name: "deploy", InputSchema: &schema, Call: func(_ context.Context, args json.RawMessage) (*prompttools.Result, error) {
		calls++
		return &prompttools.Result{Content: []prompts.Content{&prompts.Text{Text: string(args)}}}, nil
	}}}}, prompts.Options{})
	const title = `invalid arguments for tool "deploy": `
	for arguments, want := range map[string]struct{ text, data string }{
		`{"env":"test"}`:                     {},
		`{"env":"live","n":3.0,"note":null}`: {},
		`{"env":"live","tags":["a","b"]}`:    {},
		``:                                   {`env is required`, `[{"argument":"env","reason":"missing","message":"is required"}]`},
		`{}`:                                 {`env is required`, ``},
		`{"env":"tset"}`:                     {`env must be one of test, live, got "tset" (did you mean "test"?)`, `[{"argument":"env","reason":"enum","message":"must be one of test, live, got \"tset\" (did you mean \"test\"?)","allowed":["test","live"],"suggestion":"test"}]`},
		`{"env":null}`:                       {`env is required`, ``},
		`{"env":"test","n":1,"x":null}`:      {`x is not an argument of this tool; note is required, because n is given`, ``},
		`{"env":"test","n":"x","x":1}`:       {`n must be an integer, got the string "x"; x is not an argument of this tool`, ``},
		`{"env":"test","n":"3.5"}`:           {`n must be an integer, got the string "3.5"`, ``},
		`{"env":"test","n":"0"}`:             {`n must be at least 1, got 0`, ``},
		`{"env":"test","n":1.5}`:             {`n must be an integer, got the number 1.5`, ``},
		`{"env":"test","n":0}`:               {`n must be at least 1, got 0`, ``},
		`{"env":"test","n":1}`:               {`note is required, because n is given`, ``},
		`{"env":"test","note":1}`:            {`note must be a string or null, got the number 1`, ``},
		`{"env":"test","tags":["a",1]}`:      {`tags[1] must be a string, got the number 1`, ``},
		`{"env":"test","tag":["a"]}`:         {`tag is not an argument of this tool (did you mean "tags"?)`, ``},
		`{"env":"test","id":"A1"}`:           {`id must match the pattern ^[a-z]+$, got "A1"`, ``},
		`{"env":"test","n":1e400}`:           {`n must `, ``},
	} {
		for _, version := range prompttest.Versions() {
			before := calls
			r := connect(t, srv, version).call("deploy", arguments)
			if want.text == "" {
				assert.Equal(t, arguments, r.Content[0].Text, version)
				assert.Equal(t, before+1, calls)
				continue
			}
			assert.Equal(t, before, calls, arguments)
			require.True(t, r.IsError, arguments)
			assert.Contains(t, r.Content[0].Text, title+want.text)
			if version < "2025-06-18" {
				assert.Nil(t, r.StructuredContent)
				continue
			}
			message, err := json.Marshal(r.Content[0].Text)
			require.NoError(t, err)
			data, ok := strings.CutPrefix(string(r.StructuredContent), `{"message":`+string(message)+`,"tool":"deploy"`)
			assert.True(t, ok, "%s", r.StructuredContent)
			if want.data != "" {
				assert.JSONEq(t, `{"problems":`+want.data+`}`, "{"+strings.TrimPrefix(data, ","))
			}
		}
	}
	r := connect(t, srv, "2026-07-28").call("deploy", `[]`)
	assert.True(t, r.IsError)
	assert.Equal(t, "arguments must be a JSON object", r.Content[0].Text)
}

// A tool of the application gets the values that models mean, in each version: no null that
// its schema rejects, and numbers and booleans for their strings (GAP-18).
func TestValuesOfOwnTools(t *testing.T) {
	t.Parallel()
	var schema jsonschema.Schema
	require.NoError(t, json.Unmarshal([]byte(`{"type":"object","$ref":"#/$defs/a","$defs":{"a":{"required":["n"],"properties":{"n":{"type":"integer"}}}},
		"properties":{"b":{"type":"boolean"},"text":{"type":"string"},"note":{"type":["string","null"]}}}`), &schema))
	srv, _ := serve(t, prompttools.Options{Tools: []prompttools.Tool{{Name: "own", InputSchema: &schema, Call: func(_ context.Context, args json.RawMessage) (*prompttools.Result, error) {
		return &prompttools.Result{Content: []prompts.Content{&prompts.Text{Text: string(args)}}}, nil
	}}}}, prompts.Options{})
	for arguments, want := range map[string]string{
		`{"n":"2000","b":"true","text":"2000","note":null}`: `{"n":2000,"b":true,"text":"2000","note":null}`,
		`{"n":1,"b":null,"text":null}`:                      `{"n":1}`,
		`{"n":null}`:                                        `!n is required`,
		`{"n":"2000.5"}`:                                    `!n must be an integer, got the string "2000.5"`,
	} {
		for _, version := range prompttest.Versions() {
			r := connect(t, srv, version).call("own", arguments)
			require.Len(t, r.Content, 1, r.Message)
			message, isError := strings.CutPrefix(want, "!")
			assert.Equal(t, isError, r.IsError, arguments)
			assert.Equal(t, message, strings.TrimPrefix(r.Content[0].Text, `invalid arguments for tool "own": `))
		}
	}
}

// The limits of arguments are those of prompts, and what exceeds them is a result for the
// model.
func TestSizesOfArgumentsOfOwnTools(t *testing.T) {
	t.Parallel()
	srv, _ := serve(t, prompttools.Options{Tools: []prompttools.Tool{{Name: "echo", InputSchema: &jsonschema.Schema{Type: "object"}, Call: func(_ context.Context, args json.RawMessage) (*prompttools.Result, error) {
		return &prompttools.Result{Content: []prompts.Content{&prompts.Text{Text: string(args)}}}, nil
	}}}}, prompts.Options{Limits: prompts.Limits{MaxArguments: 3, MaxArgumentBytes: 10}})
	for arguments, want := range map[string]string{
		`{"a":1,"b":2,"c":3}`:       "",
		`{"a":1,"b":2,"c":3,"d":4}`: "too many arguments (limit 3)",
		`{"a":"xxxxxxxxxx"}`:        "",
		`{"a":"xxxxxxxxxxx"}`:       `argument "a" exceeds the limit of 10 bytes`,
		`{"a":["xxxxxx"]}`:          "",
		`{"a":["xxxxxxx"]}`:         `argument "a" exceeds the limit of 10 bytes`,
		`{"a":{"b":"xxxx"}}`:        `argument "a" exceeds the limit of 10 bytes`,
		`{"a":1234567890}`:          "",
		`{"a":12345678901}`:         `argument "a" exceeds the limit of 10 bytes`,
	} {
		for _, version := range prompttest.Versions() {
			r := connect(t, srv, version).call("echo", arguments)
			require.Len(t, r.Content, 1, r.Message)
			assert.Equal(t, want != "", r.IsError, arguments)
			assert.Equal(t, cmp.Or(want, arguments), r.Content[0].Text)
		}
	}
}

// A tool's result is structured as its schema says. Without content, the structured
// content is the text, too.
func TestOutputSchema(t *testing.T) {
	t.Parallel()
	results := map[string]*prompttools.Result{
		"good":  {Structured: map[string]any{"n": 1}},
		"bad":   {Structured: map[string]any{"n": "secret"}},
		"none":  {},
		"error": {IsError: true, Content: []prompts.Content{&prompts.Text{Text: "failed"}}},
	}
	var log strings.Builder
	o := prompttools.Options{}
	for name, result := range results {
		o.Tools = append(o.Tools, prompttools.Tool{
			Name: name, OutputSchema: &jsonschema.Schema{Type: "object", Required: []string{"n"}, Properties: map[string]*jsonschema.Schema{"n": {Type: "integer"}}},
			InputSchema: &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{"n": {Type: "integer"}}},
			Call:        func(context.Context, json.RawMessage) (*prompttools.Result, error) { return result, nil },
		})
	}
	srv, _ := serve(t, o, prompts.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	for _, version := range prompttest.Versions() {
		c := connect(t, srv, version)
		r := c.call("good", "")
		assert.Equal(t, `{"n":1}`, r.Content[0].Text)
		assert.Equal(t, version >= "2025-06-18", r.StructuredContent != nil)
		assert.Equal(t, -32603, c.call("bad", "").Code)
		assert.Equal(t, -32603, c.call("none", "").Code)
		assert.Equal(t, "failed", c.call("error", "").Content[0].Text)
		r = c.call("good", `{"n":"x"}`)
		assert.True(t, r.IsError)
		assert.Nil(t, r.StructuredContent, "it does not match the schema")
	}
	assert.Contains(t, log.String(), "structuredContent does not match OutputSchema; n is not valid (type)")
	assert.NotContains(t, log.String(), "secret")
}

// The log says what is wrong with a structured result of which each member is valid, and
// the server's own result may be long although its schema has a pattern.
func TestOutputSchemaOfTheWholeObject(t *testing.T) {
	t.Parallel()
	two := 2
	long := strings.Repeat("b", 200<<10)
	call := func(v any) func(context.Context, json.RawMessage) (*prompttools.Result, error) {
		return func(context.Context, json.RawMessage) (*prompttools.Result, error) {
			return &prompttools.Result{Structured: v}, nil
		}
	}
	var log strings.Builder
	srv, _ := serve(t, prompttools.Options{Tools: []prompttools.Tool{
		{Name: "few", OutputSchema: &jsonschema.Schema{Type: "object", MinProperties: &two}, Call: call(map[string]any{"secret": 1})},
		{Name: "long", OutputSchema: &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{"a": {Pattern: "^b|(?:a?){400}$"}}}, Call: call(map[string]any{"a": long})},
	}}, prompts.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	c := connect(t, srv, "2026-07-28")
	assert.Equal(t, -32603, c.call("few", "").Code)
	assert.Contains(t, log.String(), "structuredContent does not match OutputSchema; the object is not valid (length)")
	assert.NotContains(t, log.String(), "secret")
	r := c.call("long", "")
	require.Zero(t, r.Code, log.String())
	assert.Contains(t, r.Content[0].Text, long)
}
