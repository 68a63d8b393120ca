package prompts_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/jsonschema-go/jsonschema"
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

// What the function keeps does not keep a large message alive.
func TestCompletionOfALargeMessageIsDetached(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		padding int
		shares  bool
	}{{0, true}, {maxShared, false}} {
		var prefix, other string
		s := prompts.NewServer(registryOf(completing("p", func(_ context.Context, p string, others map[string]string) ([]string, error) {
			prefix, other = p, others["c"]
			return nil, nil
		})), prompts.Options{})
		msg := envelopedLine("1", "completion/complete", completeParamsOf("p", "a", "prefix")+`,"padding":"`+strings.Repeat("x", test.padding)+`","context":{"arguments":{"c":"other"}}`)
		answerTo(t, s, nil, msg)
		require.Equal(t, "prefix other", prefix+" "+other)
		distance := uintptr(unsafe.Pointer(unsafe.StringData(other))) - uintptr(unsafe.Pointer(unsafe.StringData(prefix)))
		inMessage := uintptr(strings.Index(msg, `other"`) - strings.Index(msg, `prefix"`))
		assert.Equal(t, test.shares, distance == inMessage)
	}
}

// CMP-08: how a function fails, and what its client gets of it.
func TestCompletionFailures(t *testing.T) {
	t.Parallel()
	const failed = completeFailed
	internal := errorLine("1", prompts.CodeInternalError, failed)
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
		inBubble(t, test.name, func(t *testing.T) {
			var j journal
			s := prompts.NewServer(registryOf(completing("p", func(context.Context, string, map[string]string) ([]string, error) { return test.f() })), prompts.Options{Logger: j.logger()})
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

// All numbers are counted, and the first of them sent.
func TestOwnCompletionsAreCounted(t *testing.T) {
	t.Parallel()
	p := prompts.Prompt{
		Name:      "p",
		Arguments: []prompts.Argument{{Name: "percent", Schema: &jsonschema.Schema{Type: "integer", Minimum: jsonschema.Ptr(0.0), Maximum: jsonschema.Ptr(100.0)}}},
		Render:    completing("p", nil).Render,
	}
	values, total := completes(t, p, "percent", "")
	assert.Len(t, values, 100)
	assert.Equal(t, 101, total)
}
