package prompts_test

import (
	"bytes"
	"context"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"math/big"
	"math/rand/v2"
	"net/netip"
	"net/url"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// seeded returns the random numbers of one case.
func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 2026)) }

// printable says how values of a type T are made and printed.
type printable[T any] struct {
	value func(*rand.Rand) T
	text  func(T) string // the canonical text
	// quoted says that the value is a string in JSON; else its text is JSON.
	quoted bool
	equal  func(a, b T) bool // nil for reflect.DeepEqual
	// alone says that a slice of it is no list: it is base64.
	alone bool
}

func (p printable[T]) json(v T) string {
	if p.quoted {
		return jsonOf(p.text(v))
	}
	return p.text(v)
}

func (p printable[T]) same(a, b T) bool {
	if p.equal == nil {
		return reflect.DeepEqual(a, b)
	}
	return p.equal(a, b)
}

// printed makes a case of a type T: what is printed comes out equal, as an
// argument, behind a pointer, as a default, and in lists of both forms.
func printed[T any](name string, p printable[T]) typeCase {
	return typeCase{name, func(t *testing.T) {
		const values, defaults = 100, 10
		var one struct {
			V T   `json:"v"`
			P **T `json:"p"`
			L []T `json:"l"`
		}
		s := serverOf(t, keeping(&one))
		for seed := range uint64(values) {
			r := seeded(seed)
			list := make([]T, r.IntN(4))
			elements, splits := make([]string, len(list)), len(list) > 0
			for i := range list {
				list[i] = p.value(r)
				elements[i] = p.text(list[i])
				// What a list separated by commas cannot say, JSON can.
				splits = splits && p.quoted && elements[i] != "" && elements[i] == strings.TrimSpace(elements[i]) &&
					!strings.Contains(elements[i], ",") && !strings.HasPrefix(elements[i], "[")
			}
			array := make([]string, len(list))
			for i, v := range list {
				array[i] = p.json(v)
			}
			v := p.value(r)
			args := map[string]string{"v": p.text(v), "p": p.text(v), "l": "[" + strings.Join(array, ", ") + "]"}
			if p.alone {
				list, splits, args["l"] = nil, false, ""
			}
			get := func() {
				_, e := getPrompt(t, s, jsonOf(args))
				require.Nil(t, e, "seed %d: %q: %v", seed, args, e)
				require.True(t, p.same(v, one.V), "seed %d: %q became %#v", seed, args["v"], one.V)
				if args["p"] != "" || one.P != nil {
					require.True(t, p.same(v, **one.P), "seed %d: %q became %#v", seed, args["p"], one.P)
				}
				require.Len(t, one.L, len(list), "seed %d: %q", seed, args["l"])
				for i := range list {
					require.True(t, p.same(list[i], one.L[i]), "seed %d: %q became %#v", seed, args["l"], one.L)
				}
			}
			get()
			if splits {
				args["l"] = strings.Join(elements, " , ")
				get()
			}
			if seed >= defaults {
				continue
			}
			var optional struct {
				V *T `json:"v"`
			}
			_, e := getPrompt(t, serverOf(t, keeping(&optional, prompts.Argument{
				Name: "v", Schema: &jsonschema.Schema{Default: json.RawMessage(p.json(v))},
			})), `{}`)
			require.Nil(t, e, "seed %d: %v", seed, e)
			require.True(t, p.same(v, *optional.V), "seed %d: the default %s became %#v", seed, p.json(v), optional.V)
		}
	}}
}

func integersOf[T int | int8 | int16 | int32 | int64 | counter]() printable[T] {
	return printable[T]{
		value: func(r *rand.Rand) T { return T(r.Uint64() >> r.IntN(64)) },
		text:  func(v T) string { return strconv.FormatInt(int64(v), 10) },
	}
}

func unsignedOf[T uint | uint8 | uint16 | uint32 | uint64]() printable[T] {
	return printable[T]{
		value: func(r *rand.Rand) T { return T(r.Uint64() >> r.IntN(64)) },
		text:  func(v T) string { return strconv.FormatUint(uint64(v), 10) },
	}
}

func marshaledText[T encoding.TextMarshaler](value func(*rand.Rand) T) printable[T] {
	return printable[T]{value: value, quoted: true, text: func(v T) string {
		b, err := v.MarshalText()
		if err != nil {
			panic(err)
		}
		return string(b)
	}}
}

func marshaledJSON[T any](value func(*rand.Rand) T) printable[T] {
	return printable[T]{value: value, text: func(v T) string { return jsonOf(v) }}
}

func anyFloat(r *rand.Rand) float64 {
	for {
		if f := math.Float64frombits(r.Uint64()); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return f
		}
	}
}

var (
	marks   = []rune("ab ,[]\"\\\n\x00\u2028é<>&")
	letters = []rune("aabbAé1🙂 ,")
)

// anyText returns a text with a little of everything in it.
func anyText(r *rand.Rand) string {
	runes := make([]rune, r.IntN(8))
	for i := range runes {
		switch r.IntN(5) {
		case 0:
			runes[i] = rune(r.IntN(0xd800)) // below the surrogates
		case 1:
			runes[i] = 0x10000 + rune(r.IntN(0x100000))
		default:
			runes[i] = marks[r.IntN(len(marks))]
		}
	}
	return string(runes)
}

func anyTime(r *rand.Rand) time.Time {
	zone := time.UTC
	if r.IntN(2) == 0 {
		zone = time.FixedZone("", (r.IntN(24*60)-12*60)*60)
	}
	return time.Date(r.IntN(9998)+1, time.Month(r.IntN(12)+1), r.IntN(28)+1, r.IntN(24), r.IntN(60), r.IntN(60), r.IntN(1e9), zone)
}

func anyAddr(r *rand.Rand) netip.Addr {
	var b [16]byte
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	switch r.IntN(3) {
	case 0:
		return netip.AddrFrom4([4]byte(b[:4]))
	case 1:
		return netip.AddrFrom16(b).WithZone("eth0")
	}
	return netip.AddrFrom16(b)
}

func anyBytes(r *rand.Rand) []byte {
	b := make([]byte, r.IntN(10))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func anyURL(r *rand.Rand) url.URL {
	return mustURL((&url.URL{
		Scheme: []string{"https", "ftp"}[r.IntN(2)], Host: "example.com:8080", Path: "/" + anyText(r),
		RawQuery: url.Values{"q": {anyText(r)}}.Encode(), Fragment: anyText(r),
	}).String())
}

func anyInt(r *rand.Rand) *big.Int {
	return new(big.Int).Sub(new(big.Int).SetBytes(anyBytes(r)), big.NewInt(r.Int64()))
}

// anyJSON returns a value as encoding/json decodes it.
func anyJSON(r *rand.Rand, depth int) any {
	n := 6
	if depth == 0 {
		n = 4
	}
	switch r.IntN(n) {
	case 0:
		return nil
	case 1:
		return r.IntN(2) == 0
	case 2:
		return anyFloat(r)
	case 3:
		return anyText(r)
	case 4:
		list := make([]any, r.IntN(3))
		for i := range list {
			list[i] = anyJSON(r, depth-1)
		}
		return list
	}
	return anyObject(r, depth-1)
}

func anyObject(r *rand.Rand, depth int) map[string]any {
	object := map[string]any{}
	for range r.IntN(3) {
		object[anyText(r)] = anyJSON(r, depth)
	}
	return object
}

// What is printed in a type's canonical text, and sent, comes out equal.
func TestTypesReadWhatIsPrinted(t *testing.T) {
	t.Parallel()
	for _, c := range []typeCase{
		printed("string", printable[string]{value: anyText, text: func(v string) string { return v }, quoted: true}),
		printed("named string", printable[color]{
			value: func(r *rand.Rand) color { return color(anyText(r)) }, text: func(v color) string { return string(v) }, quoted: true,
		}),
		printed("bool", printable[bool]{value: func(r *rand.Rand) bool { return r.IntN(2) == 0 }, text: strconv.FormatBool}),
		printed("int", integersOf[int]()),
		printed("int8", integersOf[int8]()),
		printed("int16", integersOf[int16]()),
		printed("int32", integersOf[int32]()),
		printed("int64", integersOf[int64]()),
		printed("named integer", integersOf[counter]()),
		printed("uint", unsignedOf[uint]()),
		printed("uint8", printable[uint8]{
			value: unsignedOf[uint8]().value, text: unsignedOf[uint8]().text, alone: true,
		}),
		printed("uint16", unsignedOf[uint16]()),
		printed("uint32", unsignedOf[uint32]()),
		printed("uint64", unsignedOf[uint64]()),
		printed("float64", printable[float64]{value: anyFloat, text: func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }}),
		printed("float32", printable[float32]{
			value: func(r *rand.Rand) float32 { return float32(r.NormFloat64() * math.Pow10(r.IntN(70)-35)) },
			text:  func(v float32) string { return strconv.FormatFloat(float64(v), 'g', -1, 32) },
		}),
		printed("time.Duration", printable[time.Duration]{
			value: func(r *rand.Rand) time.Duration { return time.Duration(r.Uint64() >> r.IntN(64)) }, text: time.Duration.String, quoted: true,
		}),
		printed("time.Time", func() printable[time.Time] {
			p := marshaledText(anyTime)
			p.equal = func(a, b time.Time) bool { return a.Equal(b) && p.text(a) == p.text(b) }
			return p
		}()),
		printed("netip.Addr", marshaledText(anyAddr)),
		printed("netip.Prefix", marshaledText(func(r *rand.Rand) netip.Prefix {
			a := anyAddr(r).WithZone("")
			return netip.PrefixFrom(a, r.IntN(a.BitLen()+1))
		})),
		printed("netip.AddrPort", marshaledText(func(r *rand.Rand) netip.AddrPort { return netip.AddrPortFrom(anyAddr(r), uint16(r.Uint32())) })),
		printed("url.URL", printable[url.URL]{value: anyURL, text: func(v url.URL) string { return v.String() }, quoted: true}),
		printed("[]byte", printable[[]byte]{value: anyBytes, text: base64.StdEncoding.EncodeToString, quoted: true}),
		printed("UnmarshalText", marshaledText(func(r *rand.Rand) compass { return compass(r.IntN(4)) })),
		printed("slog.Level", marshaledText(func(r *rand.Rand) slog.Level { return slog.Level(r.IntN(40) - 20) })),
		printed("big.Int", func() printable[*big.Int] {
			p := marshaledText(anyInt)
			p.equal = func(a, b *big.Int) bool { return a.Cmp(b) == 0 }
			return p
		}()),
		printed("big.Float", func() printable[*big.Float] {
			p := marshaledText(func(r *rand.Rand) *big.Float {
				f := new(big.Float).SetPrec(64).SetInt(anyInt(r)) // what UnmarshalText gives to the zero value
				return f.SetMantExp(f, r.IntN(200)-100)
			})
			p.equal = func(a, b *big.Float) bool { return a.Cmp(b) == 0 }
			return p
		}()),
		printed("regexp.Regexp", func() printable[*regexp.Regexp] {
			p := marshaledText(func(r *rand.Rand) *regexp.Regexp { return regexp.MustCompile("^" + regexp.QuoteMeta(anyText(r)) + "$") })
			p.equal = func(a, b *regexp.Regexp) bool { return a.String() == b.String() }
			return p
		}()),
		printed("json.RawMessage", printable[json.RawMessage]{
			value: func(r *rand.Rand) json.RawMessage { return json.RawMessage(jsonOf(anyJSON(r, 3))) },
			text:  func(v json.RawMessage) string { return string(v) },
		}),
		printed("map of any", marshaledJSON(func(r *rand.Rand) map[string]any { return anyObject(r, 3) })),
		printed("map of integers", marshaledJSON(func(r *rand.Rand) map[string]int {
			return map[string]int{anyText(r): int(r.Uint64()), anyText(r): r.IntN(9)}
		})),
		printed("map of times", marshaledJSON(func(r *rand.Rand) map[color]time.Time {
			return map[color]time.Time{color(anyText(r)): anyTime(r).UTC()}
		})),
		printed("struct", marshaledJSON(func(r *rand.Rand) point {
			p := point{X: int(r.Int32()), Y: -int(r.Int32()), Note: anyText(r)}
			for range r.IntN(3) {
				p.Tags = append(p.Tags, anyText(r))
			}
			return p
		})),
		printed("list of lists", marshaledJSON(func(r *rand.Rand) [][]string {
			lists := make([][]string, r.IntN(3))
			for i := range lists {
				lists[i] = make([]string, r.IntN(3))
				for j := range lists[i] {
					lists[i][j] = anyText(r)
				}
			}
			return lists
		})),
		printed("array", marshaledJSON(func(r *rand.Rand) [3]float64 { return [3]float64{anyFloat(r), anyFloat(r), anyFloat(r)} })),
		printed("list of structs", marshaledJSON(func(r *rand.Rand) []point { return []point{{X: r.IntN(9)}, {Y: r.IntN(9), Note: anyText(r)}} })),
	} {
		t.Run(c.name, func(t *testing.T) { t.Parallel(); c.run(t) })
	}
}

// sensible makes schemas that some value satisfies, and values that have a
// fair chance with them.
type sensible struct{ *rand.Rand }

func (m sensible) oneIn(n int) bool { return m.IntN(n) == 0 }

var patterns = []string{"^a", "b$", "^[ab]*$", "é|1", ".{2}", "^$|^.$", `\d`, "(?i)A"}

// schema returns a schema of the type; elements of arrays have one, too.
func (m sensible) schema(typ string, depth int) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: typ}
	switch typ {
	case "string":
		if m.oneIn(3) {
			s.MinLength = pointerTo(m.IntN(3))
		}
		if m.oneIn(3) {
			s.MaxLength = pointerTo(2 + m.IntN(3))
		}
		if m.oneIn(3) {
			s.Pattern = patterns[m.IntN(len(patterns))]
		}
	case "integer", "number":
		low := []float64{-10, 0, 0.5, 3, -(1 << 53), 1 << 53, -(1 << 63), 0.1}[m.IntN(8)]
		high := max(low+[]float64{1, 2.5, 10, 1 << 12, 1 << 54}[m.IntN(5)], math.Nextafter(low, math.Inf(1)))
		if m.oneIn(3) {
			s.Minimum = &low
		}
		if m.oneIn(3) {
			s.Maximum = &high
		}
		if m.oneIn(4) {
			s.ExclusiveMinimum = &low
		}
		if m.oneIn(4) {
			s.ExclusiveMaximum = &high
		}
		if m.oneIn(4) {
			s.MultipleOf = pointerTo([]float64{1, 2, 3, 0.5, 0.25, 10}[m.IntN(6)])
		}
	case "array":
		types := []string{"string", "integer", "number", "boolean", "array"}
		if depth == 0 {
			types = types[:4]
		}
		s.Items = m.schema(types[m.IntN(len(types))], depth-1)
		if m.oneIn(3) {
			s.MinItems = pointerTo(m.IntN(2))
		}
		if m.oneIn(3) {
			s.MaxItems = pointerTo(2 + m.IntN(2))
		}
		s.UniqueItems = m.oneIn(4)
	}
	m.fix(s)
	return s
}

// fix adds an enum or a const of values that the rest of the schema allows.
func (m sensible) fix(s *jsonschema.Schema) {
	if !m.oneIn(4) {
		return
	}
	var allowed []any
	for range 20 {
		if v := m.instance(s); len(allowed) < 4 && isExact(v) && prompts.DecimalOracle(s, v) == nil {
			allowed = append(allowed, v)
		}
	}
	switch {
	case len(allowed) == 0:
	case m.oneIn(3):
		s.Const = &allowed[0]
	default:
		s.Enum = allowed
	}
}

// isExact reports whether a schema can hold the value: its integers are
// floats, and a declaration with another is refused.
func isExact(v any) bool {
	switch v := v.(type) {
	case int64:
		return -(1<<53) <= v && v <= 1<<53
	case []any:
		for _, e := range v {
			if !isExact(e) {
				return false
			}
		}
	}
	return true
}

// instance returns a value of the schema's type that may satisfy the rest:
// a string, an int64, a float64, a bool or a []any.
func (m sensible) instance(s *jsonschema.Schema) any {
	if s.Const != nil && m.oneIn(2) {
		return *s.Const
	}
	if s.Enum != nil && m.oneIn(2) {
		return s.Enum[m.IntN(len(s.Enum))]
	}
	switch s.Type {
	case "boolean":
		return m.oneIn(2)
	case "string":
		runes := make([]rune, m.IntN(6))
		for i := range runes {
			runes[i] = letters[m.IntN(len(letters))]
		}
		return string(runes)
	case "integer":
		f := m.near(s)
		if f < -(1<<63) || f >= 1<<63 || m.oneIn(4) {
			return []int64{math.MinInt64, math.MaxInt64, 1<<53 + 1, -(1 << 53) - 1, m.Int64()}[m.IntN(5)]
		}
		return int64(f) + int64(m.IntN(3)-1)*int64(m.IntN(2))
	case "number":
		f := m.near(s)
		return []float64{f, math.Nextafter(f, math.Inf(1)), math.Nextafter(f, math.Inf(-1)), math.Trunc(f), f + 0.5, anyFloat(m.Rand)}[m.IntN(6)]
	}
	list := make([]any, m.IntN(4))
	for i := range list {
		list[i] = m.instance(s.Items)
	}
	return list
}

// near returns a number by the bounds of the schema, or any small one.
func (m sensible) near(s *jsonschema.Schema) float64 {
	bounds := []*float64{s.Minimum, s.Maximum, s.ExclusiveMinimum, s.ExclusiveMaximum}
	if b := bounds[m.IntN(4)]; b != nil {
		return *b
	}
	return float64(m.IntN(40)-10) / 2
}

// textOf returns the text that stands for a value on the wire.
func textOf(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// declared is a server with one required argument a, which has the schema,
// and what it got last, if that can be told.
type declared struct {
	name   string
	server *prompts.Server
	got    *any
}

// everyWay declares an argument with the schema in every way that reads the
// same texts: without a struct, as an any, and as the Go type of the values.
func everyWay(t *testing.T, s *jsonschema.Schema) []declared {
	argument := prompts.Argument{Name: "a", Schema: s}
	required := argument
	required.Required = true
	var free struct {
		A any `json:"a"`
	}
	got := &free.A
	ways := []declared{
		{"no struct", serverOf(t, prompts.Prompt{Name: "p", Arguments: []prompts.Argument{required},
			Render: func(context.Context, map[string]string) (*prompts.Result, error) { return prompts.Messages(), nil }}), nil},
		{"any", serverOf(t, keeping(&free, argument)), got},
	}
	typ, depth := s, 0
	for typ.Type == "array" {
		typ, depth = typ.Items, depth+1
	}
	switch strconv.Itoa(depth) + typ.Type {
	case "0string":
		ways = append(ways, as[string](t, argument), as[color](t, argument))
	case "0integer":
		ways = append(ways, as[int64](t, argument))
	case "0number":
		ways = append(ways, as[float64](t, argument))
	case "0boolean":
		ways = append(ways, as[bool](t, argument), as[switchy](t, argument))
	case "1string":
		ways = append(ways, as[[]string](t, argument), as[[]any](t, argument))
	case "1integer":
		ways = append(ways, as[[]int64](t, argument), as[[]*int64](t, argument))
	case "1number":
		ways = append(ways, as[[]float64](t, argument))
	case "1boolean":
		ways = append(ways, as[[]bool](t, argument))
	case "2string":
		ways = append(ways, as[[][]string](t, argument))
	case "2integer":
		ways = append(ways, as[[][]int64](t, argument))
	case "2number":
		ways = append(ways, as[[][]float64](t, argument), as[[]any](t, argument))
	case "2boolean":
		ways = append(ways, as[[][]bool](t, argument))
	}
	return ways
}

func as[T any](t *testing.T, argument prompts.Argument) declared {
	var got struct {
		A T `json:"a"`
	}
	return declared{fmt.Sprintf("%T", got.A), serverOf(t, keeping(&got, argument)), nil}
}

// agrees holds the answers for the text to the oracle's on the instance that
// it stands for, and returns whether that accepts it.
func agrees(t *testing.T, seed uint64, s *jsonschema.Schema, ways []declared, text string, instance any) bool {
	t.Helper()
	judged := prompts.DecimalOracle(s, instance)
	for _, way := range ways {
		_, e := getPrompt(t, way.server, jsonOf(map[string]string{"a": text}))
		if (e == nil) != (judged == nil) {
			t.Fatalf("seed %d: %q (%#v) under %s as %s:\nthe oracle says %v\nwe say %v", seed, text, instance, jsonOf(s), way.name, judged, e)
		}
		if e == nil && way.got != nil {
			require.Equal(t, instance, *way.got, "seed %d: %q under %s", seed, text, jsonOf(s))
		}
	}
	return judged == nil
}

var schemaTypes = []string{"string", "integer", "number", "boolean", "array"}

// A value passes our checks if and only if jsonschema-go, on the same value,
// lets it pass. What differs on purpose is in
// [TestTypesDifferFromSchemas].
func TestTypesAgreeWithSchemas(t *testing.T) {
	t.Parallel()
	for _, typ := range schemaTypes {
		t.Run(typ, func(t *testing.T) {
			t.Parallel()
			const schemas, values = 250, 6
			accepted := 0
			for seed := range uint64(schemas) {
				m := sensible{seeded(seed)}
				s := m.schema(typ, 1)
				ways := everyWay(t, s)
				for range values {
					v := m.instance(s)
					if agrees(t, seed, s, ways, textOf(v), v) {
						accepted++
					}
				}
			}
			assert.Greater(t, accepted, schemas*values/10, "some values should be accepted")
			if typ != "boolean" {
				assert.Less(t, accepted, schemas*values*9/10, "some values should be refused")
			}
		})
	}
}

// instanceOf reads JSON as a value of the schema's type, and reports whether
// it is one in the form that the wire has for it.
func instanceOf(s *jsonschema.Schema, raw json.RawMessage) (any, bool) {
	switch s.Type {
	case "integer":
		n, err := strconv.ParseInt(string(raw), 10, 64)
		return n, err == nil && string(raw) != "null"
	case "array":
		var elements []json.RawMessage
		if json.Unmarshal(raw, &elements) != nil || elements == nil {
			return nil, false
		}
		list := make([]any, len(elements))
		for i, e := range elements {
			var ok bool
			if list[i], ok = instanceOf(s.Items, e); !ok {
				return nil, false
			}
		}
		return list, true
	}
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return nil, false
	}
	switch v.(type) {
	case string:
		return v, s.Type == "string"
	case bool:
		return v, s.Type == "boolean"
	case float64:
		return v, s.Type == "number"
	}
	return nil, false
}

// FuzzTypes sends any text to an argument of any schema. One that is the JSON
// of a value of the schema's type is judged as jsonschema-go judges that.
func FuzzTypes(f *testing.F) {
	for i, text := range []string{"", "a", "é", "🙂", "a,b", "0", "-1", "+1", "1.5", "1e2", "9007199254740993", "9223372036854775807", "true", "false", "null",
		"[]", "[1]", "[1, 2.5]", `["a","b"]`, `["a","\u0061"]`, "[[],[1]]", "[true]", "[null]", "[1", "{}", `{"a":1}`, `"a"`} {
		for seed := range uint64(6) {
			f.Add(uint64(i)*6+seed, text)
		}
	}
	f.Fuzz(func(t *testing.T, seed uint64, text string) {
		if !utf8.ValidString(text) || len(text) > 4096 {
			return // no such text comes through the parser
		}
		m := sensible{seeded(seed)}
		s := m.schema(schemaTypes[m.IntN(len(schemaTypes))], 1)
		ways := everyWay(t, s)
		if s.Type == "string" {
			agrees(t, seed, s, ways, text, text)
			return
		}
		instance, ok := instanceOf(s, json.RawMessage(text))
		if ok && (s.Type == "array" || text == strings.TrimSpace(text)) && !strings.Contains(strings.ToLower(text), `\ud`) {
			agrees(t, seed, s, ways, text, instance)
			return
		}
		// Whatever it is, the ways agree with each other on it.
		_, first := getPrompt(t, ways[0].server, jsonOf(map[string]string{"a": text}))
		for _, way := range ways[1:] {
			_, e := getPrompt(t, way.server, jsonOf(map[string]string{"a": text}))
			require.Equal(t, first, e, "seed %d: %q under %s as %s", seed, text, jsonOf(s), way.name)
		}
	})
}

// Where our answer is another than jsonschema-go's on the JSON that the text
// looks like, and why.
func TestTypesDifferFromSchemas(t *testing.T) {
	t.Parallel()
	type S = jsonschema.Schema
	for _, c := range []struct {
		why    string
		schema *S
		text   string
		json   any  // what jsonschema-go judges
		oracle bool // whether it accepts that
		ours   bool
	}{
		{"an integer is written as one, for it becomes a Go integer", &S{Type: "integer"}, "5.0", 5.0, true, false},
		{"an integer is written without an exponent", &S{Type: "integer"}, "1e2", 1e2, true, false},
		{"an integer fits into 64 bits", &S{Type: "integer"}, "9223372036854775808", 9223372036854775808.0, true, false},
		{"a number has a text, and no space around it", &S{Type: "number"}, " 5", 5.0, true, false},
		{"integers are compared exactly, and not as the floats that JSON makes of them", &S{Type: "integer", Maximum: pointerTo(float64(1 << 53))},
			"9007199254740993", float64(1<<53 + 1), true, false},
		{"multiples are those of decimals, as people write them", &S{Type: "number", MultipleOf: pointerTo(0.1)}, "0.3", 0.3, false, true},
		{"and exact", &S{Type: "integer", MultipleOf: pointerTo(2.0)}, "9007199254740993", float64(1<<53 + 1), true, false},
		{"numbers are for people, who may write a plus", &S{Type: "integer"}, "+5", "+5", false, true},
		{"and zeros", &S{Type: "number"}, "007", "007", false, true},
		{"every text is a string", &S{Type: "string"}, "5", 5.0, false, true},
		{"null is no text; what is absent is left out", &S{Types: []string{"integer", "null"}}, "null", nil, true, false},
		{"a list may be separated by commas", &S{Type: "array", Items: &S{Type: "integer"}}, "1,2", "1,2", false, true},
		{"elements without a type are strings", &S{Type: "array"}, "[1]", []any{1.0}, true, false},
		{"keys are not given twice", &S{Type: "object"}, `{"a":1,"a":2}`, map[string]any{"a": 2.0}, true, false},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			oracle, err := c.schema.Resolve(nil)
			require.NoError(t, err)
			assert.Equal(t, c.oracle, oracle.Validate(c.json) == nil, "the oracle")
			required := prompts.Argument{Name: "a", Schema: c.schema, Required: true}
			_, e := getPrompt(t, serverOf(t, prompts.Prompt{Name: "p", Arguments: []prompts.Argument{required},
				Render: func(context.Context, map[string]string) (*prompts.Result, error) { return prompts.Messages(), nil }}), jsonOf(map[string]string{"a": c.text}))
			assert.Equal(t, c.ours, e == nil, "%v", e)
		})
	}
}
