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
	"go.yaml.in/yaml/v3"
)

const root = "../../.."

// command is a command line of a page.
type command struct {
	page  string // from the root of the repository
	block int    // counts the blocks of the page
	text  string // several lines for a loop and for a line that ends in a backslash
	// isInText is true for a command that is not in a block.
	isInText bool
}

// key returns the entry of the list for a command: its text, or PROGRAM … for all commands of
// the program that are not in a block and that the list does not have.
func (c command) key(list map[string]listed) string {
	if program, _, _ := strings.Cut(c.text, " "); c.isInText && list[c.text].how == "" && list[program+" …"].how != "" {
		return program + " …"
	}
	return c.text
}

// pages returns the pages of the repository with their texts, and the workflows.
func pages(t *testing.T) map[string]string {
	t.Helper()
	list := exec.Command("git", "ls-files", "--", "*.md", ".github/workflows/*.yml", ":!internal", ":!promptfs", ":!CHANGELOG.md")
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
	inline = regexp.MustCompile("`((?:go (?:-C|test|run|doc|get|mod|vet)|\\.ci/\\w+) ?[^`]*|(?:prompts|" + programs + ") [^`]*)`")
)

// programs are the other programs that a page names with arguments.
const programs = "claude|cline|codex|copilot|cosign|crane|curl|docker|gemini|gh|git|jq|kubectl|nats|npm|npx|opencode|oras|pi|podman|qwen|skopeo|sudo|tar"

// isOpen reports whether a command goes on in the next line.
func isOpen(line string) bool {
	return strings.HasSuffix(line, `\`) || strings.HasPrefix(line, "for ") && !strings.HasSuffix(line, "done")
}

// commandsOf returns the commands of a page: the lines of blocks in sh, those behind a prompt
// in console, the steps of workflows in yaml, and the commands within a text.
func commandsOf(page, text string) (all []command) {
	block := 0
	add := func(lines ...string) {
		block++
		for i := 0; i < len(lines); i++ {
			line := lines[i]
			for isOpen(line) && i+1 < len(lines) {
				i++
				line += "\n" + lines[i]
			}
			if line != "" && !strings.HasPrefix(line, "#") {
				all = append(all, command{page: page, block: block, text: line})
			}
		}
	}
	addSteps := func(text string) {
		var document yaml.Node
		if err := yaml.Unmarshal([]byte(text), &document); err != nil {
			panic(fmt.Sprintf("%s: %v, in\n%s", page, err, text))
		}
		for _, script := range stepsOf(&document) {
			add(strings.Split(script, "\n")...)
		}
	}
	if path.Ext(page) == ".yml" {
		addSteps(text)
		return all
	}
	language, indent := "", ""
	var body []string
	for line := range strings.SplitSeq(text, "\n") {
		m := fence.FindStringSubmatch(line)
		switch {
		case m != nil && language == "":
			language, indent, body = cmp.Or(m[2], "text"), m[1], nil
		case m != nil:
			switch language {
			case "sh":
				add(body...)
			case "console":
				for i, line := range body {
					body[i], _ = strings.CutPrefix(line, "$ ")
					if body[i] == line {
						body[i] = "" // output
					}
				}
				add(body...)
			case "yaml":
				addSteps(strings.Join(body, "\n"))
			}
			language = ""
		case language != "":
			body = append(body, strings.TrimPrefix(line, indent))
		default:
			for _, m := range inline.FindAllStringSubmatch(line, -1) {
				add(m[1])
				all[len(all)-1].isInText = true
			}
		}
	}
	return all
}

// stepsOf returns the scripts of the keys run in a document.
func stepsOf(node *yaml.Node) (all []string) {
	for i, n := range node.Content {
		if node.Kind == yaml.MappingNode && i%2 == 1 && node.Content[i-1].Value == "run" && n.Kind == yaml.ScalarNode {
			all = append(all, n.Value)
		}
		all = append(all, stepsOf(n)...)
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
		if continues = ""; isOpen(line) {
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
			key := c.key(list)
			found[key] = append(found[key], page)
			l := list[key]
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
			runs := strings.Contains(string(file), text)
			if path.Ext(l.where) == ".yml" {
				runs = slices.ContainsFunc(commandsOf(l.where, string(file)), func(c command) bool { return c.text == text })
			}
			assert.True(t, runs, "%s does not run the command: %s", l.where, text)
			continue
		}
		reads := func(page string) bool {
			return strings.Contains(string(file), path.Base(page)) || strings.Contains(string(file), `"`+path.Join("../..", path.Dir(page), "*.md")+`"`) || strings.Contains(string(file), path.Dir(page)+`/"`)
		}
		if !strings.HasSuffix(text, " …") {
			assert.True(t, slices.ContainsFunc(found[text], reads), "%s does not read a page with the command: %s", l.where, text)
			continue
		}
		for _, page := range found[text] {
			assert.True(t, reads(page), "%s does not read %s, which has commands: %s", l.where, page, text)
		}
	}
}

// buildPrompts builds the command prompts into a folder.
func buildPrompts(t *testing.T) (bin string) {
	t.Helper()
	bin = t.TempDir()
	out, err := exec.Command("go", "build", "-C", filepath.Join(root, "cmd/prompts"), "-o", filepath.Join(bin, "prompts"), ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return bin
}

// TestCommandsOf checks the kinds of commands on a page.
func TestCommandsOf(t *testing.T) {
	t.Parallel()
	const page = "Run `go test ./a` and `go`.\n\n" +
		"1. First:\n\n   ```sh\n   # not this\n   a \\\n     b\n   for x in y; do\n     c\n   done\n   ```\n\n" +
		"```console\n$ d\noutput\n```\n\n```go\ne\n```\n\n```yaml\n- run: f | g\n- uses: h\n- run: |\n    i\n    j\n```\n\n" +
		"And `docker stop -t 15`, `docker`.\n"
	var got []string
	for _, c := range commandsOf("page.md", page) {
		got = append(got, fmt.Sprint(c.block, " ", c.text))
	}
	assert.Equal(t, []string{"1 go test ./a", "2 a \\\n  b", "2 for x in y; do\n  c\ndone", "3 d", "4 f | g", "5 i", "5 j", "6 docker stop -t 15"}, got)
	workflow := commandsOf("w.yml", "defaults: {run: {shell: bash}}\njobs:\n  a:\n    steps:\n      - uses: b\n      - name: c\n        run: >-\n          d\n          e\n")
	assert.Equal(t, []command{{page: "w.yml", block: 1, text: "d e"}}, workflow)
}
