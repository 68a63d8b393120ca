package main

import (
	"bytes"
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestExportRoundTrip checks that the commands of Claude Code are the same after an import and an
// export, but for the place of the text that Claude Code appends, or that the report has a line.
func TestExportRoundTrip(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), ".claude", "commands")
	require.NoError(t, os.CopyFS(dir, importFixture(t, "claude")))
	sources := []string{dir}
	for _, c := range collections {
		if c[0] == "claude" {
			sources = append(sources, c[1])
		}
	}
	for _, source := range sources {
		roundTrip(t, source)
	}
}

var exportedLine = regexp.MustCompile(`(?m)^(.*) -> .*\n((?:  .*\n)*)`)

func roundTrip(t *testing.T, source string) {
	imported, target := t.TempDir(), t.TempDir()
	var report, out bytes.Buffer
	run(t.Context(), []string{"import", "claude", source, imported}, nil, &report, &report)
	run(t.Context(), []string{"export", "claude", imported, target}, nil, &out, &out)
	notes := map[string]string{}
	for _, m := range exportedLine.FindAllStringSubmatch(report.String(), -1) {
		notes[m[1]] = m[2]
	}
	equal, reported, refused := 0, 0, 0
	require.NoError(t, fs.WalkDir(os.DirFS(imported), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		before, front := commandOf(t, source, name)
		prompt := cmp.Or(front["name"], strings.TrimSuffix(name, ".md"))
		if strings.Contains(out.String(), prompt+": refused\n") {
			refused++
			return nil
		}
		after, _ := commandOf(t, target, strings.ReplaceAll(prompt, ":", "/")+".md")
		names := listed(front["arguments"])
		isEqual := after == before || after == before+"\n\nARGUMENTS: $ARGUMENTS"
		switch {
		case isEqual, len(names) > 0 && claudeExpand(after, "a b", nil) == claudeExpand(before, "a b", names):
			equal++
		case assert.Contains(t, notes[name], "  ", "%s: %s: not reported:\n%s\nis not\n%s", source, name, after, before):
			reported++
		}
		return nil
	}))
	t.Logf("%s: %d equal, %d reported, %d refused by export", source, equal, reported, refused)
	assert.Greater(t, equal, reported, out.String())
}

// commandOf returns the text of a command, and its front matter.
func commandOf(t *testing.T, dir, name string) (text string, front map[string]string) {
	raw, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if !assert.NoError(t, err) {
		return "", nil
	}
	c := &conversion{source: name, body: strings.ReplaceAll(string(raw), "\r\n", "\n"), bodyLine: 1}
	c.split()
	return strings.TrimSpace(c.body), c.front
}
