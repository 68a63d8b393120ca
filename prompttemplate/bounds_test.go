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

// What cannot be bounded when a template is executed is a fault where it
// stands; one less is none.
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
		want     string // no fault if empty
	}{
		{"nesting", nested(500), nil, 0, 0, ""},
		{"nesting, one more", nested(501), nil, 2, 4002, "blocks and parentheses are nested more than 500 levels deep; write fewer"},
		{"else if", "{{if 0}}" + strings.Repeat("{{else if 0}}", 500) + "{{end}}", nil, 1, 6496, "blocks and parentheses are nested more than 500 levels deep; write fewer"},
		{"parentheses", "{{" + strings.Repeat("(", 501) + "1" + strings.Repeat(")", 501) + "}}", nil, 1, 1, "blocks and parentheses are nested more than 500 levels deep; write fewer"},
		{"braces and parentheses that are text", strings.Repeat("(", 1000) + `{{"{{if("}}` + strings.Repeat("{{/* {{if}} (( */}}", 1000), nil, 0, 0, ""},
		{"partials", `{{template "p0"}}`, chained(249), 0, 0, ""},
		{"partials, one more", `{{template "p0"}}`, chained(256), 2, 12, "blocks and partials are nested more than 500 levels deep; write fewer"},
		{"number of partials", repeat(256, `{{template "p#"}}`), chainOf(256, func(int) string { return "x" }), 0, 0, ""},
		{"number of partials, one more", repeat(257, `{{template "p#"}}`), chainOf(257, func(int) string { return "x" }), 1, 4766, "more than 256 partials are used, through others too; use fewer"},
		{"variables", repeat(200, `{{$a# := 1}}`), nil, 0, 0, ""},
		{"variables, one more", repeat(201, `{{$a# := 1}}`), nil, 1, 2691, "more than 200 variables are declared or assigned up to here; use fewer, or end a block before"},
		{"variables of blocks that end", repeat(1000, `{{with $a# := 1}}{{end}}`), nil, 0, 0, ""},
		{"steps", `{{template "p0"}}`, doubled(17), 0, 0, ""},
		{"steps, many more", `{{template "p0"}}`, doubled(30), 1, 1, "it takes more than 1000000 steps with the partials that it calls; let them call each other less"},
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
	assert.EqualError(t, err, `prompt "p": message 1: the text has more than 16777216 bytes`)
}

// A name that begins with a keyword is not the keyword.
func TestNamesThatBeginWithKeywords(t *testing.T) {
	t.Parallel()
	funcs := template.FuncMap{"blockQuote": strings.ToUpper, "withDefault": func(s, other string) string { return s + other }, "end1": func() string { return "" }}
	text := `{{blockQuote .a}}` + strings.Repeat(`{{withDefault .a "x"}}`, 600) + strings.Repeat(`{{end1}}`, 600)
	_, err := prompttemplate.New(prompts.Prompt{Name: "p", Arguments: []prompts.Argument{{Name: "a"}}}, prompttemplate.Options{Funcs: funcs}, prompttemplate.User(text))
	assert.NoError(t, err)
}
