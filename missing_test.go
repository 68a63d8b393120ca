package prompts_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

type trip struct {
	From string `json:"from"`
	To   string `json:"to"`
	Days int    `json:"days,omitempty"`
}

// travel is a prompt whose arguments a client may be asked for.
func travel(more func(ctx context.Context) error) prompts.Prompt {
	return prompts.New(prompts.Prompt{
		Name: "travel", Title: "Plan a trip",
		Arguments: []prompts.Argument{
			{Name: "to", Title: "Destination", Description: "where to", Schema: prompts.Enum("Oslo", "Rome")},
			{Name: "days", Schema: &jsonschema.Schema{Minimum: ptr(1.0)}},
		},
	}, func(ctx context.Context, in trip) (*prompts.Result, error) {
		if more != nil {
			if err := more(ctx); err != nil {
				return nil, err
			}
		}
		return prompts.Messages(prompts.User(fmt.Sprintf("%s-%s %d", in.From, in.To, in.Days))), nil
	})
}

// fieldsOf returns the names and the message of a form for arguments.
func fieldsOf(t testing.TB, q asked) (names []string, message string) {
	t.Helper()
	var form struct {
		Message         string
		RequestedSchema struct{ Properties map[string]any }
	}
	require.Equal(t, methodElicit, q.Method)
	require.NoError(t, json.Unmarshal(q.Params, &form))
	for name := range form.RequestedSchema.Properties {
		names = append(names, name)
	}
	return names, form.Message
}

// The form has just the arguments that are missing or wrong, and says why.
func TestArgumentsThatAreAskedFor(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(registryOf(travel(nil)), prompts.Options{ElicitArguments: true})
	const needs = `Please fill in what the prompt "Plan a trip" needs.`
	for _, test := range []struct {
		arguments string
		fields    []string
		message   string
	}{
		{`{}`, []string{"from", "to"}, needs},
		{`null`, []string{"from", "to"}, needs},
		{`{"from":"Bonn"}`, []string{"to"}, needs},
		{`{"from":"","to":"Rome","days":"0"}`, []string{"days"}, needs + ` days: 0 is not at least 1`},
		{`{"from":"Bonn","to":"Paris"}`, []string{"to"}, needs + ` to: "Paris" is not one of Oslo, Rome`},
		{`{"to":"Paris","days":"x"}`, []string{"from", "to", "days"}, needs + ` to: "Paris" is not one of Oslo, Rome; days: "x" is not an integer`},
		{`{"from":1,"to":"Rome"}`, []string{"from"}, needs + ` from: must be a string`},
		{`{"to":"Rome","via":"Wien"}`, []string{"from"}, needs},
	} {
		r := newRounds(t, s, "travel")
		r.arguments = test.arguments
		o := r.get("")
		o.wants(t, argumentsKey)
		fields, message := fieldsOf(t, o.Result.Requests[argumentsKey])
		assert.ElementsMatch(t, test.fields, fields, test.arguments)
		assert.Equal(t, test.message, message, test.arguments)
	}

	r := newRounds(t, s, "travel")
	assert.JSONEq(t, `{"mode":"form","message":"`+strings.ReplaceAll(needs, `"`, `\"`)+`","requestedSchema":{"type":"object","properties":{
		"from":{"type":"string"},
		"to":{"type":"string","enum":["Oslo","Rome"],"title":"Destination","description":"where to"}},"required":["from","to"]}}`,
		string(r.get("").Result.Requests[argumentsKey].Params))

	r = newRounds(t, s, "travel")
	r.arguments = `{"from":"Bonn","to":"Rome","days":"2"}`
	assert.Equal(t, "Bonn-Rome 2", r.get("").text(t), "nothing is missing")
}

// PRG-03, PRG-05: who is not to be asked, or cannot be, gets the error.
func TestArgumentsThatAreNotAskedFor(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, capabilities, arguments string
		o                             prompts.Options
	}{
		{"not wanted", formCapability, `{}`, prompts.Options{}},
		{"no capability", noCapabilities, `{}`, prompts.Options{ElicitArguments: true}},
		{"only URLs", urlCapability, `{}`, prompts.Options{ElicitArguments: true}},
		// It would not help: no form could take them away.
		{"an undeclared argument", formCapability, `{"to":"Rome","via":"Wien"}`, prompts.Options{ElicitArguments: true, StrictArguments: true}},
		{"an undeclared one that is no string", formCapability, `{"to":"Rome","via":1}`, prompts.Options{ElicitArguments: true}},
	} {
		s := prompts.NewServer(registryOf(travel(nil)), test.o)
		r := newRounds(t, s, "travel")
		r.capabilities, r.arguments = test.capabilities, test.arguments
		o := r.get("")
		if assert.NotNil(t, o.Error, test.name) {
			assert.Equal(t, prompts.CodeInvalidParams, o.Error.Code, test.name)
			assert.Contains(t, o.Error.Message, "from: is required", test.name)
		}
	}
	s := prompts.NewServer(registryOf(travel(nil)), prompts.Options{ElicitArguments: true})
	for _, version := range []string{"2024-11-05", "2025-03-26"} {
		got, err := handle(t, s, newSessionAs(t, s, version, allCapabilities), getLine("1", "travel"))
		require.NoError(t, err)
		readOutcome(t, got).fails(t, prompts.CodeInvalidParams, "from: is required; to: is required")
	}
}

// What has been filled in rightly is not asked for again, in this round and in
// later ones.
func TestArgumentsAreKept(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(registryOf(travel(func(ctx context.Context) error {
		_, err := prompts.Elicit[colour](ctx, "colour", "Which?")
		return err
	})), prompts.Options{ElicitArguments: true})
	r := newRounds(t, s, "travel")
	r.arguments = `{"days":"3"}`
	r.get("").wants(t, argumentsKey)

	o := r.get(`{"` + argumentsKey + `":` + accepting(`{"from":"Bonn","to":"Paris"}`) + `}`)
	o.wants(t, argumentsKey)
	fields, message := fieldsOf(t, o.Result.Requests[argumentsKey])
	assert.Equal(t, []string{"to"}, fields)
	assert.Contains(t, message, `"Paris" is not one of`)

	// What was wrong is said once, and does not travel.
	o = r.get("")
	o.wants(t, argumentsKey)
	fields, message = fieldsOf(t, o.Result.Requests[argumentsKey])
	assert.Equal(t, []string{"to"}, fields)
	assert.NotContains(t, message, "Paris")

	r.get(`{"`+argumentsKey+`":`+accepting(`{"to":"Rome","from":"Ulm"}`)+`}`).wants(t, "colour")
	assert.Equal(t, "Bonn-Rome 3", r.get(`{"colour":`+red+`}`).text(t))
}

// MRT-15: the state belongs to the arguments of the request, not to those that
// were filled in.
func TestAskedArgumentsAreBound(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(registryOf(travel(func(ctx context.Context) error {
		_, err := prompts.Elicit[colour](ctx, "colour", "Which?")
		return err
	})), prompts.Options{ElicitArguments: true})
	r := newRounds(t, s, "travel")
	r.arguments = `{"to":"Rome"}`
	r.get("").wants(t, argumentsKey)
	r.get(`{"`+argumentsKey+`":`+accepting(`{"from":"Bonn"}`)+`}`).wants(t, "colour")
	for _, other := range []string{`{}`, `{"to":"Oslo"}`, `{"to":"Rome","from":"Bonn"}`, `{"to":"Rome","days":"1"}`} {
		changed := *r
		changed.arguments = other
		changed.get(`{"colour":`+red+`}`).fails(t, prompts.CodeInvalidParams, errState.Message)
	}
	assert.Equal(t, "Bonn-Rome 0", r.get(`{"colour":`+red+`}`).text(t))
}

// MRT-19, MRT-23: whoever does not fill in the form gets the error that there
// would have been without it.
func TestArgumentsAreRefused(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(registryOf(travel(nil)), prompts.Options{ElicitArguments: true})
	for answer, message := range map[string]string{
		declining:             `the client has declined to answer; to: is required`,
		dismissing:            `the client has dismissed the question; to: is required`,
		`{}`:                  `the answer to "prompt.arguments" has no action that is accept, decline or cancel`,
		`[]`:                  `the answer to "prompt.arguments" is not an object`,
		accepting(`null`):     `the answer to "prompt.arguments" has no content`,
		accepting(`{"to":1}`): `to: must be a string`,
	} {
		r := newRounds(t, s, "travel")
		r.arguments = `{"from":"Bonn"}`
		r.get("").wants(t, argumentsKey)
		data := r.get(`{"`+argumentsKey+`":`+answer+`}`).fails(t, prompts.CodeInvalidParams, message)
		const problems = `"prompt":"travel","problems":[{"argument":"to","reason":"missing","message":"is required"}]`
		switch answer {
		case declining:
			assert.JSONEq(t, `{"input":"prompt.arguments","action":"decline",`+problems+`}`, data)
		case dismissing:
			assert.JSONEq(t, `{"input":"prompt.arguments","action":"cancel",`+problems+`}`, data)
		default:
			assert.Contains(t, data, `"input":"prompt.arguments"`)
		}
	}
}

// In a session a person is asked three times at most, and a fault of the
// person's costs nobody else anything.
func TestArgumentsAreAskedForThreeTimes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := prompts.NewServer(registryOf(travel(nil)), prompts.Options{ElicitArguments: true, Limits: prompts.Limits{MaxConcurrent: 1}})
		c := connect(t, s).handshakeAs("2025-06-18", formCapability)
		c.send(getLine("1", "travel"))
		for i := range 3 {
			q := c.question()
			fields, _ := fieldsOf(t, q)
			if i == 0 {
				assert.ElementsMatch(t, []string{"from", "to"}, fields)
			} else {
				assert.Equal(t, []string{"to"}, fields)
			}
			c.send(q.reply(accepting(`{"from":"Bonn","to":"Paris"}`)))
		}
		got := c.received()
		require.Len(t, got, 1)
		readOutcome(t, got[0]).fails(t, prompts.CodeInvalidParams, `to: "Paris" is not one of Oslo, Rome`)

		c.send(getLine("2", "travel"))
		c.send(c.question().reply(accepting(`{"from":"Bonn"}`)))
		assert.Equal(t, []string{textLine("2", "Bonn-Oslo 0")}, c.ask(c.question().reply(accepting(`{"to":"Oslo"}`))))
		c.send(getLine("3", "travel"))
		got = c.ask(c.question().reply(declining))
		require.Len(t, got, 1)
		readOutcome(t, got[0]).fails(t, prompts.CodeInvalidParams, `the client has declined to answer; from: is required; to: is required`)
		assert.NoError(t, c.end())
		assert.Zero(t, s.Slots())
	})
}
