package argument

import (
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/schema"
)

// subject is a Go type with what a value of it is to a JSON schema. The
// oracles here are slow and simple: the standard library's parsers for the
// conversion, and jsonschema-go for the schema.
type subject struct {
	name string
	typ  string // the type of the schemas to make; empty for an any, which has them all
	read func(text string, s *jsonschema.Schema) (instance any, problems []Problem, err error)
	// accepts is whether the text is a value of the type at all. It may be
	// nil, for types whose own parser says so.
	accepts func(text string) bool
}

func subjectOf[T any](name, typ string, accepts func(string) bool, instance func(got T, text string) any) subject {
	return subject{name: name, typ: typ, accepts: accepts, read: func(text string, s *jsonschema.Schema) (any, []Problem, error) {
		var got one[T]
		p, errs := Compile(reflect.TypeFor[one[T]](), []Spec{{Name: "a", Schema: s}})
		if len(errs) > 0 {
			return nil, nil, errors.Join(errs...)
		}
		if problems := fill(p, &got, Text{Value: text, Given: true}); len(problems) > 0 {
			return nil, problems, nil
		}
		return instance(got.A, text), nil, nil
	}}
}

func asText[T any](_ T, text string) any { return text }

func asValue[T any](got T, _ string) any { return got }

func asList[T any](got []T, _ string) any {
	list := make([]any, len(got))
	for i, e := range got {
		list[i] = e
	}
	return list
}

func asJSON[T any](_ T, text string) any {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return nil
	}
	return v
}

var (
	integerText = regexp.MustCompile(`^[+-]?[0-9]+$`)
	numberText  = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)
)

func integerBetween(low, high string) func(string) bool {
	return func(text string) bool {
		n, text := mustBig("0"), strings.TrimSpace(text)
		if !integerText.MatchString(text) {
			return false
		}
		_, ok := n.SetString(strings.TrimPrefix(text, "+"), 10)
		return ok && n.Cmp(mustBig(low)) >= 0 && n.Cmp(mustBig(high)) <= 0
	}
}

func floatOf(bits int) func(string) bool {
	return func(text string) bool {
		text = strings.TrimSpace(text)
		f, err := strconv.ParseFloat(text, bits)
		return numberText.MatchString(text) && err == nil && !math.IsInf(f, 0)
	}
}

func listOf(element func(text string) bool, elementJSON func(any) bool) func(string) bool {
	return func(text string) bool {
		trimmed := strings.TrimSpace(text)
		if strings.HasPrefix(trimmed, "[") {
			decoder := json.NewDecoder(strings.NewReader(text))
			decoder.UseNumber()
			var list []any
			if !json.Valid([]byte(text)) || decoder.Decode(&list) != nil {
				return false
			}
			for _, e := range list {
				if !elementJSON(e) {
					return false
				}
			}
			return true
		}
		if strings.Trim(trimmed, ", ") == "" {
			return false // the list is required
		}
		for e := range strings.SplitSeq(text, ",") {
			if e = strings.TrimSpace(e); e == "" || !element(e) {
				return false
			}
		}
		return true
	}
}

func anyText(string) bool { return true }

var isInt64 = integerBetween("-9223372036854775808", "9223372036854775807")

var subjects = []subject{
	subjectOf("string", "string", anyText, asText[string]),
	subjectOf("duration", "string", func(text string) bool { _, err := time.ParseDuration(text); return err == nil }, asText[time.Duration]),
	subjectOf("weekday", "string", func(text string) bool { return new(weekday).UnmarshalText([]byte(text)) == nil }, asText[weekday]),
	subjectOf("bool", "boolean", func(text string) bool { text = strings.TrimSpace(text); return text == "true" || text == "false" }, asValue[bool]),
	subjectOf("int8", "integer", integerBetween("-128", "127"), asValue[int8]),
	subjectOf("int64", "integer", isInt64, asValue[int64]),
	subjectOf("uint64", "integer", func(text string) bool {
		return !strings.HasPrefix(strings.TrimSpace(text), "-") && integerBetween("0", "18446744073709551615")(text) // not even -0
	}, asValue[uint64]),
	subjectOf("float32", "number", floatOf(32), func(_ float32, text string) any {
		f, _ := strconv.ParseFloat(strings.TrimSpace(text), 64) // the text is judged
		return f
	}),
	subjectOf("float64", "number", floatOf(64), asValue[float64]),
	subjectOf("strings", "array:string", listOf(anyText, func(v any) bool { _, ok := v.(string); return ok }), asList[string]),
	subjectOf("int64s", "array:integer", listOf(isInt64, func(v any) bool { n, ok := v.(json.Number); return ok && isInt64(plainInteger(string(n))) }), asList[int64]),
	subjectOf("float64s", "array:number", listOf(floatOf(64), func(v any) bool { n, ok := v.(json.Number); return ok && floatOf(64)(string(n)) }), asList[float64]),
	subjectOf("map", "object", nil, asJSON[map[string]any]),
	subjectOf("struct", "object", nil, asJSON[inner]),
	subjectOf("any", "", nil, asValue[any]),
}

// schemaMaker makes schemas that a value has a fair chance with.
type schemaMaker struct {
	*rand.Rand
	text string // from which some of the bounds come
}

func (m schemaMaker) often() bool { return m.IntN(3) == 0 }

func (m schemaMaker) number() float64 {
	few := []float64{0, 1, -1, 2, 10, 0.1, 0.3, 127, 1 << 53, 1<<53 - 1, 1<<53 + 2, 1 << 63, -(1 << 63), 1 << 64, 1e300, 5e-324}
	if f, err := strconv.ParseFloat(m.text, 64); err == nil && !math.IsInf(f, 0) && !math.IsNaN(f) && m.IntN(2) == 0 {
		return []float64{f, math.Nextafter(f, math.Inf(1)), math.Nextafter(f, math.Inf(-1)), f - 1}[m.IntN(4)]
	}
	return few[m.IntN(len(few))]
}

func (m schemaMaker) count() *int { return ptr(m.IntN(5)) }

func (m schemaMaker) schema(typ string) *jsonschema.Schema {
	typ, elements, _ := strings.Cut(typ, ":")
	s := &jsonschema.Schema{}
	if typ == "" {
		typ = []string{"string", "boolean", "integer", "number", "array", "object"}[m.IntN(6)]
		s.Type = typ
		if elements = "string"; m.often() {
			elements = "integer"
		}
	}
	if typ == "array" && elements != "" && (m.often() || s.Type != "") {
		s.Items = m.schema(elements)
		if s.Type != "" {
			s.Items.Type = elements
		}
	}
	finite := func(f float64) *float64 {
		if math.IsInf(f, 0) {
			f = 0
		}
		return &f
	}
	switch typ {
	case "string":
		if m.often() {
			s.MinLength = m.count()
		}
		if m.often() {
			s.MaxLength = m.count()
		}
		if m.often() {
			s.Pattern = []string{"^a", "[0-9]+", ".", "^$", "é", "(?i)TRUE", "^.{1,2}$"}[m.IntN(7)]
		}
		if m.often() {
			s.Enum = []any{strings.ToValidUTF8(m.text, "")}
			if s.Pattern == "" && s.MinLength == nil && s.MaxLength == nil {
				s.Enum = append(s.Enum, "a", "true")
			}
		}
	case "integer", "number":
		if m.often() {
			s.Minimum = finite(m.number())
		}
		if m.often() {
			s.Maximum = finite(m.number())
		}
		if m.often() {
			s.ExclusiveMinimum = finite(m.number())
		}
		if m.often() {
			s.ExclusiveMaximum = finite(m.number())
		}
		if m.often() {
			s.MultipleOf = []*float64{ptr(1.0), ptr(2.0), ptr(0.1), ptr(0.01), ptr(3.0), ptr(float64(1 << 53)), ptr(1e-300)}[m.IntN(7)]
		}
		if reflect.ValueOf(*s).IsZero() && m.often() {
			s.Enum = []any{math.Trunc(*finite(m.number())), 1, 0}
		}
		inOrder(s.Minimum, s.Maximum)
		inOrder(s.Minimum, s.ExclusiveMaximum)
		inOrder(s.ExclusiveMinimum, s.ExclusiveMaximum)
		if typ == "number" && m.IntN(6) == 0 {
			s.Type = "integer"
		}
	case "boolean":
		if m.often() {
			s.Enum = []any{m.IntN(2) == 0}
		}
	case "array":
		if m.often() {
			s.MinItems = m.count()
		}
		if m.often() {
			s.MaxItems = m.count()
		}
		s.UniqueItems = m.often()
		if m.IntN(6) == 0 {
			s.Contains = m.schema("string")
		}
		if m.IntN(6) == 0 {
			s.Enum = []any{[]any{}, []any{"a", "b"}, []any{1, 2}}
		}
	case "object":
		if m.often() {
			s.MinProperties = m.count()
		}
		if m.often() {
			s.Required = []string{"name"}
		}
		if m.often() {
			s.Properties = map[string]*jsonschema.Schema{"name": m.schema("string")}
		}
	}
	inOrder(s.MinLength, s.MaxLength)
	inOrder(s.MinItems, s.MaxItems)
	switch m.IntN(8) {
	case 0:
		s.Not = m.schema(typ)
	case 1:
		s.AnyOf = []*jsonschema.Schema{m.schema(typ), m.schema(typ)}
	case 2:
		s.If, s.Then = m.schema(typ), m.schema(typ)
	case 3:
		s.Title, s.Description, s.Comment = "t", "d", "c"
	}
	if s.Items != nil && m.IntN(6) == 0 {
		s.UnevaluatedItems = schema.False() // Items leaves none
	}
	return s
}

// inOrder exchanges bounds between which there would be nothing.
func inOrder[N cmp.Ordered](low, high *N) {
	if low != nil && high != nil && *low > *high {
		*low, *high = *high, *low
	}
}

// bare returns the schema with nothing but what decides how a text is read.
func bare(s *jsonschema.Schema) *jsonschema.Schema {
	if s == nil {
		return nil
	}
	return &jsonschema.Schema{Type: s.Type, Items: bare(s.Items)}
}

// judgeBoth reads the text with and without a schema, and holds the answer to
// the oracles: a text is accepted iff it is of the type and jsonschema-go
// accepts what it stands for. It reports whether it could say that.
func judgeBoth(t *testing.T, sub subject, seed uint64, text string) bool {
	t.Helper()
	m := schemaMaker{rand.New(rand.NewPCG(seed, 1)), text}
	s := m.schema(sub.typ)
	plain := (*jsonschema.Schema)(nil)
	if sub.typ == "" {
		plain = bare(s)
	}
	instance, without, err := sub.read(text, plain)
	require.NoError(t, err)
	if sub.accepts != nil {
		require.Equal(t, sub.accepts(text), len(without) == 0, "%s: %q: %v", sub.name, text, without)
	}
	checkProblems(t, without)

	_, with, err := sub.read(text, s)
	if err != nil {
		return false // an enum of another type, most often
	}
	checkProblems(t, with)
	if len(without) > 0 {
		require.NotEmpty(t, with, "%s: %q", sub.name, text)
		return true
	}
	if isRounded(instance) || isLarge(instance) && isNested(s) {
		return true // which the oracle knows only as a float64
	}
	judged := DecimalOracle(s, instance)
	if (judged == nil) != (len(with) == 0) {
		t.Fatalf("%s: %q (%#v) under %s:\nthe oracle says %v\nwe say %v", sub.name, text, instance, jsonenc.Text(s), judged, with)
	}
	return true
}

// isRounded reports whether the instance contains a float64 of which there are several
// integers.
func isRounded(instance any) bool {
	switch v := instance.(type) {
	case float64:
		return math.Abs(v) >= 1<<53
	case float32:
		return math.Abs(float64(v)) >= 1<<24
	case []any:
		return slices.ContainsFunc(v, isRounded)
	}
	return false
}

// isLarge reports whether the instance contains an integer that a float64 may not have.
func isLarge(instance any) bool {
	v := reflect.ValueOf(instance)
	switch {
	case !v.IsValid():
		return false
	case v.CanInt():
		return v.Int() > 1<<53 || v.Int() < -1<<53
	case v.CanUint():
		return v.Uint() > 1<<53
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			if isLarge(v.Index(i).Interface()) {
				return true
			}
		}
	}
	return false
}

// isNested reports whether the oracle leaves a part of the schema to jsonschema-go alone.
func isNested(s *jsonschema.Schema) bool {
	return s.Not != nil || s.AnyOf != nil || s.If != nil || s.Items != nil || s.Contains != nil || s.Properties != nil
}

// checkProblems holds problems to what can be said of any.
func checkProblems(t *testing.T, problems []Problem) {
	t.Helper()
	require.LessOrEqual(t, len(problems), MaxProblems)
	for _, p := range problems {
		require.Equal(t, "a", p.Argument)
		require.NotEmpty(t, p.Reason)
		require.NotEmpty(t, p.Message)
		require.True(t, utf8.ValidString(p.Message))
		require.NotContains(t, p.Message, "jsonschema")
		require.NotContains(t, p.Message, "validating")
		_, err := jsonenc.Append(nil, p)
		require.NoError(t, err)
	}
}

var sampleTexts = []string{
	" ", ",", " 5", "true ", "a", "ab", "é", "abc,de", "a,b", "true", "false", "0", "-0", "1", "-1", "2", "+3", "007", "10", "127", "128", "-128", "-129", "1.0", "1.5", ".5", "5.", "0.3", "1e2", "1e400", "-1e-400",
	"9007199254740991", "9007199254740992", "9007199254740993", "9007199254740994", "-9007199254740993",
	"9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616",
	"0x10", "0x1p4", "1_0", "inf", "NaN", "1h", "mon", "1,2", "1,1", "1,", "[", "[]", "[1]", "[1,2]", "[1,1.0]", `["a","b"]`, `["a","a"]`, `[1,"a"]`, `[[]]`, "[null]",
	"{}", `{"name":"a"}`, `{"name":"a","size":1}`, `{"name":"a","size":1.0}`, `{"name":"a","size":1e999}`, `{"name":1}`, `{"Name":"a"}`, `{"a":1,"a":2}`, `{"a":{"b":[1,{}]}}`, "null", "5", `"x"`,
}

// The direct checks of the common keywords, and whatever is left to
// jsonschema-go, accept what jsonschema-go alone accepts.
func TestRulesAgreeWithOracle(t *testing.T) {
	t.Parallel()
	for _, sub := range subjects {
		t.Run(sub.name, func(t *testing.T) {
			t.Parallel()
			const seeds = 12 // FuzzArguments has more
			judged, texts := 0, sampleTexts
			if testing.Short() {
				texts = texts[:len(texts)/3]
			}
			for _, text := range texts {
				for seed := range seeds {
					if judgeBoth(t, sub, uint64(seed), text) {
						judged++
					}
				}
			}
			assert.Greater(t, judged, len(texts)*seeds*6/10, "most schemas should be fit to be judged")
		})
	}
}

func FuzzArguments(f *testing.F) {
	for i, text := range sampleTexts {
		f.Add(uint8(i), uint64(i), text)
	}
	f.Fuzz(func(t *testing.T, which uint8, seed uint64, text string) {
		if !utf8.ValidString(text) || len(text) > 10_000 || text == "" {
			t.Skip() // no such text comes through the parser, and an empty one is none
		}
		judgeBoth(t, subjects[int(which)%len(subjects)], seed, text)
	})
}

// Comparisons with bounds are exact, where a float64 would round.
func TestNumberCompare(t *testing.T) {
	t.Parallel()
	numbers := []string{"0", "-1", "9007199254740991", "9007199254740992", "9007199254740993", "-9007199254740993", "9223372036854775807", "-9223372036854775808", "18446744073709551615"}
	bounds := []float64{0, -1, 0.5, 1<<53 - 1, 1 << 53, 1<<53 + 2, -(1 << 53), 1<<63 - 1024, 1 << 63, -(1 << 63), 1 << 64, 1e300, -1e300}
	for _, text := range numbers {
		for _, b := range bounds {
			want := new(big.Rat).SetInt(mustBig(text)).Cmp(new(big.Rat).SetFloat64(b))
			if i, err := strconv.ParseInt(text, 10, 64); err == nil {
				assert.Equal(t, want, number{kind: schema.Int, int: i, float: float64(i)}.cmp(b), "%s %v", text, b)
			}
			if u, err := strconv.ParseUint(text, 10, 64); err == nil {
				assert.Equal(t, want, number{kind: schema.Uint, uint: u, float: float64(u)}.cmp(b), "%s %v", text, b)
			}
		}
	}
	assert.Equal(t, 0, number{kind: schema.Float, float: 0.1}.cmp(0.1))
	assert.Equal(t, -1, number{kind: schema.Float, float: 0.1}.cmp(math.Nextafter(0.1, 1)))
	assert.Equal(t, 1, number{kind: schema.Float, float: 1e300}.cmp(1e299))
}
