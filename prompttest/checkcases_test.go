package prompttest

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/cases"
)

// parseJSON is a parser of test files that are JSON: that of YAML is in module promptfs.
func parseJSON(_ string, content []byte) (json.RawMessage, func(string) int, error) {
	if !json.Valid(content) {
		return nil, nil, errors.New("not JSON")
	}
	return content, func(pointer string) int { return 1 + strings.Count(pointer, "/") }, nil
}

// caseRegistry has a prompt with an argument, and one with tags that asks the user.
func caseRegistry(t *testing.T) *prompts.Registry {
	t.Helper()
	var reg prompts.Registry
	type greeting struct {
		Name string `json:"name" enum:"Ada,Grace"`
	}
	type answer struct {
		Version string `json:"version"`
	}
	require.NoError(t, reg.Add(
		prompts.New(prompts.Prompt{Name: "greet"}, func(_ context.Context, in greeting) (*prompts.Result, error) {
			return prompts.Messages(prompts.User("Hello " + in.Name)), nil
		}),
		prompts.Prompt{Name: "release", Tags: []string{"team"}, Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
			a, err := prompts.Elicit[answer](ctx, "version", "Which version?")
			if err != nil {
				return nil, err
			}
			return prompts.Messages(prompts.User("Release " + a.Version)), nil
		}},
	))
	return &reg
}

func writeCases(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

const goodCases = `{"cases": [
	{"name": "Ada", "arguments": {"name": "Ada"}, "expect": {"contains": "Hello Ada", "equals": "greet.golden"}},
	{"name": "asked", "answers": [{"content": {"name": "Grace"}}], "expect": {"contains": "Hello Grace"}},
	{"name": "unknown", "arguments": {"nam": "Ada"}, "expect": {"error": {"nam": "unknown", "name": "missing"}}},
	{"name": "enum", "arguments": {"name": "Bob"}, "expect": {"error": {"name": "enum"}}}]}`

const releaseCases = `{"cases": [
	{"name": "team", "tags": ["team"], "answers": [{"message": "Which", "content": {"version": "1.2.0"}}], "expect": {"contains": "Release 1.2.0"}},
	{"name": "others", "tags": ["sales"], "expect": {"error": "unknown"}}]}`

// TestCheckCases runs cases against a registry, in the newest protocol version, and with a
// client of a session.
func TestCheckCases(t *testing.T) {
	t.Parallel()
	dir := writeCases(t, map[string]string{"greet.test.yaml": goodCases, "greet.golden": "=== user: text\nHello Ada\n", "release.test.yaml": releaseCases})
	reg := caseRegistry(t)
	checkCases(t, reg, dir, parseJSON, CheckOptions{})
	for _, version := range Versions() {
		if version < "2025-06-18" { // which have no forms
			continue
		}
		srv := prompts.MustNewServer(reg, cases.Options(prompts.Options{Logger: testLogger(t)}))
		tagged := func(tags []string) *Client {
			return Serve(t, srv, ClientOptions{Version: version, Answer: func(Question) any { return Decline() }, Context: cases.WithTags(t.Context(), tags)})
		}
		checkCases(t, nil, dir, parseJSON, CheckOptions{Client: tagged(nil), Tagged: tagged})
	}
}

// TestCheckCasesFails checks what CheckCases reports.
func TestCheckCasesFails(t *testing.T) {
	t.Parallel()
	reg := caseRegistry(t)
	for text, want := range map[string]string{
		`{"cases": [{"name": "a", "arguments": {"name": "Ada"}, "expect": {"contains": "Bye"}}]}`:        "greet.test.yaml:5: case \"a\": contains: no message has \"Bye\", got:\nHello Ada",
		`{"cases": [{"name": "a", "arguments": {"name": "Ada"}, "expect": {"equals": "greet.golden"}}]}`: "(- wanted, + got)\nline 2:\n    === user: text\n  - Hello Bob\n  + Hello Ada\n",
		`{"cases": [{"name": "a", "arguments": {"name": "Ada"}, "expect": {"equals": "no.golden"}}]}`:    "equals: no.golden does not exist. To create the file, run:\n\tgo test -run \"^TestRecorded$\" -update",
		`{"cases": [{"name": "a", "arguments": {"name": "Bob"}}]}`:                                       "prompt returned an error: name: ",
		`{"cases": [{"name": "a", "expect": {"error": {"name": "enum"}}}]}`:                              "error: expected {name: enum}, got {name: missing}",
		`{"cases": [{"name": "a", "answers": [{"message": "Who", "content": {}}]}]}`:                     "answers: no answer to the question",
		`{"prompt": "greeet", "cases": [{"name": "a"}]}`:                                                 `unknown prompt "greeet"; did you mean prompt: greet?`,
		`{"cases": [{"name": "a", "arguments": {"nam": "Ada"}}]}`:                                        `case "a" has the unknown argument "nam"; did you mean "name"?`,
		`{"cases": [`: "not JSON",
	} {
		dir := writeCases(t, map[string]string{"greet.test.yaml": text, "greet.golden": "=== user: text\nHello Bob\n"})
		r := record(t, func(t testing.TB) { checkCases(t, reg, dir, parseJSON, CheckOptions{}) })
		require.NotEmpty(t, r.errors, text)
		assert.Contains(t, strings.Join(r.errors, "\n"), want, text)
	}
	r := record(t, func(t testing.TB) { checkCases(t, reg, t.TempDir(), parseJSON, CheckOptions{}) })
	assert.Contains(t, strings.Join(r.errors, "\n"), "has no test files (*.test.yaml)")
	dir := writeCases(t, map[string]string{"release.test.yaml": releaseCases})
	r = record(t, func(t testing.TB) { checkCases(t, reg, dir, parseJSON, CheckOptions{Client: New(t, reg)}) })
	assert.Contains(t, strings.Join(r.errors, "\n"), "has tags; set CheckOptions.Tagged")
	r = record(t, func(t testing.TB) {
		checkCases(t, reg, dir, parseJSON, CheckOptions{Tagged: func([]string) *Client { return New(t, reg) }})
	})
	assert.Contains(t, strings.Join(r.errors, "\n"), "has answers; set ClientOptions.Answer")
}
