package interop_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/servertest/speccheck"
)

// onMCPGo is the fixture's prompts mounted on a server of mcp-go v1.2.1.
const onMCPGo = "mcpgo"

var mountedOnMCPGo = filepath.Join("mounted", onMCPGo)

// faultsOfMCPGo are what is wrong, in a session over standard input and output,
// with what the SDK sends: by revision, parts of the checker's words, each with
// the place in mcp-go v1.2.1.
func faultsOfMCPGo(revision string) []string {
	switch revision {
	case oldest:
		// server/server.go:1277: the capabilities are those of any revision.
		return []string{"2024-11-05: there is no capability completions"}
	case stateless:
		return []string{
			// mcp/prompts.go:47: a result that asks has messages, too: null.
			`unexpected additional properties ["messages"]`,
			// server/stdio.go:96: the session has no filter of subscriptions, so that
			// it is told as one of an older revision.
			"it is neither for a session nor for a subscription",
		}
	}
	return nil
}

// driveOnMCPGo is drive, with faults of the SDK's that must be there.
func (d tools) driveOnMCPGo(t *testing.T, revision string, want map[string]string, driver string, args ...string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "session.txt")
	args = append(args, "--expect-version", revision, "--config", "fixture.json", "--", d.path("record"), file, d.path(onMCPGo))
	runDriver(t, want, driver, args...)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the session:\n%s", text)
		}
	})

	checker, err := newChecker()
	require.NoError(t, err)
	report, err := checker.Session(strings.NewReader(string(text)), speccheck.Options{})
	require.NoError(t, err)
	session := parseRecording(t, string(text))
	assert.Positive(t, report.Messages, "the server says nothing")
	known := faultsOfMCPGo(revision)
	seen := map[string]bool{}
	for _, fault := range report.Errors {
		i := slices.IndexFunc(known, func(k string) bool { return strings.Contains(fault.Error(), k) })
		if i < 0 {
			t.Error(fault)
		} else {
			seen[known[i]] = true
		}
	}
	for _, k := range known {
		assert.True(t, seen[k], "the SDK does not have this fault any more: %s", k)
	}

	verifyOpening(t, session, revision)
	verifyQuestions(t, session, revision)
	verifyProgress(t, session)
	if revision != stateless {
		// server/subscriptions.go:143: a subscription that was cancelled is answered;
		// and see faultsOfMCPGo.
		verifyCancelled(t, session)
		verifyListChanged(t, session, revision)
	}
}

func TestGoSDKOnMCPGo(t *testing.T) {
	t.Parallel()
	tools := built(t)
	drive := func(revision string, args ...string) func(*testing.T) {
		return func(t *testing.T) {
			t.Parallel()
			tools.driveOnMCPGo(t, revision, wanted(revision, "list-iter"), tools.path("gosdk"), args...)
		}
	}
	t.Run("probing", drive(stateless))
	for _, revision := range handshakes {
		t.Run(revision, drive(revision, "--protocol-version", revision))
	}
}

func TestTypeScriptSDKOnMCPGo(t *testing.T) {
	t.Parallel()
	tools := built(t)
	node := installNode(t)
	for _, revision := range handshakes {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			tools.driveOnMCPGo(t, revision, wanted(revision), node, "node/ts1.mjs", "--protocol-version", revision)
		})
	}
}

func TestGoSDKOnMCPGoOverHTTP(t *testing.T) {
	t.Parallel()
	tools := built(t)
	drive := func(revision string, args ...string) func(*testing.T) {
		return func(t *testing.T) {
			t.Parallel()
			args := append(args, "--expect-version", revision, "--config", "fixture.json", "--url", tools.startFixture(t, onMCPGo))
			want := wanted(revision, "list-iter")
			if revision == stateless {
				// server/streamable_http_modern.go:120: a notification must have the
				// version in its _meta, too, so that notifications/cancelled is refused
				// (400), and this client ends its session then.
				args, want["cancel"] = append(args, "--skip", "cancel"), "SKIP"
			}
			runDriver(t, want, tools.path("gosdk"), args...)
		}
	}
	t.Run("probing", drive(stateless))
	for _, revision := range overHTTP {
		t.Run(revision, drive(revision, "--protocol-version", revision))
	}
}

func TestTypeScriptSDKOnMCPGoOverHTTP(t *testing.T) {
	t.Parallel()
	tools := built(t)
	node := installNode(t)
	for _, revision := range overHTTP {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			runDriver(t, wanted(revision), node, "node/ts1.mjs",
				"--protocol-version", revision, "--expect-version", revision,
				"--config", "fixture.json", "--url", tools.startFixture(t, onMCPGo))
		})
	}
}

// TestConformanceOnMCPGo has the suite's scenarios of prompts pass.
func TestConformanceOnMCPGo(t *testing.T) {
	t.Parallel()
	testPrompts(t, onMCPGo)
}
