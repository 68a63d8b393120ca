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
	// Those that the suite must not skip.
	scenarios := []string{
		"completion-complete",
		"json-schema-2020-12", // required by no revision
		"prompts-get-embedded-resource",
		"prompts-get-simple",
		"prompts-get-with-args",
		"prompts-get-with-image",
		"prompts-list",
		"tools-call-audio",
		"tools-call-embedded-resource",
		"tools-call-error",
		"tools-call-image",
		"tools-call-mixed-content",
		"tools-call-simple-text",
		"tools-call-with-progress",
		"tools-list",
	}
	for revision, more := range map[string][]string{
		newest:    {"server-initialize", "tools-call-elicitation", "tools-call-sampling"},
		stateless: {"input-required-result-non-tool-request", "server-stateless"},
	} {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			// The suite plays a page with a Host of its own, too.
			url := tools.startFixtureWith(t, "fixture", []string{"-tools", "each"}, "HTTP request rejected header=Host")
			said := runSuite(t, node, url, "--requirements", revision, "--expected-failures", "conformance/expected."+revision+".yml")
			for _, scenario := range append(more, scenarios...) {
				assert.Regexp(t, `✓ `+scenario+`: [1-9]\d* passed, 0 failed\n`, said) // and no warning
			}
		})
	}
}

// TestHTTPHeaders has the suite's scenario for the headers of HTTP pass, which no revision
// requires.
func TestHTTPHeaders(t *testing.T) {
	t.Parallel()
	url := built(t).startFixtureWith(t, "fixture", []string{"-tools", "each"})
	said := runSuite(t, installNode(t), url, "--scenario", "http-header-validation", "--spec-version", stateless)
	assert.Contains(t, said, "Passed: ", said) // and not skipped
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
