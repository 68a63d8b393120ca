package elicit_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest"
)

// Errors in the declaration of a form are logged.
func TestInvalidForms(t *testing.T) {
	t.Parallel()
	badDefault := prompts.Argument{Name: "a", Schema: &jsonschema.Schema{Default: json.RawMessage(`"a"`)}}
	for _, test := range []struct {
		ask func(ctx context.Context) error
		log string
	}{
		{servertest.Elicits[string]("?"), "must be a struct"},
		{servertest.Elicits[servertest.Colour]("?", prompts.Argument{Name: "color"}), `\"color\"`},
		{servertest.Elicits[servertest.One[chan int]]("?"), `argument \"a\"`},
		{servertest.Elicits[servertest.Maybe[int]]("?", badDefault), `argument \"a\"`},
		{servertest.Elicits[servertest.Colour]("\xff"), "message is not valid UTF-8"},
		{servertest.Elicits[servertest.Colour]("?", prompts.Argument{Name: "colour", Enum: []string{"\xff"}}), "invalid UTF-8"},
	} {
		var j servertest.Journal
		s := prompts.MustNewServer(servertest.RegistryOf(servertest.Rendered("form", func(ctx context.Context) (*prompts.Result, error) { return nil, test.ask(ctx) })), prompts.Options{Logger: j.Logger()})
		servertest.NewRounds(t, s, "form").Get("").Fails(t, prompts.CodeInternalError, servertest.RenderFailed)
		if !strings.HasPrefix(test.log, "message") { // which is not sent if the answer is there
			servertest.NewRounds(t, s, "form").Get(`{"q":`+servertest.Red+`}`).Fails(t, prompts.CodeInternalError, servertest.RenderFailed)
		}
		assert.Contains(t, j.String(), test.log)
		assert.Contains(t, j.String(), "level=ERROR")
	}
}

// inputPrompt is a prompt that asks one question in the protocol's own terms.
func inputPrompt(method string, params any) prompts.Prompt {
	return servertest.Rendered("input", func(ctx context.Context) (*prompts.Result, error) {
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
	for _, row := range servertest.Table(t, "input_requests", 3) {
		method, logged := row[0], row[2]
		var params any
		if row[1] != "" {
			params = json.RawMessage(row[1])
		}
		var j servertest.Journal
		s := prompts.MustNewServer(servertest.RegistryOf(inputPrompt(method, params)), prompts.Options{Logger: j.Logger()})
		if logged == "" {
			servertest.NewRounds(t, s, "input").Get("").Wants(t, "in")
			continue
		}
		for _, responses := range []string{"", `{"in":` + servertest.Accepting(`{}`) + `}`} {
			assert.Empty(t, servertest.NewRounds(t, s, "input").Get(responses).Fails(t, prompts.CodeInternalError, servertest.RenderFailed))
		}
		got := servertest.AnswerTo(t, s, servertest.NewSessionAs(t, s, "2025-11-25", servertest.AllCapabilities), servertest.GetLine("1", "input"))
		assert.Equal(t, servertest.ErrorLine("1", prompts.CodeInternalError, servertest.RenderFailed), got)
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
	for _, row := range servertest.Table(t, "input_results", 4) {
		method, params, result, message := row[0], row[1], row[2], row[3]
		r := servertest.NewRounds(t, prompts.MustNewServer(servertest.RegistryOf(inputPrompt(method, json.RawMessage(params))), prompts.Options{}), "input")
		r.Get("").Wants(t, "in")
		o := r.Get(`{"in":` + result + `}`)
		if message == "" {
			assert.Equal(t, result, o.Text(t))
			continue
		}
		data := o.Fails(t, prompts.CodeInvalidParams, message)
		if strings.HasPrefix(message, "invalid answer") {
			assert.JSONEq(t, `{"input":"in"}`, data, row)
		}
	}
}

// What is asked in the protocol's own terms has to be in the terms of the
// client's revision (MRT-26).
func TestInputRequestOfARevision(t *testing.T) {
	t.Parallel()
	for _, row := range servertest.Table(t, "input_versions", 3) {
		version, property, want := row[0], row[1], row[2]
		var got error
		p := servertest.Rendered("input", func(ctx context.Context) (*prompts.Result, error) {
			got = prompts.Ask(ctx, prompts.InputRequest("k", servertest.MethodElicit, map[string]any{
				"message": "m", "requestedSchema": json.RawMessage(`{"type":"object","properties":{"x":` + property + `}}`),
			}))
			return prompts.Messages(), nil
		})
		_, err := prompts.MustNewServer(servertest.RegistryOf(p), prompts.Options{}).Call(t.Context(), servertest.MethodGet, json.RawMessage(`{"name":"input"}`), prompts.CallOptions{
			Version: version, ClientCapabilities: json.RawMessage(servertest.FormCapability),
			Request: func(context.Context, string, json.RawMessage) (json.RawMessage, error) {
				return json.RawMessage(servertest.Declining), nil
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
