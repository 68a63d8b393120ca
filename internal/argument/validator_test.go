package argument

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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

// The work of a validation is bounded, whatever the schema: a value that would take longer
// is invalid, and its problem says so. Schemas that apply once to each part never get there.
func TestValidationIsBounded(t *testing.T) {
	t.Parallel()
	deep := func(levels int) string {
		return strings.Repeat(`{"op":"a","x":`, levels) + "1" + strings.Repeat("}", levels)
	}
	for text, want := range map[string]bool{
		`{"anyOf":[{"properties":{"x":{"$ref":"#"}},"minProperties":5},{"properties":{"x":{"$ref":"#"}},"minProperties":6},{"type":"integer"}]}`: false,
		`{"oneOf":[{"properties":{"op":{"const":"a"},"x":{"$ref":"#"}}},{"properties":{"x":{"$ref":"#"}},"not":{"$ref":"#/oneOf/0"}}]}`:          false,
		// The tag tells which alternative applies.
		`{"oneOf":[{"properties":{"op":{"const":"a"},"x":{"$ref":"#"}}},{"properties":{"op":{"const":"b"},"x":{"$ref":"#"}},"required":["op"]}]}`:                                                   true,
		`{"anyOf":[{"properties":{"op":{"enum":["a","c"]},"x":{"$ref":"#"}},"required":["op","x"]},{"properties":{"op":{"const":"b"},"x":{"$ref":"#"}},"required":["op","x"]},{"type":"integer"}]}`: true,
	} {
		v, err := NewValidator(parsed(t, text))
		require.NoError(t, err, text)
		for _, levels := range []int{2, 16, 64, 120} {
			in := instanceAt(t, deep(levels))
			all := v.visits(in)
			w := validation{v: v, left: all}
			w.accepts(v.root, in, nil)
			if want {
				assert.Less(t, all-w.left, int64(10*levels+20), "%s %d", text, levels) // linear
				continue
			}
			if levels < 16 {
				continue
			}
			problems := v.check(t.Context(), in)
			require.Len(t, problems, 1)
			assert.Contains(t, problems[0].Message, "takes too long to validate", "%s %d", text, levels)
		}
	}
	// So is the search for the problems, although it tries alternatives again and again: a
	// member that costs nothing pays for no others.
	v, err := NewValidator(parsed(t, `{"$defs":{"n":{"anyOf":[{"properties":{"a":{"$ref":"#/$defs/n"}},"required":["b"]},{"properties":{"a":{"$ref":"#/$defs/n"}},"minProperties":3}]}},"properties":{"a":{"$ref":"#/$defs/n"}}}`))
	require.NoError(t, err)
	in := instanceAt(t, `{"a":`+strings.Repeat(`{"a":`, 50)+"1"+strings.Repeat("}", 50)+`,"c":"`+strings.Repeat("x", 1<<16)+`"}`)
	budget := 1 << 30
	w := validation{v, nil, 1 << 16, &explainer{most: MaxProblems, budget: &budget}}
	require.False(t, w.accepts(v.root, in, nil))
	assert.Less(t, w.left, int64(0))
	assert.Greater(t, budget, 1<<30-1<<26)
	problems := v.check(t.Context(), in)
	assert.NotEmpty(t, problems)
	// Of random schemas, whatever they are: accept and explain end.
	for seed := range uint64(100) {
		text := randomSchema(rand.New(rand.NewPCG(seed, 0)))
		v, err := NewValidator(parsed(t, text))
		require.NoError(t, err, text)
		in := instanceAt(t, deep(120))
		problems := v.check(t.Context(), in)
		assert.Equal(t, v.accepts(in), problems == nil, text)
	}
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

// A walk ends soon after the context of its request.
func TestValidationEndsWithItsContext(t *testing.T) {
	t.Parallel()
	v, err := NewValidator(parsed(t, `{"anyOf":[{"properties":{"x":{"$ref":"#"}},"minProperties":5},{"properties":{"x":{"$ref":"#"}},"minProperties":6},{"type":"integer"}]}`))
	require.NoError(t, err)
	in := instanceAt(t, strings.Repeat(`{"x":`, 100)+`"`+strings.Repeat(",", 10)+`"`+strings.Repeat("}", 100))
	require.Greater(t, v.visits(in), int64(2*visitsPerLook))
	for _, most := range []int64{1, 3} {
		looks := &endingContext{Context: t.Context(), most: most}
		w := validation{v: v, ctx: looks, left: 10 * visitsPerLook}
		require.False(t, w.accepts(v.root, in, nil))
		assert.Negative(t, w.left)
		assert.Equal(t, most, looks.n)
	}
}

// endingContext ends when it was looked at most times.
type endingContext struct {
	context.Context
	n, most int64
}

func (c *endingContext) Err() error {
	if c.n++; c.n < c.most {
		return nil
	}
	return context.Canceled
}
