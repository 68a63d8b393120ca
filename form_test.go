package prompts_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
)

// Errors in the declaration of a form are logged.
func TestInvalidForms(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		ask func(ctx context.Context) error
		log string
	}{
		"no struct": {func(ctx context.Context) error { _, err := prompts.Elicit[string](ctx, "q", "?"); return err }, "must be a struct"},
		"no such field": {func(ctx context.Context) error {
			_, err := prompts.Elicit[colour](ctx, "q", "?", prompts.Argument{Name: "color"})
			return err
		}, `\"color\"`},
		"a type that no text fills": {func(ctx context.Context) error { _, err := prompts.Elicit[one[chan int]](ctx, "q", "?"); return err }, `argument \"a\"`},
		"a bad default": {func(ctx context.Context) error {
			_, err := prompts.Elicit[maybe[int]](ctx, "q", "?", prompts.Argument{Name: "a", Schema: &jsonschema.Schema{Default: json.RawMessage(`"a"`)}})
			return err
		}, `argument \"a\"`},
		"a message that is no text": {func(ctx context.Context) error { _, err := prompts.Elicit[colour](ctx, "q", "\xff"); return err }, "message is not valid UTF-8"},
		"a choice that is no text": {func(ctx context.Context) error {
			_, err := prompts.Elicit[colour](ctx, "q", "?", prompts.Argument{Name: "colour", Schema: prompts.Enum("\xff")})
			return err
		}, "invalid UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var j journal
			s := prompts.NewServer(registryOf(rendered("form", func(ctx context.Context) (*prompts.Result, error) { return nil, test.ask(ctx) })), prompts.Options{Logger: j.logger()})
			for _, responses := range []string{"", `{"q":` + red + `}`} {
				if responses != "" && name == "a message that is no text" {
					continue // it is not sent, since the answer is there
				}
				assert.Empty(t, newRounds(t, s, "form").get(responses).fails(t, prompts.CodeInternalError, renderFailed), responses)
			}
			assert.Contains(t, j.String(), test.log)
			assert.Contains(t, j.String(), "level=ERROR")
		})
	}
}

// inputPrompt is a prompt that asks one question in the protocol's own terms.
func inputPrompt(method string, params any) prompts.Prompt {
	return rendered("input", func(ctx context.Context) (*prompts.Result, error) {
		in := prompts.InputRequest("in", method, params)
		err := prompts.Ask(ctx, in)
		return prompts.Messages(prompts.User(string(in.Value))), err
	})
}

const (
	urlParams    = `{"mode":"url","message":"Sign in","url":"https://example.com/in"}`
	formParams   = `{"message":"?","requestedSchema":{"type":"object","properties":{"a":{"type":"string"}}}}`
	sampleParams = `{"messages":[],"maxTokens":1%s}`
)

// MRT-26, MRT-27, MRT-29: the server sends no input request that the protocol does
// not define, with a schema that is none or would have to be fetched, or with
// credentials in a URL. That is the author's fault, in each era, before anybody is
// asked and after.
func TestInvalidInputRequests(t *testing.T) {
	t.Parallel()
	params := func(text string) any { return json.RawMessage(text) }
	properties := func(text string) any { return formSchema(text, "") }
	opening := func(url string) any {
		return map[string]string{"mode": "url", "message": "Sign in", "url": url}
	}
	for _, test := range []struct {
		method string
		params any
		log    string // empty if it is sent
	}{
		{"tools/call", nil, "expected elicitation/create"},
		{"", nil, "expected elicitation/create"},
		{methodRoots, []int{1}, "must be a JSON object"},
		{methodRoots, "roots", "must be a JSON object"},
		{methodRoots, make(chan int), "unsupported type"},
		{methodElicit, nil, "params.message is required"},
		{methodElicit, params(`{"message":1}`), "params.message is required"},
		{methodElicit, params(`{"message":"?"}`), "requestedSchema"},
		{methodElicit, params(`{"message":"?","mode":"voice"}`), "mode"},
		{methodElicit, params(`{"message":"?","mode":1}`), "mode"},
		{methodElicit, params(`{"message":"?","mode":"url"}`), "url"},
		{methodElicit, params(`{"message":"?","mode":"url","url":"/relative"}`), "url"},
		{methodElicit, params(`{"message":"?","mode":"url","url":1}`), "url"},
		{methodElicit, params(`{"message":"?","requestedSchema":{"type":"array","properties":{}}}`), "requestedSchema"},
		{methodElicit, params(`{"message":"?","requestedSchema":{"type":"object"}}`), "requestedSchema"},
		{methodElicit, properties(`"deep":{"type":"object"}`), "deep"},
		{methodElicit, properties(`"list":{"type":"array","items":{"type":"string"}}`), "list"},
		{methodElicit, properties(`"none":{}`), "none"},
		{methodSample, nil, "maxTokens"},
		{methodSample, params(`{"messages":[]}`), "maxTokens"},
		{methodSample, params(`{"messages":{},"maxTokens":1}`), "maxTokens"},
		{methodSample, params(`{"messages":[],"maxTokens":1.5}`), "maxTokens"},

		{methodElicit, properties(`"a":{"type":"string","minLength":"2"}`), "requestedSchema"},
		{methodElicit, properties(`"a":{"type":"string","pattern":"("}`), "requestedSchema"},
		{methodElicit, properties(`"a":{"type":"string","$ref":"https://example.com/s.json"}`), "requestedSchema"},
		{methodElicit, properties(`"a":{"type":"string","$ref":"#/$defs/none"}`), "requestedSchema"},
		{methodElicit, properties(`"a":{"type":"string","enum":"x"}`), "requestedSchema"},
		{methodElicit, properties(`"a":{"type":"array","items":{"type":"string","enum":["x"]},"minItems":"1"}`), "requestedSchema"},

		{methodElicit, opening("https://example.com/in?state=%40#x"), ""},
		{methodElicit, opening("http://localhost:8080/in"), ""},
		{methodElicit, opening("https://example.com/@user"), ""},
		{methodElicit, opening("https://user@example.com/"), "credentials"},
		{methodElicit, opening("https://user:secret@example.com/"), "credentials"},
		{methodElicit, opening("https://:secret@example.com/"), "credentials"},
		{methodElicit, opening("https://@example.com/"), "credentials"},
		{methodElicit, opening("https://us%40er:x@example.com/"), "credentials"},
		{methodElicit, opening("//example.com/in"), "params.url"},
		{methodElicit, opening("example.com/in"), "params.url"},
		{methodElicit, opening("https:// example.com/"), "params.url"},
		{methodElicit, opening(""), "params.url"},
	} {
		var j journal
		s := prompts.NewServer(registryOf(inputPrompt(test.method, test.params)), prompts.Options{Logger: j.logger()})
		if test.log == "" {
			newRounds(t, s, "input").get("").wants(t, "in")
			continue
		}
		for _, responses := range []string{"", `{"in":` + accepting(`{}`) + `}`} {
			assert.Empty(t, newRounds(t, s, "input").get(responses).fails(t, prompts.CodeInternalError, renderFailed))
		}
		got, err := handle(t, s, newSessionAs(t, s, "2025-11-25", allCapabilities), getLine("1", "input"))
		assert.NoError(t, err)
		assert.Equal(t, errorLine("1", prompts.CodeInternalError, renderFailed), got)
		records := strings.Split(strings.TrimSpace(j.String()), "\n")
		assert.Len(t, records, 3, test.log)
		for _, record := range records {
			assert.Contains(t, record, test.log)
			assert.Contains(t, record, "level=ERROR")
			assert.NotContains(t, record, "secret")
		}
	}
}

// MRT-19, MRT-20, MRT-24: a result is checked for its form, the content of one
// by its schema, and passed on as it came.
func TestInputResults(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		method, params, result string
		message                string // empty if it is good
	}{
		{methodElicit, formParams, `{"action":"accept","content":{"a":"x","b":1,"c":true,"d":["e"]},"more":{}}`, ""},
		{methodElicit, formParams, `{"action":"accept","content":{"a":1}}`, `invalid answer to question "in": content does not match requestedSchema`},
		{methodElicit, formParams, `{"action":"accept","content":{"a":{}}}`, `invalid answer to question "in": content does not match requestedSchema`},
		{methodElicit, formParams, `{"action":"accept","content":{"a":null}}`, `invalid answer to question "in": content does not match requestedSchema`},
		{methodElicit, formParams, `{"action":"decline"}`, `prompt not rendered: question "in": the user declined to answer`},
		{methodElicit, formParams, `{"action":"yes"}`, `invalid answer to question "in": action must be accept, decline or cancel`},
		{methodElicit, formParams, accepting(`"x"`), `invalid answer to question "in": content is missing`},
		{methodElicit, formParams, accepting(`[1]`), `invalid answer to question "in": content is missing`},
		{methodElicit, formParams, accepting(`true`), `invalid answer to question "in": content is missing`},
		{methodElicit, formParams, accepting(`7`), `invalid answer to question "in": content is missing`},
		{methodElicit, formParams, accepting(`{"a":[1]}`), `invalid answer to question "in": content does not match requestedSchema`},
		{methodElicit, formParams, accepting(`{"a":[["x"]]}`), `invalid answer to question "in": content does not match requestedSchema`},
		{methodElicit, formParams, accepting(`{"a":[{}]}`), `invalid answer to question "in": content does not match requestedSchema`},
		{methodElicit, urlParams, `{"action":"accept"}`, ""},
		{methodElicit, urlParams, `{"action":"cancel"}`, `prompt not rendered: question "in": the user dismissed the question`},
		{methodSample, fmt.Sprintf(sampleParams, ""), `{"role":"assistant","model":"m","content":{"type":"text","text":"<&>"},"stopReason":"x"}`, ""},
		{methodSample, fmt.Sprintf(sampleParams, ""), `{"role":"assistant","model":"m","content":[]}`, ""},
		{methodSample, fmt.Sprintf(sampleParams, ""), `{"role":"system","model":"m","content":{}}`, `invalid answer to question "in": must be a sampling result (role, model and content are required)`},
		{methodSample, fmt.Sprintf(sampleParams, ""), `{"role":"user","content":{}}`, `invalid answer to question "in": must be a sampling result (role, model and content are required)`},
		{methodSample, fmt.Sprintf(sampleParams, ""), `{"role":"user","model":"m","content":"text"}`, `invalid answer to question "in": must be a sampling result (role, model and content are required)`},
		{methodSample, fmt.Sprintf(sampleParams, ""), `"text"`, `invalid answer to question "in": must be an object`},
		{methodRoots, `{}`, `{"roots":[{"uri":"file:///a","name":"a"},{"uri":"file:///b"}],"_meta":{}}`, ""},
		{methodRoots, `{}`, `{"roots":[]}`, ""},
		{methodRoots, `{}`, `{}`, `invalid answer to question "in": roots is required and must be an array`},
		{methodRoots, `{}`, `{"roots":{}}`, `invalid answer to question "in": roots is required and must be an array`},
		{methodRoots, `{}`, `{"roots":["file:///a"]}`, `invalid answer to question "in": each root must have a URI`},
		{methodRoots, `{}`, `{"roots":[{"name":"a"}]}`, `invalid answer to question "in": each root must have a URI`},
	} {
		r := newRounds(t, prompts.NewServer(registryOf(inputPrompt(test.method, json.RawMessage(test.params))), prompts.Options{}), "input")
		r.get("").wants(t, "in")
		o := r.get(`{"in":` + test.result + `}`)
		if test.message == "" {
			assert.Equal(t, test.result, o.text(t))
			continue
		}
		o.fails(t, prompts.CodeInvalidParams, test.message)
	}
}

// formSchema returns the params of a form with these properties.
func formSchema(properties, rest string) json.RawMessage {
	return json.RawMessage(`{"message":"?","requestedSchema":{"type":"object","properties":{` + properties + `}` + rest + `}}`)
}

// MRT-24: what a person has filled in fits the schema of the form, and the
// prompt gets it as it came. What it was is no part of the error.
func TestInputFitsItsSchema(t *testing.T) {
	t.Parallel()
	const list = `"a":{"type":"array","items":{"type":"string","enum":["x","y"]},"minItems":1,"maxItems":2}`
	for _, test := range []struct {
		properties, rest string
		good, bad        []string // contents
	}{
		{`"a":{"type":"string"}`, ``, []string{`{}`, `{"a":""}`, `{"a":"x","more":{"b":[1]}}`}, []string{`{"a":1}`, `{"a":null}`, `{"a":["x"]}`}},
		{`"a":{"type":"string"}`, `,"required":["a"]`, []string{`{"a":"x"}`}, []string{`{}`, `{"A":"x"}`}},
		{`"a":{"type":"string","minLength":2,"maxLength":3}`, ``, []string{`{"a":"äö"}`}, []string{`{"a":"ä"}`, `{"a":"abcd"}`}},
		{`"a":{"type":"string","enum":["x","y"]}`, ``, []string{`{"a":"x"}`}, []string{`{"a":"z"}`, `{"a":"X"}`}},
		{`"a":{"type":"string","oneOf":[{"const":"x","title":"X"},{"const":"y","title":"Y"}]}`, ``, []string{`{"a":"y"}`}, []string{`{"a":"Y"}`}},
		{`"a":{"type":"integer","minimum":1,"maximum":9}`, ``, []string{`{"a":5}`, `{"a":5.0}`, `{"a":5e0}`}, []string{`{"a":0}`, `{"a":10}`, `{"a":5.5}`, `{"a":"5"}`}},
		{`"a":{"type":"number"}`, ``, []string{`{"a":5}`, `{"a":0.5}`}, []string{`{"a":"0.5"}`}},
		{`"a":{"type":"boolean"}`, ``, []string{`{"a":true}`}, []string{`{"a":"true"}`, `{"a":0}`}},
		{list, ``, []string{`{"a":["x"]}`, `{"a":["x","y"]}`}, []string{`{"a":[]}`, `{"a":["x","y","x"]}`, `{"a":["z"]}`, `{"a":"x"}`}},
		{`"a":{"type":"array","items":{"anyOf":[{"const":"x","title":"X"}]}}`, ``, []string{`{"a":["x"]}`}, []string{`{"a":["y"]}`}},
	} {
		r := newRounds(t, prompts.NewServer(registryOf(inputPrompt(methodElicit, formSchema(test.properties, test.rest))), prompts.Options{}), "input")
		r.get("").wants(t, "in")
		for _, content := range test.good {
			assert.Equal(t, accepting(content), r.get(`{"in":`+accepting(content)+`}`).text(t))
		}
		for _, content := range test.bad {
			data := r.get(`{"in":`+accepting(content)+`}`).fails(t, prompts.CodeInvalidParams, `invalid answer to question "in": content does not match requestedSchema`)
			assert.JSONEq(t, `{"input":"in"}`, data, content)
		}
	}
}

// What is asked in the protocol's own terms has to be in the terms of the
// client's revision (MRT-26).
func TestInputRequestOfARevision(t *testing.T) {
	t.Parallel()
	const r3, r4 = "2025-06-18", "2025-11-25"
	for _, test := range []struct {
		property string
		version  string
		want     string // empty if it can be asked
	}{
		{`{"type":"array","items":{"type":"string","enum":["a"]}}`, r4, ""},
		{`{"type":"array","items":{"type":"string","enum":["a"]}}`, r3, "multiple-choice"},
		{`{"type":"array","items":{"enum":["a"]}}`, r4, `with the type "string"`},
		{`{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}}`, r4, ""},
		{`{"type":"string","format":"email"}`, r3, ""},
		{`{"type":"string","format":"hostname"}`, r4, "one of the formats date, date-time, email, uri"},
		{`{"type":"object"}`, r4, "must be a string, a number"},
	} {
		var got error
		p := rendered("input", func(ctx context.Context) (*prompts.Result, error) {
			got = prompts.Ask(ctx, prompts.InputRequest("k", methodElicit, map[string]any{
				"message": "m", "requestedSchema": json.RawMessage(`{"type":"object","properties":{"x":` + test.property + `}}`),
			}))
			return prompts.Messages(), nil
		})
		_, err := prompts.NewServer(registryOf(p), prompts.Options{}).Call(t.Context(), methodGet, json.RawMessage(`{"name":"input"}`), prompts.CallOptions{
			Version: test.version, ClientCapabilities: json.RawMessage(`{"elicitation":{}}`),
			Request: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
				return json.RawMessage(`{"action":"decline"}`), nil
			},
		})
		assert.NoError(t, err)
		if test.want == "" {
			assert.ErrorIs(t, got, prompts.ErrDeclined, test.property)
		} else if assert.ErrorContains(t, got, test.want, test.property) {
			assert.Equal(t, test.version == r3, errors.Is(got, prompts.ErrElicitationUnavailable))
		}
	}
}
