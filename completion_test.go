package prompts_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// completing declares a prompt with the arguments a, which f completes, b, which
// is one of three, and c, which is anything.
func completing(name string, f prompts.CompleteFunc) prompts.Prompt {
	return prompts.Prompt{
		Name: name,
		Arguments: []prompts.Argument{
			{Name: "a", Complete: f}, {Name: "b", Schema: prompts.Enum("Red", "green", "grey")}, {Name: "c"},
		},
		Render: func(context.Context, map[string]string) (*prompts.Result, error) { return prompts.Messages(), nil },
	}
}

func completeParamsOf(prompt, argument, prefix string) string {
	return `"ref":{"type":"ref/prompt","name":"` + prompt + `"},"argument":{"name":"` + argument + `","value":"` + prefix + `"}`
}

func completeLine(id, prompt, argument, prefix string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"completion/complete","params":{` + completeParamsOf(prompt, argument, prefix) + `}}`
}

func completionLine(id, values string, total int, more bool) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"completion":{"values":[%s],"total":%d,"hasMore":%t}}}`, id, values, total, more)
}

// A string of a large message that a function keeps does not keep the message alive.
func TestStringsOfLargeMessagesAreCopies(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		padding int
		shares  bool
	}{{0, true}, {maxShared, false}} {
		var first, second string
		p := completing("p", func(_ context.Context, prefix string, others map[string]string) ([]string, error) {
			first, second = prefix, others["c"]
			return nil, nil
		})
		p.Render = func(_ context.Context, args map[string]string) (*prompts.Result, error) {
			first, second = args["a"], args["c"]
			return prompts.Messages(), nil
		}
		s := prompts.NewServer(registryOf(p), prompts.Options{})
		for method, members := range map[string]string{
			methodGet:      `"name":"p","arguments":{"a":"first","c":"second"}`,
			methodComplete: completeParamsOf("p", "a", "first") + `,"context":{"arguments":{"c":"second"}}`,
		} {
			msg := envelopedLine("1", method, members+`,"padding":"`+strings.Repeat("x", test.padding)+`"`)
			answerTo(t, s, nil, msg)
			require.Equal(t, "first second", first+" "+second)
			distance := uintptr(unsafe.Pointer(unsafe.StringData(second))) - uintptr(unsafe.Pointer(unsafe.StringData(first)))
			inMessage := uintptr(strings.Index(msg, `second"`) - strings.Index(msg, `first"`))
			assert.Equal(t, test.shares, distance == inMessage, method)
		}
	}
}

// CMP-08: how a function fails, and what its client gets of it, whichever completer calls it.
func TestCompletionFailures(t *testing.T) {
	t.Parallel()
	internal := errorLine("1", prompts.CodeInternalError, completeFailed)
	for _, test := range []struct {
		name string
		f    func() ([]string, error)
		want string
		log  string
	}{
		{"an error", func() ([]string, error) { return nil, errors.New("a secret") }, internal, "a secret"},
		{"values and an error", func() ([]string, error) { return []string{"x"}, errors.New("a secret") }, internal, "a secret"},
		{"a panic", func() ([]string, error) { panic("a secret") }, internal, "a secret"},
		{"the end of the goroutine", func() ([]string, error) { runtime.Goexit(); return nil, nil }, internal, "runtime.Goexit"},
		{"invalid UTF-8", func() ([]string, error) { return []string{"fine", "\xff"}, nil }, internal, "value 2 is not valid UTF-8"},
		{"an error of its own", func() ([]string, error) { return nil, &prompts.Error{Code: 1001, Message: "quota exceeded"} }, errorLine("1", 1001, "quota exceeded"), ""},
		{"a wrapped one", func() ([]string, error) {
			return nil, fmt.Errorf("a secret: %w", &prompts.Error{Code: prompts.CodeInvalidParams, Message: "no"})
		}, errorLine("1", prompts.CodeInvalidParams, "no"), "a secret"},
		{"a reserved code", func() ([]string, error) { return nil, &prompts.Error{Code: -32002, Message: "a secret"} }, internal, "a secret"},
		{"a blamed argument", func() ([]string, error) { return nil, prompts.InvalidArgument("b", "is needed first") },
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid arguments for prompt \"p\": b: is needed first","data":{"prompt":"p","problems":[{"argument":"b","reason":"refused","message":"is needed first"}]}}}`, ""},
		// MRT-03: input may be asked for by prompts/get alone.
		{"a question", func() ([]string, error) { return nil, prompts.ErrInputRequired }, internal, "input required"},
	} {
		for name, f := range map[string]prompts.CompleteFunc{
			"CompleteFunc":  func(context.Context, string, map[string]string) ([]string, error) { return test.f() },
			"SuggestFunc":   prompts.SuggestFunc(func(context.Context, map[string]string) ([]string, error) { return test.f() }),
			"SuggestCached": prompts.SuggestCached(0, noKey, func(context.Context, string) ([]string, error) { return test.f() }),
		} {
			inBubble(t, name+", "+test.name, func(t *testing.T) {
				var j journal
				s := prompts.NewServer(registryOf(completing("p", f)), prompts.Options{Logger: j.logger()})
				c := connect(t, s).handshake()
				assert.Equal(t, []string{test.want}, c.ask(completeLine("1", "p", "a", "a value")))
				assert.Equal(t, []string{test.want}, c.ask(envelopedLine("1", "completion/complete", completeParamsOf("p", "a", "a value"))))
				if test.log == "" {
					assert.Empty(t, j.String())
				} else {
					assert.Contains(t, j.String(), test.log)
					assert.Contains(t, j.String(), "completion.prompt=p completion.argument=a")
				}
				assert.NotContains(t, j.String(), "a value")
				require.NoError(t, c.end())
				assertNoTrace(t, s)
			})
		}
	}
}

// A client gets the first 100 values, and the number of all: of integers, of an enum's list
// and of an application's list. What comes before the last element of a list is repeated, up
// to 1 KiB of it.
func TestCompletionsAreBounded(t *testing.T) {
	t.Parallel()
	names := candidateNames(250)
	p := promptOf[struct {
		Percent int      `json:"percent" minimum:"0" maximum:"100"`
		Own     []string `json:"own"`
		Given   []string `json:"given"`
	}](
		prompts.Argument{Name: "own", Schema: itemsOf(prompts.Enum(names...))},
		prompts.Argument{Name: "given", Complete: prompts.Suggest(names...)},
	)
	s := prompts.NewServer(registryOf(p), prompts.Options{Limits: prompts.Limits{MaxArgumentBytes: 4 << 20}})
	for _, test := range []struct {
		argument, typed, first string
		values, total          int
	}{
		{"percent", "", "0", 100, 101},
		{"own", "x,", "x," + names[0], 100, 250},
		{"own", strings.Repeat("x", 1<<10) + ",", "", 0, 0},
		{"own", strings.Repeat("x", 1<<20) + ",", "", 0, 0},
		{"given", names[0] + ", ", names[0] + ", " + names[1], 100, 249},
	} {
		values, total, err := callComplete(t.Context(), s, "p", test.argument, test.typed)
		require.NoError(t, err)
		assert.Len(t, values, test.values)
		assert.Equal(t, test.total, total)
		assert.Equal(t, test.first, strings.Join(values[:min(1, test.values)], ""))
	}
}
