package argument

import (
	"encoding"
	"encoding/base64"
	"encoding/json"
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

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
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
		return jsonenc.Text(p.text(v))
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
		s := filling(t, &one)
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
			for p.text(v) == "" { // which is not given
				v = p.value(r)
			}
			args := map[string]string{"v": p.text(v), "p": p.text(v), "l": "[" + strings.Join(array, ", ") + "]"}
			if p.alone {
				list, splits, args["l"] = make([]T, 1), false, "AA=="
			}
			check := func() {
				e := get(t, s, jsonenc.Text(args))
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
			check()
			if splits && len(list) > 0 {
				args["l"] = strings.Join(elements, " , ")
				check()
			}
			if seed >= defaults {
				continue
			}
			var optional struct {
				V *T `json:"v"`
			}
			e := get(t, filling(t, &optional, Spec{
				Name: "v", Schema: &jsonschema.Schema{Default: json.RawMessage(p.json(v))},
			}), `{}`)
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
	return printable[T]{value: value, text: func(v T) string { return jsonenc.Text(v) }}
}

func anyFloat(r *rand.Rand) float64 {
	for {
		if f := math.Float64frombits(r.Uint64()); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return f
		}
	}
}

var (
	marks = []rune("ab ,[]\"\\\n\x00\u2028é<>&")
)

// randomText returns a text with a little of everything in it.
func randomText(r *rand.Rand) string {
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
		Scheme: []string{"https", "ftp"}[r.IntN(2)], Host: "example.com:8080", Path: "/" + randomText(r),
		RawQuery: url.Values{"q": {randomText(r)}}.Encode(), Fragment: randomText(r),
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
		return randomText(r)
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
		object[randomText(r)] = anyJSON(r, depth)
	}
	return object
}

// What is printed in a type's canonical text, and sent, comes out equal.
func TestTypesReadWhatIsPrinted(t *testing.T) {
	t.Parallel()
	for _, c := range []typeCase{
		printed("string", printable[string]{value: randomText, text: func(v string) string { return v }, quoted: true}),
		printed("named string", printable[color]{
			value: func(r *rand.Rand) color { return color(randomText(r)) }, text: func(v color) string { return string(v) }, quoted: true,
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
			p := marshaledText(func(r *rand.Rand) *regexp.Regexp {
				return regexp.MustCompile("^" + regexp.QuoteMeta(randomText(r)) + "$")
			})
			p.equal = func(a, b *regexp.Regexp) bool { return a.String() == b.String() }
			return p
		}()),
		printed("json.RawMessage", printable[json.RawMessage]{
			value: func(r *rand.Rand) json.RawMessage { return json.RawMessage(jsonenc.Text(anyJSON(r, 3))) },
			text:  func(v json.RawMessage) string { return string(v) },
		}),
		printed("map of any", marshaledJSON(func(r *rand.Rand) map[string]any { return anyObject(r, 3) })),
		printed("map of integers", marshaledJSON(func(r *rand.Rand) map[string]int {
			return map[string]int{randomText(r): int(r.Uint64()), randomText(r): r.IntN(9)}
		})),
		printed("map of times", marshaledJSON(func(r *rand.Rand) map[color]time.Time {
			return map[color]time.Time{color(randomText(r)): anyTime(r).UTC()}
		})),
		printed("struct", marshaledJSON(func(r *rand.Rand) point {
			p := point{X: int(r.Int32()), Y: -int(r.Int32()), Note: randomText(r)}
			for range r.IntN(3) {
				p.Tags = append(p.Tags, randomText(r))
			}
			return p
		})),
		printed("list of lists", marshaledJSON(func(r *rand.Rand) [][]string {
			lists := make([][]string, r.IntN(3))
			for i := range lists {
				lists[i] = make([]string, r.IntN(3))
				for j := range lists[i] {
					lists[i][j] = randomText(r)
				}
			}
			return lists
		})),
		printed("array", marshaledJSON(func(r *rand.Rand) [3]float64 { return [3]float64{anyFloat(r), anyFloat(r), anyFloat(r)} })),
		printed("list of structs", marshaledJSON(func(r *rand.Rand) []point { return []point{{X: r.IntN(9)}, {Y: r.IntN(9), Note: randomText(r)}} })),
	} {
		t.Run(c.name, func(t *testing.T) { t.Parallel(); c.run(t) })
	}
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
		{"integers are compared exactly, and not as the floats that JSON makes of them", &S{Type: "integer", Maximum: ptr(float64(1 << 53))},
			"9007199254740993", float64(1<<53 + 1), true, false},
		{"multiples are those of decimals, as people write them", &S{Type: "number", MultipleOf: ptr(0.1)}, "0.3", 0.3, false, true},
		{"and exact", &S{Type: "integer", MultipleOf: ptr(2.0)}, "9007199254740993", float64(1<<53 + 1), true, false},
		{"numbers are for people, who may write a plus", &S{Type: "integer"}, "+5", "+5", false, true},
		{"and a space", &S{Type: "number"}, " 5", " 5", false, true},
		{"and zeros", &S{Type: "number"}, "007", "007", false, true},
		{"every text is a string", &S{Type: "string"}, "5", 5.0, false, true},
		{"null is no text; what is absent is left out", &S{Types: []string{"integer", "null"}}, "null", nil, true, false},
		{"a list may be comma-separated", &S{Type: "array", Items: &S{Type: "integer"}}, "1,2", "1,2", false, true},
		{"elements without a type are strings", &S{Type: "array"}, "[1]", []any{1.0}, true, false},
		{"keys are not given twice", &S{Type: "object"}, `{"a":1,"a":2}`, map[string]any{"a": 2.0}, true, false},
	} {
		t.Run(c.why, func(t *testing.T) {
			t.Parallel()
			oracle, err := c.schema.Resolve(nil)
			require.NoError(t, err)
			assert.Equal(t, c.oracle, oracle.Validate(c.json) == nil, "the oracle")
			required := Spec{Name: "a", Schema: c.schema, Required: true}
			e := get(t, declared{plan: listPlan(t, required)}, jsonenc.Text(map[string]string{"a": c.text}))
			assert.Equal(t, c.ours, e == nil, "%v", e)
		})
	}
}
