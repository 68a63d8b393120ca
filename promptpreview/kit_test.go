package promptpreview_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/promptpreview/internal/browser"
)

var (
	chromium     *browser.Browser
	startBrowser = sync.OnceValue(func() (err error) {
		chromium, err = browser.Start(context.Background())
		return err
	})
)

// programs is a folder for programs that tests build.
var programs string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	var err error
	if programs, err = os.MkdirTemp("", "promptpreview-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(programs)
	defer func() {
		if chromium != nil {
			chromium.Stop()
		}
	}()
	return m.Run()
}

// page is the page in a browser, as a user has it.
type page struct {
	t       *testing.T
	tab     *browser.Tab
	allowed []string // parts of messages that the console may have
}

// open opens a URL of the page. At the end of the test, its console must be empty: no
// exception, and nothing that the policy forbids.
func open(t *testing.T, url string) *page {
	t.Helper()
	if testing.Short() {
		t.Skip("needs a browser")
	}
	require.NoError(t, startBrowser())
	tab, err := chromium.NewTab()
	require.NoError(t, err)
	p := &page{t: t, tab: tab}
	t.Cleanup(func() {
		defer tab.Close()
		if t.Failed() {
			text, _ := browser.Eval[string](tab, `document.body.innerText`)
			t.Logf("the page has:\n%s", text)
		}
		for _, m := range tab.Messages() {
			isAllowed := false
			for _, part := range p.allowed {
				isAllowed = isAllowed || strings.Contains(m, part)
			}
			assert.True(t, isAllowed, "the console has: %s", m)
		}
	})
	require.NoError(t, tab.Open(url))
	return p
}

// wait waits until an expression is true.
func (p *page) wait(format string, args ...any) {
	p.t.Helper()
	expression := fmt.Sprintf(format, args...)
	require.NoError(p.t, p.tab.Wait(expression), "waiting for %s", expression)
}

// text returns the text of the first element with a selector.
func (p *page) text(selector string) string {
	return eval[string](p, `document.querySelector(%s).innerText`, js(selector))
}

// has waits until the element with a selector has a text.
func (p *page) has(selector, text string) {
	p.t.Helper()
	p.wait(`document.querySelector(%s).innerText.includes(%s)`, js(selector), js(text))
}

// typing types a text and keys of package kb, one after the other.
func (p *page) typing(texts ...string) {
	p.t.Helper()
	for _, text := range texts {
		require.NoError(p.t, p.tab.Type(text))
	}
}

// press presses a key with Ctrl.
func (p *page) pressCtrl(key string) {
	p.t.Helper()
	require.NoError(p.t, p.tab.Type(key, chromedp.ModifierCtrl))
}

// find opens a prompt by keys alone.
func (p *page) find(search, name string) {
	p.t.Helper()
	p.pressCtrl("k")
	p.wait(`document.activeElement.id === "search"`)
	p.typing(search)
	p.wait(`document.querySelector(".row.active").innerText.includes(%s)`, js(name))
	p.typing("\r")
	p.wait(`decodeURIComponent(location.hash).startsWith(%s)`, js("#/"+name))
}

func eval[T any](p *page, format string, args ...any) T {
	p.t.Helper()
	expression := fmt.Sprintf(format, args...)
	v, err := browser.Eval[T](p.tab, expression)
	require.NoError(p.t, err, expression)
	return v
}

// js returns a string as JavaScript.
func js(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// installTimeout is how long npm may take.
const installTimeout = 5 * time.Minute

// npmFile returns a file of the packages in node/package.json, which it installs
// unless they are there.
func npmFile(t *testing.T, path string) []byte {
	t.Helper()
	installNode(t)
	data, err := os.ReadFile(filepath.Join("node", "node_modules", filepath.FromSlash(path)))
	require.NoError(t, err)
	return data
}

var installing sync.Mutex

func installNode(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("needs npm")
	}
	installing.Lock()
	defer installing.Unlock()
	var wanted struct {
		Dependencies map[string]string `json:"dependencies"`
	}
	text, err := os.ReadFile("node/package.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &wanted))
	require.NotEmpty(t, wanted.Dependencies)
	if isInstalled(wanted.Dependencies) {
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), installTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "install", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts")
	cmd.Dir = "node"
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.True(t, isInstalled(wanted.Dependencies), "npm has not installed the versions of package.json")
}

// isInstalled reports whether each package is there in its version.
func isInstalled(versions map[string]string) bool {
	for name, version := range versions {
		var installed struct {
			Version string `json:"version"`
		}
		text, err := os.ReadFile(filepath.Join("node", "node_modules", filepath.FromSlash(name), "package.json"))
		if err != nil || json.Unmarshal(text, &installed) != nil || installed.Version != version {
			return false
		}
	}
	return true
}

// The third-party files of the page are those of the npm packages. The script
// third_party copies them.
func TestThirdParty(t *testing.T) {
	t.Parallel()
	copies := map[string]string{
		"markdown-it.mjs":         "markdown-it/dist/browser/markdown-it.esm.min.mjs",
		"highlight.mjs":           "@highlightjs/cdn-assets/es/highlight.min.js",
		"purify.js":               "dompurify/dist/purify.min.js",
		"markdown-it.LICENSE.txt": "markdown-it/LICENSE",
		"highlight.LICENSE.txt":   "@highlightjs/cdn-assets/LICENSE",
		"purify.LICENSE.txt":      "dompurify/LICENSE",

		"gpt-tokenizer.LICENSE.txt": "gpt-tokenizer/LICENSE",
	}
	const folder = "assets/third_party/"
	size := 0
	require.NoError(t, filepath.WalkDir(folder, func(path string, f fs.DirEntry, err error) error {
		name := strings.TrimPrefix(filepath.ToSlash(path), folder)
		if err != nil || f.IsDir() || name == "markdown-it.bundled.LICENSE.txt" { // of the packages that markdown-it has in it
			return err
		}
		rest, isTokenizer := strings.CutPrefix(name, "gpt-tokenizer/")
		if isTokenizer {
			copies[name] = "gpt-tokenizer/esm/" + rest
		}
		require.Contains(t, copies, name)
		got, err := os.ReadFile(path)
		assert.Equal(t, npmFile(t, copies[name]), got, name)
		if isTokenizer {
			size += len(got)
		}
		return err
	}))
	assert.Positive(t, size)
	assert.Less(t, size, 2_000_000, "the tokenizer")
}
