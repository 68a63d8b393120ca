package argument

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// JSON is completed to the text so far with the completed part.
func TestCompletionOfJSON(t *testing.T) {
	t.Parallel()
	object := `{"type":"object","properties":{"region":{"type":"string","enum":["eu","us","eu, all"]},"n":{"type":"integer","minimum":1,"maximum":3},"dry":{"type":["null","boolean"]},"b c":{"enum":["1",1,null]},
		"all":{"type":"array","prefixItems":[{"const":"first"}],"items":{"$ref":"#/properties/region"}},"next":{"$ref":"#"},"by":{"additionalProperties":{"enum":["x"]}},"gone":false,
		"one":{"oneOf":[{"properties":{"op":{"const":"and"}}},{"properties":{"op":{"const":"or"},"to":{}}}]}}}`
	list := `{"type":"array","items":{"type":"object","properties":{"name":{"enum":["go"]}}}}`
	words := `{"type":"array","items":{"type":"string","enum":["go","rust"]}}`
	for _, c := range []struct{ schema, typed, want string }{
		{object, `{"region":"e`, `{"region":"eu"|{"region":"eu, all"`},
		{object, `{"region":"`, `{"region":"eu"|{"region":"us"|{"region":"eu, all"`},
		{object, `{"region":`, `{"region":"eu"|{"region":"us"|{"region":"eu, all"`},
		{object, ` { "region" : u`, ` { "region" : "us"| { "region" : "eu"| { "region" : "eu, all"`},
		{object, `{"region":"eu"`, ``},
		{object, `{"region":"\u0065`, `{"region":"eu"|{"region":"eu, all"`},
		{object, `{"region":"\u00`, ``},
		{object, `{"n":`, `{"n":1|{"n":2|{"n":3`},
		{object, `{"n":2`, `{"n":2`},
		{object, `{"n":"2`, ``},
		{object, `{"dry":t`, `{"dry":true`},
		{object, `{"b c":"`, `{"b c":"1"`},
		{object, `{"b c":n`, `{"b c":null`},
		{object, `{"re`, `{"region":`},
		{object, `{"region":"eu","`, `{"region":"eu","all":|{"region":"eu","b c":|{"region":"eu","by":|{"region":"eu","dry":|{"region":"eu","n":|{"region":"eu","next":|{"region":"eu","one":`},
		{object, `{"region":"eu",dr`, ``},
		{object, `{"all":["f`, `{"all":["first"`},
		{object, `{"all":["first", "us`, `{"all":["first", "us"`},
		{object, `{"all":[],"dry":f`, `{"all":[],"dry":false`},
		{object, `{"next":{"next":{"region":"us","n":`, `{"next":{"next":{"region":"us","n":1|{"next":{"next":{"region":"us","n":2|{"next":{"next":{"region":"us","n":3`},
		{object, `{"by":{"any":"`, `{"by":{"any":"x"`},
		{object, `{"one":{"op":"`, `{"one":{"op":"and"|{"one":{"op":"or"`},
		{object, `{"one":{"t`, `{"one":{"to":`},
		{object, `{"unknown":"`, ``}, {object, `{"region":"eu"}`, ``}, {object, `{"region":"eu"}}`, ``}, {object, `]`, ``}, {object, `{,`, ``}, {object, `{"a" "b`, ``}, {object, `x`, ``},
		{list, `[{"name":"`, `[{"name":"go"`},
		{list, ``, ``}, {list, `[{`, `[{"name":`},
		{words, `["go","r`, `["go","rust"`},
		{words, `go, r`, `go, rust`},
	} {
		values, total := listPlan(t, Spec{Name: "s", Schema: parsed(t, c.schema)}).Arguments[0].Complete(c.typed)
		want := strings.Split(c.want, "|")
		if c.want == "" {
			want = nil
		}
		assert.Equal(t, want, values, c.typed)
		assert.Len(t, values, total)
	}
	secret := listPlan(t, Spec{Name: "s", Schema: parsed(t, object), Sensitive: true}).Arguments[0]
	values, _ := secret.Complete(`{"region":"e`)
	assert.Empty(t, values)
}

// Hostile JSON has no completions, and takes time in its length.
func TestCompletionOfHostileJSON(t *testing.T) {
	t.Parallel()
	a := listPlan(t, Spec{Name: "s", Schema: parsed(t, `{"type":"object","properties":{"a":{"$ref":"#"},"b":{"enum":["x"]}}}`)}).Arguments[0]
	for _, typed := range []string{
		strings.Repeat(`{"a":`, 100_000), strings.Repeat("[", 100_000), `{"b":"x",` + strings.Repeat(`"y":1,`, 100_000), `{"b":"` + strings.Repeat(`\`, 100_000), `{"` + strings.Repeat("a", 100_000), `{"b":` + strings.Repeat(" ", 100_000),
	} {
		values, total := a.Complete(typed)
		assert.Empty(t, values, "%.20s", typed)
		assert.Zero(t, total)
	}
}

// What is behind maxHead is not read, so that a long text costs no more than a short one.
func TestCompletionReadsTheHead(t *testing.T) {
	a := listPlan(t, Spec{Name: "s", Schema: parsed(t, `{"type":"object","properties":{"l":{"items":{"enum":[1]}}}}`)}).Arguments[0]
	allocs := func(elements int) float64 {
		typed := `{"l":[` + strings.Repeat("1,", elements)
		return testing.AllocsPerRun(1, func() { a.Complete(typed) })
	}
	assert.InDelta(t, allocs(maxHead), allocs(10*maxHead), 10)
}

// Any beginning of JSON is read without a panic, and each completion begins with the head.
func FuzzCompletionOfJSON(f *testing.F) {
	for _, typed := range []string{`{"a":{"b":"`, `[[{"a":1},`, `{"b":"\u00e9`, `{"a" : { "b":x`, `{}]`} {
		f.Add(typed)
	}
	f.Fuzz(func(t *testing.T, typed string) {
		p := listPlan(t, Spec{Name: "s", Schema: parsed(t, `{"type":"object","properties":{"a":{"$ref":"#"},"b":{"enum":["x",1,null]},"c":{"type":"array","items":{"type":"boolean"}}}}`)})
		values, total := p.Arguments[0].Complete(typed)
		assert.Len(t, values, total)
		for _, v := range values {
			assert.Greater(t, len(v), strings.LastIndexAny(typed, `:,{[`))
		}
	})
}
