package prompttest

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/prompttools"
)

// check is one of the checks of a registry.
type check func(t testing.TB, reg *prompts.Registry, o CheckOptions)

// text returns a prompt of arguments, and of a function that returns its text.
func text(arguments []prompts.Argument, f func(args map[string]string) (string, error)) prompts.Prompt {
	return prompts.Prompt{Name: "p", Arguments: arguments, Render: func(_ context.Context, args map[string]string) (*prompts.Result, error) {
		s, err := f(args)
		if err != nil {
			return nil, err
		}
		return prompts.Messages(prompts.User(s)), nil
	}}
}

// says returns a prompt without arguments.
func says(s string) prompts.Prompt {
	return text(nil, func(map[string]string) (string, error) { return s, nil })
}

// checked returns what a check reports of a prompt.
func checked(t *testing.T, c check, o CheckOptions, p prompts.Prompt) *recorder {
	t.Helper()
	var reg prompts.Registry
	reg.MustAdd(p)
	return record(t, func(t testing.TB) { c(t, &reg, o) })
}

// byTool is checked with a client that gets the prompt by its tool.
func byTool(t *testing.T, c check, o CheckOptions, p prompts.Prompt) *recorder {
	t.Helper()
	var reg prompts.Registry
	reg.MustAdd(p)
	tools, err := prompttools.New(&reg, prompttools.Options{Names: []string{p.Name}})
	require.NoError(t, err)
	srv := prompts.MustNewServer(&reg, prompts.Options{Features: []feature.Feature{tools}, Limits: prompts.Limits{CompletionsPerSecond: -1}})
	o.Client = Serve(t, srv, ClientOptions{ToolName: prompttools.ToolName})
	return checked(t, c, o, p)
}

// doors are the ways by which a check gets prompts.
var doors = []func(*testing.T, check, CheckOptions, prompts.Prompt) *recorder{checked, byTool}

// expect holds what was reported to a list of what has to be in it, one for one.
func expect(t *testing.T, got []string, want []string) {
	t.Helper()
	require.Len(t, got, len(want), "%s", strings.Join(got, "\n"))
	for i := range want {
		assert.Contains(t, got[i], want[i])
	}
}

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
		{"an enum", one(prompts.Enum("x", "y"))},
		{"an optional enum", optional(prompts.Enum("x", "y"))},
		{"an enum of one", optional(prompts.Enum("x"))},
		{"a boolean", one(&jsonschema.Schema{Type: "boolean"})},
		{"an integer", one(&jsonschema.Schema{Type: "integer", Minimum: &minimum, Maximum: &maximum})},
		{"a number", one(&jsonschema.Schema{Type: "number", ExclusiveMinimum: &minimum, ExclusiveMaximum: &maximum})},
		{"multiples", one(&jsonschema.Schema{Type: "integer", MultipleOf: &maximum, Minimum: &maximum})},
		{"a pattern", one(&jsonschema.Schema{Pattern: "^[A-Z]{2}-[0-9]+$"})},
		{"a length", one(&jsonschema.Schema{MinLength: &few, MaxLength: &few})},
		{"an example in the schema", one(&jsonschema.Schema{Pattern: "^(?:x|yy)$", Examples: []any{"x", "yy"}})},
		{"a list", one(&jsonschema.Schema{Type: "array", Items: prompts.Enum("x", "y")})},
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
		return fmt.Sprintf("%+v %v", in, pointed)
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
			[]prompts.Argument{{Name: "a", Schema: prompts.Enum("x", "y", "z")}, {Name: "b", Required: true}},
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
			[]prompts.Argument{{Name: "product", Required: true, Schema: prompts.Enum("x", "y")}, {Name: "version", Required: true, Complete: versions}},
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
			[]string{`argument "a" may not reach the output`}},
		{"values that depend on each other, and are said anyhow", CheckOptions{}, text(
			[]prompts.Argument{{Name: "product", Required: true, Schema: prompts.Enum("x", "y")}, {Name: "version", Required: true, Complete: versions}},
			func(args map[string]string) (string, error) {
				if !strings.HasPrefix(args["version"], args["product"]) {
					return "", prompts.InvalidArgument("version", "is of another product")
				}
				return "x1 x2 y1 y2", nil
			}), []string{`argument "product" does not reach the output`, `argument "version" does not reach the output`}},
		{"it fails", CheckOptions{}, text(nil, func(map[string]string) (string, error) { return "", errors.New("no database") }),
			[]string{`error="no database"`}},
		{"a value that fails", CheckOptions{}, text([]prompts.Argument{{Name: "a", Schema: prompts.Enum("x", "y")}}, func(args map[string]string) (string, error) {
			if args["a"] == "y" {
				return "", &prompts.Error{Code: 1, Message: "no y"}
			}
			return "", nil
		}), []string{`argument "a" does not reach the output: the result is the same with "x", none` + "\n"}},
		{"only one value", CheckOptions{}, text([]prompts.Argument{{Name: "a", Required: true, Schema: prompts.Enum("x")}}, func(map[string]string) (string, error) { return "", nil }), nil},
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
	p := text([]prompts.Argument{{Name: "a", Required: true, Schema: prompts.Enum("x", "y")}, {Name: "b", Required: true, Schema: prompts.Enum("x", "y")}, {Name: "c"}},
		func(args map[string]string) (string, error) {
			if args["a"]+args["b"] == "yy" {
				return args["c"], nil
			}
			return "", nil
		})
	got := checked(t, CheckArguments, CheckOptions{}, p).errors
	require.NotEmpty(t, got)
	assert.Contains(t, got[len(got)-1], `argument "c" does not reach the output`)
	assert.Contains(t, got[len(got)-1], "If only other values have an effect, give them in CheckOptions.Examples.")
	o := CheckOptions{Examples: map[string][]map[string]string{"p": {{"a": "y", "b": "y"}}}}
	assert.Empty(t, checked(t, CheckArguments, o, p).errors)
}

// A prompt that says the time is the same again where no time passes.
func TestCheckArgumentsTime(t *testing.T) {
	t.Parallel()
	p := remarks(func(in struct{ Loud bool }) any { return fmt.Sprint(time.Now(), map[bool]string{true: "!"}[in.Loud]) })
	expect(t, checked(t, CheckArguments, CheckOptions{}, p).errors, []string{"in a bubble of testing/synctest, the time is constant"})
	synctest.Test(t, func(t *testing.T) {
		assert.Empty(t, checked(t, CheckArguments, CheckOptions{}, p).errors)
	})
}

// A server that bounds how often it is asked is asked later.
func TestGetsAreLimited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var reg prompts.Registry
		reg.MustAdd(text([]prompts.Argument{{Name: "a", Required: true, Schema: &jsonschema.Schema{Type: "integer"}}}, func(args map[string]string) (string, error) {
			return fmt.Sprint(args["a"] == "10000"), nil
		}))
		srv := prompts.MustNewServer(&reg, prompts.Options{Limits: prompts.Limits{GetsPerSecond: 1}})
		r := record(t, func(t testing.TB) { CheckArguments(t, &reg, CheckOptions{Client: Serve(t, srv, ClientOptions{})}) })
		assert.Empty(t, r.errors)
	})
}

// A value that was made up last is not all that was tried.
func TestAttempts(t *testing.T) {
	t.Parallel()
	p := text([]prompts.Argument{{Name: "a", Required: true}}, refuse)
	expect(t, checked(t, CheckEnums, CheckOptions{}, p).errors, []string{" (and with other values in "})
}

// once returns a function that works once.
func once() func(map[string]string) (string, error) {
	var done atomic.Bool
	return func(map[string]string) (string, error) {
		if done.Swap(true) {
			return "", errors.New("planted")
		}
		return "x", nil
	}
}

// refuse accepts what no declaration says.
func refuse(args map[string]string) (string, error) {
	if args["a"] != "red" && args["a"] != "blue" {
		return "", prompts.InvalidArgument("a", "is no colour")
	}
	return args["a"], nil
}

func versions(_ context.Context, _ string, args map[string]string) ([]string, error) {
	return []string{args["product"] + "1", args["product"] + "2"}, nil
}

// Each value that is declared has to render, and so does a prompt without what
// is optional.
func TestCheckEnums(t *testing.T) {
	t.Parallel()
	fails := func(when func(args map[string]string) bool) func(args map[string]string) (string, error) {
		return func(args map[string]string) (string, error) {
			if when(args) {
				return "", errors.New("planted")
			}
			return "x", nil
		}
	}
	never := fails(func(map[string]string) bool { return false })
	for _, test := range []struct {
		name   string
		prompt prompts.Prompt
		want   []string
	}{
		{"a value", text([]prompts.Argument{{Name: "a", Required: true, Schema: prompts.Enum("x", "y", "z")}}, fails(func(args map[string]string) bool { return args["a"] == "y" })),
			[]string{`prompt "p": argument "a": rendering with the declared value "y" failed: with a "y": got the error -32603`}},
		{"a boolean", text([]prompts.Argument{{Name: "a", Required: true, Schema: &jsonschema.Schema{Type: "boolean"}}}, fails(func(args map[string]string) bool { return args["a"] == "false" })),
			[]string{`argument "a": rendering with the declared value "false" failed`}},
		{"an element", text([]prompts.Argument{{Name: "a", Required: true, Schema: &jsonschema.Schema{Type: "array", Items: prompts.Enum("x", "y")}}},
			fails(func(args map[string]string) bool { return strings.Contains(args["a"], "y") })), []string{`argument "a": rendering with the declared value "y"`}},
		{"without what is optional", text([]prompts.Argument{{Name: "a"}}, fails(func(args map[string]string) bool { return args["a"] == "" })),
			[]string{`rendering without optional arguments failed: with no arguments: got the error -32603`}},
		{"a value without what is optional", text([]prompts.Argument{{Name: "a", Schema: prompts.Enum("x", "y")}, {Name: "b"}},
			fails(func(args map[string]string) bool { return args["a"] == "y" && args["b"] == "" })),
			[]string{`argument "a": rendering with the declared value "y", without other optional arguments, failed`}},
		{"a required value without what is optional", text([]prompts.Argument{{Name: "a", Required: true, Schema: prompts.Enum("x", "y")}, {Name: "b"}},
			fails(func(args map[string]string) bool { return args["a"] == "y" && args["b"] == "" })),
			[]string{`argument "a": rendering with the declared value "y", without other optional arguments, failed`}},
		{"all of them", text([]prompts.Argument{{Name: "a"}}, fails(func(args map[string]string) bool { return args["a"] != "" })),
			[]string{"rendering failed: with a \"prompttest-a-one\": got the error -32603"}},
		{"none", text([]prompts.Argument{{Name: "a", Schema: prompts.Enum("x", "y")}, {Name: "b", Schema: &jsonschema.Schema{Type: "boolean"}}}, never), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, checked := range doors {
				expect(t, checked(t, CheckEnums, CheckOptions{}, test.prompt).errors, test.want)
			}
		})
	}
}

// By tools, prompts that are no tools are left out, but not all of them.
func TestChecksOfTools(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	fails := text(nil, func(map[string]string) (string, error) { return "", errors.New("planted") })
	fails.Name = "fails"
	reg.MustAdd(says("x"), fails)
	for names, want := range map[string][]string{
		"p":     nil,
		"fails": {`prompt "fails": rendering failed`},
		"none":  {"tools/list must have a tool with a name that ClientOptions.ToolName returns for a prompt of the registry"},
	} {
		tools, err := prompttools.New(&reg, prompttools.Options{Names: []string{names}})
		require.NoError(t, err)
		srv := prompts.MustNewServer(&reg, prompts.Options{Features: []feature.Feature{tools}})
		c := Serve(t, srv, ClientOptions{ToolName: prompttools.ToolName})
		r := record(t, func(t testing.TB) { CheckEnums(t, &reg, CheckOptions{Client: c}) })
		expect(t, r.errors, want)
	}
}

func TestCheckDoc(t *testing.T) {
	t.Parallel()
	table := prompts.MarkdownTable(catalogue())
	for _, test := range []struct{ name, text, want string }{
		{"current", "a\n<!-- prompts -->\n" + table + "<!-- end of prompts -->\nb", ""},
		{"on Windows", strings.ReplaceAll("a\n<!-- prompts -->\n"+table+"<!-- end of prompts -->\nb", "\n", "\r\n"), ""},
		{"another table", "<!-- prompts -->\n" + strings.Replace(table, "Reviews", "Reads", 1) + "<!-- end of prompts -->\n", "line 7:\n"}, // of the file
		{"no table", "<!-- prompts -->\n<!-- end of prompts -->\n", "+ | Prompt | Argument | Required | Description |"},
		{"no marks", "# A\n", "lines around the table of prompts are missing; add them, and run the test with -update:\n\t<!-- prompts -->\n\t<!-- end of prompts -->"},
		{"one mark", "<!-- prompts -->\n", "lines around the table of prompts are missing"},
		{"a mark twice", "<!-- prompts -->\n<!-- prompts -->\n<!-- end of prompts -->\n", "duplicate line <!-- prompts -->; remove one"},
		{"the other one twice", "<!-- prompts -->\n<!-- end of prompts -->\n<!-- end of prompts -->\n", "duplicate line <!-- end of prompts -->; remove one"},
		{"the wrong order", "<!-- end of prompts -->\n<!-- prompts -->\n", "line <!-- end of prompts --> must come after the line <!-- prompts -->"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "README.md")
			require.NoError(t, os.WriteFile(path, []byte(test.text), 0o600))
			r := record(t, func(t testing.TB) { CheckDoc(t, catalogue(), path) })
			if test.want == "" {
				assert.Empty(t, r.errors)
				return
			}
			expect(t, r.errors, []string{test.want})
			assert.Equal(t, test.text, read(t, path), "a check changes nothing")
		})
	}
	r := record(t, func(t testing.TB) { CheckDoc(t, catalogue(), filepath.Join(t.TempDir(), "none.md")) })
	expect(t, r.errors, []string{"prompttest: open "})
}

// A name of a tool is one in back quotes, next to a word that says so.
func TestToolsIn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"Use the `search` tool.": {"search"},
		"The `a` tools":          {"a"},
		"the tool `a`":           {"a"},
		"these tools: `a`, `b.c` and `d/e`; then `f`":          {"a", "b.c", "d/e"},
		"Tools `a` or\n`b`":                                    {"a", "b"},
		"call `a`, and by calling the `b` it invokes `c`":      {"a", "b", "c"},
		"use `gofmt` and run `go test`":                        nil,
		"call `f()` or `go vet`":                               nil,
		"the tool a, and call b":                               nil,
		"toolbox `a`, recall `b`":                              nil,
		"```\ncall `a`\n```\ncall `b`":                         {"b"},
		"~~~~ go\ncall `a`\n~~~\ncall `b`\n~~~~\nthe `c` tool": {"c"},
		"```\nthe block does not end: call `a`":                nil,
		"the `" + strings.Repeat("a", 129) + "` tool":          nil,
	} {
		assert.Equal(t, want, toolsIn(text, nil), "%s", text)
	}
	assert.Equal(t, []string{"b", "a"}, toolsIn("run a, call `b`", regexp.MustCompile(`run (\w+)`)))
	assert.Equal(t, []string{"mcp__a"}, toolsIn("mcp__a", regexp.MustCompile(`mcp__\w+`)))
}

func TestCheckTools(t *testing.T) {
	t.Parallel()
	with := func(tools ...string) check {
		return func(t testing.TB, reg *prompts.Registry, o CheckOptions) { CheckTools(t, reg, o, tools...) }
	}
	for _, test := range []struct {
		name   string
		check  check
		prompt prompts.Prompt
		want   []string
	}{
		{"known", with("search", "read"), says("Use the `search` tool and the `read` tool."), nil},
		{"unknown", with("search"), says("First line.\nUse the `serach` tool, the `serach` tool."),
			[]string{"prompt \"p\": unknown tool \"serach\" (with no arguments); CheckTools knows [\"search\"]\n\tThe text is: Use the `serach` tool, the `serach` tool."}},
		{"none at all", with(), says("call `read`"), []string{`unknown tool "read" (with no arguments); CheckTools knows no tools`}},
		{"with one value of an enum", with(), text([]prompts.Argument{{Name: "a", Schema: prompts.Enum("x", "y")}}, func(args map[string]string) (string, error) {
			return map[string]string{"y": "call `read`"}[args["a"]], nil
		}), []string{`unknown tool "read" (with a "y")`}},
		{"without what is optional", with(), text([]prompts.Argument{{Name: "a"}}, func(args map[string]string) (string, error) {
			if args["a"] == "" {
				return "call `read`", nil
			}
			return "", nil
		}), []string{`(with no arguments)`}},
		{"in a resource", with(), data("p", func(context.Context, map[string]string) (*prompts.Result, error) {
			return prompts.Messages(prompts.Message{Role: prompts.RoleUser, Content: &prompts.EmbeddedResource{URI: "a:b", Text: "call `read`"}}), nil
		}), []string{`unknown tool "read"`}},
		{"it cannot be rendered", with(), data("p", func(context.Context, map[string]string) (*prompts.Result, error) { return nil, errors.New("planted") }),
			[]string{"rendering failed, so nothing is checked"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			expect(t, checked(t, test.check, CheckOptions{}, test.prompt).errors, test.want)
		})
	}
}

// What a client cannot show fails the test of an author who wants to be usable
// there.
func TestCheckPortable(t *testing.T) {
	t.Parallel()
	on := func(clients ...string) check {
		return func(t testing.TB, reg *prompts.Registry, o CheckOptions) { CheckPortable(t, reg, o, clients...) }
	}
	message := func(role prompts.Role, content prompts.Content) prompts.Message {
		return prompts.Message{Role: role, Content: content}
	}
	of := func(name string, messages ...prompts.Message) prompts.Prompt {
		return data(name, func(context.Context, map[string]string) (*prompts.Result, error) {
			return prompts.Messages(messages...), nil
		})
	}
	hi := message(prompts.RoleUser, &prompts.Text{Text: "hi"})
	picture := message(prompts.RoleUser, &prompts.Image{MIMEType: "image/png"})
	reply := prompts.Assistant("hi")
	asText := of("p", prompts.UserContent(&prompts.Audio{Data: []byte{1}, MIMEType: "audio/wav"}), prompts.UserContent(&prompts.ResourceLink{URI: "file:///a", Name: "a"}),
		prompts.UserContent(&prompts.EmbeddedResource{URI: "file:///a", Text: "a"}))
	two := text([]prompts.Argument{{Name: "a"}, {Name: "b"}}, func(map[string]string) (string, error) { return "", nil })
	for _, test := range []struct {
		name   string
		check  check
		prompt prompts.Prompt
		want   []string
	}{
		{"nothing", on("Zed", "Gemini CLI", "Continue", "goose", "VS Code", "Claude Code"), of("p", hi), nil},
		{"two arguments", on("Zed"), two, []string{`prompt "p": 2 arguments: Zed does not offer the prompt (https://github.com/zed-industries/zed/`}},
		{"two arguments in words", on("Claude Code"), two, []string{"Claude Code splits"}},
		{"two arguments of one word", on("Claude Code"), text([]prompts.Argument{{Name: "a", Schema: prompts.Enum("x")}, {Name: "b", Schema: prompts.Enum("y")}},
			func(map[string]string) (string, error) { return "", nil }), nil},
		{"an enum with a space", on("Claude Code"), text([]prompts.Argument{{Name: "a", Schema: prompts.Enum("x")}, {Name: "b", Schema: prompts.Enum("y", "y z")}},
			func(map[string]string) (string, error) { return "", nil }), []string{"2 arguments, whose values may have spaces: Claude Code splits"}},
		{"two numbers", on("Claude Code"), text([]prompts.Argument{{Name: "a", Schema: &jsonschema.Schema{Type: "integer"}}, {Name: "b", Schema: &jsonschema.Schema{Type: "number"}}},
			func(map[string]string) (string, error) { return "", nil }), nil},
		{"a number for a placeholder", on("opencode"), text([]prompts.Argument{{Name: "a", Verbatim: true}, {Name: "severity", Verbatim: true, Schema: &jsonschema.Schema{Type: "integer"}}},
			func(map[string]string) (string, error) { return "", nil }), []string{`prompt "p": argument severity is a number: opencode users cannot use this prompt`}},
		{"a placeholder", on("opencode"), text([]prompts.Argument{{Name: "a", Verbatim: true}}, func(map[string]string) (string, error) { return "", nil }), nil},
		{"a prompt in Go", on("Kilo Code"), text([]prompts.Argument{{Name: "a"}}, func(map[string]string) (string, error) { return "", nil }), []string{"argument a is not only printed: Kilo Code users cannot"}},
		{"a secret", on("opencode"), text([]prompts.Argument{{Name: "a", Verbatim: true, Sensitive: true}}, func(map[string]string) (string, error) { return "", nil }), []string{"argument a is sensitive: opencode"}},
		{"a default", on("opencode"), text([]prompts.Argument{{Name: "a", Verbatim: true, Schema: &jsonschema.Schema{Default: []byte(`"x"`)}}},
			func(map[string]string) (string, error) { return "", nil }), []string{"argument a has a default: opencode uses an empty text"}},
		{"two messages", on("Gemini CLI"), of("p", hi, hi), []string{"2 messages: Gemini CLI sends only the first message"}},
		{"an assistant", on("Zed"), of("p", hi, reply), []string{"message 2 is the assistant's: Zed rejects the prompt"}},
		{"by turns", on("goose"), of("p", hi, reply, hi), nil},
		{"not by turns", on("goose"), of("p", hi, hi), []string{"message 2 is of the role user, so the roles do not take turns: goose"}},
		{"the assistant first", on("goose"), of("p", reply), []string{"message 1 is of the role assistant"}},
		{"a picture", on("Continue"), of("p", picture), []string{"message 1 is not text but an image"}},
		{"a picture for a known client", on("Gemini CLI"), of("p", picture), []string{"message 1 is not text but an image"}},
		{"content that becomes text", on("opencode"), asText, nil},
		{"content of an unknown client", on("Zed"), asText, []string{"message 1 is not text but audio: Zed drops the message"}},
		{"a resource with data", on("opencode"), of("p", prompts.UserContent(&prompts.EmbeddedResource{URI: "file:///a", Blob: []byte{1}})), []string{"message 1 is not text but a resource with binary data: opencode drops"}},
		{"a name with spaces", on("Gemini CLI"), of("a b", hi), []string{`prompt "a b": name has a space: Gemini CLI replaces each space with a hyphen`}},
		{"a name with a colon", on("VS Code"), of("a:b", hi), []string{"name has more than ASCII letters, digits and _ . -: VS Code"}},
		{"a name with other letters", on("VS Code"), of("grüße", hi), []string{"VS Code replaces each other character with an underscore"}},
		{"no prompts", on("Codex"), of("p", hi), []string{"Codex does not offer the prompts of a server (https://github.com/mcp-prompts/prompts/blob/main/internal/interop/hosts/testdata/codex.golden, seen on 20"}},
		{"another client", on("Nano"), of("p", hi), []string{`unknown client "Nano"; expected one of Claude Code, Cline, Codex, `}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			expect(t, checked(t, test.check, CheckOptions{}, test.prompt).errors, test.want)
		})
	}
	// Nobody named: all of it is logged, and nothing fails.
	r := checked(t, on(), CheckOptions{}, of("a b", picture, reply))
	assert.Empty(t, r.errors)
	assert.Greater(t, len(r.logs), 8)
}

// A prompt that asks is checked with its answers, and one that is hidden as
// somebody who sees it.
func TestCheckOptionsClient(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	reg.MustAdd(prompts.Prompt{Name: "p", Arguments: []prompts.Argument{{Name: "a"}}, Render: func(ctx context.Context, args map[string]string) (*prompts.Result, error) {
		who, err := prompts.Elicit[person](ctx, "who", "Who?")
		if err != nil {
			return nil, err
		}
		return prompts.Messages(prompts.User(who.Name + args["a"])), nil
	}})
	type key struct{}
	srv := prompts.MustNewServer(&reg, prompts.Options{Visible: func(ctx context.Context, _ prompts.Prompt) bool { return ctx.Value(key{}) != nil }})
	seen := context.WithValue(t.Context(), key{}, 1)
	for _, test := range []struct {
		name   string
		client func(t testing.TB) *Client
		want   []string
	}{
		{"it asks", func(testing.TB) *Client { return nil }, []string{"\n\tThe prompt asks the user: set ClientOptions.Answer of the client.\n\tSet CheckOptions.Client to that client."}},
		{"it is hidden", func(t testing.TB) *Client { return Serve(t, srv, ClientOptions{Answer: answerByMessage}) }, []string{`unknown prompt "p"`}},
		{"it is shown, and asks", func(t testing.TB) *Client { return Serve(t, srv, ClientOptions{Context: seen}) }, []string{"-32021"}},
		{"it is shown, and answered", func(t testing.TB) *Client {
			return Serve(t, srv, ClientOptions{Context: seen, Answer: answerByMessage})
		}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := record(t, func(t testing.TB) { CheckArguments(t, &reg, CheckOptions{Client: test.client(t)}) })
			expect(t, r.errors, test.want)
		})
	}
}
