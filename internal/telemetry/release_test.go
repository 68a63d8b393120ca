package telemetry_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest"
)

// The audit log, a middleware and an observer get the version.
func TestReleaseIsObserved(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, log, seen := new(prompts.Registry), &servertest.Journal{}, &watcher{}
		servertest.SetRelease(t, r, servertest.ReleaseOne, servertest.DigestOf(1))
		audit := prompts.AuditLog(log.Logger())
		s := prompts.MustNewServer(r, prompts.Options{Observer: seen, Middleware: audit})
		session := servertest.NewSession(t, s)
		servertest.AnswerTo(t, s, session, servertest.GetLine("3", "greet"))
		require.NoError(t, s.Flush(t.Context()))
		assert.Contains(t, log.String(), "digest="+servertest.DigestOf(1)+" release=sha256:one label=production outcome=complete")
		last := seen.ends[len(seen.ends)-1].out
		assert.Equal(t, []string{"greet", servertest.DigestOf(1), "sha256:one", "production"}, []string{last.Prompt, last.Digest, last.Release, last.Label})
	})
}
