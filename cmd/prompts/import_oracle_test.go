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
	if !ok || oracles[format] == nil {
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
		assert.Positive(t, o.equal, format)
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
	"claude":      claudeCases,
	"codex":       wordCases(codexExpand),
	"opencode":    wordCases(opencodeExpand),
	"gemini":      bracesCases,
	"qwen":        bracesCases,
	"vscode":      vscodeCases,
	"cursor":      appendedCases,
	"cline":       appendedCases,
	"roo":         appendedCases,
	"windsurf":    appendedCases,
	"antigravity": appendedCases,
	"continue":    continueCases,
	"fabric":      fabricCases,
}

func (o *oracle) compare(fsys fs.FS) {
	format := formatOf(o.format, isImported)
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
		k := oracleCase{claudeExpand(body, input, listed(c.front["arguments"])), map[string]string{}}
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

// wordCases are commands without input, with one word, and with many, for a program whose texts
// expand returns.
func wordCases(expand func(text string, words []string) string) func(c *conversion, body string) []oracleCase {
	return func(c *conversion, body string) []oracleCase {
		cases := claudeCases(c, body)
		for i, words := range [][]string{nil, {"one"}, strings.Fields("zero one two three four five six seven eight nine ten")} {
			cases[i].want = expand(body, words)
		}
		return cases
	}
}

// codexExpand is what Codex made of a prompt: codex-rs/tui/src/bottom_pane/prompt_args.rs.
func codexExpand(text string, words []string) string {
	isReplaced := false
	text = regexp.MustCompile(`\$(?:\$|[1-9]|ARGUMENTS)`).ReplaceAllStringFunc(text, func(m string) string {
		switch n, err := strconv.Atoi(m[1:]); {
		case m == "$$":
			return m
		case err != nil:
			isReplaced = true
			return strings.Join(words, " ")
		case n <= len(words):
			isReplaced = true
			return words[n-1]
		}
		isReplaced = true
		return ""
	})
	if !isReplaced && len(words) > 0 {
		text = withoutBlankLines(text) + "\n\n" + strings.Join(words, " ")
	}
	return text
}

// opencodeExpand is what opencode 1.18.33 makes of a command: the word of the highest number is
// followed by all words after it. The prompt has one value for each, so the words of the last
// case that follow are left out here, and the report has a line.
func opencodeExpand(text string, words []string) string {
	numbers := regexp.MustCompile(`\$(\d+)`)
	found := numbers.FindAllString(text, -1)
	isAll := !slices.ContainsFunc(found, func(m string) bool { return m != "$1" })
	text = numbers.ReplaceAllStringFunc(text, func(m string) string {
		n, _ := strconv.Atoi(m[1:])
		switch {
		case isAll:
			return strings.Join(words, " ")
		case n > len(words) || n == 0:
			return ""
		}
		return words[n-1]
	})
	if strings.Contains(text, "$ARGUMENTS") {
		return strings.ReplaceAll(text, "$ARGUMENTS", strings.Join(words, " "))
	}
	if len(found) == 0 && len(words) > 0 {
		text = withoutBlankLines(text) + "\n\n" + strings.Join(words, " ")
	}
	return text
}

// vscodeCases gives each variable a value, and adds the text of the user.
func vscodeCases(c *conversion, body string) []oracleCase {
	k := oracleCase{body, map[string]string{}}
	for _, a := range c.prompt.Arguments {
		value := "the " + a.Name
		k.args[a.Name] = value
		if a.Name == allWords {
			k.want = withoutBlankLines(k.want) + "\n\n" + value
			continue
		}
		k.want = regexp.MustCompile(`\$\{(?:input: *`+regexp.QuoteMeta(a.Name)+` *(?::[^}]*)?|`+regexp.QuoteMeta(a.Name)+`)\}`).ReplaceAllLiteralString(k.want, value)
	}
	return []oracleCase{k}
}

// inputCases are commands without input and with one, which the program adds to the text if the
// text has no place for it.
func inputCases(body, place, label string) []oracleCase {
	const input = "one two"
	cases := []oracleCase{{strings.ReplaceAll(body, place, ""), map[string]string{}}, {strings.ReplaceAll(body, place, input), map[string]string{allWords: input}}}
	if !strings.Contains(body, place) {
		cases[1].want = withoutBlankLines(body) + "\n\n" + label + input
	}
	return cases
}

// bracesCases are those of Gemini CLI 0.61.0 and Qwen Code, which append the command as the user
// wrote it.
func bracesCases(c *conversion, body string) []oracleCase {
	return inputCases(body, "{{args}}", "/"+strings.ReplaceAll(strings.TrimSuffix(c.source, path.Ext(c.source)), "/", ":")+" ")
}

func appendedCases(_ *conversion, body string) []oracleCase { return inputCases(body, "\x00", "") }

func continueCases(_ *conversion, body string) []oracleCase {
	return inputCases(body, "{{{ input }}}", "")
}

// fabricCases give each variable a value. fabric sends the input below a pattern without
// {{input}}.
func fabricCases(c *conversion, body string) []oracleCase {
	k := oracleCase{withoutBlankLines(body), map[string]string{}}
	if !strings.Contains(k.want, "{{input}}") {
		k.want += "\n\n{{input}}"
	}
	k.want = strings.ReplaceAll(k.want, "{{input}}", "{{arguments}}")
	for _, a := range c.prompt.Arguments {
		k.args[a.Name] = "the " + a.Name
		k.want = strings.ReplaceAll(k.want, "{{"+a.Name+"}}", k.args[a.Name])
	}
	return []oracleCase{k}
}
