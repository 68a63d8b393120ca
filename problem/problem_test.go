package problem_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/problem"
)

// A middleware, the caller and a client that has only the JSON read the same problems.
func TestOf(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	reg.MustAdd(prompts.NewText(prompts.Prompt{Name: "p"}, func(_ context.Context, in struct {
		A string   `json:"a" enum:"x,y"`
		N int      `json:"n" minimum:"1"`
		L []string `json:"l,omitempty" enum:"u,v"`
	}) (string, error) {
		return "", prompts.InvalidArgument("a", "not today")
	}))
	var seen []problem.Problem
	s := prompts.MustNewServer(&reg, prompts.Options{Middleware: func(next prompts.Handler) prompts.Handler {
		return func(ctx context.Context, r *prompts.Request) (*prompts.Response, error) {
			response, err := next(ctx, r)
			seen = problem.Of(err)
			return response, err
		}
	}})
	for _, test := range []struct {
		arguments string
		want      []problem.Problem
	}{
		{`{"n":"0"}`, []problem.Problem{
			{Argument: "a", Reason: problem.Missing, Message: "is required"},
			{Argument: "n", Reason: problem.Range, Message: "must be at least 1, got 0", Allowed: json.RawMessage(`{"minimum":1}`)},
		}},
		{`{"a":"yy","n":"1"}`, []problem.Problem{
			{Argument: "a", Reason: problem.Enum, Message: `must be one of x, y, got "yy"`, Allowed: json.RawMessage(`["x","y"]`)},
		}},
		{`{"a":"x","n":"1"}`, []problem.Problem{{Argument: "a", Reason: problem.Refused, Message: "not today"}}},
		{`{"a":"x","n":"1","l":"u,q"}`, []problem.Problem{
			{Argument: "l", Path: "/1", Reason: problem.Enum, Message: `must be one of u, v, got "q"`, Allowed: json.RawMessage(`["u","v"]`)},
		}},
	} {
		_, err := s.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"p","arguments":`+test.arguments+`}`), prompts.CallOptions{Version: "2025-11-25"})
		assert.Equal(t, test.want, problem.Of(fmt.Errorf("wrapped: %w", err)), test.arguments)
		assert.Equal(t, test.want, seen, test.arguments)

		var e *prompts.Error
		require.ErrorAs(t, err, &e)
		raw, err := json.Marshal(e.Data)
		require.NoError(t, err)
		assert.Equal(t, test.want, problem.Of(&prompts.Error{Data: json.RawMessage(raw)}), test.arguments)
		var decoded any
		require.NoError(t, json.Unmarshal(raw, &decoded))
		assert.Equal(t, test.want, problem.Of(&prompts.Error{Data: decoded}), test.arguments)

		last := test.want[len(test.want)-1]
		assert.Equal(t, last.Reason, problem.Reasons(e)[last.Argument])
		assert.Len(t, problem.Reasons(e), len(test.want))
	}
}

func TestOfAnotherError(t *testing.T) {
	t.Parallel()
	for _, err := range []error{
		nil, errors.New("x"), (*prompts.Error)(nil), &prompts.Error{}, &prompts.Error{Data: 1}, &prompts.Error{Data: make(chan int)},
		&prompts.Error{Data: map[string]any{"problems": "p"}}, &prompts.Error{Data: json.RawMessage(`{`)},
	} {
		assert.Nil(t, problem.Of(err))
		assert.Nil(t, problem.Reasons(err))
	}
}

// A function, a middleware and a completion reject a value inside of an argument, and the log
// has a name that the prompt does not declare.
func TestInvalidArgumentInside(t *testing.T) {
	t.Parallel()
	type problems = []problem.Problem
	refused := func(argument, path string) problems {
		return problems{{Argument: argument, Path: path, Reason: problem.Refused, Message: "is old"}}
	}
	for name, test := range map[string]struct {
		want     problems
		sentence string
		isLogged bool
	}{
		"filters":              {want: refused("filters", ""), sentence: "filters: is old"},
		"filters[2].name":      {want: refused("filters", "/2/name"), sentence: "filters[2].name: is old"},
		`filters[0]["a b/"].c`: {want: refused("filters", "/0/a b~1/c"), sentence: `filters[0]["a b/"].c: is old`},
		"filters.a.b":          {want: refused("filters", "/a/b"), sentence: "filters.a.b: is old"},
		"dotted.name":          {want: refused("dotted.name", ""), sentence: "dotted.name: is old"},
		"dotted.name.x":        {want: refused("dotted.name", "/x"), sentence: "dotted.name.x: is old"},
		"token.x":              {want: refused("token", ""), sentence: "token: is old"},
		"filter":               {want: refused("filter", ""), sentence: "filter: is old", isLogged: true},
		"filter[2]":            {want: refused("filter[2]", ""), sentence: "filter[2]: is old", isLogged: true},
		"filters[-1]":          {want: refused("filters[-1]", ""), sentence: "filters[-1]: is old", isLogged: true},
		"filters[2":            {want: refused("filters[2", ""), sentence: "filters[2: is old", isLogged: true},
		"filters[2]x":          {want: refused("filters[2]x", ""), sentence: "filters[2]x: is old", isLogged: true},
		"filters.":             {want: refused("filters.", ""), sentence: "filters.: is old", isLogged: true},
		"":                     {want: refused("", ""), sentence: ": is old", isLogged: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reject := func() error { return prompts.InvalidArgument(name, "is old") }
			p := prompts.Prompt{
				Name: "p",
				Arguments: []prompts.Argument{
					{Name: "filters", Complete: func(context.Context, string, map[string]string) ([]string, error) { return nil, reject() }},
					{Name: "dotted.name"},
					{Name: "token", Sensitive: true},
				},
				Render: func(context.Context, map[string]string) (*prompts.Result, error) { return nil, reject() },
			}
			var reg prompts.Registry
			reg.MustAdd(p)
			middleware := func(prompts.Handler) prompts.Handler {
				return func(context.Context, *prompts.Request) (*prompts.Response, error) { return nil, reject() }
			}
			for _, o := range []prompts.Options{{}, {Middleware: middleware}, {ElicitArguments: true}} {
				for method, params := range map[string]string{
					"prompts/get":         `{"name":"p"}`,
					"completion/complete": `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"filters","value":""}}`,
				} {
					var log bytes.Buffer
					o.Logger = slog.New(slog.NewTextHandler(&log, nil))
					_, err := prompts.MustNewServer(&reg, o).Call(t.Context(), method, json.RawMessage(params), prompts.CallOptions{Version: "2025-11-25"})
					assert.Equal(t, test.want, problem.Of(err), method)
					assert.ErrorContains(t, err, `invalid arguments for prompt "p": `+test.sentence, method)
					if test.isLogged {
						assert.Contains(t, log.String(), `level=WARN msg="unknown argument refused"`, method)
						assert.Contains(t, log.String(), `prompt=p`, method)
					} else {
						assert.Empty(t, log.String(), method)
					}
				}
			}
		})
	}
}
