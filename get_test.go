package prompts_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/transport"
)

func ptr[T any](v T) *T { return &v }

// callList lists all prompts of the registry through Server.Call.
func callList(t testing.TB, r *prompts.Registry) string {
	t.Helper()
	result, err := prompts.MustNewServer(r, prompts.Options{PageSize: 10_000}).Call(context.Background(), "prompts/list", nil, prompts.CallOptions{Version: "2025-11-25"})
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

// All problems of a call are in one error: declared arguments in their order,
// then what is not declared in the order of the request (PRG-03, PRG-05,
// PRG-06, GAP-18 to GAP-21). What may have been meant is said to people and to
// programs.
func TestGetProblems(t *testing.T) {
	t.Parallel()
	var got struct {
		Language string   `json:"language"`
		Focus    []string `json:"focus,omitempty"`
	}
	declared := servertest.RegistryOf(review(), servertest.Storing(&got, prompts.Argument{Name: "language", Enum: []string{"go", "python", "rust"}},
		prompts.Argument{Name: "focus", Schema: &jsonschema.Schema{Items: &jsonschema.Schema{Enum: []any{"speed, first", "safety"}}}}))
	for _, row := range servertest.Table(t, "problems", 5) {
		strict, args, message, data := row[0] == "strict", row[2], row[3], row[4]
		var j servertest.Journal
		_, e := callGet(t, firstOf(t, declared, row[1]), args, prompts.Options{StrictArguments: strict, Logger: j.Logger()})
		require.NotNil(t, e)
		assert.Empty(t, j.String(), "an error of the client is not logged")
		assert.Equal(t, prompts.CodeInvalidParams, e.Code)
		assert.Equal(t, message, e.Message)
		assert.Equal(t, data, servertest.JsonText(e.Data))
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
	assert.Equal(t, `invalid arguments for prompt "review": code must match the pattern ^[a-z]+$, got "A`+long[:62]+`…"; lines must be an integer, got "A`+long[:62]+`…"; x`+long[:62]+`… is not an argument of this prompt`, e.Message)
	assert.Contains(t, servertest.JsonText(e.Data), `"argument":"x`+long[:254]+`…"`)
	assert.Less(t, len(servertest.JsonText(e.Data)), 1500)
}

// However much is wrong, the message has eight problems and data 64, and the
// answer is not many times the request.
func TestProblemsAreBounded(t *testing.T) {
	t.Parallel()
	for n, c := range map[int]struct {
		message string
		more    string
	}{
		8:       {`a000007 is not an argument of this prompt`, `"}]}`},
		9:       {`a000007 is not an argument of this prompt; and 1 more`, `"}]}`},
		64:      {`; and 56 more`, `"}]}`},
		65:      {`; and 57 more`, `"}],"more":1}`},
		100_000: {`; and 99992 more`, `"}],"more":99936}`},
	} {
		t.Run(fmt.Sprint(n, " problems"), func(t *testing.T) {
			t.Parallel()
			var args strings.Builder
			for i := range n {
				fmt.Fprintf(&args, `,"a%06d":"x"`, i)
			}
			_, e := callGet(t, untyped(), "{"+args.String()[1:]+"}", prompts.Options{StrictArguments: true, Limits: prompts.Limits{MaxArguments: n}})
			require.NotNil(t, e)
			data := servertest.JsonText(e.Data)
			assert.True(t, strings.HasSuffix(e.Message, c.message), e.Message)
			assert.True(t, strings.HasSuffix(data, c.more), data)
			assert.Equal(t, min(n, 64), strings.Count(data, `"reason":"unknown"`))
			assert.Less(t, len(data), 8<<10)
		})
	}
	// The same for values that are no strings, which need no option.
	numbers := `"a":1` + strings.Repeat(" ", 10)
	for i := range 1000 {
		numbers += fmt.Sprintf(`,"b%d":1`, i)
	}
	_, e := callGet(t, untyped(), `{`+numbers+`}`, prompts.Options{Limits: prompts.Limits{MaxArguments: 2000}})
	require.NotNil(t, e)
	assert.Equal(t, 64, strings.Count(servertest.JsonText(e.Data), `"not_string"`))
	// And for those that the render function finds.
	_, e = callGet(t, prompts.Prompt{Name: "p", Render: func(context.Context, map[string]string) (*prompts.Result, error) {
		var errs []error
		for i := range 100 {
			errs = append(errs, prompts.InvalidArgument(fmt.Sprint(i), "no"))
		}
		return nil, errors.Join(errs...)
	}}, `{}`, prompts.Options{})
	require.NotNil(t, e)
	assert.Contains(t, servertest.JsonText(e.Data), `],"more":36}`)
}

// What UnmarshalText does is an author's code: a panic is no problem of the
// client's, and what it says is not for the client.
type bomb struct{}

func (*bomb) UnmarshalText([]byte) error { panic("a secret") }

func TestValuePanic(t *testing.T) {
	t.Parallel()
	var got servertest.One[bomb]
	_, e := callGet(t, servertest.Storing(&got), `{"a":"x"}`, prompts.Options{})
	require.NotNil(t, e)
	assert.Equal(t, prompts.CodeInternalError, e.Code)
	assert.NotContains(t, e.Message+servertest.JsonText(e.Data), "secret")
}

// withNilUnwrap is an error whose nil pointer cannot be unwrapped.
type withNilUnwrap struct{ inner error }

func (e *withNilUnwrap) Error() string { return "outer: " + e.inner.Error() }

func (e *withNilUnwrap) Unwrap() error { return e.inner }

type unwrapsNil struct{}

func (unwrapsNil) Error() string { return "a secret" }

func (unwrapsNil) Unwrap() error { return nil }

// What a client gets for the error of a render function. What it does not get
// goes to the log (JRP-22, LOG-12).
func TestRenderErrors(t *testing.T) {
	t.Parallel()
	const neutral = `-32603 internal error: prompt failed null`
	blame := func(name, reason string) error { return prompts.InvalidArgument(name, reason) }
	for _, c := range []struct {
		name string
		err  error
		want string // code, message, data
		log  string // the level of the record, if there is one
	}{
		{"plain", errors.New("a secret"), neutral, "ERROR"},
		{"plain, unwrapping to nil", unwrapsNil{}, neutral, "ERROR"},
		{"context", context.DeadlineExceeded, neutral, "ERROR"},
		{"invalid argument", blame("n", "must be even"),
			`-32602 invalid arguments for prompt "p": n: must be even {"prompt":"p","problems":[{"argument":"n","reason":"refused","message":"must be even"}]}`, ""},
		{"joined, not declared", errors.Join(blame("a", "x"), errors.New("a secret"), blame("b", "y")),
			`-32602 invalid arguments for prompt "p": a: x; b: y {"prompt":"p","problems":[{"argument":"a","reason":"refused","message":"x"},{"argument":"b","reason":"refused","message":"y"}]}`, "INFO"},
		{"wrapped", fmt.Errorf("a secret: %w", fmt.Errorf("another: %w, %w", errors.Join(blame("a", "x")), blame("b", "y"))),
			`-32602 invalid arguments for prompt "p": a: x; b: y {"prompt":"p","problems":[{"argument":"a","reason":"refused","message":"x"},{"argument":"b","reason":"refused","message":"y"}]}`, "INFO"},
		{"with an Error", errors.Join(&prompts.Error{Code: 7, Message: "seven"}, blame("a", "x")),
			`-32602 invalid arguments for prompt "p": a: x {"prompt":"p","problems":[{"argument":"a","reason":"refused","message":"x"}]}`, ""},
		{"Error of an application", &prompts.Error{Code: 1001, Message: "out of stock", Data: map[string]int{"left": 0}}, `1001 out of stock {"left":0}`, ""},
		{"code 0", &prompts.Error{Message: "a secret"}, neutral, "ERROR"},
		{"wrapped Error", fmt.Errorf("a secret: %w", &prompts.Error{Code: -1, Message: "m"}), `-1 m null`, "INFO"},
		{"invalid params", &prompts.Error{Code: prompts.CodeInvalidParams, Message: "m", Data: "d"}, `-32602 m "d"`, ""},
		{"internal error", &prompts.Error{Code: prompts.CodeInternalError, Message: "m"}, `-32603 m null`, ""},
		{"below the reserved", &prompts.Error{Code: -32769, Message: "m"}, `-32769 m null`, ""},
		{"above the reserved", &prompts.Error{Code: -31999, Message: "m"}, `-31999 m null`, ""},
		{"extreme", &prompts.Error{Code: math.MaxInt32, Message: "m"}, `2147483647 m null`, ""},
		{"first reserved", &prompts.Error{Code: -32768, Message: "a secret"}, neutral, "ERROR"},
		{"last reserved", &prompts.Error{Code: -32000, Message: "a secret"}, neutral, "ERROR"},
		{"method not found", &prompts.Error{Code: prompts.CodeMethodNotFound, Message: "a secret"}, neutral, "ERROR"},
		{"parse error", &prompts.Error{Code: transport.CodeParseError, Message: "a secret"}, neutral, "ERROR"},
		{"nil Error", (*prompts.Error)(nil), neutral, "ERROR"},
		{"with nothing to unwrap", (*withNilUnwrap)(nil), neutral, "ERROR"},
		{"wrapped nil Error", fmt.Errorf("a secret: %w", errors.Join(errors.New("x"), (*nilSafe)(nil))), neutral, "ERROR"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var j servertest.Journal
			arguments := []prompts.Argument{{Name: "a"}, {Name: "b"}, {Name: "n"}}
			p := prompts.Prompt{Name: "p", Arguments: arguments, Render: func(context.Context, map[string]string) (*prompts.Result, error) {
				return prompts.Messages(prompts.User("not sent")), c.err
			}}
			result, e := callGet(t, p, `{}`, prompts.Options{Logger: j.Logger()})
			require.NotNil(t, e)
			assert.Empty(t, result)
			assert.Equal(t, c.want, fmt.Sprintf("%d %s %s", int(e.Code), servertest.NeutralError(e).Message, servertest.JsonText(servertest.NeutralError(e).Data)))
			if c.log == "" {
				assert.Empty(t, j.String())
			} else {
				assert.Contains(t, j.String(), "level="+c.log)
				assert.Contains(t, j.String(), "prompt=p")
				assert.Equal(t, strings.Contains(fmt.Sprintf("%v", c.err), "secret"), strings.Contains(j.String(), "secret"))
			}
			assert.NotContains(t, e.Message+servertest.JsonText(e.Data), "secret")
		})
	}
}

type nilSafe struct{}

func (*nilSafe) Error() string { return "" }

// The text of NewText is one message of the user, and its error is that of a render
// function.
func TestNewText(t *testing.T) {
	t.Parallel()
	type in struct {
		Name string `json:"name"`
	}
	var reg prompts.Registry
	reg.MustAdd(prompts.NewText(prompts.Prompt{Name: "greet"}, func(_ context.Context, in in) (string, error) {
		if in.Name == "nobody" {
			return "", prompts.InvalidArgument("name", "is nobody")
		}
		return "Greet " + in.Name + ".", nil
	}))
	srv := prompts.MustNewServer(&reg, prompts.Options{})
	got, err := srv.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"greet","arguments":{"name":"Ada"}}`), prompts.CallOptions{Version: "2025-11-25"})
	require.NoError(t, err)
	assert.JSONEq(t, `{"messages":[{"role":"user","content":{"type":"text","text":"Greet Ada."}}]}`, string(got))
	_, err = srv.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"greet","arguments":{"name":"nobody"}}`), prompts.CallOptions{Version: "2025-11-25"})
	assert.EqualError(t, err, `invalid arguments for prompt "greet": name: is nobody (-32602)`)

	err = reg.Add(prompts.NewText[in](prompts.Prompt{Name: "nil"}, nil))
	require.Error(t, err)
	assert.Equal(t, reg.Add(prompts.New[in](prompts.Prompt{Name: "nil"}, nil)).Error(), err.Error())
}
