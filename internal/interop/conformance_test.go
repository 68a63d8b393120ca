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
// the expected failures: these say what the fixture does not have. The fixture's tools
// are those of package prompttools, and those that ask the client are prompts.
func TestConformance(t *testing.T) {
	t.Parallel()
	tools := built(t)
	node := installNode(t)
	for _, revision := range []string{newest, stateless} {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			// The suite plays a page with a Host of its own, too.
			url := tools.startFixtureWith(t, "fixture", []string{"-tools", "each"}, "HTTP request rejected header=Host")
			said := runSuite(t, node, url, "--requirements", revision, "--expected-failures", "conformance/expected."+revision+".yml")
			assert.Contains(t, said, "✓ prompts-get-with-args: 2 passed, 0 failed", said)
			assert.Contains(t, said, "✓ json-schema-2020-12: 8 passed, 0 failed", said) // required by no revision
		})
	}
}

// TestConformanceScenarios has single scenarios pass, of those that no
// revision requires, or that an older one has as well. The suite offers its
// newest revision with a handshake even so.
func TestConformanceScenarios(t *testing.T) {
	t.Parallel()
	tools := built(t)
	node := installNode(t)
	url := tools.startFixtureWith(t, "fixture", []string{"-tools", "each"})
	for _, scenario := range []string{
		"server-initialize",
		"completion-complete",
		"prompts-list",
		"prompts-get-simple",
		"prompts-get-with-args",
		"prompts-get-embedded-resource",
		"prompts-get-with-image",
		"tools-list",
		"tools-call-simple-text",
		"tools-call-image",
		"tools-call-audio",
		"tools-call-embedded-resource",
		"tools-call-mixed-content",
		"tools-call-error",
		"tools-call-with-progress",
		"tools-call-sampling",
		"tools-call-elicitation",
	} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			said := runSuite(t, node, url, "--scenario", scenario, "--spec-version", canAsk)
			assert.Contains(t, said, "0 failed, 0 warnings", said) // and not skipped
		})
	}
	t.Run("http-header-validation", func(t *testing.T) {
		t.Parallel()
		said := runSuite(t, node, url, "--scenario", "http-header-validation", "--spec-version", stateless)
		assert.Contains(t, said, "Passed: ", said) // and not skipped
	})
}

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
