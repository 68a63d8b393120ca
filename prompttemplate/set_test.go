package prompttemplate_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"text/template"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/prompttemplate"
)

// Prompts of one Set share its partials. An error of a partial is also an error of
// the prompts that use it.
func TestSet(t *testing.T) {
	t.Parallel()
	partials := map[string]string{
		"tone":   "Be {{.tone}}.",
		"outer":  `{{template "tone" .}} {{template "end"}}`,
		"end":    "End.",
		"broken": "{{if}}",
		"above":  "x\n{{template \"broken\"}}",
	}
	s, err := prompttemplate.NewSet(prompttemplate.Options{Partials: partials})
	require.EqualError(t, err, `partial "broken", line 1: missing value for if; write a value, for example {{if .name}}`)
	assert.Equal(t, []string{"outer", "tone", "end"}, s.Uses("outer"))
	assert.Nil(t, s.Uses("none"))

	p, calls, err := s.Prompt(t.Context(), withArguments("tone"), prompttemplate.User("a\n{{template \"outer\" .}}{{template \"end\"}}{{template \"outer\" .}}"))
	require.NoError(t, err)
	assert.Equal(t, []prompttemplate.Call{{Partial: "outer", Message: 1, Line: 2}, {Partial: "end", Message: 1, Line: 2}}, calls)
	texts, _, err := get(t, p, map[string]string{"tone": "kind"})
	require.NoError(t, err)
	assert.Equal(t, "a\nBe kind. End.End.Be kind. End.", texts[0])

	_, calls, err = s.Prompt(t.Context(), withArguments(), prompttemplate.User(`{{template "above"}}{{template "none"}}`))
	assert.EqualError(t, err, `prompt "p": message 1, line 1: unknown partial "none"; did you mean "tone"?
prompt "p": message 1, line 1: partial "above" is invalid: partial "broken", line 1: missing value for if; write a value, for example {{if .name}}`)
	assert.Len(t, calls, 2)
	_, _, err = s.Prompt(t.Context(), withArguments(), prompttemplate.User(`{{template "outer" .}}`))
	var e *prompttemplate.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, [5]any{"tone", 1, 6, 1, 1}, [5]any{e.Partial, e.Line, e.Column, e.CallMessage, e.CallLine})

	// Another Set has other partials, and those that have not changed.
	partials["end"], partials["broken"] = "The end.", "whole"
	other, err := s.With(t.Context(), partials)
	require.NoError(t, err)
	q, _, err := other.Prompt(t.Context(), withArguments("tone"), prompttemplate.User(`{{template "outer" .}}{{template "above"}}`))
	require.NoError(t, err)
	texts, _, err = get(t, q, map[string]string{"tone": "kind"})
	require.NoError(t, err)
	assert.Equal(t, "Be kind. The end.x\nwhole", texts[0])
	texts, _, err = get(t, p, map[string]string{"tone": "kind"}) // which is what it was
	require.NoError(t, err)
	assert.Contains(t, texts[0], " End.")
}

// What a Set shares costs no more: neither a partial that has not changed nor
// one that many prompts use is parsed again.
func TestSetSharesPartials(t *testing.T) {
	partials := map[string]string{"large": strings.Repeat("{{if .a}}{{.a}}{{end}}", 2_000), "small": "x"}
	s, err := prompttemplate.NewSet(prompttemplate.Options{Partials: partials})
	require.NoError(t, err)
	prompt := func() {
		_, _, err := s.Prompt(context.Background(), withArguments("a"), prompttemplate.User(`{{template "large" .}}`))
		require.NoError(t, err)
	}
	assert.Less(t, testing.AllocsPerRun(10, prompt), 1000.0)
}

// What never works is an error of a prompt of a Set, for all types of
// arguments; what some values break, and what takes long, is not.
func TestTrial(t *testing.T) {
	t.Parallel()
	one, two := 1.0, 2
	p := prompts.Prompt{Name: "p", Arguments: []prompts.Argument{
		{Name: "s", Required: true, Schema: &jsonschema.Schema{MinLength: &two}},
		{Name: "color", Schema: &jsonschema.Schema{Enum: []any{"red", "blue"}}},
		{Name: "i", Schema: &jsonschema.Schema{Type: "integer", Minimum: &one}},
		{Name: "n", Schema: &jsonschema.Schema{Type: "number", Maximum: &one}},
		{Name: "choice", Schema: &jsonschema.Schema{Type: "integer", Enum: []any{3.0, 4.0}}},
		{Name: "b", Schema: &jsonschema.Schema{Type: "boolean"}},
		{Name: "list", Schema: &jsonschema.Schema{Type: "array", MinItems: &two}},
		{Name: "ints", Schema: &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "integer"}}},
		{Name: "nums", Schema: &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "number"}}},
		{Name: "bools", Schema: &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "boolean"}, Default: []byte("[true]")}},
	}}
	all := prompttemplate.User("{{.s}}{{.color}}{{.i}}{{.n}}{{.choice}}{{.b}}{{.list}}{{.ints}}{{.nums}}{{.bools}}")
	funcs := template.FuncMap{"shout": strings.ToUpper, "fail": func(any) (string, error) { return "", errors.New("no") }}
	s, err := prompttemplate.NewSet(prompttemplate.Options{Funcs: funcs, Partials: map[string]string{"deep": "\n{{.x}}", "over": `{{template "deep" .}}`}})
	require.NoError(t, err)
	for text, want := range map[string]string{
		`{{range .list}}{{shout .}}{{end}}`:                           "",
		`{{if eq .s "xx"}}{{if eq .color "red"}}{{end}}{{end}}`:       "",
		`{{index .list 7}}{{slice .s 5}}`:                             "",
		`{{range 1000000000000}}{{end}}`:                              "",
		`{{fail .s}}`:                                                 "",
		`{{range .ints}}{{if gt . 1.5}}{{end}}{{end}}`:                "",
		`{{range .nums}}{{shout .}}{{end}}`:                           "message 2, line 1: wrong type for value; expected string; got float64",
		`{{range .bools}}{{lt . true}}{{end}}`:                        "message 2, line 1: error calling lt: invalid type for comparison",
		`{{if eq .i 1}}{{if eq .choice 3}}{{shout .n}}{{end}}{{end}}`: "message 2, line 1: wrong type for value; expected string; got float64",
		`{{with .b}}{{len .}}{{end}}`:                                 "message 2, line 1: len needs a string or a list, but argument \"b\" is a boolean; use another argument, or declare its type",
		`{{range .ints}}{{slice . 1}}{{end}}`:                         "message 2, line 1: error calling slice: can't slice item of type int",
		`{{range .ints}}{{index . 1}}{{end}}`:                         "message 2, line 1: error calling index: can't index item of type int",
		`{{range .list}}{{template "over" .}}{{end}}`:                 `partial "deep", line 2: can't evaluate field x in type string`,
	} {
		_, _, err := s.Prompt(t.Context(), p, all, prompttemplate.User(text+"{{/* */}}x"))
		if want == "" {
			assert.NoError(t, err, text)
			continue
		}
		assert.EqualError(t, err, `prompt "p": `+want, text)
		var e *prompttemplate.Error
		require.ErrorAs(t, err, &e)
		if e.Partial != "" {
			assert.Equal(t, [2]int{2, 1}, [2]int{e.CallMessage, e.CallLine})
		}
	}
}

// The values of a trial do not get into the next.
func TestTrialsShareNoValues(t *testing.T) {
	t.Parallel()
	s, err := prompttemplate.NewSet(prompttemplate.Options{})
	require.NoError(t, err)
	p := prompts.Prompt{Name: "p", Arguments: []prompts.Argument{{Name: "format", Required: true, Schema: &jsonschema.Schema{Enum: []any{"%d"}}}}}
	_, _, err = s.Prompt(t.Context(), p, prompttemplate.User("{{printf .format 1}}"))
	require.NoError(t, err)
	_, _, err = s.Prompt(t.Context(), withArguments("a"), prompttemplate.User(`{{printf "%d" .a}}`))
	assert.ErrorContains(t, err, `format "%d" does not match its values`)
}

// Values that package prompts would not pass on are errors.
func TestValuesOfAnotherType(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ typ, text, want string }{
		{"integer", "x", `argument "a": not an integer`}, {"number", "Inf", `argument "a": not a number`}, {"boolean", "x", `argument "a": not a boolean`},
	} {
		for _, s := range []*jsonschema.Schema{{Type: c.typ}, {Type: "array", Items: &jsonschema.Schema{Type: c.typ}}} {
			p, err := prompttemplate.New(prompts.Prompt{Name: "p", Arguments: []prompts.Argument{{Name: "a", Schema: s}}}, prompttemplate.Options{}, prompttemplate.User("{{.a}}"))
			require.NoError(t, err)
			_, err = p.Render(t.Context(), map[string]string{"a": c.text})
			assert.ErrorContains(t, err, `argument "a" must be a`)
		}
	}
}

// Each of very many calls has its place.
func TestPlacesOfManyCalls(t *testing.T) {
	t.Parallel()
	const n = 9_000
	s, err := prompttemplate.NewSet(prompttemplate.Options{})
	require.NoError(t, err)
	_, all, err := s.Prompt(t.Context(), prompts.Prompt{Name: "p"}, prompttemplate.User(repeat(n, "{{template \"u#\"}}\n")))
	assert.ErrorContains(t, err, `prompt "p": message 1, line 7: unknown partial "u6"`)
	require.Len(t, all, n)
	for i, call := range all {
		require.Equal(t, prompttemplate.Call{Partial: fmt.Sprintf("u%d", i), Message: 1, Line: i + 1}, call)
	}
}
