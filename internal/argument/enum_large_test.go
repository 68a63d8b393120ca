package argument

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// These enums and lists have sizes for which a search through the enum for each
// element, or for each value of it when it is declared, would take minutes.
const (
	manyAllowed  = 20_000
	manyElements = 200_000
)

func integersTo(n int) *jsonschema.Schema {
	s := &jsonschema.Schema{Enum: make([]any, n)}
	for i := range n {
		s.Enum[i] = i
	}
	return s
}

func names(n int) []string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf("name-%05d", i)
	}
	return texts
}

func TestLargeEnums(t *testing.T) {
	t.Parallel()
	texts := names(manyAllowed)
	last := texts[manyAllowed-1]
	objects := &jsonschema.Schema{Enum: make([]any, manyAllowed)}
	for i := range objects.Enum {
		objects.Enum[i] = map[string]any{"id": i}
	}
	t.Run("texts", func(t *testing.T) {
		t.Parallel()
		got, problems := readAs[[]string](t, strings.Repeat(last+",", manyElements)+last, itemsOf(enum(texts...)))
		assert.Empty(t, problems)
		assert.Len(t, got, manyElements+1)
	})
	t.Run("integers", func(t *testing.T) {
		t.Parallel()
		got, problems := readAs[[]int](t, strings.Repeat("19999,", manyElements)+"0", itemsOf(integersTo(manyAllowed)))
		assert.Empty(t, problems)
		assert.Len(t, got, manyElements+1)
	})
	t.Run("numbers", func(t *testing.T) {
		t.Parallel()
		_, problems := readAs[[]float64](t, strings.Repeat("19999.0,", manyElements)+"0.5", itemsOf(integersTo(manyAllowed)))
		require.Len(t, problems, 1)
		assert.Contains(t, problems[0].inside(), fmt.Sprintf("[%d] must be one of 0, 1,", manyElements))
	})
	t.Run("objects", func(t *testing.T) {
		t.Parallel()
		const elements = 20_000
		list := "[" + strings.Repeat(`{"id":19999},`, elements) + `{"id":0}]`
		got, problems := readAs[[]map[string]int](t, list, itemsOf(objects))
		assert.Empty(t, problems)
		assert.Len(t, got, elements+1)
	})
}

// An element of a list of integers is judged by an enum without any memory of
// its own.
func TestEnumOfIntegersAllocatesNothingPerElement(t *testing.T) {
	const elements = 10_000
	var got struct{ L []int }
	v := valueOf[[]int](t, itemsOf(integersTo(5000)))
	list := strings.Repeat("4999,", elements) + "4999"
	allocs := testing.AllocsPerRun(3, func() {
		_, p := v.read(t.Context(), reflect.ValueOf(&got.L).Elem(), list, false)
		if p != nil {
			panic(p[0].Message)
		}
	})
	assert.Less(t, allocs, 100.0)
}

// Equal numbers and values have the same key, and no others.
func TestKeysAgreeWithEqual(t *testing.T) {
	t.Parallel()
	values := []any{
		nil, true, false, "", "0", "null", "true", "[]", `"1:a`, "a", "a\"1:b", "1:a",
		0.0, math.Copysign(0, -1), 1.0, -1.0, 0.5, -0.5, 1e300, -1e300, 1e-300,
		float64(1 << 53), float64(1<<53 + 2), float64(1 << 62), float64(1 << 63), -float64(1 << 63), float64(1<<63) * 2, -float64(1<<63) * 2,
		float64(math.MaxUint64), math.MaxFloat64, math.SmallestNonzeroFloat64,
		[]any{}, []any{nil}, []any{1.0}, []any{"1"}, []any{1.0, 1.0}, []any{[]any{1.0}, 1.0}, []any{[]any{1.0, 1.0}},
		[]any{"a", "b"}, []any{"ab"}, []any{11.0},
		map[string]any{}, map[string]any{"a": nil}, map[string]any{"a": 1.0}, map[string]any{"a": "1"},
		map[string]any{"a": 1.0, "b": 2.0}, map[string]any{"b": 1.0, "a": 2.0}, map[string]any{"a": map[string]any{"b": 1.0}},
		map[string]any{"a": []any{}}, []any{map[string]any{"a": 1.0}}, []any{map[string]any{}, map[string]any{}},
	}
	for _, x := range values {
		var doc strictjson.Doc
		require.NoError(t, doc.Parse(jsonenc.Text(x), 0))
		key, _ := appendInstanceKey(nil, instanceOf(doc.Root()), math.MaxInt)
		assert.Equal(t, string(appendKey(nil, x)), string(key), "%v", x)
		for _, y := range values {
			same := string(appendKey(nil, x)) == string(appendKey(nil, y))
			assert.Equal(t, jsonschema.Equal(x, y), same, "%T(%v) and %T(%v)", x, x, y, y)
		}
	}
}

func FuzzKeys(f *testing.F) {
	f.Add(`[1,2]`, `[1.0,2e0]`)
	f.Add(`{"a":1,"b":"x"}`, `{"b":"x","a":1}`)
	f.Add(`["a\"1:b"]`, `["a","b"]`)
	f.Add(`18446744073709551615`, `18446744073709551616`)
	f.Fuzz(func(t *testing.T, a, b string) {
		var x, y any
		if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
			return
		}
		if same := string(appendKey(nil, x)) == string(appendKey(nil, y)); same != jsonschema.Equal(x, y) {
			t.Errorf("%s and %s: the keys say %t", a, b, same)
		}
	})
}

// What is allowed is sent as far as a person or a program would read it.
func TestAllowedOfLargeEnums(t *testing.T) {
	t.Parallel()
	for _, n := range []int{100, 101, 5000} {
		texts := names(n)
		_, problems := readAs[string](t, "x", enum(texts...))
		require.Len(t, problems, 1)
		assert.Equal(t, texts[:100], problems[0].Allowed)
		assert.Equal(t, n-100, problems[0].More)

		_, problems = readAs[int](t, "-1", integersTo(n))
		require.Len(t, problems, 1)
		assert.Len(t, problems[0].Allowed, 100)
		assert.Equal(t, n-100, problems[0].More)

		_, problems = readAs[any](t, "-1", integersTo(n))
		require.Len(t, problems, 1)
		raw, err := json.Marshal(problems[0])
		require.NoError(t, err)
		assert.Equal(t, n > 100, strings.Contains(string(raw), fmt.Sprintf(`"more":%d`, n-100)), string(raw))
	}
}
