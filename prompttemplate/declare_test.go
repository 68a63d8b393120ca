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

// Each template belongs to a prompt with the arguments code, language and
// file-path, the first message of which uses all three.
func TestErrorsOfATemplate(t *testing.T) {
	t.Parallel()
	const all = `{{.code}}{{.language}}{{index . "file-path"}}`
	options := prompttemplate.Options{
		Funcs: template.FuncMap{"shout": strings.ToUpper},
		Partials: map[string]string{
			"focus": "{{.code}}",
			"deep":  `{{template "focus" .}}`,
			"lost":  "a\n{{.nothing}}",
		},
	}
	for _, c := range []struct{ name, text, want string }{
		{"an action that does not end", "{{.code", "line 1: unclosed action; close the action with }}"},
		{"one brace at the end", "a\n{{.code}", `line 2: action ends with one brace in place of two; close the action with }}, or write {{"{{"}} for a literal {{`},
		{"one brace of LaTeX", "$e^{{code}^2}$", `line 1: action ends with one brace in place of two; close the action with }}, or write {{"{{"}} for a literal {{`},
		{"a partial of Handlebars", "{{> shared/style}}", `line 1: unexpected ">" in command; write {{template "shared/style" .}}`},
		{"a partial without quotes", "{{template style .}}", `line 1: unexpected "style" in template clause; write {{template "style" .}}`},
		{"a loop of Handlebars", "{{#each code}}{{/each}}", `line 1: unexpected "#" in command; write {{range list .names}} and {{end}}`},
		{"unless of Handlebars", "{{#unless code}}{{/unless}}", `line 1: unexpected "#" in command; write {{if not .name}} and {{end}}`},
		{"a comment of Jinja", "{{# note #}}", `line 1: unexpected "#" in command; write {{/* text */}} for a comment, or {{"{{"}} for a literal {{`},
		{"three braces", "{{{code}}}", `line 1: unexpected "{" in command; write {{.code}}`},
		{"a filter of Jinja", `{{.code | default "none"}}`, `line 1: unknown function "default"; write {{or .name "text"}}`},
		{"a hyphen in a name", "{{.file-path}}", `line 1: unexpected hyphen in .file-path; write index . "file-path"`},
		{"a trim marker without its space", "{{.code-}}", `line 1: bad character U+002D '-'; write {{index . "the-name"}} for a name with a hyphen, and {{.name -}} for a trim marker`},
		{"another character in a name", "{{.code§}}", `line 1: bad character U+00A7 '§'; write {{index . "the name"}} for a name that is not an identifier`},
		{"a block that does not end", "{{if .code}}x\n", "line 2: missing {{end}} of an if, range or with; add {{end}}"},
		{"an end too many", "x{{end}}", "line 1: unexpected {{end}}; remove {{end}}, or open an if, range or with before"},
		{"an else too many", "{{else}}", "line 1: unexpected {{else}}; use {{else}} inside of if, range or with"},
		{"nothing between the braces", "{{}}", `line 1: missing value for command; write a value between the braces, or {{"{{"}} for a literal {{`},
		{"a variable that is not there", "{{$x}}", `line 1: undefined variable "$x"; write {{.x}} for an argument, or declare the variable in the same block with {{$name := ...}}`},
		{"a comment that does not end", "{{/* x }}", "line 1: unclosed comment; close the comment with */}}"},
		{"a text that does not end", `{{"x}}`, "line 1: unterminated quoted string"},

		{"an operator", `{{if .code == "x"}}{{end}}`, `line 1: unknown operator "=="; write eq .code "x"`},
		{"an operator and names without a dot", "a\n{{if code != 'x'}}{{end}}", `line 2: unknown operator "!="; write ne .code "x"`},
		{"an operator of logic", "{{if .code && $x}}{{end}}", `line 1: unknown operator "&&"; write and .code $x`},
		{"an order", "{{if .code >= 3}}{{end}}", `line 1: unknown operator ">="; write ge .code 3`},
		{"single quotes", "{{if eq .code 'abc'}}{{end}}", "line 1: string in single quotes: 'abc'; write \"abc\""},
		{"elif", "{{if .code}}{{elif .code}}{{end}}", `line 1: unknown function "elif"; write {{else if .name}}`},
		{"endif", "{{if .code}}\nx{{endif}}\n", `line 2: unknown keyword "endif"; write {{end}}`},
		{"end if", "{{if .code}}x{{end if}}", `line 1: unknown keyword "end if"; write {{end}}`},
		{"foreach", "{{foreach .code}}x{{end}}", `line 1: unknown keyword "foreach"; write {{range list .name}}`},
		{"a loop above", "{{if .code}}\n{{ for .code}}\nx{{end}}{{end}}", `line 2: unknown keyword "for"; write {{range list .name}}`},
		{"unless with an end", "{{unless .code}}x{{end}}", `line 1: unknown keyword "unless"; write {{if not .name}}`},
		{"unless", "{{unless .code}}", `line 1: unknown function "unless"; write {{if not .name}}`},

		{"a wrong letter", "\n\n{{.langauge}}", `line 3: unknown argument "langauge"; did you mean "language"?`},
		{"another case", "{{.Code}}", `line 1: unknown argument "Code"; did you mean "code"?`},
		{"a beginning", "{{.lang}}", `line 1: unknown argument "lang"; did you mean "language"?`},
		{"another separator", "{{.file_path}}", `line 1: unknown argument "file_path"; did you mean "file-path"?`},
		{"nothing that is near", "{{.tone}}", `line 1: unknown argument "tone"; declare the argument, or use one of: code, language, file-path`},
		{"by index", `{{index . "file-paht"}}`, `line 1: unknown argument "file-paht"; did you mean "file-path"?`},
		{"by index of $", `{{index $ "cod"}}`, `line 1: unknown argument "cod"; did you mean "code"?`},
		{"by index of a dot in parentheses", `{{index (.) "cod"}}`, `line 1: unknown argument "cod"; did you mean "code"?`},
		{"in a condition", "{{if .cod}}{{end}}", `line 1: unknown argument "cod"; did you mean "code"?`},
		{"in a branch", "{{if .code}}{{.cod}}{{end}}", `line 1: unknown argument "cod"; did you mean "code"?`},
		{"in the last branch", "{{if .code}}{{else if .language}}{{else}}{{.cod}}{{end}}", `line 1: unknown argument "cod"; did you mean "code"?`},
		{"in with, by $", "{{with .code}}{{.any}}{{$.cod}}{{end}}", `line 1: unknown argument "cod"; did you mean "code"?`},
		{"in range, by $", "{{range list .code}}{{.any}}{{$.cod}}{{end}}", `line 1: unknown argument "cod"; did you mean "code"?`},
		{"behind with", "{{with .code}}{{end}}{{.cod}}", `line 1: unknown argument "cod"; did you mean "code"?`},
		{"in the else of with", "{{with .code}}{{else}}{{.cod}}{{end}}", `line 1: unknown argument "cod"; did you mean "code"?`},
		{"in the else of range", "{{range list .code}}{{else}}{{.cod}}{{end}}", `line 1: unknown argument "cod"; did you mean "code"?`},
		{"in else with", "{{with .code}}{{else with .cod}}{{end}}", `line 1: unknown argument "cod"; did you mean "code"?`},
		{"by a variable for all", "{{$all := .}}{{with .code}}{{$all.cod}}{{end}}", `line 1: unknown argument "cod"; did you mean "code"?`},
		{"in a declaration", "{{$x := .cod}}", `line 1: unknown argument "cod"; did you mean "code"?`},
		{"in parentheses", `{{print (print .cod)}}`, `line 1: unknown argument "cod"; did you mean "code"?`},
		{"of a dot in parentheses", "{{(.).cod}}", `line 1: unknown argument "cod"; did you mean "code"?`},
		{"behind a pipe", "{{.cod | json}}", `line 1: unknown argument "cod"; did you mean "code"?`},
		{"in what a partial gets", `{{template "focus" .cod}}`, `line 1: unknown argument "cod"; did you mean "code"?`},
		{"in a variable of a branch", "{{$x := .}}{{if .code}}{{$x := .code}}{{$x.any}}{{end}}{{$x.cod}}", `line 1: unknown argument "cod"; did you mean "code"?`},
		{"in the else of a branch that hides the variable", "{{$x := .}}{{if .code}}{{$x := .code}}{{$x.any}}{{else}}{{$x.cod}}{{end}}", `line 1: unknown argument "cod"; did you mean "code"?`},
		{"a field of a text", "{{.code.line}}", `line 1: argument "code" is a string and has no field "line"`},

		{"the dot", "{{.}}", "line 1: {{.}} means all arguments; use a single argument, for example {{.code}}"},
		{"the dollar", "{{$}}", "line 1: {{.}} means all arguments; use a single argument, for example {{.code}}"},
		{"the dot in parentheses", "{{(.)}}", "line 1: {{.}} means all arguments; use a single argument, for example {{.code}}"},
		{"the dot for a function", "{{json .}}", "line 1: {{.}} means all arguments; use a single argument, for example {{.code}}"},
		{"the dot before a pipe", "{{. | json}}", "line 1: {{.}} means all arguments; use a single argument, for example {{.code}}"},
		{"the dot in if", "{{if .}}{{end}}", "line 1: {{.}} means all arguments; use a single argument, for example {{.code}}"},
		{"the dot in with", "{{with .}}{{end}}", "line 1: {{.}} means all arguments; use a single argument, for example {{.code}}"},
		{"the dot in range", "{{range .}}{{.any}}{{end}}", "line 1: {{.}} means all arguments; use a single argument, for example {{.code}}"},
		{"an index that is no literal", "{{index . .code}}", "line 1: {{.}} means all arguments; use a single argument, for example {{.code}}"},
		{"an index that is the dot", `{{index . "code" .}}`, "line 1: {{.}} means all arguments; use a single argument, for example {{.code}}"},
		{"an index of nothing", `{{index .}}`, "line 1: {{.}} means all arguments; use a single argument, for example {{.code}}"},
		{"a variable for all, by itself", "{{$x := .}}{{$x}}", "line 1: {{.}} means all arguments; use a single argument, for example {{.code}}"},
		{"a variable for all, assigned again", "{{$x := .}}{{$x = .code}}", "line 1: cannot assign {{.}} (all arguments) to $x, or replace {{.}} in $x; declare another variable"},
		{"another variable assigned all", "{{$x := .code}}{{$x = .}}", "line 1: cannot assign {{.}} (all arguments) to $x, or replace {{.}} in $x; declare another variable"},

		{"an argument as a function", "{{code}}", `line 1: unknown function "code"; did you mean {{.code}}?`},
		{"a function that is not there", "{{twist .code}}", `line 1: unknown function "twist"; use one of the functions list, print, gt, js, lt, not, printf, shout, slice, and, eq, fence, ge, html, index, json, le, len, ne, or, println, untrusted, urlquery; or {{"{{"}} for a literal {{`},
		{"a function's name misspelled", "{{untrustd .code}}", `line 1: unknown function "untrustd"; did you mean "untrusted"?`},
		{"a function of the author's misspelled", "{{.code | shuot}}", `line 1: unknown function "shuot"; did you mean "shout"?`},
		{"a function in parentheses", "{{print (twist)}}", `line 1: unknown function "twist"; use {{.name}} for an argument, or {{"{{"}} for a literal {{`},
		{"a function as a value", "{{print twist}}", `line 1: unknown function "twist"; use {{.name}} for an argument, or {{"{{"}} for a literal {{`},
		{"arguments for an argument", "{{.code 1}}", "line 1: .code is a value and not a function; write {{function .code}} or {{.code | function}}"},
		{"arguments for an argument of $", "{{$.code 1}}", "line 1: $.code is a value and not a function; write {{function $.code}} or {{$.code | function}}"},
		{"arguments for a literal", "{{1 2}}", "line 1: 1 is a value and not a function; write {{function 1}} or {{1 | function}}"},
		{"arguments for a variable", "{{$x := .code}}{{$x 1}}", "line 1: $x is a value and not a function; write {{function $x}} or {{$x | function}}"},
		{"a pipe into an argument", `{{"x" | .code}}`, "line 1: .code is a value and not a function; write {{function .code}} or {{.code | function}}"},
		{"nil", "{{nil}}", "line 1: nil is not a value"},

		{"a partial that is not there", `{{template "header" .}}`, `line 1: unknown partial "header"; create the partial: the file _partials/header.md, or Options.Partials in Go`},
		{"a partial's name misspelled", `{{template "focsu" .}}`, `line 1: unknown partial "focsu"; did you mean "focus"?`},
		{"a definition", `x{{define "header"}}y{{end}}`, `line 1: {{define "header"}} is not supported; move the template to a partial`},
		{"a block", `x
{{block "header" .}}y{{end}}`, `line 2: {{define "header"}} is not supported; move the template to a partial`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, err := prompttemplate.New(withArguments("code", "language", "file-path"), options,
				prompttemplate.User(all), prompttemplate.User(c.text))
			assert.EqualError(t, err, `prompt "p": message 2, `+c.want)
			assert.Zero(t, p)
		})
	}
}

// Each error is compared with all arguments, so the number of errors is limited.
func TestVeryManyErrors(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, "{{.a%d}}", i)
	}
	_, err := prompttemplate.New(withArguments("code"), prompttemplate.Options{}, prompttemplate.User(text.String()))
	require.Error(t, err)
	lines := strings.Split(err.Error(), "\n")
	assert.Len(t, lines, 101)
	assert.Contains(t, lines[99], `unknown argument "a99"`)
	assert.Equal(t, `prompt "p": too many errors (100); fix these first`, lines[100])
}

func TestErrorsInPartials(t *testing.T) {
	t.Parallel()
	const missing = `unknown argument "cod"; did you mean "code"?`
	for _, c := range []struct {
		name, text string
		partials   map[string]string
		want       []string
	}{
		{"a wrong name", `{{.code}}{{template "a" .}}`, map[string]string{"a": "\n{{.cod}}"}, []string{`partial "a", line 2: ` + missing}},
		{"called with $", `{{.code}}{{template "a" $}}`, map[string]string{"a": "{{.cod}}"}, []string{`partial "a", line 1: ` + missing}},
		{"called with a variable", `{{$x := .}}{{.code}}{{template "a" $x}}`, map[string]string{"a": "{{$.cod}}"}, []string{`partial "a", line 1: ` + missing}},
		{"through another", `{{.code}}{{template "a" .}}`, map[string]string{"a": `{{template "b" .}}`, "b": "{{.cod}}"}, []string{`partial "b", line 1: ` + missing}},
		{"only one of two calls has all", `{{template "a" .code}}{{template "a" .}}`, map[string]string{"a": "{{.cod}}{{twist}}"},
			[]string{`partial "a", line 1: unknown function "twist"; use {{.name}} for an argument, or {{"{{"}} for a literal {{`, `partial "a", line 1: ` + missing}},
		{"called without a value", "{{.code}}\n{{template \"a\"}}", map[string]string{"a": "{{.code}}{{$}}"},
			[]string{`message 1, line 2: partial "a" is called without arguments, but partial "a", line 1 uses {{.code}}; write {{template "a" .}}`}},
		{"called without a value, through another", "{{.code}}\n{{template \"b\"}}", map[string]string{"a": "{{.code}}", "b": `{{template "a" .}}`},
			[]string{`message 1, line 2: partial "b" is called without arguments, but partial "a", line 1 uses {{.code}}; write {{template "b" .}}`}},
		{"a partial that calls itself", `{{.code}}{{template "a" .}}`, map[string]string{"a": `{{template "a" .code}}`},
			[]string{`partial "a", line 1: recursive partial: a -> a; use {{range}} for repetition`}},
		{"partials that call each other", `{{.code}}{{template "a" .}}`, map[string]string{"a": `{{template "b" .}}`, "b": "\n{{template \"c\" .}}", "c": `{{template "b" .}}`},
			[]string{`partial "c", line 1: recursive partial: b -> c -> b; use {{range}} for repetition`}},
		{"nobody calls it", `{{.code}}`, map[string]string{"a": `{{.any}}{{$.any}}{{twist}}{{template "b" .}}{{template "a"}}`}, []string{
			`partial "a", line 1: unknown function "twist"; use {{.name}} for an argument, or {{"{{"}} for a literal {{`,
			`partial "a", line 1: recursive partial: a -> a; use {{range}} for repetition`,
			`partial "a", line 1: unknown partial "b"; create the partial: the file _partials/b.md, or Options.Partials in Go`}},
		{"it cannot be parsed", `{{template "a" .}}`, map[string]string{"a": "{{.code"}, []string{`partial "a", line 1: unclosed action; close the action with }}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := prompttemplate.New(withArguments("code"), prompttemplate.Options{Partials: c.partials}, prompttemplate.User(c.text))
			assert.EqualError(t, err, `prompt "p": `+strings.Join(c.want, "\n"+`prompt "p": `))
		})
	}
}

func TestErrorsOfADeclaration(t *testing.T) {
	t.Parallel()
	code := prompttemplate.User("{{.code}}")
	rendered := withArguments("code")
	rendered.Render = func(context.Context, map[string]string) (*prompts.Result, error) { return nil, nil }
	typed := prompts.New(withArguments(), func(context.Context, struct{}) (*prompts.Result, error) { return nil, nil })
	funcs := func(name string, f any) prompttemplate.Options {
		return prompttemplate.Options{Funcs: template.FuncMap{name: f}}
	}
	for _, c := range []struct {
		name     string
		prompt   prompts.Prompt
		options  prompttemplate.Options
		messages []prompttemplate.Message
		want     []string
	}{
		{"no messages", withArguments("code"), prompttemplate.Options{}, nil, []string{"prompt has no messages; add one, for example User(text)"}},
		{"an empty message", withArguments(), prompttemplate.Options{}, []prompttemplate.Message{prompttemplate.User("")}, []string{"message 1: message is empty; set Text or Content"}},
		{"a blank message", withArguments(), prompttemplate.Options{}, []prompttemplate.Message{prompttemplate.Assistant(" \n{{/* x */}}")}, []string{"message 1: text contains only white space and comments; write the text"}},
		{"text and content", withArguments(), prompttemplate.Options{}, []prompttemplate.Message{{Role: prompts.RoleUser, Text: "x", Content: &prompts.Text{Text: "x"}}}, []string{"message 1: message has both Text and Content; split the message in two"}},
		{"content that is nil", withArguments(), prompttemplate.Options{}, []prompttemplate.Message{{Role: prompts.RoleUser, Content: (*prompts.Text)(nil)}}, []string{"message 1: message has a nil pointer as Content"}},
		{"no role", withArguments(), prompttemplate.Options{}, []prompttemplate.Message{{Text: "x"}}, []string{`message 1: unknown role ""; use User or Assistant`}},
		{"another role", withArguments(), prompttemplate.Options{}, []prompttemplate.Message{{Role: "system", Content: &prompts.Text{Text: "x"}}}, []string{`message 1: unknown role "system"; use User or Assistant`}},
		{"a render function", rendered, prompttemplate.Options{}, []prompttemplate.Message{code}, []string{"prompt has a render function and messages; remove Render: the messages are rendered"}},
		{"a render function with a struct", typed, prompttemplate.Options{}, []prompttemplate.Message{prompttemplate.User("x")}, []string{"prompt has a render function and messages; remove Render: the messages are rendered"}},
		{"an argument that is not used", withArguments("code", "file-path"), prompttemplate.Options{}, []prompttemplate.Message{code},
			[]string{`argument "file-path" is never used; add {{index . "file-path"}} to a message, or remove the argument`}},
		{"an argument that only a partial uses that nobody calls", withArguments("code"), prompttemplate.Options{Partials: map[string]string{"a": "{{.code}}"}}, []prompttemplate.Message{prompttemplate.User("x")},
			[]string{`argument "code" is never used; add {{.code}} to a message, or remove the argument`}},
		{"an argument that begins with a digit", withArguments("2nd"), prompttemplate.Options{}, []prompttemplate.Message{prompttemplate.User("x")},
			[]string{`argument "2nd" is never used; add {{index . "2nd"}} to a message, or remove the argument`}},
		{"no arguments at all", withArguments(), prompttemplate.Options{}, []prompttemplate.Message{prompttemplate.User("{{.}}{{.code}}")},
			[]string{"message 1, line 1: {{.}} means all arguments; use a single argument", `message 1, line 1: unknown argument "code"; declare the argument`}},
		{"many arguments", withArguments("a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "b1", "b2", "b3", "b4"), prompttemplate.Options{},
			[]prompttemplate.Message{prompttemplate.User("{{.a1}}{{.a2}}{{.a3}}{{.a4}}{{.a5}}{{.a6}}{{.a7}}{{.a8}}{{.a9}}{{.b1}}{{.b2}}{{.b3}}{{.b4}}{{.tone}}")},
			[]string{`message 1, line 1: unknown argument "tone"; declare the argument, or use one of: a1, a2, a3, a4, a5, a6, a7, a8, a9, b1, b2, b3 and 1 more`}},
		{"an index of the author's, which may do anything with all arguments", withArguments("code"), funcs("index", func(map[string]string, string) string { return "" }), []prompttemplate.Message{prompttemplate.User(`{{.code}}{{index . "any"}}`)},
			[]string{"message 1, line 1: {{.}} means all arguments; use a single argument, for example {{.code}}"}},
		{"a function that is ours", withArguments("code"), funcs("fence", strings.ToUpper), []prompttemplate.Message{code}, []string{`function name "fence" is reserved; rename the function`}},
		{"a function that is none", withArguments("code"), funcs("f", "x"), []prompttemplate.Message{code}, []string{`function "f" is nil or not a function`}},
		{"a function that is nil", withArguments("code"), funcs("f", (func() string)(nil)), []prompttemplate.Message{code}, []string{`function "f" is nil or not a function`}},
		{"a function that is nothing", withArguments("code"), funcs("f", nil), []prompttemplate.Message{code}, []string{`function "f" is nil or not a function`}},
		{"a function without a result", withArguments("code"), funcs("f", func() {}), []prompttemplate.Message{code}, []string{`function "f": function f has 0 return values; should be 1 or 2`}},
		{"a function's name that is none", withArguments("code"), funcs("f-g", strings.ToUpper), []prompttemplate.Message{code}, []string{`function "f-g": function name "f-g" is not a valid identifier`}},
		{"everything at once", rendered, funcs("json", strings.ToUpper), []prompttemplate.Message{prompttemplate.User(""), prompttemplate.User("{{.cod}}\n{{twist}}"), {Text: "{{.tone}}"}}, []string{
			"prompt has a render function and messages; remove Render: the messages are rendered",
			`function name "json" is reserved; rename the function`,
			"message 1: message is empty; set Text or Content",
			`message 3: unknown role ""; use User or Assistant`,
			`message 2, line 1: unknown argument "cod"; did you mean "code"?`,
			`message 2, line 2: unknown function "twist"; use {{.name}} for an argument, or {{"{{"}} for a literal {{`,
			`message 3, line 1: unknown argument "tone"; declare the argument, or use one of: code`,
			`argument "code" is never used; add {{.code}} to a message, or remove the argument`}},
		{"an action over several messages", withArguments("code"), prompttemplate.Options{}, []prompttemplate.Message{prompttemplate.User("a\n{{if .code}}"), prompttemplate.Assistant("{{.code}}"), prompttemplate.User("{{end}}")},
			[]string{"message 1, line 2: message cannot begin inside of an if, range or with; end the action in this message, and begin the action again in the next"}},
		{"what cannot be parsed may use the argument", withArguments("code"), prompttemplate.Options{}, []prompttemplate.Message{prompttemplate.User("{{.code"), prompttemplate.User("{{.cod}}")}, []string{
			"message 1, line 1: unclosed action; close the action with }}",
			`message 2, line 1: unknown argument "cod"; did you mean "code"?`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := prompttemplate.New(c.prompt, c.options, c.messages...)
			assert.EqualError(t, err, `prompt "p": `+strings.Join(c.want, "\n"+`prompt "p": `))
		})
	}
}

// The rest of a prompt is for the registry to judge.
func TestRegistryJudgesTheRest(t *testing.T) {
	t.Parallel()
	p, err := prompttemplate.New(prompts.Prompt{Arguments: []prompts.Argument{{Name: "a"}, {Name: "a"}}}, prompttemplate.Options{}, prompttemplate.User("{{.a}}"))
	require.NoError(t, err)
	var reg prompts.Registry
	assert.EqualError(t, reg.Add(p), `prompt "": Name is empty
prompt "": argument "a": argument is declared twice`)
}

func TestMust(t *testing.T) {
	t.Parallel()
	p := prompttemplate.Must(prompttemplate.New(withArguments("code"), prompttemplate.Options{}, prompttemplate.User("{{.code}}")))
	assert.Equal(t, "p", p.Name)
	assert.PanicsWithError(t, `prompttemplate: prompt "p": prompt has no messages; add one, for example User(text)`, func() {
		prompttemplate.Must(prompttemplate.New(withArguments(), prompttemplate.Options{}))
	})
}
