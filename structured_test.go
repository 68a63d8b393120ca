package prompts_test

import (
	"context"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest"
)

// insideErrors are values of an argument s, of the members region, n and c, and the errors.
var insideErrors = map[string]string{
	`{}`:                      `s.region is required`,
	`{"region":"zz"}`:         `s.region must be one of eu, us, got "zz"`,
	`{"region":"eu","n":9}`:   `s.n must be at most 3, got 9`,
	`{"region":3}`:            `s.region must be one of eu, us, got the number 3`,
	`[]`:                      `s must be a JSON object, got an array`,
	`{"region":"eu","nn":1}`:  `s.nn is unknown; known members: region, n, c`,
	`{"region":"eu","c":[1]}`: `s.c[0] must be a string, got the number 1`,
}

// alternatives is an argument s of which several alternatives may accept a value.
var alternatives = prompts.Argument{Name: "s", Required: true, Schema: &jsonschema.Schema{Type: "object", OneOf: []*jsonschema.Schema{
	{Required: []string{"op"}, Properties: map[string]*jsonschema.Schema{"n": {Type: "integer"}}}, {Required: []string{"op"}}, {Required: []string{"x"}},
}}}

// alternativesErrors are values of alternatives that none, two or all of them accept, and the
// errors.
var alternativesErrors = map[string]string{
	`{}`:                     `s.op is required, unless x is given`,
	`{"op":1}`:               `s must match only one of the JSON Schemas {"properties":{"n":{"type":"integer"}},"required":["op"]} and {"required":["op"]}, got {"op":1}`,
	`{"op":1,"x":1}`:         `s must match only one of the JSON Schemas {"properties":{"n":{"type":"integer"}},"required":["op"]} and {"required":["op"]}, got {"op":1,"x":1}`,
	`{"op":1,"n":"x","x":1}`: `s must not have the members op, x together; remove one of them`,
}

type inside struct {
	S struct {
		Region string   `json:"region" enum:"eu,us"`
		N      int      `json:"n,omitempty" maximum:"3"`
		C      []string `json:"c,omitempty" maxItems:"1"`
	} `json:"s"`
}

// A value inside of an argument has an error of its own. callGet wants the same of a
// tool.
func TestErrorsInsideOfArguments(t *testing.T) {
	t.Parallel()
	rendered := prompts.Messages(prompts.User("x"))
	for _, c := range []struct {
		prompt prompts.Prompt
		errors map[string]string
	}{
		{prompts.New(prompts.Prompt{Name: "p"}, func(context.Context, inside) (*prompts.Result, error) { return rendered, nil }), insideErrors},
		{prompts.Prompt{Name: "p", Arguments: []prompts.Argument{alternatives}, Render: func(context.Context, map[string]string) (*prompts.Result, error) { return rendered, nil }}, alternativesErrors},
	} {
		seen := map[string]bool{}
		for value, want := range c.errors {
			_, e := callGet(t, c.prompt, `{"s":`+servertest.JsonText(value)+`}`, prompts.Options{})
			require.NotNil(t, e, value)
			assert.Equal(t, prompts.CodeInvalidParams, e.Code)
			assert.Equal(t, `invalid arguments for prompt "p": `+want, e.Message)
			assert.False(t, seen[e.Message])
			seen[e.Message] = true
		}
	}
}

// An answer in a form has the same errors, by the field of the member or as JSON.
func TestErrorsInsideOfForms(t *testing.T) {
	t.Parallel()
	ask := servertest.Elicits[inside]("?")
	s := prompts.MustNewServer(servertest.RegistryOf(servertest.Rendered("form", func(ctx context.Context) (*prompts.Result, error) { return nil, ask(ctx) })), prompts.Options{})
	answers := map[string]string{
		`{"s.n":1}`:                     `s.region is required`,
		`{"s.region":"zz"}`:             `s.region must be one of eu, us, got "zz"`,
		`{"s.region":"eu","s.n":9}`:     `s.n must be at most 3, got 9`,
		`{"s.region":3}`:                `s.region must be a string`,
		`{"s.region":"eu","s.c":"a,b"}`: `s.c must have at most 1 element, got 2`,
		`{"s.region":"eu","s.c":"[1]"}`: `s.c[0] must be a string, got the number 1`,
	}
	for value, want := range insideErrors {
		answers[`{"s":`+servertest.JsonText(value)+`}`] = want
	}
	for content, want := range answers {
		servertest.NewRounds(t, s, "form").Get(`{"q":`+servertest.Accepting(content)+`}`).Fails(t, prompts.CodeInvalidParams, `invalid answer to question "q": `+want)
	}
}

// An answer with JSON for an argument with alternatives has the same errors.
func TestErrorsOfAlternativesInForms(t *testing.T) {
	t.Parallel()
	ask := servertest.Elicits[struct {
		S map[string]any `json:"s"`
	}]("?", alternatives)
	s := prompts.MustNewServer(servertest.RegistryOf(servertest.Rendered("form", func(ctx context.Context) (*prompts.Result, error) { return nil, ask(ctx) })), prompts.Options{})
	for value, want := range alternativesErrors {
		servertest.NewRounds(t, s, "form").Get(`{"q":`+servertest.Accepting(`{"s":`+servertest.JsonText(value)+`}`)+`}`).Fails(t, prompts.CodeInvalidParams, `invalid answer to question "q": `+want)
	}
}
