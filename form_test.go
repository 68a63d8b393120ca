package prompts_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
)

// elicits returns a question with a form of the type.
func elicits[T any](message string, arguments ...prompts.Argument) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := prompts.Elicit[T](ctx, "q", message, arguments...)
		return err
	}
}

// Errors in the declaration of a form are logged.
func TestInvalidForms(t *testing.T) {
	t.Parallel()
	badDefault := prompts.Argument{Name: "a", Schema: &jsonschema.Schema{Default: json.RawMessage(`"a"`)}}
	for _, test := range []struct {
		ask func(ctx context.Context) error
		log string
	}{
		{elicits[string]("?"), "must be a struct"},
		{elicits[colour]("?", prompts.Argument{Name: "color"}), `\"color\"`},
		{elicits[one[chan int]]("?"), `argument \"a\"`},
		{elicits[maybe[int]]("?", badDefault), `argument \"a\"`},
		{elicits[colour]("\xff"), "message is not valid UTF-8"},
		{elicits[colour]("?", prompts.Argument{Name: "colour", Schema: prompts.Enum("\xff")}), "invalid UTF-8"},
	} {
		var j journal
		s := prompts.MustNewServer(registryOf(rendered("form", func(ctx context.Context) (*prompts.Result, error) { return nil, test.ask(ctx) })), prompts.Options{Logger: j.logger()})
		newRounds(t, s, "form").get("").fails(t, prompts.CodeInternalError, renderFailed)
		if !strings.HasPrefix(test.log, "message") { // which is not sent if the answer is there
			newRounds(t, s, "form").get(`{"q":`+red+`}`).fails(t, prompts.CodeInternalError, renderFailed)
		}
		assert.Contains(t, j.String(), test.log)
		assert.Contains(t, j.String(), "level=ERROR")
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

const urlParams = `{"mode":"url","message":"Sign in","url":"https://example.com/in"}`

// MRT-26, MRT-27, MRT-29: the server sends no input request that the protocol does
// not define, with a schema that is none or would have to be fetched, or with
// credentials in a URL. That is the author's fault, in each era, before anybody is
// asked and after.
func TestInvalidInputRequests(t *testing.T) {
	t.Parallel()
	for _, row := range table(t, "input_requests", 3) {
		method, logged := row[0], row[2]
		var params any
		if row[1] != "" {
			params = json.RawMessage(row[1])
		}
		var j journal
		s := prompts.MustNewServer(registryOf(inputPrompt(method, params)), prompts.Options{Logger: j.logger()})
		if logged == "" {
			newRounds(t, s, "input").get("").wants(t, "in")
			continue
		}
		for _, responses := range []string{"", `{"in":` + accepting(`{}`) + `}`} {
			assert.Empty(t, newRounds(t, s, "input").get(responses).fails(t, prompts.CodeInternalError, renderFailed))
		}
		got := answerTo(t, s, newSessionAs(t, s, "2025-11-25", allCapabilities), getLine("1", "input"))
		assert.Equal(t, errorLine("1", prompts.CodeInternalError, renderFailed), got)
		assert.Equal(t, 3, strings.Count(j.String(), "level=ERROR"), row)
		for record := range strings.Lines(j.String()) {
			assert.Contains(t, record, logged)
			assert.NotContains(t, record, "secret")
		}
	}
}

// MRT-19, MRT-20, MRT-24: a result is checked for its form, the content of one
// by its schema, and passed on as it came. What it was is no part of the error.
func TestInputResults(t *testing.T) {
	t.Parallel()
	for _, row := range table(t, "input_results", 4) {
		method, params, result, message := row[0], row[1], row[2], row[3]
		r := newRounds(t, prompts.MustNewServer(registryOf(inputPrompt(method, json.RawMessage(params))), prompts.Options{}), "input")
		r.get("").wants(t, "in")
		o := r.get(`{"in":` + result + `}`)
		if message == "" {
			assert.Equal(t, result, o.text(t))
			continue
		}
		data := o.fails(t, prompts.CodeInvalidParams, message)
		if strings.HasPrefix(message, "invalid answer") {
			assert.JSONEq(t, `{"input":"in"}`, data, row)
		}
	}
}

// What is asked in the protocol's own terms has to be in the terms of the
// client's revision (MRT-26).
func TestInputRequestOfARevision(t *testing.T) {
	t.Parallel()
	for _, row := range table(t, "input_versions", 3) {
		version, property, want := row[0], row[1], row[2]
		var got error
		p := rendered("input", func(ctx context.Context) (*prompts.Result, error) {
			got = prompts.Ask(ctx, prompts.InputRequest("k", methodElicit, map[string]any{
				"message": "m", "requestedSchema": json.RawMessage(`{"type":"object","properties":{"x":` + property + `}}`),
			}))
			return prompts.Messages(), nil
		})
		_, err := prompts.MustNewServer(registryOf(p), prompts.Options{}).Call(t.Context(), methodGet, json.RawMessage(`{"name":"input"}`), prompts.CallOptions{
			Version: version, ClientCapabilities: json.RawMessage(formCapability),
			Request: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
				return json.RawMessage(declining), nil
			},
		})
		assert.NoError(t, err)
		if want == "" {
			assert.ErrorIs(t, got, prompts.ErrDeclined, property)
		} else if assert.ErrorContains(t, got, want, property) {
			assert.Equal(t, version == "2025-06-18", errors.Is(got, prompts.ErrElicitationUnavailable))
		}
	}
}
