package argument

import (
	"cmp"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"math/big"
	"net"
	"net/netip"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// typeCase is what an argument of one Go type is to a client.
type typeCase struct {
	name string
	run  func(t *testing.T)
}

// typed says what an argument of type T, under the schema, does with texts.
type typed[T any] struct {
	schema *jsonschema.Schema
	// hint is the whole description that is advertised.
	hint string
	// completes are the values for an empty prefix.
	completes []string
	reads     []read[T]
	refuses   []refusal
}

// read is a text and the value that the render function gets.
type read[T any] struct {
	text string
	want T
}

// refusal is a text and the problem that the client gets. The allowed is
// JSON, and empty if nothing is said.
type refusal struct {
	text, reason, message, allowed string
}

// meant returns what the message suggests, if it does.
func (r refusal) meant() string {
	_, suggestion, _ := strings.Cut(r.message, " (did you mean ")
	return strings.Trim(suggestion, `"?)`)
}

// separator returns what is between the argument and the message.
func (r refusal) separator() string {
	switch {
	case strings.HasPrefix(r.message, "[") || strings.HasPrefix(r.message, "."): // a place inside
		return ""
	case r.reason == "refused":
		return ": "
	}
	return " "
}

// of makes a case of the type T: its description, its completions and its values.
func of[T any](name string, c typed[T]) typeCase {
	return typeCase{name, func(t *testing.T) {
		var got struct {
			A T `json:"a"`
		}
		p := filling(t, &got, Spec{Name: "a", Schema: c.schema})
		a := &p.plan.Arguments[0]
		assert.Equal(t, c.hint, a.DescriptionWithHint())
		assert.Equal(t, reflect.TypeFor[T]().Kind() != reflect.Pointer, a.Required)
		assert.Equal(t, c.completes, p.complete("a", ""))

		for _, r := range c.reads {
			e := get(t, p, jsonenc.Text(map[string]string{"a": r.text}))
			require.Nil(t, e, "%q: %v", r.text, e)
			assert.Equal(t, r.want, got.A, "%q", r.text)
		}
		for _, r := range c.refuses {
			e := get(t, p, jsonenc.Text(map[string]string{"a": r.text}))
			require.NotNil(t, e, "%q", r.text)
			assert.Equal(t, "a"+r.separator()+r.message, e.Message, "%q", r.text)
			problem := e.Problems[0]
			assert.Equal(t, r.reason, string(problem.Reason), "%q", r.text)
			assert.Equal(t, r.meant(), e.Problems[len(e.Problems)-1].Suggestion, "%q", r.text)
			assert.JSONEq(t, cmp.Or(r.allowed, "null"), jsonenc.Text(problem.Allowed), "%q", r.text)
		}
	}}
}

// declared is a plan with the struct that it fills.
type declared struct {
	plan *Plan
	in   reflect.Value // the zero Value without a struct
}

// filling returns the plan of the struct that in points to.
func filling[In any](t testing.TB, in *In, specs ...Spec) declared {
	t.Helper()
	return declared{planOf[In](t, specs...), reflect.ValueOf(in).Elem()}
}

// rejection is what a client gets for invalid arguments.
type rejection struct {
	Message  string
	Problems []Problem
}

// get fills the struct from JSON, as strings and as typed values: see bothDoors. It
// returns nil if there are no problems.
func get(t testing.TB, d declared, arguments string) *rejection {
	t.Helper()
	var doc strictjson.Doc
	require.NoError(t, doc.Parse(arguments, jsonenc.MaxDepth))
	texts, undeclared, _ := d.plan.Collect(nil, Given{Object: doc.Root()})
	var problems []Problem
	if d.in.IsValid() {
		d.in.SetZero()
		problems = d.plan.Fill(t.Context(), d.in, texts)
	} else {
		_, problems = d.plan.Texts(t.Context(), texts)
	}
	problems = append(problems, undeclared...)
	bothDoors(t, d, doc.Root(), problems)
	if len(problems) == 0 {
		return nil
	}
	var sentences []string
	for _, p := range problems {
		sentences = append(sentences, p.Sentence())
	}
	return &rejection{strings.Join(sentences, "; "), problems}
}

// complete returns the values for what was typed; nil for none.
func (d declared) complete(argument, typed string) []string {
	values, total := d.plan.Arguments[d.plan.Find(argument)].Complete(typed)
	if total != len(values) || len(values) == 0 {
		return nil
	}
	return values
}

// list returns the JSON of the arguments as prompts/list has them; "" for none.
func (d declared) list() string {
	type entry struct {
		Name        string `json:"name"`
		Description string `json:"description,omitempty"`
		Required    bool   `json:"required,omitempty"`
	}
	var list []entry
	for _, a := range d.plan.Arguments {
		list = append(list, entry{a.Name, a.DescriptionWithHint(), a.Required})
	}
	if list == nil {
		return ""
	}
	return jsonenc.Text(list)
}

type (
	color   string
	counter int16
	share   float32
	switchy bool
	paths   []string
	point   struct {
		X    int      `json:"x"`
		Y    int      `json:"y"`
		Note string   `json:"note,omitempty"`
		Tags []string `json:"tags,omitempty"`
	}
)

// nilable has a member of each kind that can be nil.
type nilable struct {
	B []byte           `json:"b"`
	M map[string][]int `json:"m"`
	L []map[string]int `json:"l"`
	P *map[string]int  `json:"p"`
	I net.IP           `json:"i"`
	A any              `json:"a"`
}

// compass reads itself from text, by a method of its pointer.
type compass int

func (c *compass) UnmarshalText(text []byte) error {
	i := slices.Index([]string{"north", "east", "south", "west"}, string(text))
	if i < 0 {
		return errors.New("no such direction")
	}
	*c = compass(i)
	return nil
}

func (c compass) MarshalText() ([]byte, error) {
	return []byte([]string{"north", "east", "south", "west"}[c]), nil
}

// celsius reads itself from JSON: 21.5 or {"f": 70.7}.
type celsius float64

func (c *celsius) UnmarshalJSON(raw []byte) error {
	var fahrenheit struct {
		F *float64 `json:"f"`
	}
	if json.Unmarshal(raw, &fahrenheit) == nil && fahrenheit.F != nil {
		*c = celsius((*fahrenheit.F - 32) / 1.8)
		return nil
	}
	return json.Unmarshal(raw, (*float64)(c))
}

// version has both methods. The text on the wire is text.
type version struct{ by, text string }

func (v *version) UnmarshalText(text []byte) error {
	*v = version{"text", string(text)}
	return nil
}

func (v *version) UnmarshalJSON(raw []byte) error {
	*v = version{"JSON", string(raw)}
	return nil
}

func mustURL(s string) url.URL {
	u, err := url.Parse(s)
	if err != nil {
		panic(err)
	}
	return *u
}

func mustInt(s string) *big.Int {
	n, ok := new(big.Int).SetString(s, 10)
	if !ok {
		panic(s)
	}
	return n
}

func mustFloat(s string) big.Float {
	var f big.Float
	if err := f.UnmarshalText([]byte(s)); err != nil {
		panic(err)
	}
	return f
}

// Every Go type that a field may have: which texts become which values, which
// are refused with which words, what the description says, and what is
// completed (PRG-05, CMP-05, GAP-21).
func TestTypes(t *testing.T) {
	t.Parallel()
	type S = jsonschema.Schema
	var (
		noon    = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
		address = netip.MustParseAddr
		prefix  = netip.MustParsePrefix
	)
	for _, c := range []typeCase{
		// Strings: any text is a value, the empty one too.
		of("string", typed[string]{
			reads: []read[string]{{"text", "text"}, {" as it is\n", " as it is\n"}, {"日本語 🙂 \x00", "日本語 🙂 \x00"}, {`"5"`, `"5"`}},
		}),
		of("named string", typed[color]{
			reads: []read[color]{{"red", "red"}},
		}),
		of("string of an enum", typed[string]{
			schema: enum("red", "grün"), hint: "one of: red, grün", completes: []string{"red", "grün"},
			reads:   []read[string]{{"red", "red"}, {"grün", "grün"}},
			refuses: []refusal{{"", "missing", "is required", ""}, {"Red", "enum", `must be one of red, grün, got "Red" (did you mean "red"?)`, `["red","grün"]`}},
		}),
		of("named string of an enum", typed[color]{
			schema: enum("red"), hint: "one of: red", completes: []string{"red"},
			reads:   []read[color]{{"red", "red"}},
			refuses: []refusal{{"blue", "enum", `must be red, got "blue"`, `["red"]`}},
		}),
		of("string of a pattern", typed[string]{
			schema: &S{Pattern: "^[a-z]+$"}, hint: "matching ^[a-z]+$",
			reads:   []read[string]{{"abc", "abc"}},
			refuses: []refusal{{"aBc", "pattern", `must match the pattern ^[a-z]+$, got "aBc"`, `"^[a-z]+$"`}, {"", "missing", "is required", ""}},
		}),
		of("string of a length, in characters", typed[string]{
			schema: &S{MinLength: ptr(2), MaxLength: ptr(3)}, hint: "2 to 3 characters",
			reads: []read[string]{{"ab", "ab"}, {"日本語", "日本語"}},
			refuses: []refusal{
				{"🙂", "length", "must have 2 to 3 characters, got 1", `{"minLength":2,"maxLength":3}`},
				{"abcd", "length", "must have 2 to 3 characters, got 4", `{"minLength":2,"maxLength":3}`}},
		}),

		of("bool", typed[bool]{
			hint: "true or false", completes: []string{"true", "false"},
			reads:   []read[bool]{{"true", true}, {"false", false}, {" true\n", true}},
			refuses: []refusal{{"yes", "type", `must be true or false, got "yes"`, ""}, {"TRUE", "type", `must be true or false, got "TRUE"`, ""}, {"1", "type", `must be true or false, got "1"`, ""}, {"", "missing", "is required", ""}, {" ", "missing", "is required", ""}},
		}),
		of("named bool", typed[switchy]{
			hint: "true or false", completes: []string{"true", "false"},
			reads: []read[switchy]{{"true", true}},
		}),

		// Integers: in full, and within the type's range.
		of("int", typed[int]{
			hint:    "an integer",
			reads:   []read[int]{{"0", 0}, {"+7", 7}, {"007", 7}, {" 7\t", 7}, {strconv.Itoa(math.MinInt), math.MinInt}, {strconv.Itoa(math.MaxInt), math.MaxInt}},
			refuses: []refusal{{"", "missing", "is required", ""}, {" ", "missing", "is required", ""}, {"7.0", "type", `must be an integer, got "7.0"`, ""}, {"7 8", "type", `must be an integer, got "7 8"`, ""}, {"7e0", "type", `must be an integer, got "7e0"`, ""}, {"٧", "type", `must be an integer, got "٧"`, ""}},
		}),
		of("int8", typed[int8]{
			hint:    "an integer",
			reads:   []read[int8]{{"-128", -128}, {"127", 127}},
			refuses: []refusal{{"-129", "range", `must be an integer from -128 to 127, got "-129"`, ""}, {"128", "range", `must be an integer from -128 to 127, got "128"`, ""}},
		}),
		of("int16", typed[int16]{
			hint:    "an integer",
			reads:   []read[int16]{{"-32768", -32768}, {"32767", 32767}},
			refuses: []refusal{{"-32769", "range", `must be an integer from -32768 to 32767, got "-32769"`, ""}, {"32768", "range", `must be an integer from -32768 to 32767, got "32768"`, ""}},
		}),
		of("int32", typed[int32]{
			hint:    "an integer",
			reads:   []read[int32]{{"-2147483648", math.MinInt32}, {"2147483647", math.MaxInt32}},
			refuses: []refusal{{"-2147483649", "range", `must be an integer from -2147483648 to 2147483647, got "-2147483649"`, ""}, {"2147483648", "range", `must be an integer from -2147483648 to 2147483647, got "2147483648"`, ""}},
		}),
		of("int64", typed[int64]{
			hint:    "an integer",
			reads:   []read[int64]{{"-9223372036854775808", math.MinInt64}, {"9223372036854775807", math.MaxInt64}},
			refuses: []refusal{{"-9223372036854775809", "range", `must be an integer from -9223372036854775808 to 9223372036854775807, got "-9223372036854775809"`, ""}, {"9223372036854775808", "range", `must be an integer from -9223372036854775808 to 9223372036854775807, got "9223372036854775808"`, ""}},
		}),
		of("uint", typed[uint]{
			hint:    "an integer, at least 0",
			reads:   []read[uint]{{"0", 0}, {"+7", 7}, {strconv.FormatUint(math.MaxUint, 10), math.MaxUint}},
			refuses: []refusal{{"-1", "range", `must be an integer from 0 to 18446744073709551615, got "-1"`, ""}, {"1.5", "type", `must be an integer, got "1.5"`, ""}, {"", "missing", "is required", ""}},
		}),
		of("uint8", typed[uint8]{
			hint:    "an integer, at least 0",
			reads:   []read[uint8]{{"0", 0}, {"255", 255}},
			refuses: []refusal{{"256", "range", `must be an integer from 0 to 255, got "256"`, ""}},
		}),
		of("uint16", typed[uint16]{
			hint:    "an integer, at least 0",
			reads:   []read[uint16]{{"65535", 65535}},
			refuses: []refusal{{"65536", "range", `must be an integer from 0 to 65535, got "65536"`, ""}},
		}),
		of("uint32", typed[uint32]{
			hint:    "an integer, at least 0",
			reads:   []read[uint32]{{"4294967295", math.MaxUint32}},
			refuses: []refusal{{"4294967296", "range", `must be an integer from 0 to 4294967295, got "4294967296"`, ""}},
		}),
		of("uint64", typed[uint64]{
			hint:    "an integer, at least 0",
			reads:   []read[uint64]{{"18446744073709551615", math.MaxUint64}},
			refuses: []refusal{{"18446744073709551616", "range", `must be an integer from 0 to 18446744073709551615, got "18446744073709551616"`, ""}},
		}),
		of("named integer within bounds", typed[counter]{
			schema: &S{Minimum: ptr(1.0), Maximum: ptr(10.0), MultipleOf: ptr(3.0)}, hint: "an integer from 1 to 10, a multiple of 3", completes: []string{"3", "6", "9"},
			reads: []read[counter]{{"3", 3}, {"9", 9}},
			refuses: []refusal{
				{"0", "range", "must be from 1 to 10 and a multiple of 3, got 0", `{"minimum":1,"maximum":10,"multipleOf":3}`},
				{"4", "range", "must be from 1 to 10 and a multiple of 3, got 4", `{"minimum":1,"maximum":10,"multipleOf":3}`},
				{"12", "range", "must be from 1 to 10 and a multiple of 3, got 12", `{"minimum":1,"maximum":10,"multipleOf":3}`},
				{"40000", "range", `must be an integer from -32768 to 32767, got "40000"`, ""}},
		}),
		of("integer of an enum", typed[int]{
			schema: &S{Enum: []any{80, 443}}, hint: "one of: 80, 443", completes: []string{"80", "443"},
			reads:   []read[int]{{"80", 80}, {"+443", 443}},
			refuses: []refusal{{"8080", "enum", "must be one of 80, 443, got 8080", `[80,443]`}},
		}),

		// Floats: decimal, finite, and within the type's range.
		of("float64", typed[float64]{
			hint:    "a number",
			reads:   []read[float64]{{"1.5", 1.5}, {"-2", -2}, {".5", 0.5}, {"6.02e23", 6.02e23}, {"1.7976931348623157e308", math.MaxFloat64}, {"5e-324", math.SmallestNonzeroFloat64}},
			refuses: []refusal{{"1e309", "range", `must be a number that a float of 64 bits can hold, got "1e309"`, ""}, {"NaN", "type", `must be a number, got "NaN"`, ""}, {"Inf", "type", `must be a number, got "Inf"`, ""}, {"1,5", "type", `must be a number, got "1,5"`, ""}, {"0x1p4", "type", `must be a number, got "0x1p4"`, ""}, {"", "missing", "is required", ""}},
		}),
		of("float32", typed[float32]{
			hint:    "a number",
			reads:   []read[float32]{{"0.1", 0.1}, {"3.4028235e38", math.MaxFloat32}, {"1e-50", 0}},
			refuses: []refusal{{"3.5e38", "range", `must be a number that a float of 32 bits can hold, got "3.5e38"`, ""}, {"x", "type", `must be a number, got "x"`, ""}},
		}),
		of("float32 at a bound that it cannot hold", typed[float32]{
			schema: &S{Minimum: ptr(0.1), Maximum: ptr(0.3), MultipleOf: ptr(0.1)}, hint: "a number from 0.1 to 0.3, a multiple of 0.1",
			reads:   []read[float32]{{"0.1", 0.1}, {"0.3", 0.3}},
			refuses: []refusal{{"0.30000001", "range", "must be from 0.1 to 0.3 and a multiple of 0.1, got 0.30000001", `{"minimum":0.1,"maximum":0.3,"multipleOf":0.1}`}},
		}),
		of("float32 of an enum", typed[float32]{
			schema: &S{Enum: []any{0.1, 0.25}}, hint: "one of: 0.1, 0.25", completes: []string{"0.1", "0.25"},
			reads:   []read[float32]{{"0.1", 0.1}, {"0.10", 0.1}},
			refuses: []refusal{{"0.1000000015", "enum", "must be one of 0.1, 0.25, got 0.1000000015", "[0.1,0.25]"}},
		}),
		// A json.Number keeps its text, which must be a number of JSON.
		of("json.Number", typed[json.Number]{
			hint:    "a number",
			reads:   []read[json.Number]{{"1.50", "1.50"}, {" 5 ", "5"}, {"-0", "-0"}, {"123456789012345678901234567890", "123456789012345678901234567890"}},
			refuses: []refusal{{"x", "type", `must be a number, got "x"`, ""}, {"", "missing", "is required", ""}, {"+5", "type", `must be a number, got "+5"`, ""}, {"007", "type", `must be a number, got "007"`, ""}, {".5", "type", `must be a number, got ".5"`, ""}, {"1e999", "range", `must be a number that a float of 64 bits can hold, got "1e999"`, ""}},
		}),
		of("json.Number within bounds", typed[json.Number]{
			schema: &S{Minimum: ptr(1.0)}, hint: "a number, at least 1",
			reads:   []read[json.Number]{{"1.0", "1.0"}},
			refuses: []refusal{{"0.9", "range", "must be at least 1, got 0.9", `{"minimum":1}`}},
		}),
		of("pointer to a json.Number", typed[*json.Number]{
			hint:  "a number",
			reads: []read[*json.Number]{{"7", ptr(json.Number("7"))}, {"", nil}},
		}),
		of("[]json.Number", typed[[]json.Number]{
			hint:    "comma-separated; each a number",
			reads:   []read[[]json.Number]{{"1, 2.50", []json.Number{"1", "2.50"}}, {"[1.5, 1e3]", []json.Number{"1.5", "1e3"}}},
			refuses: []refusal{{`["1"]`, "type", `[0] must be a number, got the string "1"`, ""}, {"1,+2", "type", `[1] must be a number, got "+2"`, ""}},
		}),
		of("named float within bounds", typed[share]{
			schema: &S{ExclusiveMinimum: ptr(0.0), Maximum: ptr(1.0)}, hint: "a number, at most 1, greater than 0",
			reads:   []read[share]{{"0.25", 0.25}, {"1", 1}},
			refuses: []refusal{{"0", "range", "must be at most 1 and greater than 0, got 0", `{"maximum":1,"exclusiveMinimum":0}`}},
		}),

		// Pointers: optional, and what they point to; "" is absent unless it is
		// a string's value.
		of("pointer to a string", typed[*string]{
			reads: []read[*string]{{"x", ptr("x")}, {"", ptr("")}},
		}),
		of("pointer to a string of an enum", typed[*string]{
			schema: enum("x"), hint: "one of: x", completes: []string{"x"},
			reads: []read[*string]{{"x", ptr("x")}, {"", nil}},
		}),
		of("pointer to an integer", typed[*int]{
			hint:    "an integer",
			reads:   []read[*int]{{"5", ptr(5)}, {"", nil}},
			refuses: []refusal{{"x", "type", `must be an integer, got "x"`, ""}},
		}),
		of("pointer to a pointer", typed[**bool]{
			hint: "true or false", completes: []string{"true", "false"},
			reads:   []read[**bool]{{"true", ptr(ptr(true))}, {"", nil}},
			refuses: []refusal{{"x", "type", `must be true or false, got "x"`, ""}},
		}),
		of("pointer to a list", typed[*[]int]{
			hint:  "comma-separated; each an integer",
			reads: []read[*[]int]{{"1,2", &[]int{1, 2}}, {"[]", &[]int{}}, {"", nil}},
		}),
		of("pointer to a struct", typed[*point]{
			hint:  "a JSON object with x (an integer), y (an integer), note (a string, optional), tags (a JSON array or null, each a string, optional)",
			reads: []read[*point]{{`{"x":1,"y":2}`, &point{X: 1, Y: 2}}, {"", nil}},
		}),

		// Types with a text form of their own.
		of("time.Time", typed[time.Time]{
			hint:    "a time such as 2026-05-31T14:30:00Z",
			reads:   []read[time.Time]{{"2026-03-04T12:00:00Z", noon}, {"2026-03-04T12:00:00.000000001Z", noon.Add(1)}},
			refuses: []refusal{{"2026-03-04", "type", `must be a time such as 2026-05-31T14:30:00Z, got "2026-03-04"`, ""}, {"noon", "type", `must be a time such as 2026-05-31T14:30:00Z, got "noon"`, ""}, {"", "missing", "is required", ""}},
		}),
		of("time.Duration", typed[time.Duration]{
			hint:    "a duration such as 1h30m",
			reads:   []read[time.Duration]{{"1h30m", 90 * time.Minute}, {"-5µs", -5 * time.Microsecond}, {"0", 0}},
			refuses: []refusal{{"90", "type", `must be a duration such as 1h30m, got "90"`, ""}, {"1d", "type", `must be a duration such as 1h30m, got "1d"`, ""}, {"", "missing", "is required", ""}},
		}),
		of("time.Duration of an enum", typed[time.Duration]{
			schema: enum("1s", "1m"), hint: "one of: 1s, 1m", completes: []string{"1s", "1m"},
			reads:   []read[time.Duration]{{"1m", time.Minute}},
			refuses: []refusal{{"60s", "enum", `must be one of 1s, 1m, got "60s"`, `["1s","1m"]`}}, // the text is judged
		}),
		of("netip.Addr", typed[netip.Addr]{
			hint:    "an IP address",
			reads:   []read[netip.Addr]{{"192.0.2.1", address("192.0.2.1")}, {"2001:db8::1", address("2001:db8::1")}},
			refuses: []refusal{{"192.0.2.256", "type", `must be an IP address, got "192.0.2.256"`, ""}, {"localhost", "type", `must be an IP address, got "localhost"`, ""}, {"", "missing", "is required", ""}},
		}),
		of("netip.Prefix", typed[netip.Prefix]{
			hint:    "an IP prefix such as 192.0.2.0/24",
			reads:   []read[netip.Prefix]{{"192.0.2.0/24", prefix("192.0.2.0/24")}, {"2001:db8::/32", prefix("2001:db8::/32")}},
			refuses: []refusal{{"192.0.2.0", "type", `must be an IP prefix such as 192.0.2.0/24, got "192.0.2.0"`, ""}, {"192.0.2.0/33", "type", `must be an IP prefix such as 192.0.2.0/24, got "192.0.2.0/33"`, ""}, {"", "missing", "is required", ""}},
		}),
		of("netip.AddrPort", typed[netip.AddrPort]{
			hint:    "an IP address and port such as 192.0.2.1:80",
			reads:   []read[netip.AddrPort]{{"192.0.2.1:80", netip.MustParseAddrPort("192.0.2.1:80")}, {"[::1]:80", netip.MustParseAddrPort("[::1]:80")}},
			refuses: []refusal{{"192.0.2.1", "type", `must be an IP address and port such as 192.0.2.1:80, got "192.0.2.1"`, ""}, {"", "missing", "is required", ""}},
		}),
		of("url.URL", typed[url.URL]{
			hint:    "a URL",
			reads:   []read[url.URL]{{"https://example.com/a?b=c#d", mustURL("https://example.com/a?b=c#d")}, {"/relative", mustURL("/relative")}, {"mailto:a@example.com", mustURL("mailto:a@example.com")}},
			refuses: []refusal{{"", "missing", "is required", ""}, {"http://[::1", "type", `must be a URL, got "http://[::1"`, ""}, {":", "type", `must be a URL, got ":"`, ""}},
		}),
		of("pointer to a url.URL", typed[*url.URL]{
			hint:    "a URL",
			reads:   []read[*url.URL]{{"https://example.com", ptr(mustURL("https://example.com"))}, {"", nil}},
			refuses: []refusal{{"%", "type", `must be a URL, got "%"`, ""}},
		}),
		of("[]byte", typed[[]byte]{
			hint:    "base64 data",
			reads:   []read[[]byte]{{"aGVsbG8=", []byte("hello")}, {"+/8=", []byte{0xfb, 0xff}}},
			refuses: []refusal{{"aGVsbG8", "type", `must be base64 data, got "aGVsbG8"`, ""}, {"-_8=", "type", `must be base64 data, got "-_8="`, ""}, {"[1,2]", "type", `must be base64 data, got "[1,2]"`, ""}},
		}),
		of("UnmarshalText of a pointer", typed[compass]{
			reads:   []read[compass]{{"south", 2}},
			refuses: []refusal{{"2", "type", `must be a valid value, got "2"`, ""}, {"", "missing", "is required", ""}},
		}),
		of("UnmarshalText of a pointer, of an enum", typed[compass]{
			schema: enum("north", "south"), hint: "one of: north, south", completes: []string{"north", "south"},
			reads:   []read[compass]{{"south", 2}},
			refuses: []refusal{{"east", "enum", `must be one of north, south, got "east"`, `["north","south"]`}},
		}),
		of("pointer to UnmarshalText", typed[*compass]{
			reads:   []read[*compass]{{"west", ptr(compass(3))}, {"", nil}},
			refuses: []refusal{{"up", "type", `must be a valid value, got "up"`, ""}},
		}),
		of("UnmarshalText and UnmarshalJSON", typed[version]{
			reads: []read[version]{{"1.2", version{"text", "1.2"}}, {`"1.2"`, version{"text", `"1.2"`}}},
		}),
		of("big.Int", typed[big.Int]{
			reads:   []read[big.Int]{{"-123456789012345678901234567890", *mustInt("-123456789012345678901234567890")}},
			refuses: []refusal{{"1.5", "type", `must be a valid value, got "1.5"`, ""}, {"", "missing", "is required", ""}},
		}),
		of("pointer to a big.Int", typed[*big.Int]{
			reads: []read[*big.Int]{{"7", big.NewInt(7)}, {"", nil}},
		}),
		of("big.Float", typed[big.Float]{
			reads:   []read[big.Float]{{"1.5e1000", mustFloat("1.5e1000")}},
			refuses: []refusal{{"x", "type", `must be a valid value, got "x"`, ""}},
		}),
		of("slog.Level", typed[slog.Level]{
			reads:   []read[slog.Level]{{"INFO", slog.LevelInfo}, {"warn+2", slog.LevelWarn + 2}},
			refuses: []refusal{{"4", "type", `must be a valid value, got "4"`, ""}, {"", "missing", "is required", ""}},
		}),
		of("regexp.Regexp", typed[regexp.Regexp]{
			reads:   []read[regexp.Regexp]{{"^a+$", *regexp.MustCompile("^a+$")}},
			refuses: []refusal{{"(", "type", `must be a valid value, got "("`, ""}},
		}),
		of("pointer to a regexp.Regexp", typed[*regexp.Regexp]{
			reads:   []read[*regexp.Regexp]{{"^a+$", regexp.MustCompile("^a+$")}, {"", nil}},
			refuses: []refusal{{"[", "type", `must be a valid value, got "["`, ""}},
		}),

		// JSON.
		of("json.RawMessage", typed[json.RawMessage]{
			hint:    "JSON",
			reads:   []read[json.RawMessage]{{`{"b": 1, "a": 2}`, json.RawMessage(`{"b": 1, "a": 2}`)}, {"-1e300", json.RawMessage("-1e300")}, {"1e999", json.RawMessage("1e999")}, {"null", json.RawMessage("null")}},
			refuses: []refusal{{"", "missing", "is required", ""}, {"x", "type", `must be JSON, got "x"; invalid JSON at byte 0: expected a value`, ""}, {`{"a":1,"a":2}`, "schema", ".a occurs twice, again at byte 7; remove one of the two", ""}},
		}),
		of("map of any", typed[map[string]any]{
			hint:    "a JSON object",
			reads:   []read[map[string]any]{{`{"a":[1,"b",null]}`, map[string]any{"a": []any{1.0, "b", nil}}}, {"{}", map[string]any{}}},
			refuses: []refusal{{`{"a":1e999}`, "range", ".a must be a number that a 64-bit float can hold, got 1e999", ""}, {"", "missing", "is required", ""}, {"a=b", "type", `must be a JSON object, got "a=b"; invalid JSON at byte 0: expected a value`, ""}, {"null", "type", "must be a JSON object, got null", ""}},
		}),
		of("map of integers", typed[map[string]int]{
			hint:    "a JSON object",
			reads:   []read[map[string]int]{{`{"é":1}`, map[string]int{"é": 1}}},
			refuses: []refusal{{`{"a":"1"}`, "type", `.a must be an integer, got the string "1"`, ""}, {`{"a":1.5}`, "type", ".a must be an integer, got the number 1.5", ""}},
		}),
		of("map with a named string as its key", typed[map[color]bool]{
			hint:  "a JSON object",
			reads: []read[map[color]bool]{{`{"red":true}`, map[color]bool{"red": true}}},
		}),
		of("struct", typed[point]{
			hint:  "a JSON object with x (an integer), y (an integer), note (a string, optional), tags (a JSON array or null, each a string, optional)",
			reads: []read[point]{{`{"x":1,"y":-2}`, point{X: 1, Y: -2}}, {` {"tags":["a"],"note":"n","y":2,"x":1} `, point{1, 2, "n", []string{"a"}}}},
			refuses: []refusal{
				{`{"x":1}`, "missing", ".y is required", ""},
				{`{"x":1,"y":2,"z":3}`, "unknown", ".z is unknown; known members: x, y, note, tags", `["x","y","note","tags"]`},
				{`{"x":1,"Y":2}`, "missing", `.y is required; a.Y is unknown (did you mean "y"?)`, ""},
				{"1,2", "type", `must be a JSON object, got "1,2"; invalid JSON at byte 1: unexpected data after the JSON value`, ""}},
		}),
		of("struct of what can be nil", typed[nilable]{
			hint: "a JSON object with b (a string or null), m (a JSON object or null), l (a JSON array or null, each a JSON object or null), p (a JSON object or null, optional), i (a string or null), a",
			reads: []read[nilable]{{`{"b":null,"m":null,"l":null,"p":null,"i":null,"a":null}`, nilable{}},
				{`{"b":"AA==","m":{"k":null},"l":[null],"p":{"k":1},"i":"192.0.2.1","a":5}`,
					nilable{[]byte{0}, map[string][]int{"k": nil}, []map[string]int{nil}, &map[string]int{"k": 1}, net.ParseIP("192.0.2.1"), 5.0}}},
			refuses: []refusal{{"null", "type", "must be a JSON object, got null", ""}},
		}),
		of("struct of what cannot be nil", typed[struct{ S string }]{
			hint:    "a JSON object with S (a string)",
			refuses: []refusal{{`{"S":null}`, "type", ".S must be a string, got null", ""}},
		}),
		of("UnmarshalJSON", typed[celsius]{
			hint:    "JSON",
			reads:   []read[celsius]{{"21.5", 21.5}, {`{"f":212}`, 100}},
			refuses: []refusal{{"warm", "type", `must be JSON, got "warm"; invalid JSON at byte 0: expected a value`, ""}, {`"warm"`, "type", `must be a valid value, got "warm"`, ""}, {"", "missing", "is required", ""}},
		}),

		// An any holds what its schema says.
		of("any", typed[any]{
			reads: []read[any]{{"5", "5"}, {"{", "{"}},
		}),
		of("any of integers", typed[any]{
			schema: &S{Type: "integer"}, hint: "an integer",
			reads:   []read[any]{{"5", int64(5)}},
			refuses: []refusal{{"x", "type", `must be an integer, got "x"`, ""}},
		}),
		of("any of numbers", typed[any]{
			schema: &S{Type: "number"}, hint: "a number",
			reads: []read[any]{{"5", 5.0}},
		}),
		of("any of an enum", typed[any]{
			schema: &S{Enum: []any{true}}, hint: "one of: true", completes: []string{"true"},
			reads:   []read[any]{{"true", true}},
			refuses: []refusal{{"false", "enum", "must be true, got false", "[true]"}},
		}),
		of("any of lists", typed[any]{
			schema: &S{Type: "array", Items: &S{Type: "boolean"}}, hint: "comma-separated; each true or false", completes: []string{"true", "false"},
			reads: []read[any]{{"true,false", []any{true, false}}, {"[true]", []any{true}}},
		}),
		of("any of objects", typed[any]{
			schema: &S{Type: "object"}, hint: "a JSON object",
			reads:   []read[any]{{`{"a":1}`, map[string]any{"a": 1.0}}},
			refuses: []refusal{{"[]", "type", "must be a JSON object, got an array", ""}},
		}),

		// Lists: a JSON array, or separated by commas.
		of("[]string", typed[[]string]{
			hint: "comma-separated",
			reads: []read[[]string]{{"a", []string{"a"}}, {" a , b b,ü", []string{"a", "b b", "ü"}}, {`["a,b"," c ",""]`, []string{"a,b", " c ", ""}},
				{"[]", []string{}}},
			refuses: []refusal{{"a,,b", "type", "[1] is empty; remove the extra comma", ""}, {"[a]", "type", `must be a JSON array, got "[a]"; invalid JSON at byte 1: expected a value`, ""}, {"[1]", "type", `[0] must be a string, got the number 1`, ""}},
		}),
		of("named slice of named strings", typed[paths]{
			hint:  "comma-separated",
			reads: []read[paths]{{"/a,/b", paths{"/a", "/b"}}},
		}),
		of("[]string of an enum", typed[[]color]{
			schema: &S{Items: enum("red", "blue"), MinItems: ptr(1), MaxItems: ptr(2)},
			hint:   "comma-separated; 1 to 2 elements; each one of: red, blue", completes: []string{"red", "blue"},
			reads: []read[[]color]{{"red", []color{"red"}}, {`["blue","red"]`, []color{"blue", "red"}}},
			refuses: []refusal{
				{"red,green", "enum", `[1] must be one of red, blue, got "green"`, `["red","blue"]`},
				{"", "missing", "is required", ""}, {" ", "missing", "is required", ""}, {",", "missing", "is required", ""}, {" , ,", "missing", "is required", ""},
				{"[]", "length", "must have 1 to 2 elements, got 0", `{"minItems":1,"maxItems":2}`},
				{"red,red,red", "length", "must have 1 to 2 elements, got 3", `{"minItems":1,"maxItems":2}`}},
		}),
		of("[]bool", typed[[]bool]{
			hint: "comma-separated; each true or false", completes: []string{"true", "false"},
			reads:   []read[[]bool]{{"true, false", []bool{true, false}}, {"[false]", []bool{false}}},
			refuses: []refusal{{"true,1", "type", `[1] must be true or false, got "1"`, ""}, {`["true"]`, "type", `[0] must be true or false, got the string "true"`, ""}},
		}),
		of("[]int", typed[[]int]{
			hint:    "comma-separated; each an integer",
			reads:   []read[[]int]{{"1,-2", []int{1, -2}}, {"[1, -2]", []int{1, -2}}},
			refuses: []refusal{{"1;2", "type", `[0] must be an integer, got "1;2"`, ""}, {`["1"]`, "type", `[0] must be an integer, got the string "1"`, ""}},
		}),
		of("[]int8", typed[[]int8]{
			hint:    "comma-separated; each an integer",
			reads:   []read[[]int8]{{"-128,127", []int8{-128, 127}}},
			refuses: []refusal{{"[1,128]", "range", `[1] must be an integer from -128 to 127, got "128"`, ""}},
		}),
		of("[]uint16", typed[[]uint16]{
			hint:    "comma-separated; each an integer, at least 0",
			reads:   []read[[]uint16]{{"80,443", []uint16{80, 443}}, {"[65535]", []uint16{65535}}},
			refuses: []refusal{{"80,-1", "range", `[1] must be an integer from 0 to 65535, got "-1"`, ""}},
		}),
		of("[]float64", typed[[]float64]{
			hint:    "comma-separated; each a number",
			reads:   []read[[]float64]{{"1, 2.5", []float64{1, 2.5}}, {"[1e3]", []float64{1000}}},
			refuses: []refusal{{"1,x", "type", `[1] must be a number, got "x"`, ""}},
		}),
		of("[]float32", typed[[]float32]{
			hint:  "comma-separated; each a number",
			reads: []read[[]float32]{{"0.1,0.2", []float32{0.1, 0.2}}},
		}),
		of("[]*int", typed[[]*int]{
			hint:  "comma-separated; each an integer",
			reads: []read[[]*int]{{"1,2", []*int{ptr(1), ptr(2)}}},
		}),
		of("[]time.Time", typed[[]time.Time]{
			hint:    "comma-separated; each a time such as 2026-05-31T14:30:00Z",
			reads:   []read[[]time.Time]{{"2026-03-04T12:00:00Z, 2026-03-04T12:00:01Z", []time.Time{noon, noon.Add(time.Second)}}, {`["2026-03-04T12:00:00Z"]`, []time.Time{noon}}},
			refuses: []refusal{{"2026-03-04T12:00:00Z,now", "type", `[1] must be a time such as 2026-05-31T14:30:00Z, got "now"`, ""}},
		}),
		of("[]time.Duration", typed[[]time.Duration]{
			hint:    "comma-separated; each a duration such as 1h30m",
			reads:   []read[[]time.Duration]{{"1s,2m", []time.Duration{time.Second, 2 * time.Minute}}, {`["3h"]`, []time.Duration{3 * time.Hour}}},
			refuses: []refusal{{"[5]", "type", `[0] must be a duration such as 1h30m, got the number 5`, ""}},
		}),
		of("[]netip.Addr", typed[[]netip.Addr]{
			hint:    "comma-separated; each an IP address",
			reads:   []read[[]netip.Addr]{{"192.0.2.1,::1", []netip.Addr{address("192.0.2.1"), address("::1")}}, {`["::1"]`, []netip.Addr{address("::1")}}},
			refuses: []refusal{{"::1,x", "type", `[1] must be an IP address, got "x"`, ""}},
		}),
		of("[]url.URL", typed[[]url.URL]{
			hint:    "comma-separated; each a URL",
			reads:   []read[[]url.URL]{{"https://a.example,/b", []url.URL{mustURL("https://a.example"), mustURL("/b")}}, {`["/a,b"]`, []url.URL{mustURL("/a,b")}}},
			refuses: []refusal{{`[""]`, "type", `[0] must be a URL, got ""`, ""}},
		}),
		of("[]*url.URL", typed[[]*url.URL]{
			hint:  "comma-separated; each a URL",
			reads: []read[[]*url.URL]{{"/a", []*url.URL{ptr(mustURL("/a"))}}},
		}),
		of("[]compass", typed[[]compass]{
			hint:    "comma-separated",
			reads:   []read[[]compass]{{"north,west", []compass{0, 3}}, {`["east"]`, []compass{1}}},
			refuses: []refusal{{"north,up", "type", `[1] must be a valid value, got "up"`, ""}},
		}),
		of("[]big.Int", typed[[]big.Int]{
			hint:    "comma-separated",
			reads:   []read[[]big.Int]{{"1,2", []big.Int{*mustInt("1"), *mustInt("2")}}},
			refuses: []refusal{{"[1]", "type", `[0] must be a string, got the number 1`, ""}, {"x", "type", `[0] must be a valid value, got "x"`, ""}},
		}),
		of("[][]byte", typed[[][]byte]{
			hint:  "comma-separated; each base64 data",
			reads: []read[[][]byte]{{"AA==,AQ==", [][]byte{{0}, {1}}}},
		}),
		of("[][]string", typed[[][]string]{
			hint:    "a JSON array; each a JSON array",
			reads:   []read[[][]string]{{`[["a"],[],["b","c"]]`, [][]string{{"a"}, {}, {"b", "c"}}}},
			refuses: []refusal{{"a,b", "type", `must be a JSON array, got "a,b"`, ""}, {`["a"]`, "type", `[0] must be a JSON array, got the string "a"`, ""}, {`[["a"],[1]]`, "type", `[1][0] must be a string, got the number 1`, ""}},
		}),
		of("[]struct", typed[[]point]{
			hint:    "a JSON array; each a JSON object with x (an integer), y (an integer), note (a string, optional), tags (a JSON array or null, each a string, optional)",
			reads:   []read[[]point]{{`[{"x":1,"y":2}]`, []point{{X: 1, Y: 2}}}},
			refuses: []refusal{{`[{"x":1,"y":2},{"x":1}]`, "missing", "[1].y is required", ""}},
		}),
		of("[]json.RawMessage", typed[[]json.RawMessage]{
			hint:    "a JSON array; each JSON",
			reads:   []read[[]json.RawMessage]{{`[1,"a",null]`, []json.RawMessage{json.RawMessage("1"), json.RawMessage(`"a"`), json.RawMessage("null")}}},
			refuses: []refusal{{"1,2", "type", `must be a JSON array, got "1,2"`, ""}},
		}),
		of("[]any", typed[[]any]{
			hint:  "comma-separated",
			reads: []read[[]any]{{"1,a", []any{"1", "a"}}},
		}),
		of("[]any of integers", typed[[]any]{
			schema: &S{Items: &S{Type: "integer"}}, hint: "comma-separated; each an integer",
			reads: []read[[]any]{{"1,2", []any{int64(1), int64(2)}}},
		}),
		of("array", typed[[2]int]{
			hint:  "comma-separated; 2 elements; each an integer",
			reads: []read[[2]int]{{"1,2", [2]int{1, 2}}, {"[3,4]", [2]int{3, 4}}},
			refuses: []refusal{
				{"1", "length", "must have 2 elements, got 1", `{"minItems":2,"maxItems":2}`},
				{"1,2,3", "length", "must have 2 elements, got 3", `{"minItems":2,"maxItems":2}`}},
		}),
		of("array of bytes", typed[[4]byte]{
			hint:  "comma-separated; 4 elements; each an integer, at least 0",
			reads: []read[[4]byte]{{"192,0,2,1", [4]byte{192, 0, 2, 1}}},
		}),
		of("pointer to an array", typed[*[1]string]{
			hint:  "comma-separated; 1 element",
			reads: []read[*[1]string]{{"a", &[1]string{"a"}}, {"", nil}},
		}),
	} {
		t.Run(c.name, func(t *testing.T) { t.Parallel(); c.run(t) })
	}
}

// PRG-06, GAP-20: a JSON value that is not a string is refused for every type alike,
// also where it would be the value.
func TestTypesTakeNothingButStrings(t *testing.T) {
	t.Parallel()
	var got struct {
		B bool           `json:"b"`
		N *int           `json:"n"`
		L []int          `json:"l"`
		O map[string]any `json:"o"`
		R json.RawMessage
	}
	e := get(t, filling(t, &got), `{"b":true,"n":7,"l":[1],"o":{},"R":5}`)
	require.NotNil(t, e)
	assert.Equal(t, `b must be a JSON string, such as "true"; n must be a JSON string, such as "7"; l must be a JSON string, such as "[1]"; o must be a JSON string, such as "{}"; R must be a JSON string, such as "5"`, e.Message)
	assert.Equal(t, 5, strings.Count(jsonenc.Text(e.Problems), `"reason":"not_string"`))
}

// CMP-05: what completes by its type, by what has been typed.
func TestTypesComplete(t *testing.T) {
	t.Parallel()
	var got struct {
		B bool       `json:"b"`
		C color      `json:"c"`
		N int        `json:"n"`
		P **color    `json:"p"`
		L []color    `json:"l"`
		F []bool     `json:"f"`
		X [][]color  `json:"x"`
		T *time.Time `json:"t"`
	}
	colors := enum("red", "Grün", "gray")
	s := filling(t, &got,
		Spec{Name: "c", Schema: colors}, Spec{Name: "p", Schema: colors},
		Spec{Name: "n", Schema: &jsonschema.Schema{Enum: []any{1, 10, 2}}},
		Spec{Name: "l", Schema: &jsonschema.Schema{Items: colors}},
	)
	for _, c := range []struct {
		argument, prefix string
		want             []string
	}{
		{"b", "", []string{"true", "false"}},
		{"b", "F", []string{"false"}},
		{"b", "x", nil},
		{"c", "gr", []string{"Grün", "gray"}},
		{"c", "GRÜN", []string{"Grün"}},
		{"c", "red ", nil},
		{"n", "1", []string{"1", "10"}},
		{"p", "r", []string{"red", "Grün", "gray"}}, // those within come after
		{"l", "", []string{"red", "Grün", "gray"}},
		{"l", "red,", []string{"red,Grün", "red,gray"}},
		{"l", "blue, G", []string{"blue, Grün", "blue, gray"}}, // what stands before is not judged
		{"l", "[", []string{`["red"`, `["Grün"`, `["gray"`}},
		{"f", "true,f", []string{"true,false"}},
		{"x", "r", nil},
		{"t", "", nil},
	} {
		assert.Equal(t, c.want, s.complete(c.argument, c.prefix), "%s %q", c.argument, c.prefix)
	}
}

type (
	Common struct {
		ID   int    `json:"id"`
		Note string `json:"note,omitempty"`
	}
	Paging struct {
		Page int `json:"page"`
		Size int `json:"size,omitempty"`
	}
	unseen struct {
		Shown  string `json:"shown"`
		secret string //lint:ignore U1000 that it is no argument is the point
	}
)

// call is one call of a prompt whose arguments are a struct.
type call[In any] struct {
	args    string
	want    In
	message string // of the error; then nothing is got
}

// structOf makes a case of a struct: the JSON of its arguments in the list,
// and calls.
func structOf[In any](name, list string, calls []call[In], arguments ...Spec) typeCase {
	return typeCase{name, func(t *testing.T) {
		var got In
		s := filling(t, &got, arguments...)
		assert.Equal(t, list, s.list())
		for _, c := range calls {
			e := get(t, s, c.args)
			if c.message != "" {
				require.NotNil(t, e, c.args)
				assert.Equal(t, c.message, e.Message)
				continue
			}
			require.Nil(t, e, "%s: %v", c.args, e)
			assert.Equal(t, c.want, got, c.args)
		}
	}}
}

// PRG-03: what the fields and tags of a struct are to a client: names, order, what is
// required, and what absent ones become.
func TestTypesOfStructs(t *testing.T) {
	t.Parallel()
	type (
		tags struct {
			Plain   string
			Renamed string   `json:"renamed"`
			Dropped chan int `json:"-"`
			//lint:ignore SA5008 encoding/json takes it for a field named "-"
			Dash    string `json:"-,"`
			Empty   string `json:",omitempty"`
			Zero    int    `json:"zero,omitzero"`
			Pointer *int   `json:"pointer"`
			//lint:ignore U1000 that it is no argument is the point
			private string
		}
		words struct {
			Größe  string `jsonschema:"die Größe, in cm"`
			Name   string `json:"名前"`
			Spaced string `json:"a b/c.d,omitempty" jsonschema:"<b>bold</b> & \"quoted\""`
		}
		embedding struct {
			Common
			*Paging
			unseen
			Own string `json:"own"`
		}
		tagged struct {
			Common  `json:"common"`
			*Paging `json:"paging"`
		}
		shadowing struct {
			Common
			Note bool `json:"note"`
		}
		defaults struct {
			Lang    string        `json:"lang,omitempty"`
			Lines   *int          `json:"lines"`
			Timeout time.Duration `json:"timeout,omitempty"`
			Focus   []string      `json:"focus,omitzero"`
			At      *point        `json:"at"`
		}
	)
	def := func(name, text string) Spec {
		return Spec{Name: name, Schema: &jsonschema.Schema{Default: json.RawMessage(text)}}
	}
	for _, c := range []typeCase{
		structOf("no fields", "", []call[struct{}]{{args: "{}"}, {args: `{"x":"y"}`}}),
		structOf("tags",
			`[{"name":"Plain","required":true},{"name":"renamed","required":true},{"name":"-","required":true},`+
				`{"name":"Empty"},{"name":"zero","description":"an integer"},{"name":"pointer","description":"an integer"}]`,
			[]call[tags]{
				{args: `{"Plain":"a","renamed":"b","-":"c"}`, want: tags{Plain: "a", Renamed: "b", Dash: "c"}},
				{args: `{"Plain":"p","renamed":"r","-":"d","Empty":"e","zero":"0","pointer":"0"}`, want: tags{Plain: "p", Renamed: "r", Dash: "d", Empty: "e", Pointer: ptr(0)}},
				{args: `{"Plain":"p","renamed":"r","-":"d","zero":"","pointer":""}`, want: tags{Plain: "p", Renamed: "r", Dash: "d"}},
				{args: `{}`, message: "Plain is required; renamed is required; - is required"},
				{args: `{"plain":"a","Renamed":"b","-":"c"}`, message: "Plain is required; renamed is required"},
				{args: `{"Plain":"p","renamed":"r","-":"d","Dropped":"x","private":"x"}`, want: tags{Plain: "p", Renamed: "r", Dash: "d"}}, // unknown, and so passed over
			}),
		structOf("unicode",
			`[{"name":"Größe","description":"die Größe, in cm","required":true},{"name":"名前","required":true},`+
				`{"name":"a b/c.d","description":"<b>bold</b> & \"quoted\""}]`,
			[]call[words]{
				{args: `{"Größe":"\u00e9","名前":"😀","a b/c.d":"\ud83d\ude00\u0000"}`, want: words{"é", "😀", "😀\x00"}},
				{args: `{"Gr\u00f6\u00dfe":"x","\u540d\u524d":"y"}`, want: words{"x", "y", ""}},
				{args: `{"größe":"1","名前":"x"}`, message: "Größe is required"},
			}),
		structOf("embedded",
			`[{"name":"id","description":"an integer","required":true},{"name":"note"},{"name":"page","description":"an integer"},`+
				`{"name":"size","description":"an integer"},{"name":"shown","required":true},{"name":"own","required":true}]`,
			[]call[embedding]{
				{args: `{"id":"1","shown":"s","own":"o"}`, want: embedding{Common: Common{ID: 1}, unseen: unseen{Shown: "s"}, Own: "o"}},
				{args: `{"id":"1","shown":"s","own":"o","note":"n","size":"5"}`, want: embedding{Common{1, "n"}, &Paging{Size: 5}, unseen{Shown: "s"}, "o"}},
				{args: `{"id":"1","shown":"s","own":"o","page":""}`, want: embedding{Common: Common{ID: 1}, unseen: unseen{Shown: "s"}, Own: "o"}},
				{args: `{}`, message: "id is required; shown is required; own is required"},
			}),
		structOf("embedded with a name",
			`[{"name":"common","description":"a JSON object with id (an integer), note (a string, optional)","required":true},{"name":"paging","description":"a JSON object with page (an integer), size (an integer, optional)"}]`,
			[]call[tagged]{
				{args: `{"common":"{\"id\":1}"}`, want: tagged{Common: Common{ID: 1}}},
				{args: `{"common":"{\"id\":1}","paging":"{\"page\":2}"}`, want: tagged{Common{ID: 1}, &Paging{Page: 2}}},
			}),
		structOf("shadowing",
			`[{"name":"id","description":"an integer","required":true},{"name":"note","description":"true or false","required":true}]`,
			[]call[shadowing]{{args: `{"id":"1","note":"true"}`, want: shadowing{Common{ID: 1}, true}}}),
		structOf("defaults",
			`[{"name":"lang","description":"default go"},{"name":"lines","description":"an integer; default 10"},`+
				`{"name":"timeout","description":"a duration such as 1h30m; default 30s"},`+
				`{"name":"focus","description":"comma-separated; default [\"a\",\"b,c\"]"},`+
				`{"name":"at","description":"a JSON object with x (an integer), y (an integer), note (a string, optional), tags (a JSON array or null, each a string, optional); default {\"x\":1,\"y\":2}"}]`,
			[]call[defaults]{
				{args: `{}`, want: defaults{"go", ptr(10), 30 * time.Second, []string{"a", "b,c"}, &point{X: 1, Y: 2}}},
				{args: `{"lang":"","lines":"","timeout":"","focus":"","at":""}`, want: defaults{"", ptr(10), 30 * time.Second, []string{"a", "b,c"}, &point{X: 1, Y: 2}}},
				{args: `{"lang":"c","lines":"0","timeout":"0","focus":"[]","at":"{\"x\":0,\"y\":0}"}`, want: defaults{"c", ptr(0), 0, []string{}, &point{}}},
				{args: `{"lines":"x"}`, message: `lines must be an integer, got "x"`}, // a default is not for what is wrong
			},
			def("lang", `"go"`), def("lines", `10`), def("timeout", `"30s"`), def("focus", `["a","b,c"]`), def("at", `{"x":1,"y":2}`)),
	} {
		t.Run(c.name, func(t *testing.T) { t.Parallel(); c.run(t) })
	}
}
