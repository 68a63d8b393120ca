package argument

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/problem"
)

var update = flag.Bool("update", false, "write the problems of testdata/problems.txt")

func instanceAt(t testing.TB, text string) instance {
	t.Helper()
	var doc strictjson.Doc
	require.NoError(t, doc.Parse(text, jsonenc.MaxDepth), text)
	return instanceOf(doc.Root())
}

// Each row of testdata/problems.txt is a value of an argument s, with the sentences and the
// data that a client gets. A line that begins with # is the schema of the rows below.
func TestProblemsInside(t *testing.T) {
	t.Parallel()
	const file = "testdata/problems.txt"
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	var out []string
	var plan *Plan
	rows := 0
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimSuffix(line, "\n")
		if schema, ok := strings.CutPrefix(line, "# "); ok {
			plan = listPlan(t, Spec{Name: "s", Schema: parsed(t, schema)})
		}
		if line == "" || strings.HasPrefix(line, "#") {
			out = append(out, line)
			continue
		}
		value, _, _ := strings.Cut(line, " → ")
		_, problems := plan.Texts(t.Context(), []Text{text(value)})
		require.NotEmpty(t, problems, "%s", value)
		got := value + " → " + Sentences(problems, 0) + " → " + jsonenc.Text(problems)
		out = append(out, got)
		if rows++; !*update {
			assert.Equal(t, line, got)
		}
	}
	assert.GreaterOrEqual(t, rows, 150)
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(strings.Join(out, "\n")+"\n"), 0o644))
	}
}

// checkExplained holds the problems of a value that a schema does not accept to what is
// true of all: each has a place in the value, a member that is missing is missing, and no
// message repeats all of a long value.
func checkExplained(t *testing.T, v *Validator, text string) {
	t.Helper()
	problems, _ := v.explain(t.Context(), instanceAt(t, text), false)
	require.NotEmpty(t, problems, text)
	require.LessOrEqual(t, len(problems), MaxProblems, text)
	for _, p := range problems {
		require.NotEmpty(t, p.Reason, text)
		require.NotEmpty(t, p.Message, text)
		require.LessOrEqual(t, len(p.Message)+len(p.Path)+len(p.place), 4<<10, text)
		found, parent := findPath(instanceAt(t, text).value, p.Path)
		if p.Reason == problem.Missing {
			require.False(t, found, "%s: %s", text, p.Path)
			require.True(t, parent, "%s: %s", text, p.Path)
		} else {
			require.True(t, found, "%s: %s %s", text, p.Path, p.Message)
		}
	}
	ofTool, _ := v.explain(t.Context(), instanceAt(t, text), true)
	require.NotEmpty(t, ofTool, text)
}

// findPath reports whether the value has the place of a JSON Pointer, and whether the value
// around that exists.
func findPath(v strictjson.Value, pointer string) (found, parent bool) {
	if pointer == "" {
		return true, true
	}
	tokens := strings.Split(pointer[1:], "/")
	for i, token := range tokens {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		next := v.Get(token)
		n := 0
		for e := range v.Elements() {
			if strconv.Itoa(n) == token {
				next = e
			}
			n++
		}
		if next.Kind() == strictjson.Invalid {
			return false, i == len(tokens)-1
		}
		v = next
	}
	return true, true
}

// judged counts what judge has compared.
type judged struct {
	values, accepted int
	// The lists of alternatives for the whole value of which no alternative accepts it, one does,
	// several do, or all.
	none, one, several, all int
}

// judge compares a Validator with jsonschema-go for each of the texts, and checks the
// problems: one at least for a value that the schema does not accept, and none for others.
// It counts nothing if the schema is not fit for that.
func (j *judged) judge(t *testing.T, schema string, texts ...string) {
	t.Helper()
	s := parsed(t, schema)
	v, err := NewValidator(s)
	if err != nil {
		return
	}
	resolved, err := s.Resolve(nil)
	require.NoError(t, err, schema)
	for _, text := range texts {
		var value any
		require.NoError(t, json.Unmarshal([]byte(text), &value))
		valid := resolved.Validate(value) == nil
		require.Equal(t, valid, v.Accepts(text), "%s\n%s", schema, text)
		j.count(v, v.root, instanceAt(t, text), inPlaceDepth)
		require.NotPanics(t, func() {
			if !valid {
				checkExplained(t, v, text)
				return
			}
			budget := 1 << 20
			e := explainer{most: MaxProblems, budget: &budget}
			(&validation{v, nil, 1 << 40, &e}).accepts(v.root, instanceAt(t, text), nil)
			require.Empty(t, e.problems, "%s\n%s", schema, text)
			j.accepted++
		}, "%s\n%s", schema, text)
		j.values++
	}
}

// count counts the alternatives of the schema and of those in place that accept the value.
func (j *judged) count(v *Validator, s *subschema, in instance, depth int) {
	if s == nil || depth == 0 {
		return
	}
	for _, alternatives := range [][]*subschema{s.anyOf, s.oneOf} {
		n := 0
		for _, sub := range alternatives {
			if v.acceptsPart(sub, in, nil) {
				n++
			}
			j.count(v, sub, in, depth-1)
		}
		switch {
		case len(alternatives) < 2:
		case n == 0:
			j.none++
		case n == 1:
			j.one++
		case n < len(alternatives):
			j.several++
		default:
			j.all++
		}
	}
	for _, sub := range append(slices.Clone(s.allOf), s.ref, s.not, s.cond, s.then, s.els) {
		j.count(v, sub, in, depth-1)
	}
}

// long is a name and a string that no message repeats in full.
var long = strings.Repeat("long ", 200)

// randomJSON returns a value of a few names and small numbers.
func randomJSON(r *rand.Rand, depth int) string {
	scalars := []string{`"x"`, `"y"`, `"a"`, `"abc"`, `""`, `1`, `2`, `3`, `1.5`, `-1`, `1.0`, `null`, `true`, `false`, `"` + long + `"`}
	kind := r.IntN(5)
	if depth == 0 || kind < 2 {
		return scalars[r.IntN(len(scalars))]
	}
	var parts []string
	for _, name := range []string{"x", "y", "op", "z/~", long}[:1+r.IntN(5)] {
		if value := randomJSON(r, depth-1); kind == 2 {
			parts = append(parts, value)
		} else if r.IntN(3) > 0 {
			parts = append(parts, strconv.Quote(name)+":"+value)
		}
	}
	if kind == 2 {
		return "[" + strings.Join(parts, ",") + "]"
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// randomRules returns a schema of all keywords.
func randomRules(r *rand.Rand, depth int) string {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	if depth == 0 {
		return pick(`true`, `false`, `{"type":"string"}`, `{"type":"integer","minimum":2}`, `{"const":1}`, `{"enum":["x",2,null]}`, `{"type":["null","number"],"maximum":1}`, `{"minLength":2}`, `{"pattern":"^a"}`,
			`{"maxLength":1}`, `{"minimum":1,"exclusiveMaximum":3}`, `{"exclusiveMinimum":1,"maximum":3}`, `{"multipleOf":1.5}`)
	}
	sub := func() string { return randomRules(r, depth-1) }
	required := func() string {
		names := []string{`"x"`, `"op"`, `"y"`, `"x"`} // x perhaps twice
		from := r.IntN(len(names))
		return `"required":[` + strings.Join(names[from:from+r.IntN(len(names)-from+1)], ",") + `]`
	}
	// alternatives returns schemas that are alike, so that a value often meets none, two or all.
	alternatives := func() string {
		one := pick("{"+required()+"}", fmt.Sprintf(`{%s,"properties":{"x":%s}}`, required(), sub()))
		all := make([]string, 1+r.IntN(4))
		for i := range all {
			if all[i] = pick(one, one, "{"+required()+"}", fmt.Sprintf(`{%s,"allOf":[%s]}`, required(), one), ""); all[i] == "" {
				all[i] = sub()
			}
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	all := []func() string{
		func() string { return fmt.Sprintf(`"properties":{"x":%s,"op":%s}`, sub(), sub()) },
		func() string {
			return fmt.Sprintf(`"properties":{"op":{"const":%s},"y":%s}`, pick(`"a"`, `"x"`, `1`), sub())
		},
		required, required,
		func() string { return fmt.Sprintf(`"additionalProperties":%s`, sub()) },
		func() string { return fmt.Sprintf(`"patternProperties":{"^[xz]":%s}`, sub()) },
		func() string {
			return fmt.Sprintf(`"propertyNames":%s`, pick(`{"maxLength":1}`, `{"pattern":"^[xo]"}`, `{"enum":["x","y"]}`))
		},
		func() string { return `"minProperties":2` }, func() string { return `"maxProperties":1` },
		func() string { return `"dependentRequired":{"x":["y","op"]}` },
		func() string { return fmt.Sprintf(`"dependentSchemas":{"y":%s}`, sub()) },
		func() string { return fmt.Sprintf(`"items":%s`, sub()) }, func() string { return fmt.Sprintf(`"prefixItems":[%s,%s]`, sub(), sub()) },
		func() string { return fmt.Sprintf(`"contains":%s`, sub()) },
		func() string { return fmt.Sprintf(`"contains":%s,"minContains":%d,"maxContains":2`, sub(), r.IntN(3)) },
		func() string { return `"uniqueItems":true` }, func() string { return `"minItems":1,"maxItems":2` },
		func() string { return `"anyOf":` + alternatives() }, func() string { return `"oneOf":` + alternatives() },
		func() string { return `"oneOf":` + alternatives() }, func() string { return `"not":{"oneOf":` + alternatives() + `}` },
		func() string { return fmt.Sprintf(`"allOf":[%s,%s]`, sub(), sub()) }, func() string { return fmt.Sprintf(`"not":%s`, sub()) },
		func() string { return fmt.Sprintf(`"if":%s,"then":%s,"else":%s`, sub(), sub(), sub()) },
		func() string { return fmt.Sprintf(`"unevaluatedProperties":%s`, sub()) }, func() string { return fmt.Sprintf(`"unevaluatedItems":%s`, sub()) },
		func() string { return fmt.Sprintf(`"enum":[%s,%s]`, randomJSON(r, 1), randomJSON(r, 2)) },
		func() string { return `"$ref":"#/$defs/d"` },
	}
	seen := map[string]bool{}
	var keywords []string
	for range 1 + r.IntN(3) {
		k := all[r.IntN(len(all))]()
		if name, _, _ := strings.Cut(k, ":"); !seen[name] && (name != `"contains"` || !seen[name]) {
			seen[name] = true
			keywords = append(keywords, k)
		}
	}
	return "{" + strings.Join(keywords, ",") + "}"
}

func randomCase(seed uint64, values int) (schema string, texts []string) {
	r := rand.New(rand.NewPCG(seed, 7))
	schema = randomRules(r, 3)
	if strings.HasPrefix(schema, "{") {
		schema = fmt.Sprintf(`{"$defs":{"d":%s},%s`, []string{`{"type":["string","null"]}`, `{"items":{"$ref":"#/$defs/d"},"maxItems":1}`, `{"properties":{"x":{"$ref":"#/$defs/d"}},"required":["y"]}`}[r.IntN(3)], schema[1:])
	}
	if r.IntN(4) == 0 && strings.HasPrefix(schema, "{") {
		schema = "{" + draft7 + schema[1:]
	}
	for range values {
		texts = append(texts, randomJSON(r, 3))
	}
	return schema, texts
}

// A Validator accepts what jsonschema-go accepts, and each rejection has a place.
func TestValidatorAgrees(t *testing.T) {
	t.Parallel()
	const values = 16 // for each schema, which takes longest
	var j judged
	seeds := 1_000
	if testing.Short() {
		seeds = 400 // the fuzz target has more
	}
	for seed := range uint64(seeds) {
		schema, texts := randomCase(seed, values)
		j.judge(t, schema, texts...)
	}
	assert.Greater(t, j.values, values*seeds*5/8)
	assert.Greater(t, j.accepted, values*seeds/8)
	for _, n := range []int{j.none, j.one, j.several, j.all} {
		assert.Greater(t, n, seeds/4, "%+v", j)
	}
}

func FuzzValidator(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		schema, texts := randomCase(seed, 1)
		new(judged).judge(t, schema, texts...)
	})
}

// Decimals are compared and divided as big.Rat does.
func FuzzDecimal(f *testing.F) {
	for _, pair := range [][2]string{{"100.00000000000000001", "100"}, {"-0", "0.0"}, {"1e300", "1"}, {"0.3", "0.1"}, {"123456789012345678901234567890", "7"}, {"-1.50", "-1.5"}, {"5e-7", "5e-8"}, {"00012.500", "2.5"}} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := new(big.Rat), new(big.Rat)
		// Skipped is what no number of JSON looks like, and what takes big.Rat too long.
		for r, text := range map[*big.Rat]string{x: a, y: b} { // a and b may be the same
			if !json.Valid([]byte(strings.TrimLeft(text, "+-0"))) && !json.Valid([]byte(text)) || len(text) > 60 || strings.ContainsAny(text, "xX_pP/\" \n\t\r[{tfn") {
				t.Skip()
			}
			if i := strings.IndexAny(text, "eE"); i >= 0 && len(text)-i > 5 {
				t.Skip()
			}
			if _, ok := r.SetString(text); !ok {
				t.Skip()
			}
		}
		d, e := parseDecimal(a), parseDecimal(b)
		assert.Equal(t, x.Cmp(y), d.cmp(e), "%s %s", a, b)
		assert.Equal(t, x.IsInt(), d.isInteger(), a)
		assert.Equal(t, x.Cmp(y) == 0, string(d.appendKey(nil)) == string(e.appendKey(nil)))
		if y.Sign() > 0 && len(e.digits) <= 18 {
			assert.Equal(t, new(big.Rat).Quo(x, y).IsInt(), d.isMultipleOf(e), "%s %s", a, b)
		}
	})
}
