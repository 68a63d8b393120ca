package prompts_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

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

// MRT-07, MRT-08, MRT-09, MRT-26, GAP-38: each kind of input needs what the
// client has declared for it, and is sent as the author has written it.
func TestInputNeeds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, method string
		params       string // empty for nil
		needs, names string
	}{
		{"a form", methodElicit, formParams, `{"elicitation":{"form":{}}}`, "elicitation.form"},
		{"a form by its mode", methodElicit, `{"mode":"form",` + formParams[1:], `{"elicitation":{"form":{}}}`, "elicitation.form"},
		{"a URL", methodElicit, urlParams, `{"elicitation":{"url":{}}}`, "elicitation.url"},
		{"sampling", methodSample, fmt.Sprintf(sampleParams, ""), `{"sampling":{}}`, "sampling"},
		{"without a context", methodSample, fmt.Sprintf(sampleParams, `,"includeContext":"none"`), `{"sampling":{}}`, "sampling"},
		{"with a context", methodSample, fmt.Sprintf(sampleParams, `,"includeContext":"thisServer"`), `{"sampling":{"context":{}}}`, "sampling, sampling.context"},
		{"with tools", methodSample, fmt.Sprintf(sampleParams, `,"tools":[]`), `{"sampling":{"tools":{}}}`, "sampling, sampling.tools"},
		{"with a choice of tools", methodSample, fmt.Sprintf(sampleParams, `,"toolChoice":{}`), `{"sampling":{"tools":{}}}`, "sampling, sampling.tools"},
		{"with both", methodSample, fmt.Sprintf(sampleParams, `,"tools":[],"includeContext":"allServers"`), `{"sampling":{"tools":{},"context":{}}}`, "sampling, sampling.tools, sampling.context"},
		{"roots", methodRoots, "", `{"roots":{}}`, "roots"},
		{"roots with params", methodRoots, `{"_meta":{"a":1}}`, `{"roots":{}}`, "roots"},
	} {
		var params any
		want := "{}"
		if test.params != "" {
			params, want = json.RawMessage(test.params), test.params
		}
		r := newRounds(t, prompts.NewServer(registryOf(inputPrompt(test.method, params)), prompts.Options{}), "input")
		r.capabilities = noCapabilities
		data := r.get("").fails(t, transport.CodeMissingCapability, undeclared(test.names))
		assert.JSONEq(t, `{"requiredCapabilities":`+test.needs+`}`, data, test.name)

		r.capabilities = test.needs // and no more
		o := r.get("")
		o.wants(t, "in")
		assert.Equal(t, test.method, o.Result.Requests["in"].Method)
		assert.JSONEq(t, want, string(o.Result.Requests["in"].Params), test.name)
	}

	// Sampling itself is not enough for what goes beyond.
	for _, more := range []string{`,"tools":[]`, `,"includeContext":"allServers"`} {
		r := newRounds(t, prompts.NewServer(registryOf(inputPrompt(methodSample, json.RawMessage(fmt.Sprintf(sampleParams, more)))), prompts.Options{}), "input")
		r.capabilities = `{"sampling":{}}`
		require.NotNil(t, r.get("").Error)
	}
}

// MRT-26: what the protocol has no such input for is the author's fault.
func TestFaultyInputs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		method string
		params any
		log    string
	}{
		{"tools/call", nil, "is none of"},
		{"", nil, "is none of"},
		{methodRoots, []int{1}, "not a JSON object"},
		{methodRoots, "roots", "not a JSON object"},
		{methodRoots, make(chan int), "unsupported type"},
		{methodElicit, nil, "needs a message"},
		{methodElicit, json.RawMessage(`{"message":1}`), "needs a message"},
		{methodElicit, json.RawMessage(`{"message":"?"}`), "requestedSchema"},
		{methodElicit, json.RawMessage(`{"message":"?","mode":"voice"}`), "mode"},
		{methodElicit, json.RawMessage(`{"message":"?","mode":1}`), "mode"},
		{methodElicit, json.RawMessage(`{"message":"?","mode":"url"}`), "url"},
		{methodElicit, json.RawMessage(`{"message":"?","mode":"url","url":"/relative"}`), "url"},
		{methodElicit, json.RawMessage(`{"message":"?","mode":"url","url":1}`), "url"},
		{methodElicit, json.RawMessage(`{"message":"?","requestedSchema":{"type":"array","properties":{}}}`), "requestedSchema"},
		{methodElicit, json.RawMessage(`{"message":"?","requestedSchema":{"type":"object"}}`), "requestedSchema"},
		{methodElicit, json.RawMessage(`{"message":"?","requestedSchema":{"type":"object","properties":{"deep":{"type":"object"}}}}`), "deep"},
		{methodElicit, json.RawMessage(`{"message":"?","requestedSchema":{"type":"object","properties":{"list":{"type":"array","items":{"type":"string"}}}}}`), "list"},
		{methodElicit, json.RawMessage(`{"message":"?","requestedSchema":{"type":"object","properties":{"none":{}}}}`), "none"},
		{methodSample, nil, "maxTokens"},
		{methodSample, json.RawMessage(`{"messages":[]}`), "maxTokens"},
		{methodSample, json.RawMessage(`{"messages":{},"maxTokens":1}`), "maxTokens"},
		{methodSample, json.RawMessage(`{"messages":[],"maxTokens":1.5}`), "maxTokens"},
	} {
		var j journal
		r := newRounds(t, prompts.NewServer(registryOf(inputPrompt(test.method, test.params)), prompts.Options{Logger: j.logger()}), "input")
		assert.Empty(t, r.get("").fails(t, prompts.CodeInternalError, renderFailed))
		assert.Contains(t, j.String(), test.log)
		assert.Contains(t, j.String(), "level=ERROR")
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
		{methodElicit, formParams, `{"action":"accept","content":{"a":1}}`, `the answer to "in" does not fit the requestedSchema`},
		{methodElicit, formParams, `{"action":"accept","content":{"a":{}}}`, `the answer to "in" does not fit the requestedSchema`},
		{methodElicit, formParams, `{"action":"accept","content":{"a":null}}`, `the answer to "in" does not fit the requestedSchema`},
		{methodElicit, formParams, `{"action":"decline"}`, `the prompt cannot go on: "in": the client has declined to answer`},
		{methodElicit, formParams, `{"action":"yes"}`, `the answer to "in" has no action that is accept, decline or cancel`},
		{methodElicit, urlParams, `{"action":"accept"}`, ""},
		{methodElicit, urlParams, `{"action":"cancel"}`, `the prompt cannot go on: "in": the client has dismissed the question`},
		{methodSample, fmt.Sprintf(sampleParams, ""), `{"role":"assistant","model":"m","content":{"type":"text","text":"<&>"},"stopReason":"x"}`, ""},
		{methodSample, fmt.Sprintf(sampleParams, ""), `{"role":"assistant","model":"m","content":[]}`, ""},
		{methodSample, fmt.Sprintf(sampleParams, ""), `{"role":"system","model":"m","content":{}}`, `the answer to "in" is no sampled message`},
		{methodSample, fmt.Sprintf(sampleParams, ""), `{"role":"user","content":{}}`, `the answer to "in" is no sampled message`},
		{methodSample, fmt.Sprintf(sampleParams, ""), `{"role":"user","model":"m","content":"text"}`, `the answer to "in" is no sampled message`},
		{methodSample, fmt.Sprintf(sampleParams, ""), `"text"`, `the answer to "in" is not an object`},
		{methodRoots, `{}`, `{"roots":[{"uri":"file:///a","name":"a"},{"uri":"file:///b"}],"_meta":{}}`, ""},
		{methodRoots, `{}`, `{"roots":[]}`, ""},
		{methodRoots, `{}`, `{}`, `the answer to "in" has no roots`},
		{methodRoots, `{}`, `{"roots":{}}`, `the answer to "in" has no roots`},
		{methodRoots, `{}`, `{"roots":["file:///a"]}`, `the answer to "in" has a root without a URI`},
		{methodRoots, `{}`, `{"roots":[{"name":"a"}]}`, `the answer to "in" has a root without a URI`},
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

// GAP-40: the params of an elicitation in the form of its era: an id
// for a URL in 2025-11-25 and only there, no mode in 2025-06-18.
func TestInputInASession(t *testing.T) {
	for name, test := range map[string]struct {
		version, capabilities, params, want string
	}{
		"a URL":                     {"2025-11-25", urlCapability, urlParams, urlParams},
		"a URL with an id":          {"2025-11-25", urlCapability, `{"elicitationId":"mine",` + urlParams[1:], `{"elicitationId":"mine",` + urlParams[1:]},
		"a form":                    {"2025-11-25", formCapability, formParams, formParams},
		"a form with its mode":      {"2025-11-25", formCapability, `{"mode":"form",` + formParams[1:], `{"mode":"form",` + formParams[1:]},
		"a form of 2025-06-18":      {"2025-06-18", formCapability, `{"mode":"form",` + formParams[1:], formParams},
		"the mode is in the middle": {"2025-06-18", formCapability, `{"message":"?","mode":"form",` + formParams[len(`{"message":"?",`):], formParams},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := prompts.NewServer(registryOf(inputPrompt(methodElicit, json.RawMessage(test.params))), prompts.Options{})
				c := connect(t, s).handshakeAs(test.version, test.capabilities)
				ids := map[string]bool{}
				for range 2 {
					c.send(getLine("1", "input"))
					q := c.question()
					var got map[string]any
					require.NoError(t, json.Unmarshal(q.Params, &got))
					if name == "a URL" {
						id, _ := got["elicitationId"].(string)
						assert.GreaterOrEqual(t, len(id), 20)
						assert.False(t, ids[id], "the same id twice")
						ids[id] = true
						delete(got, "elicitationId")
					}
					var want map[string]any
					require.NoError(t, json.Unmarshal([]byte(test.want), &want))
					assert.Equal(t, want, got)
					assert.Len(t, c.ask(q.reply(`{"action":"accept","content":{}}`)), 1)
				}
				assert.NoError(t, c.end())
			})
		})
	}
}
