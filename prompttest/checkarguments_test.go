package prompttest

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

var minimum, maximum, few = 3.0, 9.0, 4

// An argument that has no effect is found, whatever it is declared as, and one
// that has is not.
func TestCheckArguments(t *testing.T) {
	t.Parallel()
	one := func(s *jsonschema.Schema) []prompts.Argument {
		return []prompts.Argument{{Name: "a", Required: true, Schema: s}}
	}
	optional := func(s *jsonschema.Schema) []prompts.Argument { return []prompts.Argument{{Name: "a", Schema: s}} }
	for _, test := range []struct {
		name      string
		arguments []prompts.Argument
	}{
		{"a string", one(nil)},
		{"an optional string", optional(nil)},
		{"a default", optional(&jsonschema.Schema{Default: []byte(`"x"`)})},
		{"an enum", one(&jsonschema.Schema{Enum: []any{"x", "y"}})},
		{"an optional enum", optional(&jsonschema.Schema{Enum: []any{"x", "y"}})},
		{"an enum of one", optional(&jsonschema.Schema{Enum: []any{"x"}})},
		{"a boolean", one(&jsonschema.Schema{Type: "boolean"})},
		{"an integer", one(&jsonschema.Schema{Type: "integer", Minimum: &minimum, Maximum: &maximum})},
		{"a number", one(&jsonschema.Schema{Type: "number", ExclusiveMinimum: &minimum, ExclusiveMaximum: &maximum})},
		{"multiples", one(&jsonschema.Schema{Type: "integer", MultipleOf: &maximum, Minimum: &maximum})},
		{"a pattern", one(&jsonschema.Schema{Pattern: "^[A-Z]{2}-[0-9]+$"})},
		{"a length", one(&jsonschema.Schema{MinLength: &few, MaxLength: &few})},
		{"an example in the schema", one(&jsonschema.Schema{Pattern: "^(?:x|yy)$", Examples: []any{"x", "yy"}})},
		{"a list", one(&jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Enum: []any{"x", "y"}}})},
		{"a long list", one(&jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "integer"}, MinItems: &few})},
		{"an object", one(&jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{
			"x": {Type: "integer"}, "y": {Type: "array", Items: &jsonschema.Schema{Type: "string"}}}, Required: []string{"x", "y"}})},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			used := text(test.arguments, func(args map[string]string) (string, error) { return "Say " + args["a"], nil })
			ignored := text(test.arguments, func(map[string]string) (string, error) { return "Say x", nil })
			for _, checked := range doors {
				assert.Empty(t, checked(t, CheckArguments, CheckOptions{}, used).errors)
				expect(t, checked(t, CheckArguments, CheckOptions{}, ignored).errors, []string{`prompt "p": argument "a" does not reach the output: the result is the same with `})
			}
		})
	}
}

// typed has a field of each kind that a text is read as.
type typed struct {
	String   string             `json:"string"`
	Bool     bool               `json:"bool"`
	Int      int8               `json:"int"`
	Uint     uint               `json:"uint"`
	Float    float64            `json:"float"`
	Duration time.Duration      `json:"duration"`
	Time     time.Time          `json:"time"`
	URL      url.URL            `json:"url"`
	Addr     netip.Addr         `json:"addr"`
	Prefix   netip.Prefix       `json:"prefix"`
	Bytes    []byte             `json:"bytes"`
	Pointer  *int               `json:"pointer"`
	List     []string           `json:"list"`
	Times    []time.Duration    `json:"times"`
	Pair     [2]int             `json:"pair"`
	Struct   struct{ X, Y int } `json:"struct"`
	Map      map[string]string  `json:"map"`
	Any      any                `json:"any"`
}

// Values are found for every type of a struct's fields, and each field counts.
func TestCheckArgumentsTyped(t *testing.T) {
	t.Parallel()
	render := func(in typed) string {
		var pointed int
		if in.Pointer != nil {
			pointed, in.Pointer = *in.Pointer, nil // its address is not the same again
		}
		return strings.ReplaceAll(fmt.Sprintf("%+v %v", in, pointed), "<nil>", "")
	}
	ok := prompts.New(prompts.Prompt{Name: "p"}, func(_ context.Context, in typed) (*prompts.Result, error) {
		return prompts.Messages(prompts.User(render(in))), nil
	})
	lossy := prompts.New(prompts.Prompt{Name: "p"}, func(_ context.Context, in typed) (*prompts.Result, error) {
		in.Duration, in.List = 0, nil
		return prompts.Messages(prompts.User(render(in))), nil
	})
	for _, checked := range doors {
		assert.Empty(t, checked(t, CheckArguments, CheckOptions{}, ok).errors)
		assert.Empty(t, checked(t, CheckEnums, CheckOptions{}, ok).errors)
		expect(t, checked(t, CheckArguments, CheckOptions{}, lossy).errors, []string{`argument "duration" does not reach`, `argument "list" does not reach`})
	}
}

func TestCheckArgumentsCases(t *testing.T) {
	t.Parallel()
	two := []prompts.Argument{{Name: "a", Required: true}, {Name: "b"}}
	var calls, rare, rareToo atomic.Int64
	for _, test := range []struct {
		name   string
		o      CheckOptions
		prompt prompts.Prompt
		want   []string
	}{
		{"one of two", CheckOptions{}, text(two, func(args map[string]string) (string, error) { return args["a"], nil }),
			[]string{`argument "b" does not reach the output: the result is the same with "prompttest-b-one", none, "prompttest-b-two"`}},
		{"in another kind of content", CheckOptions{}, prompts.Prompt{Name: "p", Arguments: two, Render: func(_ context.Context, args map[string]string) (*prompts.Result, error) {
			return &prompts.Result{Description: args["a"], Messages: []prompts.Message{{Role: prompts.RoleUser, Content: &prompts.Image{Data: []byte(args["b"]), MIMEType: "image/png"}}}}, nil
		}}, nil},
		{"only if another one is set", CheckOptions{}, text(
			[]prompts.Argument{{Name: "a", Enum: []string{"x", "y", "z"}}, {Name: "b", Required: true}},
			func(args map[string]string) (string, error) {
				if args["a"] != "y" {
					args["b"] = ""
				}
				return args["a"] + args["b"], nil
			}), nil},
		{"only if another one is not set", CheckOptions{}, text(two[:2:2], func(args map[string]string) (string, error) {
			if args["b"] != "" {
				return args["b"], nil
			}
			return args["a"], nil
		}), nil},
		{"refused without examples", CheckOptions{}, text(two, refuse),
			[]string{`rendering failed, so the arguments are not checked: with a "`}},
		{"examples", CheckOptions{Examples: map[string][]map[string]string{"p": {{"a": "red"}, {"a": "blue"}}}}, text(two[:1], refuse), nil},
		{"one example", CheckOptions{Examples: map[string][]map[string]string{"p": {{"a": "red"}}}}, text(two[:1], refuse),
			[]string{`argument "a" may not reach the output: no value but "red" renders ("`}},
		{"an example of no prompt", CheckOptions{Examples: map[string][]map[string]string{"q": nil}}, says("x"),
			[]string{`CheckOptions.Examples: unknown prompt "q"`}},
		{"an example of no argument", CheckOptions{Examples: map[string][]map[string]string{"p": {{"c": ""}}}}, says("x"),
			[]string{`CheckOptions.Examples: unknown argument "c" of prompt "p"`}},
		{"values that depend on each other", CheckOptions{}, text(
			[]prompts.Argument{{Name: "product", Required: true, Enum: []string{"x", "y"}}, {Name: "version", Required: true, Complete: versions}},
			func(args map[string]string) (string, error) {
				if !strings.HasPrefix(args["version"], args["product"]) {
					return "", prompts.InvalidArgument("version", "is of another product")
				}
				return args["product"] + " and " + args["version"], nil
			}), nil},
		{"a result that is never the same", CheckOptions{}, text(two[:1], func(args map[string]string) (string, error) {
			return fmt.Sprint(calls.Add(1), args["a"]), nil
		}), nil},
		{"a result that is never the same, without the argument", CheckOptions{}, text(two[:1], func(map[string]string) (string, error) {
			return fmt.Sprint(calls.Add(1)), nil
		}), []string{`argument "a" may not reach the output: the result differs from call to call`}},
		{"a result that is never the same, with a value anyhow", CheckOptions{}, text(two[:1], func(map[string]string) (string, error) {
			return fmt.Sprint(calls.Add(1), " prompttest-a-one"), nil
		}), []string{`argument "a" may not reach the output: the result differs from call to call`}},
		{"a result that is never the same, with the argument in its description", CheckOptions{}, prompts.Prompt{Name: "p", Arguments: two[:1], Render: func(_ context.Context, args map[string]string) (*prompts.Result, error) {
			return &prompts.Result{Description: args["a"], Messages: []prompts.Message{prompts.User(fmt.Sprint(calls.Add(1)))}}, nil
		}}, nil},
		{"a result that changes now and then", CheckOptions{}, text(two[:1], func(map[string]string) (string, error) {
			return fmt.Sprint(rare.Add(1) / 3), nil
		}), []string{`argument "a" may not reach the output: the result differs from call to call`}},
		{"a result that changes now and then, with the argument", CheckOptions{}, text(two[:1], func(args map[string]string) (string, error) {
			return fmt.Sprint(rareToo.Add(1)/3, args["a"]), nil
		}), nil},
		{"a result that comes once", CheckOptions{}, text(two[:1], once()),
			[]string{`rendering failed with a "two words"`, `argument "a" may not reach the output`}},
		{"values that depend on each other, and are said anyhow", CheckOptions{}, text(
			[]prompts.Argument{{Name: "product", Required: true, Enum: []string{"x", "y"}}, {Name: "version", Required: true, Complete: versions}},
			func(args map[string]string) (string, error) {
				if !strings.HasPrefix(args["version"], args["product"]) {
					return "", prompts.InvalidArgument("version", "is of another product")
				}
				return "x1 x2 y1 y2", nil
			}), []string{`argument "product" does not reach the output`, `argument "version" does not reach the output`}},
		{"it fails", CheckOptions{}, text(nil, func(map[string]string) (string, error) { return "", errors.New("no database") }),
			[]string{`error="no database"`}},
		{"a value that fails", CheckOptions{}, text([]prompts.Argument{{Name: "a", Enum: []string{"x", "y"}}}, func(args map[string]string) (string, error) {
			if args["a"] == "y" {
				return "", &prompts.Error{Code: 1, Message: "no y"}
			}
			return "", nil
		}), []string{`argument "a" does not reach the output: the result is the same with "x", none` + "\n"}},
		{"only one value", CheckOptions{}, text([]prompts.Argument{{Name: "a", Required: true, Enum: []string{"x"}}}, func(map[string]string) (string, error) { return "", nil }), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			expect(t, checked(t, CheckArguments, test.o, test.prompt).errors, test.want)
		})
	}
}

// An internal error that the prompt chose has no record in the log, so nothing waits for one.
func TestCheckArgumentsOfAPromptWithoutALog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		prompt := text(nil, func(map[string]string) (string, error) {
			return "", &prompts.Error{Code: prompts.CodeInternalError, Message: "no database"}
		})
		assert.Contains(t, checked(t, CheckArguments, CheckOptions{}, prompt).all(), "no database")
		assert.Zero(t, time.Since(begin))
	})
}

// An argument that counts only from some value on, or only where others have
// theirs, counts.
func TestCheckArgumentsThresholds(t *testing.T) {
	t.Parallel()
	type flags struct {
		A bool `json:"a,omitempty"`
		B bool `json:"b,omitempty"`
		C bool `json:"c,omitempty"`
	}
	type number struct {
		N int `json:"n"`
	}
	type words struct {
		N []string `json:"n"`
	}
	for name, p := range map[string]prompts.Prompt{
		"more than a few":   remarks(func(in number) any { return in.N >= 18 }),
		"more than a lot":   remarks(func(in number) any { return max(in.N, 5000) }),
		"how many":          remarks(func(in words) any { return len(in.N) }),
		"days":              remarks(func(in struct{ N time.Duration }) any { return in.N / (24 * time.Hour) }),
		"one of several":    remarks(func(in flags) any { return in.A || in.B || in.C }),
		"all of several":    remarks(func(in flags) any { return in.A && in.B && in.C }),
		"an optional count": remarks(func(in struct{ N *int }) any { return in.N != nil }),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Empty(t, checked(t, CheckArguments, CheckOptions{}, p).errors)
		})
	}
}

// remarks returns a prompt that says one thing of its arguments.
func remarks[T any](of func(in T) any) prompts.Prompt {
	return prompts.New(prompts.Prompt{Name: "p"}, func(_ context.Context, in T) (*prompts.Result, error) {
		return prompts.Messages(prompts.User(fmt.Sprint(of(in)))), nil
	})
}

// What two arguments decide together about a third takes an example, and the
// report says so.
func TestCheckArgumentsTogether(t *testing.T) {
	t.Parallel()
	p := text([]prompts.Argument{{Name: "a", Required: true, Enum: []string{"x", "y"}}, {Name: "b", Required: true, Enum: []string{"x", "y"}}, {Name: "c"}},
		func(args map[string]string) (string, error) {
			if args["a"]+args["b"] == "yy" {
				return args["c"], nil
			}
			return "", nil
		})
	got := checked(t, CheckArguments, CheckOptions{}, p).errors
	require.NotEmpty(t, got)
	assert.Contains(t, got[len(got)-1], `argument "c" does not reach the output`)
	assert.Contains(t, got[len(got)-1], "If only other values have an effect, declare them by an enum, or give them in CheckOptions.Examples.")
	o := CheckOptions{Examples: map[string][]map[string]string{"p": {{"a": "y", "b": "y"}}}}
	assert.Empty(t, checked(t, CheckArguments, o, p).errors)
}

// A prompt that says the time is the same again where no time passes.
func TestCheckArgumentsTime(t *testing.T) {
	t.Parallel()
	p := remarks(func(in struct{ Loud bool }) any { return fmt.Sprint(time.Now(), map[bool]string{true: "!"}[in.Loud]) })
	var reg prompts.Registry
	reg.MustAdd(p)
	awake := record(t, func(t testing.TB) { CheckArguments(t, &reg, CheckOptions{}) })
	expect(t, awake.errors, []string{"in a bubble of testing/synctest, the time is constant"})
	synctest.Test(t, func(t *testing.T) {
		assert.Empty(t, checked(t, CheckArguments, CheckOptions{}, p).errors)
	})
}

func versions(_ context.Context, _ string, args map[string]string) ([]string, error) {
	return []string{args["product"] + "1", args["product"] + "2"}, nil
}
