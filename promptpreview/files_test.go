package promptpreview_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
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
Greet {{.who}}{{with .tone}} in a {{.}} tone{{end}}{{if .password}}, who has the PIN {{.password}}{{end}}.
<script>fetch("author/do/case", {method: "POST", body: "{}"})</script>
`

// build builds the program prompts once for all tests.
var build = sync.OnceValues(func() (string, error) {
	program := filepath.Join(programs, "prompts")
	cmd := exec.Command("go", "build", "-o", program, ".")
	cmd.Dir = "../cmd/prompts"
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return program, err
})

func buildPrompts(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the program")
	}
	program, err := build()
	require.NoError(t, err)
	return program
}

// servePrompts runs the program prompts for a folder, and returns the URL that it prints.
func servePrompts(t *testing.T, program, dir string, flags ...string) string {
	t.Helper()
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
	f.git("init", "-q")
	f.commit("a", "first")
	program := buildPrompts(t)
	push := exec.CommandContext(t.Context(), program, "push", dir, "oci-layout:releases:production")
	push.Dir = filepath.Dir(dir)
	out, err := push.CombinedOutput()
	require.NoError(t, err, "%s", out)
	url := servePrompts(t, program, dir, "--exec", "cat; [ ! -e slow ] || sleep 600")
	p := open(t, url)

	p.has(".conversation", "Greet ") // of the first prompt, without a click
	p.wait(`document.activeElement.id === "search"`)
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
	p.has(".cases", "Saved “two lines” in greeting.test.yaml. The case checks only that the prompt renders.")
	content, err := os.ReadFile(filepath.Join(dir, "greeting.test.yaml"))
	require.NoError(t, err)
	assert.Equal(t, "cases:\n  - name: two lines\n    arguments:\n      who: |-\n        Ada: \"# x\"\n        of London\n", string(content))
	assert.NotContains(t, string(content), "hunter2")
	assert.Equal(t, "two lines", eval[string](p, `document.querySelector(".cases select").selectedOptions[0].innerText`))
	p.has(".conversation", "of London") // which was rendered to be saved
	choose := func(selector, value string) {
		t.Helper()
		eval[bool](p, `(() => { const m = document.querySelector(%s); m.value = %s; m.dispatchEvent(new Event("change", {bubbles: true})); return true; })()`, js(selector), js(value))
	}

	// A case with what is expected: the text that was selected, or the messages of now.
	selectText := func(text string) {
		t.Helper()
		p.wait(`(() => { const w = document.createTreeWalker(document.querySelector(".message-body"), NodeFilter.SHOW_TEXT); while (w.nextNode()) { const at = w.currentNode.data.indexOf(%[1]s); if (at >= 0) { getSelection().setBaseAndExtent(w.currentNode, at, w.currentNode, at + %[1]s.length); return true; } } return false; })()`, js(text))
	}
	selectText("of London")
	click("Save as a case")
	p.wait(`document.querySelector(".new-case :checked").value === "contains" && document.querySelector(".new-case fieldset [type=text]").value === "of London"`)
	assert.Empty(t, p.text(".said"), "what became of the last case")
	eval[bool](p, `document.querySelector(".new-case fieldset [type=text]").focus(), true`)
	assert.Equal(t, "of London", eval[string](p, `((f) => f.value.slice(f.selectionStart, f.selectionEnd))(document.activeElement)`))
	click("Cancel")
	p.wait(`document.querySelector(".new-case").hidden && document.activeElement.innerText === "Save as a case"`)
	click("Save as a case")
	selectText("Ada")
	p.wait(`document.querySelector(".new-case fieldset [type=text]").value === "Ada"`) // while the form is open
	selectText("of London")
	p.wait(`document.querySelector(".new-case fieldset [type=text]").value === "of London"`)
	p.has(".new-case", "Select text in a message to check it.")
	eval[bool](p, `document.querySelector(".new-case [id^=name]").select(), true`)
	p.typing("expects", "\r")
	p.has(".cases .detail[role=status]", "Saved “expects” in greeting.test.yaml. The case passes.")
	click("Save as a case")
	eval[bool](p, `getSelection().removeAllRanges(), document.querySelector(".new-case [value=golden]").click(), true`)
	p.typing("as now", "\r")
	p.has(".cases", "Saved “as now” in greeting.test.yaml. The case passes.")
	golden, err := os.ReadFile(filepath.Join(dir, "greeting.as-now.golden"))
	require.NoError(t, err)
	assert.Contains(t, string(golden), "Greet Ada")
	assert.NotContains(t, string(golden), "hunter2")
	eval[bool](p, `(() => { const f = document.querySelector("[name=who]"); f.value = ""; f.dispatchEvent(new Event("input", {bubbles: true})); return true; })()`)
	p.has(".stale", "Press Render.")
	assert.Equal(t, "", eval[string](p, `document.querySelector(".cases select").value`), "the values are no longer those of a case")
	click("Save as a case")
	p.wait(`document.activeElement.closest(".new-case") !== null`)
	p.typing("nobody", "\r")
	p.has(".cases", "Not saved: the prompt does not render with these values.")
	content, err = os.ReadFile(filepath.Join(dir, "greeting.test.yaml"))
	require.NoError(t, err)
	assert.Equal(t, 3, strings.Count(string(content), "- name: "))
	assert.Contains(t, string(content), "    expect:\n      contains: of London\n")
	choose(".cases select", "0")
	p.has(".conversation", "of London")
	p.has("#tab-template", "Template (1)") // a warning of check
	assert.Empty(t, p.text(".said"))
	eval[bool](p, `document.querySelector(".new-case [id^=name]").select(), document.querySelector(".new-case [value=contains]").click(), document.querySelector(".new-case fieldset [type=text]").value = "of Paris", true`)
	p.typing("fails", "\r")
	p.has(".cases .field-error[role=alert]", "The case fails: contains: no message has \"of Paris\".")
	p.has("#tab-template", "Template (2)")
	f.write("greeting.test.yaml", string(content))
	eval[bool](p, `window.dispatchEvent(new Event("focus")), true`) // of an author who comes back from the editor
	p.has("#tab-template", "Template (1)")
	choose(".cases select", "0")
	p.has(".conversation", "of London")
	assert.Empty(t, eval[string](p, `document.querySelector("[name=password]").value`))

	click("Template")
	p.has(".source", "{{with .tone}}")
	p.has("#tab-template", "Template (")
	p.wait(`document.querySelector(".finding")?.innerText.includes("description")`)
	assert.Regexp(t, regexp.MustCompile(`^vscode://file/.*/texts/greeting\.md:\d+:\d+$`), eval[string](p, `document.querySelector(".finding a").href`))
	assert.Zero(t, eval[int](p, `document.querySelectorAll(".source script").length`))

	// The place of each value, and the line of each text. A sensitive value is in its field alone.
	eval[bool](p, `(() => { for (const [n, v] of [["tone", "warm"], ["password", "hunter2-secret"]]) { const f = document.querySelector("[name=" + n + "]"); f.value = v; f.dispatchEvent(new Event("input", {bubbles: true})); } return true; })()`)
	p.pressCtrl("\r")
	p.wait(`document.querySelector(".traced")?.innerText.includes("in a warm tone")`)
	assert.Equal(t, []string{"Ada: \"# x\"\nof London", "warm", "•••"}, eval[[]string](p, `[...document.querySelectorAll(".traced .value")].map((e) => e.textContent)`))
	eval[bool](p, `document.querySelector("[data-field=tone]").dispatchEvent(new MouseEvent("mousemove", {bubbles: true}))`)
	assert.Equal(t, []string{"warm"}, eval[[]string](p, `[...document.querySelectorAll(".traced .lit")].map((e) => e.textContent)`))
	assert.Contains(t, eval[string](p, `document.querySelector(".source .lit").innerText`), "Greet {{.who}}")
	assert.True(t, eval[bool](p, `((box, line) => line.top >= box.top && line.bottom <= box.bottom)(document.querySelector(".source").getBoundingClientRect(), document.querySelector(".source .lit").getBoundingClientRect())`), "the line is in view")
	p.has(".from", "greeting.md:")
	p.has(".from", "argument tone")
	eval[bool](p, `[...document.querySelectorAll(".traced span")].find((e) => e.textContent.includes("<script>")).dispatchEvent(new MouseEvent("mousemove", {bubbles: true}))`)
	assert.Contains(t, eval[string](p, `document.querySelector(".source .lit").innerText`), "<script>")
	assert.Equal(t, `["argument who","text of greeting.md","argument tone","argument password"]`, eval[string](p, `JSON.stringify([...document.querySelectorAll(".sizes tbody th")].map((e) => e.innerText).sort((a, b) => ["who", "text", "tone", "password"].findIndex((k) => a.includes(k)) - ["who", "text", "tone", "password"].findIndex((k) => b.includes(k))))`))
	p.has(".sizes thead", "Tokens")
	eval[bool](p, `document.querySelector("#tab-conversation").click(), true`)
	p.wait(`document.querySelector(".totals .link").innerText.includes("tokens (cl100k_base)")`)
	length := eval[string](p, `document.querySelector(".totals .link").innerText`)
	eval[bool](p, `document.querySelector(".totals .link").click(), true`)
	p.wait(`document.activeElement.matches(".sizes") && document.querySelector(".sizes thead").innerText.includes("Tokens")`)
	p.wait(isInView, `".sizes"`)
	total := eval[[]string](p, `[...document.querySelectorAll(".sizes tfoot tr > *")].map((e) => e.innerText)`)
	assert.Equal(t, length, fmt.Sprintf("≈ %s tokens (cl100k_base)", total[2]))
	assert.Equal(t, "100 %", total[3])
	assert.NotContains(t, eval[string](p, `document.body.innerText + document.body.innerHTML`), "hunter2")
	click("JSON")
	click("Conversation")
	p.has(".totals", "tokens (cl100k_base)")
	p.has(".message .kind", "token")
	p.has(".conversation", "PIN •••")
	assert.NotContains(t, eval[string](p, `document.body.innerText + document.body.innerHTML`), "hunter2")
	eval[bool](p, `document.querySelector(".copy-menu summary").click(), true`)
	p.wait(`document.querySelectorAll(".copy-menu li").length >= 7`)
	copies := eval[[]string](p, `[...document.querySelectorAll(".copy-menu li code")].map((e) => e.title)`)
	assert.Contains(t, copies[1], `"name":"greeting"`)
	assert.Contains(t, copies[1], "/mcp")
	assert.Equal(t, `prompts render texts greeting 'who=Ada: "# x"`+"\n"+`of London' tone=warm 'password=<password>'`, copies[2])
	for _, text := range copies {
		assert.NotContains(t, text, "hunter2")
		assert.NotContains(t, text, "token=")
	}
	eval[bool](p, `document.querySelector(".copy-menu summary").click(), true`)

	click("Changes")
	p.has(".panel h3", "greeting.md (new)")
	p.has(".panel", "first · a, 20") // the last commit, because nothing was saved
	p.has(".diff ins", "Greets somebody")
	choose(".compare select", "save")
	p.has(".panel", "has not changed since the page was opened")
	f.write("greeting.md", strings.Replace(greeting, "Greet {{", "Salute {{", 1))
	saved := time.Now()
	click("Conversation")
	p.has(".conversation", "Salute")
	t.Logf("from the save to the new rendering: %v", time.Since(saved).Round(time.Millisecond))
	click("Changes")
	p.has(".diff del", "Greet")
	p.has(".diff ins", "Salute")
	p.has(".panel", "case two lines") // which shows what the save has changed of each case
	choose(".compare select", "commit")
	p.wait(`document.querySelectorAll(".diff").length === 4 && document.querySelector(".panel").innerText.includes("two lines")`)
	choose(".compare [aria-label=Commit]", "")
	p.allowed = []string{"/author/changes"}
	choose(".compare [aria-label=Revision]", "no-such-commit")
	p.has(".panel", "no-such-commit")
	choose(".compare [aria-label=Revision]", "HEAD")
	p.wait(`document.querySelectorAll(".diff").length === 4`)

	choose(".compare select", "release")
	choose(".compare [aria-label=Release]", "oci-layout:releases:production")
	p.wait(`document.querySelectorAll(".diff").length === 4 && document.querySelector(".diff del").innerText === "Greet"`)

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
	eval[bool](p, `document.querySelector(".copy-menu summary").click(), true`)
	p.wait(`document.querySelectorAll(".copy-menu li").length >= 7`)
	copied := eval[string](p, `(() => { let text; Object.defineProperty(navigator, "clipboard", {value: {writeText: async (t) => { text = t; }}}); [...document.querySelectorAll("button")].find((b) => b.ariaLabel === "Copy as Link").click(); return text; })()`)
	assert.Contains(t, copied, "#/greeting")
	assert.NotContains(t, copied, "token")

	axe := string(npmFile(t, "axe-core/axe.min.js"))
	eval[bool](p, "%s; true", axe)
	for _, tab := range []string{"template", "changes", "answer", "conversation"} {
		eval[bool](p, `document.querySelector("#tab-%s").click(), document.querySelector(".new-case").hidden = false, true`, tab)
		p.wait(`document.querySelector("#panel")?.innerText.trim() !== "" && !/(Looking|Comparing|Rendering) …/.test(document.querySelector("#panel").innerText)`)
		for _, width := range []int64{1920, 1280, 768, 375} {
			for _, isDark := range []bool{false, true} {
				if isDark && width == 1920 {
					continue // whose layout alone is another one
				}
				require.NoError(t, p.tab.Size(width, 720, isDark))
				assert.Empty(t, p.violations(isDark), "%s, width %d, dark %v", tab, width, isDark)
				assert.LessOrEqual(t, eval[int](p, `document.querySelector("#main").scrollWidth - document.querySelector("#main").clientWidth`), 0, "%s, width %d is cut off", tab, width)
			}
		}
	}
}

// git runs Git in a folder.
func (f folder) git(args ...string) {
	f.t.Helper()
	git := exec.CommandContext(f.t.Context(), "git", args...)
	git.Dir = f.dir
	out, err := git.CombinedOutput()
	require.NoError(f.t, err, "%s", out)
}

// commit commits all files of a folder.
func (f folder) commit(author, subject string) {
	f.t.Helper()
	f.git("add", ".")
	f.git("-c", "user.name="+author, "-c", "user.email=a@example.org", "commit", "-q", "-m", subject)
}

// The small change of a colleague in a long prompt is seen at once: the last commit is
// chosen, and what has not changed is folded.
func TestColleague(t *testing.T) {
	t.Parallel()
	program := buildPrompts(t)
	f := folder{t, filepath.Join(t.TempDir(), "texts")}
	require.NoError(t, os.MkdirAll(filepath.Join(f.dir, "sub"), 0o755))
	lines := strings.Split(strings.Repeat("A rule to keep.\n", 300), "\n")
	write := func() { f.write("long.md", "---\ndescription: A long prompt\n---\n"+strings.Join(lines, "\n")) }
	write()
	f.git("init", "-q")
	f.commit("Ada", "write a long prompt")
	lines[100] = "A rule of old."
	write()
	f.commit("Bob", "change rule 100")
	lines[200] = "A rule to forget, " + strings.Repeat("at length ", 200) + "now."
	write()
	f.write("sub/b.md", "Short.\n")
	f.commit("Eve", "<b>change</b> rule 200")
	f.write("other.md", "---\narguments:\n  - name: code\n    examples: [\"# x\"]\n---\nFirst.\n\n# A `title` #\n\n{{.code}}\n"+strings.Repeat("A rule.\n", 50)+"```sh\n# no title\n~~~\n```go\n```\n"+
		"## Second\n"+strings.Repeat("Another one.\n", 80)+"\n--- assistant ---\nYes.\n")
	f.commit("Eve", "add another prompt")
	p := open(t, servePrompts(t, program, f.dir))
	require.NoError(t, p.tab.Size(1280, 720, false))
	p.find("long", "long")
	p.has(".conversation", "A rule to forget")
	eval[bool](p, `document.querySelector("#tab-changes").click(), true`)
	p.wait(`document.querySelectorAll(".diff").length === 2`)
	assert.Regexp(t, `^Last commit of this prompt: [0-9a-f]+ <b>change</b> rule 200 · Eve, 20[0-9-]+\n+Also changes sub/b$`, p.text(".commit"))
	assert.Equal(t, []string{"keep", "forget"}, eval[[]string](p, `[...document.querySelector(".diff").querySelectorAll("del, ins")].map((e) => e.innerText.slice(0, 6).trim())`))
	assert.True(t, eval[bool](p, isInView, `".diff del"`))
	assert.Equal(t, []string{"<b>change</b> rule 200", "change rule 100", "write a long prompt", "another revision …"}, eval[[]string](p, `[...document.querySelectorAll("[aria-label=Commit] option")].map((o) => o.innerText.replace(/^[0-9a-f]{7,} (.*) · \w+, \d{4}-\d\d-\d\d$/, "$1"))`))
	assert.Less(t, eval[int](p, `document.querySelector(".diff").innerText.length`), 3000)
	assert.Equal(t, "Show 200 unchanged lines", p.text(".unfold"))
	eval[bool](p, `(() => { for (let b; (b = document.querySelector(".diff .unfold")) !== null; b.click()); return true; })()`)
	assert.Equal(t, strings.Count(strings.Join(lines, "\n"), "\n")+3, eval[int](p, `document.querySelector(".diff").textContent.split("\n").length - 1`))

	eval[bool](p, `(() => { const m = document.querySelector("[aria-label=Commit]"); m.selectedIndex = 1; m.dispatchEvent(new Event("change", {bubbles: true})); return true; })()`)
	p.has(".commit", "Commit of this prompt: ")
	p.has(".commit", "change rule 100 · Bob")
	p.wait(`document.querySelector(".diff ins").innerText === "of old" && document.querySelector(".diff del").innerText === "to keep"`)
	assert.NotContains(t, p.text(".diff"), "forget")
	eval[bool](p, `(() => { const m = document.querySelector(".compare select"); m.value = "commit"; m.dispatchEvent(new Event("change", {bubbles: true})); return true; })()`)
	p.wait(`document.querySelector(".diff ins")?.innerText.startsWith("forget")`) // since the commit, so without what is in the commit
	assert.NotContains(t, p.text(".diff"), "of old")
	eval[bool](p, `(() => { const m = document.querySelector("[aria-label=Commit]"); m.selectedIndex = 0; m.dispatchEvent(new Event("change", {bubbles: true})); return true; })()`)
	p.has(".commit", "sub/b")
	eval[bool](p, `document.querySelector(".commit a").click(), true`)
	p.has(".conversation", "Short.")
	p.has(".prompt-title", "sub/b")

	// What is long of a prompt is below its headings.
	p.find("other", "other")
	p.has(".conversation", "Another one.")
	p.wait(`document.querySelector(".totals .link") !== null`)
	eval[bool](p, `document.querySelector(".totals .link").click(), true`)
	p.wait(`document.querySelector(".sizes thead")?.innerText.includes("Tokens")`)
	assert.Equal(t, []string{"Second other.md:66", "A \x60title\x60 other.md:8", "text of other.md", "argument code", "total"}, eval[[]string](p, `[...document.querySelectorAll(".sizes :is(tbody, tfoot) th")].map((e) => e.innerText)`))
	eval[bool](p, `[...document.querySelectorAll(".sizes .link")][0].click(), true`)
	assert.Contains(t, eval[string](p, `document.querySelector(".source .lit").textContent`), "## Second")
	assert.Equal(t, 81, eval[int](p, `document.querySelectorAll(".source .lit").length`))

	// What scrolling brings below the mouse after a click in the table is not pointed at.
	eval[bool](p, `document.querySelector(".sizes").scrollIntoView({block: "end"}), true`)
	at := eval[[]float64](p, `(() => { const r = [...document.querySelectorAll(".sizes .link")].find((b) => b.innerText === "argument code").getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`)
	require.NoError(t, p.tab.Click(at[0], at[1]))
	p.wait(`document.querySelector(".from").innerText.includes("argument code")`)
	eval[bool](p, `new Promise((resolve) => { let n = 30; const next = () => { if (n-- === 0) resolve(true); else requestAnimationFrame(next); }; next(); })`) // the browser tells what is below the mouse
	p.has(".from", "argument code")
	p.find("long", "long")
	p.has(".conversation", "A rule to forget")

	// What the author changes without a commit is nearer.
	lines[0] = "The first rule."
	write()
	p.has(".conversation, .diff", "The first rule")
}

// Among 500 prompts with test files, each save is shown. The log has the times.
func TestSaves(t *testing.T) {
	t.Parallel()
	program := buildPrompts(t)
	dir := filepath.Join(t.TempDir(), "texts")
	f := folder{t, dir}
	for i := range 500 {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, fmt.Sprint(i%20)), 0o755))
		name := fmt.Sprintf("%d/prompt%d", i%20, i)
		f.write(name+".md", fmt.Sprintf("---\ndescription: Prompt %d\narguments:\n  - name: who\n    required: true\n---\nGreet {{.who}}, for time 0.\n%s", i, strings.Repeat("A rule to keep.\n", 50)))
		f.write(name+".test.yaml", "cases:\n  - name: of Ada\n    arguments: {who: Ada}\n")
	}
	p := open(t, servePrompts(t, program, dir))
	p.find("prompt77", "17/prompt77")
	p.has(".conversation", "for time 0")
	p.wait(`document.querySelector("#status").dataset.state === "live"`)
	const file = "17/prompt77.md"
	text, err := os.ReadFile(filepath.Join(dir, file))
	require.NoError(t, err)
	var took []time.Duration
	for i := range 5 {
		eval[bool](p, `performance.clearResourceTimings(), true`)
		saved := time.Now()
		f.write(file, strings.Replace(string(text), "time 0", fmt.Sprintf("time %d", i+1), 1))
		p.has(".conversation", fmt.Sprintf("for time %d.", i+1))
		took = append(took, time.Since(saved))
		p.wait(`performance.getEntriesByType("resource").some((e) => e.name.endsWith("author/findings"))`) // the page is at rest
	}
	slices.Sort(took)
	t.Logf("from a save to the new rendering: median %v, maximum %v of %d", took[len(took)/2].Round(time.Millisecond), took[len(took)-1].Round(time.Millisecond), len(took))
}

// The list is the tree of the folders, by keys alone too.
func TestTree(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	for _, name := range []string{"b", "a/x/one", "a/x/two", "a/three", "c/four"} {
		reg.MustAdd(echo(name, ""))
	}
	_, url := serve(t, &reg, prompts.Options{})
	p := open(t, url)
	rows := func() string {
		return eval[string](p, `[...document.querySelectorAll("[role=treeitem]")].map((e) => e.ariaLevel + " " + (e.querySelector(".folder-name, .row-name").innerText)).join()`)
	}
	p.wait(`document.querySelectorAll("[role=treeitem]").length === 8`)
	assert.Equal(t, "1 a,2 x,3 one,3 two,2 three,1 c,2 four,1 b", rows())
	p.typing("\t")
	p.wait(`document.activeElement.id === "list" && document.querySelector(".folder.active")`)
	p.typing(kb.ArrowLeft)
	p.wait(`document.querySelector(".folder.active").ariaExpanded === "false"`)
	assert.Equal(t, "1 a,1 c,2 four,1 b", rows())
	p.typing(kb.ArrowDown, "\r")
	p.wait(`document.querySelectorAll("[role=treeitem]").length === 3`)
	p.pressCtrl("k")
	p.typing("two")
	p.wait(`document.querySelector(".row.active")?.innerText.includes("a/x/two")`)
	p.typing("\r")
	p.wait(`location.hash.startsWith("#/a/x/two")`)
	p.pressCtrl("k")
	p.typing(kb.Backspace)
	p.wait(`document.querySelector("[aria-selected=true]")?.innerText.startsWith("two") && document.querySelector("[aria-selected=true]").title === "a/x/two"`) // in its open folder
	axe := string(npmFile(t, "axe-core/axe.min.js"))
	assert.Empty(t, eval[[]string](p, "%s; axe.run(document, {resultTypes: [\"violations\"]}).then((r) => r.violations.map((v) => v.id))", axe))
}
