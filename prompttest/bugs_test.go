package prompttest

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// bug is a bug as people make it. prompt returns the prompt with the bug, or without.
type bug struct {
	name   string
	check  check
	prompt func(isBuggy bool) prompts.Prompt
	client func(t testing.TB, reg *prompts.Registry) *Client // nil for the default
	o      CheckOptions
	// isAwake says that the clock is the one of the machine.
	isAwake bool
}

// run returns what the check of a bug reports of its prompt.
func (b *bug) run(t *testing.T, isBuggy bool) *recorder {
	t.Helper()
	var reg prompts.Registry
	reg.MustAdd(b.prompt(isBuggy))
	return record(t, func(t testing.TB) {
		o := b.o
		if b.client != nil {
			o.Client = b.client(t, &reg)
		}
		b.check(t, &reg, o)
	})
}

var (
	randomID = regexp.MustCompile(`(error id |"errorId":"|error_id=)[0-9a-f]+`)
	address  = regexp.MustCompile(`0x[0-9a-f]{10,12}`)
	stack    = regexp.MustCompile(`(?s) stack="[^\n]*\n.*?(\n\t[A-Z])`)
	order    = regexp.MustCompile(`\["?[a-z0-9-]+"?(?: "?[a-z0-9-]+"?)+\]`)
)

// The check that a user would run finds each bug, and reports nothing of the same prompt
// without the bug. testdata/bugs.txt has the reports. No check takes a second for a prompt
// that takes a millisecond.
func TestBugs(t *testing.T) {
	t.Parallel()
	counted.Store(0)
	var all strings.Builder
	for _, b := range bugs {
		for _, isBuggy := range []bool{true, false} {
			t.Run(fmt.Sprint(b.name, ", ", isBuggy), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					begin := time.Now()
					r := b.run(t, isBuggy)
					if !isBuggy {
						assert.Empty(t, r.errors)
						assert.Less(t, time.Since(begin)%aYear, time.Second)
						return
					}
					assert.NotEmpty(t, r.errors)
					assert.Less(t, time.Since(begin)%aYear, 3500*time.Millisecond)
					fmt.Fprintf(&all, "## %s\n%s\n\n", b.name, r.all())
				})
			})
		}
	}
	got := all.String()
	for pattern, text := range map[*regexp.Regexp]string{randomID: "${1}ID", address: "0xADDRESS", stack: " stack=STACK$1", order: "[ORDER]"} {
		got = pattern.ReplaceAllString(got, text)
	}
	const path = "testdata/bugs.txt"
	if Updating() {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

// The stack of a panic has the frames of the application alone.
func TestFramesOfAPanic(t *testing.T) {
	t.Parallel()
	r := checked(t, CheckEnums, CheckOptions{}, one(prompts.Prompt{}, said(func(in limited) string { return fmt.Sprint(*in.Limit) })))
	require.Len(t, r.errors, 1)
	assert.Contains(t, r.errors[0], "bugs_test.go:")
	assert.NotContains(t, r.errors[0], "internal/rpc")
}

// A result that two prompts share is found when the second has changed it.
func TestPromptsShareResult(t *testing.T) {
	t.Parallel()
	shared := prompts.Messages(prompts.User("Be brief."))
	var reg prompts.Registry
	reg.MustAdd(
		prompts.New(prompts.Prompt{Name: "a"}, func(context.Context, nobody) (*prompts.Result, error) { return shared, nil }),
		prompts.New(prompts.Prompt{Name: "b"}, func(context.Context, nobody) (*prompts.Result, error) {
			shared.Messages[0] = prompts.User("Be exact.")
			return shared, nil
		}))
	r := record(t, func(t testing.TB) { CheckArguments(t, &reg, CheckOptions{}) })
	require.Len(t, r.errors, 1)
	assert.Contains(t, r.errors[0], `prompt "a": calls share a result: `)
}

// The log says how often the function of a prompt with a question runs, since no result shows it.
func TestOneQuestionIsLogged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := bug{check: CheckArguments, client: answering, prompt: func(bool) prompts.Prompt {
			return many(prompts.Prompt{}, func(ctx context.Context, _ nobody) (*prompts.Result, error) {
				_, err := prompts.Elicit[struct{ Name string }](ctx, "who", "who?")
				return prompts.Messages(prompts.User("Mail")), err
			})
		}}
		r := b.run(t, false)
		assert.Empty(t, r.errors)
		assert.Contains(t, fmt.Sprint(r.logs), "the function runs 2 times in protocol version 2026-07-28")
	})
}

// A check ends within a second for a prompt that takes a millisecond, whatever it declares: the
// search for an effect of each argument, all values of enums, and secrets.
func TestChecksOfManyArguments(t *testing.T) {
	t.Parallel()
	type in struct {
		A string   `json:"a,omitempty" enum:"x,y,z"`
		B string   `json:"b,omitempty" enum:"x,y,z"`
		C string   `json:"c,omitempty" enum:"x,y,z"`
		D string   `json:"d"`
		E string   `json:"e,omitempty"`
		F []string `json:"f"`
		G int      `json:"g,omitempty"`
		H bool     `json:"h"`
	}
	few := one(prompts.Prompt{}, said(func(in) string { return "Hello" }))
	var codes []any
	for i := range 600 {
		codes = append(codes, fmt.Sprint("zone", i))
	}
	var arguments []prompts.Argument
	for i := range 12 {
		a := prompts.Argument{Name: fmt.Sprint("a", i), Complete: prompts.Suggest("one", "two")}
		switch i % 3 {
		case 0:
			a.Schema, a.Complete = &jsonschema.Schema{Type: "string", Enum: codes}, nil
		case 1:
			a.Sensitive, a.Complete = true, nil
		}
		arguments = append(arguments, a)
	}
	many := prompts.Prompt{Name: "p", Arguments: arguments, Render: func(context.Context, map[string]string) (*prompts.Result, error) {
		time.Sleep(time.Millisecond)
		return prompts.Messages(prompts.User("Hello")), nil
	}}
	for name, c := range map[string]check{
		"arguments": CheckArguments, "enums": CheckEnums, "sensitive": CheckSensitive,
		"tools":    func(t testing.TB, reg *prompts.Registry, o CheckOptions) { CheckTools(t, reg, o) },
		"portable": func(t testing.TB, reg *prompts.Registry, o CheckOptions) { CheckPortable(t, reg, o) },
	} {
		for n, p := range []prompts.Prompt{few, many} {
			t.Run(fmt.Sprint(name, n), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					begin := time.Now()
					r := checked(t, c, CheckOptions{}, p)
					took := time.Since(begin)
					assert.Less(t, took, time.Second)
					if name == "arguments" && n == 0 {
						assert.Len(t, r.errors, 8)
					}
					if took > 600*time.Millisecond && n == 1 {
						assert.Contains(t, fmt.Sprint(r.logs), "the rest is not checked after 450 calls")
					}
				})
			})
		}
	}
}

// The calls of a check are shared by the arguments, and fewer with several rounds of questions.
func TestChecksShareCalls(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string][]string{"none": nil, "four": {"a", "b", "c", "d"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := bug{check: CheckArguments, client: answering, prompt: func(bool) prompts.Prompt {
				p := prompts.Prompt{Name: "p", Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
					time.Sleep(time.Millisecond)
					for _, key := range keys {
						if _, err := prompts.Elicit[struct{ Name string }](ctx, key, key+"?"); err != nil {
							return nil, err
						}
					}
					return prompts.Messages(prompts.User("Hello")), nil
				}}
				for i := range 16 - 3*len(keys) {
					p.Arguments = append(p.Arguments, prompts.Argument{Name: fmt.Sprint("a", i)})
				}
				return p
			}}
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				r := b.run(t, true)
				assert.Len(t, r.errors, 16-3*len(keys))
				assert.Less(t, time.Since(begin), time.Second)
			})
		})
	}
}
