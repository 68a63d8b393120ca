package interop_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"

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
			url := tools.startFixture(t)
			ctx, cancel := context.WithTimeout(t.Context(), timeout)
			defer cancel()
			cmd := exec.CommandContext(ctx, node,
				"--import", "./conformance/node20-shim.mjs",
				filepath.FromSlash("node/node_modules/@modelcontextprotocol/conformance/dist/index.js"),
				"server", "--url", url, "--requirements", revision,
				"--expected-failures", filepath.Join("conformance", "expected."+revision+".yml"),
				"-o", t.TempDir())
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "the suite said:\n%s", out)
			// It exits with 0 too if there was nothing to do.
			require.Contains(t, string(out), "prompts-get-with-args", "the suite said:\n%s", out)
		})
	}
}
