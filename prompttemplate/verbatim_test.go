package prompttemplate_test

import (
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/prompttemplate"
)

// An argument is Verbatim if the messages and their partials do nothing with it but print
// its value.
func TestVerbatim(t *testing.T) {
	t.Parallel()
	o := prompttemplate.Options{
		Partials: map[string]string{
			"printed":  "<{{.a}}>{{.a}}",
			"compared": `{{.a}}{{if eq .a "x"}}y{{end}}`,
			"deep":     `{{template "compared" .}}`,
			"given":    "{{.}}",
			"fielded":  `{{with fields}}{{.k}}{{end}}{{if eq .a "x"}}y{{end}}`,
			"asked":    `{{if .a}}{{untrusted "l" .a}}{{end}}`,
		},
		Funcs: map[string]any{"shout": strings.ToUpper, "fields": func() map[string]string { return map[string]string{"k": "v"} }},
	}
	for text, want := range map[string]bool{
		"{{.a}} {{$.a}} {{- .a -}}":                                true,
		`{{if true}}{{.a}}{{else}}{{with 1}}{{$.a}}{{end}}{{end}}`: true,
		`{{template "printed" .}}`:                                 true,
		`{{if eq .a "x"}}y{{end}}{{.a}}`:                           false,
		"{{with .a}}{{.}}{{end}}":                                  false,
		"{{range list .a}}{{.}}{{end}}":                            false,
		"{{$x := .a}}{{$x}}":                                       false,
		"{{.a | shout}}":                                           false,
		"{{shout .a}}":                                             false,
		"{{print .a}}":                                             false,
		"{{(print .a)}}":                                           false,
		"{{len .a}}":                                               false,
		`{{index . "a"}}{{index $ "a"}}`:                           true,
		`{{index . "a" 0}}`:                                        false,
		`{{index . "a" | shout}}`:                                  false,
		`{{index .a 0}}`:                                           false,
		`{{index (list .a) 0}}`:                                    false,
		`{{$x := index . "a"}}{{$x}}`:                              false,

		// Values of functions, calls of functions, and partials.
		`{{with fields}}{{index . "k"}}{{end}}{{if .a}}y{{end}}`: true,
		`{{printf "%s" (index . "a")}}`:                          false,
		`{{json .a}}`:                                            false,
		`{{with fields}}{{.k}}{{end}}{{.a}}`:                     true,
		`{{with fields}}{{.k}}{{end}}{{if eq .a "x"}}y{{end}}`:   false,
		`{{$x := fields}}{{$x.k}}{{if .a}}y{{end}}`:              true,
		`{{template "fielded" .}}`:                               false,
		`{{template "compared" .}}`:                              false,
		`{{.a}}{{template "deep" .}}`:                            false,
		`{{template "given" .a}}`:                                false,

		// Whether there is a value is no more than printing it.
		`{{if .a}}y{{else}}n{{end}}{{if $.a}}y{{end}}`:          true,
		`{{if index . "a"}}y{{end}}`:                            true,
		`{{if not .a}}y{{else if and .a (or .a true)}}n{{end}}`: true,
		`{{if .a | not}}y{{end}}`:                               true,
		`{{or .a "x"}}{{or (index . "a") 5}}`:                   true,
		`{{untrusted "l" .a}}{{.a | untrusted "l"}}`:            true,
		`{{fence "" .a}}{{fence .a (untrusted "l" .a)}}`:        true,
		`{{template "asked" .}}`:                                true,
		`{{if eq .a "x"}}y{{end}}`:                              false,
		`{{if not (eq .a "x")}}y{{end}}`:                        false,
		`{{if or .a (eq .a "x")}}y{{end}}`:                      false,
		`{{if len .a}}y{{end}}`:                                 false,
		`{{if $x := .a}}y{{end}}`:                               false,
		`{{or (print .a) "x"}}`:                                 false,
		`{{or .a "x" | shout}}`:                                 false,
	} {
		arguments := []prompts.Argument{{Name: "a"}}
		p, err := prompttemplate.New(prompts.Prompt{Name: "p", Arguments: arguments}, o, prompttemplate.User("hi"), prompttemplate.Assistant(text), prompttemplate.User("{{.a}}"))
		require.NoError(t, err, text)
		assert.Equal(t, want, p.Arguments[0].Verbatim, text)
		assert.False(t, arguments[0].Verbatim, "the caller's")
	}
	o.Funcs["or"] = func(a, _ any) any { return a }
	replaced, err := prompttemplate.New(prompts.Prompt{Name: "p", Arguments: []prompts.Argument{{Name: "a"}, {Name: "b"}}}, o,
		prompttemplate.User(`{{or .a "x"}}{{if or .a "x"}}{{end}}{{untrusted "l" .b}}`))
	require.NoError(t, err)
	assert.False(t, replaced.Arguments[0].Verbatim, "the application's function")
	assert.True(t, replaced.Arguments[1].Verbatim)
	p, err := prompttemplate.New(prompts.Prompt{Name: "p", Arguments: []prompts.Argument{
		{Name: "n", Schema: &jsonschema.Schema{Type: "integer"}}, {Name: "e", Enum: []string{"x", "y"}},
	}}, o, prompttemplate.User("{{.n}}{{.e}}"))
	require.NoError(t, err)
	assert.False(t, p.Arguments[0].Verbatim, "a number")
	assert.True(t, p.Arguments[1].Verbatim, "an enum")
}

// named has a method, which prints another text.
type named string

func (n named) String() string { return "the " + string(n) }

// The same applies to the fields of a struct that are strings.
func TestVerbatimFields(t *testing.T) {
	t.Parallel()
	type in struct {
		A string `json:"a"`
		B string `json:"b"`
		C named  `json:"c"`
		D int    `json:"d"`
	}
	p, err := prompttemplate.NewTyped[in](prompts.Prompt{Name: "p", Arguments: []prompts.Argument{{Name: "b", Title: "B"}}}, prompttemplate.Options{},
		prompttemplate.User(`{{.A}}{{.B}}{{.C}}{{.D}}{{if eq .B "x"}}y{{end}}`))
	require.NoError(t, err)
	var reg prompts.Registry
	require.NoError(t, reg.Add(p))
	got := map[string]bool{}
	for added := range reg.All() {
		for _, a := range added.Arguments {
			got[a.Name] = a.Verbatim
		}
	}
	assert.Equal(t, map[string]bool{"a": true, "b": false, "c": false, "d": false}, got)
}
