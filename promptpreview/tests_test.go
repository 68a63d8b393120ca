package promptpreview_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tested is a folder with cases that pass and cases that fail, in nested folders.
var tested = map[string]string{
	"_partials/rules.md":             "Be kind to the reader.\n",
	"plain.md":                       "Only a text.\n",
	"review/code.md":                 "---\ntitle: Review code\narguments: [{name: code}, {name: lines, type: integer}]\n---\n{{template \"rules\"}}\nReview {{.code}}{{with .lines}} of {{.}} lines{{end}}.\n",
	"review/code.test.yaml":          "cases:\n- name: a line\n  arguments: {code: x}\n  expect: {contains: Review x}\n",
	"review/deep/security.md":        "---\narguments: [{name: code}, {name: key, sensitive: true}]\n---\nSecure {{.code}} {{.key}}.\n",
	"review/deep/security.test.yaml": "cases:\n- name: passes\n  arguments: {code: x}\n- name: names the risks\n  arguments: {code: a <b>, key: hunter2-secret}\n  expect: {contains: List the risks}\n- name: as before\n  arguments: {code: y}\n  expect: {equals: security.golden}\n",
	"review/deep/security.golden":    "=== user: text\nSecure z .\n",
}

func (f folder) writeAll(files map[string]string) {
	f.t.Helper()
	for name, text := range files {
		require.NoError(f.t, os.MkdirAll(filepath.Dir(filepath.Join(f.dir, name)), 0o755))
		f.write(name, text)
	}
}

func (p *page) focused(selector string) {
	p.t.Helper()
	p.wait(`document.activeElement.matches(%s)`, js(selector))
}

// By keys alone: an author sees that cases fail and why, runs all again after an edit, opens
// the case that fails, and finds a text of a partial. The value of a sensitive argument is in its
// field alone.
func TestCases(t *testing.T) {
	t.Parallel()
	program := buildPrompts(t)
	f := folder{t, filepath.Join(t.TempDir(), "texts")}
	f.writeAll(tested)
	p := open(t, servePrompts(t, program, f.dir))

	p.has("#tests-open", "2 of 4 cases fail")
	p.has("#server", "texts")
	p.wait(`[...document.querySelectorAll(".row")].find((r) => r.title === "review/deep/security").innerText.startsWith("security\n2 fail")`)
	p.wait(`document.title.endsWith(" · texts")`)
	p.focused("#search")
	p.typing("\t")
	p.focused("#tests-open")
	p.typing("\r")
	p.focused(".tests h2")
	p.has(".tests .description", "2 of 4 cases fail")
	assert.Equal(t, []string{"review/deep/security 2 of 3 cases fail", "names the risks", "as before", "passes", "review/code 1 case passes", "a line"},
		eval[[]string](p, `[...document.querySelectorAll(".cases-table tbody th")].map((e) => e.innerText)`), "what fails is first")
	p.has(".failed", `contains: no message has "List the risks"`)
	p.has(".failed pre", "Secure a <b> •••.")
	assert.Equal(t, "Secure z ./Secure y .", eval[string](p, `[...document.querySelectorAll(".failed pre :is(del, ins)")].map((e) => e.innerText.slice(1).trim()).join("/")`))
	p.has(".failed:has(del) .detail", "If the messages are right, run: prompts test --update texts")
	assert.Regexp(t, regexp.MustCompile(`^vscode://file/.*/texts/review/deep/security\.test\.yaml:6:1$`), eval[string](p, `document.querySelector(".failed a").href`))
	p.looksRight("the table of all cases")

	// The author edits the test file, and runs all again.
	risks := strings.Replace(tested["review/deep/security.test.yaml"], "List the risks", "Secure", 1)
	f.write("review/deep/security.test.yaml", risks)
	p.typing("\t")
	p.focused(".tests .primary")
	p.typing("\r")
	p.has(".tests .description", "1 of 4 cases fails")
	p.has("#tests-open", "1 of 4 cases fails")
	p.focused(".tests .primary")
	f.write("review/deep/security.test.yaml", "cases:\n- nam: x\n")
	p.typing("\r")
	p.has(".tests .notice", `review/deep/security.test.yaml:2 unknown key "nam"`)
	p.has("#tests-open", "1 case passes, 2 errors in files")
	f.write("review/deep/security.test.yaml", tested["review/deep/security.test.yaml"])
	p.typing("\r")
	p.has(".tests .description", "2 of 4 cases fail")

	// A file that breaks is an error of the tests, too, as soon as the author saves the file.
	f.write("plain.md", "---\ntitel: Plain\n---\nOnly a text.\n")
	p.has("#tests-open", "2 of 4 cases fail, 1 error in files")
	p.has(".tests .notice", `plain.md:2 unknown key "titel" in front matter; did you mean "title"?`)
	f.write("plain.md", tested["plain.md"])
	p.wait(`document.querySelector("#tests-open").innerText === "2 of 4 cases fail"`)

	// The prompt says what fails, and shows the values of the case.
	p.typing("\t", "\t")
	p.wait(`document.activeElement.innerText === "names the risks"`)
	for _, expected := range []string{"List all risks", "List the risks"} { // and the focus stays
		f.write("review/deep/security.test.yaml", strings.Replace(tested["review/deep/security.test.yaml"], "List the risks", expected, 1))
		eval[bool](p, `window.dispatchEvent(new Event("focus")), true`) // of an author who comes back from the editor
		p.has(".failed", fmt.Sprintf("no message has %q", expected))
		p.wait(`document.activeElement.innerText === "names the risks"`)
	}
	p.typing("\r")
	p.focused(".prompt-title h2") // as what had the focus is gone
	p.has(".conversation", "Secure a <b> •••.")
	p.wait(`document.querySelector(".cases select").selectedOptions[0].innerText === "names the risks"`)
	p.has(".notices .error", `names the risks: contains: no message has "List the risks"`)
	p.has("#tab-template", "Template (5)") // with three warnings of check
	assert.NotContains(t, eval[string](p, `document.body.innerText + document.body.innerHTML`), "hunter2")
	p.looksRight("a prompt with cases that fail")
	eval[bool](p, `document.querySelector("#tab-template").click(), true`)
	p.has(".findings", "case “as before”: equals: ")
	eval[bool](p, `history.back(), true`)
	p.has(".tests h2", "Tests")

	// A folder that is closed says that something in it fails.
	p.pressCtrl("k")
	active := func(text string) {
		t.Helper()
		p.wait(`document.querySelector(".folder.active")?.innerText.replace(/\s+/g, " ") === %s`, js(text))
	}
	p.typing(kb.ArrowUp, kb.ArrowUp, kb.ArrowUp, kb.ArrowUp, kb.ArrowUp, kb.ArrowUp, kb.ArrowDown, kb.ArrowLeft)
	active("▸ deep 1 to fix 1 prompt")
	p.typing(kb.ArrowRight)
	active("▾ deep 1 prompt")
	p.typing(kb.ArrowUp, kb.ArrowLeft)
	active("▸ review 1 to fix 2 prompts")
	p.looksRight("a closed folder")
	p.typing("OF end") // of a line of its own file, from shortly before the word
	p.wait(`document.querySelector(".row.active")?.innerText.replace(/\s+/g, " ").trim() === "Review code review/code line 6: … .lines}} of {{.}} lines{{end}}."`)
	assert.Equal(t, "review/code.md:6: Review {{.code}}{{with .lines}} of {{.}} lines{{end}}.", eval[string](p, `document.querySelector(".row.active").title`))
	p.pressCtrl("a")
	p.typing("the READER")
	p.wait(`document.querySelector(".row.active")?.innerText.replace(/\s+/g, " ").trim() === "Review code review/code _partials/rules.md:1: Be kind to the reader." && document.querySelectorAll(".row").length === 1`)
	p.typing("\r")
	p.wait(`location.hash.startsWith("#/review/code")`)

	// A prompt that cannot be used in a client has no line for it.
	eval[bool](p, `document.querySelector(".copy-menu summary").click(), true`)
	p.has(".copy-menu ul", "Choose the prompt in the menu of Continue, Crush.")
	p.has(".copy-menu ul", "opencode (argument lines is a number)")
	assert.Equal(t, []string{"Link", "curl", "prompts render", "Claude Code", "Gemini CLI", "goose", "pi", "Qwen Code", "VS Code"}, eval[[]string](p, `[...document.querySelectorAll(".copy-menu .way")].map((e) => e.innerText)`))
	assert.Equal(t, "/mcp.texts.review_code", eval[string](p, `[...document.querySelectorAll(".copy-menu code")].at(-1).title`))
	p.looksRight("the menu of copies")
	eval[bool](p, `document.querySelector(".copy-menu summary").click(), true`)

	// The file is moved, and the form goes with it.
	eval[bool](p, `(() => { const field = document.querySelector("[name=code]"); field.value = "typed"; return field.dispatchEvent(new Event("input", {bubbles: true})); })()`)
	require.NoError(t, os.Rename(filepath.Join(f.dir, "review", "code.md"), filepath.Join(f.dir, "review", "lint.md")))
	p.has(".notices .warning", "This prompt is now review/lint.")
	eval[bool](p, `document.querySelector(".notices .warning button").click(), true`)
	p.wait(`location.hash.startsWith("#/review/lint") && document.querySelector("[name=code]").value === "typed"`)

	// The reason of a failure, which a client does not get.
	p.allowed = []string{"/author/trace"}
	f.write("plain.md", "---\narguments: [{name: word}]\n---\n{{slice .word 5}}\n")
	p.find("plain", "plain")
	p.has(".failure h3", "The prompt failed")
	p.has(".failure .reason", "index out of range")

	// Very many cases do not stop the page.
	many := "cases:\n"
	for i := range 1100 {
		many += fmt.Sprintf("- name: case %d\n", i)
	}
	f.write("plain.test.yaml", many)
	eval[bool](p, `window.dispatchEvent(new Event("focus")), document.querySelector("#tests-open").click(), true`)
	p.has(".tests", "The table has the first 1,000 of 1,10")
	assert.Equal(t, 1000, eval[int](p, `document.querySelectorAll(".cases-table [scope=row]").length`))
}

// looksRight checks that axe-core finds nothing, and that nothing is cut off, in small and large
// windows, light and dark.
func (p *page) looksRight(state string) {
	p.t.Helper()
	eval[bool](p, "%s; true", string(npmFile(p.t, "axe-core/axe.min.js")))
	for _, width := range []int64{1280, 375} {
		for _, isDark := range []bool{false, true} {
			require.NoError(p.t, p.tab.Size(width, 720, isDark))
			assert.Empty(p.t, p.violations(isDark), "%s, width %d, dark %v", state, width, isDark)
			assert.LessOrEqual(p.t, eval[int](p, `document.querySelector("#main").scrollWidth - document.querySelector("#main").clientWidth`), 0, "%s, width %d is cut off", state, width)
		}
	}
	require.NoError(p.t, p.tab.Size(1280, 800, false))
}
