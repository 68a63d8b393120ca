package argument

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

func parsed(t testing.TB, text string) *jsonschema.Schema {
	t.Helper()
	var s jsonschema.Schema
	require.NoError(t, json.Unmarshal([]byte(text), &s), text)
	return &s
}

const draft7 = `"$schema":"http://json-schema.org/draft-07/schema#",`

// randomSchema returns a schema that refers back to itself and to its definitions.
func randomSchema(r *rand.Rand) string {
	ref := func() string {
		return []string{`{"$ref":"#"}`, `{"$ref":"#/$defs/a"}`, `{"$ref":"#/$defs/b"}`}[r.IntN(3)]
	}
	var schema func(depth int) string
	schema = func(depth int) string {
		var keywords []string
		add := func(format string, args ...any) { keywords = append(keywords, fmt.Sprintf(format, args...)) }
		for _, keyword := range []string{"anyOf", "oneOf", "allOf"} {
			if depth > 0 && r.IntN(7) == 0 {
				add(`%q:[%s,%s]`, keyword, schema(depth-1), schema(depth-1))
			}
		}
		if depth > 0 && r.IntN(8) == 0 {
			add(`"if":%s,"then":%s,"else":%s`, schema(depth-1), schema(depth-1), schema(depth-1))
		}
		if depth > 0 && r.IntN(10) == 0 {
			add(`"not":%s`, schema(depth-1))
		}
		if depth > 0 && r.IntN(10) == 0 {
			add(`"dependentSchemas":{"x":%s}`, schema(depth-1))
		}
		switch r.IntN(8) {
		case 0:
			add(`"properties":{%q:%s}`, []string{"x", "y"}[r.IntN(2)], ref())
		case 1:
			add(`"properties":{"op":{"enum":%s},%q:%s}`, []string{`["a"]`, `["b"]`, `["a","b"]`}[r.IntN(3)], []string{"x", "y"}[r.IntN(2)], ref())
			if r.IntN(2) == 0 {
				add(`"required":["op"]`)
			}
		}
		for _, keyword := range []string{"additionalProperties", "items", "contains", "unevaluatedProperties", "unevaluatedItems"} {
			if r.IntN(20) == 0 {
				add(`%q:%s`, keyword, ref())
			}
		}
		if r.IntN(20) == 0 {
			add(`"patternProperties":{"^%s":%s}`, []string{"x", "z", "."}[r.IntN(3)], ref())
		}
		if r.IntN(20) == 0 {
			add(`"prefixItems":[%s]`, ref())
		}
		if keywords == nil {
			return []string{`{"type":"string"}`, `{"const":1}`, `true`, `{"required":["x"]}`, `{"minProperties":1}`}[r.IntN(5)]
		}
		return "{" + strings.Join(keywords, ",") + "}"
	}
	return fmt.Sprintf(`{"allOf":[%s],"$defs":{"a":%s,"b":%s}}`, schema(3), schema(3), schema(2))
}

// The work of a validation is in proportion to the levels of a value: of 300
// schemas, each is refused or is linear.
func TestValidationIsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("a measurement, which takes long")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // as AllocsPerRun sets it, once and not each time
	refused := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 0))
		text := randomSchema(r)
		v, err := NewValidator(parsed(t, text))
		if err != nil {
			require.ErrorContains(t, err, "validating a value takes too long", text)
			refused++
			continue
		}
		countable(v)
		for range 2 {
			var names, ops [3]string
			for i := range names {
				names[i] = []string{"x", "y", "z", ""}[r.IntN(4)]
				ops[i] = []string{"a", "b", "c", ""}[r.IntN(4)]
			}
			requireLinear(t, v, text, names, ops, []any{"x", 1.0, nil}[r.IntN(3)])
		}
	}
	assert.Less(t, refused, 144)
	assert.Greater(t, refused, 30)
}

// An alternative whose tag is not the tag of the value costs no more than the tag.
func TestTaggedAlternativesAreLinear(t *testing.T) {
	for _, text := range []string{
		`{"required":["op"],"oneOf":[{"properties":{"op":{"const":"a"},"x":{"$ref":"#"}}},{"properties":{"op":{"const":"b"},"x":{"$ref":"#"}}}]}`,
		`{"anyOf":[{"properties":{"op":{"enum":["a","c"]},"x":{"$ref":"#"}},"required":["op","x"]},{"properties":{"op":{"const":"b"},"x":{"$ref":"#"}},"required":["op","x"]},{"type":"string"}]}`,
		`{"anyOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/b"}],"$defs":{"a":{"properties":{"op":{"const":"a"},"x":{"$ref":"#"}},"required":["op"]},"b":{"properties":{"op":{"const":"b"},"x":{"$ref":"#"}},"required":["op"]}}}`,
	} {
		v, err := NewValidator(parsed(t, text))
		require.NoError(t, err, text)
		countable(v)
		for i := range 27 {
			ops := []string{"a", "b", ""}
			for _, leaf := range []any{"x", 1.0} {
				requireLinear(t, v, text, [3]string{"x", "x", "x"}, [3]string{ops[i%3], ops[i/3%3], ops[i/9]}, leaf)
			}
		}
	}
}

// requireLinear compares the work for nested values: that for n times as many levels,
// up to 64, is at most n^1.1 times as much. The visits of schemas are the work: see countable.
func requireLinear(t *testing.T, v *Validator, text string, names, ops [3]string, leaf any) {
	t.Helper()
	work := func(levels int) float64 {
		value := leaf
		for i := levels; i > 0; i-- {
			if name, op := names[i%3], ops[i%3]; name == "" {
				value = []any{value}
			} else if op == "" {
				value = map[string]any{name: value}
			} else {
				value = map[string]any{name: value, "op": op}
			}
		}
		var doc strictjson.Doc
		require.NoError(t, doc.Parse(jsonenc.Text(value), 0))
		in := instanceOf(doc.Root())
		return testing.AllocsPerRun(1, func() { v.root.accepts(in, nil) })
	}
	few := work(12)
	// Levels of all names and ops. After 18 of them, what doubles at each has not run for long.
	for _, levels := range []int{18, 24, 48, 96} {
		require.LessOrEqual(t, work(levels), 100+math.Pow(float64(levels)/12, 1.1)*few, "%s %q %q %v, %d levels", text, names, ops, leaf, levels)
	}
}

// countable makes each visit of a schema allocate: it notes what it has evaluated.
func countable(v *Validator) {
	seen := map[*subschema]bool{}
	var walk func(all ...*subschema)
	walk = func(all ...*subschema) {
		for _, s := range all {
			if s == nil || seen[s] {
				continue
			}
			seen[s] = true
			walk(slices.Concat(s.allOf, s.anyOf, s.oneOf, s.prefix)...)
			walk(s.ref, s.not, s.cond, s.then, s.els, s.items, s.contains, s.additional, s.memberNames, s.unevaluatedItems, s.unevaluatedProperties)
			walk(slices.Collect(maps.Values(s.members))...)
			for _, p := range s.patterns {
				walk(p.schema)
			}
			for _, d := range s.dependents {
				walk(d.schema)
			}
			if s.unevaluatedItems == nil {
				s.unevaluatedItems = &subschema{}
			}
		}
	}
	walk(v.root)
}

// A value inside of JSON is not compared with the values of an enum one by one.
func TestEnumsInsideAreFast(t *testing.T) {
	var values, titled []string
	for i := range 300 {
		values = append(values, fmt.Sprintf(`"value %d."`, i))
		titled = append(titled, fmt.Sprintf(`{"const":"value %d.","title":"%d"}`, i, i))
	}
	enum, consts := strings.Join(values, ","), strings.Join(titled, ",")
	for text, wants := range map[string]map[string]bool{
		`{"enum":[` + enum + `]}`:                                            {`"value 299."`: true, `"value 299"`: false, `"value 299.\n"`: false, `1`: false, `null`: false},
		`{"enum":[` + enum + `,null]}`:                                       {`"value 299."`: true, `null`: true, `[]`: false},
		`{"type":["integer","string"],"enum":[` + enum + `,null]}`:           {`"value 299."`: true, `null`: false, `1`: false},
		`{"type":"integer","enum":[` + enum + `,null]}`:                      {`"value 299."`: false, `null`: false},
		`{"anyOf":[` + consts + `]}`:                                         {`"value 299."`: true, `"x"`: false, `1`: false},
		`{"oneOf":[` + consts + `]}`:                                         {`"value 299."`: true, `"x"`: false, `1`: false},
		`{"anyOf":[{"enum":[` + enum + `]},{"type":"integer"}]}`:             {`"value 299."`: true, `"x"`: false, `1`: true},
		`{"required":["a"],"properties":{"a":{"enum":[` + enum + `]}}}`:      {`{"a":"value 299."}`: true, `{"a":"x"}`: false, `{}`: false},
		`{"$ref":"#/$defs/a","$defs":{"a":{"enum":[` + enum + `]}}}`:         {`"value 299."`: true, `"x"`: false},
		`{"enum":[` + enum + `],"pattern":"^.{9}$","allOf":[{"const":"x"}]}`: {`"value 99."`: false},
	} {
		v, err := NewValidator(parsed(t, text))
		require.NoError(t, err, text)
		for value, want := range wants {
			assert.Equal(t, want, v.Accepts(value), "%.60s %s", text, value)
			assert.Less(t, testing.AllocsPerRun(1, func() { v.Accepts(value) }), 50.0, "%.60s %s", text, value)
		}
	}
}

// A Validator accepts what jsonschema-go accepts.
func TestValidatorAgreesWithJSONSchema(t *testing.T) {
	t.Parallel()
	values := []string{`"x"`, `1`, `[]`, `[1,"x"]`, `{"x":1}`, `{"x":{"x":"x","z":1},"y":[{"x":1}]}`, `{"y":{"y":{}}}`, `[[{"z":null}],1]`, `{"op":"a","x":{"op":"b"}}`, `{"op":"c"}`}
	rules := []string{`"minLength":1`, `"pattern":"x"`, `"propertyNames":{"maxLength":1}`, `"additionalProperties":false`, `"const":{"x":1}`, `"enum":[[],1]`, `"unevaluatedProperties":false`,
		`"enum":["a","b","c","d","e","f","g","h","x"]`}
	accepted := 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		text := randomSchema(r)
		text = fmt.Sprintf("{%s,%s", rules[r.IntN(len(rules))], text[1:])
		if seed%3 == 0 {
			text = fmt.Sprintf("{%s%s", draft7, text[1:])
		}
		v, err := NewValidator(parsed(t, text))
		if err != nil {
			continue
		}
		resolved, err := parsed(t, text).Resolve(nil)
		require.NoError(t, err)
		for _, value := range values {
			var instance any
			require.NoError(t, json.Unmarshal([]byte(value), &instance))
			want := resolved.Validate(instance) == nil
			require.Equal(t, want, v.Accepts(value), "%s %s", text, value)
			if want {
				accepted++
			}
		}
	}
	assert.Greater(t, accepted, 200)
}

// Each row of testdata/validity.txt is a value that the schema above accepts, or does not
// accept: what the public tests of JSON Schema ask of each keyword, in rows of our own.
func TestValidity(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/validity.txt")
	require.NoError(t, err)
	var v *Validator
	var resolved *jsonschema.Resolved
	text, rows := "", 0
	for line := range strings.Lines(string(raw)) {
		value := strings.TrimSuffix(line[2:], "\n")
		if line[0] == '#' {
			text = value
			v, err = NewValidator(parsed(t, text))
			require.NoError(t, err, text)
			resolved, err = parsed(t, text).Resolve(nil)
			require.NoError(t, err, text)
			continue
		}
		rows++
		assert.Equal(t, line[0] == '+', v.Accepts(value), "%s\n%s", text, value)
		if line[0] == '-' {
			checkExplained(t, v, value)
		}
		var instance any
		require.NoError(t, json.Unmarshal([]byte(value), &instance))
		if !slices.Contains([]string{"3.0000000000000001", "4.02", "-0.07"}, value) { // which jsonschema-go rounds
			assert.Equal(t, line[0] == '+', resolved.Validate(instance) == nil, "jsonschema-go: %s\n%s", text, value)
		}
	}
	assert.Greater(t, rows, 120)
}
