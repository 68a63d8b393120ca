package interop_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// timeout is how long one client may take.
const timeout = 2 * time.Minute

// Revisions of the protocol.
const (
	stateless = "2026-07-28" // the one without a handshake
	newest    = "2025-11-25" // of those with one
	canAsk    = "2025-06-18" // the first in which a server may ask for input
	older     = "2025-03-26"
	oldest    = "2024-11-05"
)

var handshakes = []string{newest, canAsk, older, oldest}

// wanted returns what the checks of a driver must come to in a revision.
// checks are those that only this driver has.
func wanted(revision string, checks ...string) map[string]string {
	want := map[string]string{}
	for _, check := range append(checks,
		"connect",
		"capabilities",
		"ping",
		"list-all",
		"bad-cursor",
		"get:test_simple_prompt",
		"get:test_prompt_with_arguments",
		"get:test_prompt_with_embedded_resource",
		"get:test_prompt_with_image",
		"unknown-prompt",
		"missing-arg",
		"complete",
		"complete-unknown",
		"concurrent",
		"mrtr", // before canAsk, the error
		"mrtr-declined",
		"progress",
		"cancel",
		"list-changed",
		"close",
	) {
		want[check] = "PASS"
	}
	if revision == stateless {
		want["ping"] = "SKIP" // not in this revision
	}
	if revision < canAsk {
		want["mrtr-declined"] = "SKIP" // not in this revision
	}
	return want
}

func TestGoSDK(t *testing.T) {
	t.Parallel()
	tools := built(t)
	drive := func(revision string, args ...string) func(*testing.T) {
		return func(t *testing.T) {
			t.Parallel()
			args := append(args, "--expect-version", revision)
			verify(t, tools.drive(t, "fixture", wanted(revision, "list-iter"), tools.path("gosdk"), args...), revision)
		}
	}
	t.Run("probing", drive(stateless))
	for _, revision := range handshakes {
		t.Run(revision, drive(revision, "--protocol-version", revision))
	}
}

func TestTypeScriptSDK(t *testing.T) {
	t.Parallel()
	tools := built(t)
	node := installNode(t)
	drive := func(revision string, args ...string) func(*testing.T) {
		return func(t *testing.T) {
			t.Parallel()
			args := append([]string{"node/ts1.mjs", "--expect-version", revision}, args...)
			verify(t, tools.drive(t, "fixture", wanted(revision), node, args...), revision)
		}
	}
	t.Run("newest", drive(newest))
	for _, revision := range handshakes {
		t.Run(revision, drive(revision, "--protocol-version", revision))
	}
}

// verify looks in a session for what the driver does not see.
func verify(t *testing.T, session recording, revision string) {
	t.Helper()
	verifyOpening(t, session, revision)
	verifyQuestions(t, session, revision)
	verifyProgress(t, session)
	verifyCancelled(t, session)
	verifyListChanged(t, session, revision)
}

func verifyOpening(t *testing.T, session recording, revision string) {
	t.Helper()
	if revision == stateless {
		assert.Equal(t, "server/discover", session[0].Method)
		assert.Empty(t, session.calls(client, "initialize"), "after a probe that was answered")
		return
	}
	assert.Equal(t, "initialize", session[0].Method)
	assert.Len(t, session.calls(client, "notifications/initialized"), 1)
	for _, l := range session {
		if l.Result != nil {
			assert.Empty(t, l.Result.ResultType, l.text)
		}
	}
}

// verifyQuestions wants two, in the form that the revision has for them.
func verifyQuestions(t *testing.T, session recording, revision string) {
	t.Helper()
	requests := session.calls(server, "elicitation/create")
	results := session.filter(func(l line) bool {
		return l.Result != nil && l.Result.ResultType == "input_required"
	})
	switch {
	case revision == stateless:
		assert.Empty(t, requests)
		assert.Len(t, results, 2)
	case revision >= canAsk:
		assert.Len(t, requests, 2)
		assert.Empty(t, results)
	default:
		assert.Empty(t, requests, "of a client that cannot be asked, although it says so")
		assert.Empty(t, results)
	}
}

// verifyProgress wants it between the request and the answer, with the token
// as it was given.
func verifyProgress(t *testing.T, session recording) {
	t.Helper()
	requests := session.filter(func(l line) bool {
		return l.from == client && l.Params.Meta.ProgressToken != nil
	})
	require.Len(t, requests, 1)
	answers := session.answers(requests[0])
	require.Len(t, answers, 1)
	progress := session.calls(server, "notifications/progress")
	assert.GreaterOrEqual(t, len(progress), 2)
	for _, l := range progress {
		assert.Greater(t, l.number, requests[0].number, l.text)
		assert.Less(t, l.number, answers[0].number, l.text)
		assert.Equal(t, string(requests[0].Params.Meta.ProgressToken), string(l.Params.ProgressToken), l.text)
	}
}

// verifyCancelled wants no answer to what the client has cancelled.
func verifyCancelled(t *testing.T, session recording) {
	t.Helper()
	cancelled := 0
	for _, notification := range session.calls(client, "notifications/cancelled") {
		for _, request := range session {
			if request.from != client || !request.isRequest() || !bytes.Equal(request.ID, notification.Params.RequestID) {
				continue
			}
			assert.Empty(t, session.answers(request), "the client has cancelled %s", request.text)
			if request.Method == "prompts/get" {
				cancelled++
			}
		}
	}
	assert.Equal(t, 1, cancelled, "requests that the client has cancelled")
}

// verifyListChanged wants it as a notification of its own, or as one of a
// subscription.
func verifyListChanged(t *testing.T, session recording, revision string) {
	t.Helper()
	changed := session.calls(server, "notifications/prompts/list_changed")
	assert.NotEmpty(t, changed)
	subscriptions := session.calls(client, "subscriptions/listen")
	if revision != stateless {
		assert.Empty(t, subscriptions)
		for _, l := range changed {
			assert.Nil(t, l.Params.Meta.SubscriptionID, l.text)
		}
		return
	}
	require.Len(t, subscriptions, 1)
	acknowledged := session.calls(server, "notifications/subscriptions/acknowledged")
	require.Len(t, acknowledged, 1)
	for _, l := range slices.Concat(changed, acknowledged) {
		assert.Equal(t, string(subscriptions[0].ID), string(l.Params.Meta.SubscriptionID), l.text)
		assert.GreaterOrEqual(t, l.number, acknowledged[0].number, "before the acknowledgement: %s", l.text)
	}
}

// tools is a folder of built commands.
type tools string

// folder is where the commands are built; TestMain removes it.
var folder tools

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "interop")
	if err != nil {
		log.Fatal(err)
	}
	folder = tools(dir)
	status := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(status)
}

// build builds the commands of this module, and the example codereview.
var build = sync.OnceValue(func() error {
	out, err := exec.Command("go", "build", "-o", string(folder)+string(filepath.Separator), "./fixture", "./gosdk", "./record",
		"./mounted/gosdkserver", "./"+mountedOnMCPGo, "../../examples/codereview").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
})

// built returns the folder of the commands, which the first call builds.
func built(t *testing.T) tools {
	t.Helper()
	require.NoError(t, build())
	return folder
}

func (d tools) path(command string) string { return filepath.Join(string(d), command) }

// drive runs a driver against a fixture, over standard input and output, and
// returns the session. It wants the driver's checks to come out as in want, and
// every message of the server to be as the specification's schemas say.
func (d tools) drive(t *testing.T, fixture string, want map[string]string, driver string, args ...string) recording {
	t.Helper()
	text := d.record(t, fixture, want, driver, args...)
	session := parseRecording(t, text)
	assert.Positive(t, judge(t, text), "the server says nothing")
	return session
}

// record is drive without a judgement of the session.
func (d tools) record(t *testing.T, fixture string, want map[string]string, driver string, args ...string) (session string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "session.txt")
	t.Cleanup(func() {
		if text, err := os.ReadFile(file); err == nil && t.Failed() {
			t.Logf("the session:\n%s", text)
		}
	})
	runDriver(t, want, driver, append(args, "--config", "fixture.json", "--", d.path("record"), file, d.path(fixture))...)

	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}

// runDriver runs a driver, and wants its checks to come out as in want.
func runDriver(t *testing.T, want map[string]string, driver string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, driver, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	said := "the driver said:\n" + stdout.String() + stderr.String()
	require.Equal(t, want, checks(stdout.String()), said)
	if fails := slices.Contains(slices.Collect(maps.Values(want)), "FAIL"); fails {
		require.Error(t, err, said)
	} else {
		require.NoError(t, err, said)
	}
}

// checks returns the status of each check in a driver's report. A check that
// is there twice has both.
func checks(report string) map[string]string {
	got := map[string]string{}
	lines := bufio.NewScanner(strings.NewReader(report))
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) < 3 || !slices.Contains([]string{"PASS", "FAIL", "SKIP"}, words[0]) {
			continue
		}
		got[words[2]] += words[0]
	}
	return got
}
