package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
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
	"github.com/mcp-prompts/prompts/internal/promptfile"
	"github.com/mcp-prompts/prompts/promptpreview"
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
				tests, errs = cases.New(tests.Path, []byte(before), promptfile.ParseYAML)
				require.Empty(t, errs)
			}
			args := map[string]string{"who": value, "1.0": value}
			expect := caseExpect{value, ""}
			if strings.Contains(value, "a") {
				expect.Golden = "greet.b.golden"
			}
			content, c, err := withCase(tests, []byte(before), p, "b: "+strings.ToValidUTF8(strings.Map(printableRune, value), ""), args, expect)
			require.NoError(t, err, "%q %q", before, value)
			assert.True(t, isAsGiven(c, c.Name, args, expect))
			assert.True(t, strings.HasPrefix(string(content), before))
			if value == "yes" && !strings.Contains(before, "\r") { // which other programs read as a boolean
				assert.NotContains(t, string(content[len(before):]), ": yes\n")
			}
			if strings.Contains(before, "\r\n") {
				assert.Equal(t, strings.Count(string(content), "\n"), strings.Count(string(content), "\r\n"), "%q", content)
			}
			after, errs := cases.New(tests.Path, content, promptfile.ParseYAML)
			require.Empty(t, errs)
			assert.Equal(t, args, after.Cases[len(tests.Cases)].Arguments)
			for i, c := range tests.Cases {
				assert.Equal(t, c.Arguments, after.Cases[i].Arguments)
			}
		}
	}
	for _, before := range []string{"cases: [{name: a}]\n", "cases:\n- name: a\nprompt: greet\n", "cases:\n- name: b\n"} {
		tests, errs := cases.New("greet.test.yaml", []byte(before), promptfile.ParseYAML)
		require.Empty(t, errs)
		_, _, err := withCase(tests, []byte(before), p, "b", nil, caseExpect{})
		assert.Error(t, err, before)
	}
	_, _, err := withCase(&cases.File{Path: "greet.test.yaml"}, nil, p, "two\nlines", nil, caseExpect{})
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
	reg, faults := loadFolders(t.Context(), []string{dir})
	require.Len(t, faults, 1)
	require.ErrorContains(t, faults[0], "outside of the prompts folder")
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
	// With what is expected: a text, or a golden file that never takes the place of another file.
	require.NoError(t, os.WriteFile(filepath.Join(dir, "greet.as-now.golden"), []byte("mine"), 0o600))
	for _, name := range []string{"As now", "as now?"} {
		code, text = save(fmt.Sprintf(`{"prompt":"greet","name":%q,"arguments":{"who":"Ada","key":"hunter2"},"expect":{"contains":"Ada","golden":true}}`, name))
		require.Equal(t, http.StatusOK, code, text)
		assert.Contains(t, text, `"failures":[]`)
	}
	for name, part := range map[string]string{"greet.as-now.golden": "mine", "greet.as-now-2.golden": "Ada ", "greet.as-now-3.golden": "Ada "} {
		content, err = os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		assert.Contains(t, string(content), part)
		assert.NotContains(t, string(content), "hunter2")
	}
	code, text = save(`{"prompt":"greet","name":"of Bob","arguments":{"who":"Ada","key":"hunter2"},"expect":{"contains":"Bob"}}`)
	assert.Equal(t, http.StatusOK, code, text)
	assert.Contains(t, text, `"failures":["contains: no message has \"Bob\""]`)
	code, text = save(`{"prompt":"greet","name":"secret","arguments":{"key":"hunter2"},"expect":{"contains":"has hunter2"}}`)
	assert.Equal(t, http.StatusUnprocessableEntity, code, text)
	code, text = save(`{"prompt":"greet","name":"nothing","arguments":{},"expect":{"golden":true}}`)
	assert.Equal(t, http.StatusUnprocessableEntity, code, text)
	assert.NoFileExists(t, filepath.Join(dir, "greet.nothing.golden"))
	tests := loadTests(t.Context(), dir)
	require.Len(t, tests.files, 1)
	for _, c := range tests.files[0].Cases {
		_, _, failures := tests.renderer.runCase(t.Context(), tests.fsys, c)
		assert.Len(t, failures, strings.Count(c.Name, "of Bob"), c.Name)
	}
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
	assert.Equal(t, 12, strings.Count(string(content), "- name: "))
	code, _ = save(`{"prompt":"../greet","name":"b"}`)
	assert.Equal(t, http.StatusNotFound, code)
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
	f := &cases.File{Cases: []*cases.Case{{Arguments: map[string]string{"key": "pass\n"}}, {Arguments: map[string]string{"key": "password-1"}}}}
	assert.Equal(t, "••• and •••", secretsOf(p, f).Replace("password-1 and pass"))
}

// TestAnswer checks that the command gets the messages, and that nothing of a prompt is
// part of the command line. A request that ends, ends the command.
func TestAnswer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "greet.md"), []byte("---\narguments: [{name: who}]\n---\n$(touch "+filepath.ToSlash(dir)+"/ran) {{.who}}\n"), 0o600))
	reg, faults := loadFolders(t.Context(), []string{dir})
	require.Empty(t, faults)
	ask := func(ctx context.Context, o authorOptions) (int, string) {
		w := httptest.NewRecorder()
		body := `{"prompt":"greet","arguments":{"who":"; touch ` + filepath.ToSlash(dir) + `/ran"}}`
		newAuthor(reg, []string{dir}, o).ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodPost, "/do/answer", strings.NewReader(body)))
		return w.Code, w.Body.String()
	}
	code, text := ask(t.Context(), authorOptions{modelCommand: modelCommand{exec: "cat", timeout: time.Minute}})
	assert.Equal(t, http.StatusOK, code, text)
	assert.Contains(t, text, `\"name\":\"greet\"`)
	assert.NoFileExists(t, filepath.Join(dir, "ran"))
	code, text = ask(t.Context(), authorOptions{modelCommand: modelCommand{timeout: time.Minute}})
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
	code, _ = ask(ctx, authorOptions{modelCommand: modelCommand{exec: "touch '" + started + "'; sleep 600", timeout: 10 * time.Minute}})
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
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"commit", "-q", "-m", "first"}} {
		runGit(t, dir, args...)
	}
	write("greet.md", "---\narguments:\n  - name: who\n---\nSalute {{.who}}.\n\n--- user: resource rules.txt ---\n")
	reg, faults := loadFolders(t.Context(), []string{dir})
	require.Empty(t, faults)
	page := newAuthor(reg, []string{dir}, authorOptions{editor: defaultEditor})
	answer := func(path, body string) string {
		w := httptest.NewRecorder()
		page.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, strings.NewReader(body)))
		assert.Equal(t, http.StatusOK, w.Code, w.Body.String())
		return w.Body.String()
	}
	assert.Contains(t, answer("/changes", `{"prompt":"greet","with":"HEAD"}`), "Salute")
	assert.Contains(t, answer("/commits", `{"prompt":"greet"}`), `"subject":"first","others":[],"nMore":0}],"more":false,"changed":true`)

	var messages []tracedMessage
	require.NoError(t, json.Unmarshal([]byte(answer("/trace", `{"prompt":"greet","arguments":{"who":"Ada"}}`)), &messages))
	require.Len(t, messages, 2)
	require.Len(t, messages[1].Pieces, 1)
	assert.Equal(t, "Be kind.\n", messages[1].Pieces[0].Text)
	assert.Contains(t, messages[1].Pieces[0].File, "rules.txt")
}

// TestJoinedPieces checks that words that changed one after the other are one change, and
// that the pieces are still those of both texts.
func TestJoinedPieces(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ old, new, want string }{
		{"A rule to keep.", "A rule of old.", "A rule [to keep|of old]."},
		{"one two", "one three", "one [two|three]"},
		{"a b c d", "a x c y", "a [b|x] c [d|y]"},
		{"a b", "c d", "[a b|c d]"},
		{"a\nb", "c\nd", "[a|c]\n[b|d]"},
		{"a b", "a", "a[ b|]"},
		{"", "a b", "[|a b]"},
		{" x ", " y  ", " [x |y  ]"},
	} {
		got, old, now := "", "", ""
		isOpen := false
		for _, p := range joined(wordDiff(c.old, c.new)) {
			switch {
			case p.Kind == pieceSame && isOpen:
				got, isOpen = got+"]"+p.Text, false
			case p.Kind == pieceSame:
				got += p.Text
			case p.Kind == pieceOld:
				got, isOpen = got+"["+p.Text+"|", true
			case isOpen:
				got += p.Text
			default:
				got, isOpen = got+"[|"+p.Text, true
			}
			if p.Kind != pieceNew {
				old += p.Text
			}
			if p.Kind != pieceOld {
				now += p.Text
			}
		}
		if isOpen {
			got += "]"
		}
		assert.Equal(t, c.want, got)
		assert.Equal(t, c.old, old)
		assert.Equal(t, c.new, now)
	}
}

// TestCommits checks that the page lists the commits of a prompt and of the partials that it
// calls, and what each of them has changed: in the front matter, in the text, in what the
// cases render, and in other prompts.
func TestCommits(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	dir := filepath.Join(top, "texts")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "_partials"), 0o755))
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	git := func(args ...string) { runGit(t, top, args...) }
	commit := func(subject string) {
		git("add", ".")
		git("commit", "-q", "--allow-empty", "-m", subject)
	}
	file := func(title, text string) string {
		return "---\ntitle: " + title + "\narguments:\n  - name: who\n---\n{{template \"rules\"}}\n" + text + " {{.who}}.\n"
	}
	git("init", "-q")
	commit("nothing")
	write("_partials/rules.md", "Be kind.\n")
	write("other.md", "Other.\n")
	write("greet.md", file("Greeting", "Greet"))
	commit("add the greeting")
	write("other.md", "Others.\n")
	commit("change another prompt")
	write("_partials/rules.md", "Be short.\n")
	commit("change the rules")
	write("greet.md", file("Salute", "Greet"))
	commit("change the title \x1f of it")
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
	ask("/commits", `{"prompt":"greet"}`, &list)
	require.Len(t, list.Commits, 3)
	assert.False(t, list.IsMore)
	assert.False(t, list.IsChanged)
	for i, subject := range []string{"change the title \x1f of it", "change the rules", "add the greeting"} {
		assert.Equal(t, subject, list.Commits[i].Subject)
		assert.Equal(t, "Ada", list.Commits[i].Author)
		assert.True(t, strings.HasPrefix(list.Commits[i].ID, list.Commits[i].Short))
		assert.Regexp(t, `^\d{4}-\d\d-\d\dT`, list.Commits[i].Time)
	}
	assert.Empty(t, list.Commits[0].Others)
	assert.Empty(t, list.Commits[1].Others)
	assert.Equal(t, []string{"other"}, list.Commits[2].Others)
	changes := func(commit pageCommit, isAlone bool) (all []string) {
		var diffs []pageDiff
		ask("/changes", fmt.Sprintf(`{"prompt":"greet","with":%q,"alone":%v}`, commit.ID, isAlone), &diffs)
		for _, d := range diffs {
			text := d.Kind + " " + d.Name + ":"
			for _, piece := range d.Pieces {
				if piece.Kind != "same" {
					text += " " + string(piece.Kind) + " " + strings.TrimSpace(piece.Text)
				}
			}
			all = append(all, text)
		}
		return all
	}
	assert.Equal(t, []string{"template greet.md: old Greeting new Salute"}, changes(list.Commits[0], true))
	assert.Equal(t, []string{"template _partials/rules.md: old kind new short", "case generated values: old kind new short"}, changes(list.Commits[1], true))
	first := changes(list.Commits[2], true)
	require.Len(t, first, 2)
	assert.True(t, strings.HasPrefix(first[0], "template greet.md: new ---"), first)
	assert.Equal(t, "template _partials/rules.md: new Be kind.", first[1])
	assert.Empty(t, changes(list.Commits[0], false))
	assert.Len(t, changes(list.Commits[2], false), 3)

	write("_partials/rules.md", "Be brief.\n")
	for i := range maxCommits {
		write("greet.md", file(fmt.Sprint("Title ", i), "Greet"))
		commit(fmt.Sprint("title ", i))
	}
	for i := range maxOthers + 3 {
		write(fmt.Sprintf("the name \"ü %c.md", 'a'+i), "Others.\n")
	}
	require.NoError(t, os.WriteFile(filepath.Join(top, "outside.md"), []byte("Others.\n"), 0o600))
	write("greet.md", file("Many", "Greet"))
	commit("change many")
	reg, faults = loadFolders(t.Context(), []string{dir})
	require.Empty(t, faults)
	page = newAuthor(reg, []string{dir}, authorOptions{editor: defaultEditor})
	require.NoError(t, os.WriteFile(filepath.Join(dir, "_partials", "rules.md"), []byte("Be brief, please.\n"), 0o600))
	ask("/commits", `{"prompt":"greet"}`, &list)
	require.Len(t, list.Commits, maxCommits)
	require.Len(t, list.Commits[0].Others, maxOthers)
	assert.Equal(t, 3, list.Commits[0].NMore)
	assert.Empty(t, list.Commits[1].Others)
	assert.True(t, list.IsMore)
	assert.True(t, list.IsChanged)
	for _, with := range []string{"--output=x", "HEAD:x", "", "-", "HEAD~99999", "nothing-like-it"} {
		w := httptest.NewRecorder()
		page.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/changes", strings.NewReader(fmt.Sprintf(`{"prompt":"greet","with":%q,"alone":true}`, with))))
		assert.Equal(t, http.StatusUnprocessableEntity, w.Code, with)
	}
}

// TestPageAttacks checks that who is not the page of this start writes no file, runs no
// command and makes the program connect to no registry.
func TestPageAttacks(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	dir := filepath.Join(top, "texts")
	require.NoError(t, os.Mkdir(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "greet.md"), []byte("Hello.\n"), 0o600))
	registry, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	connected := make(chan struct{}, 100)
	go func() {
		for {
			conn, err := registry.Accept()
			if err != nil {
				return
			}
			connected <- struct{}{}
			_ = conn.Close()
		}
	}()
	t.Cleanup(func() { assert.NoError(t, registry.Close()) })
	ran := filepath.Join(top, "ran")
	start := func(o promptpreview.Options, author authorOptions) (address, token string) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		if o.AllowedHosts != nil {
			o.AllowedHosts = []string{listener.Addr().String()}
		}
		ctx, stop := context.WithCancel(t.Context())
		opened, ended := make(chan string, 1), make(chan error, 1)
		go func() {
			ended <- servePreview(ctx, listener, []string{dir}, o, author, slog.New(slog.DiscardHandler), func(token string) func() { opened <- token; return func() {} })
		}()
		t.Cleanup(func() {
			stop()
			assert.NoError(t, <-ended)
		})
		return listener.Addr().String(), <-opened
	}
	author := authorOptions{editor: defaultEditor, modelCommand: modelCommand{exec: "touch '" + ran + "'", timeout: time.Minute}}
	address, token := start(promptpreview.Options{}, author)
	allowed, allowedToken := start(promptpreview.Options{AllowedHosts: []string{""}}, author)
	require.NotEqual(t, token, allowedToken)
	release := "oci://" + registry.Addr().String() + "/prompts:production"
	bodies := map[string]string{
		"do/release": fmt.Sprintf(`{"prompt":"greet","with":%q}`, release),
		"do/case":    `{"prompt":"greet","name":"evil","arguments":{},"expect":{"golden":true}}`,
		"do/answer":  `{"prompt":"greet","arguments":{}}`,
	}
	send := func(address, path string, header map[string]string) int {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/author/"+path, strings.NewReader(bodies[path]))
		require.NoError(t, err)
		for name, value := range map[string]string{"Content-Type": "application/json", "Origin": "http://" + address, "X-Prompts-Token": token} {
			r.Header.Set(name, value)
		}
		for name, value := range header {
			if name == "Host" {
				r.Host = value
			} else if r.Header.Set(name, value); value == "" {
				r.Header.Del(name)
			}
		}
		resp, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		return resp.StatusCode
	}
	for path := range bodies {
		for name, header := range map[string]map[string]string{
			"a foreign origin":        {"Origin": "https://evil.example.org"},
			"no origin":               {"Origin": ""},
			"no token":                {"X-Prompts-Token": ""},
			"a guessed token":         {"X-Prompts-Token": strings.Repeat("A", len(token))},
			"rebinding":               {"Host": "evil.example.org", "Origin": "http://evil.example.org"},
			"a form":                  {"Content-Type": "application/x-www-form-urlencoded"},
			"a form of text":          {"Content-Type": "text/plain"},
			"a page of another site":  {"Sec-Fetch-Site": "cross-site"},
			"a page of the same site": {"Sec-Fetch-Site": "same-site"},
		} {
			assert.Equal(t, http.StatusForbidden, send(address, path, header), "%s, %s", name, path)
		}
		assert.Equal(t, http.StatusForbidden, send(allowed, path, map[string]string{"X-Prompts-Token": allowedToken}), "with allowed hosts, %s", path)
	}
	assert.Empty(t, connected)
	assert.NoFileExists(t, ran)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1)

	// Each of them does what it is for, for the page itself.
	assert.Equal(t, http.StatusUnprocessableEntity, send(address, "do/release", nil)) // the registry closes each connection
	assert.NotEmpty(t, connected)
	assert.Equal(t, http.StatusOK, send(address, "do/case", nil))
	assert.FileExists(t, filepath.Join(dir, "greet.evil.golden"))
	send(address, "do/answer", nil)
	assert.FileExists(t, ran)
}
