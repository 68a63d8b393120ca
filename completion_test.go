package prompts_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
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

func completed(values ...string) prompts.CompleteFunc {
	return func(context.Context, string, map[string]string) ([]string, error) { return values, nil }
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

// CMP-02, CMP-03, CMP-09, GAP-20, GAP-42: params that are not what they must be.
func TestCompletionParams(t *testing.T) {
	t.Parallel()
	const (
		ref  = `"ref":{"type":"ref/prompt","name":"p"}`
		arg  = `"argument":{"name":"a","value":"x"}`
		both = ref + "," + arg
	)
	s := prompts.NewServer(registryOf(completing("p", completed("xy"))), prompts.Options{})
	sessions := map[string]transport.Session{}
	for _, version := range handshakeVersions {
		sessions[version] = sessionIn(t, s, version)
	}
	for _, test := range []struct {
		params string
		param  string // which is at fault; empty for none
		from   string // the revision before which it is no fault
	}{
		{both, "", ""},
		{`"ref":{"type":"ref/prompt","name":"p","title":"P"},` + arg, "", ""},
		{both + `,"context":null`, "", ""},
		{both + `,"context":{}`, "", ""},
		{both + `,"context":{"arguments":null}`, "", ""},
		{both + `,"context":{"arguments":{}}`, "", ""},
		{both + `,"context":{"arguments":{"b":"red","none":"x"}}`, "", ""},
		{arg, "ref", ""},
		{`"ref":null,` + arg, "ref", ""},
		{`"ref":"p",` + arg, "ref", ""},
		{`"ref":{},` + arg, "ref", ""},
		{`"ref":{"name":"p"},` + arg, "ref", ""},
		{`"ref":{"type":"ref/tool","name":"p"},` + arg, "ref", ""},
		{`"ref":{"type":1,"name":"p"},` + arg, "ref", ""},
		{`"ref":{"type":"ref/resource","uri":"a:b"},` + arg, "ref", ""},
		{`"ref":{"type":"ref/prompt"},` + arg, "ref", ""},
		{`"ref":{"type":"ref/prompt","name":1},` + arg, "ref", ""},
		{`"ref":{"Type":"ref/prompt","name":"p"},` + arg, "ref", ""},
		{`"Ref":{"type":"ref/prompt","name":"p"},` + arg, "ref", ""},
		{ref, "argument", ""},
		{ref + `,"argument":null`, "argument", ""},
		{ref + `,"argument":"a"`, "argument", ""},
		{ref + `,"argument":{"name":"a"}`, "argument", ""},
		{ref + `,"argument":{"value":"x"}`, "argument", ""},
		{ref + `,"argument":{"name":1,"value":"x"}`, "argument", ""},
		{ref + `,"argument":{"name":"a","value":1}`, "argument", ""},
		{ref + `,"argument":{"name":"a","value":null}`, "argument", ""},
		{ref + `,"argument":{"name":"a","value":"x","Value":"y"}`, "argument", ""},
		{both + `,"context":[]`, "context", "2025-06-18"},
		{both + `,"context":{"arguments":[]}`, "context", "2025-06-18"},
		{both + `,"context":{"arguments":{"b":1}}`, "context", "2025-06-18"},
		{both + `,"context":{"arguments":{"b":null}}`, "context", "2025-06-18"},
		{both + `,"context":{"Arguments":{}}`, "context", "2025-06-18"},
		{both + `,"Context":{}`, "context", ""},
	} {
		check := func(got, version string) {
			t.Helper()
			if test.param == "" || version < test.from {
				assert.Contains(t, got, `"values":["xy"]`, "%s %s", version, test.params)
				return
			}
			assert.Contains(t, got, `"code":-32602`, "%s %s", version, test.params)
			assert.Contains(t, got, `"data":{"param":"`+test.param+`"}`, "%s %s", version, test.params)
		}
		for version, session := range sessions {
			got, err := handle(t, s, session, `{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{`+test.params+`}}`)
			require.NoError(t, err)
			check(got, version)
		}
		got, err := handle(t, s, nil, envelopedLine("1", "completion/complete", test.params))
		require.NoError(t, err)
		check(got, "2026-07-28")
	}
	for _, params := range []string{"", `,"params":null`, `,"params":{}`, `,"params":[]`} {
		got, err := handle(t, s, sessions["2025-11-25"], `{"jsonrpc":"2.0","id":1,"method":"completion/complete"`+params+`}`)
		require.NoError(t, err)
		assert.Contains(t, got, `"code":-32602`, params)
	}
}

// CMP-05, CMP-06, CMP-08, GAP-42: what an argument is completed to. Without a
// function of its own it is completed from its schema.
func TestCompletionValues(t *testing.T) {
	t.Parallel()
	many := func(n int) []string {
		all := make([]string, n)
		for i := range all {
			all[i] = fmt.Sprint(i)
		}
		return all
	}
	quoted := func(values []string) string {
		raw, err := json.Marshal(values)
		require.NoError(t, err)
		return strings.Trim(string(raw), "[]")
	}
	bad := append(many(100), "\xff")
	s := prompts.NewServer(registryOf(
		completing("one", completed(`<x> & "y"`)), completing("none", completed()), completing("empty", completed([]string{}...)),
		completing("100", completed(many(100)...)), completing("101", completed(many(101)...)), completing("5000", completed(many(5000)...)),
		completing("bad late", completed(bad...)),
		prompts.New(prompts.Prompt{Name: "flag"}, func(context.Context, struct {
			On bool `json:"on"`
			N  int  `json:"n"`
		}) (*prompts.Result, error) {
			return prompts.Messages(), nil
		}),
	), prompts.Options{})
	session := newSession(t, s)
	for _, test := range []struct{ prompt, argument, prefix, want string }{
		{"one", "a", "", completionLine("1", `"<x> & \"y\""`, 1, false)},
		{"none", "a", "x", completionLine("1", "", 0, false)},
		{"empty", "a", "x", completionLine("1", "", 0, false)},
		{"100", "a", "", completionLine("1", quoted(many(100)), 100, false)},
		{"101", "a", "", completionLine("1", quoted(many(100)), 101, true)},
		{"5000", "a", "", completionLine("1", quoted(many(100)), 5000, true)},
		{"bad late", "a", "", completionLine("1", quoted(many(100)), 101, true)},
		{"one", "b", "", completionLine("1", `"Red","green","grey"`, 3, false)},
		{"one", "b", "gr", completionLine("1", `"green","grey"`, 2, false)},
		{"one", "b", "rED", completionLine("1", `"Red"`, 1, false)},
		{"one", "b", "reddish", completionLine("1", "", 0, false)},
		{"one", "c", "x", completionLine("1", "", 0, false)},
		{"flag", "on", "T", completionLine("1", `"true"`, 1, false)},
		{"flag", "n", "1", completionLine("1", "", 0, false)},
	} {
		got, err := handle(t, s, session, completeLine("1", test.prompt, test.argument, test.prefix))
		require.NoError(t, err)
		assert.Equal(t, test.want, got, "%s %s %q", test.prompt, test.argument, test.prefix)
	}
	for _, test := range []struct{ prompt, argument, message string }{
		{"unknown", "a", `unknown prompt \"unknown\"`},
		{"one", "d", "is not an argument of this prompt"},
		{"one", "A", "is not an argument of this prompt"},
		{"one", "", "is not an argument of this prompt"},
	} {
		got, err := handle(t, s, session, completeLine("1", test.prompt, test.argument, ""))
		require.NoError(t, err)
		assert.Contains(t, got, `"code":-32602`)
		assert.Contains(t, got, test.message)
	}
}

// CMP-12: the result in revision 2026-07-28 is complete, and has no
// hints for caches.
func TestCompletionOfTheStatelessEra(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(registryOf(completing("p", completed("x"))), prompts.Options{CacheTTL: time.Hour, CachePublic: true})
	for _, argument := range []string{"a", "c"} {
		got, err := handle(t, s, nil, envelopedLine("1", "completion/complete", completeParamsOf("p", argument, "")))
		require.NoError(t, err)
		values, total := `"x"`, 1
		if argument == "c" {
			values, total = "", 0
		}
		assert.Equal(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","completion":{"values":[%s],"total":%d,"hasMore":false},"_meta":{%s}}}`, values, total, ownIdentity), got)
	}
}

// CMP-01, CMP-08, LIF-09, DSC-05: without completions there is neither the
// capability nor the method; 2024-11-05 has the method alone.
func TestNoCompletions(t *testing.T) {
	t.Parallel()
	for _, off := range []bool{false, true} {
		s := prompts.NewServer(registryOf(completing("p", completed("x"))), prompts.Options{DisableCompletions: off})
		for _, version := range handshakeVersions {
			session := s.NewSession(transport.SessionOptions{})
			defer session.Close()
			got, err := handle(t, s, session, initializeIn(version))
			require.NoError(t, err)
			assert.Equal(t, !off && version != "2024-11-05", strings.Contains(got, `"completions":{}`), version)
			got, err = handle(t, s, session, completeLine("1", "p", "a", ""))
			require.NoError(t, err)
			assert.Equal(t, off, strings.Contains(got, `"code":-32601`), version)
		}
		got, err := handle(t, s, nil, envelopedLine("1", "server/discover", ""))
		require.NoError(t, err)
		assert.Equal(t, !off, strings.Contains(got, `"completions":{}`))
		got, err = handle(t, s, nil, envelopedLine("1", "completion/complete", completeParamsOf("p", "a", "")))
		require.NoError(t, err)
		assert.Equal(t, off, strings.Contains(got, `"code":-32601`))
	}
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
		_, err := handle(t, s, nil, msg)
		require.NoError(t, err)
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

// It is an author's code as a render is: it can be cancelled, and has the time
// limit and the bound of one (CMP-10).
func TestCompletionIsTheAuthorsCode(t *testing.T) {
	bubble(t, func(t *testing.T) {
		causes := make(chan error, 100)
		hang := func(ctx context.Context, _ string, _ map[string]string) ([]string, error) {
			<-ctx.Done()
			causes <- context.Cause(ctx)
			return nil, ctx.Err()
		}
		s := prompts.NewServer(registryOf(completing("p", hang), completing("deaf", func(context.Context, string, map[string]string) ([]string, error) {
			time.Sleep(time.Hour)
			return nil, nil
		})), prompts.Options{Limits: prompts.Limits{MaxConcurrent: 2}})
		c := connect(t, s).handshake()
		assert.Empty(t, c.ask(completeLine("1", "p", "a", "")))
		assert.Empty(t, c.ask(cancelLine("1")))
		assert.ErrorIs(t, <-causes, prompts.ErrCancelled)

		// A flood: two run, two wait, the others are refused; what needs no
		// function is answered meanwhile.
		for i := range 20 {
			c.send(completeLine(fmt.Sprint(i), "p", "a", ""))
		}
		time.Sleep(time.Second)
		got := c.received()
		assert.Len(t, got, 16)
		for _, msg := range got {
			assert.Contains(t, msg, busy().Message)
		}
		assert.Equal(t, []string{completionLine("99", "", 0, false)}, c.ask(completeLine("99", "p", "c", "")))
		assert.EqualValues(t, 4, s.Tasks())
		time.Sleep(time.Minute)
		assert.Len(t, c.received(), 4)

		assert.Empty(t, c.ask(completeLine("1", "deaf", "a", "")))
		time.Sleep(defaultRenderTimeout)
		assert.Equal(t, []string{errorLine("1", prompts.CodeInternalError, "completion timed out")}, c.received())
		time.Sleep(time.Hour)
		assert.Empty(t, c.received())
		require.NoError(t, c.end())
		assertNoTrace(t, s)
	})
}

// CMP-11: of a hidden prompt nothing is completed, and the answer is that of a
// prompt that does not exist.
func TestCompletionOfAHiddenPrompt(t *testing.T) {
	t.Parallel()
	called := false
	p := completing("hidden", func(context.Context, string, map[string]string) ([]string, error) {
		called = true
		return []string{"a secret"}, nil
	})
	hides := prompts.Options{Visible: func(_ context.Context, p prompts.Prompt) bool { return p.Name != "hidden" }}
	with, without := prompts.NewServer(registryOf(p, completing("shown", completed("x"))), hides), prompts.NewServer(registryOf(completing("shown", completed("x"))), hides)
	for _, argument := range []string{"a", "b", "c", "d"} {
		line := envelopedLine("1", "completion/complete", completeParamsOf("hidden", argument, ""))
		got, err := handle(t, with, nil, line)
		require.NoError(t, err)
		want, err := handle(t, without, nil, line)
		require.NoError(t, err)
		assert.Equal(t, want, got)
		assert.Contains(t, got, "unknown prompt")
		for _, version := range handshakeVersions {
			got, err := handle(t, with, sessionIn(t, with, version), completeLine("1", "hidden", argument, ""))
			require.NoError(t, err)
			want, err := handle(t, without, sessionIn(t, without, version), completeLine("1", "hidden", argument, ""))
			require.NoError(t, err)
			assert.Equal(t, want, got)
		}
		_, err = with.Call(t.Context(), "completion/complete", []byte(`{`+completeParamsOf("hidden", argument, "")+`}`), prompts.CallOptions{})
		var e *prompts.Error
		require.ErrorAs(t, err, &e)
		_, err = without.Call(t.Context(), "completion/complete", []byte(`{`+completeParamsOf("hidden", argument, "")+`}`), prompts.CallOptions{})
		var unknown *prompts.Error
		require.ErrorAs(t, err, &unknown)
		assert.Equal(t, errorResponse("1", unknown), errorResponse("1", e))
	}
	assert.False(t, called)
	for argument, values := range map[string]string{"a": `["x"]`, "b": `["Red","green","grey"]`, "c": "[]"} {
		got, err := handle(t, with, nil, envelopedLine("1", "completion/complete", completeParamsOf("shown", argument, "")))
		require.NoError(t, err)
		assert.Contains(t, got, `"values":`+values)
	}
	got, err := handle(t, with, nil, envelopedLine("1", "completion/complete", completeParamsOf("shown", "d", "")))
	require.NoError(t, err)
	assert.Contains(t, got, "is not an argument of this prompt")
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
