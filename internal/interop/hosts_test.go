package interop_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHostsConnect checks that hosts whose list of servers needs no model connect to
// the server that "prompts install" has added to their configuration.
func TestHostsConnect(t *testing.T) {
	t.Parallel()
	node := installNode(t)
	program := filepath.Join(t.TempDir(), "prompts")
	run(t, exec.Command("go", "-C", "../../cmd/prompts", "build", "-o", program, "."))
	modules, err := filepath.Abs(filepath.Join("node", "node_modules"))
	require.NoError(t, err)
	// The program of opencode is in a package of the platform.
	platform := "opencode-" + runtime.GOOS + "-" + map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	for _, host := range []struct {
		name    string
		command []string
		want    string
	}{
		{"gemini", []string{node, filepath.Join(modules, "@google", "gemini-cli", "bundle", "gemini.js")}, "✓ review: "},
		{"opencode", []string{filepath.Join(modules, platform, "bin", "opencode")}, "✓ review "},
	} {
		t.Run(host.name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			env := append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME=", "XDG_DATA_HOME=", "XDG_CACHE_HOME=", "XDG_STATE_HOME=", "NO_COLOR=1")
			command := func(name string, args ...string) *exec.Cmd {
				c := exec.CommandContext(t.Context(), name, args...)
				c.Dir, c.Env = home, env
				return c
			}
			run(t, command(program, "new", "review", "--dir", "review"))
			run(t, command(program, "install", host.name, "review"))
			// Gemini CLI starts no server in a folder that is not trusted.
			require.NoError(t, os.MkdirAll(filepath.Join(home, ".gemini"), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(home, ".gemini", "trustedFolders.json"), []byte(`{"`+home+`":"TRUST_FOLDER"}`), 0o600))
			assert.Contains(t, run(t, command(host.command[0], append(host.command[1:], "mcp", "list")...)), host.want)
		})
	}
}

// run runs a command and returns what it prints.
func run(t *testing.T, c *exec.Cmd) string {
	t.Helper()
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s\n%s", c, out)
	return string(out)
}
