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
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

type (
	one[T any] struct {
		A T `json:"a"`
	}
	maybe[T any] struct {
		A T `json:"a,omitempty"`
	}
	inner struct {
		Name string `json:"name"`
		Size int    `json:"size,omitempty"`
	}
)

func ptr[T any](v T) *T { return &v }

// storing is a prompt whose render function keeps what it gets.
func storing[In any](got *In, arguments ...prompts.Argument) prompts.Prompt {
	return prompts.New(prompts.Prompt{Name: "p", Arguments: arguments}, func(_ context.Context, in In) (*prompts.Result, error) {
		*got = in
		return &prompts.Result{}, nil
	})
}

// callGet gets the prompt p through Server.Call, and returns the result or
// the error as the client has it.
func callGet(t testing.TB, p prompts.Prompt, arguments string, o prompts.Options) (string, *prompts.Error) {
	t.Helper()
	var r prompts.Registry
	require.NoError(t, r.Add(p))
	params := fmt.Sprintf(`{"name":%s,"arguments":%s}`, jsonText(p.Name), arguments)
	result, err := prompts.NewServer(&r, o).Call(context.Background(), "prompts/get", json.RawMessage(params), prompts.CallOptions{})
	if err != nil {
		var e *prompts.Error
		require.ErrorAs(t, err, &e)
		return "", e
	}
	return string(result), nil
}

// callList lists all prompts of the registry through Server.Call.
func callList(t testing.TB, r *prompts.Registry) string {
	t.Helper()
	result, err := prompts.NewServer(r, prompts.Options{PageSize: 10_000}).Call(context.Background(), "prompts/list", nil, prompts.CallOptions{})
	require.NoError(t, err)
	return string(result)
}

// untyped is a prompt without a struct, whose message is its arguments.
func untyped(arguments ...prompts.Argument) prompts.Prompt {
	return prompts.Prompt{Name: "p", Arguments: arguments, Render: func(_ context.Context, args map[string]string) (*prompts.Result, error) {
		return prompts.Messages(prompts.User(fmt.Sprint(args))), nil
	}}
}

type reviewArguments struct {
	Code     string   `json:"code" jsonschema:"the code"`
	Language string   `json:"language,omitempty"`
	Lines    int      `json:"lines"`
	Focus    []string `json:"focus,omitempty"`
	Strict   *bool    `json:"strict"`
}

func review() prompts.Prompt {
	return prompts.New(prompts.Prompt{Name: "review", Arguments: []prompts.Argument{
		{Name: "language", Schema: &jsonschema.Schema{Enum: []any{"go", "rust"}, Default: json.RawMessage(`"go"`)}},
		{Name: "lines", Schema: &jsonschema.Schema{Minimum: ptr(1.0), Maximum: ptr(9.0)}},
		{Name: "focus", Schema: &jsonschema.Schema{MaxItems: ptr(2), Items: &jsonschema.Schema{MinLength: ptr(2)}}},
		{Name: "code", Schema: &jsonschema.Schema{Pattern: "^[a-z]+$"}},
	}}, func(_ context.Context, in reviewArguments) (*prompts.Result, error) {
		return prompts.Messages(prompts.User(fmt.Sprintf("%s %s %d %q %t", in.Code, in.Language, in.Lines, in.Focus, in.Strict != nil && *in.Strict))), nil
	})
}

func TestGetArguments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, want string }{
		{`{"code":"x","lines":"1"}`, `x go 1 [] false`},
		{`{"strict":"true","focus":"ab,cd","lines":"9","language":"rust","code":"y","other":"1"}`, `y rust 9 [\"ab\" \"cd\"] true`},
		{`{"c\u006fde":"x","lines":"\u0031"}`, `x go 1 [] false`},
	} {
		got, e := callGet(t, review(), c.args, prompts.Options{})
		require.Nil(t, e, c.args)
		assert.Equal(t, `{"messages":[{"role":"user","content":{"type":"text","text":"`+c.want+`"}}]}`, got)
	}
}

// All problems of a call are in one error: declared arguments in their order,
// then what is not declared in the order of the request (PRG-03, PRG-05,
// PRG-06, GAP-18 to GAP-21).
func TestGetProblems(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, args string
		strict     bool
		message    string
		problems   string
	}{
		{
			name: "all missing", args: `{}`,
			message:  `code: is required; lines: is required`,
			problems: `[{"argument":"code","reason":"missing","message":"is required"},{"argument":"lines","reason":"missing","message":"is required"}]`,
		}, {
			name: "every reason", args: `{"other":"1","strict":"yes","focus":"a,b,c","lines":"10","language":"c","code":"A"}`, strict: true,
			message: `code: "A" does not match ^[a-z]+$; language: "c" is not one of go, rust; lines: 10 is not from 1 to 9; ` +
				`focus: must be at most 2 elements, not 3; strict: "yes" is not true or false; other: is not an argument of this prompt`,
			problems: `[{"argument":"code","reason":"pattern","message":"\"A\" does not match ^[a-z]+$","allowed":"^[a-z]+$"},` +
				`{"argument":"language","reason":"enum","message":"\"c\" is not one of go, rust","allowed":["go","rust"]},` +
				`{"argument":"lines","reason":"range","message":"10 is not from 1 to 9","allowed":{"minimum":1,"maximum":9}},` +
				`{"argument":"focus","reason":"length","message":"must be at most 2 elements, not 3","allowed":{"maxItems":2}},` +
				`{"argument":"strict","reason":"type","message":"\"yes\" is not true or false"},` +
				`{"argument":"other","reason":"unknown","message":"is not an argument of this prompt"}]`,
		}, {
			name: "elements", args: `{"code":"x","lines":"1","focus":"ab,c"}`,
			message:  `focus: element 2: must be at least 2 characters, not 1`,
			problems: `[{"argument":"focus","reason":"length","message":"element 2: must be at least 2 characters, not 1","allowed":{"minLength":2}}]`,
		}, {
			name: "no strings", args: `{"lines":1,"language":null,"code":{"a":[]},"other":true}`,
			message: `code: must be a string; language: must be a string; lines: must be a string; other: must be a string`,
			problems: `[{"argument":"code","reason":"not_string","message":"must be a string"},{"argument":"language","reason":"not_string","message":"must be a string"},` +
				`{"argument":"lines","reason":"not_string","message":"must be a string"},{"argument":"other","reason":"not_string","message":"must be a string"}]`,
		}, {
			name: "no string under the strict option", args: `{"code":"x","lines":"1","z":1,"y":"1"}`, strict: true,
			message: `z: must be a string; y: is not an argument of this prompt`,
			problems: `[{"argument":"z","reason":"not_string","message":"must be a string"},` +
				`{"argument":"y","reason":"unknown","message":"is not an argument of this prompt"}]`,
		}, {
			name: "case", args: `{"Code":"x","lines":"1"}`,
			message:  `code: is required`,
			problems: `[{"argument":"code","reason":"missing","message":"is required"}]`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, e := callGet(t, review(), c.args, prompts.Options{StrictArguments: c.strict})
			require.NotNil(t, e)
			assert.Equal(t, prompts.CodeInvalidParams, e.Code)
			assert.Equal(t, c.message, e.Message)
			assert.Equal(t, `{"prompt":"review","problems":`+c.problems+`}`, jsonText(e.Data))
		})
	}
}

// A value is repeated up to 64 bytes, a name up to 64 in the message and 256
// in data, and never cut inside of a character.
func TestProblemsAreClipped(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 1000)
	args := fmt.Sprintf(`{"code":%q,"lines":%[1]q,"x%[2]s":"1"}`, "A"+long, long)
	_, e := callGet(t, review(), args, prompts.Options{StrictArguments: true})
	require.NotNil(t, e)
	assert.Equal(t, `code: "A`+long[:62]+`…" does not match ^[a-z]+$; lines: "A`+long[:62]+`…" is not an integer; x`+long[:62]+`…: is not an argument of this prompt`, e.Message)
	assert.Contains(t, jsonText(e.Data), `"argument":"x`+long[:254]+`…"`)
	assert.Less(t, len(jsonText(e.Data)), 1500)
}

// However much is wrong, the message has eight problems and data 64, and the
// answer is not many times the request.
func TestProblemsAreBounded(t *testing.T) {
	t.Parallel()
	for n, c := range map[int]struct {
		message string
		more    string
	}{
		8:       {`a7: is not an argument of this prompt`, `"}]}`},
		9:       {`a7: is not an argument of this prompt; and 1 more`, `"}]}`},
		64:      {`; and 56 more`, `"}]}`},
		65:      {`; and 57 more`, `"}],"more":1}`},
		100_000: {`; and 99992 more`, `"}],"more":99936}`},
	} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			var args strings.Builder
			for i := range n {
				fmt.Fprintf(&args, `,"a%d":"x"`, i)
			}
			_, e := callGet(t, untyped(), "{"+args.String()[1:]+"}", prompts.Options{StrictArguments: true, Limits: prompts.Limits{MaxArguments: n}})
			require.NotNil(t, e)
			data := jsonText(e.Data)
			assert.True(t, strings.HasSuffix(e.Message, c.message), e.Message)
			assert.True(t, strings.HasSuffix(data, c.more), data)
			assert.Equal(t, min(n, 64), strings.Count(data, `"reason":"unknown"`))
			assert.Less(t, len(data), 8<<10)
		})
	}
	// The same for values that are no strings, which need no option.
	_, e := callGet(t, untyped(), `{"a":1`+strings.Repeat(" ", 10)+manyNumbers(1000)+`}`, prompts.Options{Limits: prompts.Limits{MaxArguments: 2000}})
	require.NotNil(t, e)
	assert.Equal(t, 64, strings.Count(jsonText(e.Data), `"not_string"`))
	// And for those that the render function finds.
	_, e = callGet(t, prompts.Prompt{Name: "p", Render: func(context.Context, map[string]string) (*prompts.Result, error) {
		var errs []error
		for i := range 100 {
			errs = append(errs, prompts.InvalidArgument(fmt.Sprint(i), "no"))
		}
		return nil, errors.Join(errs...)
	}}, `{}`, prompts.Options{})
	require.NotNil(t, e)
	assert.Contains(t, jsonText(e.Data), `],"more":36}`)
}

func manyNumbers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"b%d":1`, i)
	}
	return b.String()
}

// Above a few arguments names are looked up in a map; nothing else changes.
func TestManyArguments(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 8, 9, 40} {
		var arguments []prompts.Argument
		args := map[string]string{}
		for i := range n {
			name := fmt.Sprintf("a%02d", n-i)
			arguments = append(arguments, prompts.Argument{Name: name, Required: true})
			args[name] = fmt.Sprint(i)
		}
		got, e := callGet(t, untyped(arguments...), jsonText(args), prompts.Options{StrictArguments: true})
		require.Nil(t, e)
		assert.Contains(t, got, fmt.Sprint(args))

		args["other"] = "x"
		_, e = callGet(t, untyped(arguments...), jsonText(args), prompts.Options{StrictArguments: true})
		require.NotNil(t, e)
		assert.Equal(t, "other: is not an argument of this prompt", e.Message)
		delete(args, "other")
		delete(args, arguments[n-1].Name)
		_, e = callGet(t, untyped(arguments...), jsonText(args), prompts.Options{})
		require.NotNil(t, e)
		assert.Equal(t, "a01: is required", e.Message)
	}
}

// A call with problems has no render function run.
func TestProblemsBeforeRender(t *testing.T) {
	t.Parallel()
	p := prompts.New(prompts.Prompt{Name: "p"}, func(context.Context, one[int]) (*prompts.Result, error) {
		t.Error("rendered")
		return nil, nil
	})
	_, e := callGet(t, p, `{"a":"x"}`, prompts.Options{})
	assert.NotNil(t, e)
}

// What may have been meant is said to people and to programs, of what a client
// can see in the list anyway.
func TestSuggestions(t *testing.T) {
	t.Parallel()
	var got struct {
		Language string   `json:"language"`
		Focus    []string `json:"focus,omitempty"`
	}
	languages := prompts.Enum("go", "python", "rust")
	p := storing(&got, prompts.Argument{Name: "language", Schema: languages}, prompts.Argument{Name: "focus", Schema: &jsonschema.Schema{Items: prompts.Enum("speed, first", "safety")}})
	for _, c := range []struct{ args, message, suggestions string }{
		{`{"language":"pyton"}`, `language: "pyton" is not one of go, python, rust; did you mean python?`, "python"},
		{`{"language":"RUST"}`, `language: "RUST" is not one of go, python, rust; did you mean rust?`, "rust"},
		{`{"language":"cobol"}`, `language: "cobol" is not one of go, python, rust`, ""},
		{`{"language":"go","focus":"saftey"}`, `focus: element 1: "saftey" is not one of "speed, first", safety; did you mean safety?`, "safety"},
		{`{"language":"go","focus":"[\"speed; first\"]"}`, `focus: element 1: "speed; first" is not one of "speed, first", safety; did you mean "speed, first"?`, "speed, first"},
		{`{"langauge":"go"}`, `language: is required; langauge: is not an argument of this prompt; did you mean language?`, " language"},
		{`{"language":"go","x":"y"}`, `x: is not an argument of this prompt`, ""},
		{`{"language":"go","` + strings.Repeat("language", 40) + `":"y"}`, strings.Repeat("language", 8) + `…: is not an argument of this prompt`, ""},
	} {
		_, e := callGet(t, p, c.args, prompts.Options{StrictArguments: true})
		require.NotNil(t, e, c.args)
		assert.Equal(t, c.message, e.Message)
		var data struct {
			Problems []struct {
				Suggestion string `json:"suggestion,omitempty"`
			} `json:"problems"`
		}
		require.NoError(t, json.Unmarshal([]byte(jsonText(e.Data)), &data))
		var suggestions []string
		for _, p := range data.Problems {
			suggestions = append(suggestions, p.Suggestion)
			assert.Equal(t, p.Suggestion != "", strings.Contains(jsonText(p), `"suggestion":`))
		}
		assert.Equal(t, c.suggestions, strings.Join(suggestions, " "))
	}
}

// What UnmarshalText does is an author's code: a panic is no problem of the
// client's, and what it says is not for the client.
type bomb struct{}

func (*bomb) UnmarshalText([]byte) error { panic("a secret") }

func TestValuePanic(t *testing.T) {
	t.Parallel()
	var got one[bomb]
	_, e := callGet(t, storing(&got), `{"a":"x"}`, prompts.Options{})
	require.NotNil(t, e)
	assert.Equal(t, prompts.CodeInternalError, e.Code)
	assert.NotContains(t, e.Message+jsonText(e.Data), "secret")
}

// The hint stands behind the description, in every list, unless the prompt
// does without.
func TestHintsAreListed(t *testing.T) {
	t.Parallel()
	type in struct {
		A string `json:"a" jsonschema:"what it is"`
		B int    `json:"b"`
		C string `json:"c" jsonschema:"free"`
	}
	var got in
	p := storing(&got, prompts.Argument{Name: "a", Schema: prompts.Enum("x", "<y>")})
	var r prompts.Registry
	r.MustAdd(p)
	assert.Equal(t, `{"prompts":[{"name":"p","arguments":[{"name":"a","description":"what it is (one of: x, <y>)","required":true},`+
		`{"name":"b","description":"an integer","required":true},{"name":"c","description":"free","required":true}]}]}`, callList(t, &r))
	p.DisableHints = true
	assert.NoError(t, r.Set(p))
	assert.Equal(t, `{"prompts":[{"name":"p","arguments":[{"name":"a","description":"what it is","required":true},`+
		`{"name":"b","required":true},{"name":"c","description":"free","required":true}]}]}`, callList(t, &r))
	back, _ := r.Lookup("p")
	assert.Equal(t, "what it is", back.Arguments[0].Description)
}
