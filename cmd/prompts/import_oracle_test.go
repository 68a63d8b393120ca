package main

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
)

// collections are folders with prompts of other programs:
//
//	go test . -run TestImportKeepsText -v -collection claude=$HOME/.claude/commands
var collections collectionFlag

func init() { flag.Var(&collections, "collection", "FORMAT=DIR to compare, too (repeatable)") }

type collectionFlag [][2]string

func (f *collectionFlag) String() string { return fmt.Sprint(*f) }

func (f *collectionFlag) Set(s string) error {
	format, dir, ok := strings.Cut(s, "=")
	if _, known := importFormats[format]; !ok || !known || oracles[format] == nil {
		return fmt.Errorf("must be FORMAT=DIR, got %q", s)
	}
	*f = append(*f, [2]string{format, dir})
	return nil
}

// TestImportKeepsText checks that the prompt of each file has the text that the other
// program sends for the same input, or that the report has the line.
func TestImportKeepsText(t *testing.T) {
	t.Parallel()
	for _, format := range slices.Sorted(maps.Keys(oracles)) {
		o := oracle{t: t, format: format, name: "fixture"}
		o.compare(importFixture(t, format))
		assert.Greater(t, o.equal, 2, format)
	}
	for _, c := range collections {
		o := oracle{t: t, format: c[0], name: c[1]}
		o.compare(os.DirFS(c[1]))
	}
}

// oracle compares the prompts of a folder with the texts of another program.
type oracle struct {
	t            *testing.T
	format, name string

	files, equal, reported, refused, lines int
}

// oracleCase is an input of the other program: the text that the program sends for the
// input, and the arguments of the prompt for the same input.
type oracleCase struct {
	want string
	args map[string]string
}

// oracles has the cases for a converted file, by format.
var oracles = map[string]func(c *conversion, text string) []oracleCase{
	"claude": claudeCases,
	"vscode": vscodeCases,
	"gemini": geminiCases,
	"fabric": fabricCases,
}

func (o *oracle) compare(fsys fs.FS) {
	format := importFormats[o.format]
	require.NoError(o.t, fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		target, ok := format.target(name)
		if err != nil || !d.Type().IsRegular() || !ok {
			return err
		}
		o.files++
		c := &conversion{source: name, path: target, root: fsys}
		c.run(context.Background(), format)
		o.lines += len(c.notes)
		if c.isRefused {
			o.refused++
			assert.NotEmpty(o.t, c.notes, name)
			return nil
		}
		p, err := promptfs.Parse(nil, "p.md", c.result, promptfs.Options{})
		require.NoError(o.t, err, name)
		reg := new(prompts.Registry)
		require.NoError(o.t, reg.Add(p))
		r := newRenderer(reg)
		isEqual := true
		for _, k := range oracles[o.format](c, c.body) {
			result, _, _, err := r.render(context.Background(), p.Name, k.args)
			require.NoError(o.t, err, "%s: %v", name, k.args)
			got := result.Messages[0].Content.(*prompts.Text).Text
			isEqual = o.isEqual(c, k, got) && isEqual
		}
		if isEqual {
			o.equal++
		} else {
			o.reported++
		}
		return nil
	}))
	o.t.Logf("%s %s: %d files: %d equal, %d differ on reported lines, %d refused; %d report lines", o.format, o.name, o.files, o.equal, o.reported, o.refused, o.lines)
}

// isEqual reports whether a prompt has the text of the other program. A line that differs
// and is not in the report is an error.
func (o *oracle) isEqual(c *conversion, k oracleCase, got string) bool {
	before := strings.Count(c.body, "\n") - strings.Count(strings.TrimLeft(c.body, " \t\n"), "\n")
	want := strings.Split(withoutBlankLines(k.want), "\n")
	have := strings.Split(withoutBlankLines(got), "\n")
	isEqual := true
	for i := range max(len(want), len(have)) {
		if i < len(want) && i < len(have) && want[i] == have[i] {
			continue
		}
		isEqual = false
		isReported := func(n note) bool {
			return n.line == c.bodyLine+before+i || i >= min(len(want), len(have)) && strings.Contains(n.text, "word")
		}
		if !slices.ContainsFunc(c.notes, isReported) {
			line := func(lines []string) string { return strings.Join(lines[min(i, len(lines)):min(i+1, len(lines))], "") }
			o.t.Errorf("%s: %s: line %d differs for %v, and the report has no such line:\nwant %q\ngot  %q", o.name, c.source, c.bodyLine+before+i, k.args, line(want), line(have))
			return false
		}
	}
	return isEqual
}

// claudeWordOf is in the description of the argument for a word.
var claudeWordOf = regexp.MustCompile(`^(?:word|the value of) (\$?)(\d+)`)

// claudeCases are commands without input, with one word, and with many.
func claudeCases(c *conversion, body string) []oracleCase {
	var cases []oracleCase
	for _, words := range [][]string{nil, {"one"}, strings.Fields("zero one two three four five six seven eight nine ten")} {
		input := strings.Join(words, " ")
		k := oracleCase{claudeExpand(body, input, claudeList(c.front["arguments"])), map[string]string{}}
		for _, a := range c.prompt.Arguments {
			if m := claudeWordOf.FindStringSubmatch(a.Description); m != nil {
				n, _ := strconv.Atoi(m[2])
				if m[1] == "" {
					n--
				}
				if n < len(words) {
					k.args[a.Name] = words[n]
				}
			} else if input != "" {
				k.args[a.Name] = input
			}
		}
		cases = append(cases, k)
	}
	return cases
}

// claudeExpand is what Claude Code 2.1.332 makes of a command: first the named words, then
// $ARGUMENTS[N], then $N, then $ARGUMENTS; if none was replaced, the input is appended.
func claudeExpand(text, input string, names []string) string {
	const dollar, value = "\uffff", "\ufffe"
	words := strings.Fields(input)
	isReplaced := false
	put := func(s string) string {
		isReplaced = true
		return value + s
	}
	const end = `(?:[^\w\[]|$)`
	patterns := []string{`\d`, "ARGUMENTS"}
	index := map[string]int{}
	for i, name := range slices.Backward(names) {
		patterns = append(patterns, regexp.QuoteMeta(name)+end)
		index[name] = i // the first of several
	}
	names = slices.SortedStableFunc(slices.Values(names), func(a, b string) int { return len(b) - len(a) })
	escaped := regexp.MustCompile(`(^|[^\\])\\\$(` + strings.Join(patterns, "|") + `)`)
	for escaped.MatchString(text) {
		text = escaped.ReplaceAllString(text, "${1}"+dollar+"${2}")
	}
	for _, name := range names {
		text = regexp.MustCompile(`\$`+regexp.QuoteMeta(name)+end).ReplaceAllStringFunc(text, func(m string) string {
			word := ""
			if index[name] < len(words) {
				word = words[index[name]]
			}
			return put(word) + strings.TrimPrefix(m, "$"+name)
		})
	}
	text = regexp.MustCompile(`\$ARGUMENTS\[(\d+)\]`).ReplaceAllStringFunc(text, func(m string) string {
		n, err := strconv.Atoi(m[len("$ARGUMENTS[") : len(m)-1])
		if err != nil || n >= len(words) {
			return dollar + m[1:]
		}
		return put(words[n])
	})
	text = regexp.MustCompile(`\$\d+\w*`).ReplaceAllStringFunc(text, func(m string) string {
		n, err := strconv.Atoi(m[1:])
		if err != nil || n >= len(words) {
			return m
		}
		return put(words[n])
	})
	text = regexp.MustCompile(`\$ARGUMENTS`).ReplaceAllStringFunc(text, func(string) string { return put(input) })
	if !isReplaced && input != "" {
		text = withoutBlankLines(text) + "\n\nARGUMENTS: " + input // the number of blank lines apart
	}
	return strings.NewReplacer(dollar, "$", value, "").Replace(text)
}

// vscodeCases gives each variable a value.
func vscodeCases(c *conversion, body string) []oracleCase {
	k := oracleCase{body, map[string]string{}}
	for _, a := range c.prompt.Arguments {
		value := "the " + a.Name
		k.args[a.Name] = value
		k.want = regexp.MustCompile(`\$\{(?:input: *`+regexp.QuoteMeta(a.Name)+` *(?::[^}]*)?|`+regexp.QuoteMeta(a.Name)+`)\}`).ReplaceAllLiteralString(k.want, value)
	}
	return []oracleCase{k}
}

// geminiCases are commands without input and with one. Gemini CLI 0.61.0 appends the
// command as the user wrote it if there is no {{args}}.
func geminiCases(c *conversion, body string) []oracleCase {
	var cases []oracleCase
	for _, input := range []string{"", "one two"} {
		k := oracleCase{strings.ReplaceAll(body, "{{args}}", input), map[string]string{}}
		if input != "" {
			k.args["args"] = input
			if !strings.Contains(body, "{{args}}") {
				k.want = withoutBlankLines(body) + "\n\n/" + strings.ReplaceAll(strings.TrimSuffix(c.source, ".toml"), "/", ":") + " " + input
			}
		}
		cases = append(cases, k)
	}
	return cases
}

// fabricCases give each variable a value. fabric puts the input below a pattern without
// {{input}}.
func fabricCases(c *conversion, body string) []oracleCase {
	k := oracleCase{withoutBlankLines(body), map[string]string{}}
	if user, err := fs.ReadFile(c.root, path.Join(path.Dir(c.source), "user.md")); err == nil && strings.TrimSpace(string(user)) != "" {
		k.want += "\n\n" + withoutBlankLines(string(user))
	}
	if !strings.Contains(k.want, "{{input}}") {
		k.want += "\n{{input}}"
	}
	for _, a := range c.prompt.Arguments {
		k.args[a.Name] = "the " + a.Name
		k.want = strings.ReplaceAll(k.want, "{{"+a.Name+"}}", k.args[a.Name])
	}
	return []oracleCase{k}
}
