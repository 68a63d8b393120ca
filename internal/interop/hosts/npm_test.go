//go:build unix

package hosts_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// platform is this system in the names of npm's packages.
var platform = runtime.GOOS + "-" + map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]

// wanted returns the version of an npm package that the package.json of a folder wants.
func wanted(t *testing.T, folder, name string) string {
	t.Helper()
	var p struct{ Dependencies, OptionalDependencies map[string]string }
	readJSON(t, filepath.Join(folder, "package.json"), &p)
	version := p.Dependencies[name] + p.OptionalDependencies[name]
	require.NotEmpty(t, version, "%s/package.json has no %s", folder, name)
	return version
}

// version returns the version of an npm package that is wanted. It fails if another
// version, or none, is installed.
func version(t *testing.T, h *host) string {
	t.Helper()
	version := wanted(t, h.folder, h.npm)
	require.NoError(t, checkInstalled(h, version))
	return version
}

// checkInstalled returns an error, with what to do, if npm has not installed the version
// of a host.
func checkInstalled(h *host, version string) error {
	var installed struct{ Version string }
	path := filepath.Join(h.folder, "node_modules", filepath.FromSlash(h.npm), "package.json")
	if text, err := os.ReadFile(path); err == nil && json.Unmarshal(text, &installed) == nil && installed.Version == version {
		return nil
	}
	return fmt.Errorf("%s %s is not installed; run: npm install --prefix internal/interop/hosts/%s", h.title, version, h.folder)
}

func readJSON(t *testing.T, path string, v any) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, v), path)
}

// node returns the path of the Node.js that npm has installed in a folder, whose hosts need a
// newer one than that of some systems, or else of the system's.
func node(t *testing.T, folder string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(folder, "node_modules", "node-"+platform, "bin", "node"))
	require.NoError(t, err)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	path, err = exec.LookPath("node")
	require.NoError(t, err, "install Node.js 22 or later")
	return path
}

// program returns the path of a file that npm has installed. {platform} is such as
// linux-x64.
func program(t *testing.T, folder, path string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(folder, "node_modules", strings.ReplaceAll(path, "{platform}", platform)))
	require.NoError(t, err)
	_, err = os.Stat(path)
	require.NoError(t, err, "npm has not installed the program of %s", platform)
	return path
}
