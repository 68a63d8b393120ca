package interop_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"
)

// TestSkillsConformance has the official suite's scenarios of skills pass.
func TestSkillsConformance(t *testing.T) {
	t.Parallel()
	tools := built(t)
	node := installNode(t)
	for _, scenario := range []string{"sep-2640-skills-enumeration", "sep-2640-skills-manifest", "sep-2640-skills-directory"} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			url := tools.startFixtureWith(t, "fixture", []string{"-skills", "skills"})
			said := runSuite(t, node, url, "--scenario", scenario, "--spec-version", stateless, "--force")
			assert.Contains(t, said, "0 failed, 0 warnings", said)
		})
	}
}

// TestInspectorVerifiesSkills has the command-line client of the MCP Inspector
// verify each skill and each file.
func TestInspectorVerifiesSkills(t *testing.T) {
	t.Parallel()
	tools := built(t)
	node := installNode(t)
	cli := filepath.FromSlash("node/node_modules/@modelcontextprotocol/inspector/clients/cli/build/index.js")
	for name, args := range map[string][]string{
		"stdio": {"--transport", "stdio", tools.path("fixture"), "--method", "skills/list", "--verify", "--require-digests", "--", "-skills", "skills"},
		"HTTP":  {tools.startFixtureWith(t, "fixture", []string{"-skills", "skills"}), "--transport", "http", "--method", "skills/list", "--verify", "--require-digests"},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), timeout)
		out, err := exec.CommandContext(ctx, node, append([]string{"--import", "./conformance/node20-shim.mjs", cli}, args...)...).CombinedOutput()
		cancel()
		require.NoError(t, err, "%s: %s", name, out)
		assert.Contains(t, string(out), "Verified 3 skills and 9 files: no conformance errors.", name)
	}
}

// SKL-25: a host that is written from the specification alone verifies all that a
// host must verify, and follows a change.
func TestSpecificationHost(t *testing.T) {
	t.Parallel()
	tools := built(t)
	for _, version := range []string{stateless, newest} {
		for _, route := range []string{"stdio", "HTTP"} {
			t.Run(version+"/"+route, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				require.NoError(t, os.CopyFS(dir, os.DirFS("skills")))
				h := &skillHost{t: t, version: version}
				if route == "HTTP" {
					h.url = tools.startFixtureWith(t, "fixture", []string{"-skills", dir})
				} else {
					h.start(tools.path("fixture"), "-skills", dir)
				}
				h.connect()
				h.verify()
				at := filepath.Join(dir, "acme", "refunds", "templates", "email.md")
				saved := filepath.Join(t.TempDir(), "email.md") // the server must not see half of it
				require.NoError(t, os.WriteFile(saved, []byte("Dear friend,\n"), 0o600))
				require.NoError(t, os.Rename(saved, at))
				before := h.entries["skill://acme/refunds/SKILL.md"]
				assert.Eventually(t, func() bool {
					return !reflect.DeepEqual(before, h.get("skill://acme/refunds/SKILL.md"))
				}, startTimeout, 50*time.Millisecond)
				h.verify()
			})
		}
	}
}

// skillHost is a host. It knows the specification of skills, and no more of this
// library.
type skillHost struct {
	t       *testing.T
	version string
	url     string
	session string // of HTTP
	stdin   io.Writer
	stdout  *bufio.Reader
	id      int
	entries map[string]skillEntry
}

type skillEntry struct {
	URI         string         `json:"uri"`
	Frontmatter map[string]any `json:"frontmatter"`
	Resources   []struct {
		URI    string `json:"uri"`
		Digest string `json:"digest"`
		Size   *int   `json:"size"`
	} `json:"resources"`
}

// start runs a server on standard input and output until the test is over.
func (h *skillHost) start(program string, args ...string) {
	cmd := exec.Command(program, args...)
	stdin, err := cmd.StdinPipe()
	require.NoError(h.t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(h.t, err)
	require.NoError(h.t, cmd.Start())
	h.t.Cleanup(func() {
		_ = stdin.Close()
		_, _ = io.Copy(io.Discard, stdout)
		assert.NoError(h.t, cmd.Wait())
	})
	h.stdin, h.stdout = stdin, bufio.NewReader(stdout)
}

type object = map[string]any

// connect negotiates, and wants the declarations of the extension.
func (h *skillHost) connect() {
	var result struct{ Capabilities object }
	if h.version == stateless {
		require.Zero(h.t, h.call("server/discover", object{}, &result))
	} else {
		require.Zero(h.t, h.call("initialize", object{"protocolVersion": h.version, "capabilities": object{}, "clientInfo": object{"name": "host", "version": "1"}}, &result))
		h.send(object{"jsonrpc": "2.0", "method": "notifications/initialized"})
	}
	assert.Contains(h.t, result.Capabilities, "resources")
	assert.Equal(h.t, object{"io.modelcontextprotocol/skills": object{"directoryRead": true}}, result.Capabilities["extensions"])
}

// verify lists all skills, reads all files, and checks what a host must check.
func (h *skillHost) verify() {
	t := h.t
	h.entries = map[string]skillEntry{}
	for cursor := ""; ; {
		params := object{}
		if cursor != "" {
			params["cursor"] = cursor
		}
		var page struct {
			ResultType string
			Skills     []skillEntry
			NextCursor string
			TTLMs      *int
			CacheScope string
		}
		require.Zero(t, h.call("skills/list", params, &page))
		if h.version == stateless {
			assert.Equal(t, "complete", page.ResultType)
			assert.NotNil(t, page.TTLMs)
			assert.Contains(t, []string{"public", "private"}, page.CacheScope)
		}
		for _, e := range page.Skills {
			require.NotContains(t, h.entries, e.URI)
			h.entries[e.URI] = e
		}
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	require.Len(t, h.entries, 3)
	for uri, e := range h.entries {
		root, ok := strings.CutSuffix(uri, "/SKILL.md")
		require.True(t, ok, uri)
		assert.Equal(t, root[strings.LastIndexByte(root, '/')+1:], e.Frontmatter["name"])
		assert.NotEmpty(t, e.Frontmatter["description"])
		assert.Equal(t, e, h.get(uri))
		seen := map[string]bool{}
		for _, f := range e.Resources {
			assert.False(t, seen[f.URI], f.URI)
			seen[f.URI] = true
			assert.True(t, strings.HasPrefix(f.URI, root+"/"), f.URI)
			content := h.read(f.URI)
			require.NotNil(t, f.Size)
			assert.Len(t, content, *f.Size, f.URI)
			assert.Equal(t, fmt.Sprintf("sha256:%x", sha256.Sum256(content)), f.Digest, f.URI)
			if f.URI == uri {
				assert.Equal(t, e.Frontmatter, frontmatterOf(t, content))
			}
		}
		assert.True(t, seen[uri])
		assert.ElementsMatch(t, slices.Collect(func(yield func(string) bool) {
			for f := range seen {
				if !yield(f) {
					return
				}
			}
		}), h.tree(root), "the directories of %s", root)
		for other := range h.entries { // nested skills are in the outer entry
			if strings.HasPrefix(other, root+"/") {
				assert.True(t, seen[other], other)
			}
		}
		assert.Equal(t, -32602, h.call("skills/get", object{"uri": root}, nil))
		assert.Equal(t, -32602, h.call("resources/directory/read", object{"uri": uri}, nil))
		unknown := -32002
		if h.version == stateless {
			unknown = -32602
		}
		assert.Equal(t, unknown, h.call("resources/read", object{"uri": root + "/none"}, nil))
	}
}

// frontmatterOf reads front matter with a YAML library, as any host does.
func frontmatterOf(t *testing.T, content []byte) object {
	_, rest, ok := strings.Cut(string(content), "---\n")
	require.True(t, ok)
	front, _, ok := strings.Cut(rest, "\n---")
	require.True(t, ok)
	var all object
	require.NoError(t, yaml.Unmarshal([]byte(front+"\n"), &all))
	if m, ok := all["metadata"].(object); ok && m["released"] != nil {
		m["released"] = "2026-07-28" // a string in YAML 1.2, a time for this library
	}
	text, err := json.Marshal(all)
	require.NoError(t, err)
	all = nil
	require.NoError(t, json.Unmarshal(text, &all))
	return all
}

func (h *skillHost) get(uri string) skillEntry {
	var result struct{ Skill skillEntry }
	require.Zero(h.t, h.call("skills/get", object{"uri": uri}, &result))
	return result.Skill
}

func (h *skillHost) read(uri string) []byte {
	var result struct {
		Contents []struct {
			URI  string
			Text *string
			Blob string
		}
	}
	require.Zero(h.t, h.call("resources/read", object{"uri": uri}, &result), uri)
	require.Len(h.t, result.Contents, 1)
	c := result.Contents[0]
	assert.Equal(h.t, uri, c.URI)
	if c.Text != nil {
		return []byte(*c.Text)
	}
	content, err := base64.StdEncoding.DecodeString(c.Blob)
	require.NoError(h.t, err)
	return content
}

// tree returns the files in a directory and below it.
func (h *skillHost) tree(directory string) (files []string) {
	for cursor := ""; ; {
		params := object{"uri": directory}
		if cursor != "" {
			params["cursor"] = cursor
		}
		var page struct {
			Resources  []struct{ URI, Name, MIMEType string }
			NextCursor string
		}
		require.Zero(h.t, h.call("resources/directory/read", params, &page), directory)
		for _, r := range page.Resources {
			assert.NotEmpty(h.t, r.Name)
			if r.MIMEType == "inode/directory" {
				files = append(files, h.tree(r.URI)...)
			} else {
				files = append(files, r.URI)
			}
		}
		if cursor = page.NextCursor; cursor == "" {
			return files
		}
	}
}

// call sends a request and decodes the result, or returns the code of the error.
func (h *skillHost) call(method string, params object, result any) (code int) {
	h.id++
	if h.version == stateless {
		params["_meta"] = object{
			"io.modelcontextprotocol/protocolVersion":    h.version,
			"io.modelcontextprotocol/clientInfo":         object{"name": "host", "version": "1"},
			"io.modelcontextprotocol/clientCapabilities": object{},
		}
	}
	line := h.send(object{"jsonrpc": "2.0", "id": h.id, "method": method, "params": params})
	for line == "" || !strings.Contains(line, fmt.Sprintf(`"id":%d`, h.id)) { // notifications come in between
		var err error
		line, err = h.stdout.ReadString('\n')
		require.NoError(h.t, err)
	}
	var response struct {
		Result json.RawMessage
		Error  *struct{ Code int }
	}
	require.NoError(h.t, json.Unmarshal([]byte(line), &response), line)
	if response.Error != nil {
		return response.Error.Code
	}
	if result != nil {
		require.NoError(h.t, json.Unmarshal(response.Result, result), line)
	}
	return 0
}

// send sends a message, and returns the response if it is over HTTP.
func (h *skillHost) send(msg object) string {
	text, err := json.Marshal(msg)
	require.NoError(h.t, err)
	if h.stdin != nil {
		_, err = h.stdin.Write(append(text, '\n'))
		require.NoError(h.t, err)
		return ""
	}
	r, err := http.NewRequestWithContext(h.t.Context(), http.MethodPost, h.url, bytes.NewReader(text))
	require.NoError(h.t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if h.session != "" || h.version == stateless {
		r.Header.Set("MCP-Protocol-Version", h.version)
	}
	if h.version == stateless {
		r.Header.Set("Mcp-Method", msg["method"].(string))
		if msg["method"] == "resources/read" {
			r.Header.Set("Mcp-Name", msg["params"].(object)["uri"].(string))
		}
	} else if h.session != "" {
		r.Header.Set("Mcp-Session-Id", h.session)
	}
	response, err := http.DefaultClient.Do(r)
	require.NoError(h.t, err)
	defer response.Body.Close()
	if id := response.Header.Get("Mcp-Session-Id"); id != "" {
		h.session = id
	}
	body, err := io.ReadAll(response.Body)
	require.NoError(h.t, err)
	for line := range strings.Lines(string(body)) {
		if data, ok := strings.CutPrefix(line, "data: "); ok && strings.Contains(data, `"id"`) {
			return data
		}
	}
	return string(body)
}
