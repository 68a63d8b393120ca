package prompts_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// completes asks through Call, and returns the values and their number.
func completes(t *testing.T, p prompts.Prompt, argument, typed string) ([]string, int) {
	t.Helper()
	values, total, err := callComplete(t.Context(), prompts.NewServer(registryOf(p), prompts.Options{}), p.Name, argument, typed)
	require.NoError(t, err)
	return values, total
}

func callComplete(ctx context.Context, s *prompts.Server, prompt, argument, typed string) ([]string, int, error) {
	params := fmt.Sprintf(`{"ref":{"type":"ref/prompt","name":%s},"argument":{"name":%s,"value":%s}}`, jsonText(prompt), jsonText(argument), jsonText(typed))
	raw, err := s.Call(ctx, methodComplete, []byte(params), prompts.CallOptions{})
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

func returning(values []string) func(context.Context, map[string]string) ([]string, error) {
	return func(context.Context, map[string]string) ([]string, error) { return values, nil }
}

// itemsOf is the schema of a list of what has the schema.
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
				"SuggestFunc": prompts.SuggestFunc(returning(test.candidates)),
				"SuggestCached": prompts.SuggestCached(0, noKey, func(context.Context, string) ([]string, error) {
					return test.candidates, nil
				}),
			} {
				direct, err := f(t.Context(), test.typed, nil)
				require.NoError(t, err)
				assert.Len(t, direct, test.total, name)
				values, total := completes(t, completing("p", f), "a", test.typed)
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
	s := prompts.NewServer(registryOf(completing("p", prompts.SuggestFunc(func(ctx context.Context, args map[string]string) ([]string, error) {
		return []string{args["b"] + " of " + ctx.Value(who{}).(string)}, nil
	}))), prompts.Options{})
	got, err := s.Call(context.WithValue(t.Context(), who{}, "Ann"), methodComplete,
		[]byte(`{`+completeParamsOf("p", "a", "ann")+`,"context":{"arguments":{"b":"red"}}}`), prompts.CallOptions{})
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
	schema := prompts.Enum(colours[:6]...)
	counts := prompts.Enum()
	counts.Enum = []any{1, 10, 2}
	p := promptOf[in](
		prompts.Argument{Name: "own", Schema: itemsOf(schema)},
		prompts.Argument{Name: "author", Complete: author},
		prompts.Argument{Name: "counts", Schema: itemsOf(counts)},
		prompts.Argument{Name: "objects", Complete: author},
		prompts.Argument{Name: "nested", Schema: itemsOf(itemsOf(schema))},
	)
	long := strings.Repeat("x,", 1024/2) // more elements are not completed
	rows := append(table(t, "completed_lists", 4),
		[]string{"own author", jsonText(long), jsonText([]string{long + "red", long + "Green", long + "grey", long + "[odd"}), `[""]`},
		[]string{"own author", jsonText(long + "x,"), "[]", "[]"})
	for _, row := range rows {
		prefixes = []string{}
		var typed string
		require.NoError(t, json.Unmarshal([]byte(row[1]), &typed))
		for argument := range strings.FieldsSeq(row[0]) {
			values, total := completes(t, p, argument, typed)
			assert.Equal(t, row[2], jsonText(values), "%s: %q", argument, typed)
			assert.Equal(t, len(values), total, typed)
		}
		assert.Equal(t, row[3], jsonText(prefixes), typed)
	}
}

// SuggestCached keeps values for the time, by keys that are not too long, and not too
// many of them; package memo has the rest of the rules.
func TestSuggestCachedIsBounded(t *testing.T) {
	bubble(t, func(t *testing.T) {
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
		long := strings.Repeat("x", maxCachedKey)
		get := suggested(time.Minute)
		assert.Equal(t, "1", get(long))
		time.Sleep(time.Minute - time.Nanosecond)
		assert.Equal(t, "1", get(long))
		time.Sleep(time.Nanosecond)
		assert.Equal(t, "2", get(long), "its time has passed")
		assert.Equal(t, "3", get(long+"x"))
		assert.Equal(t, "4", get(long+"x"), "a key that is too long")
		for i := range maxCached {
			get(fmt.Sprint(i))
		}
		assert.Equal(t, "5", get("0"))
		assert.Equal(t, fmt.Sprint(5+maxCached), get("one more"))
		assert.Equal(t, fmt.Sprint(6+maxCached), get("0"), "the oldest made room")
		get = suggested(0)
		assert.NotEqual(t, get("x"), get("x"), "nothing is kept")
	})
}
