package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var consoleBlock = regexp.MustCompile("(?ms)^```console\n(.*?)^```$")

// TestConsoleBlocks runs the console blocks of each page in an empty folder, in order. The
// lines below a command are its output; if there are none, any output is fine. CI runs the
// blocks of other programs: those of README.md and the ledger's.
func TestConsoleBlocks(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	var scripts []string
	for _, page := range pages {
		raw, err := os.ReadFile(page)
		require.NoError(t, err)
		name := strings.TrimSuffix(filepath.Base(page), ".md")
		script := consoleScript(strings.ReplaceAll(string(raw), "\r\n", "\n"))
		if name == "ledger" || script == "" {
			continue
		}
		file := filepath.Join(t.TempDir(), name+".txtar")
		require.NoError(t, os.WriteFile(file, []byte(script), 0o600))
		scripts = append(scripts, file)
	}
	assert.NotEmpty(t, scripts)
	testscript.Run(t, testscript.Params{Files: scripts, Setup: func(e *testscript.Env) error {
		e.Setenv("HOME", e.Getenv("WORK"))
		e.Setenv("NO_COLOR", "1")
		return nil
	}})
}

// consoleScript returns the console blocks of a page as a script of testscript.
func consoleScript(page string) string {
	var script, files strings.Builder
	for _, block := range consoleBlock.FindAllStringSubmatch(page, -1) {
		for i, session := range strings.Split("\n"+block[1], "\n$ ") {
			if i == 0 {
				continue // nothing, or lines before the first command
			}
			command, output, _ := strings.Cut(session, "\n")
			output = strings.TrimSuffix(output, "\n")
			stream, not := "stdout", ""
			if strings.HasPrefix(output, "prompts: ") {
				stream, not = "stderr", "! "
			}
			fmt.Fprintf(&script, "%sexec %s\n", not, command)
			if output != "" {
				n := strings.Count(files.String(), "-- want")
				fmt.Fprintf(&script, "cmp %s want%d\n", stream, n)
				fmt.Fprintf(&files, "-- want%d --\n%s\n", n, output)
			}
		}
	}
	return script.String() + files.String()
}
