package prompttemplate_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"text/template"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/prompttemplate"
)

// A declaration returns an error for an action whose cost cannot be bounded at
// execution. An action just within the limit is valid.
func TestBounds(t *testing.T) {
	t.Parallel()
	nested := func(n int) string {
		return "x\n " + strings.Repeat("{{if 1}}", n) + strings.Repeat("{{end}}", n)
	}
	chained := func(n int) map[string]string {
		return chainOf(n, func(i int) string {
			if i == n-1 {
				return "x"
			}
			return fmt.Sprintf("{{if 1}}\n{{template \"p%d\"}}{{end}}", i+1)
		})
	}
	doubled := func(n int) map[string]string {
		return chainOf(n, func(i int) string {
			if i == n-1 {
				return "x"
			}
			return fmt.Sprintf(`{{template "p%d"}}{{template "p%[1]d"}}`, i+1)
		})
	}
	for _, c := range []struct {
		name     string
		text     string
		partials map[string]string
		line     int
		column   int
		want     string // no error if empty
	}{
		{"nesting", nested(500), nil, 0, 0, ""},
		{"nesting, one more", nested(501), nil, 2, 4002, "blocks and parentheses exceed the limit of 500 nested levels; nest fewer"},
		{"else if", "{{if 0}}" + strings.Repeat("{{else if 0}}", 500) + "{{end}}", nil, 1, 6496, "blocks and parentheses exceed the limit of 500 nested levels; nest fewer"},
		{"parentheses", "{{" + strings.Repeat("(", 501) + "1" + strings.Repeat(")", 501) + "}}", nil, 1, 1, "blocks and parentheses exceed the limit of 500 nested levels; nest fewer"},
		{"braces and parentheses that are text", strings.Repeat("(", 1000) + `{{"{{if("}}` + strings.Repeat("{{/* {{if}} (( */}}", 1000), nil, 0, 0, ""},
		{"partials", `{{template "p0"}}`, chained(249), 0, 0, ""},
		{"partials, one more", `{{template "p0"}}`, chained(256), 2, 12, "blocks and partials exceed the limit of 500 nested levels; nest fewer"},
		{"number of partials", repeat(256, `{{template "p#"}}`), chainOf(256, func(int) string { return "x" }), 0, 0, ""},
		{"number of partials, one more", repeat(257, `{{template "p#"}}`), chainOf(257, func(int) string { return "x" }), 1, 4766, "too many partials are called, directly or by other partials (limit 256); use fewer"},
		{"variables", repeat(200, `{{$a# := 1}}`), nil, 0, 0, ""},
		{"variables, one more", repeat(201, `{{$a# := 1}}`), nil, 1, 2691, "too many variables are declared or assigned (limit 200); use fewer, or end a block earlier"},
		{"variables of blocks that end", repeat(1000, `{{with $a# := 1}}{{end}}`), nil, 0, 0, ""},
		{"actions", strings.Repeat("\n{{0}}{{/* 0 0 0 */}}{{`0 0 0`}}", 14_563), nil, 0, 0, ""},
		{"actions, one more", strings.Repeat("\n{{0}}{{/* 0 0 0 */}}{{`0 0 0`}}", 14_564), nil, 14565, 21, "actions without strings and comments exceed the limit of 131072 bytes; shorten the actions"},
		{"steps", `{{template "p0"}}`, doubled(17), 0, 0, ""},
		{"steps, many more", `{{template "p0"}}`, doubled(30), 1, 1, "template exceeds the limit of 1000000 steps, those of called partials included; call partials less often"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, err := prompttemplate.New(withArguments(), prompttemplate.Options{Partials: c.partials}, prompttemplate.User(c.text+"x"))
			if c.want == "" {
				require.NoError(t, err)
				_, err = p.Render(t.Context(), nil)
				assert.NoError(t, err)
				return
			}
			var e *prompttemplate.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, c.want, e.Err.Error())
			assert.Equal(t, [2]int{c.line, c.column}, [2]int{e.Line, e.Column})
		})
	}
}

// A message has a bound of its own.
func TestTextOfAMessage(t *testing.T) {
	t.Parallel()
	p, err := prompttemplate.New(withArguments("a"), prompttemplate.Options{}, prompttemplate.User(strings.Repeat("{{.a}}", 16)+"{{if .a}}\n{{end}}"))
	require.NoError(t, err)
	_, err = p.Render(context.Background(), map[string]string{"a": large[1:]})
	assert.NoError(t, err)
	_, err = p.Render(context.Background(), map[string]string{"a": large})
	assert.EqualError(t, err, `prompt "p": message 1, line 1: rendered text exceeds the limit of 16777216 bytes`)
}

// An error of what is written has the place of the text or of the action.
func TestPlaceOfWhatIsWritten(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text   string
		line, column int
		partial      string
	}{
		{"an action", "{{if .a}}x{{end}}\n{{.a}}", 2, 3, ""},
		{"an action behind others", "{{.b}}{{.b}}{{$x := .b}}\n{{$x}}{{.a}}", 2, 9, ""},
		{"a number of other actions", "{{range 20}}{{$.b}}{{end}}\n\n{{.a}}{{.b}}", 3, 3, ""},
		{"the first of a range", "{{range 30}}\n{{$.b}}{{$.half}}{{$.b}}{{end}}", 2, 10, ""},
		{"in a condition", "{{if .b}}{{with .a}}{{else}}{{end}}{{else}}x{{end}}\n{{with .a}}\n{{.}}{{end}}", 3, 3, ""},
		{"a text", "{{.full}}{{if .a}}{{end}}\nx", 1, 26, ""},
		{"in a partial", "x{{template \"p\" .}}", 2, 3, "p"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, err := prompttemplate.New(withArguments("a", "b", "half", "full"), prompttemplate.Options{Partials: map[string]string{"p": "\n{{.a}}"}},
				prompttemplate.User(c.text), prompttemplate.User("{{if false}}{{.a}}{{.b}}{{.half}}{{.full}}{{end}}x"))
			require.NoError(t, err)
			full := strings.Repeat("x", 16<<20)
			_, err = p.Render(t.Context(), map[string]string{"a": full + "x", "b": "b", "half": full[:8<<20], "full": full})
			var e *prompttemplate.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, [3]any{c.line, c.column, c.partial}, [3]any{e.Line, e.Column, e.Partial}, err)
			assert.EqualError(t, e.Err, "rendered text exceeds the limit of 16777216 bytes")
		})
	}
}

// What escapes a value counts as many bytes as it makes.
func TestEscapesAreCounted(t *testing.T) {
	if testing.Short() {
		t.Skip("a measurement, which takes long")
	}
	t.Parallel()
	for _, escape := range []string{"html", "js", "urlquery", "print"} {
		p, err := prompttemplate.New(withArguments("a"), prompttemplate.Options{}, prompttemplate.User("{{len ("+escape+" .a)}}"))
		require.NoError(t, err)
		for text, isFine := range map[string]bool{strings.Repeat("a b", 5<<20): true, strings.Repeat("<", 12<<20): escape == "print"} {
			_, err = p.Render(t.Context(), map[string]string{"a": text})
			if isFine {
				assert.NoError(t, err, escape)
			} else {
				assert.ErrorContains(t, err, "exceed the limit of 33554432 bytes", escape)
			}
		}
	}
}

// A name that begins with a keyword is not the keyword.
func TestNamesThatBeginWithKeywords(t *testing.T) {
	t.Parallel()
	funcs := template.FuncMap{"blockQuote": strings.ToUpper, "withDefault": func(s, other string) string { return s + other }, "end1": func() string { return "" }}
	text := `{{blockQuote .a}}` + strings.Repeat(`{{withDefault .a "x"}}`, 600) + strings.Repeat(`{{end1}}`, 600)
	_, err := prompttemplate.New(prompts.Prompt{Name: "p", Arguments: []prompts.Argument{{Name: "a"}}}, prompttemplate.Options{Funcs: funcs}, prompttemplate.User(text))
	assert.NoError(t, err)
}
