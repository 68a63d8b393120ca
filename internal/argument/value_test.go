package argument

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/problem"
)

type inner struct {
	Name string `json:"name"`
	Size int    `json:"size,omitempty"`
}

// weekday reads itself from text, by a method of its pointer, and has the
// kind of a byte.
type weekday uint8

func (d *weekday) UnmarshalText(text []byte) error {
	for i, name := range []string{"mon", "tue", "wed"} {
		if name == string(text) {
			*d = weekday(i + 1)
			return nil
		}
	}
	return errors.New("a secret of the type's")
}

// shout reads itself from JSON.
type shout struct{ text string }

func (s *shout) UnmarshalJSON(raw []byte) error {
	var text string
	if err := json.Unmarshal(raw, &text); err != nil {
		return err
	}
	s.text = strings.ToUpper(text)
	return nil
}

func reads[T any](t *testing.T, text string, want T) {
	t.Helper()
	got, problems := readAs[T](t, text, nil)
	assert.Empty(t, problems)
	assert.Equal(t, want, got)
}

// JSON Schema takes 3.0 for an integer, and so do the members of a struct. Other members
// keep their values.
func TestIntegersInsideJSON(t *testing.T) {
	t.Parallel()
	type sizes struct {
		Sizes []int64           `json:"sizes"`
		Port  uint8             `json:"port"`
		Ratio float64           `json:"ratio"`
		Raw   json.RawMessage   `json:"raw"`
		More  map[string]*inner `json:"more"`
	}
	reads(t, `{"sizes":[3.0,1e2,9007199254740993],"port":-0,"ratio":2.50,"raw":"1.0 <","more":{"a":{"name":"x","size":7.0}}}`, sizes{
		Sizes: []int64{3, 100, 9007199254740993}, Ratio: 2.5, Raw: json.RawMessage(`"1.0 <"`), More: map[string]*inner{"a": {"x", 7}},
	})
	_, problems := readAs[inner](t, `{"name":"x","size":9223372036854775808}`, nil)
	require.Len(t, problems, 1)
	assert.Equal(t, `size must be an integer from -9223372036854775808 to 9223372036854775807, got "9223372036854775808"`, problems[0].inside())
}

// A type of its own is read by its kind, unless a method says otherwise.
func TestNamedTypes(t *testing.T) {
	t.Parallel()
	type (
		blob   []byte
		octet  byte
		period time.Duration
		chars  [2]string
		table  map[string]int
	)
	reads(t, "AA==", blob{0})
	reads(t, "AQ==", []octet{1})
	reads(t, "90", period(90)) // an integer: it has not the methods of time.Duration
	reads(t, "a,b", chars{"a", "b"})
	reads(t, `{"a":1}`, table{"a": 1})
	reads(t, "mon,wed", []weekday{1, 3}) // no bytes, although of their kind
	reads(t, `{"d":["tue"]}`, map[string][]weekday{"d": {2}})
	reads(t, `{"s":"hi"}`, map[string]shout{"s": {"HI"}})
	reads(t, `"hi"`, shout{"HI"})
	_, problems := readAs[json.RawMessage](t, strings.Repeat("[", jsonenc.MaxDepth+1)+strings.Repeat("]", jsonenc.MaxDepth+1), nil)
	require.Len(t, problems, 1)
	assert.Equal(t, "must have at most 128 levels of nesting, exceeded at byte 128", problems[0].Message)
}

func mustBig(s string) *big.Int {
	n, ok := new(big.Int).SetString(s, 10)
	if !ok {
		panic(s)
	}
	return n
}

// An any holds what the schema's type says, or a string.
func TestValueAny(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		schema *jsonschema.Schema
		text   string
		want   any // a refused for a problem
	}{
		{nil, "5", "5"},
		{&jsonschema.Schema{Type: "string"}, "5", "5"},
		{&jsonschema.Schema{Type: "integer"}, "5", int64(5)},
		{&jsonschema.Schema{Type: "integer"}, "5.5", refused(problem.Type)},
		{&jsonschema.Schema{Type: "number"}, "5", 5.0},
		{&jsonschema.Schema{Types: []string{"null", "number"}}, "5", 5.0},
		{&jsonschema.Schema{Types: []string{"integer", "number"}}, "5", 5.0},
		{&jsonschema.Schema{Type: "boolean"}, "true", true},
		{&jsonschema.Schema{Type: "array"}, "a,b", []any{"a", "b"}},
		{&jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "integer"}}, "1,2", []any{int64(1), int64(2)}},
		{&jsonschema.Schema{Type: "object"}, `{"a":[1]}`, map[string]any{"a": []any{1.0}}},
		{&jsonschema.Schema{Type: "object"}, `5`, refused(problem.Type)},
		{&jsonschema.Schema{Enum: []any{1, 2}}, "2", int64(2)},
		{&jsonschema.Schema{Enum: []any{1, 2.5}}, "2.5", 2.5},
		{&jsonschema.Schema{Enum: []any{true}}, "true", true},
		{&jsonschema.Schema{Enum: []any{true}}, "false", refused(problem.Enum)},
		{&jsonschema.Schema{Enum: []any{[]string{"a"}}}, "a", []any{"a"}},
	} {
		t.Run(fmt.Sprintf("%s/%s", jsonenc.Text(c.schema), c.text), func(t *testing.T) {
			t.Parallel()
			got, problems := readAs[any](t, c.text, c.schema)
			if r, ok := c.want.(refused); ok {
				require.Len(t, problems, 1)
				assert.Equal(t, problem.Reason(r), problems[0].Reason)
				return
			}
			require.Empty(t, problems)
			assert.Equal(t, c.want, got)

			behind, problems := readAs[*any](t, "x"+c.text, nil)
			require.Empty(t, problems)
			assert.Equal(t, "x"+c.text, *behind)
		})
	}
	list, problems := readAs[[]any](t, "1,2", &jsonschema.Schema{Items: &jsonschema.Schema{Type: "integer"}})
	require.Empty(t, problems)
	assert.Equal(t, []any{int64(1), int64(2)}, list)
}

// A prompt without a struct is checked by the schema and gets the text.
func TestValuesWithoutStruct(t *testing.T) {
	t.Parallel()
	items := func(s *jsonschema.Schema) *jsonschema.Schema { return &jsonschema.Schema{Type: "array", Items: s} }
	for _, c := range []struct {
		schema *jsonschema.Schema
		text   string
		reason problem.Reason // empty for none
	}{
		{nil, "anything", ""},
		{&jsonschema.Schema{}, "anything", ""},
		{&jsonschema.Schema{Type: "integer"}, "9223372036854775807", ""},
		{&jsonschema.Schema{Type: "integer"}, "9223372036854775808", problem.Range},
		{&jsonschema.Schema{Type: "integer"}, "x", problem.Type},
		{&jsonschema.Schema{Type: "number"}, "1.5", ""},
		{&jsonschema.Schema{Type: "number"}, "x", problem.Type},
		{&jsonschema.Schema{Type: "boolean"}, "yes", problem.Type},
		{&jsonschema.Schema{Type: "object"}, `{}`, ""},
		{&jsonschema.Schema{Type: "object"}, `"x"`, problem.Type},
		{&jsonschema.Schema{Type: "object"}, `x`, problem.Type},
		{items(&jsonschema.Schema{Type: "integer"}), "1,2", ""},
		{items(&jsonschema.Schema{Type: "integer"}), "[1,2]", ""},
		{items(&jsonschema.Schema{Type: "integer"}), "1,x", problem.Type},
		{items(items(&jsonschema.Schema{Type: "boolean"})), "[[true],[]]", ""},
		{items(items(&jsonschema.Schema{Type: "boolean"})), "[[1]]", problem.Type},
		{items(enum("a", "b")), "a,b", ""},
		{items(enum("a", "b")), "a,c", problem.Enum},
		// A reference makes it impossible to judge the elements one by one.
		{&jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Ref: "#/$defs/x"}, Defs: map[string]*jsonschema.Schema{"x": {Type: "integer"}}}, "[1]", ""},
		{&jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Ref: "#/$defs/x"}, Defs: map[string]*jsonschema.Schema{"x": {Type: "integer"}}}, `["1"]`, problem.Type},
		{&jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Ref: "#"}}, `[[],[[]]]`, ""},
		{&jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Ref: "#"}}, `[[],[1]]`, problem.Type},
		{&jsonschema.Schema{Type: "array", PrefixItems: []*jsonschema.Schema{{Type: "integer"}, {Type: "string"}}}, `[1,"a"]`, ""},
		{&jsonschema.Schema{Type: "array", PrefixItems: []*jsonschema.Schema{{Type: "integer"}, {Type: "string"}}}, `["a","b",1]`, problem.Type},
		{&jsonschema.Schema{Type: "array", PrefixItems: []*jsonschema.Schema{{Type: "integer"}}}, `1,2`, problem.Type},
	} {
		t.Run(fmt.Sprintf("%s/%s", jsonenc.Text(c.schema), c.text), func(t *testing.T) {
			t.Parallel()
			got, problems := listPlan(t, Spec{Name: "a", Schema: c.schema}).Texts(t.Context(), []Text{text(c.text)})
			if c.reason != "" {
				require.Len(t, problems, 1)
				assert.Equal(t, c.reason, problems[0].Reason)
				return
			}
			require.Empty(t, problems)
			assert.Equal(t, map[string]string{"a": c.text}, got)
		})
	}
}

// refused is the reason of a problem.
type refused string

// empty fills an In with one argument that is the empty text.
func empty[In any](t *testing.T, in *In, specs ...Spec) []Problem {
	t.Helper()
	return fill(planOf[In](t, specs...), in, text(""))
}

// For an optional argument that is not a string, "" is absent, and its
// default fills in. GAP-21 is about required ones.
func TestEmptyText(t *testing.T) {
	t.Parallel()
	withDefault := func(text string) Spec {
		return Spec{Name: "a", Schema: &jsonschema.Schema{Default: json.RawMessage(text)}}
	}
	var n maybe[int]
	assert.Empty(t, empty(t, &n))
	assert.Zero(t, n.A)
	assert.Empty(t, empty(t, &n, withDefault("7")))
	assert.Equal(t, 7, n.A)
	var pn one[*int]
	assert.Empty(t, empty(t, &pn))
	assert.Nil(t, pn.A)
	var l maybe[[]string]
	assert.Empty(t, empty(t, &l))
	assert.Nil(t, l.A)
	var when maybe[time.Time]
	assert.Empty(t, empty(t, &when))
	var st maybe[*inner]
	assert.Empty(t, empty(t, &st))
	assert.Nil(t, st.A)

	// A string may be empty.
	s := maybe[string]{"before"}
	assert.Empty(t, empty(t, &s, withDefault(`"other"`)))
	assert.Empty(t, s.A)
	var ps one[*string]
	assert.Empty(t, empty(t, &ps))
	assert.Equal(t, ptr(""), ps.A)
	// Unless its schema does not let it.
	assert.Empty(t, empty(t, &s, Spec{Name: "a", Schema: enum("x")}))
	assert.Empty(t, s.A)
	assert.Empty(t, empty(t, &s, Spec{Name: "a", Schema: &jsonschema.Schema{Pattern: "^x", Default: json.RawMessage(`"xyz"`)}}))
	assert.Equal(t, "xyz", s.A)

	// What is required is given (GAP-21).
	var r one[int]
	assert.Len(t, empty(t, &r), 1)
	var rs one[string]
	assert.Len(t, empty(t, &rs, Spec{Name: "a", Schema: enum("x")}), 1)
}

// Each call gets a default of its own.
func TestDefaults(t *testing.T) {
	t.Parallel()
	type in struct {
		S string            `json:"s,omitempty"`
		N *int              `json:"n"`
		F float64           `json:"f,omitempty"`
		B bool              `json:"b,omitzero"`
		D time.Duration     `json:"d,omitempty"`
		L []string          `json:"l,omitempty"`
		M map[string]string `json:"m,omitempty"`
		O *inner            `json:"o"`
		A any               `json:"a,omitempty"`
		X []byte            `json:"x,omitempty"`
	}
	def := func(name, text string) Spec {
		return Spec{Name: name, Schema: &jsonschema.Schema{Default: json.RawMessage(text)}}
	}
	var got in
	p := planOf[in](t, def("s", `"é"`), def("n", `3`), def("f", `2.50`), def("b", `true`), def("d", `"1m"`),
		def("l", `["a","b,c"]`), def("m", `{"k":"v"}`), def("o", `{"name":"x"}`), def("a", `"any"`), def("x", `"AA=="`))
	want := in{"é", ptr(3), 2.5, true, time.Minute, []string{"a", "b,c"}, map[string]string{"k": "v"}, &inner{Name: "x"}, "any", []byte{0}}
	for range 2 {
		got = in{}
		require.Empty(t, fill(p, &got, make([]Text, 10)...))
		require.Equal(t, want, got)
		got.L[0], got.M["k"], got.O.Name, got.X[0], *got.N = "z", "z", "z", 9, 9
	}

	list := listPlan(t, def("a", `"x"`), def("b", `"y"`), Spec{Name: "c"})
	for range 2 {
		texts, problems := list.Texts(t.Context(), []Text{{}, text("given"), {}})
		require.Empty(t, problems)
		assert.Equal(t, map[string]string{"a": "x", "b": "given"}, texts)
		texts["a"] = "changed"
	}
}

type (
	base struct {
		ID   int    `json:"id"`
		Note string `json:"note,omitempty"`
	}
	Extra struct {
		Tags []string `json:"tags"`
		Deep
	}
	Deep struct {
		Level int `json:"level"`
	}
	derived struct {
		base
		*Extra
		Own string `json:"own"`
	}
)

// Embedded structs count as their fields; behind a pointer they are optional,
// and made only when one of their fields is given.
func TestEmbedded(t *testing.T) {
	t.Parallel()
	var got derived
	p := planOf[derived](t)
	var names []string
	for _, a := range p.Arguments {
		names = append(names, fmt.Sprintf("%s:%t", a.Name, a.Required))
	}
	assert.Equal(t, []string{"id:true", "note:false", "tags:false", "level:false", "own:true"}, names)
	bind := func(args ...string) {
		t.Helper()
		in := make([]Text, 5)
		for i, a := range args {
			in[i] = Text{Value: a, Given: a != "-"}
		}
		got = derived{}
		require.Empty(t, fill(p, &got, in...))
	}
	bind("1", "-", "-", "-", "x")
	assert.Equal(t, derived{base: base{ID: 1}, Own: "x"}, got)
	bind("1", "n", "a,b", "4", "x")
	assert.Equal(t, derived{base{1, "n"}, &Extra{[]string{"a", "b"}, Deep{4}}, "x"}, got)
	bind("1", "-", "-", "4", "x")
	assert.Equal(t, &Extra{Deep: Deep{4}}, got.Extra)
}
