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
	for revision, more := range map[string][]string{
		newest:    {"server-initialize", "tools-call-elicitation", "tools-call-sampling"},
		stateless: {"input-required-result-non-tool-request", "server-stateless"},
	} {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			// The suite plays a page with a Host of its own, too.
			url := tools.startFixtureWith(t, "fixture", []string{"-tools", "each"}, "HTTP request rejected header=Host")
			said := runSuite(t, node, url, "--requirements", revision, "--expected-failures", "conformance/expected."+revision+".yml")
			assertPassed(t, said, promptScenarios...)
			assertPassed(t, said, more...)
			assertPassed(t, said,
				"json-schema-2020-12", // required by no revision
				"tools-call-audio",
				"tools-call-embedded-resource",
				"tools-call-error",
				"tools-call-image",
				"tools-call-mixed-content",
				"tools-call-simple-text",
				"tools-call-with-progress",
				"tools-list",
			)
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

// promptScenarios are the suite's scenarios of prompts and completion.
var promptScenarios = []string{
	"completion-complete",
	"prompts-get-embedded-resource",
	"prompts-get-simple",
	"prompts-get-with-args",
	"prompts-get-with-image",
	"prompts-list",
}

// testPrompts has a server of this module that has prompts and little else pass the scenarios
// of those, and of what a server of prompts asks its client.
func testPrompts(t *testing.T, program string) {
	tools := built(t)
	node := installNode(t)
	for revision, more := range map[string][]string{
		newest:    {"server-initialize"},
		stateless: {"input-required-result-non-tool-request", "input-required-result-unsupported-methods"},
	} {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			// It fails, since the server does not have the rest of the suite.
			said, _ := suite(t, node, tools.startFixture(t, program), "--suite", "all", "--spec-version", revision)
			assertPassed(t, said, promptScenarios...)
			assertPassed(t, said, more...)
		})
	}
}

// assertPassed checks that the suite has said that scenarios passed, and has skipped none.
func assertPassed(t *testing.T, said string, scenarios ...string) {
	t.Helper()
	for _, scenario := range scenarios {
		assert.Regexp(t, `✓ `+scenario+`: [1-9]\d* passed, 0 failed\n`, said) // and no warning
	}
}

// runSuite runs the suite against a server, wants it to pass, and returns what
// it has said. It passes too when it skips everything.
func runSuite(t *testing.T, node, url string, args ...string) string {
	t.Helper()
	said, err := suite(t, node, url, args...)
	require.NoError(t, err, "the suite said:\n%s", said)
	return said
}

// suite runs the suite against a server, and returns what it has said.
func suite(t *testing.T, node, url string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	args = append([]string{
		"--import", "./conformance/node20-shim.mjs",
		filepath.FromSlash("node/node_modules/@modelcontextprotocol/conformance/dist/index.js"),
		"server", "--url", url, "-o", t.TempDir(),
	}, args...)
	out, err := exec.CommandContext(ctx, node, args...).CombinedOutput()
	return string(out), err
}
