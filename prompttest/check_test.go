package prompttest

import (
	"context"
	"errors"
	"fmt"
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
	return recordIdle(t, func(t testing.TB) { c(t, &reg, o) })
}

// recordIdle is record in a bubble, where a call takes no time, however busy the machine is: no
// prompt is slow.
func recordIdle(t *testing.T, test func(t testing.TB)) (r *recorder) {
	t.Helper()
	if time.Now().Year() < 2001 { // in a bubble
		return record(t, test)
	}
	synctest.Test(t, func(t *testing.T) { r = record(t, test) })
	return r
}

// byTool is checked with a client that gets the prompt by its tool.
func byTool(t *testing.T, c check, o CheckOptions, p prompts.Prompt) *recorder {
	t.Helper()
	var reg prompts.Registry
	reg.MustAdd(p)
	tools, err := prompttools.New(&reg, prompttools.Options{Names: []string{p.Name}})
	require.NoError(t, err)
	srv := prompts.MustNewServer(&reg, prompts.Options{Features: []feature.Feature{tools}, Limits: prompts.Limits{CompletionsPerSecond: -1}})
	return recordIdle(t, func(t testing.TB) {
		o.Client = Serve(t, srv, ClientOptions{ToolName: prompttools.ToolName})
		c(t, &reg, o)
	})
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
	srv := prompts.MustNewServer(&reg, prompts.Options{Visible: func(ctx context.Context, _ prompts.Prompt) (bool, error) { return ctx.Value(key{}) != nil, nil }})
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

// A check reads the record of each failure, also of more than a server logs at once.
func TestManyFailures(t *testing.T) {
	t.Parallel()
	var values []any
	for i := range 400 {
		values = append(values, fmt.Sprint("v", i))
	}
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		p := text([]prompts.Argument{{Name: "a", Required: true, Schema: &jsonschema.Schema{Type: "string", Enum: values}}}, func(args map[string]string) (string, error) {
			if args["a"] != "v0" {
				return "", errors.New("planted for " + args["a"])
			}
			return "x", nil
		})
		r := checked(t, CheckEnums, CheckOptions{}, p)
		assert.Len(t, r.errors, 399)
		for _, text := range r.errors {
			assert.Contains(t, text, `error="planted for v`)
		}
		assert.Zero(t, time.Since(begin))
	})
}

// Every failure of a completion has its record: a server drops records beyond 200 at once, and
// the check waits for a record that does not come.
func TestManyCompletionsFail(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var reg prompts.Registry
		for n := range 60 {
			p := text(nil, func(args map[string]string) (string, error) { return fmt.Sprint(args), nil })
			p.Name = fmt.Sprint("p", n)
			for _, name := range []string{"a", "b", "c", "d"} {
				p.Arguments = append(p.Arguments, prompts.Argument{Name: name, Complete: func(context.Context, string, map[string]string) ([]string, error) {
					return nil, errors.New("no index")
				}})
			}
			reg.MustAdd(p)
		}
		begin := time.Now()
		r := record(t, func(t testing.TB) { CheckEnums(t, &reg, CheckOptions{}) })
		assert.Len(t, r.errors, 240)
		assert.Less(t, time.Since(begin), time.Second)
	})
}

// A check with a nil argument says which of its arguments is nil.
func TestNilArguments(t *testing.T) {
	t.Parallel()
	for name, check := range map[string]func(t testing.TB){
		"CheckArguments": func(t testing.TB) { CheckArguments(t, nil, CheckOptions{}) },
		"CheckEnums":     func(t testing.TB) { CheckEnums(t, nil, CheckOptions{}) },
		"CheckPortable":  func(t testing.TB) { CheckPortable(t, nil, CheckOptions{}) },
		"CheckSensitive": func(t testing.TB) { CheckSensitive(t, nil, CheckOptions{}) },
		"CheckTools":     func(t testing.TB) { CheckTools(t, nil, CheckOptions{}) },
		"CheckDoc":       func(t testing.TB) { CheckDoc(t, nil, "README.md") },
		"CheckObserver":  func(t testing.TB) { CheckObserver(t, nil) },
		"CheckTransport": func(t testing.TB) { CheckTransport(t, nil, TransportOptions{}) },
	} {
		want := "prompttest: registry is nil"
		switch name {
		case "CheckObserver":
			want = "prompttest: observer is nil"
		case "CheckTransport":
			want = "prompttest: function is nil"
		}
		assert.Equal(t, []string{want}, record(t, check).errors, name)
	}
}
