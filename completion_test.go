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
	"weak"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest"
)

// A string of a large message that a function keeps does not keep the message alive.
func TestStringsOfLargeMessagesAreCopies(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		padding int
		shares  bool
	}{{0, true}, {servertest.MaxShared, false}} {
		var first, second string
		p := servertest.Completing("p", func(_ context.Context, prefix string, others map[string]string) ([]string, error) {
			first, second = prefix, others["c"]
			return nil, nil
		})
		p.Render = func(_ context.Context, args map[string]string) (*prompts.Result, error) {
			first, second = args["a"], args["c"]
			return prompts.Messages(), nil
		}
		s := prompts.MustNewServer(servertest.RegistryOf(p), prompts.Options{})
		for method, members := range map[string]string{
			servertest.MethodGet:      `"name":"p","arguments":{"a":"first","c":"second"}`,
			servertest.MethodComplete: servertest.CompleteParamsOf("p", "a", "first") + `,"context":{"arguments":{"c":"second"}}`,
		} {
			msg := servertest.EnvelopedLine("1", method, members+`,"padding":"`+strings.Repeat("x", test.padding)+`"`)
			servertest.AnswerTo(t, s, nil, msg)
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
	internal := servertest.ErrorLine("1", prompts.CodeInternalError, servertest.CompleteFailed)
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
		{"an error of its own", func() ([]string, error) { return nil, &prompts.Error{Code: 1001, Message: "quota exceeded"} }, servertest.ErrorLine("1", 1001, "quota exceeded"), ""},
		{"a wrapped one", func() ([]string, error) {
			return nil, fmt.Errorf("a secret: %w", &prompts.Error{Code: prompts.CodeInvalidParams, Message: "no"})
		}, servertest.ErrorLine("1", prompts.CodeInvalidParams, "no"), "a secret"},
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
			servertest.InBubble(t, name+", "+test.name, func(t *testing.T) {
				var j servertest.Journal
				s := prompts.MustNewServer(servertest.RegistryOf(servertest.Completing("p", f)), prompts.Options{Logger: j.Logger()})
				c := servertest.Connect(t, s).Handshake()
				assert.Equal(t, []string{test.want}, c.Ask(servertest.CompleteLine("1", "p", "a", "a value")))
				assert.Equal(t, []string{test.want}, c.Ask(servertest.EnvelopedLine("1", "completion/complete", servertest.CompleteParamsOf("p", "a", "a value"))))
				if test.log == "" {
					assert.Empty(t, j.String())
				} else {
					assert.Contains(t, j.String(), test.log)
					assert.Contains(t, j.String(), "completion.prompt=p completion.argument=a")
				}
				assert.NotContains(t, j.String(), "a value")
				require.NoError(t, c.End())
				servertest.AssertNoTrace(t, s)
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
	p := servertest.PromptOf[struct {
		Percent int      `json:"percent" minimum:"0" maximum:"100"`
		Own     []string `json:"own"`
		Given   []string `json:"given"`
	}](
		prompts.Argument{Name: "own", Schema: itemsOf(enumOf(names...))},
		prompts.Argument{Name: "given", Complete: prompts.Suggest(names...)},
	)
	s := prompts.MustNewServer(servertest.RegistryOf(p), prompts.Options{Limits: prompts.Limits{MaxArgumentBytes: 4 << 20}})
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

// completes asks through Call, and returns the values and their number.
func completes(t *testing.T, p prompts.Prompt, argument, typed string) ([]string, int) {
	t.Helper()
	values, total, err := callComplete(t.Context(), prompts.MustNewServer(servertest.RegistryOf(p), prompts.Options{}), p.Name, argument, typed)
	require.NoError(t, err)
	return values, total
}

func callComplete(ctx context.Context, s *prompts.Server, prompt, argument, typed string) ([]string, int, error) {
	params := fmt.Sprintf(`{"ref":{"type":"ref/prompt","name":%s},"argument":{"name":%s,"value":%s}}`, servertest.JsonText(prompt), servertest.JsonText(argument), servertest.JsonText(typed))
	raw, err := s.Call(ctx, servertest.MethodComplete, []byte(params), prompts.CallOptions{Version: "2025-11-25"})
	if err != nil {
		return nil, 0, err
	}
	var result struct {
		Completion struct {
			Values  []string
			Total   int
			HasMore bool
		}
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return nil, 0, err
	}
	c := result.Completion
	if c.HasMore != (c.Total > len(c.Values)) {
		return nil, 0, errors.New("hasMore is wrong")
	}
	return c.Values, c.Total, nil
}

// itemsOf is the schema of a list of what has the schema.
func enumOf(values ...string) *jsonschema.Schema {
	s := new(jsonschema.Schema)
	for _, v := range values {
		s.Enum = append(s.Enum, v)
	}
	return s
}

func itemsOf(s *jsonschema.Schema) *jsonschema.Schema { return &jsonschema.Schema{Items: s} }

func noKey(context.Context, map[string]string) string { return "" }

// CMP-05, CMP-06, CMP-07: all completers answer the same for one list.
func TestCompleters(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name       string
		candidates []string
		typed      string
		want       []string
		total      int
	}{
		{"the best first", []string{"ergo", "let go", "Gopher", "", "GO", "go", "go"}, "go", []string{"go", "GO", "Gopher", "let go", "ergo"}, 5},
		{"all", []string{"b", "a", "", "b"}, "", []string{"b", "a"}, 2},
		{"none", []string{"b", "a"}, "x", []string{}, 0},
		{"of nothing", nil, "", []string{}, 0},
		{"of too many, the first", candidateNames(250), "feature", candidateNames(250)[:100], 250},
		{"of too many, with nothing typed", candidateNames(250), "", candidateNames(250)[:100], 250},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for name, f := range map[string]prompts.CompleteFunc{
				"Suggest":     prompts.Suggest(test.candidates...),
				"SuggestFunc": prompts.SuggestFunc(func(context.Context, map[string]string) ([]string, error) { return test.candidates, nil }),
				"SuggestCached": prompts.SuggestCached(0, noKey, func(context.Context, string) ([]string, error) {
					return test.candidates, nil
				}),
			} {
				direct, err := f(t.Context(), test.typed, nil)
				require.NoError(t, err)
				assert.Len(t, direct, test.total, name)
				values, total := completes(t, servertest.Completing("p", f), "a", test.typed)
				assert.Equal(t, test.want, values, name)
				assert.Equal(t, test.total, total, name)
			}
		})
	}
}

func TestSuggestPanics(t *testing.T) {
	t.Parallel()
	assert.PanicsWithError(t, "prompts: Suggest: value 2 is not valid UTF-8", func() { prompts.Suggest("fine", "\xff") })
	assert.PanicsWithError(t, "prompts: SuggestFunc: function is nil", func() { prompts.SuggestFunc(nil) })
	assert.PanicsWithError(t, "prompts: SuggestCached: function is nil", func() { prompts.SuggestCached[string](0, noKey, nil) })
	assert.PanicsWithError(t, "prompts: SuggestCached: function is nil", func() {
		prompts.SuggestCached(0, nil, func(context.Context, string) ([]string, error) { return nil, nil })
	})
}

// What the author changes later changes nothing.
func TestSuggestCopies(t *testing.T) {
	t.Parallel()
	values := []string{"a", "b"}
	f := prompts.Suggest(values...)
	values[0] = "changed"
	got, err := f(t.Context(), "", nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b"}, got)
}

// CMP-04: the function sees the request's context and the other arguments.
func TestSuggestFuncSeesTheRequest(t *testing.T) {
	t.Parallel()
	type who struct{}
	s := prompts.MustNewServer(servertest.RegistryOf(servertest.Completing("p", prompts.SuggestFunc(func(ctx context.Context, args map[string]string) ([]string, error) {
		return []string{args["b"] + " of " + ctx.Value(who{}).(string)}, nil
	}))), prompts.Options{})
	got, err := s.Call(context.WithValue(t.Context(), who{}, "Ann"), servertest.MethodComplete,
		[]byte(`{`+servertest.CompleteParamsOf("p", "a", "ann")+`,"context":{"arguments":{"b":"red"}}}`), prompts.CallOptions{Version: "2025-11-25"})
	require.NoError(t, err)
	assert.Equal(t, `{"completion":{"values":["red of Ann"],"total":1,"hasMore":false}}`, string(got))
}

// A list is completed by its last element, whoever completes that.
func TestCompletionOfLists(t *testing.T) {
	t.Parallel()
	type in struct {
		Own     []string   `json:"own,omitempty"`
		Author  []string   `json:"author,omitempty"`
		Counts  []int      `json:"counts,omitempty"`
		Flags   *[]bool    `json:"flags,omitempty"`
		Objects []struct{} `json:"objects,omitempty"`
		Nested  [][]string `json:"nested,omitempty"`
	}
	colours := []string{"red", "Green", "grey", "light, grey", " blank", "[odd", ""}
	var prefixes []string
	author := func(ctx context.Context, prefix string, args map[string]string) ([]string, error) {
		prefixes = append(prefixes, prefix)
		return prompts.Suggest(colours...)(ctx, prefix, args)
	}
	schema := enumOf(colours[:6]...)
	counts := &jsonschema.Schema{Enum: []any{1, 10, 2}}
	p := servertest.PromptOf[in](
		prompts.Argument{Name: "own", Schema: itemsOf(schema)},
		prompts.Argument{Name: "author", Complete: author},
		prompts.Argument{Name: "counts", Schema: itemsOf(counts)},
		prompts.Argument{Name: "objects", Complete: author},
		prompts.Argument{Name: "nested", Schema: itemsOf(itemsOf(schema))},
	)
	long := strings.Repeat("x,", 1024/2) // more elements are not completed
	rows := append(servertest.Table(t, "completed_lists", 4),
		[]string{"own author", servertest.JsonText(long), servertest.JsonText([]string{long + "red", long + "Green", long + "grey", long + "[odd"}), `[""]`},
		[]string{"own author", servertest.JsonText(long + "x,"), "[]", "[]"})
	for _, row := range rows {
		prefixes = []string{}
		var typed string
		require.NoError(t, json.Unmarshal([]byte(row[1]), &typed))
		for argument := range strings.FieldsSeq(row[0]) {
			values, total := completes(t, p, argument, typed)
			assert.Equal(t, row[2], servertest.JsonText(values), "%s: %q", argument, typed)
			assert.Equal(t, len(values), total, typed)
		}
		assert.Equal(t, row[3], servertest.JsonText(prefixes), typed)
	}
}

// SuggestCached keeps values, however few, and not the text that they were cut from.
func TestCachedSuggestionsAreCopies(t *testing.T) {
	t.Parallel()
	for n := range 3 {
		var text []byte
		f := prompts.SuggestCached(time.Hour, func(context.Context, map[string]string) string { return "" },
			func(context.Context, string) ([]string, error) {
				values := make([]string, n)
				for i := range values {
					values[i] = unsafe.String(&text[i], 1)
				}
				return values, nil
			})
		text = append(make([]byte, 0, 1<<20), "abc"...)
		held := weak.Make(&text[0])
		for range 2 {
			values, err := f(t.Context(), "", nil)
			require.NoError(t, err)
			assert.Equal(t, strings.Split("abc", "")[:n], values)
		}
		values, err := f(t.Context(), "", nil)
		require.NoError(t, err)
		text = nil
		runtime.GC()
		assert.Nil(t, held.Value(), "%d values", n)
		runtime.KeepAlive(f)
		runtime.KeepAlive(values)
	}
}

// The lists of a SuggestCached have a bound in bytes that counts arguments of any length, of
// which the keys may be parts.
func TestCachedKeysArePartsOfLongArguments(t *testing.T) {
	t.Parallel()
	const long = 1 << 20
	calls := 0
	f := prompts.SuggestCached(time.Hour, func(_ context.Context, args map[string]string) string { return args["repo"][:3] },
		func(context.Context, string) ([]string, error) { calls++; return []string{"x"}, nil })
	get := func(i int) {
		_, err := f(t.Context(), "", map[string]string{"repo": fmt.Sprintf("%03d", i) + strings.Repeat("x", long)})
		require.NoError(t, err)
	}
	for i := range 100 {
		get(i)
	}
	get(99)
	assert.Equal(t, 100, calls)
	get(0)
	assert.Equal(t, 101, calls, "64 MiB of arguments are held at most")
}

// SuggestCached keeps values for the time, by keys that are not too long, and not too
// many of them; package memo has the rest of the rules.
func TestSuggestCachedIsBounded(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		calls := 0
		suggested := func(ttl time.Duration) func(key string) string {
			f := prompts.SuggestCached(ttl, func(_ context.Context, args map[string]string) string { return args["b"] },
				func(_ context.Context, key string) ([]string, error) {
					calls++
					return []string{fmt.Sprint(calls)}, nil
				})
			return func(key string) string {
				values, err := f(t.Context(), "", map[string]string{"b": key})
				assert.NoError(t, err)
				return strings.Join(values, ", ")
			}
		}
		long := strings.Repeat("x", servertest.MaxCachedKey)
		get := suggested(time.Minute)
		assert.Equal(t, "1", get(long))
		time.Sleep(time.Minute - time.Nanosecond)
		assert.Equal(t, "1", get(long))
		time.Sleep(time.Nanosecond)
		assert.Equal(t, "2", get(long), "its time has passed")
		assert.Equal(t, "3", get(long+"x"))
		assert.Equal(t, "4", get(long+"x"), "a key that is too long")
		for i := range servertest.MaxCached {
			get(fmt.Sprint(i))
		}
		assert.Equal(t, "5", get("0"))
		assert.Equal(t, fmt.Sprint(5+servertest.MaxCached), get("one more"))
		assert.Equal(t, fmt.Sprint(6+servertest.MaxCached), get("0"), "the oldest made room")
		get = suggested(0)
		assert.NotEqual(t, get("x"), get("x"), "nothing is kept")
	})
}
