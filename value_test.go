package prompts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type (
	one[T any] struct {
		A T `json:"a"`
	}
	maybe[T any] struct {
		A T `json:"a,omitempty"`
	}
	shade  string
	toggle bool
	level  int8
	grade  uint16
	ratio  float32
	words  []string
	blob   []byte
	octet  byte
	chars  [2]string
	limit  time.Duration
	inner  struct {
		Name string `json:"name"`
		Size int    `json:"size,omitempty"`
	}
	table map[string]int
)

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

func ptr[T any](v T) *T { return &v }

// compiled returns a definition that must have no fault.
func compiled(t testing.TB, p Prompt) *definition {
	t.Helper()
	d, err := compile(p)
	require.NoError(t, err)
	return d
}

// typed is a prompt whose render function keeps what it gets.
func typed[In any](got *In, arguments ...Argument) Prompt {
	return New(Prompt{Name: "p", Arguments: arguments}, func(_ context.Context, in In) (*Result, error) {
		*got = in
		return &Result{}, nil
	})
}

// readAs reads a text into a T, under a schema if that is not nil.
func readAs[T any](t testing.TB, text string, s *jsonschema.Schema) (T, []problem) {
	t.Helper()
	var got one[T]
	d := compiled(t, typed(&got, Argument{Name: "a", Schema: s}))
	render, problems := d.bind([]given{{text: text, ok: true}})
	if len(problems) == 0 {
		_, err := render.call(context.Background())
		require.NoError(t, err)
	}
	return got.A, problems
}

type valueCase struct {
	name string
	run  func(t *testing.T)
}

// reads expects the text to become the value, by itself and behind pointers.
func reads[T any](text string, want T) valueCase {
	return valueCase{fmt.Sprintf("%T/%.40q", want, text), func(t *testing.T) {
		got, problems := readAs[T](t, text, nil)
		require.Empty(t, problems)
		assert.Equal(t, want, got)
		behind, problems := readAs[**T](t, text, nil)
		if text == "" {
			return // a pointer is optional, so that was absent
		}
		require.Empty(t, problems)
		assert.Equal(t, want, **behind)
	}}
}

// refuses expects a problem with the text.
func refuses[T any](text string, r reason, message string) valueCase {
	var v T
	return valueCase{fmt.Sprintf("%T/%.40q", v, text), func(t *testing.T) {
		_, problems := readAs[T](t, text, nil)
		require.Len(t, problems, 1)
		assert.Equal(t, problem{Argument: "a", Reason: r, Message: message, Allowed: problems[0].Allowed}, problems[0])
		_, problems = readAs[*T](t, text, nil)
		if text != "" {
			require.Len(t, problems, 1)
			assert.Equal(t, message, problems[0].Message)
		}
	}}
}

// What a text becomes in a field of each type that there is (issue 2.2).
func TestValues(t *testing.T) {
	t.Parallel()
	const long = "9999999999999999999999999999999999999999999999999999999999999999999999999"
	when := time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)
	link := url.URL{Scheme: "https", Host: "example.com", Path: "/a", RawQuery: "b=c"}
	for _, c := range []valueCase{
		reads("", ""),
		reads(" <a>\n\x00é ", " <a>\n\x00é "),
		reads("", shade("")),
		reads("red", shade("red")),

		reads("true", true),
		reads("false", false),
		reads("true", toggle(true)),
		refuses[bool]("", reasonType, `"" is not true or false`),
		refuses[bool]("TRUE", reasonType, `"TRUE" is not true or false`),
		refuses[bool]("1", reasonType, `"1" is not true or false`),
		refuses[bool](" true", reasonType, `" true" is not true or false`),

		reads("0", 0),
		reads("-7", -7),
		reads("+7", 7),
		reads("007", 7),
		reads("127", int8(127)),
		reads("-128", int8(-128)),
		reads("-128", level(-128)),
		reads("32767", int16(32767)),
		reads("-32768", int16(-32768)),
		reads("2147483647", int32(2147483647)),
		reads("-2147483648", int32(-2147483648)),
		reads("9223372036854775807", int64(math.MaxInt64)),
		reads("-9223372036854775808", int64(math.MinInt64)),
		reads("9007199254740993", 9007199254740993), // no float64
		refuses[int]("", reasonType, `"" is not an integer`),
		refuses[int]("1.0", reasonType, `"1.0" is not an integer`),
		refuses[int]("1e3", reasonType, `"1e3" is not an integer`),
		refuses[int]("0x10", reasonType, `"0x10" is not an integer`),
		refuses[int]("1_000", reasonType, `"1_000" is not an integer`),
		refuses[int](" 1", reasonType, `" 1" is not an integer`),
		refuses[int]("1 ", reasonType, `"1 " is not an integer`),
		refuses[int]("١", reasonType, `"١" is not an integer`),
		refuses[int]("one", reasonType, `"one" is not an integer`),
		refuses[int8]("128", reasonRange, `"128" is out of range`),
		refuses[int8]("-129", reasonRange, `"-129" is out of range`),
		refuses[level]("128", reasonRange, `"128" is out of range`),
		refuses[int16]("32768", reasonRange, `"32768" is out of range`),
		refuses[int32]("2147483648", reasonRange, `"2147483648" is out of range`),
		refuses[int64]("9223372036854775808", reasonRange, `"9223372036854775808" is out of range`),
		refuses[int64]("-9223372036854775809", reasonRange, `"-9223372036854775809" is out of range`),
		refuses[int](long, reasonRange, `"`+long[:64]+`…" is out of range`),

		reads("0", uint(0)),
		reads("255", uint8(255)),
		reads("+255", uint8(255)),
		refuses[uint]("++1", reasonType, `"++1" is not an integer`),
		reads("65535", uint16(65535)),
		reads("65535", grade(65535)),
		reads("4294967295", uint32(4294967295)),
		reads("18446744073709551615", uint64(math.MaxUint64)),
		refuses[uint]("-1", reasonRange, `"-1" is out of range`),
		refuses[uint]("-"+long, reasonRange, `"-`+long[:63]+`…" is out of range`),
		refuses[uint]("-x", reasonType, `"-x" is not an integer`),
		refuses[uint]("-", reasonType, `"-" is not an integer`),
		refuses[uint]("1.5", reasonType, `"1.5" is not an integer`),
		refuses[uint8]("256", reasonRange, `"256" is out of range`),
		refuses[uint64]("18446744073709551616", reasonRange, `"18446744073709551616" is out of range`),

		reads("1.5", 1.5),
		reads("-0.25e2", -25.0),
		reads("1.7976931348623157e308", math.MaxFloat64),
		reads("0.1", float32(0.1)),
		reads("3.4028234663852886e38", float32(math.MaxFloat32)),
		reads("2", ratio(2)),
		refuses[float64]("1e309", reasonRange, `"1e309" is out of range`),
		refuses[float32]("3.5e38", reasonRange, `"3.5e38" is out of range`),
		refuses[float64]("", reasonType, `"" is not a number`),
		refuses[float64]("inf", reasonType, `"inf" is not a number`),
		refuses[float64]("-Infinity", reasonType, `"-Infinity" is not a number`),
		refuses[float64]("NaN", reasonType, `"NaN" is not a number`),
		refuses[float64]("0x1p-2", reasonType, `"0x1p-2" is not a number`),
		refuses[float64]("0x1p9999", reasonType, `"0x1p9999" is not a number`),
		refuses[float64]("1_0.5", reasonType, `"1_0.5" is not a number`),
		refuses[float64]("1,5", reasonType, `"1,5" is not a number`),
		refuses[float64](" 1", reasonType, `" 1" is not a number`),

		reads("1h30m", 90*time.Minute),
		reads("-1.5s", -1500*time.Millisecond),
		refuses[time.Duration]("90", reasonType, `"90" is not a duration such as 1h30m`),
		refuses[time.Duration]("", reasonType, `"" is not a duration such as 1h30m`),
		reads("90", limit(90)), // a type of its own: its kind is an integer

		reads("2026-01-02T03:04:05.000006Z", when),
		refuses[time.Time]("2026-01-02", reasonType, `"2026-01-02" is not a time such as 2006-01-02T15:04:05Z`),
		reads("192.0.2.1", netip.MustParseAddr("192.0.2.1")),
		reads("2001:db8::1%eth0", netip.MustParseAddr("2001:db8::1%eth0")),
		refuses[netip.Addr]("300.0.0.1", reasonType, `"300.0.0.1" is not an IP address`),
		reads("https://example.com/a?b=c", link),
		refuses[url.URL]("", reasonType, `"" is not a URL`),
		refuses[url.URL]("http://[", reasonType, `"http://[" is not a URL`),
		reads("AAEC/w==", []byte{0, 1, 2, 255}),
		reads("", []byte{}),
		reads("AA==", blob{0}),
		reads("AQ==", []octet{1}),
		refuses[[]byte]("AAEC/w", reasonType, `"AAEC/w" is not base64 data`),
		refuses[[]byte]("AAEC_w==", reasonType, `"AAEC_w==" is not base64 data`),
		refuses[[]byte]("AAEC/x==", reasonType, `"AAEC/x==" is not base64 data`),
		refuses[[]byte]("AAEC\n/w==", reasonType, `"AAEC\n/w==" is not base64 data`),
		reads("tue", weekday(2)),
		refuses[weekday]("", reasonType, `"" is not a valid value`),
		refuses[weekday]("sunday", reasonType, `"sunday" is not a valid value`),
		reads("123456789012345678901234567890", *mustBig("123456789012345678901234567890")),

		reads("a", []string{"a"}),
		reads("a, b ,c", []string{"a", "b", "c"}),
		reads(`["a, b"," c ",""]`, []string{"a, b", " c ", ""}),
		reads(` [ "a" ] `, []string{"a"}),
		reads("[]", []string{}),
		reads("", []string{}),
		reads(" ", []string{}),
		reads("a,b", words{"a", "b"}),
		reads("a,b", []shade{"a", "b"}),
		reads("a,b", chars{"a", "b"}),
		reads("1,-2", [2]int8{1, -2}),
		reads("[1,-2]", []int{1, -2}),
		reads("1,2", []uint{1, 2}),
		reads("[1,2.5,1e2]", []float64{1, 2.5, 100}),
		reads("true,false", []bool{true, false}),
		reads("[true,false]", []bool{true, false}),
		reads("1s,2m", []time.Duration{time.Second, 2 * time.Minute}),
		reads(`["1s","2m"]`, []time.Duration{time.Second, 2 * time.Minute}),
		reads("2026-01-02T03:04:05.000006Z", []time.Time{when}),
		reads("192.0.2.1,::1", []netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("::1")}),
		reads("https://example.com/a?b=c", []url.URL{link}),
		reads("AA==,AQ==", [][]byte{{0}, {1}}),
		reads("mon,wed", []weekday{1, 3}),
		reads(`["mon","wed"]`, []weekday{1, 3}),
		reads("1,2", [2]byte{1, 2}),
		reads("1,2", []*int{ptr(1), ptr(2)}),
		reads("[[1,2],[],[3]]", [][]int{{1, 2}, {}, {3}}),
		reads(`[["a"],["b","c"]]`, [][]string{{"a"}, {"b", "c"}}),
		reads(`[{"name":"x"}]`, []inner{{Name: "x"}}),
		refuses[[]string]("a,,b", reasonType, "element 2 is empty"),
		refuses[[]string]("a,", reasonType, "element 2 is empty"),
		refuses[[]string](",", reasonType, "element 1 is empty"),
		refuses[[]string]("[a", reasonType, `"[a" is not a JSON array`),
		refuses[[]string](`["a"]x`, reasonType, `"[\"a\"]x" is not a JSON array`),
		refuses[[]string](`[1]`, reasonType, `element 1: "1" is not a string`),
		refuses[[]string](`["a",null]`, reasonType, `element 2: "null" is not a string`),
		refuses[[]int](`["1"]`, reasonType, `element 1: "\"1\"" is not an integer`),
		refuses[[]int](`[1,1.5]`, reasonType, `element 2: "1.5" is not an integer`),
		refuses[[]int8](`1,500`, reasonRange, `element 2: "500" is out of range`),
		refuses[[]bool](`[1]`, reasonType, `element 1: "1" is not true or false`),
		refuses[[]weekday](`mon,sun`, reasonType, `element 2: "sun" is not a valid value`),
		refuses[[]time.Time](`[5]`, reasonType, `element 1: "5" is not a time such as 2006-01-02T15:04:05Z`),
		refuses[[][]int](`1,2`, reasonType, `"1,2" is not a JSON array`),
		refuses[[][]int](`[1]`, reasonType, `element 1: "1" is not a JSON array`),
		refuses[[][]int](`[[1],["2"]]`, reasonType, `element 2: element 1: "\"2\"" is not an integer`),
		refuses[[]inner](`x`, reasonType, `"x" is not a JSON array`),
		refuses[chars]("a,b,c", reasonLength, "must be 2 elements, not 3"),
		refuses[chars]("", reasonLength, "must be 2 elements, not 0"),
		refuses[[1]int]("1,2", reasonLength, "must be 1 element, not 2"),

		reads(`{"name":"x","size":3}`, inner{"x", 3}),
		reads(` {"name":"x"} `, inner{Name: "x"}),
		refuses[inner]("", reasonType, `"" is not a JSON object`),
		refuses[inner]("x", reasonType, `"x" is not a JSON object`),
		refuses[inner](`{"name":"x"} {}`, reasonType, `"{\"name\":\"x\"} {}" is not a JSON object`),
		refuses[inner](`{"name":"x","name":"y"}`, reasonType, `"{\"name\":\"x\",\"name\":\"y\"}" is not a JSON object`),
		refuses[inner](`{"name":"x","\u006eame":"y"}`, reasonType, `"{\"name\":\"x\",\"\\u006eame\":\"y\"}" is not a JSON object`),
		refuses[inner](`{"Name":"x"}`, reasonType, `"Name" must be written "name"`),
		refuses[inner](`{"name":"x","SIZE":1}`, reasonType, `"SIZE" must be written "size"`),
		refuses[inner](`{"name":"x","ſize":1}`, reasonType, `"ſize" must be written "size"`),
		refuses[inner](`{"size":1}`, reasonSchema, `"{\"size\":1}" is not allowed by the argument's schema`),
		refuses[inner](`[]`, reasonSchema, `"[]" is not allowed by the argument's schema`),
		refuses[inner](`null`, reasonSchema, `"null" is not allowed by the argument's schema`),
		refuses[inner](`{"name":"x","size":1e300}`, reasonType, `"{\"name\":\"x\",\"size\":1e300}" does not fit the argument's type`),
		reads(`{"a":1}`, map[string]int{"a": 1}),
		reads(`{"a":1}`, table{"a": 1}),
		refuses[table](`{"a":"1"}`, reasonSchema, `"{\"a\":\"1\"}" is not allowed by the argument's schema`),
		reads(`{"t":"2026-01-02T03:04:05.000006Z"}`, map[string]time.Time{"t": when}),
		reads(`{"d":"tue"}`, map[string]weekday{"d": 2}),
		reads(`{"d":"AQ=="}`, map[string][]byte{"d": {1}}),
		reads(`{"d":["tue"]}`, map[string][]weekday{"d": {2}}),
		reads(`{"s":"hi"}`, map[string]shout{"s": {"HI"}}),
		reads(`"hi"`, shout{"HI"}),
		refuses[shout](`hi`, reasonType, `"hi" is not JSON`),
		refuses[shout](`5`, reasonType, `"5" does not fit the argument's type`),
		reads(` {"a": [1, 2]} `, json.RawMessage(`{"a": [1, 2]}`)),
		reads(`5`, json.RawMessage(`5`)),
		refuses[json.RawMessage]("{", reasonType, `"{" is not JSON`),
		refuses[json.RawMessage](strings.Repeat("[", 200)+strings.Repeat("]", 200), reasonType,
			`"`+strings.Repeat("[", 64)+`…" is not JSON`),
	} {
		t.Run(c.name, func(t *testing.T) { t.Parallel(); c.run(t) })
	}
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
		want   any // a reason for a problem
	}{
		{nil, "5", "5"},
		{nil, "", ""},
		{&jsonschema.Schema{Type: "string"}, "5", "5"},
		{&jsonschema.Schema{Type: "integer"}, "5", int64(5)},
		{&jsonschema.Schema{Type: "integer"}, "5.5", reasonType},
		{&jsonschema.Schema{Type: "number"}, "5", 5.0},
		{&jsonschema.Schema{Types: []string{"null", "number"}}, "5", 5.0},
		{&jsonschema.Schema{Types: []string{"integer", "number"}}, "5", 5.0},
		{&jsonschema.Schema{Type: "boolean"}, "true", true},
		{&jsonschema.Schema{Type: "array"}, "a,b", []any{"a", "b"}},
		{&jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "integer"}}, "1,2", []any{int64(1), int64(2)}},
		{&jsonschema.Schema{Type: "object"}, `{"a":[1]}`, map[string]any{"a": []any{1.0}}},
		{&jsonschema.Schema{Type: "object"}, `5`, reasonSchema},
		{&jsonschema.Schema{Enum: []any{1, 2}}, "2", int64(2)},
		{&jsonschema.Schema{Enum: []any{1, 2.5}}, "2.5", 2.5},
		{&jsonschema.Schema{Enum: []any{true}}, "true", true},
		{&jsonschema.Schema{Enum: []any{true}}, "false", reasonEnum},
		{&jsonschema.Schema{Enum: []any{[]string{"a"}}}, "a", []any{"a"}},
	} {
		t.Run(fmt.Sprintf("%s/%s", jsonText(c.schema), c.text), func(t *testing.T) {
			t.Parallel()
			got, problems := readAs[any](t, c.text, c.schema)
			if r, ok := c.want.(reason); ok {
				require.Len(t, problems, 1)
				assert.Equal(t, r, problems[0].Reason)
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
		reason reason // empty for none
	}{
		{nil, "anything", ""},
		{&jsonschema.Schema{}, "anything", ""},
		{&jsonschema.Schema{Type: "integer"}, "9223372036854775807", ""},
		{&jsonschema.Schema{Type: "integer"}, "9223372036854775808", reasonRange},
		{&jsonschema.Schema{Type: "integer"}, "x", reasonType},
		{&jsonschema.Schema{Type: "number"}, "1.5", ""},
		{&jsonschema.Schema{Type: "number"}, "x", reasonType},
		{&jsonschema.Schema{Type: "boolean"}, "yes", reasonType},
		{&jsonschema.Schema{Type: "object"}, `{}`, ""},
		{&jsonschema.Schema{Type: "object"}, `"x"`, reasonSchema},
		{&jsonschema.Schema{Type: "object"}, `x`, reasonType},
		{items(&jsonschema.Schema{Type: "integer"}), "1,2", ""},
		{items(&jsonschema.Schema{Type: "integer"}), "[1,2]", ""},
		{items(&jsonschema.Schema{Type: "integer"}), "1,x", reasonType},
		{items(items(&jsonschema.Schema{Type: "boolean"})), "[[true],[]]", ""},
		{items(items(&jsonschema.Schema{Type: "boolean"})), "[[1]]", reasonType},
		{items(Enum("a", "b")), "a,b", ""},
		{items(Enum("a", "b")), "a,c", reasonEnum},
		// A reference makes it impossible to judge the elements one by one.
		{&jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Ref: "#/$defs/x"}, Defs: map[string]*jsonschema.Schema{"x": {Type: "integer"}}}, "[1]", ""},
		{&jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Ref: "#/$defs/x"}, Defs: map[string]*jsonschema.Schema{"x": {Type: "integer"}}}, `["1"]`, reasonSchema},
		{&jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Ref: "#"}}, `[[],[[]]]`, ""},
		{&jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Ref: "#"}}, `[[],[1]]`, reasonSchema},
		{&jsonschema.Schema{Type: "array", PrefixItems: []*jsonschema.Schema{{Type: "integer"}, {Type: "string"}}}, `[1,"a"]`, ""},
		{&jsonschema.Schema{Type: "array", PrefixItems: []*jsonschema.Schema{{Type: "integer"}, {Type: "string"}}}, `["a",1]`, reasonSchema},
		{&jsonschema.Schema{Type: "array", PrefixItems: []*jsonschema.Schema{{Type: "integer"}}}, `1,2`, reasonType},
	} {
		t.Run(fmt.Sprintf("%s/%s", jsonText(c.schema), c.text), func(t *testing.T) {
			t.Parallel()
			var got map[string]string
			d := compiled(t, Prompt{Name: "p", Arguments: []Argument{{Name: "a", Schema: c.schema}},
				Render: func(_ context.Context, args map[string]string) (*Result, error) {
					got = args
					return &Result{}, nil
				}})
			render, problems := d.bind([]given{{text: c.text, ok: true}})
			if c.reason != "" {
				require.Len(t, problems, 1)
				assert.Equal(t, c.reason, problems[0].Reason)
				return
			}
			require.Empty(t, problems)
			_, err := render.call(context.Background())
			require.NoError(t, err)
			assert.Equal(t, map[string]string{"a": c.text}, got)
		})
	}
}

// For an optional argument that is not a string, "" is absent, and its
// default fills in. GAP-21 is about required ones.
func TestEmptyText(t *testing.T) {
	t.Parallel()
	empty := func(p Prompt) []problem {
		d := compiled(t, p)
		render, problems := d.bind([]given{{text: "", ok: true}})
		if len(problems) == 0 {
			_, err := render.call(context.Background())
			require.NoError(t, err)
		}
		return problems
	}
	withDefault := func(text string) Argument {
		return Argument{Name: "a", Schema: &jsonschema.Schema{Default: json.RawMessage(text)}}
	}
	var n maybe[int]
	assert.Empty(t, empty(typed(&n)))
	assert.Zero(t, n.A)
	assert.Empty(t, empty(typed(&n, withDefault("7"))))
	assert.Equal(t, 7, n.A)
	var pn one[*int]
	assert.Empty(t, empty(typed(&pn)))
	assert.Nil(t, pn.A)
	var l maybe[[]string]
	assert.Empty(t, empty(typed(&l)))
	assert.Nil(t, l.A)
	var when maybe[time.Time]
	assert.Empty(t, empty(typed(&when)))
	var st maybe[*inner]
	assert.Empty(t, empty(typed(&st)))
	assert.Nil(t, st.A)

	// A string may be empty.
	s := maybe[string]{"before"}
	assert.Empty(t, empty(typed(&s, withDefault(`"other"`))))
	assert.Empty(t, s.A)
	var ps one[*string]
	assert.Empty(t, empty(typed(&ps)))
	assert.Equal(t, ptr(""), ps.A)
	// Unless its schema does not let it.
	assert.Empty(t, empty(typed(&s, Argument{Name: "a", Schema: Enum("x")})))
	assert.Empty(t, s.A)
	assert.Empty(t, empty(typed(&s, Argument{Name: "a", Schema: &jsonschema.Schema{Pattern: "^x", Default: json.RawMessage(`"xyz"`)}})))
	assert.Equal(t, "xyz", s.A)

	// What is required is given (GAP-21).
	var r one[int]
	assert.Len(t, empty(typed(&r)), 1)
	var rs one[string]
	assert.Len(t, empty(typed(&rs, Argument{Name: "a", Schema: Enum("x")})), 1)
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
	def := func(name, text string) Argument {
		return Argument{Name: name, Schema: &jsonschema.Schema{Default: json.RawMessage(text)}}
	}
	var got in
	d := compiled(t, typed(&got, def("s", `"é"`), def("n", `3`), def("f", `2.50`), def("b", `true`), def("d", `"1m"`),
		def("l", `["a","b,c"]`), def("m", `{"k":"v"}`), def("o", `{"name":"x"}`), def("a", `"any"`), def("x", `"AA=="`)))
	want := in{"é", ptr(3), 2.5, true, time.Minute, []string{"a", "b,c"}, map[string]string{"k": "v"}, &inner{Name: "x"}, "any", []byte{0}}
	for range 2 {
		render, problems := d.bind(make([]given, 10))
		require.Empty(t, problems)
		_, err := render.call(context.Background())
		require.NoError(t, err)
		require.Equal(t, want, got)
		got.L[0], got.M["k"], got.O.Name, got.X[0], *got.N = "z", "z", "z", 9, 9
	}

	args := map[string]string{}
	d = compiled(t, Prompt{Name: "p", Arguments: []Argument{def("a", `"x"`), def("b", `"y"`), {Name: "c"}},
		Render: func(_ context.Context, m map[string]string) (*Result, error) {
			args = m
			m["a"] = "changed"
			return &Result{}, nil
		}})
	for range 2 {
		render, problems := d.bind([]given{{}, {text: "given", ok: true}, {}})
		require.Empty(t, problems)
		args = nil
		_, err := render.call(context.Background())
		require.NoError(t, err)
		assert.Equal(t, map[string]string{"a": "changed", "b": "given"}, args)
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
	d := compiled(t, typed(&got))
	var names []string
	for _, a := range d.export().Arguments {
		names = append(names, fmt.Sprintf("%s:%t", a.Name, a.Required))
	}
	assert.Equal(t, []string{"id:true", "note:false", "tags:false", "level:false", "own:true"}, names)
	bind := func(args ...string) {
		t.Helper()
		in := make([]given, 5)
		for i, a := range args {
			in[i] = given{text: a, ok: a != "-"}
		}
		render, problems := d.bind(in)
		require.Empty(t, problems)
		_, err := render.call(context.Background())
		require.NoError(t, err)
	}
	bind("1", "-", "-", "-", "x")
	assert.Equal(t, derived{base: base{ID: 1}, Own: "x"}, got)
	bind("1", "n", "a,b", "4", "x")
	assert.Equal(t, derived{base{1, "n"}, &Extra{[]string{"a", "b"}, Deep{4}}, "x"}, got)
	bind("1", "-", "-", "4", "x")
	assert.Equal(t, &Extra{Deep: Deep{4}}, got.Extra)
}

// What UnmarshalText does is an author's code: a panic is no problem of the
// client's, and what it says is not for the client.
type bomb struct{}

func (*bomb) UnmarshalText([]byte) error { panic("a secret") }

func TestValuePanic(t *testing.T) {
	t.Parallel()
	var got one[bomb]
	_, e := callGet(t, typed(&got), `{"a":"x"}`, Options{})
	require.NotNil(t, e)
	assert.Equal(t, CodeInternalError, e.Code)
	assert.NotContains(t, e.Message+jsonText(e.Data), "secret")
}

// deepCopy leaves nothing shared, so that a copy from Lookup can be changed.
func TestDeepCopy(t *testing.T) {
	t.Parallel()
	s := &jsonschema.Schema{
		Enum: []any{[]any{1.0}, map[string]any{"a": []any{"b"}}, nil}, Minimum: ptr(1.0), Default: json.RawMessage(`1`), Const: ptr(any("x")),
		Properties: map[string]*jsonschema.Schema{"p": {MinLength: ptr(1)}, "nil": nil}, AllOf: []*jsonschema.Schema{{}},
		Extra: map[string]any{"x": []any{1.0}},
	}
	c := deepCopy(s)
	assert.Equal(t, s, c)
	assertApart(t, reflect.ValueOf(s), reflect.ValueOf(c), "schema")
	assert.Nil(t, deepCopy((*jsonschema.Schema)(nil)))
}

func assertApart(t *testing.T, a, b reflect.Value, where string) {
	switch a.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		if a.IsNil() {
			return
		}
		assert.NotEqual(t, a.Pointer(), b.Pointer(), where)
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !a.IsNil() {
			assertApart(t, a.Elem(), b.Elem(), where)
		}
	case reflect.Slice:
		for i := range a.Len() {
			assertApart(t, a.Index(i), b.Index(i), fmt.Sprintf("%s[%d]", where, i))
		}
	case reflect.Map:
		for _, k := range a.MapKeys() {
			assertApart(t, a.MapIndex(k), b.MapIndex(k), fmt.Sprintf("%s[%s]", where, k))
		}
	case reflect.Struct:
		for i := range a.NumField() {
			assertApart(t, a.Field(i), b.Field(i), where+"."+a.Type().Field(i).Name)
		}
	}
}
