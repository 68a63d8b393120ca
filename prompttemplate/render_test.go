package prompttemplate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"text/template"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/prompttemplate"
)

// Each template belongs to a prompt with the optional arguments a, b and
// file-path, of which those in args are given.
func TestTemplates(t *testing.T) {
	t.Parallel()
	all := prompttemplate.User(`.{{.a}}{{.b}}{{index . "file-path"}}`)
	options := prompttemplate.Options{
		Funcs: template.FuncMap{"shout": strings.ToUpper, "nothing": func() any { return nil }},
		Partials: map[string]string{
			"b":     "<{{.b}}>",
			"dot":   "({{.}})",
			"plain": "plain",
		},
	}
	for _, c := range []struct {
		name, text string
		args       map[string]string
		want       string
	}{
		{"no action", "text } with { braces", nil, "text } with { braces"},
		{"line ends stay", "\r\n x \n\n", nil, "\r\n x \n\n"},
		{"trim markers", "x \n {{- .a -}} \n y", map[string]string{"a": "1"}, "x1y"},
		{"a literal brace", `{{"{{.a}}"}}`, nil, "{{.a}}"},
		{"a value", "[{{.a}}]", map[string]string{"a": "1"}, "[1]"},
		{"a value that is absent", "[{{.a}}]", nil, "[]"},
		{"a value that is absent, by index", `[{{index . "file-path"}}]`, nil, "[]"},
		{"a value by index", `{{index . "file-path"}}{{index $ "file-path"}}`, map[string]string{"file-path": "x"}, "xx"},
		{"a byte by index", `{{index . "a" 1}}`, map[string]string{"a": "xyz"}, "121"},
		{"a condition that holds", "{{if .a}}yes{{else}}no{{end}}", map[string]string{"a": "1"}, "yes"},
		{"a condition that does not hold", "{{if .a}}yes{{else}}no{{end}}", nil, "no"},
		{"the dot in with", "{{with .a}}[{{.}}]{{$.b}}{{end}}", map[string]string{"a": "1", "b": "2"}, "[1]2"},
		{"the dot in else", "{{with .a}}{{else}}{{.b}}{{end}}", map[string]string{"b": "2"}, "2"},
		{"a variable", "{{$x := .a}}{{$x}}{{$x}}", map[string]string{"a": "1"}, "11"},
		{"a variable assigned again", "{{$x := .a}}{{if .b}}{{$x = .b}}{{end}}{{$x}}", map[string]string{"a": "1", "b": "2"}, "2"},
		{"a variable for all", "{{$all := .}}{{with .a}}{{$all.b}}{{end}}", map[string]string{"a": "1", "b": "2"}, "2"},
		{"a variable for all that another hides", "{{$x := .}}{{with $x := .a}}{{$x}}{{end}}{{$x.b}}", map[string]string{"a": "1", "b": "2"}, "12"},
		{"the dot in parentheses", "{{(.).a}}", map[string]string{"a": "1"}, "1"},
		{"built-in functions", `{{or .a "none"}} {{len .b}} {{printf "%q" .b}} {{and .b .a}}|{{eq .a ""}} {{html .b}} {{js .b}} {{urlquery .b}} {{slice .b 1}} {{not .a}} {{print .b}}`,
			map[string]string{"b": "<x"}, `none 2 "<x" |true &lt;x \u003Cx %3Cx x true <x`},
		{"range with break and continue", `{{range slice .b 0 0 | printf "%s" | len}}{{if .}}{{continue}}{{end}}{{break}}{{end}}{{range 2}}{{.}}{{end}}`, nil, "01"},
		{"a variable of a range that is assigned", "{{range $x := list .a}}{{range 2}}[{{$x}}]{{$x = nothing}}{{end}}{{end}}", map[string]string{"a": "1"}, "[1][]"},
		{"a variable of a range that another hides", "{{range $x := list .a}}{{$x := nothing}}[{{$x}}]{{end}}", map[string]string{"a": "1"}, "[]"},
		{"variables of a range", "{{range $i, $x := list .a}}{{$i}}{{$x}}{{end}}", map[string]string{"a": "x, y"}, "0x1y"},
		{"fence", "{{fence .a .b}}", map[string]string{"a": "go", "b": "```"}, "````go\n```\n````"},
		{"fence without a language", "{{fence .a .b}}", map[string]string{"b": "x"}, "```\nx\n```"},
		{"fence behind a pipe", "{{.b | fence .a}}", map[string]string{"a": "go", "b": "x"}, "```go\nx\n```"},
		{"untrusted", `{{untrusted "the issue" .a}}`, map[string]string{"a": "x\n"}, prompts.Untrusted("the issue", "x\n")},
		{"untrusted behind a pipe", `{{.a | untrusted "the issue"}}`, map[string]string{"a": "x"}, prompts.Untrusted("the issue", "x")},
		{"json", "{{json .a}}", map[string]string{"a": "<a href=\"x\">&\n\u00fc"}, `"<a href=\"x\">&\nü"`},
		{"json of what is absent", "{{json .a}}", nil, `""`},
		{"json of a number and of nothing", "{{json 1}} {{json nil}} {{nothing | json}}", nil, "1 null null"},
		{"a function of the author's", "{{shout .a}}", map[string]string{"a": "x"}, "X"},
		{"a function that returns nothing", "[{{nothing}}]", nil, "[]"},
		{"a partial", `{{template "b" .}}{{template "b" $}}`, map[string]string{"b": "2"}, "<2><2>"},
		{"a partial in with", `{{with .a}}{{template "b" $}}{{template "dot" .}}{{end}}`, map[string]string{"a": "1", "b": "2"}, "<2>(1)"},
		{"a partial without a value", `{{template "plain"}}`, nil, "plain"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, err := prompttemplate.New(withArguments("a", "b", "file-path"), options, prompttemplate.User(c.text), all)
			require.NoError(t, err)
			texts, logged, err := get(t, p, c.args)
			require.NoError(t, err, logged)
			assert.Equal(t, c.want, texts[0])
		})
	}
}

// A value is data, whatever it looks like.
func TestValuesStayAsTheyAre(t *testing.T) {
	t.Parallel()
	p, err := prompttemplate.New(withArguments("a"), prompttemplate.Options{Partials: map[string]string{"p": "{{.a}}"}},
		prompttemplate.User(`{{.a}}`), prompttemplate.Assistant(`{{template "p" .}}`), prompttemplate.User(`{{with .a}}{{.}}{{end}}`))
	require.NoError(t, err)
	for _, value := range []string{
		"{{", "}}", "{{.a}}", "{{- .a -}}", `{{template "p" .}}`, "{{/*", "{{end}}", "```\nx\n```", "`", "a\r\nb\x00\x1f", " x ", "\n",
		"<no value>", "%s%!d", `\n"'`, "<b>&amp;", "äöü 日本 👩‍👩‍👧 \u2028\u202e\ufeff\ufffd", strings.Repeat("{{.a}}", 10_000),
	} {
		texts, _, err := get(t, p, map[string]string{"a": value})
		require.NoError(t, err)
		assert.Equal(t, []string{value, value, value}, texts)
	}
}

func TestMessages(t *testing.T) {
	t.Parallel()
	content := &prompts.Image{Data: []byte{1}, MIMEType: "image/png"}
	p, err := prompttemplate.New(withArguments("a"), prompttemplate.Options{},
		prompttemplate.User("{{.a}}?"),
		prompttemplate.Message{Role: prompts.RoleAssistant, Content: content},
		prompttemplate.Assistant("{{.a}}."))
	require.NoError(t, err)
	got, err := p.Render(context.Background(), map[string]string{"a": "1"})
	require.NoError(t, err)
	assert.Equal(t, prompts.Messages(prompts.User("1?"), prompts.Message{Role: prompts.RoleAssistant, Content: content}, prompts.Assistant("1.")), got)
}

// What the author changes afterwards changes nothing.
func TestDeclarationIsCopied(t *testing.T) {
	t.Parallel()
	messages := []prompttemplate.Message{prompttemplate.User(`{{f}}{{template "p"}}`)}
	options := prompttemplate.Options{
		Funcs:    template.FuncMap{"f": func() string { return "f" }},
		Partials: map[string]string{"p": "p"},
	}
	p, err := prompttemplate.New(withArguments(), options, messages...)
	require.NoError(t, err)
	messages[0] = prompttemplate.User("other")
	options.Funcs["f"] = func() string { return "other" }
	options.Partials["p"] = "other"
	texts, _, err := get(t, p, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"fp"}, texts)
}

// A client gets no details of an error in a template. The log has all of them.
func TestTemplateThatFails(t *testing.T) {
	t.Parallel()
	options := prompttemplate.Options{Funcs: template.FuncMap{
		"fail":  func() (string, error) { return "half", errors.New("the secret reason") },
		"panic": func() string { panic("the secret reason") },
		"blame": func(string) (string, error) { return "", prompts.InvalidArgument("a", "is no colour") },
	}}
	for _, c := range []struct{ name, text, want, logged string }{
		{"an error", "{{.a}}\n{{fail}}", `^internal error: prompt "p" failed \(error id [0-9a-f]{8}\) \(-32603\)$`, `message 1, line 2: error calling fail: the secret reason`},
		{"a panic", "{{.a}}{{panic}}", `^internal error: prompt "p" failed \(error id [0-9a-f]{8}\) \(-32603\)$`, "error calling panic: the secret reason"},
		{"an index that is out of range", "{{index .a 9}}", `^internal error: prompt "p" failed \(error id [0-9a-f]{8}\) \(-32603\)$`, "out of range: 9"},
		{"JSON of invalid UTF-8", `{{.a}}{{json "\xff"}}`, `^internal error: prompt "p" failed \(error id [0-9a-f]{8}\) \(-32603\)$`, "error calling json: invalid UTF-8"},
		{"an argument that is to blame", "{{blame .a}}", `^invalid arguments for prompt "p": a: is no colour \(-32602\)$`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, err := prompttemplate.New(withArguments("a"), options, prompttemplate.User(c.text))
			require.NoError(t, err)
			texts, logged, err := get(t, p, map[string]string{"a": "x"})
			require.Error(t, err)
			assert.Regexp(t, c.want, err.Error())
			assert.Nil(t, texts)
			assert.Contains(t, logged, c.logged)
		})
	}
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	p, err := prompttemplate.New(withArguments("a"), prompttemplate.Options{Partials: map[string]string{"p": "{{json .a}}"}},
		prompttemplate.User(`{{.a}} {{template "p" .}} {{with $x := .a}}{{$x}}{{end}}`))
	require.NoError(t, err)
	typed, err := prompttemplate.NewTyped[Review](prompts.Prompt{Name: "p"}, prompttemplate.Options{}, prompttemplate.User(allOfReview))
	require.NoError(t, err)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 50 {
				a := fmt.Sprintf("%d-%d", i, j)
				texts, _, err := get(t, p, map[string]string{"a": a})
				assert.NoError(t, err)
				assert.Equal(t, []string{fmt.Sprintf("%s %q %s", a, a, a)}, texts)
				texts, _, err = get(t, typed, map[string]string{"code": a})
				assert.NoError(t, err)
				assert.Equal(t, []string{a + "0{0}"}, texts)
			}
		})
	}
	wg.Wait()
}

// A template that repeats itself ends with its context, and at a size.
func TestEndlessTemplate(t *testing.T) {
	t.Parallel()
	type in struct{ N int }
	p, err := prompttemplate.NewTyped[in](prompts.Prompt{Name: "p"}, prompttemplate.Options{
		Funcs: template.FuncMap{"large": func() string { return strings.Repeat("x", 1<<20) }},
	}, prompttemplate.User("{{range .N}}{{large}}{{end}}"))
	require.NoError(t, err)
	var reg prompts.Registry
	reg.MustAdd(p)
	var log strings.Builder
	s := prompts.MustNewServer(&reg, prompts.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	_, err = s.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"p","arguments":{"N":"9"}}`), prompts.CallOptions{Version: "2025-11-25"})
	assert.NoError(t, err)
	_, err = s.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"p","arguments":{"N":"1000000"}}`), prompts.CallOptions{Version: "2025-11-25"})
	assert.ErrorContains(t, err, "-32603")
	assert.Contains(t, log.String(), "exceed the limit of 33554432 bytes")

	ctx, cancel := context.WithCancel(t.Context())
	ends, err := prompttemplate.NewTyped[in](prompts.Prompt{Name: "ends"}, prompttemplate.Options{
		Funcs: template.FuncMap{"stop": func() string { cancel(); return "x" }},
	}, prompttemplate.User("{{range .N}}{{stop}}{{end}}"))
	require.NoError(t, err)
	reg.MustAdd(ends)
	_, err = s.Call(ctx, "prompts/get", json.RawMessage(`{"name":"ends","arguments":{"N":"1000000000000"}}`), prompts.CallOptions{Version: "2025-11-25"})
	assert.ErrorIs(t, err, context.Canceled)
}
