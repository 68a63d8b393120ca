//go:build unix

package hosts_test

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	known "github.com/mcp-prompts/prompts/internal/hosts"
)

// recorded returns the day of the last run of a host in testdata.
func (h *host) recorded() string { return cmp.Or(h.seen, "2026-11-24") }

// unreached are what the tests cannot run: the host, its part, and the reason.
var unreached = [][3]string{
	{"Crush", "everything", "the npm package has no program: its install script downloads one"},
	{"Kilo Code", "the model", "without an account, Kilo Code ends before its request to the model"},
	{"pi", "a prompt with `-p`", "pi may end before its request to the model"},
	{"Qwen Code", "the search by which its model finds tools", "the stand-in does not search, and the setting `tools.toolSearch.enabled` is false"},
	{"Claude Desktop, Cursor, VS Code, Zed", "everything", "an application with a window"},
}

// TestTable checks that testdata/table.md has what the recorded runs show. With -update it
// writes the table.
func TestTable(t *testing.T) {
	t.Parallel()
	shown := slices.Concat(hosts, []*host{gemini}, more)
	var before map[string]map[string]string // what a case came to, by host and case
	readJSON(t, filepath.Join("testdata", "before.json"), &before)
	var table, runs strings.Builder
	table.WriteString("# What hosts make of prompts\n\n" +
		"`go test ./hosts -run TestTable -update` writes this page from the recorded runs beside it.\n" +
		"Hosts without prompts call the tool of a prompt in each case. A dash: the case was not run.\n" +
		"Before an arrow is what was seen on 2026-11-23, at commit bc8d356, where it differs.\n\n| Case |")
	runs.WriteString("\n## Runs\n\n" +
		"A section is a case over standard input and output, over HTTP or in a terminal.\n" +
		"`go test ./hosts -all -note` counts a run.\n\n" +
		"| Host | Version | Last run | Sections | Runs of each | Sections of which a run differed |\n|---|---|---|---|---|---|\n")
	goldens := make([]*golden, len(shown))
	for i, h := range shown {
		goldens[i] = readGolden(t, h.name)
		title := h.title + " " + wanted(t, h.folder, h.npm)
		if len(goldens[i].names) > 0 { // else no run was recorded
			title = "[" + title + "](" + h.name + ".golden)"
		}
		fmt.Fprintf(&table, " %s |", title)
	}
	for _, h := range append(shown, kilo) {
		if len(readGolden(t, h.name).names) == 0 {
			continue
		}
		fmt.Fprintf(&runs, "| [%s](%s.golden) | %s | %s | %s |\n", h.title, h.name, wanted(t, h.folder, h.npm), h.recorded(), readGolden(t, h.name).agreement())
	}
	table.WriteString("\n|" + strings.Repeat("---|", len(shown)+1) + "\n")
	missing := map[string][]string{} // cases by host
	for _, c := range cases {
		fmt.Fprintf(&table, "| %s |", c.name)
		for i, g := range goldens {
			now := g.outcome(&c)
			if h := shown[i]; now == "–" && !(c.mode == "each" && h.noPrompts) {
				missing[h.title] = append(missing[h.title], c.name)
			}
			if then := before[shown[i].name][c.name]; then != "" && then != now {
				now = then + " → " + now
			}
			fmt.Fprintf(&table, " %s |", now)
		}
		table.WriteString("\n")
	}
	table.WriteString("\n## Not reached\n\n| Host | What no run reaches | Reason |\n|---|---|---|\n")
	for _, row := range unreached {
		fmt.Fprintf(&table, "| %s | %s | %s |\n", row[0], row[1], row[2])
	}
	for _, h := range shown {
		if names := missing[h.title]; names != nil {
			fmt.Fprintf(&table, "| %s | %s | not run with this version |\n", h.title, strings.Join(names, ", "))
		}
	}
	table.WriteString(runs.String())
	path := filepath.Join("testdata", "table.md")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(table.String()), 0o644))
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, table.String(), string(text), "run the test with -update")
}

// agreement returns cells of a table: how many sections there are, how often each was run,
// and those that were not the same each time.
func (g *golden) agreement() string {
	least, most := math.MaxInt, 0
	var differ []string
	for _, name := range g.names {
		count := g.tallies[name]
		least, most = min(least, count.runs), max(most, count.runs)
		if count.same < count.runs {
			differ = append(differ, fmt.Sprintf("%s (%d of %d the same)", name, count.same, count.runs))
		}
	}
	times := fmt.Sprint(most)
	if least < most {
		times = fmt.Sprintf("%d to %d", least, most)
	}
	return fmt.Sprintf("%d | %s | %s", len(g.names), times, cmp.Or(strings.Join(differ, "; "), "none"))
}

// span matches lines of a long text, see shortened.
var span = regexp.MustCompile(`LINE-(\d{4}) to LINE-(\d{4})`)

// outcome returns what a case came to, in a few words.
func (g *golden) outcome(c *testCase) string {
	alone, inTerminal := g.sections[c.name+", stdio"], g.sections[c.name+", terminal"]
	switch {
	case alone == "" && inTerminal == "":
		return "–"
	case alone == "":
		return c.outcome(inTerminal)
	}
	found := c.outcome(alone)
	if better := c.outcome(inTerminal); better != found && (better == "yes" || better == "lists again") {
		return better + ", in a terminal"
	}
	return found
}

// outcome returns what the section of a case says.
func (c *testCase) outcome(section string) string {
	_, rest, _ := strings.Cut(section, "server got:\n")
	server, rest, _ := strings.Cut(rest, "model got:\n")
	model, user, _ := strings.Cut(rest, "user saw:\n")
	if c.name == changing {
		if strings.Contains(server, "after list_changed") {
			return "lists again"
		}
		return "does not list again"
	}
	if strings.HasPrefix(c.name, "long text") {
		lines := 0
		for _, found := range span.FindAllStringSubmatch(model, -1) {
			first, _ := strconv.Atoi(found[1]) // digits
			last, _ := strconv.Atoi(found[2])
			lines += last - first + 1
		}
		if lines == 2000 {
			return "yes"
		}
		return fmt.Sprintf("%d of 2000 lines", lines)
	}
	got := 0
	for _, want := range c.want {
		if strings.Contains(model, want) {
			got++
		}
	}
	isReported := strings.Contains(user, "must") || strings.Contains(user, "does not exist") || strings.Contains(user, "equired") || strings.Contains(user, "question") || strings.Contains(user, "rror") || strings.Contains(user, "input")
	switch {
	case len(c.want) > 0 && got == len(c.want):
		return "yes"
	case c.name == "wrong enum" && strings.Contains(model, "[cobol]"), c.name == "missing" && strings.Contains(model, "arg2=[]"):
		return "not checked"
	case got > 0:
		return "in part"
	case server == "" && (isReported || strings.Contains(model, "equired")):
		return "refused by the host"
	case strings.Contains(model, "invalid arguments for prompt"), strings.Contains(model, "cannot be used in "):
		return "error shown"
	case strings.Contains(server, "  error ") && isReported:
		return "error shown"
	case strings.Contains(server, "  error "):
		return "error hidden"
	}
	return "no"
}

// TestKnownHosts checks that the table of known hosts and their pages name the versions that
// were run and the day, and that the table links to the runs.
func TestKnownHosts(t *testing.T) {
	t.Parallel()
	versions, days := map[string]string{}, map[string]string{}
	for _, h := range slices.Concat(hosts, []*host{gemini, kilo}, more) {
		versions[h.title], days[h.title] = wanted(t, h.folder, h.npm), h.recorded()
		if h == kilo {
			continue // has no page
		}
		page, err := os.ReadFile("../../../docs/clients/" + h.name + ".md")
		require.NoError(t, err)
		assert.Contains(t, string(page), "Run with "+h.title+" "+versions[h.title]+" on "+h.recorded()+".")
	}
	for _, h := range known.Table {
		if version := versions[h.Name]; version != "" {
			assert.Equal(t, version, h.Version, h.Name)
			assert.Equal(t, days[h.Name], h.Seen, h.Name)
			delete(versions, h.Name)
		}
		for _, l := range h.Limits {
			if _, file, isRun := strings.Cut(l.Source, "/internal/interop/hosts/"); isRun {
				assert.FileExists(t, file, h.Name)
			}
		}
	}
	assert.Empty(t, versions, "hosts without a row in internal/hosts/table.go")
}
