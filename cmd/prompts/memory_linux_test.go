package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReportsTakeBoundedMemory checks that the memory of a command does not grow with what the
// cases of a folder render: 16 cases of 14 MB each, which is 448 MB in two folders. A case
// renders one large text for each element of a list.
func TestReportsTakeBoundedMemory(t *testing.T) { // not parallel: a measurement
	if testing.Short() {
		t.Skip("a measurement, which takes long")
	}
	dir := t.TempDir()
	for _, side := range []string{"a", "b"} {
		folder := filepath.Join(dir, side)
		require.NoError(t, os.Mkdir(folder, 0o755))
		var tests strings.Builder
		tests.WriteString("cases:\n")
		for i := range 16 {
			fmt.Fprintf(&tests, "  - name: c%[1]d\n    arguments: {l: \"%[2]s\", n: \"%[1]d\"}\n    expect: {equals: g%[1]d.golden}\n", i, strings.Repeat("x,", 14)+"x")
			require.NoError(t, os.WriteFile(filepath.Join(folder, fmt.Sprintf("g%d.golden", i)), []byte("x\n"), 0o600))
		}
		require.NoError(t, os.WriteFile(filepath.Join(folder, "p.test.yaml"), []byte(tests.String()), 0o600))
		text := strings.Repeat(side+strings.Repeat(" word", 200)+"\n", 900)
		require.NoError(t, os.WriteFile(filepath.Join(folder, "p.md"), []byte("---\ndescription: d\narguments:\n  - name: l\n    type: array\n  - name: n\n---\n{{range .l}}"+text+"{{end}}{{.n}}\n"), 0o600))
	}
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for _, args := range [][]string{
		{"diff", "--format", "json", a, b}, {"test", "--format", "json", a}, {"test", "--update", a},
	} {
		p := exec.CommandContext(t.Context(), "prompts-memory", args...)
		p.Env = append(os.Environ(), "GOGC=50", "GOMEMLIMIT=300MiB") // else the time of a collection counts
		var state bytes.Buffer
		p.Stderr = &state
		out, err := p.Output()
		require.NoError(t, err)
		if args[1] != "--update" {
			assert.Regexp(t, `left out, because the report is long|leftOut`, string(out[max(len(out)-4096, 0):])+string(out[:min(len(out), 4096)]), args)
		}
		most := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindStringSubmatch(state.String())
		require.NotNil(t, most)
		kilobytes, err := strconv.Atoi(most[1])
		require.NoError(t, err)
		assert.Less(t, kilobytes>>10, 500, args)
	}
	text, err := os.ReadFile(filepath.Join(a, "g15.golden"))
	require.NoError(t, err)
	assert.Greater(t, len(text), 10<<20, "a text that is not kept is rendered again for its file")
}
