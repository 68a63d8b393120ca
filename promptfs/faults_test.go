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
		{"nothing", "", "p.md: the file is empty; write the text of the prompt"},
		{"white space", " \n\t\n", "p.md: the file is empty; write the text of the prompt"},
		{"a byte order mark alone", "\ufeff", "p.md: the file is empty; write the text of the prompt"},
		{"front matter alone", "---\ntitle: x\n---\n\n", "p.md: there is no message; write the text of the prompt below the front matter"},
		{"not UTF-8", "a\nb\n\xff", "p.md:3: it is not UTF-8; save the file in that encoding"},
		{"UTF-16", "\xff\xfea\x00", "p.md:1: it is not UTF-8; save the file in that encoding"},

		{"front matter that is not closed", "---\ntitle: x\n\ntext", "p.md:1: the front matter is not closed; write a line --- below it"},
		{"a colon in a value", "---\nname: x\ntitle: a: b\n---\nhi", `p.md:3: the front matter is not YAML: mapping values are not allowed in this context; put a value with a colon into quotes, as in title: "Review: code", a space behind the colon of a key, and keys into one column`},
		{"no space behind a colon", "---\ntitle:x\nname: y\n---\nhi", `p.md:3: the front matter is not YAML: mapping values are not allowed in this context; put a value with a colon into quotes, as in title: "Review: code", a space behind the colon of a key, and keys into one column`},
		{"text behind quotes", "---\ntitle: \"a\" b\n---\nhi", "p.md:2: the front matter is not YAML: did not find expected key; put keys into one column, and a value that begins with a quote or a bracket into quotes"},
		{"a value that begins with >", "---\ntitle: >a\n---\nhi", "p.md:2: the front matter is not YAML: did not find expected comment or line break; put a value that begins with > or | into quotes"},
		{"a value that begins with -", "---\ntitle: - a\n---\nhi", "p.md:2: the front matter is not YAML: block sequence entries are not allowed in this context; put a value that begins with - into quotes, and a list into the lines below its key"},
		{"keys of an element that are not in one column", "---\narguments:\n  - name: a\n   title: b\n---\n{{.a}}", "p.md:4: the front matter is not YAML: did not find expected '-' indicator; put the keys of an element into one column"},
		{"blank lines above the front matter", "\n\n---\ntitle: x\n---\nhi", "p.md:3: front matter begins in line 1; remove the blank lines above it, or write *** for a line across the page"},
		{"a bracket that is open", "---\ntags: [a\ntitle: x\n---\nhi", "p.md:3: the front matter is not YAML: did not find expected ',' or ']'; close the bracket"},
		{"quotes that are open above other keys", "---\nname: x\ntitle: \"a\ntags: [b]\n---\nhi", "p.md:3: the front matter is not YAML: found unexpected end of stream; close the quotes"},
		{"quotes that are open", "---\ntitle: 'a\n---\nhi", "p.md:2: the front matter is not YAML: found unexpected end of stream; close the quotes"},
		{"a tab", "---\n\ttitle: a\n---\nhi", "p.md:2: the front matter is not YAML: found character that cannot start any token; indent with spaces, not with tabs"},
		{"a control character", "---\ntitle: a\x01\n---\nhi", "p.md:2: the front matter is not YAML: control characters are not allowed (value: 1)"},
		{"a list", "---\n- title\n---\nhi", "p.md:2: the front matter must be keys with values; write lines such as title: Code review"},
		{"two documents", "---\ntitle: a\n--- # b\ntitle: b\n---\nhi", "p.md:3: the front matter has a second YAML document; write one"},
		{"anchors, aliases, tags and merges", "---\ntitle: &a x\ndescription: *a\nversion: !!binary eA==\n<<: {name: b}\n---\nhi", `p.md:2: the anchor &a is not read; write the value itself wherever it belongs
p.md:3: the alias *a is not read; write the value itself
p.md:4: the tag !!binary is not read; write the value without it
p.md:5: the merge key << is not read; write the keys themselves`},
		{"an alias of nothing", "---\ntitle: *a\n---\nhi", "p.md:2: the front matter is not YAML: unknown anchor 'a' referenced; put a value that begins with * into quotes"},

		{"a misspelt key", "---\ntitel: x\n---\nhi", `p.md:2: a prompt has no key "titel"; did you mean title?`},
		{"a key in another case", "---\nTitle: x\n---\nhi", `p.md:2: a prompt has no key "Title"; did you mean title?`},
		{"a key of another tool", "---\nmode: agent\n---\nhi", `p.md:2: a prompt has no key "mode"; write one of: name, title, description, version, tags, icons, meta, _meta, hints, template, arguments`},
		{"a key that is no word", "---\n[a]: x\n---\nhi", "p.md:2: a key of a prompt must be a word; write one of: name, title, description, version, tags, icons, meta, _meta, hints, template, arguments"},
		{"a key twice", "---\ntitle: a\nname: b\ntitle: c\n---\nhi", `p.md:4: the key "title" is there twice, in line 2 too; remove one`},
		{"a key without a value", "---\ntitle:\nname: ~\n---\nhi", "p.md:2: title is empty; write a text, or remove the key\np.md:3: name is empty; write a text, or remove the key"},
		{"a name that is empty", "---\nname: ''\n---\nhi", "p.md:2: name is empty; write one, or remove the key"},
		{"a name with a control character", "---\ntitle: x\nname: \"a\\tb\"\n---\nhi", "p.md:3: Name contains a control character"},
		{"a text that is a list", "---\ntitle: [a]\n---\nhi", "p.md:2: title must be a text; write it in one line, or below title: |"},
		{"tags that are no list", "---\ntags: a\n---\nhi", "p.md:2: tags must be a list; write such as [one, two] behind it, or remove the key"},
		{"hints that are no boolean", "---\nhints: no\n---\nhi", "p.md:2: hints must be true or false"},
		{"icons", "---\ntitle: x\nicons:\n  - src: x\n  - href: y\n---\nhi", `p.md:4: icon 1: src "x": not an absolute URI: it has no scheme
p.md:5: an icon has no key "href"; write one of: src, mimeType, sizes, theme
p.md:5: icon 2: src "": not an absolute URI: it has no scheme`},
		{"one fault twice in a line", "---\nicons: [{src: 'https://a.test', x: 1}, {src: 'https://b.test', x: 1}]\n---\nhi", `p.md:2: an icon has no key "x"; write one of: src, mimeType, sizes, theme`},
		{"meta", "---\nmeta:\n  '-': 1\n---\nhi", `p.md:2: _meta key "-": a name must begin and end with a letter or digit, with letters, digits, '-', '_' and '.' between`},
		{"meta of both names", "---\nmeta: {a: 1}\n_meta: {b: 1}\n---\nhi", "p.md:3: meta and _meta are one; write all of it below one of them"},
		{"a value of meta", "---\nmeta:\n  a: .inf\n  b: {c: 1, c: 2}\n  d: {[e]: 1}\n---\nhi", `p.md:3: ".inf" is a number that JSON has not; put it into quotes
p.md:4: the key "c" is there twice; remove one
p.md:5: a key must be a word`},
		{"meta that is deep", "---\nmeta: {a: " + strings.Repeat("[", 40) + strings.Repeat("]", 40) + "}\n---\nhi", "p.md:2: it is nested too deep; 32 levels are read"},

		{"arguments that are no list", "---\narguments:\n  code: x\n---\nhi", "p.md:3: arguments must be a list; write such as - name: code in a line below it, or remove the key"},
		{"no arguments", "---\narguments: []\n---\nhi", "p.md:2: arguments must be a list; write such as - name: code in a line below it, or remove the key"},
		{"an argument that is a word", "---\narguments: [code]\n---\nhi", "p.md:2: an argument must be keys with values; write such as name: ..."},
		{"an argument without a name", "---\narguments:\n  - name: a\n  - title: x\n---\n{{.a}}{{.x}}", "p.md:4: the argument has no name; write name: and what the template calls it"},
		{"an argument with an empty name", "---\narguments:\n  - title: x\n    name: ''\n---\nhi", "p.md:4: the argument has an empty name; write what the template calls it"},
		{"an argument twice", "---\narguments:\n  - name: a\n  - name: b\n  - name: a\n---\n{{.a}}", `p.md:5: the argument "a" is there twice, in line 3 too; remove one`},
		{"keys of an argument", "---\narguments:\n  - name: a\n    desc: x\n    name: b\n    unit: s\n---\n{{.a}}", `p.md:4: an argument has no key "desc"; did you mean description?
p.md:5: the key "name" is there twice, in line 3 too; remove one
p.md:6: an argument has no key "unit"; write one of: name, title, description, required, sensitive, default, complete, type, enum, format, pattern, minimum, maximum, minLength, maxLength, items, minItems, maxItems`},
		{"a type", "---\narguments:\n  - name: a\n    type: int\n---\n{{.a}}", `p.md:4: there is no type "int"; did you mean integer?`},
		{"a type of elements", "---\narguments:\n  - name: a\n    type: array\n    items:\n      type: array\n---\n{{.a}}", `p.md:6: there is no type "array"; write one of: string, integer, number, boolean`},
		{"items of what is no list", "---\narguments:\n  - name: a\n    items: {type: integer}\n---\n{{.a}}", "p.md:4: items are those of a list; write type: array"},
		{"values of keywords", "---\narguments:\n  - name: a\n    complete: []\n    enum: a\n    minLength: -1\n    maxLength: 1.5\n    minimum: x\n    required: 1\n---\n{{.a}}", `p.md:4: complete must be a list; write such as [one, two] behind it, or remove the key
p.md:5: enum must be a list; write such as [one, two] behind it, or remove the key
p.md:6: minLength must be a whole number from 0; write such as minLength: 80
p.md:7: maxLength must be a whole number from 0; write such as maxLength: 80
p.md:8: minimum must be a number; write such as minimum: 10
p.md:9: required must be true or false`},
		{"a default of another type", "---\narguments:\n  - {name: a, type: integer, default: x}\n  - {name: b, type: boolean, default: 1}\n  - {name: c, type: number, default: .nan}\n  - {name: d, default: [x]}\n  - {name: e, type: integer, default: 1.5}\n---\n{{.a}}{{.b}}{{.c}}{{.d}}{{.e}}", `p.md:3: default must be an integer, as the argument is; write such as 10
p.md:4: default must be true or false, as the argument is a boolean
p.md:5: default must be a number, as the argument is; write such as 1.5
p.md:6: default must be a text, as the argument is; write one, or remove it
p.md:7: default must be an integer, as the argument is; write such as 10`},
		{"an integer that JSON would change", "---\narguments:\n  - {name: a, type: integer, default: 9007199254740993}\n  - {name: b, type: integer, enum: [-9007199254740992, 9007199254740991]}\n---\n{{.a}}{{.b}}", `p.md:3: default must be an integer from -9007199254740991 to 9007199254740991, which are those that JSON has without loss
p.md:4: an element of enum must be an integer from -9007199254740991 to 9007199254740991, which are those that JSON has without loss`},
		{"a default that is an empty list", "---\narguments:\n  - {name: a, type: array, default: []}\n---\n{{.a}}", "p.md:3: default must be a list; write such as [one, two] behind it, or remove the key"},
		{"a default that breaks a rule", "---\narguments:\n  - name: a\n    type: integer\n    minimum: 3\n    default: 1\n  - name: b\n    default: c\n    enum: [a, b]\n---\n{{.a}}{{.b}}", `p.md:6: argument "a": default: must be at least 3, got 1
p.md:8: argument "b": default: must be one of a, b, got "c"`},
		{"a default that is never used", "---\narguments:\n  - name: a\n    required: true\n    default: x\n---\n{{.a}}", `p.md:5: argument "a": a required argument never uses its default; remove one of the two`},
		{"a pattern", "---\narguments:\n  - name: a\n    title: x\n    pattern: '['\n---\n{{.a}}", "p.md:5: argument \"a\": schema: pattern: missing closing ]: `[`"},
		{"a keyword of another type", "---\narguments:\n  - name: a\n    minimum: 3\n---\n{{.a}}", `p.md:4: argument "a": schema: minimum applies to numbers, but this value is read as string`},
		{"the name of an argument", "---\narguments:\n  - title: x\n    name: \"a\\tb\"\n---\n{{index . \"a\\tb\"}}", `p.md:4: argument "a\tb": Name contains a control character`},

		{"a template that does not parse", "---\ntitle: x\n---\n\nhi\n{{.code", "p.md:6: unclosed action; close the action with }}"},
		{"an argument that is not declared", "---\narguments:\n  - name: language\n---\n\n\n{{.language}}\n{{.lang}}", `p.md:8:3: unknown argument "lang"; did you mean "language"?`},
		{"an argument where there are none", "{{.code}}", `p.md:1:3: unknown argument "code"; declare the argument`},
		{"an argument that is not used", "---\narguments:\n  - name: a\n  - title: x\n    name: b\n---\n{{.a}}", `p.md:5: argument "b" is never used; add {{.b}} to a message, or remove the argument`},
		{"in the second message", "hi\n--- assistant ---\n\n\nho\n{{.a}}", `p.md:6:3: unknown argument "a"; declare the argument`},
		{"a function", "{{shout .}}", `p.md:1:3: unknown function "shout"; use {{.name}} for an argument, or {{"{{"}} for a literal {{
p.md:1:9: {{.}} means all arguments; use a single argument`},
		{"a template of another language", "---\narguments: [{name: a}]\n---\n{{#if a}}x{{/if}}", `p.md:4: unexpected "#" in command; Handlebars and Jinja syntax is not supported, use {{if .name}} and {{end}}, or {{"{{"}} for a literal {{`},
		{"curly quotes", "---\narguments: [{name: a}]\n---\n{{fence “go” .a}}", `p.md:4: unrecognized character in action: U+201C '“'; use straight quotes and plain spaces between the braces, or {{"{{"}} for a literal {{`},
		{"a template in a template", "a\n{{define \"x\"}}{{end}}", `p.md:2:1: {{define "x"}} is not supported; move the template to a partial`},

		{"a partial that there is not", "hi\n{{template \"god\" .}}", `p.md:2:12: unknown partial "god"; did you mean "good"?`},
		{"a partial with a fault", "hi\n{{template \"broken\" .}}", `p.md:2: the partial "broken" has an error itself, see _partials/broken.md:3`},
		{"a partial that names an argument", "hi\n\n{{template \"tone\" .}}", `p.md:3: the partial "tone": _partials/tone.md:2:3: unknown argument "tone"; declare the argument`},
		{"a partial by way of another", "hi\n{{if true}}{{template \"nested/deep\" .}}{{end}}", `p.md:2: the partial "tone": _partials/tone.md:2:3: unknown argument "tone"; declare the argument`},

		{"a role", "--- usr ---\nhi", `p.md:1: there is no role "usr"; did you mean user?`},
		{"a role that the protocol has not", "hi\n--- system ---\nho", `p.md:2: there is no role "system"; write --- user ---, or put a \ in front of a line that is text`},
		{"a line of a test's log", "hi\n--- FAIL: x ---", `p.md:2: there is no role "FAIL"; write --- user ---, or put a \ in front of a line that is text`},
		{"a mark without spaces", "hi\n---assistant---\nho", `p.md:2: a message begins with a line such as --- user ---, with three dashes and a space on either side; write that, or put a \ in front of a line that is text`},
		{"a mark with more dashes", "---- User: image a.png -- \nho", `p.md:1: a message begins with a line such as --- user ---, with three dashes and a space on either side; write that, or put a \ in front of a line that is text`},
		{"a kind of content", "--- user: img a.png ---", `p.md:1: a message holds no "img"; write one of: image, audio, resource`},
		{"content without a file", "--- user: image ---", "p.md:1: the image has no file; write its path, from the folder of this file, behind the word"},
		{"an empty message", "--- user ---\nhi\n--- assistant ---\n\n--- user ---\nho", "p.md:3: the message is empty; write its text below this line, or remove the line"},
		{"text below a file", "--- user: image a.png ---\n\nhi", "p.md:3: there is text below a file, which is a message of its own; write --- user --- above the text"},
		{"an image of no known type", "--- user: image a.xyz ---", "p.md:1: a.xyz: nobody knows the type of this image; give its name one of the extensions png, jpg, gif, webp, svg, avif, bmp, ico, tiff, heic"},
		{"a recording of no known type", "--- user: audio a.png ---", "p.md:1: a.png: nobody knows the type of this recording; give its name one of the extensions wav, mp3, ogg, opus, flac, m4a, aac, weba"},
		{"a path of Windows that is absolute", "--- user: resource \\a\\b.md ---", `p.md:1: \a\b.md: a path has / and not \; write a/b.md`},
		{"text below a file and a misspelled line", "--- user: image a.png ---\n-- assistant --\nhi", `p.md:2: a message begins with a line such as --- user ---, with three dashes and a space on either side; write that, or put a \ in front of a line that is text`},
		{"a name that is a list", "---\nname: [a]\n---\nhi", "p.md:2: name must be a text; write it in one line, or below name: |"},
		{"a format", "---\narguments:\n  - name: a\n    format: datum\n---\n{{.a}}", `p.md:4: argument "a": schema: unknown format "datum"; the formats are date, time, date-time, duration, email, hostname, ipv4, ipv6, uri, uri-reference, uuid, regex, json-pointer`},
		{"a format of an integer", "---\narguments:\n  - name: a\n    type: integer\n    format: date\n---\n{{.a}}", `p.md:5: argument "a": schema: format applies to strings, but this value is read as integer`},
		{"an absolute path", "--- user: resource /etc/passwd ---", "p.md:1: /etc/passwd: the path is absolute; write the one from the folder of this file, such as images/passwd"},
		{"a path that leads out", "--- user: resource x/../../passwd ---", "p.md:1: x/../../passwd: the path leads out of the folder of prompts; put the file into it"},
		{"a path of Windows", `--- user: image img\a.png ---`, `p.md:1: img\a.png: a path has / and not \; write img/a.png`},
		{"a file that there is not", "--- user: image b.png ---", "p.md:1: b.png: there is no such file"},
		{"a folder", "--- user: resource _partials ---", "p.md:1: _partials: it is a folder, and not a file"},
		{"a file that is large", "--- user: resource large.log ---", "p.md:1: large.log: it is larger than 1024 bytes; make it smaller, or set a higher limit in the Options"},

		{"several", "---\ntitel: x\narguments:\n  - name: a\n    default: 1\n    required: true\n---\n{{.b}}\n--- usr ---\nhi", `p.md:2: a prompt has no key "titel"; did you mean title?
p.md:5: argument "a": a required argument never uses its default; remove one of the two
p.md:8:3: unknown argument "b"; declare the argument, or use one of: a
p.md:9: there is no role "usr"; did you mean user?`},
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
	assert.Equal(t, "p.md:2: the anchor &a is not read; write the value itself wherever it belongs", lines(err)[0])

	_, err = promptfs.Parse(nil, "p.md", []byte("---\nmeta: "+strings.Repeat("[", 500_000)+"\n---\nhi"), promptfs.Options{})
	assert.ErrorContains(t, err, "p.md:2: the front matter is not YAML: ")
}

// A file with nothing but errors takes no more time to read than any other file of
// its size, and the text of its errors is short enough to be read.
func TestVeryManyErrors(t *testing.T) {
	t.Parallel()
	const n = 1 << 20
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
		"values of meta":             "---\nmeta:\n" + repeat("  k%d: .inf\n", n-100) + "---\nhi",
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
			"a.md:2: the name \"x\" is also that of b.md; give each another\nb.md:3: the name \"x\" is also that of a.md; give each another", []string{"c"}},
		{"a name and a path", map[string]string{"a.md": "hi", "b.md": "---\nname: a\n---\nhi"},
			"a.md: the name \"a\" is also that of b.md; give each another\nb.md:2: the name \"a\" is also that of a.md; give each another", nil},
		{"two partials", map[string]string{"_partials/a.md": "hi", "_partials/a.txt": "ho", "c.md": "hi"},
			"_partials/a.txt: another partial has this name, _partials/a.md; give one of them another", []string{"c"}},
		{"partials that call each other", map[string]string{"_partials/a.md": "x\n{{template \"b\" .}}", "_partials/b.md": "{{template \"a\" .}}", "c.md": "\n{{template \"a\" .}}", "d.md": "hi"},
			"_partials/b.md:1:12: recursive partial: a -> b -> a; use {{range}} for repetition\nc.md:2: the partial \"b\" has an error itself, see _partials/b.md:1:12", []string{"d"}},
		{"a partial that is empty", map[string]string{"_partials/a.md": "\n", "c.md": "{{template \"a\" .}}"},
			"_partials/a.md: the partial is empty; write its text, or remove the file\nc.md:1: the partial \"a\" has an error itself, see _partials/a.md", nil},
		{"a partial that is not UTF-8", map[string]string{"_partials/a.md": "a\n\xff", "c.md": "hi"}, "_partials/a.md:2: it is not UTF-8; save the file in that encoding", []string{"c"}},
		{"a skill without a name", map[string]string{"SKILL.md": "---\ndescription: x\n---\nhi"}, "SKILL.md: the skill has no name; write name: in its front matter", nil},
		{"a skill without a body", map[string]string{"a/SKILL.md": "---\nname: x\n---\n"}, "a/SKILL.md:3: the skill has no body; write it below the front matter", nil},
		{"a skill with two names", map[string]string{"a/SKILL.md": "---\nname: x\nname: y\n---\nhi"}, "a/SKILL.md:3: the key \"name\" is there twice, in line 2 too; remove one", nil},
		{"a skill with an alias", map[string]string{"a/SKILL.md": "---\nx: &a b\nname: *a\n---\nhi"}, "a/SKILL.md:3: the alias *a is not read; write the value itself", nil},
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
	assert.EqualError(t, err, `_partials/e.md: it cannot be read: permission denied
b.md: it cannot be read: permission denied
c: it cannot be read: the disk is broken`)
	require.ErrorIs(t, err, fs.ErrPermission)
	assert.Len(t, loaded, 1)

	fsys.fails["."] = fs.ErrPermission
	_, err = promptfs.Load(fsys, promptfs.Options{})
	assert.ErrorIs(t, err, fs.ErrPermission)
	_, err = promptfs.Load(fsys, promptfs.Options{Partials: "/x"})
	assert.EqualError(t, err, `promptfs: Options.Partials is "/x"; it must be the path of a folder, from the root and without a slash at its end`)
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
	const want = "a.md: it is larger than 1024 bytes; make it smaller, or set a higher limit in the Options"
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
	assert.EqualError(t, err, "b.md: it is no regular file; write one in its place")
	require.Len(t, loaded, 1)
	assert.Equal(t, "hi ho", textsOf(t, loaded[0], nil)[0])
}
