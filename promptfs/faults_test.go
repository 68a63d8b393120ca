package promptfs_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/promptfs"
)

// files makes a file system of texts by path.
func files(texts map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for path, text := range texts {
		fsys[path] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
	}
	return fsys
}

// lines returns the lines of an error.
func lines(err error) []string {
	if err == nil {
		return nil
	}
	return strings.Split(err.Error(), "\n")
}

// Each is the whole content of a file p.md, beside partials of which one is
// good, one names an argument and one has an error of its own, and beside a
// picture. A good file beside it loads whatever is wrong with this one.
func TestErrorsOfAFile(t *testing.T) {
	t.Parallel()
	const partialFault = "_partials/broken.md:3: missing value for if; write a value, for example {{if .name}}"
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", "p.md: file is empty; write the text of the prompt"},
		{"white space", " \n\t\n", "p.md: file is empty; write the text of the prompt"},
		{"a byte order mark alone", "\ufeff", "p.md: file is empty; write the text of the prompt"},
		{"front matter alone", "---\ntitle: x\n---\n\n", "p.md: prompt has no text; write the text below the front matter"},
		{"not UTF-8", "a\nb\n\xff", "p.md:3: file is not valid UTF-8; save the file as UTF-8"},
		{"UTF-16", "\xff\xfea\x00", "p.md:1: file is not valid UTF-8; save the file as UTF-8"},

		{"front matter that is not closed", "---\ntitle: x\n\ntext", "p.md:1: front matter is not closed; write a line --- after the front matter"},
		{"a colon in a value", "---\nname: x\ntitle: a: b\n---\nhi", `p.md:3: invalid YAML: unquoted ": " in the value of title; write title: "a: b"`},
		{"no space behind a colon", "---\ntitle:x\nname: y\n---\nhi", `p.md:3: invalid YAML: unexpected colon; write a space after the colon of a key, and quote a value with a colon`},
		{"text behind quotes", "---\ntitle: \"a\" b\n---\nhi", "p.md:2: invalid YAML: expected a key; align the keys, and quote a value that starts with a quote or bracket"},
		{"a value that begins with >", "---\ntitle: >a\n---\nhi", "p.md:2: invalid YAML: unexpected text after > or |; quote a value that starts with > or |"},
		{"a value that begins with -", "---\ntitle: - a\n---\nhi", `p.md:2: invalid YAML: unexpected list item; quote a value that starts with "- ", or put the list on the lines below`},
		{"keys of an element that are not in one column", "---\narguments:\n  - name: a\n   title: b\n---\n{{.a}}", "p.md:4: invalid YAML: expected a list item; align the keys of each list item"},
		{"blank lines above the front matter", "\n\n---\ntitle: x\n---\nhi", "p.md:3: front matter must start on line 1; remove the blank lines above, or write *** for a horizontal rule"},
		{"a bracket that is open", "---\ntags: [a\ntitle: x\n---\nhi", "p.md:3: invalid YAML: missing closing bracket; close the bracket"},
		{"quotes that are open above other keys", "---\nname: x\ntitle: \"a\ntags: [b]\n---\nhi", "p.md:3: invalid YAML: unterminated quoted string; close the quotes"},
		{"quotes that are open", "---\ntitle: 'a\n---\nhi", "p.md:2: invalid YAML: unterminated quoted string; close the quotes"},
		{"a tab", "---\n\ttitle: a\n---\nhi", "p.md:2: invalid YAML: tab in the indentation; indent with spaces"},
		{"a control character", "---\ntitle: a\x01\n---\nhi", "p.md:2: invalid YAML: control characters are not allowed (value: 1)"},
		{"a list", "---\n- title\n---\nhi", "p.md:2: front matter must be key: value pairs, got a list; write lines such as title: Code review"},
		{"two documents", "---\ntitle: a\n--- # b\ntitle: b\n---\nhi", "p.md:3: front matter must be a single YAML document; remove the line that ends the first document"},
		{"anchors, aliases, tags and merges", "---\ntitle: &a x\ndescription: *a\nversion: !!binary eA==\n<<: {name: b}\n---\nhi", `p.md:2: YAML anchor &a is not supported; write the value out
p.md:3: YAML alias *a is not supported; write the value out
p.md:4: YAML tag !!binary is not supported; remove the tag
p.md:5: YAML merge key << is not supported; write the keys out`},
		{"an alias of nothing", "---\ntitle: *a\n---\nhi", "p.md:2: invalid YAML: value starts with *, which begins a YAML alias; quote the value"},

		{"a misspelt key", "---\ntitel: x\n---\nhi", `p.md:2: unknown key "titel" in front matter; did you mean "title"?`},
		{"a key in another case", "---\nTitle: x\n---\nhi", `p.md:2: unknown key "Title" in front matter; did you mean "title"?`},
		{"a key of another tool", "---\nmode: agent\n---\nhi", `p.md:2: unknown key "mode" in front matter; use one of: name, title, description, version, tags, icons, meta, _meta, hints, template, arguments`},
		{"a key that is no word", "---\n[a]: x\n---\nhi", "p.md:2: key in front matter must be a string, got a list; use one of: name, title, description, version, tags, icons, meta, _meta, hints, template, arguments"},
		{"a key twice", "---\ntitle: a\nname: b\ntitle: c\n---\nhi", `p.md:4: duplicate key "title" (first defined on line 2); remove one`},
		{"a key without a value", "---\ntitle:\nname: ~\n---\nhi", "p.md:2: title is empty; write a value, or remove the key\np.md:3: name is empty; write a value, or remove the key"},
		{"a name that is empty", "---\nname: ''\n---\nhi", "p.md:2: name is empty; write a value, or remove the key"},
		{"a meta with many values", "---\nmeta: {a: [" + strings.Repeat("1,", 9998) + "1]}\n---\nhi", "p.md:2: meta has too many values (limit 10000)"},
		{"a name with a control character", "---\ntitle: x\nname: \"a\\tb\"\n---\nhi", "p.md:3: Name contains a control character"},
		{"a text that is a list", "---\ntitle: [a]\n---\nhi", "p.md:2: title must be a string, got a list; write a single text"},
		{"tags that are no list", "---\ntags: a\n---\nhi", `p.md:2: tags must be a list with elements, got "a"; write a list, for example tags: [one, two], or remove the key`},
		{"hints that are no boolean", "---\nhints: no\n---\nhi", `p.md:2: hints must be true or false, got "no"; write false`},
		{"icons", "---\ntitle: x\nicons:\n  - src: x\n  - href: y\n---\nhi", `p.md:4: icon 1: src "x" must be an https, http or data URI
p.md:5: unknown key "href" in icon; use one of: src, mimeType, sizes, theme
p.md:5: icon 2: src "" must be an https, http or data URI`},
		{"one fault twice in a line", "---\nicons: [{src: 'https://a.test', x: 1}, {src: 'https://b.test', x: 1}]\n---\nhi", `p.md:2: unknown key "x" in icon; use one of: src, mimeType, sizes, theme`},
		{"meta", "---\nmeta:\n  '-': 1\n---\nhi", `p.md:2: _meta key "-": a name must begin and end with a letter or digit, with letters, digits, '-', '_' and '.' between`},
		{"meta of both names", "---\nmeta: {a: 1}\n_meta: {b: 1}\n---\nhi", "p.md:3: meta and _meta are the same key; keep one of the two"},
		{"a value of meta", "---\nmeta:\n  a: .inf\n  b: {c: 1, c: 2}\n  d: {[e]: 1}\n---\nhi", `p.md:3: ".inf" cannot be represented in JSON; quote the value
p.md:4: duplicate key "c" (first defined on line 4); remove one
p.md:5: key in meta must be a string, got a list`},
		{"meta that is deep", "---\nmeta: {a: " + strings.Repeat("[", 40) + strings.Repeat("]", 40) + "}\n---\nhi", "p.md:2: value exceeds the limit of 32 nested levels"},

		{"arguments that are no list", "---\narguments:\n  code: x\n---\nhi", "p.md:3: arguments must be a list with elements, got key: value pairs; write - name: code on the line below, or remove the key"},
		{"no arguments", "---\narguments: []\n---\nhi", "p.md:2: arguments must be a list with elements, got an empty list; write - name: code on the line below, or remove the key"},
		{"an argument that is a word", "---\narguments: [code]\n---\nhi", `p.md:2: argument must be key: value pairs, got "code"; write - name: code`},
		{"an argument without a name", "---\narguments:\n  - name: a\n  - title: x\n---\n{{.a}}{{.x}}", "p.md:4: argument has no name; add name: with the name of the placeholder"},
		{"an argument without keys", "---\narguments:\n  - name: a\n  - {}\n---\n{{.a}}", "p.md:4: argument has no name; add name: with the name of the placeholder"},
		{"no argument but one without keys", "---\narguments: [{}]\n---\nhi", "p.md:2: argument has no name; add name: with the name of the placeholder"},
		{"an argument with an empty name", "---\narguments:\n  - title: x\n    name: ''\n---\nhi", "p.md:4: argument has an empty name; write the name of the placeholder"},
		{"an argument twice", "---\narguments:\n  - name: a\n  - name: b\n  - name: a\n---\n{{.a}}", `p.md:5: duplicate argument "a" (first defined on line 3); remove one`},
		{"keys of an argument", "---\narguments:\n  - name: a\n    desc: x\n    name: b\n    unit: s\n---\n{{.a}}", `p.md:4: unknown key "desc" in argument; did you mean "description"?
p.md:5: duplicate key "name" (first defined on line 3); remove one
p.md:6: unknown key "unit" in argument; use one of: name, title, description, required, sensitive, default, examples, complete, type, enum, format, pattern, minimum, maximum, minLength, maxLength, items, minItems, maxItems`},
		{"a type", "---\narguments:\n  - name: a\n    type: int\n---\n{{.a}}", `p.md:4: unknown type "int"; did you mean "integer"?`},
		{"examples", "---\narguments:\n  - name: a\n    maxLength: 3\n    examples:\n      - abc\n      - abcd\n  - {name: b, sensitive: true, examples: [x]}\n---\n{{.a}}{{.b}}", `p.md:7: example "abcd" is not valid for the argument; write a value that the argument accepts
p.md:8: an argument that is sensitive cannot have examples; remove examples`},
		{"a type of elements", "---\narguments:\n  - name: a\n    type: array\n    items:\n      type: array\n---\n{{.a}}", `p.md:6: unknown type "array"; use one of: string, integer, number, boolean`},
		{"a template that is no boolean", "---\ntemplate: yes\narguments:\n  - name: a\n---\n{{.a}}", `p.md:2: template must be true or false, got "yes"; write true`},
		{"an enum of a list", "---\narguments:\n  - name: a\n    type: array\n    enum: [b, c]\n---\n{{.a}}", "p.md:5: enum cannot be used with type: array; move enum into items, such as items: {enum: [bug, docs]}"},
		{"items of what is no list", "---\narguments:\n  - name: a\n    items: {type: integer}\n---\n{{.a}}", "p.md:4: items is only allowed with type: array; write type: array, or remove items"},
		{"values of keywords", "---\narguments:\n  - name: a\n    complete: []\n    enum: a\n    minLength: -1\n    maxLength: 1.5\n    minimum: x\n    required: 1\n---\n{{.a}}", `p.md:4: complete must be a list with elements, got an empty list; write a list, for example complete: [one, two], or remove the key
p.md:5: enum must be a list with elements, got "a"; write a list, for example enum: [one, two], or remove the key
p.md:6: minLength must be a non-negative integer, got "-1"; write a number, for example minLength: 80
p.md:7: maxLength must be a non-negative integer, got "1.5"; write a number, for example maxLength: 80
p.md:8: minimum must be a number, got "x"; write a number, for example minimum: 10
p.md:9: required must be true or false, got "1"; write true`},
		{"a default of another type", "---\narguments:\n  - {name: a, type: integer, default: x}\n  - {name: b, type: boolean, default: 1}\n  - {name: c, type: number, default: .nan}\n  - {name: d, default: [x]}\n  - {name: e, type: integer, default: 1.5}\n---\n{{.a}}{{.b}}{{.c}}{{.d}}{{.e}}", `p.md:3: default must match type: integer, got "x"; write an integer, for example 10
p.md:4: default must match type: boolean, got "1"; write true
p.md:5: default must match type: number, got ".nan"; write a number, for example 1.5
p.md:6: default must match type: string, got a list; write a string, or remove the value
p.md:7: default must match type: integer, got "1.5"; write an integer, for example 10`},
		{"an integer that JSON would change", "---\narguments:\n  - {name: a, type: integer, default: 9007199254740993}\n  - {name: b, type: integer, enum: [-9007199254740992, 9007199254740991]}\n---\n{{.a}}{{.b}}", `p.md:3: default must be an integer from -9007199254740991 to 9007199254740991, which JSON represents exactly, got 9007199254740993
p.md:4: element of enum must be an integer from -9007199254740991 to 9007199254740991, which JSON represents exactly, got -9007199254740992`},
		{"a default that is an empty list", "---\narguments:\n  - {name: a, type: array, default: []}\n---\n{{.a}}", "p.md:3: default must be a list with elements, got an empty list; write a list, for example default: [one, two], or remove the key"},
		{"a default that breaks a rule", "---\narguments:\n  - name: a\n    type: integer\n    minimum: 3\n    default: 1\n  - name: b\n    default: c\n    enum: [a, b]\n---\n{{.a}}{{.b}}", `p.md:6: argument "a": default: must be at least 3, got 1; write a default that the argument accepts, or remove the key
p.md:8: argument "b": default: must be one of a, b, got "c"; write a default that the argument accepts, or remove the key`},
		{"a default that is never used", "---\narguments:\n  - name: a\n    required: true\n    default: x\n---\n{{.a}}", `p.md:5: argument "a": a required argument never uses its default; remove one of the two`},
		{"a pattern", "---\narguments:\n  - name: a\n    title: x\n    pattern: '['\n---\n{{.a}}", "p.md:5: argument \"a\": schema: pattern: missing closing ]: `[`; correct the regular expression, with \\ before a literal bracket"},
		{"a keyword of another type", "---\narguments:\n  - name: a\n    minimum: 3\n---\n{{.a}}", `p.md:4: argument "a": schema: minimum applies to numbers, but this value is read as string; add type: integer or type: number, or remove the key`},
		{"the name of an argument", "---\narguments:\n  - title: x\n    name: \"a\\tb\"\n---\n{{index . \"a\\tb\"}}", `p.md:4: argument "a\tb": Name contains a control character`},

		{"a template that does not parse", "---\ntitle: x\n---\n\nhi\n{{.code", "p.md:6: unclosed action; close the action with }}"},
		{"an argument that is not declared", "---\narguments:\n  - name: language\n---\n\n\n{{.language}}\n{{.lang}}", `p.md:8:3: unknown argument "lang"; did you mean "language"?`},
		{"an argument where there are none", "{{.code}}", `p.md:1:3: unknown argument "code"; declare the argument`},
		{"an argument that is not used", "---\narguments:\n  - name: a\n  - title: x\n    name: b\n---\n{{.a}}", `p.md:5: argument "b" is never used; add {{.b}} to a message, or remove the argument`},
		{"in the second message", "hi\n--- assistant ---\n\n\nho\n{{.a}}", `p.md:6:3: unknown argument "a"; declare the argument`},
		{"front matter and template", "---\ntitel: x\n---\n{{end}}", `p.md:2: unknown key "titel" in front matter; did you mean "title"?
p.md:4: unexpected {{end}}; remove {{end}}, or open an if, range or with before`},
		{"no YAML, a template of several messages", "---\ntitle: a: b\n---\nHi {{.x}}\n--- user ---\n{{twist 1}} {{template \"nothing\"}}", `p.md:2: invalid YAML: unquoted ": " in the value of title; write title: "a: b"
p.md:6:3: unknown function "twist"; use one of the functions list, print, gt, js, lt, not, printf, slice, and, eq, fence, ge, html, index, json, le, len, ne, or, println, untrusted, urlquery; or {{"{{"}} for a literal {{
p.md:6:24: unknown partial "nothing"; create the partial: the file _partials/nothing.md, or Options.Partials in Go`},
		{"no YAML, and no template", "---\ntemplate: false\ntitle: a: b\n---\n{{twist}}", `p.md:3: invalid YAML: unquoted ": " in the value of title; write title: "a: b"`},
		{"a function", "{{shout .}}", `p.md:1:3: unknown function "shout"; use one of the functions not, gt, html, json, list, lt, or, print, slice, and, eq, fence, ge, index, js, le, len, ne, printf, println, untrusted, urlquery; or {{"{{"}} for a literal {{, or template: false in the front matter for text without templates
p.md:1:9: {{.}} means all arguments; use a single argument`},
		{"a template of another language", "---\narguments: [{name: a}]\n---\n{{#if a}}x{{/if}}", `p.md:4:3: unexpected "#" in command; Handlebars and Jinja syntax is not supported, use {{if .name}} and {{end}}, or {{"{{"}} for a literal {{`},
		{"curly quotes", "---\narguments: [{name: a}]\n---\n{{fence “go” .a}}", `p.md:4: unrecognized character in action: U+201C '“'; use straight quotes and plain spaces between the braces, or {{"{{"}} for a literal {{`},
		{"a template in a template", "a\n{{define \"x\"}}{{end}}", `p.md:2:1: {{define "x"}} is not supported; move the template to a partial`},

		{"a partial that there is not", "hi\n{{template \"god\" .}}", `p.md:2:12: unknown partial "god"; did you mean "good"?`},
		{"a partial with a fault", "hi\n{{template \"broken\" .}}", `p.md:2: partial "broken" is invalid (see _partials/broken.md:3)`},
		{"a partial that names an argument", "hi\n\n{{template \"tone\" .}}", `p.md:3: partial "tone": _partials/tone.md:2:3: unknown argument "tone"; declare the argument`},
		{"a partial by way of another", "hi\n{{if true}}{{template \"nested/deep\" .}}{{end}}", `p.md:2: partial "tone": _partials/tone.md:2:3: unknown argument "tone"; declare the argument`},

		{"a role", "--- usr ---\nhi", `p.md:1: unknown role "usr"; did you mean "user"?`},
		{"a role that the protocol has not", "hi\n--- system ---\nho", `p.md:2: unknown role "system"; use user: MCP prompts have no system role`},
		{"a line of a test's log", "hi\n--- FAIL: x ---", `p.md:2: unknown role "FAIL"; write --- user ---, or start the line with \ for literal text`},
		{"a mark without spaces", "hi\n---assistant---\nho", `p.md:2: malformed message separator "---assistant---"; write --- assistant ---, or start the line with \ for literal text`},
		{"a mark with more dashes", "---- User: image a.png -- \nho", `p.md:1: malformed message separator "---- User: image a.png --"; write --- user: image a.png ---, or start the line with \ for literal text`},
		{"a kind of content", "--- user: img a.png ---", `p.md:1: unknown content type "img"; use one of: image, audio, resource`},
		{"content without a file", "--- user: image ---", "p.md:1: missing file path; write --- user: image path/to/file ---"},
		{"an empty message", "--- user ---\nhi\n--- assistant ---\n\n--- user ---\nho", "p.md:3: message is empty; add text below this line, or remove the line"},
		{"text below a file", "--- user: image a.png ---\n\nhi", "p.md:3: message with a file cannot contain text; start a new message with --- user --- above the text"},
		{"an image of no known type", "--- user: image a.xyz ---", "p.md:1: a.xyz: unknown image type; use one of the extensions png, jpg, gif, webp, svg, avif, bmp, ico, tiff, heic"},
		{"a recording of no known type", "--- user: audio a.png ---", "p.md:1: a.png: unknown audio type; use one of the extensions wav, mp3, ogg, opus, flac, m4a, aac, weba"},
		{"a path of Windows that is absolute", "--- user: resource \\a\\b.md ---", `p.md:1: \a\b.md: path must use forward slashes; write a/b.md`},
		{"text below a file and a misspelled line", "--- user: image a.png ---\n-- assistant --\nhi", `p.md:2: malformed message separator "-- assistant --"; write --- assistant ---, or start the line with \ for literal text`},
		{"a name that is a list", "---\nname: [a]\n---\nhi", "p.md:2: name must be a string, got a list; write a single text"},
		{"a format", "---\narguments:\n  - name: a\n    format: datum\n---\n{{.a}}", `p.md:4: argument "a": schema: unknown format "datum"; the formats are date, time, date-time, duration, email, hostname, ipv4, ipv6, uri, uri-reference, uuid, regex, json-pointer`},
		{"a format of an integer", "---\narguments:\n  - name: a\n    type: integer\n    format: date\n---\n{{.a}}", `p.md:5: argument "a": schema: format applies to strings, but this value is read as integer`},
		{"an absolute path", "--- user: resource /etc/passwd ---", "p.md:1: /etc/passwd: path must be relative; write the path from the folder of this file, for example passwd"},
		{"a path that leads out", "--- user: resource x/../../passwd ---", "p.md:1: x/../../passwd: path is outside of the prompts folder; move the file into the folder"},
		{"a path of Windows", `--- user: image img\a.png ---`, `p.md:1: img\a.png: path must use forward slashes; write img/a.png`},
		{"a file that there is not", "--- user: image b.png ---", "p.md:1: b.png: file not found; write the path from the folder of this file"},
		{"a folder", "--- user: resource _partials ---", "p.md:1: _partials: file expected, got a folder"},
		{"a file that is large", "--- user: resource large.log ---", "p.md:1: large.log: file exceeds the limit of 1024 bytes; shorten the file"},

		{"several", "---\ntitel: x\narguments:\n  - name: a\n    default: 1\n    required: true\n---\n{{.b}}\n--- usr ---\nhi", `p.md:2: unknown key "titel" in front matter; did you mean "title"?
p.md:5: argument "a": a required argument never uses its default; remove one of the two
p.md:8:3: unknown argument "b"; declare the argument, or use one of: a
p.md:9: unknown role "usr"; did you mean "user"?`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			fsys := files(map[string]string{
				"p.md": c.text, "z.md": "good", "a.png": "\x89PNG", "large.log": strings.Repeat("x", 2000),
				"_partials/good.md": "good", "_partials/tone.md": "be\n{{.tone}}", "_partials/broken.md": "\nhi\n{{if}}x{{end}}",
				"_partials/nested/deep.txt": `{{template "tone" .}}`,
			})
			o := promptfs.Options{MaxResourceBytes: 1024}
			loaded, err := promptfs.Load(fsys, o)
			require.Error(t, err)
			assert.Equal(t, append([]string{partialFault}, strings.Split(c.want, "\n")...), lines(err))
			require.Len(t, loaded, 1, "the file beside it")
			assert.Equal(t, "z", loaded[0].Name)

			want := c.want
			if strings.Contains(want, "see _partials/broken.md") {
				want = partialFault + "\n" + want
			}
			_, err = promptfs.Parse(fsys, "p.md", []byte(c.text), o)
			assert.EqualError(t, err, want)
			for _, line := range err.(interface{ Unwrap() []error }).Unwrap() {
				var e *promptfs.Error
				require.ErrorAs(t, line, &e)
				assert.Contains(t, []string{"p.md", "_partials/broken.md"}, e.Path)
			}
		})
	}
}

// A short text that would mean a long one is refused before anybody reads what
// it means.
func TestYAMLBomb(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("---\na: &a [x]\n")
	for c := 'b'; c <= 'z'; c++ {
		b.WriteString(string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+string(c-1)+", ", 20) + "]\n")
	}
	b.WriteString("---\nhi")
	_, err := promptfs.Parse(nil, "p.md", []byte(b.String()), promptfs.Options{})
	require.Error(t, err)
	assert.Equal(t, "p.md:2: YAML anchor &a is not supported; write the value out", lines(err)[0])

	_, err = promptfs.Parse(nil, "p.md", []byte("---\nmeta: "+strings.Repeat("[", 500_000)+"\n---\nhi"), promptfs.Options{})
	assert.ErrorContains(t, err, "p.md:2: invalid YAML: ")
}

// A file with nothing but errors takes no more time to read than any other file of
// its size, and the text of its errors is short enough to be read.
func TestVeryManyErrors(t *testing.T) {
	t.Parallel()
	n := 1 << 20
	if testing.Short() {
		n = 1 << 18 // which the race detector slows down
	}
	repeat := func(line string, atMost int) string {
		var b strings.Builder
		for i := 0; b.Len()+len(line)+8 < atMost; i++ {
			fmt.Fprintf(&b, line, i)
		}
		return b.String()
	}
	for name, text := range map[string]string{
		"keys":                       "---\n" + repeat("k%d: x\n", n-100) + "---\nhi",
		"arguments":                  "---\narguments:\n" + repeat("- {name: a%d, minimum: 1}\n", n/4) + "---\nhi",
		"icons":                      "---\nicons:\n" + repeat("- {src: x%d}\n", n/4) + "---\nhi",
		"marks":                      repeat("--- x%d ---\n", n-100),
		"files":                      repeat("--- user: image %d.png ---\n", n/4),
		"placeholders":               repeat("{{.a%d}}\n", n/8),
		"partials":                   repeat("{{template \"a%d\"}}\n", n/8),
		"anchors":                    "---\n" + repeat("k%d: &a x\n", n-100) + "---\nhi",
		"arguments and placeholders": "---\narguments:\n" + repeat("- {name: abcdefgh%d}\n", n/2) + "---\n" + repeat("{{.abcdefgi%d}}", n/8),
		"values of meta":             "---\nmeta:\n" + repeat("  k%d: .inf\n", n/16) + "---\nhi",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := promptfs.Parse(fstest.MapFS{}, "p.md", []byte(text), promptfs.Options{})
			require.Error(t, err)
			assert.Len(t, lines(err), 101)
			assert.Contains(t, err.Error(), "too many errors (100); fix these first")
		})
	}
}

// Of files that conflict with each other, none is loaded, in any order.
func TestErrorsOfSeveralFiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
		names []string
	}{
		{"one name", map[string]string{"a.md": "---\nname: x\n---\nhi", "b.md": "---\ntitle: B\nname: x\n---\nhi", "c.md": "hi"},
			"a.md:2: duplicate prompt name \"x\" (also in b.md); rename one\nb.md:3: duplicate prompt name \"x\" (also in a.md); rename one", []string{"c"}},
		{"a name and a path", map[string]string{"a.md": "hi", "b.md": "---\nname: a\n---\nhi"},
			"a.md: duplicate prompt name \"a\" (also in b.md); rename one\nb.md:2: duplicate prompt name \"a\" (also in a.md); rename one", nil},
		{"two partials", map[string]string{"_partials/a.md": "hi", "_partials/a.txt": "ho", "c.md": "hi"},
			`_partials/a.txt: duplicate partial "a" (also in _partials/a.md); rename one`, []string{"c"}},
		{"partials that call each other", map[string]string{"_partials/a.md": "x\n{{template \"b\" .}}", "_partials/b.md": "{{template \"a\" .}}", "c.md": "\n{{template \"a\" .}}", "d.md": "hi"},
			"_partials/b.md:1:12: recursive partial: a -> b -> a; use {{range}} for repetition\nc.md:2: partial \"b\" is invalid (see _partials/b.md:1:12)", []string{"d"}},
		{"a partial that is empty", map[string]string{"_partials/a.md": "\n", "c.md": "{{template \"a\" .}}"},
			"_partials/a.md: partial is empty; write the text, or remove the file\nc.md:1: partial \"a\" is invalid (see _partials/a.md)", nil},
		{"a partial that is not UTF-8", map[string]string{"_partials/a.md": "a\n\xff", "c.md": "hi"}, "_partials/a.md:2: file is not valid UTF-8; save the file as UTF-8, or move the file out of _partials", []string{"c"}},
		{"a skill without a name", map[string]string{"SKILL.md": "---\ndescription: x\n---\nhi"}, "SKILL.md: skill has no name; add name: to the front matter", nil},
		{"a skill without a body", map[string]string{"a/SKILL.md": "---\nname: x\n---\n"}, "a/SKILL.md:3: skill has no body; write the body below the front matter", nil},
		{"a skill with two names", map[string]string{"a/SKILL.md": "---\nname: x\nname: y\n---\nhi"}, "a/SKILL.md:3: duplicate key \"name\" (first defined on line 2); remove one", nil},
		{"a skill with an alias", map[string]string{"a/SKILL.md": "---\nx: &a b\nname: *a\n---\nhi"}, "a/SKILL.md:3: YAML alias *a is not supported; write the value out", nil},
		{"a file with a control character in its name", map[string]string{"a\nb.md": "hi"}, "\"a\\nb.md\": Name contains a control character; write another name: in the front matter", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			loaded, err := promptfs.Load(files(c.files), promptfs.Options{})
			assert.EqualError(t, err, c.want)
			var names []string
			for _, p := range loaded {
				names = append(names, p.Name)
			}
			assert.Equal(t, c.names, names)
		})
	}
}

// failing fails where it is told to.
type failing struct {
	fs.FS
	fails map[string]error
}

func (f failing) Open(name string) (fs.File, error) {
	if err := f.fails[name]; err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return f.FS.Open(name)
}

func TestUnreadable(t *testing.T) {
	t.Parallel()
	fsys := failing{files(map[string]string{"a.md": "hi", "b.md": "hi", "c/d.md": "hi", "_partials/e.md": "hi"}), map[string]error{
		"b.md": fs.ErrPermission, "c": errors.New("the disk is broken"), "_partials/e.md": fs.ErrPermission,
	}}
	loaded, err := promptfs.Load(fsys, promptfs.Options{})
	assert.EqualError(t, err, `_partials/e.md: cannot read file: permission denied
b.md: cannot read file: permission denied
c: cannot read file: the disk is broken`)
	require.ErrorIs(t, err, fs.ErrPermission)
	assert.Len(t, loaded, 1)

	fsys.fails["."] = fs.ErrPermission
	_, err = promptfs.Load(fsys, promptfs.Options{})
	assert.ErrorIs(t, err, fs.ErrPermission)
	_, err = promptfs.Load(fsys, promptfs.Options{Partials: "/x"})
	assert.EqualError(t, err, `promptfs: invalid Options.Partials "/x": must be a relative folder path without a trailing slash`)
}

// lying says that its files have another size than they have.
type lying struct {
	fstest.MapFS
	size int64
	*tally
}

func (l lying) Open(name string) (fs.File, error) {
	l.add(name)
	return l.MapFS.Open(name)
}

type lyingInfo struct {
	fs.FileInfo
	size int64
}

func (i lyingInfo) Size() int64 { return i.size }

func (l lying) Stat(name string) (fs.FileInfo, error) {
	info, err := l.MapFS.Stat(name)
	return lyingInfo{info, l.size}, err
}

func (l lying) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := l.MapFS.ReadDir(name)
	for i, e := range entries {
		info, _ := e.Info()
		entries[i] = fs.FileInfoToDirEntry(lyingInfo{info, l.size})
	}
	return entries, err
}

// A file that is too large is not opened, and one that has grown since it was
// looked at is not read to its end.
func TestSizeThatIsNotTheSize(t *testing.T) {
	t.Parallel()
	const want = "a.md: file exceeds the limit of 1024 bytes; shorten the file"
	o := promptfs.Options{MaxFileBytes: 1024}
	for _, c := range []struct {
		name   string
		length int
		size   int64
	}{{"empty, it says", 2000, 0}, {"small, it says", 2000, 10}, {"large, it says", 10, 1 << 40}} {
		l := lying{files(map[string]string{"a.md": strings.Repeat("x", c.length)}), c.size, &tally{}}
		_, err := promptfs.Load(l, o)
		assert.EqualError(t, err, want, c.name)
		if c.size > 1024 {
			assert.Zero(t, l.opened["a.md"], c.name)
		}
	}
	loaded, err := promptfs.Load(lying{files(map[string]string{"a.md": strings.Repeat("x", 1024)}), 1, &tally{}}, o)
	require.NoError(t, err)
	assert.Len(t, textsOf(t, loaded[0], nil)[0], 1024)
}

// An archive may have links, which nothing follows.
func TestZip(t *testing.T) {
	t.Parallel()
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	add := func(name, text string, mode fs.FileMode) {
		h := &zip.FileHeader{Name: name}
		h.SetMode(mode)
		f, err := w.CreateHeader(h)
		require.NoError(t, err)
		_, err = f.Write([]byte(text))
		require.NoError(t, err)
	}
	add("a.md", "hi {{template \"p\"}}", 0o644)
	add("_partials/p.md", "ho", 0o644)
	add("b.md", "../secret.md", 0o644|fs.ModeSymlink)
	require.NoError(t, w.Close())
	r, err := zip.NewReader(bytes.NewReader(archive.Bytes()), int64(archive.Len()))
	require.NoError(t, err)
	loaded, err := promptfs.Load(r, promptfs.Options{})
	assert.EqualError(t, err, "b.md: not a regular file")
	require.Len(t, loaded, 1)
	assert.Equal(t, "hi ho", textsOf(t, loaded[0], nil)[0])
}
