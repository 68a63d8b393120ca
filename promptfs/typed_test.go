package promptfs_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"text/template"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
)

// front declares an argument of each type.
const front = `---
arguments:
  - {name: s}
  - {name: date, pattern: '^\d{4}-\d\d-\d\d$'}
  - {name: i, type: integer}
  - {name: n, type: number}
  - {name: b, type: boolean}
  - {name: tags, type: array}
  - {name: ints, type: array, items: {type: integer}}
  - {name: nums, type: array, items: {type: number}, default: [0.5, 2]}
  - {name: bools, type: array, items: {type: boolean}}
---
{{if false}}{{.s}}{{.date}}{{.i}}{{.n}}{{.b}}{{.tags}}{{.ints}}{{.nums}}{{.bools}}{{end}}
`

// A value has the declared type in a template.
func TestTypedValues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		args       map[string]string
		want       string
	}{
		{"an integer", `{{if gt .i 3}}more{{else}}less{{end}} {{.i}} {{printf "%03d" .i}} {{json .i}}`, map[string]string{"i": "12"}, "more 12 012 12"},
		{"a negative integer", `{{if lt .i 0}}less{{end}}{{.i}}`, map[string]string{"i": "-7"}, "less-7"},
		{"an integer that is absent", `[{{.i}}]{{if .i}}yes{{else}}no{{end}}`, nil, "[0]no"},
		{"range over an integer", `{{range .i}}{{.}}{{end}}`, map[string]string{"i": "3"}, "012"},
		{"a number", `{{if gt .n 1.5}}more{{end}} {{if ge .n 2}}two{{end}} {{.n}} {{printf "%.2f" .n}}`, map[string]string{"n": "2.25"}, "more two 2.25 2.25"},
		{"a number and an integer", `{{lt .i .n}} {{eq .n .i}} {{eq .n 2}} {{le 2 .n}}`, map[string]string{"n": "2", "i": "2"}, "false true true true"},
		{"a boolean", `{{if .b}}yes{{end}}{{eq .b true}}{{not .b}}`, map[string]string{"b": "true"}, "yestruefalse"},
		{"dates", `{{if lt .date "2026-07-28"}}before{{else}}after{{end}} {{.date}}`, map[string]string{"date": "2026-11-22"}, "after 2026-11-22"},
		{"a list", `{{range $i, $t := .tags}}{{if $i}}, {{end}}{{$t}}{{else}}none{{end}} {{len .tags}} {{json .tags}}`, map[string]string{"tags": `["a","b,c"]`}, `a, b,c 2 ["a","b,c"]`},
		{"a list with commas", `{{range .tags}}[{{.}}]{{end}} {{index .tags 1}} {{slice .tags 1}}`, map[string]string{"tags": "a, b"}, "[a][b] b b"},
		{"a list that is absent", `{{range .tags}}x{{else}}none{{end}}{{json .tags}}`, nil, "none[]"},
		{"list of a list", `{{range list .tags}}[{{.}}]{{end}}`, map[string]string{"tags": "a, b"}, "[a][b]"},
		{"integers", `{{range .ints}}{{if gt . 1}}[{{.}}]{{end}}{{end}}{{json .ints}}`, map[string]string{"ints": "1, 2,3"}, "[2][3][1,2,3]"},
		{"numbers, by default", `{{range .nums}}{{if lt . 1.0}}[{{.}}]{{end}}{{end}}{{json .nums}}`, nil, "[0.5][0.5,2]"},
		{"large and small numbers", `{{.n}} {{print .n}} {{printf "%v" .n}} {{println .n}}{{range .nums}}{{.}} {{end}}{{.nums}} {{with .n}}{{.}}{{end}} {{$x := .n}}{{$x}} {{index . "n"}} {{$.n}} {{template "n" .n}}`,
			map[string]string{"n": "2500000", "nums": "[1e6, 100000000000000000000, 1e21, 0.000001, 0.0000001, -2.50]"},
			"2500000 2500000 2500000 2500000\n1000000 100000000000000000000 1e+21 0.000001 1e-7 -2.5 1000000, 100000000000000000000, 1e+21, 0.000001, 1e-7, -2.5 2500000 2500000 2500000 2500000 2500000"},
		{"formats of a number", `{{printf "%8v|%-8v|%s|%+v|%.1v|%.2f|%T|%d" .n "a" "b" .n .n .n .n 1}} {{printf "%[1]v %[1]v" .n}} {{printf "%v|%5.1f|%v" .nums 0.25 .tags}}`,
			map[string]string{"n": "2500000", "tags": "a,b"}, " 2500000|a       |b|2500000|2e+06|2500000.00|float64|1 2500000 2500000 0.5, 2|  0.2|a, b"},
		{"a number for a function", `{{half .n}} {{html .n}} {{fence "" .n}} {{untrusted .n .n}}`, map[string]string{"n": "5000000"},
			"2500000 5000000 ```\n5000000\n``` " + prompts.Untrusted("5000000", "5000000")},
		{"lists", `{{.tags}}|{{.ints}}|{{.bools}}|{{print .tags .ints}}|{{printf "%v %s %q %d" .ints .tags .tags .ints}}|{{html .tags}}|{{join .tags}}|{{range .tags}}{{.}};{{end}}|{{list .tags}}`,
			map[string]string{"tags": "a,<b", "ints": "[1,20]", "bools": "true"}, `a, <b|1, 20|true|a, <b 1, 20|1, 20 a, <b ["a" "<b"] [1 20]|a, &lt;b|a+<b|a;<b;|a, <b`},
		{"lists that are absent", `[{{.tags}}{{.ints}}]`, nil, "[]"},
		{"booleans", `{{range .bools}}{{if .}}+{{else}}-{{end}}{{end}}`, map[string]string{"bools": "[true,false]"}, "+-"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			funcs := template.FuncMap{"half": func(f float64) float64 { return f / 2 }, "join": func(l []string) string { return strings.Join(l, "+") }}
			fsys := fstest.MapFS{"_partials/n.md": {Data: []byte("{{.}}")}}
			p, err := promptfs.Parse(fsys, "p.md", []byte(front+c.text), promptfs.Options{Funcs: funcs})
			require.NoError(t, err)
			assert.Equal(t, c.want, strings.TrimPrefix(textsOf(t, p, c.args)[0], "\n"))
		})
	}
}

// A template that cannot work with a type is an error when it is loaded, where
// it stands: without running it, or when it is tried with made-up values.
func TestTypeErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"a string compared with a number", `x {{if gt .s 3}}{{end}}`, `p.md:14:11: gt with a number needs a number, but argument "s" is a string; declare type: integer, or type: number`},
		{"a number compared with a string", `{{if eq .i "3"}}{{end}}`, `p.md:14:9: eq with a string needs a string, but argument "i" is an integer; write the value without quotes`},
		{"a boolean compared with a string", `{{if eq "true" .b}}{{end}}`, `p.md:14:16: eq with a string needs a string, but argument "b" is a boolean; write the value without quotes`},
		{"a string compared with a boolean, behind a pipe", `{{if .s | eq true}}{{end}}`, `p.md:14:6: eq with a boolean needs a boolean, but argument "s" is a string; compare the argument with a string`},
		{"the order of a list", `{{if lt .tags .tags}}{{end}}`, `p.md:14:9: lt needs a string or a number, but argument "tags" is a list; use another argument, or declare its type`},
		{"range over a string", `{{range .s}}{{end}}`, `p.md:14:9: range needs an integer or a list, but argument "s" is a string; use {{range list .s}}, or declare type: array`},
		{"range over a boolean", `{{range $x := .b}}{{end}}`, `p.md:14:15: range needs an integer or a list, but argument "b" is a boolean; use another argument, or declare its type`},
		{"the length of an integer", `{{len .i}}`, `p.md:14:7: len needs a string or a list, but argument "i" is an integer; use another argument, or declare its type`},
		{"in with", `{{with .i}}{{if eq . "x"}}{{end}}{{end}}`, `p.md:14:8: eq with a string needs a string, but argument "i" is an integer; write the value without quotes`},
		{"an index that is no integer", `{{index .tags .s}}`, `p.md:14:15: index at a place needs an integer, but argument "s" is a string; declare type: integer, or type: number`},
		{"in a partial", `{{template "severe" .}}`, `p.md:14: partial "severe": _partials/severe.md:2:9: gt with a number needs a number, but argument "s" is a string; declare type: integer, or type: number`},

		{"an element compared, tried", `{{range .ints}}{{if eq . "x"}}{{end}}{{end}}`, `p.md:14:21: error calling eq: incompatible types for comparison: int and string`},
		{"a field of an element, tried", `{{range .tags}}{{.name}}{{end}}`, `p.md:14:18: can't evaluate field name in type string`},
		{"a variable, tried", `{{$x := .s}}{{range $x}}{{end}}`, `p.md:14:21: range cannot go through a string`},
		{"two arguments, tried", `{{if eq .s .i}}{{end}}`, `p.md:14:6: error calling eq: incompatible types for comparison: string and int`},
		{"a function's argument, tried", `{{shout .i}}`, `p.md:14:9: wrong type for value; expected string; got int`},
		{"a format, tried", `{{printf "%s" .i}}`, `p.md:14:3: error calling printf: format "%s" does not match its values, got "%!s(int=1)"; write a %v for each value`},
		{"a format without a value, tried", `{{printf "%d%% of %d" .i}}`, `p.md:14:3: error calling printf: format "%d%% of %d" does not match its values, got "%!d(MISSING)"; write a %v for each value`},
		{"a message that looks like a place, tried", `{{printf ">: %s" .i}}`, `p.md:14:3: error calling printf: format ">: %s" does not match its values, got "%!s(int=1)"; write a %v for each value`},
		{"a string that looks like a place, tried", "{{$x := .s}}{{slice `>: ` $x}}", `p.md:14:15: error calling slice: cannot index slice/array with type string`},
		{"a text that looks like a place, tried", `{{range $x := .i}}>: {{shout $x}}{{end}}`, `p.md:14:30: wrong type for value; expected string; got int`},
		{"a partial whose name looks like a place, tried", `{{template "a>: b" .s}}`, `p.md:14: partial "a>: b": _partials/a>: b.md:1:3: can't evaluate field name in type string`},
		{"beside a function of a fixed type, tried", `{{$x := shout .s}}{{range $x}}{{end}}`, `p.md:14:27: range cannot go through a string`},
		{"in a partial, tried", `{{template "field" .s}}`, `p.md:14: partial "field": _partials/field.md:1:3: can't evaluate field name in type string`},
		{"what is absent, tried", `{{with .tags}}{{else}}{{range $.s | print}}{{end}}{{end}}`, `p.md:14:31: range cannot go through a string`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			fsys := fstest.MapFS{
				"_partials/severe.md": {Data: []byte("\n{{if gt .s 3}}{{end}}")},
				"_partials/field.md":  {Data: []byte("{{.name}}")},
				"_partials/a>: b.md":  {Data: []byte("{{.name}}")},
			}
			_, err := promptfs.Parse(fsys, "p.md", []byte(front+c.text), promptfs.Options{Funcs: template.FuncMap{"shout": strings.ToUpper}})
			assert.EqualError(t, err, c.want)
		})
	}
}

// What the functions of the author return for made-up values may be of another
// type, so that nothing follows from it. Nor does it from a made-up format.
func TestTrialOfFunctions(t *testing.T) {
	t.Parallel()
	funcs := template.FuncMap{
		"parse": func(s string) any {
			if s == "x" {
				return s
			}
			return []string{s}
		},
		"find": func(s string) any {
			if s == "x" {
				return 1
			}
			return map[string]any{"n": s}
		},
		"age": func(s string) any { return s },
		"get": func() any { return func(s string) any { return s } },
	}
	for _, text := range []string{
		`{{range parse .s}}{{.}}{{end}}`, `{{range print "a" | parse}}{{.}}{{end}}`, `{{(find .s).n}}`, `{{with find .s}}{{.n}}{{end}}`, `{{$f := find .s}}{{$f.n}}`, `{{template "field" (find .s)}}`,
		`{{if gt (age .s) 3}}{{end}}`, `{{range call get .s}}{{end}}`, `{{printf "%d" (age .s)}}`,
		`{{printf .s .i}}`, `{{printf "%s%!" .s}}`, `{{printf "%s" "%!"}}`,
	} {
		_, err := promptfs.Parse(fstest.MapFS{"_partials/field.md": {Data: []byte("{{.n}}")}}, "p.md", []byte(front+text), promptfs.Options{Funcs: funcs})
		assert.NoError(t, err, text)
	}
}

// What only some values break is no error when a file is loaded: made-up values
// may be the wrong ones. The error while rendering has the place in the file.
func TestErrorsOfValues(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{"_partials/cut.md": {Data: []byte("\n\n{{slice .s 0 7}}")}}
	fail := func(s string) (string, error) { return "", prompts.InvalidArgument("s", "is bad") }
	for _, c := range []struct{ text, want string }{
		{`{{slice .s 0 7}}`, "p.md:14:3: error calling slice: index out of range: 7"},
		{"a\n--- assistant ---\n\n\nb {{index .tags 5}}", "p.md:18:5: error calling index: index out of range: 5"},
		{"{{range 1000000000000}}{{end}}", "p.md:14:9: template exceeds the limit of 10000000 steps; repeat less"},
		{`{{template "cut" .}}`, "_partials/cut.md:3:3: error calling slice: index out of range: 7"},
		{"a {{fail .s}}", "p.md:14:5: error calling fail: s: is bad"},
	} {
		if testing.Short() && strings.Contains(c.want, "steps") {
			continue // of 10 million steps, with the race detector
		}
		p, err := promptfs.Parse(fsys, "p.md", []byte(front+c.text), promptfs.Options{Funcs: template.FuncMap{"fail": fail}})
		require.NoError(t, err, c.text)
		_, err = p.Render(t.Context(), map[string]string{"s": "x"})
		if assert.Error(t, err, c.text) {
			assert.Equal(t, c.want, err.Error())
		}
		var e *promptfs.Error
		assert.ErrorAs(t, err, &e)
	}
}

// A function that is none is an error of each file.
func TestFunctionThatIsNone(t *testing.T) {
	t.Parallel()
	_, err := promptfs.Load(files(map[string]string{"a.md": "a", "b.md": "b"}), promptfs.Options{Funcs: template.FuncMap{"f": 1}})
	assert.EqualError(t, err, `a.md: function "f" is nil or not a function
b.md: function "f" is nil or not a function`)
}

// A pattern of a few bytes cannot take much memory, nor much time for a value.
func TestSizeOfAPattern(t *testing.T) {
	t.Parallel()
	load := func(pattern string) error {
		_, err := promptfs.Parse(nil, "p.md", []byte("---\narguments:\n  - name: a\n    pattern: '"+pattern+"'\n---\n{{.a}}"), promptfs.Options{})
		return err
	}
	for _, pattern := range []string{`^v?\d+\.\d+\.\d+$`, `^.{1,900}$`, `^[0-9a-f]{40}$`, `^([a-z]{1,20}/){0,20}$`} {
		assert.NoError(t, load(pattern), pattern)
	}
	for _, pattern := range []string{strings.Repeat("a{1000}", 3), "(a{30}){30}(b{30}){30}(c{30}){30}", "(((a?){10}){10}){10}(((a?){10}){10}){10}", strings.Repeat("a", 3000)} {
		assert.EqualError(t, load(pattern), "p.md:4: pattern exceeds the limit of 2000 with all repetitions written out; repeat less, or use maxLength", pattern)
	}
	assert.ErrorContains(t, load("("), "p.md:4: ")

	// All patterns of a file are bounded together.
	many := func(n int, pattern string) error {
		head, text := strings.Builder{}, strings.Builder{}
		for i := range n {
			fmt.Fprintf(&head, "  - {name: a%d, pattern: '%s'}\n", i, pattern)
			fmt.Fprintf(&text, "{{.a%d}}", i)
		}
		_, err := promptfs.Parse(nil, "p.md", []byte("---\narguments:\n"+head.String()+"---\n"+text.String()), promptfs.Options{})
		return err
	}
	assert.NoError(t, many(11, "x{600}"))
	assert.ErrorContains(t, many(12, "x{600}"), "patterns of the file together exceed the limit of 20000")
}

// A file can say that its text is no template.
func TestNoTemplate(t *testing.T) {
	t.Parallel()
	const text = "<p>{{ user.name | upper }}</p> ${{ github.ref }} {% if x %} {{"
	p, err := promptfs.Parse(nil, "p.md", []byte("---\ntemplate: false\n---\n"+text+"\n--- assistant ---\n{{end}}"), promptfs.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{text, "{{end}}"}, textsOf(t, p, nil))
	p, err = promptfs.Parse(nil, "p.md", []byte("---\ntemplate: true\n---\n{{1}}"), promptfs.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"1"}, textsOf(t, p, nil))

	_, err = promptfs.Parse(nil, "p.md", []byte("---\ntemplate: false\narguments: [{name: a}]\n---\n{{.a}}"), promptfs.Options{})
	assert.EqualError(t, err, "p.md:3: arguments cannot be used with template: false, which sends the text verbatim; remove template: false, or the arguments")
	_, err = promptfs.Parse(nil, "p.md", []byte("---\ntemplate: maybe\n---\nx"), promptfs.Options{})
	assert.EqualError(t, err, "p.md:2: template must be true or false, got \"maybe\"; write true or false")
}

// Markdown has two extensions, and their case does not matter, nor that of SKILL.md.
func TestExtensions(t *testing.T) {
	t.Parallel()
	fsys := files(map[string]string{
		"a.md": "a", "b.MD": "b", "c.markdown": "c", "d/e.MarkDown": "e", "f.txt": "f", "g.mdx": "g", "readme.MARKDOWN": "h", "README.md": "i",
		"j/skill.MD": "{{j", "j/notes.md": "a note of the skill",
	})
	loaded, err := promptfs.Load(fsys, promptfs.Options{})
	require.NoError(t, err)
	var names []string
	for _, p := range loaded {
		names = append(names, p.Name)
	}
	assert.Equal(t, []string{"a", "b", "c", "d/e", "j"}, names)
	_, err = promptfs.Load(files(map[string]string{"a.md": "a", "a.markdown": "b"}), promptfs.Options{})
	assert.EqualError(t, err, `a.markdown: duplicate prompt name "a" (also in a.md); rename one
a.md: duplicate prompt name "a" (also in a.markdown); rename one`)
}
