//go:build unix

package hosts_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// golden is the file of a host: sections, each with a line "== name (3 of 3 runs) =="
// before it, for how many runs agree with the section.
type golden struct {
	mu       sync.Mutex // protects the fields below, but host, path, maySkip and order
	host     string
	path     string
	names    []string // in the order of the file
	sections map[string]string
	tallies  map[string]tally
	changed  []string // by this run
	retired  []string // without a case, see [golden.retire]
	maySkip  string   // that of the host
	order    []string // of the sections, or nil for those of cases
}

// tally is how many runs of a case there were, and how many were the same.
type tally struct{ same, runs int }

var heading = regexp.MustCompile(`(?m)^== (.*) \((\d+) of (\d+) runs\) ==\n`)

func readGolden(t *testing.T, host string) *golden {
	t.Helper()
	g := &golden{host: host, path: filepath.Join("testdata", host+".golden"), sections: map[string]string{}, tallies: map[string]tally{}}
	data, err := os.ReadFile(g.path)
	if !errors.Is(err, fs.ErrNotExist) {
		require.NoError(t, err)
	}
	text := string(data)
	found := heading.FindAllStringSubmatchIndex(text, -1)
	for i, f := range found {
		end := len(text)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		name := text[f[2]:f[3]]
		g.set(name, text[f[1]:end])
		same, _ := strconv.Atoi(text[f[4]:f[5]]) // digits
		runs, _ := strconv.Atoi(text[f[6]:f[7]])
		g.tallies[name] = tally{same, runs}
	}
	return g
}

func (g *golden) set(name, text string) {
	if _, exists := g.sections[name]; !exists {
		g.names = append(g.names, name)
	}
	g.sections[name] = strings.TrimRight(text, "\n") + "\n"
}

// check compares a section with what happened. With -update it replaces a section that
// differs. With -update or -note it counts the run.
func (g *golden) check(t *testing.T, name, got string) {
	t.Helper()
	g.mu.Lock()
	defer g.mu.Unlock()
	got = strings.TrimRight(got, "\n") + "\n"
	want, exists := g.sections[name]
	if g.maySkip != "" && !strings.Contains(got, g.maySkip) {
		want = strings.ReplaceAll(want, g.maySkip, "")
	}
	isSame := exists && want == got
	if *update && !isSame {
		if strings.HasPrefix(name, "start, ") {
			maps.DeleteFunc(g.tallies, func(name string, _ tally) bool { return !slices.Contains(g.changed, name) }) // those of another version
		}
		g.set(name, got)
		g.tallies[name] = tally{}
		exists, isSame, want = true, true, got
	}
	if *update || *note && exists {
		count := g.tallies[name]
		count.runs++
		if isSame {
			count.same++
		}
		g.tallies[name] = count
		g.changed = append(g.changed, name)
	}
	if *update {
		g.writeLocked(t) // a run that is ended early has what it has seen
	}
	assert.True(t, exists, "%s has no section %q; run the test with -update", g.path, name)
	assert.Equal(t, want, got, "%s: %s", g.path, name)
}

// retire reports the sections that no case makes: those of a terminal, or the others. With
// -update, write deletes them. It does nothing unless all cases have run.
func (g *golden) retire(t *testing.T, made []string, inTerminal bool) {
	if !*all || *only != "" || t.Failed() {
		return
	}
	for _, name := range g.names {
		if strings.HasSuffix(name, "terminal") != inTerminal || slices.Contains(made, name) {
			continue
		}
		if *update {
			g.retired = append(g.retired, name)
		} else {
			t.Errorf("%s: no case makes the section %q; run the test with -update", g.path, name)
		}
	}
}

// write writes the sections that this run has changed or counted to the file, in the order
// of the cases. Without -update and -note there are none.
func (g *golden) write(t *testing.T) {
	t.Helper()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.writeLocked(t)
}

func (g *golden) writeLocked(t *testing.T) {
	t.Helper()
	if len(g.changed)+len(g.retired) == 0 {
		return
	}
	file := readGolden(t, g.host) // another test may have written its sections meanwhile
	for _, name := range g.changed {
		file.set(name, g.sections[name])
		file.tallies[name] = g.tallies[name]
	}
	for _, name := range g.retired {
		delete(file.sections, name)
	}
	order := g.order
	if order == nil {
		order = sectionsOfCases()
	}
	var text strings.Builder
	for _, name := range order {
		if section, exists := file.sections[name]; exists {
			count := file.tallies[name]
			fmt.Fprintf(&text, "== %s (%d of %d runs) ==\n%s\n", name, count.same, count.runs, section)
		}
	}
	require.NoError(t, os.MkdirAll("testdata", 0o755))
	require.NoError(t, os.WriteFile(g.path, []byte(strings.TrimRight(text.String(), "\n")+"\n"), 0o644))
}

// sectionsOfCases returns the sections of a file with cases, in their order.
func sectionsOfCases() (order []string) {
	parts := []string{"start", "menu", "arguments"}
	for _, c := range cases {
		parts = append(parts, c.name)
	}
	for _, transport := range []string{"stdio", "HTTP", "terminal", "HTTP terminal"} {
		for _, part := range append(parts, "menu after list_changed") {
			order = append(order, part+", "+transport)
		}
	}
	return order
}

// escape is a control sequence of a terminal.
var escape = regexp.MustCompile("\x1b(?:\\[[0-9;:?]*[A-Za-z]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[()][0-9A-B]|[=>])")

// changes are what differs from run to run.
var changes = []struct {
	pattern *regexp.Regexp
	by      string
}{
	{escape, ""},
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "<uuid>"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)`), "<time>"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d\b`), "<date>"},
	{regexp.MustCompile(`\b\d+(\.\d+)?( ?m?s\b| seconds?)`), "<duration>"},
	{regexp.MustCompile(`\b\d{13}-[0-9a-z]{6}\b`), "<time>"},
	{regexp.MustCompile(`\b\d{13}-copilot-tool-output-[0-9a-f]{32}|\btool_[0-9a-f]{12}\w{14}\b|\bpi-mcp-output-\w{6}/output-[0-9a-f]{8}\b`), "<file>"},
	{regexp.MustCompile(`( MCP resource \S+) \[[0-9a-f]{8}\]`), "$1 [<id>]"},
	{regexp.MustCompile(`(?m)\s+\d\d:\d\d$`), ""},
	{regexp.MustCompile(`(\S) {3,}(\S)`), "$1  $2"},
	{regexp.MustCompile(`http://127\.0\.0\.1:\d+`), "<url>"},
}

// numbered matches the lines of a long text, also in JSON.
var numbered = regexp.MustCompile(`(?:LINE-\d{4} x{44}(?:\s|\\+n)*)+`)

// shortened replaces lines with numbers by the first and the last.
func shortened(text string) string {
	return numbered.ReplaceAllStringFunc(text, func(found string) string {
		at := strings.LastIndex(found, "LINE-")
		return found[:len("LINE-0000")] + " to " + found[at:at+len("LINE-0000")] + "\n"
	})
}

// normal returns a text of one run in the form in which each run has it.
func (s *sandbox) normal(text string) string {
	text = strings.NewReplacer(s.home, "~", s.dir, "<dir>", strings.ReplaceAll(s.dir, "/", "-"), "-dir").Replace(text)
	for _, c := range changes {
		text = c.pattern.ReplaceAllString(text, c.by)
	}
	if s.host.noise != nil {
		text = s.host.noise.ReplaceAllString(text, "")
	}
	return text
}

// indented returns the lines of a text, each after a tab, without empty lines at its ends
// and with at most one empty line in a row.
func indented(text string) string {
	var out strings.Builder
	isEmpty := true
	for line := range strings.Lines(strings.TrimSpace(text)) {
		line = strings.TrimRight(line, " \r\n\t")
		if line == "" && isEmpty {
			continue
		}
		isEmpty = line == ""
		out.WriteString(strings.TrimRight("\t"+line, "\t") + "\n")
	}
	return out.String()
}
