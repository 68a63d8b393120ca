// Package commands runs the commands that the pages of the repository give.
package commands

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const root = "../../.."

// command is a command line of a page.
type command struct {
	page  string // from the root of the repository
	block int    // counts the blocks of the page
	text  string // several lines for a loop and for a line that ends in a backslash
}

// pages returns the pages of the repository with their texts.
func pages(t *testing.T) map[string]string {
	t.Helper()
	list := exec.Command("git", "ls-files", "--", "*.md", ":!internal", ":!promptfs", ":!CHANGELOG.md")
	list.Dir = root
	out, err := list.Output()
	require.NoError(t, err)
	all := map[string]string{}
	for _, name := range strings.Fields(string(out)) {
		text, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		all[name] = string(text)
	}
	require.Greater(t, len(all), 40)
	return all
}

var (
	fence  = regexp.MustCompile("^( *)(?:```|~~~)(\\w*)")
	inline = regexp.MustCompile("`((?:go -C|go test|go run|go doc|\\.ci/\\w+) ?[^`]*)`")
	step   = regexp.MustCompile(`^ *- run: (.*)$`)
)

// commandsOf returns the commands of a page: the lines of blocks in sh, those behind a prompt
// in console, the steps of workflows in yaml, and the commands of Go and of .ci within a text.
func commandsOf(page, text string) (all []command) {
	language, indent, block := "", "", 0
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		add := func(text string) {
			if text != "" && !strings.HasPrefix(text, "#") {
				all = append(all, command{page, block, text})
			}
		}
		// rest returns the command that begins with a line.
		rest := func(line string) string {
			for i+1 < len(lines) && (strings.HasSuffix(line, `\`) || strings.HasPrefix(line, "for ") && !strings.HasSuffix(line, "done")) {
				i++
				line += "\n" + strings.TrimPrefix(lines[i], indent)
			}
			return line
		}
		if m := fence.FindStringSubmatch(line); m != nil {
			if language == "" {
				language, indent = cmp.Or(m[2], "text"), m[1]
				block++
			} else {
				language, indent = "", ""
			}
			continue
		}
		line = strings.TrimPrefix(line, indent)
		switch language {
		case "sh":
			add(rest(line))
		case "console":
			if text, ok := strings.CutPrefix(line, "$ "); ok {
				add(text)
			}
		case "yaml":
			if m := step.FindStringSubmatch(line); m != nil {
				block++
				add(m[1])
			}
		case "":
			for _, m := range inline.FindAllStringSubmatch(line, -1) {
				block++
				add(m[1])
			}
		}
	}
	return all
}

// How a command is run. TestPages runs those of no list.
const (
	asGiven    = ""
	untilEnded = "until it is ended" // a server or a stream, until it is ready
	flagsOnly  = "flags"             // go test without its tests, so that the flags are read
	byFile     = "file"              // a file has the same line
	byPage     = "page"              // a file reads the line on the page
	notRun     = "not"               // for a reason
)

// listed is an entry of testdata/commands.txt.
type listed struct{ how, where string }

// readList reads testdata/commands.txt: sections of commands that TestPages does not run as
// they are.
func readList(t *testing.T) map[string]listed {
	t.Helper()
	text, err := os.ReadFile("testdata/commands.txt")
	require.NoError(t, err)
	all := map[string]listed{}
	var section listed
	continues := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		heading, isHeading := strings.CutPrefix(line, "# ")
		if isHeading && continues == "" {
			how, where, _ := strings.Cut(heading, ": ")
			require.Contains(t, []string{untilEnded, flagsOnly, byFile, byPage, notRun}, how, line)
			require.Equal(t, how == untilEnded, where == "", "%s: the place or the reason", line)
			section = listed{how, where}
			continue
		}
		if line == "" {
			continue
		}
		line = continues + line
		if continues = ""; strings.HasSuffix(line, `\`) || strings.HasPrefix(line, "for ") && !strings.HasSuffix(line, "done") {
			continues = line + "\n"
			continue
		}
		require.NotContains(t, all, line, "is in the list twice")
		all[line] = section
	}
	return all
}

// TestList checks that each entry of the list is a command of a page, and that the file it
// names has the command or reads the page. With -v, it prints where each command is run.
func TestList(t *testing.T) {
	t.Parallel()
	list, found := readList(t), map[string][]string{}
	counts := map[string]int{}
	texts := pages(t)
	for _, page := range slices.Sorted(maps.Keys(texts)) {
		for _, c := range commandsOf(page, texts[page]) {
			found[c.text] = append(found[c.text], page)
			l := list[c.text]
			counts[l.how]++
			t.Logf("%s: %s\n\t%s", page, c.text, strings.TrimSpace(strings.TrimPrefix(l.how+" "+l.where, asGiven+" ")))
		}
	}
	t.Logf("%d as given, %d until they are ended, %d with flags only, %d by files, %d read by files, %d not run",
		counts[asGiven], counts[untilEnded], counts[flagsOnly], counts[byFile], counts[byPage], counts[notRun])
	for text, l := range list {
		if !assert.NotEmpty(t, found[text], "no page has this command of testdata/commands.txt, so remove it: %s", text) {
			continue
		}
		if l.how != byFile && l.how != byPage {
			continue
		}
		file, err := os.ReadFile(filepath.Join(root, l.where))
		require.NoError(t, err)
		if l.how == byFile {
			assert.True(t, strings.Contains(string(file), text), "%s does not run the command: %s", l.where, text)
			continue
		}
		assert.True(t, slices.ContainsFunc(found[text], func(page string) bool {
			return strings.Contains(string(file), path.Base(page)) || strings.Contains(string(file), path.Dir(page)+"/*.md") || strings.Contains(string(file), path.Dir(page)+`/"`)
		}), "%s does not read a page with the command: %s", l.where, text)
	}
}

// TestCommandsOf checks the kinds of commands on a page.
func TestCommandsOf(t *testing.T) {
	t.Parallel()
	const page = "Run `go test ./a` and `go`.\n\n" +
		"1. First:\n\n   ```sh\n   # not this\n   a \\\n     b\n   for x in y; do\n     c\n   done\n   ```\n\n" +
		"```console\n$ d\noutput\n```\n\n```go\ne\n```\n\n```yaml\n- run: f | g\n- uses: h\n- run: i\n```\n"
	var got []string
	for _, c := range commandsOf("page.md", page) {
		got = append(got, fmt.Sprint(c.block, " ", c.text))
	}
	assert.Equal(t, []string{"1 go test ./a", "2 a \\\n  b", "2 for x in y; do\n  c\ndone", "3 d", "6 f | g", "7 i"}, got)
}
