package interop_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestConformance has the official suite's required scenarios pass, but for
// the expected failures: these say what the fixture does not have.
func TestConformance(t *testing.T) {
	t.Parallel()
	tools := build(t, "fixture")
	node := installNode(t)
	for _, revision := range []string{newest, stateless} {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			// The suite plays a page with a Host of its own, too.
			said := runSuite(t, node, tools.startFixture(t, "fixture", "HTTP request rejected header=Host"),
				"--requirements", revision, "--expected-failures", expected(revision))
			assert.Contains(t, said, "✓ prompts-get-with-args: 2 passed, 0 failed", said)
		})
	}
}

// TestConformanceScenarios has single scenarios pass, of those that no
// revision requires, or that an older one has as well. The suite offers its
// newest revision with a handshake even so.
func TestConformanceScenarios(t *testing.T) {
	t.Parallel()
	tools := build(t, "fixture")
	node := installNode(t)
	for _, scenario := range []string{
		"server-initialize",
		"completion-complete",
		"prompts-list",
		"prompts-get-simple",
		"prompts-get-with-args",
		"prompts-get-embedded-resource",
		"prompts-get-with-image",
	} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			said := runSuite(t, node, tools.startFixture(t, "fixture"), "--scenario", scenario, "--spec-version", canAsk)
			assert.Contains(t, said, "0 failed, 0 warnings", said) // and not skipped
		})
	}
	t.Run("http-header-validation", func(t *testing.T) {
		t.Parallel()
		said := runSuite(t, node, tools.startFixture(t, "fixture"), "--scenario", "http-header-validation", "--spec-version", stateless)
		assert.Contains(t, said, "Passed: ", said) // and not skipped
	})
}

// TestConformanceOfTools has the scenarios of tools pass on a server whose tools are
// those of package prompttools.
func TestConformanceOfTools(t *testing.T) {
	t.Parallel()
	tools := build(t, "fixture")
	node := installNode(t)
	url := tools.startFixtureWith(t, "fixture", []string{"-tools", "each"})
	for _, revision := range []string{newest, stateless} {
		for _, scenario := range []string{
			"tools-list",
			"tools-call-simple-text",
			"tools-call-image",
			"tools-call-audio",
			"tools-call-embedded-resource",
			"tools-call-mixed-content",
			"tools-call-error",
			"tools-call-with-progress",
		} {
			t.Run(revision+"/"+scenario, func(t *testing.T) {
				t.Parallel()
				said := runSuite(t, node, url, "--scenario", scenario, "--spec-version", revision)
				assert.Contains(t, said, "0 failed, 0 warnings", said) // and not skipped
			})
		}
	}
}

// expected returns the path of a file of expected failures.
func expected(of string) string { return filepath.Join("conformance", "expected."+of+".yml") }

// runSuite runs the suite against a server, wants it to pass, and returns what
// it has said. It passes too when it skips everything.
func runSuite(t *testing.T, node, url string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	args = append([]string{
		"--import", "./conformance/node20-shim.mjs",
		filepath.FromSlash("node/node_modules/@modelcontextprotocol/conformance/dist/index.js"),
		"server", "--url", url, "-o", t.TempDir(),
	}, args...)
	out, err := exec.CommandContext(ctx, node, args...).CombinedOutput()
	require.NoError(t, err, "the suite said:\n%s", out)
	return string(out)
}
