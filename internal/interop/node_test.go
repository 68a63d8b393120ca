package interop_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// installTimeout is how long npm may take.
const installTimeout = 5 * time.Minute

// installing is held while npm may be at work: the tests share its folder.
var installing sync.Mutex

// installNode installs what node/package.json asks for, unless it is there,
// and returns the path of node.
func installNode(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("needs clients in Node.js")
	}
	node, err := exec.LookPath("node")
	require.NoError(t, err, "install Node.js 20 or later")
	installing.Lock()
	defer installing.Unlock()
	if nodeIsInstalled(t) {
		return node
	}
	npm, err := exec.LookPath("npm")
	require.NoError(t, err, "install npm")

	ctx, cancel := context.WithTimeout(t.Context(), installTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, npm, "install",
		"--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts")
	cmd.Dir = "node"
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.True(t, nodeIsInstalled(t), "npm has not installed the versions of package.json")
	return node
}

// nodeIsInstalled reports whether each dependency in node/package.json is
// there in the version that it names.
func nodeIsInstalled(t *testing.T) bool {
	t.Helper()
	var wanted struct {
		Dependencies map[string]string `json:"dependencies"`
	}
	text, err := os.ReadFile(filepath.Join("node", "package.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &wanted))
	require.NotEmpty(t, wanted.Dependencies)
	for name, version := range wanted.Dependencies {
		var installed struct {
			Version string `json:"version"`
		}
		text, err := os.ReadFile(filepath.Join("node", "node_modules", filepath.FromSlash(name), "package.json"))
		if err != nil || json.Unmarshal(text, &installed) != nil || installed.Version != version {
			return false
		}
	}
	return true
}
