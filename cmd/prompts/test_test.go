package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// examplePrompts is a folder with cases for all of its prompts.
const examplePrompts = "../../examples/files/prompts"

// testJSON runs the cases of a folder.
func testJSON(t *testing.T, dir string) (int, testReport) {
	t.Helper()
	var out, errOut bytes.Buffer
	code := run(t.Context(), []string{"test", "--format", "json", dir}, nil, &out, &errOut)
	require.Empty(t, errOut.String())
	var r testReport
	require.NoError(t, json.Unmarshal(out.Bytes(), &r))
	return code, r
}

// TestPlantedRegressions checks that the cases of the example find mistakes that somebody may make in its prompts, each in a case of the prompt that has the mistake.
func TestPlantedRegressions(t *testing.T) {
	t.Parallel()
	code, r := testJSON(t, examplePrompts)
	require.Equal(t, exitOK, code, r.Findings)
	assert.Empty(t, r.Coverage.Missed)
	for _, m := range []struct{ name, file, old, new, prompt string }{
		{"a word was removed", "review/explain.md", "to a {{.reader}}", "to {{.reader}}", "review/explain"},
		{"a required argument became optional", "review/code.md", "required: true", "required: false", "review/code"},
		{"an optional argument became required", "commit-message.md", "does not show the reason\n---", "does not show the reason\n    required: true\n---", "commit-message"},
		{"a default changed", "review/explain.md", "default: colleague", "default: beginner", "review/explain"},
		{"an enum value was removed", "review/explain.md", "[beginner, colleague, newcomer to the language]", "[beginner, colleague]", "review/explain"},
		{"an enum value was added", "review/explain.md", "[beginner, ", "[cat, beginner, ", "review/explain"},
		{"an enum of elements lost a value", "review/code.md", "speed, tests, names]\n    default", "tests, names]\n    default", "review/code"},
		{"a pattern was removed", "notes/release.md", `    pattern: ^v?\d+\.\d+\.\d+$` + "\n", "", "notes/release"},
		{"a pattern became strict", "notes/release.md", "^v?", "^v", "notes/release"},
		{"a condition was inverted", "commit-message.md", "{{with .why}}The reason for the change: {{.}}", "{{if not .why}}The reason for the change:", "commit-message"},
		{"a branch was removed", "review/code.md", "{{with .language}} {{.}}{{end}}", "{{if eq .language \"go\"}} go{{end}}", "review/code"},
		{"a block lost its fence", "review/explain.md", `{{fence "" .code}}`, "{{.code}}", "review/explain"},
		{"a mark of data was removed", "triage.md", `{{untrusted "the bug report" .report}}`, "{{.report}}", "triage"},
		{"a message lost its role", "triage.md", "--- assistant ---", "--- user ---", "triage"},
		{"a message was joined with the one before", "notes/release.md", "--- user ---\n\nWrite", "--- assistant ---\n\nWrite", "notes/release"},
		{"a file was not sent any more", "notes/release.md", "--- user: resource style/guide.txt ---\n\n", "", "notes/release"},
		{"a list lost its separator", "triage.md", "{{if $i}}, {{end}}", "", "triage"},
		{"a partial was not called any more", "review/code.md", `{{template "findings"}}`, "", "review/code"},
		{"a partial lost a sentence", "_partials/findings.md", "smallest fix", "fix", "review/code"},
		{"a sentence with a limit was removed", "commit-message.md", "with at most 60 characters and ", "", "commit-message"},
		{"the text of a skill lost a rule", "skills/writing-tests/SKILL.md", "Write one test for each promise", "Write tests", "writing-tests"},
		{"a default list changed", "triage.md", "[server, client, documentation]", "[server, client]", "triage"},
		{"a file of a message changed", "notes/style/guide.txt", "a", "e", "notes/release"},
	} {
		dir := t.TempDir()
		require.NoError(t, os.CopyFS(dir, os.DirFS(examplePrompts)))
		path := filepath.Join(dir, filepath.FromSlash(m.file))
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Contains(t, string(content), m.old, m.name)
		require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(content), m.old, m.new, 1)), 0o600))
		code, r := testJSON(t, dir)
		assert.Equal(t, exitFailed, code, m.name)
		assert.Positive(t, r.Failed, m.name)
		for _, f := range r.Findings {
			assert.Equal(t, "test", f.Rule, "%s: the prompt has to load: %s", m.name, f.Message)
			assert.Equal(t, m.prompt, f.Prompt, m.name)
		}
	}
}

// TestCoverageNamesTheRest removes cases of the example, and plants mistakes that only these
// cases find. The others pass, and the coverage names the places of the mistakes.
func TestCoverageNamesTheRest(t *testing.T) {
	t.Parallel()
	for _, m := range []struct{ file, old, new, cases, keep, missed string }{
		{"commit-message.md", "The reason for the change: {{.}}", "{{.}}", "commit-message", "cases: [{name: a, arguments: {diff: x}}]", "{{with .why}} never has a value"},
		{"review/explain.md", "to a {{.reader}}", `to a {{if eq .reader "newcomer to the language"}}x{{else}}{{.reader}}{{end}}`, "review/explain", "cases: [{name: a, arguments: {code: x, reader: beginner}}]", `no case gives argument "reader" the value "newcomer to the language"`},
		{"triage.md", "{{if $i}}, {{end}}", "{{if $i}};{{end}}", "triage", "cases: [{name: a, arguments: {report: x, components: [a]}}]", "{{if $i}} is never true"},
		{"review/code.md", "{{with .language}} {{.}}{{end}}", "{{with .language}}{{.}}{{end}}", "review/code", "cases: [{name: a, arguments: {code: x}}]", `no case gives argument "language"`},
		{"skills/writing-tests/SKILL.md", "promise", "x", "skills/writing-tests", "", "no case is of prompt writing-tests"},
	} {
		dir := t.TempDir()
		require.NoError(t, os.CopyFS(dir, os.DirFS(examplePrompts)))
		cases := filepath.Join(dir, filepath.FromSlash(m.cases)+".test.yaml")
		if m.keep == "" {
			require.NoError(t, os.Remove(cases))
		} else {
			require.NoError(t, os.WriteFile(cases, []byte(m.keep), 0o600))
		}
		_, before := testJSON(t, dir)
		var missed []string
		for _, one := range before.Coverage.Missed {
			missed = append(missed, one.Message)
		}
		assert.Contains(t, missed, m.missed)
		path := filepath.Join(dir, filepath.FromSlash(m.file))
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Contains(t, string(content), m.old)
		after := strings.Replace(string(content), m.old, m.new, 1)
		require.NoError(t, os.WriteFile(path, []byte(after), 0o600))
		code, r := testJSON(t, dir)
		assert.Equal(t, exitOK, code, r.Findings)
	}
}

// TestWriteIn checks that a file is replaced as a whole, and that no link leads
// out of the folder.
func TestWriteIn(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	writeIn := func(name, text string, isNew bool) error { return writeIn(dir, name, []byte(text), isNew) }
	require.NoError(t, writeIn("a/b.golden", "one", true))
	require.Error(t, writeIn("a/b.golden", "three", true))
	require.NoError(t, writeIn("a/b.golden", "two", false))
	content, err := os.ReadFile(filepath.Join(dir, "a", "b.golden"))
	require.NoError(t, err)
	assert.Equal(t, "two", string(content))
	target := filepath.Join(outside, "target")
	require.NoError(t, os.WriteFile(target, []byte("kept"), 0o600))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "link")))
	require.NoError(t, os.Symlink(target, filepath.Join(dir, "file.golden")))
	for _, isNew := range []bool{true, false} {
		assert.Error(t, writeIn("link/target", "x", isNew))
		assert.Error(t, writeIn("file.golden", "x", isNew))
	}
	content, err = os.ReadFile(target)
	require.NoError(t, err)
	assert.Equal(t, "kept", string(content))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder.golden"), 0o700))
	assert.Error(t, writeIn("folder.golden", "x", false))
	for _, folder := range []string{dir, filepath.Join(dir, "a"), outside} {
		left, err := filepath.Glob(filepath.Join(folder, ".*"))
		require.NoError(t, err)
		assert.Empty(t, left)
	}
}
