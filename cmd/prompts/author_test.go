package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/cases"
	"github.com/mcp-prompts/prompts/promptfs"
)

// TestWithCase checks that a case is added with every value as it is, and that the rest of
// the file stays. A file that is written in another way is refused.
func TestWithCase(t *testing.T) {
	t.Parallel()
	p := &prompts.Prompt{Name: "greet", Arguments: []prompts.Argument{{Name: "who"}, {Name: "1.0"}}}
	for _, value := range []string{"", "x", "yes", "1.10", "~", "a: b # c", "- x", "'", `"\`, " x ", "a\nb", "a\n\n  b\n", "\ta\nb", " a\nb", "a\r\nb", "|-", "\u2028\u202e", "--- user ---\n...", "{{.x}}", "=\n= "} {
		for _, before := range []string{
			"", "# mine\ncases:\n- name: a # first\n", "cases:\n    - name: a\n      arguments: {who: b}\n\n\n",
			"cases:\r\n  - name: a # first\r\n", "cases: # last\n- name: a\n  \t", "cases:\n- name: a",
			"cases:\n- name: a\n  arguments:\n    who: |+\n      b\n\n\n",
			"cases:\n- name: a\n  arguments: {who: b}\n# the end\n",
		} {
			tests := &cases.File{Path: "greet.test.yaml", Prompt: "greet"}
			if before != "" {
				var errs []error
				tests, errs = cases.New(tests.Path, []byte(before), promptfs.ParseYAML)
				require.Empty(t, errs)
			}
			args := map[string]string{"who": value, "1.0": value}
			content, err := withCase(tests, []byte(before), p, "b: "+strings.ToValidUTF8(strings.Map(printableRune, value), ""), args)
			require.NoError(t, err, "%q %q", before, value)
			assert.True(t, strings.HasPrefix(string(content), before))
			if strings.Contains(before, "\r\n") {
				assert.Equal(t, strings.Count(string(content), "\n"), strings.Count(string(content), "\r\n"), "%q", content)
			}
			after, errs := cases.New(tests.Path, content, promptfs.ParseYAML)
			require.Empty(t, errs)
			assert.Equal(t, args, after.Cases[len(tests.Cases)].Arguments)
			for i, c := range tests.Cases {
				assert.Equal(t, c.Arguments, after.Cases[i].Arguments)
			}
		}
	}
	for _, before := range []string{"cases: [{name: a}]\n", "cases:\n- name: a\nprompt: greet\n", "cases:\n- name: b\n"} {
		tests, errs := cases.New("greet.test.yaml", []byte(before), promptfs.ParseYAML)
		require.Empty(t, errs)
		_, err := withCase(tests, []byte(before), p, "b", nil)
		assert.Error(t, err, before)
	}
	_, err := withCase(&cases.File{Path: "greet.test.yaml"}, nil, p, "two\nlines", nil)
	assert.ErrorContains(t, err, "name must be one line")
}

func printableRune(r rune) rune {
	if r < ' ' || r == 0x7f {
		return -1
	}
	return r
}

// TestSaveCase checks where a case is written: beside the file of the prompt, never outside
// of the folder, and without the value of a sensitive argument.
func TestSaveCase(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	file := "---\narguments:\n  - name: who\n  - {name: key, sensitive: true, required: true}\n---\n{{.who}} {{.key}}\n"
	for _, name := range []string{"greet.md", "linked.md"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(file), 0o600))
	}
	target := filepath.Join(outside, "linked.test.yaml")
	require.NoError(t, os.WriteFile(target, []byte("cases:\n  - name: a\n"), 0o600))
	require.NoError(t, os.Symlink(target, filepath.Join(dir, "linked.test.yaml")))
	reg, err := loadFolders([]string{dir})
	require.ErrorContains(t, err, "outside of the prompts folder")
	page := newAuthor(reg, []string{dir}, authorOptions{editor: defaultEditor})
	save := func(body string) (int, string) {
		w := httptest.NewRecorder()
		page.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/do/case", strings.NewReader(body)))
		return w.Code, w.Body.String()
	}
	code, text := save(`{"prompt":"greet","name":"first","arguments":{"who":"Ada","key":"hunter2"}}`)
	require.Equal(t, http.StatusOK, code, text)
	content, err := os.ReadFile(filepath.Join(dir, "greet.test.yaml"))
	require.NoError(t, err)
	assert.Contains(t, string(content), "who: Ada")
	assert.Contains(t, string(content), "key: ")
	assert.NotContains(t, string(content), "hunter2")
	code, text = save(`{"prompt":"greet","name":"first","arguments":{}}`)
	assert.Equal(t, http.StatusUnprocessableEntity, code, text)
	code, text = save(`{"prompt":"linked","name":"b","arguments":{}}`)
	assert.Equal(t, http.StatusUnprocessableEntity, code, text)
	kept, err := os.ReadFile(target)
	require.NoError(t, err)
	assert.Equal(t, "cases:\n  - name: a\n", string(kept))
	// Cases that are saved at the same time are all in the file.
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			code, text := save(fmt.Sprintf(`{"prompt":"greet","name":"at once %d","arguments":{"who":"Ada"}}`, i))
			assert.Equal(t, http.StatusOK, code, text)
		})
	}
	group.Wait()
	content, err = os.ReadFile(filepath.Join(dir, "greet.test.yaml"))
	require.NoError(t, err)
	assert.Equal(t, 9, strings.Count(string(content), "- name: "))
	code, _ = save(`{"prompt":"../greet","name":"b"}`)
	assert.Equal(t, http.StatusNotFound, code)
}

// TestEditorURL checks that the name of a file is no other part of the URL of the editor.
func TestEditorURL(t *testing.T) {
	t.Parallel()
	a := &authorPage{authorOptions: authorOptions{editor: "idea://open?file={path}&line={line}"}}
	assert.True(t, strings.HasSuffix(a.editorURL(t.TempDir(), "a&line=9+{line}?#.md"), "/a%26line=9%2B%7Bline%7D%3F%23.md&line={line}"))
}

// TestAskedIsBounded checks that a request of the page is limited.
func TestAskedIsBounded(t *testing.T) {
	t.Parallel()
	page := newAuthor(new(prompts.Registry), nil, authorOptions{editor: defaultEditor})
	w := httptest.NewRecorder()
	body := `{"prompt":"` + strings.Repeat("a", maxAsked) + `"}`
	page.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/prompt", strings.NewReader(body)))
	assert.Equal(t, http.StatusBadRequest, w.Code)
}

// TestSecretsOf checks that a value is hidden as a whole, also if another one begins as it.
func TestSecretsOf(t *testing.T) {
	t.Parallel()
	p := &prompts.Prompt{Arguments: []prompts.Argument{{Name: "key", Sensitive: true}}}
	f := &cases.File{Cases: []*cases.Case{{Arguments: map[string]string{"key": "pass"}}, {Arguments: map[string]string{"key": "password-1"}}}}
	assert.Equal(t, "••• and •••", secretsOf(p, f).Replace("password-1 and pass"))
}

// TestAnswer checks that the command gets the messages, and that nothing of a prompt is
// part of the command line. A request that ends, ends the command.
func TestAnswer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "greet.md"), []byte("---\narguments: [{name: who}]\n---\n$(touch "+filepath.ToSlash(dir)+"/ran) {{.who}}\n"), 0o600))
	reg, err := loadFolders([]string{dir})
	require.NoError(t, err)
	ask := func(ctx context.Context, o authorOptions) (int, string) {
		w := httptest.NewRecorder()
		body := `{"prompt":"greet","arguments":{"who":"; touch ` + filepath.ToSlash(dir) + `/ran"}}`
		newAuthor(reg, []string{dir}, o).ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodPost, "/do/answer", strings.NewReader(body)))
		return w.Code, w.Body.String()
	}
	code, text := ask(t.Context(), authorOptions{exec: "cat", timeout: time.Minute})
	assert.Equal(t, http.StatusOK, code, text)
	assert.Contains(t, text, `\"name\":\"greet\"`)
	assert.NoFileExists(t, filepath.Join(dir, "ran"))
	code, text = ask(t.Context(), authorOptions{timeout: time.Minute})
	assert.Equal(t, http.StatusUnprocessableEntity, code)
	assert.Contains(t, text, "--exec")
	ctx, stop := context.WithCancel(t.Context())
	started := filepath.Join(dir, "started")
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(started); err == nil {
				stop()
			}
			runtime.Gosched()
		}
	}()
	code, _ = ask(ctx, authorOptions{exec: "touch '" + started + "'; sleep 600", timeout: 10 * time.Minute})
	assert.Equal(t, http.StatusUnprocessableEntity, code)
	assert.Error(t, ctx.Err())
}

// TestAuthorView checks that a commit is that of the folder's repository, whatever the
// current folder is, and that the text of a file counts as a part of the result.
func TestAuthorView(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("rules.txt", "Be kind.\n")
	write("greet.md", "---\narguments:\n  - name: who\n---\nGreet {{.who}}.\n\n--- user: resource rules.txt ---\n")
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "first"}} {
		_, err := gitOutput(t.Context(), dir, args...)
		require.NoError(t, err)
	}
	write("greet.md", "---\narguments:\n  - name: who\n---\nSalute {{.who}}.\n\n--- user: resource rules.txt ---\n")
	reg, err := loadFolders([]string{dir})
	require.NoError(t, err)
	page := newAuthor(reg, []string{dir}, authorOptions{editor: defaultEditor})
	answer := func(path, body string) string {
		w := httptest.NewRecorder()
		page.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, strings.NewReader(body)))
		assert.Equal(t, http.StatusOK, w.Code, w.Body.String())
		return w.Body.String()
	}
	assert.Contains(t, answer("/changes", `{"prompt":"greet","with":"HEAD"}`), "Salute")

	var messages []tracedMessage
	require.NoError(t, json.Unmarshal([]byte(answer("/trace", `{"prompt":"greet","arguments":{"who":"Ada"}}`)), &messages))
	require.Len(t, messages, 2)
	require.Len(t, messages[1].Pieces, 1)
	assert.Equal(t, "Be kind.\n", messages[1].Pieces[0].Text)
	assert.Contains(t, messages[1].Pieces[0].File, "rules.txt")
}
