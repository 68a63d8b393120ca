//go:build unix

package hosts_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// platform is this system in the names of npm's packages.
var platform = runtime.GOOS + "-" + map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]

// version returns the version of an npm package that a package.json wants. It fails if
// another version, or none, is installed.
func version(t *testing.T, folder, name string) string {
	t.Helper()
	var wanted struct {
		Dependencies map[string]string `json:"dependencies"`
	}
	readJSON(t, filepath.Join(folder, "package.json"), &wanted)
	version := wanted.Dependencies[name]
	require.NotEmpty(t, version, "%s/package.json has no %s", folder, name)
	var installed struct {
		Version string `json:"version"`
	}
	path := filepath.Join(folder, "node_modules", filepath.FromSlash(name), "package.json")
	if text, err := os.ReadFile(path); err != nil || json.Unmarshal(text, &installed) != nil || installed.Version != version {
		t.Fatalf("%s %s is not installed; run: npm install --prefix internal/interop/hosts/%s --ignore-scripts", name, version, folder)
	}
	return version
}

func readJSON(t *testing.T, path string, v any) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, v), path)
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
