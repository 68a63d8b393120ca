package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/trace"
)

// TestMovedFile checks that a file that Git has moved is one file: in the list of commits, in a
// commit, since a commit, and before the move is committed.
func TestMovedFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	commit := func(subject string) {
		runGit(t, dir, "add", ".")
		runGit(t, dir, "commit", "-q", "-m", subject)
	}
	const text = "---\ntitle: Greeting\n---\nGreet Ada.\nBe kind.\n"
	runGit(t, dir, "init", "-q")
	write("another.md", text)
	write("first.md", text)
	commit("add")
	runGit(t, dir, "mv", "first.md", "second.md")
	write("second.md", strings.Replace(text, "kind", "brief", 1))
	commit("move")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o755))
	runGit(t, dir, "mv", "second.md", "sub/third.md")
	reg, faults := loadFolders(t.Context(), []string{dir})
	require.Empty(t, faults)
	page := newAuthor(reg, []string{dir}, authorOptions{editor: defaultEditor})
	ask := func(path, body string, out any) {
		t.Helper()
		w := httptest.NewRecorder()
		page.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body)))
		require.Equal(t, http.StatusOK, w.Code, w.Body.String())
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), out))
	}
	var list pageCommits
	ask("/commits", `{"prompt":"sub/third"}`, &list)
	require.Len(t, list.Commits, 2)
	assert.Equal(t, "move", list.Commits[0].Subject)
	assert.True(t, list.IsChanged)
	for _, c := range []struct {
		with  string
		alone bool
		want  string
	}{
		{"HEAD", true, "name: old first new second, template second.md: old kind new brief, case generated values: old kind new brief"},
		{"HEAD", false, "name: old second new sub/third"},
		{"HEAD~1", false, "name: old first new sub/third, template sub/third.md: old kind new brief, case generated values: old kind new brief"},
		{"HEAD~1", true, "template first.md: new " + strings.TrimSpace(text)},
	} {
		var diffs []pageDiff
		ask("/changes", fmt.Sprintf(`{"prompt":"sub/third","with":%q,"alone":%v}`, c.with, c.alone), &diffs)
		var got []string
		for _, d := range diffs {
			text := strings.TrimSpace(d.Kind+" "+d.Name) + ":"
			for _, piece := range d.Pieces {
				if piece.Kind != "same" {
					text += " " + string(piece.Kind) + " " + strings.TrimSpace(piece.Text)
				}
			}
			got = append(got, text)
		}
		assert.Equal(t, c.want, strings.Join(got, ", "), c)
	}
	ask("/commits", `{"prompt":"another"}`, &list)
	assert.Len(t, list.Commits, 1)
}

// TestPageTests checks that the page gets the results of the command test for each folder, without
// values of sensitive arguments, and the places of words in texts.
func TestPageTests(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	write := func(name, text string) {
		name = filepath.Join(top, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	write("one/_partials/rules.md", "Be kind.\nBe BRIEF.\n")
	write("one/greet.md", "---\narguments: [{name: who}, {name: key, sensitive: true}]\n---\n{{template \"rules\"}} {{.who}} {{.key}}\n")
	write("one/greet.test.yaml", "cases:\n- name: a\n- name: b\n  arguments: {key: hunter2}\n  expect: {excludes: hunter2}\n- name: c\n  answer: {contains: x}\n")
	write("two/sub/other.md", "Other.\n"+strings.Repeat("a word ", 30)+"and a needle.\n")
	write("two/sub/other.test.yaml", "cases: 1\n")
	write("three/none.md", "None.\n")
	dirs := []string{filepath.Join(top, "one"), filepath.Join(top, "two"), filepath.Join(top, "three")}
	reg, faults := loadFolders(t.Context(), dirs)
	require.Empty(t, faults)
	page := newAuthor(reg, dirs, authorOptions{editor: defaultEditor})
	ask := func(path, body string, out any) {
		t.Helper()
		w := httptest.NewRecorder()
		page.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body)))
		require.Equal(t, http.StatusOK, w.Code, w.Body.String())
		assert.NotContains(t, w.Body.String(), "hunter2")
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), out))
	}
	write("two/broken.md", "---\ntitel: x\n---\nx\n") // which the server has not read
	write("two/broken.test.yaml", "cases: [{name: x}]\n")
	var folders []pageTests
	ask("/tests", `{}`, &folders)
	require.Len(t, folders, 2)
	assert.Equal(t, filepath.ToSlash(dirs[0]), folders[0].Root)
	require.Len(t, folders[0].Cases, 3)
	for i, isPassed := range []bool{true, false, true} {
		assert.Equal(t, isPassed, len(folders[0].Cases[i].Failures) == 0)
		assert.Equal(t, i == 2, folders[0].Cases[i].NotAsked)
	}
	failed := folders[0].Cases[1]
	assert.Equal(t, "greet b greet.test.yaml 3", fmt.Sprint(failed.Prompt, " ", failed.Name, " ", failed.File, " ", failed.Line))
	require.Len(t, failed.Failures, 1)
	assert.Equal(t, `greet.test.yaml:5 excludes: message 1 has "•••"`, fmt.Sprintf("%s:%d %s", failed.Failures[0].Path, failed.Failures[0].Line, failed.Failures[0].Message))
	assert.Empty(t, folders[0].Errors)
	require.Len(t, folders[1].Errors, 2)
	assert.Equal(t, "broken.md", folders[1].Errors[0].Path)
	assert.Equal(t, "sub/other.test.yaml", folders[1].Errors[1].Path)

	var files map[string]string
	ask("/files", `{}`, &files)
	assert.Equal(t, map[string]string{"greet": "one/greet.md", "sub/other": "two/sub/other.md", "none": "three/none.md"}, files)

	for search, want := range map[string]map[string]string{
		"brief":       {"greet": "_partials/rules.md:2: Be BRIEF."},
		"be GREET":    {"greet": "_partials/rules.md:1: Be kind."},
		"other":       {"sub/other": "sub/other.md:1: Other."},
		"needle":      {"sub/other": "sub/other.md:2: …d" + strings.Repeat(" a word", 6) + " and a needle."}, // late in its line
		"be other":    {},
		"greet":       {"greet": ""},
		" ":           {},
		"none sub/ot": {},
	} {
		got := map[string]string{}
		ask("/search", fmt.Sprintf(`{"search":%q}`, search), &got)
		assert.Equal(t, want, got, search)
	}
}

// No answer has the value of a sensitive argument of a case, of now or of before, or of the form.
func TestPageSecrets(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	const text = "---\narguments: [{name: who}, {name: key, sensitive: true}]\n---\nGreet {{with .who}}{{.}} {{end}}{{.key}}\n"
	const tests = "cases:\n- name: %s\n  arguments: {key: \"%[1]s\\n\"}\n"
	runGit(t, dir, "init", "-q")
	write("greet.md", strings.Replace(text, "Greet", "Dear", 1))
	write("greet.test.yaml", fmt.Sprintf(tests, "hunter1"))
	runGit(t, dir, "add", ".")
	runGit(t, dir, "commit", "-q", "-m", "add")
	write("greet.md", text)
	write("greet.test.yaml", fmt.Sprintf(tests, "hunter2"))
	reg, faults := loadFolders(t.Context(), []string{dir})
	require.Empty(t, faults)
	page := newAuthor(reg, []string{dir}, authorOptions{editor: defaultEditor})
	ask := func(path, body string, want int) string {
		t.Helper()
		w := httptest.NewRecorder()
		page.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body)))
		require.Equal(t, want, w.Code, w.Body.String())
		return w.Body.String()
	}
	var shown pagePrompt
	require.NoError(t, json.Unmarshal([]byte(ask("/prompt", `{"prompt":"greet"}`, http.StatusOK)), &shown))
	require.Len(t, shown.Cases, 1)
	assert.Contains(t, shown.Cases[0].Text, "Greet •••")
	changes := ask("/changes", `{"prompt":"greet","with":"HEAD"}`, http.StatusOK)
	assert.Contains(t, changes, "Dear")
	assert.Contains(t, changes, "•••")
	assert.NotContains(t, strings.ReplaceAll(changes, `"name":"hunter`, ""), "hunter")
	write("greet.md", strings.Replace(text, "{{.key}}", "{{slice .key 0 6}}{{.who}}", 1))
	reg, faults = loadFolders(trace.With(t.Context()), []string{dir})
	require.Empty(t, faults)
	page = newAuthor(reg, []string{dir}, authorOptions{editor: defaultEditor})
	for _, who := range []string{"", "hunter2 himself"} {
		got := ask("/trace", fmt.Sprintf(`{"prompt":"greet","arguments":{"key":"hunter2","who":%q}}`, who), http.StatusOK)
		assert.Contains(t, got, "•••")
		assert.NotContains(t, got, "hunter")
		assert.NotContains(t, got, `"text":""`)
	}
	assert.Contains(t, ask("/trace", fmt.Sprintf(`{"prompt":"greet","arguments":{"key":"hunter2","who":%q}}`, strings.Repeat("x", maxTraced)), http.StatusUnprocessableEntity), "limit of this view")
}

// The values to begin with are those of a case that renders, or the examples. A test file beside
// the prompt is not that of another prompt, and the folder of a prompt is the innermost one.
func TestPageValues(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o700))
	for name, text := range map[string]string{
		"a.md":        "---\narguments: [{name: who, required: true}]\n---\n{{.who}}\n",
		"a.test.yaml": "cases:\n- name: fails\n  arguments: {whom: Di}\n  expect: {error: whom}\n- name: renders\n  arguments: {who: Bo}\n",
		"b.md":        "---\narguments: [{name: who, examples: [Ada]}]\n---\n{{.who}}\n",
		"b.test.yaml": "prompt: sub/a\ncases:\n- name: of another prompt\n  arguments: {who: Cy}\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "sub", name), []byte(text), 0o600))
	}
	dirs := []string{dir, filepath.Join(dir, "sub")}
	reg, faults := loadFolders(t.Context(), dirs[1:])
	require.Empty(t, faults)
	page := newAuthor(reg, dirs, authorOptions{editor: defaultEditor})
	for name, want := range map[string]string{"a": "a.md case map[who:Bo]", "b": "b.md examples map[who:Ada]"} {
		w := httptest.NewRecorder()
		page.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/prompt", strings.NewReader(fmt.Sprintf(`{"prompt":%q}`, name))))
		var got pagePrompt
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &got), w.Body.String())
		assert.Equal(t, want, fmt.Sprint(got.File, " ", got.Origin, " ", got.Values))
	}
}
