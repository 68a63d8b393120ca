package interop_test

import (
	"bufio"
	"bytes"
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/speccheck"
)

// timeout is how long one client may take.
const timeout = 2 * time.Minute

// Checks that every driver has, and what they must come to.
var common = map[string]string{
	"connect":                                "PASS",
	"capabilities":                           "PASS",
	"ping":                                   "PASS",
	"list-all":                               "PASS",
	"bad-cursor":                             "PASS",
	"get:test_simple_prompt":                 "PASS",
	"get:test_prompt_with_arguments":         "PASS",
	"get:test_prompt_with_embedded_resource": "PASS",
	"get:test_prompt_with_image":             "PASS",
	"unknown-prompt":                         "PASS",
	"missing-arg":                            "PASS",
	"complete":                               "SKIP", // not in fixture.json
	"complete-unknown":                       "SKIP", // not in fixture.json
	"concurrent":                             "PASS",
	"list-changed":                           "PASS",
	"close":                                  "PASS",
}

// Checks that only the driver on the Go SDK has.
var goOnly = map[string]string{
	"list-iter": "PASS",
	"mrtr":      "SKIP", // not in fixture.json
}

func TestGoSDK(t *testing.T) {
	t.Parallel()
	tools := build(t, "fixture", "gosdk", "record")
	want := maps.Clone(common)
	maps.Copy(want, goOnly)

	t.Run("probing", func(t *testing.T) {
		t.Parallel()
		session := tools.drive(t, want, tools.path("gosdk"), "--expect-version", "2025-11-25")
		assert.Equal(t, "server/discover", session.methods[0], "the probe comes first")
		assert.Equal(t, "initialize", session.methods[1], "then the handshake")
		assert.Contains(t, session.text, `"code":-32022`, "because the probe was refused")
	})
	t.Run("handshake", func(t *testing.T) {
		t.Parallel()
		session := tools.drive(t, want, tools.path("gosdk"),
			"--protocol-version", "2025-11-25", "--expect-version", "2025-11-25")
		assert.Equal(t, "initialize", session.methods[0])
	})
}

func TestTypeScriptSDK(t *testing.T) {
	t.Parallel()
	tools := build(t, "fixture", "record")
	node := installNode(t)
	for name, args := range map[string][]string{
		"newest": {"--expect-version", "2025-11-25"},
		"pinned": {"--protocol-version", "2025-11-25", "--expect-version", "2025-11-25"},
		// Not served: the server offers what it has, and the client takes it.
		"old": {"--protocol-version", "2024-11-05", "--expect-version", "2025-11-25"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			session := tools.drive(t, common, node, append([]string{"node/ts1.mjs"}, args...)...)
			assert.Equal(t, "initialize", session.methods[0])
		})
	}
}

// tools is a folder of built commands.
type tools string

// build builds commands of this module into a folder that the test has to
// itself.
func build(t *testing.T, commands ...string) tools {
	t.Helper()
	dir := t.TempDir()
	args := []string{"build", "-o", dir + string(filepath.Separator)}
	for _, command := range commands {
		args = append(args, "./"+command)
	}
	out, err := exec.CommandContext(t.Context(), "go", args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return tools(dir)
}

func (d tools) path(command string) string { return filepath.Join(string(d), command) }

// session is what was recorded of one.
type session struct {
	text    string
	methods []string // of the client's messages
}

// drive runs a driver against the fixture, over standard input and output, and
// returns the session. It wants the driver's checks to come out as in want,
// and every message to be as the specification's schemas say.
func (d tools) drive(t *testing.T, want map[string]string, driver string, args ...string) session {
	t.Helper()
	checker, err := speccheck.FromEnvironment()
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "session.txt")
	args = append(args, "--config", "fixture.json", "--", d.path("record"), file, d.path("fixture"))

	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, driver, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	said := "the driver said:\n" + stdout.String() + stderr.String()
	require.NoError(t, err, said)
	require.Equal(t, want, checks(stdout.String()), said)

	text, err := os.ReadFile(file)
	require.NoError(t, err)
	report, err := checker.Session(bytes.NewReader(text), speccheck.Options{})
	require.NoError(t, err)
	for _, fault := range report.Faults {
		t.Error(fault)
	}
	s := session{text: string(text), methods: clientMethods(t, text)}
	assert.Contains(t, s.methods, "notifications/initialized")
	assert.Contains(t, s.text, `S> {"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`)
	assert.Greater(t, report.Messages, len(s.methods), "too few messages were judged")
	return s
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
