package prompts_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
)

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
			data := r.get(`{"in":`+accepting(content)+`}`).fails(t, prompts.CodeInvalidParams, `the answer to "in" does not fit the requestedSchema`)
			assert.JSONEq(t, `{"input":"in"}`, data, content)
		}
	}
}

// MRT-24: so does what comes at once, before the form was ever sent, and what
// a session's client answers.
func TestInputFitsItsSchemaFromTheBeginning(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const misfit = `the answer to "in" does not fit the requestedSchema`
		s := prompts.NewServer(registryOf(inputPrompt(methodElicit, json.RawMessage(formParams))), prompts.Options{})
		newRounds(t, s, "input").get(`{"in":`+accepting(`{"a":1}`)+`}`).fails(t, prompts.CodeInvalidParams, misfit)
		c := connect(t, s).handshakeAs("2025-06-18", formCapability)
		c.send(getLine("1", "input"))
		got := c.ask(c.question().reply(accepting(`{"a":1}`)))
		if assert.Len(t, got, 1) {
			readOutcome(t, got[0]).fails(t, prompts.CodeInvalidParams, misfit)
		}
		assert.NoError(t, c.end())
	})
}

// MRT-29: a schema that is none, or that would have to be fetched, is the
// author's fault, before anybody is asked and after.
func TestInputSchemasThatAreNone(t *testing.T) {
	t.Parallel()
	for properties, log := range map[string]string{
		`"a":{"type":"string","minLength":"2"}`:                                      "requestedSchema",
		`"a":{"type":"string","pattern":"("}`:                                        "requestedSchema",
		`"a":{"type":"string","$ref":"https://example.com/s.json"}`:                  "requestedSchema",
		`"a":{"type":"string","$ref":"#/$defs/none"}`:                                "requestedSchema",
		`"a":{"type":"string","enum":"x"}`:                                           "requestedSchema",
		`"a":{"type":"array","items":{"type":"string","enum":["x"]},"minItems":"1"}`: "requestedSchema",
	} {
		var j journal
		s := prompts.NewServer(registryOf(inputPrompt(methodElicit, formSchema(properties, ""))), prompts.Options{Logger: j.logger()})
		for _, responses := range []string{"", `{"in":` + accepting(`{}`) + `}`} {
			newRounds(t, s, "input").get(responses).fails(t, prompts.CodeInternalError, renderFailed)
		}
		assert.Equal(t, 2, strings.Count(j.String(), log), properties)
	}
}

// MRT-27: a URL that the client's user is to open gives nobody away, and lets
// nobody in: it has no credentials in it, in no revision.
func TestInputURLs(t *testing.T) {
	t.Parallel()
	for url, log := range map[string]string{
		"https://example.com/in?state=%40#x": "",
		"http://localhost:8080/in":           "",
		"https://example.com/@user":          "",
		"https://user@example.com/":          "credentials",
		"https://user:secret@example.com/":   "credentials",
		"https://:secret@example.com/":       "credentials",
		"https://@example.com/":              "credentials",
		"https://us%40er:x@example.com/":     "credentials",
		"//example.com/in":                   "its url",
		"example.com/in":                     "its url",
		"https:// example.com/":              "its url",
		"":                                   "its url",
	} {
		var j journal
		s := prompts.NewServer(registryOf(inputPrompt(methodElicit, map[string]string{"mode": "url", "message": "Sign in", "url": url})), prompts.Options{Logger: j.logger()})
		o := newRounds(t, s, "input").get("")
		if log == "" {
			o.wants(t, "in")
			continue
		}
		o.fails(t, prompts.CodeInternalError, renderFailed)
		assert.Contains(t, j.String(), log, url)
		assert.NotContains(t, j.String(), "secret")
		got, err := handle(t, s, newSessionAs(t, s, "2025-11-25", allCapabilities), getLine("1", "input"))
		assert.NoError(t, err)
		assert.Equal(t, errorLine("1", prompts.CodeInternalError, renderFailed), got)
	}
}
