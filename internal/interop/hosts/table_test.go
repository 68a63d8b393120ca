//go:build unix

package hosts_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	known "github.com/mcp-prompts/prompts/internal/hosts"
)

// recorded is the day of the runs in testdata.
const recorded = "2026-11-24"

// TestTable checks that testdata/table.md has what the recorded runs show. With -update it
// writes the table.
func TestTable(t *testing.T) {
	t.Parallel()
	shown := slices.Concat(hosts, []*host{gemini, qwen}, more)
	var table strings.Builder
	table.WriteString("# What hosts make of prompts\n\n" +
		"`go test ./hosts -run TestTable -update` writes this table from the recorded runs beside it.\n" +
		"The runs are of " + recorded + ". Hosts without prompts call the tool of a prompt in each case. A dash: the case was not run.\n\n| Case |")
	goldens := make([]*golden, len(shown))
	for i, h := range shown {
		goldens[i] = readGolden(t, h.name)
		fmt.Fprintf(&table, " [%s %s](%s.golden) |", h.title, wanted(t, h.folder, h.npm), h.name)
	}
	table.WriteString("\n|" + strings.Repeat("---|", len(shown)+1) + "\n")
	for _, c := range cases {
		fmt.Fprintf(&table, "| %s |", c.name)
		for _, g := range goldens {
			fmt.Fprintf(&table, " %s |", g.outcome(&c))
		}
		table.WriteString("\n")
	}
	path := filepath.Join("testdata", "table.md")
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(table.String()), 0o644))
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, table.String(), string(text), "run the test with -update")
}

// outcome returns what a case came to, in a word or two.
func (g *golden) outcome(c *testCase) string {
	alone, inTerminal := g.sections[c.name+", stdio"], g.sections[c.name+", terminal"]
	switch {
	case alone == "" && inTerminal == "":
		return "–"
	case alone == "":
		return c.outcome(inTerminal)
	}
	if found := c.outcome(alone); found == "yes" || inTerminal == "" || c.outcome(inTerminal) != "yes" {
		return found
	}
	return "yes, in a terminal"
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
	case c.name == "wrong enum" && strings.Contains(model, "[cobol]"):
		return "not checked"
	case got > 0:
		return "in part"
	case server == "" && isReported:
		return "refused by the host"
	case strings.Contains(server, "  error ") && isReported:
		return "error shown"
	case strings.Contains(server, "  error "):
		return "error hidden"
	}
	return "no"
}

// TestKnownHosts checks that the table of known hosts names the versions that were run,
// and links to their runs.
func TestKnownHosts(t *testing.T) {
	t.Parallel()
	versions := map[string]string{}
	for _, h := range slices.Concat(hosts, []*host{gemini, qwen, kilo}, more) {
		versions[h.title] = wanted(t, h.folder, h.npm)
	}
	for _, h := range known.Table {
		if version := versions[h.Name]; version != "" {
			assert.Equal(t, version, h.Version, h.Name)
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
