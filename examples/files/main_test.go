package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/prompttest"
)

// server is the built program.
var server string

func TestMain(m *testing.M) {
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "files")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	server = filepath.Join(dir, "files")
	if runtime.GOOS == "windows" {
		server += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", server, ".").CombinedOutput(); err != nil {
		panic(string(out))
	}
	return m.Run()
}

// sorted returns the lines in the order of their ids: requests run
// concurrently, so their answers come in any order.
func sorted(text string) []string {
	lines := slices.Collect(strings.Lines(text))
	slices.SortFunc(lines, func(a, b string) int {
		return cmp.Or(cmp.Compare(idDigits(a), idDigits(b)), strings.Compare(a, b))
	})
	return lines
}

// idDigits returns how many digits the id of an answer has: those of more are
// greater.
func idDigits(line string) int {
	_, rest, _ := strings.Cut(line, `"id":`)
	id, _, _ := strings.Cut(rest, ",")
	return len(id)
}

// The recorded session has the recorded answers, byte for byte.
func TestSession(t *testing.T) {
	t.Parallel()
	session, err := os.Open("session.jsonl")
	require.NoError(t, err)
	defer session.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, server)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = session, &stdout, &stderr
	require.NoError(t, cmd.Run(), "%s", &stderr)
	if prompttest.Updating() {
		require.NoError(t, os.WriteFile("session.golden", []byte(strings.Join(sorted(stdout.String()), "")), 0o644))
	}
	want, err := os.ReadFile("session.golden")
	require.NoError(t, err)
	assert.Equal(t, sorted(string(want)), sorted(stdout.String()))
	assert.NotContains(t, stderr.String(), "level=WARN")
}

// The program that reloads is short enough to be read.
func TestIsShort(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("main.go")
	require.NoError(t, err)
	assert.LessOrEqual(t, bytes.Count(source, []byte("\n")), 40)
}

// The README shows lines of this program.
func TestReadme(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	_, section, ok := strings.Cut(string(readme), "\n## Markdown files in a Go program\n")
	require.True(t, ok)
	_, after, ok := strings.Cut(section, "\n~~~go\n")
	require.True(t, ok)
	shown, _, ok := strings.Cut(after, "~~~\n")
	require.True(t, ok)
	source, err := os.ReadFile("main.go")
	require.NoError(t, err)
	assert.Contains(t, string(source), shown)
}

// client is a client of a server that serves a copy of the prompts.
type client struct {
	t     *testing.T
	dir   string
	stdin io.Writer
	lines chan string // from the server, closed at its end
	log   chan string
	id    int
	heard int // notifications of changes
}

func newClient(t *testing.T) *client {
	c := &client{t: t, dir: t.TempDir()}
	require.NoError(t, os.CopyFS(c.dir, os.DirFS("prompts")))
	cmd := exec.Command(server, c.dir) // which ends with its input
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	c.stdin, c.lines, c.log = stdin, linesOf(stdout), linesOf(stderr)
	t.Cleanup(func() {
		_ = stdin.Close() // the end of the input is the end of the server
		for range c.lines {
		}
		for range c.log {
		}
		assert.NoError(t, cmd.Wait())
	})
	c.call("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{}, "clientInfo": map[string]string{"name": "c", "version": "1"}})
	_, err = io.WriteString(c.stdin, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	require.NoError(t, err)
	return c
}

func linesOf(r io.Reader) chan string {
	lines := make(chan string, 1000)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(r); s.Scan(); {
			lines <- s.Text()
		}
	}()
	return lines
}

// next returns the next line of the server's.
func (c *client) next(lines chan string) string {
	c.t.Helper()
	select {
	case line, ok := <-lines:
		require.True(c.t, ok, "the server has ended")
		return line
	case <-time.After(time.Minute):
		require.Fail(c.t, "nothing comes")
		return ""
	}
}

const listChanged = `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`

// call asks the server and returns the result. It counts the notifications
// that come before the answer.
func (c *client) call(method string, params any) json.RawMessage {
	c.t.Helper()
	c.id++
	message, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params})
	require.NoError(c.t, err)
	_, err = c.stdin.Write(append(message, '\n'))
	require.NoError(c.t, err)
	for {
		line := c.next(c.lines)
		if line == listChanged {
			c.heard++
			continue
		}
		var answer struct {
			ID     int
			Result json.RawMessage
		}
		require.NoError(c.t, json.Unmarshal([]byte(line), &answer), line)
		require.Equal(c.t, c.id, answer.ID, line)
		require.NotNil(c.t, answer.Result, line)
		return answer.Result
	}
}

// names returns the names of the prompts.
func (c *client) names() []string {
	c.t.Helper()
	var list struct{ Prompts []struct{ Name string } }
	require.NoError(c.t, json.Unmarshal(c.call("prompts/list", map[string]any{}), &list))
	var names []string
	for _, p := range list.Prompts {
		names = append(names, p.Name)
	}
	return names
}

// text returns the text of the first message of a prompt.
func (c *client) text(name string) string {
	c.t.Helper()
	var result struct {
		Messages []struct{ Content struct{ Text string } }
	}
	require.NoError(c.t, json.Unmarshal(c.call("prompts/get", map[string]any{"name": name}), &result))
	return result.Messages[0].Content.Text
}

func (c *client) path(name string) string { return filepath.Join(c.dir, filepath.FromSlash(name)) }

func (c *client) write(name, text string) {
	c.t.Helper()
	require.NoError(c.t, os.MkdirAll(filepath.Dir(c.path(name)), 0o755))
	require.NoError(c.t, os.WriteFile(c.path(name), []byte(text), 0o600))
}

func (c *client) rename(from, to string) {
	c.t.Helper()
	require.NoError(c.t, os.Rename(c.path(from), c.path(to)))
}

// A client that listens hears of each change once, and has the right list and
// the right prompt then. That there is no second notification is seen when the
// next one is the next change's, with the list of that. No step has a moment at which
// the server could see half of the change.
func TestReload(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	all := []string{"commit-message", "notes/release", "review/code", "review/explain", "triage", "writing-tests"}
	require.Equal(t, all, c.names())
	with := func(more ...string) []string {
		names := append(slices.Clone(all), more...)
		slices.Sort(names)
		return names
	}
	for i, step := range []struct {
		name   string
		change func()
		names  []string
		prompt string
		text   string
	}{
		{"a new file", func() { c.write("plan.md", "one") }, with("plan"), "plan", "one"},
		{"an edit", func() { c.write("plan.md", "two") }, with("plan"), "plan", "two"},
		{"an edit that is saved by a rename", func() { c.write(".plan.md.tmp", "three"); c.rename(".plan.md.tmp", "plan.md") }, with("plan"), "plan", "three"},
		{"a rename", func() { c.rename("plan.md", "schedule.md") }, with("schedule"), "schedule", "three"},
		{"a partial", func() {
			c.write("_partials/end.md", "The end.")
			c.write("schedule.md", "four. {{template \"end\"}}")
		}, with("schedule"), "schedule", "four. The end."},
		{"the partial again", func() { c.write(".end.md.tmp", "End."); c.rename(".end.md.tmp", "_partials/end.md") }, with("schedule"), "schedule", "four. End."},
		{"a folder", func() { c.write(".a/b/c.md", "c"); c.write(".a/d.md", "d"); c.rename(".a", "a") }, with("schedule", "a/b/c", "a/d"), "a/b/c", "c"},
		{"a folder that goes", func() { c.rename("a", ".a") }, with("schedule"), "schedule", "four. End."},
		{"a delete", func() { require.NoError(t, os.Remove(c.path("schedule.md"))) }, all, "writing-tests", ""},
	} {
		saved := time.Now()
		step.change()
		require.Equal(t, listChanged, c.next(c.lines), step.name)
		c.heard++
		t.Logf("%s: from the save to the notification %v", step.name, time.Since(saved).Round(time.Millisecond))
		assert.Equal(t, step.names, c.names(), step.name)
		if text := c.text(step.prompt); step.text != "" {
			assert.Equal(t, step.text, text, step.name)
		}
		assert.Equal(t, i+1, c.heard, "notifications after %s", step.name)
	}
}

// A fault is told on standard error, with its file and line, and clients keep
// the prompt that there was.
func TestFault(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	c.write("plan.md", "one")
	require.Equal(t, listChanged, c.next(c.lines))
	c.write("plan.md", "---\ntitel: x\n---\ntwo")
	const want = `path=plan.md line=2 error="unknown key \"titel\" in front matter; did you mean \"title\"?"`
	for line := c.next(c.log); !strings.Contains(line, want); line = c.next(c.log) {
	}
	assert.Equal(t, "one", c.text("plan"))
	assert.Zero(t, c.heard)
	c.write("plan.md", "three")
	require.Equal(t, listChanged, c.next(c.lines))
	assert.Equal(t, "three", c.text("plan"))
}

// With -preview the program serves the page, and its log has the address.
func TestPreview(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(server, "-preview", "127.0.0.1:0", "prompts")
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	log := linesOf(stderr)
	t.Cleanup(func() {
		_ = stdin.Close() // the end of the input is the end of the server
		for range log {
		}
		assert.NoError(t, cmd.Wait())
	})
	for line := range log {
		_, url, ok := strings.Cut(line, "url=")
		if !ok {
			continue
		}
		resp, err := http.Get(url)
		require.NoError(t, err)
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		assert.Contains(t, string(body), "<title>Prompts</title>")
		return
	}
	require.Fail(t, "the log has no address")
}
