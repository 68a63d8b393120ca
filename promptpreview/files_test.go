package promptpreview_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// greeting is a prompt file with an argument of each kind that matters to an author.
const greeting = `---
description: Greets somebody
arguments:
  - name: who
    description: whom to greet
    required: true
  - name: tone
    enum: [warm, formal]
  - name: password
    description: of the account
    sensitive: true
---
Greet {{.who}}{{with .tone}} in a {{.}} tone{{end}}{{if .password}}, who has an account{{end}}.
<script>fetch("author/do/case", {method: "POST", body: "{}"})</script>
`

// servePrompts runs the program prompts for a folder, and returns the URL that it prints.
func servePrompts(t *testing.T, dir string, flags ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the program")
	}
	program := filepath.Join(t.TempDir(), "prompts")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".")
	build.Dir = "../cmd/prompts"
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	cmd := exec.CommandContext(t.Context(), program, append([]string{"preview", "--no-open", filepath.Base(dir)}, flags...)...)
	cmd.Dir = filepath.Dir(dir)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // which reports the kill
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSpace(line)
}

// An author opens a prompt, which is rendered at once; makes a case of what is on the page;
// sees a warning at its line; and sees what a save and what the last commit have changed.
func TestAuthor(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("needs a browser")
	}
	dir := filepath.Join(t.TempDir(), "texts")
	require.NoError(t, os.Mkdir(dir, 0o755))
	f := folder{t, dir}
	f.write("greeting.md", greeting)
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "first"}} {
		git := exec.CommandContext(t.Context(), "git", args...)
		git.Dir = filepath.Dir(dir)
		out, err := git.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	url := servePrompts(t, dir, "--exec", "cat; [ ! -e slow ] || sleep 600")
	p := open(t, url)

	p.find("greet", "greeting")
	p.has(".conversation", "Greet ")
	made := eval[string](p, `document.querySelector("[name=who]").value`)
	assert.NotEmpty(t, made)
	p.has(".cases select", "Generated values")

	click := func(text string) {
		t.Helper()
		p.wait(`(() => { const b = [...document.querySelectorAll("button")].find((b) => b.innerText.startsWith(%s)); b?.click(); return Boolean(b); })()`, js(text))
	}
	eval[bool](p, `(() => { for (const [n, v] of [["who", "Ada: \"# x\"\nof London"], ["password", "hunter2-secret"]]) { const f = document.querySelector("[name=" + n + "]"); f.value = v; f.dispatchEvent(new Event("input", {bubbles: true})); } return true; })()`)
	click("Save as a case")
	p.wait(`document.activeElement.closest(".new-case") !== null`)
	p.typing("two lines", "\r")
	p.has(".cases", "Saved “two lines” in greeting.test.yaml")
	content, err := os.ReadFile(filepath.Join(dir, "greeting.test.yaml"))
	require.NoError(t, err)
	assert.Equal(t, "cases:\n  - name: two lines\n    arguments:\n      who: |-\n        Ada: \"# x\"\n        of London\n", string(content))
	assert.NotContains(t, string(content), "hunter2")
	p.wait(`[...document.querySelectorAll(".cases option")].some((o) => o.innerText === "two lines")`)
	eval[bool](p, `(() => { const m = document.querySelector(".cases select"); m.value = "0"; m.dispatchEvent(new Event("change", {bubbles: true})); return true; })()`)
	p.has(".conversation", "of London")
	assert.Empty(t, eval[string](p, `document.querySelector("[name=password]").value`))

	click("Template")
	p.has(".source", "{{with .tone}}")
	p.has("#tab-template", "Template (")
	p.wait(`document.querySelector(".finding")?.innerText.includes("description")`)
	assert.Regexp(t, regexp.MustCompile(`^vscode://file/.*/texts/greeting\.md:\d+:\d+$`), eval[string](p, `document.querySelector(".finding a").href`))
	assert.Zero(t, eval[int](p, `document.querySelectorAll(".source script").length`))

	click("Changes")
	p.has(".panel", "has not changed since the page was opened")
	f.write("greeting.md", strings.Replace(greeting, "Greet {{", "Salute {{", 1))
	saved := time.Now()
	click("Conversation")
	p.has(".conversation", "Salute")
	t.Logf("from the save to the new rendering: %v", time.Since(saved).Round(time.Millisecond))
	click("Changes")
	p.has(".diff del", "Greet")
	p.has(".diff ins", "Salute")
	eval[bool](p, `(() => { const m = document.querySelector(".compare select"); m.value = "commit"; m.dispatchEvent(new Event("change", {bubbles: true})); return true; })()`)
	p.wait(`document.querySelectorAll(".diff").length === 2 && document.querySelector(".panel").innerText.includes("two lines")`)

	click("Answer")
	click("Ask the model")
	p.has(".answer", "Salute Ada")
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(dir), "slow"), nil, 0o600))
	click("Ask the model")
	p.has(".answer", "The command runs")
	click("Stop")
	p.has(".answer", "Stopped.")

	// Nothing of the prompt ran: the test file is as it was.
	again, err := os.ReadFile(filepath.Join(dir, "greeting.test.yaml"))
	require.NoError(t, err)
	assert.Equal(t, content, again)
	copied := eval[string](p, `(() => { let text; Object.defineProperty(navigator, "clipboard", {value: {writeText: async (t) => { text = t; }}}); [...document.querySelectorAll("button")].find((b) => b.innerText === "Copy link").click(); return text; })()`)
	assert.Contains(t, copied, "#/greeting")
	assert.NotContains(t, copied, "token")

	axe := string(npmFile(t, "axe-core/axe.min.js"))
	eval[bool](p, "%s; true", axe)
	for _, tab := range []string{"template", "changes", "answer", "conversation"} {
		eval[bool](p, `document.querySelector("#tab-%s").click(), document.querySelector(".new-case").hidden = false, true`, tab)
		for _, isDark := range []bool{false, true} {
			for _, width := range []int64{1280, 800, 375} {
				require.NoError(t, p.tab.Size(width, 720, isDark))
				found := eval[[]string](p, `axe.run(document, {resultTypes: ["violations"]}).then((r) => r.violations.flatMap((v) => v.nodes.map((n) => v.id + ": " + n.html.slice(0, 200) + " " + n.failureSummary)))`)
				assert.Empty(t, found, "%s, width %d, dark %v", tab, width, isDark)
				assert.LessOrEqual(t, eval[int](p, `document.querySelector("#main").scrollWidth - document.querySelector("#main").clientWidth`), 0, "%s, width %d is cut off", tab, width)
			}
		}
	}
}
