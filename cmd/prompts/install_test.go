package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestProgramWithoutProc checks that install finds the program if the system does not
// know its path.
func TestProgramWithoutProc(t *testing.T) {
	t.Parallel()
	unknown := func() (string, error) { return "", errors.New("no /proc") }
	program := filepath.Join(t.TempDir(), "prompts.exe")
	require.NoError(t, os.WriteFile(program, nil, 0o700))
	path, err := programPath(unknown, program)
	require.NoError(t, err)
	assert.Equal(t, program, path)
	_, err = programPath(unknown, program+".missing")
	assert.ErrorContains(t, err, "start the program with the full path")
}

// installIn runs install in a folder, with a home folder of its own.
func installIn(t *testing.T, home, dir string, args ...string) (output string, err error) {
	p := exec.CommandContext(t.Context(), "prompts", append([]string{"install"}, args...)...)
	p.Dir = dir
	p.Env = append(os.Environ(), "HOME="+home, "XDG_CACHE_HOME=", "XDG_CONFIG_HOME=", "LocalAppData="+home, "AppData="+home)
	out, err := p.CombinedOutput()
	return string(out), err
}

// Installs at the same time lose no server and no setting of the user, also without a home and a
// cache folder, and the copy has the file before the first of them.
func TestInstallsAtOnce(t *testing.T) {
	t.Parallel()
	home, prompts := t.TempDir(), folderOfHello(t)
	file := filepath.Join(home, ".cursor", "mcp.json")
	const before = "{\n  // mine\n  \"mcpServers\": {\"mine\": {\"command\": \"x\"}}\n}\n"
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(t, os.WriteFile(file, []byte(before), 0o600))
	var running sync.WaitGroup
	for n := range 12 {
		running.Go(func() {
			own := home
			if n%2 == 0 {
				own = ""
			}
			out, err := installIn(t, own, home, "cursor", "--file", file, "--name", fmt.Sprintf("s%d", n), prompts)
			assert.NoError(t, err, out)
		})
	}
	running.Wait()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var settings struct{ McpServers map[string]any }
	require.NoError(t, json.Unmarshal(bytes.Replace(text, []byte("// mine"), nil, 1), &settings))
	assert.Len(t, settings.McpServers, 13)
	kept, err := os.ReadFile(file + ".bak")
	require.NoError(t, err)
	assert.Equal(t, before, string(kept))
	entries, err := os.ReadDir(filepath.Dir(file))
	require.NoError(t, err)
	assert.Len(t, entries, 2, "no lock is left")
}

// A link of a project leads install to no file outside of the project. Inside, the target
// changes and the link stays.
func TestInstallInAProjectWithLinks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		link, target string
		want         string // the error; empty for none
	}{
		"a file":               {".cursor/mcp.json", "../../outside/mcp.json", "link points outside of the folder"},
		"an absolute path":     {".cursor/mcp.json", "OUTSIDE/mcp.json", "link points outside of the folder"},
		"a new file":           {".cursor/mcp.json", "../../outside/new.json", "link points outside of the folder"},
		"a folder":             {".cursor", "../outside", "link points outside of the folder"},
		"a loop":               {".cursor", ".cursor", "link loop"},
		"a file of the folder": {".cursor/mcp.json", "../own.json", ""},
		"a folder of it":       {".cursor", "own", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			project, outside := filepath.Join(top, "project"), filepath.Join(top, "outside")
			require.NoError(t, os.MkdirAll(filepath.Join(project, filepath.Dir(c.link)), 0o700))
			require.NoError(t, os.MkdirAll(filepath.Join(project, "own"), 0o700))
			require.NoError(t, os.Mkdir(outside, 0o700))
			for _, file := range []string{"project/own.json", "project/own/mcp.json", "outside/mcp.json"} {
				require.NoError(t, os.WriteFile(filepath.Join(top, file), []byte("{}\n"), 0o600))
			}
			require.NoError(t, os.Symlink(strings.ReplaceAll(c.target, "OUTSIDE", outside), filepath.Join(project, c.link)))
			require.NoError(t, os.WriteFile(filepath.Join(project, "own", "hello.md"), []byte("Hello!\n"), 0o600))
			out, err := installIn(t, top, project, "cursor", "--project", "own")
			entries, readErr := os.ReadDir(outside)
			require.NoError(t, readErr)
			assert.Len(t, entries, 1)
			text, readErr := os.ReadFile(filepath.Join(outside, "mcp.json"))
			require.NoError(t, readErr)
			assert.Equal(t, "{}\n", string(text))
			if c.want != "" {
				assert.Error(t, err)
				assert.Contains(t, out, c.want)
				return
			}
			require.NoError(t, err, out)
			text, readErr = os.ReadFile(filepath.Join(project, ".cursor", "mcp.json"))
			require.NoError(t, readErr)
			assert.Contains(t, string(text), "mcpServers")
			info, readErr := os.Lstat(filepath.Join(project, c.link))
			require.NoError(t, readErr)
			assert.NotZero(t, info.Mode()&os.ModeSymlink)
		})
	}
}

// Settings of many levels are an error, and those of a person are not. Brackets in texts and
// comments are no levels.
func TestSettingsOfManyLevels(t *testing.T) {
	t.Parallel()
	open, closed := strings.Repeat("[", 3_000_000), strings.Repeat("]", 3_000_000)
	const tooDeep = "invalid JSON: more than 10000 levels"
	for _, c := range []struct{ document, want string }{
		{open, tooDeep},
		{open + closed, tooDeep},
		{`{"a":` + open + closed + "}", tooDeep},
		{strings.Repeat(`{"a":`, 3_000_000), tooDeep},
		{strings.Repeat("[/* ] */", 20_000), tooDeep},
		{strings.Repeat("[\"]\",", 20_000), tooDeep},
		{strings.Repeat("[// ]\n", 20_000), tooDeep},
		{`{"a":` + open[:9_000] + closed[:9_000] + "}", ""},
		{`{"a":"` + open + `\\\"` + open + `",` + "// " + open + "\n/*" + open + "**/\"b\":[]}", ""},
		{"{} // " + open + "\n", ""},
		{`{} /*` + open, "invalid JSON: "},
		{`"` + open, "invalid JSON: "},
	} {
		after, err := editJSON([]byte(c.document), []string{"mcpServers", "a"}, &entry{Command: "x"}, false)
		if c.want == "" {
			assert.NoError(t, err)
			assert.Contains(t, string(after), `"mcpServers"`)
		} else {
			assert.ErrorContains(t, err, c.want)
		}
	}
	// The other files of settings and prompts have a limit in their parsers.
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.toml": "prompt = " + open[:500_000] + closed[:500_000],
		"b.toml": "prompt = " + strings.Repeat("{a=", 300_000),
		"c.md":   "---\narguments: " + open[:1_000_000] + "\n---\nHi\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	for _, args := range [][]string{{"import", "gemini", dir, t.TempDir()}, {"check", dir}} {
		var out, errOut bytes.Buffer
		assert.Equal(t, exitFailed, run(t.Context(), args, nil, &out, &errOut), "%s%s", out.String(), errOut.String())
	}
}
