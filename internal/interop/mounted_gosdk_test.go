package interop_test

import (
	"bytes"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/servertest/speccheck"
)

// unlikeTS1 is where the Go SDK, v1.8.0, stands in the way of a check. It
// answers a request that the client has cancelled
// (internal/jsonrpc2/conn.go:718), and the client of the TypeScript SDK
// reports an answer that it does not expect, when it is closed.
var unlikeTS1 = map[string]string{"close": "FAIL"}

// but returns what is wanted, with the exceptions.
func but(want, exceptions map[string]string) map[string]string {
	maps.Copy(want, exceptions)
	return want
}

// faultsOfGoSDK are what the Go SDK, v1.8.0, makes of messages in a revision
// that is not as the specification's schemas say.
func faultsOfGoSDK(revision string) []string {
	if revision == stateless {
		// Of a result that asks it sends its messages too, as null
		// (mcp/protocol.go:973).
		return []string{`unexpected additional properties ["messages"]`}
	}
	// What may be cached is said in all revisions (mcp/protocol.go:1166).
	faults := []string{"a result has no ttlMs (GAP-45)"}
	if revision == canAsk {
		// The mode of an elicitation is sent where there is none yet
		// (mcp/protocol.go:2129, and server.go:1740 fills it in).
		faults = append(faults, `unexpected additional properties ["mode"]`)
	}
	return faults
}

// The fixture's prompts on a server of the Go SDK, v1.8.0, to the clients that
// TestGoSDK and TestTypeScriptSDK have.
func TestMountedOnGoSDK(t *testing.T) {
	t.Parallel()
	tools := built(t)
	node := installNode(t)
	drive := func(revision, driver string, want map[string]string, args ...string) func(*testing.T) {
		return func(t *testing.T) {
			t.Parallel()
			args := append(args, "--expect-version", revision)
			text := tools.record(t, "gosdkserver", want, driver, args...)
			judgeMounted(t, text, faultsOfGoSDK(revision))
			verifyMounted(t, parseRecording(t, text), revision)
		}
	}
	t.Run("gosdk/probing", drive(stateless, tools.path("gosdk"), wanted(stateless, "list-iter")))
	for _, revision := range handshakes {
		t.Run("gosdk/"+revision, drive(revision, tools.path("gosdk"), wanted(revision, "list-iter"), "--protocol-version", revision))
		t.Run("ts1/"+revision, drive(revision, node, but(wanted(revision), unlikeTS1), "node/ts1.mjs", "--protocol-version", revision))
	}
}

// The same over HTTP. The SDK serves the revision without a handshake only with
// StreamableHTTPOptions.Stateless (mcp/streamable.go:871).
func TestMountedOnGoSDKOverHTTP(t *testing.T) {
	t.Parallel()
	tools := built(t)
	node := installNode(t)
	drive := func(revision, driver string, want map[string]string, args ...string) func(*testing.T) {
		return func(t *testing.T) {
			t.Parallel()
			args := append(args, "--expect-version", revision, "--config", "fixture.json", "--url", tools.startFixture(t, "gosdkserver"))
			runDriver(t, want, driver, args...)
		}
	}
	t.Run("gosdk/probing", drive(stateless, tools.path("gosdk"), wanted(stateless, "list-iter")))
	for _, revision := range overHTTP {
		t.Run("gosdk/"+revision, drive(revision, tools.path("gosdk"), wanted(revision, "list-iter"), "--protocol-version", revision))
		t.Run("ts1/"+revision, drive(revision, node, but(wanted(revision), unlikeTS1), "node/ts1.mjs", "--protocol-version", revision))
	}
}

// judgeMounted wants every message of the server to be as the specification's
// schemas say, but for the faults: each ends one at least, so one that the SDK
// has no more is seen.
func judgeMounted(t *testing.T, session string, faults []string) {
	t.Helper()
	checker, err := newChecker()
	require.NoError(t, err)
	report, err := checker.Session(strings.NewReader(session), speccheck.Options{})
	require.NoError(t, err)
	assert.Positive(t, report.Messages, "the server says nothing")
	found := map[string]bool{}
	for _, fault := range report.Errors {
		text := fmt.Sprint(fault)
		known := false
		for _, f := range faults {
			if strings.Contains(text, f) {
				known, found[f] = true, true
			}
		}
		assert.True(t, known, text)
	}
	for _, f := range faults {
		assert.True(t, found[f], "the SDK has learnt it: %s", f)
	}
}

// verifyMounted is verify, but for what the SDK stands in the way of.
func verifyMounted(t *testing.T, session recording, revision string) {
	t.Helper()
	verifyOpening(t, session, revision)
	verifyQuestions(t, session, revision)
	verifyProgress(t, session)
	verifyListChanged(t, session, revision)
	cancelled := 0
	for _, notification := range session.calls(client, "notifications/cancelled") {
		for _, request := range session {
			if request.from == client && request.Method == "prompts/get" && bytes.Equal(request.ID, notification.Params.RequestID) {
				assert.Len(t, session.answers(request), 1, "if this is 0, the SDK has learnt it: see unlikeTS1")
				cancelled++
			}
		}
	}
	assert.Equal(t, 1, cancelled, "requests that the client has cancelled")
}

// The official suite's scenarios of prompts and completion, and of those in which
// a client is asked the ones that do not want tools to ask it.
func TestMountedConformance(t *testing.T) {
	t.Parallel()
	testPrompts(t, "gosdkserver")
}
