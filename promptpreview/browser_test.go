package promptpreview_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
)

// folder is a folder of prompts that a server watches.
type folder struct {
	t   *testing.T
	dir string
}

func (f folder) write(name, text string) {
	f.t.Helper()
	require.NoError(f.t, os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o600))
}

func (f folder) remove(name string) {
	f.t.Helper()
	require.NoError(f.t, os.Remove(filepath.Join(f.dir, name)))
}

// draft is a prompt file with arguments of several kinds.
const draft = `---
title: Draft
description: Drafts an answer
arguments:
  - name: topic
    required: true
  - name: language
    complete: [german, greek, italian]
  - name: version
    pattern: '^\d+$'
---
Write about **{{.topic}}**{{with .language}} in {{.}}{{end}}{{with .version}}, version {{.}}{{end}}.

The first paragraph.

%s
`

// serveFolder serves the page for a folder with the draft, beside the prompts.
func serveFolder(t *testing.T, all ...prompts.Prompt) (f folder, url string) {
	t.Helper()
	f = folder{t, t.TempDir()}
	f.write("draft.md", fmt.Sprintf(draft, "The last paragraph."))
	var reg prompts.Registry
	reg.MustAdd(all...)
	page, url := serve(t, &reg, prompts.Options{})
	watched := promptfs.NewDir(&reg, f.dir, promptfs.Options{OnReload: page.Reporter(f.dir)})
	require.NoError(t, watched.Reload(t.Context()))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		watched.Watch(ctx)
		close(done)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return f, url
}

type release struct {
	Version string `json:"version" jsonschema:"the version to announce"`
	Channel string `json:"channel,omitempty" enum:"beta,stable"`
}

// asking is a prompt that asks the user.
var asking = prompts.Prompt{Name: "announce", Title: "Announcement", Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
	r, err := prompts.Elicit[release](ctx, "release", "Which release?")
	if err != nil {
		return nil, err
	}
	return prompts.Messages(prompts.User("Announce " + r.Version + " " + r.Channel)), nil
}}

// By keys alone: find a prompt, fill in its form, take a completion, see an error at
// its field, render, answer a question, and see the change of a file with nothing
// that was typed lost.
func TestByKeys(t *testing.T) {
	t.Parallel()
	f, url := serveFolder(t, asking)
	p := open(t, url)

	p.wait(`document.activeElement.id === "search"`)
	p.typing("dra")
	p.wait(`document.querySelector(".row.active").innerText.startsWith("Draft")`)
	p.typing("\r")
	p.wait(`document.activeElement.name === "topic"`)
	p.typing("tea & <b>", "\t")
	p.wait(`document.activeElement.name === "language"`)
	p.typing("g")
	// Those for the empty text may be there before.
	p.wait(`document.querySelector(".suggestions:not([hidden])").innerText.split(/\s+/).join() === "german,greek"`)
	p.typing(kb.ArrowDown, kb.ArrowDown)
	p.wait(`document.querySelector(".suggestions .active").innerText === "greek"`)
	p.typing("\r")
	p.wait(`document.querySelector("[name=language]").value === "greek"`)

	p.typing("\t", "one")
	p.pressCtrl("\r")
	p.has("[data-field=version] .field-error", "must match")
	p.wait(`document.activeElement.name === "version" && document.activeElement.getAttribute("aria-invalid") === "true"`)
	assert.Empty(t, eval[string](p, `document.querySelector("[data-field=topic] .field-error").innerText`))
	p.has(".failure h3", "The arguments are not valid")
	p.typing(" two")
	p.wait(`document.activeElement.value === "one two"`)
	p.has("[data-field=version] .field-error", "one two") // which is not valid either
	p.wait(`document.activeElement.hasAttribute("aria-invalid")`)
	p.pressCtrl("a")
	p.typing("1")
	p.wait(`!document.activeElement.hasAttribute("aria-invalid")`)
	p.pressCtrl("\r")
	p.has(".conversation", "Write about tea & <b> in greek, version 1.")
	assert.Equal(t, "tea & <b>", p.text(".conversation strong"))

	p.find("announ", "announce")
	p.wait(`document.activeElement.name === "version" && document.activeElement.closest("form.questions")`)
	p.pressCtrl("\r")
	p.has(".questions .field-error:not(:empty)", "is required")
	p.typing("3.1")
	p.pressCtrl("\r")
	p.has(".conversation", "Announce 3.1")

	p.find("draft", "draft")
	p.wait(`document.activeElement.name === "topic"`)
	p.pressCtrl("a")
	p.typing("coffee")
	p.pressCtrl("\r")
	p.has(".conversation", "coffee")
	p.typing(" and milk", kb.ArrowLeft) // and not yet rendered
	eval[bool](p, `window.page = document.querySelector("main"), true`)
	saved := time.Now()
	f.write("draft.md", fmt.Sprintf(draft, "Another end."))
	p.has(".conversation .changed-block", "Another end.")
	t.Logf("from the save to the mark on the page: %v", time.Since(saved).Round(time.Millisecond))
	assert.NotContains(t, p.text(".changed-block"), "first paragraph")
	p.wait(`document.activeElement.name === "topic" && document.activeElement.value === "coffee and milk" && document.activeElement.selectionStart === 14`)

	// Even a new declaration leaves what is typed, and where.
	f.write("draft.md", `---
arguments:
  - name: tone
    enum: [formal, casual]
  - name: topic
    required: true
---
On {{.topic}}{{.tone}}`)
	p.wait(`document.querySelector("select[name=tone]")`)
	p.wait(`document.activeElement.name === "topic" && document.activeElement.value === "coffee and milk" && document.activeElement.selectionStart === 14`)
	f.write("draft.md", fmt.Sprintf(draft, "Another end."))
	p.wait(`document.querySelector("[name=language]")?.value === "greek"`)
}

// The suggestions for a key appear even if those for the key before it are still
// awaited.
func TestSuggestionsOfTheLatestKey(t *testing.T) {
	t.Parallel()
	_, url := serveFolder(t)
	p := open(t, url+"/#/draft")
	p.wait(`document.querySelector("[name=language]")`)
	eval[bool](p, `(() => {
		const original = window.fetch;
		window.awaited = 0;
		window.fetch = (url, options) => {
			const { method, params } = JSON.parse(options.body);
			if (method !== "completion/complete" || params.argument.value !== "") return original(url, options);
			window.awaited++; // until it is aborted
			return new Promise((_, reject) => options.signal.addEventListener("abort", () => reject(options.signal.reason)));
		};
		document.querySelector("[name=language]").focus();
		return true;
	})()`)
	p.wait(`window.awaited === 1`)
	p.typing("g")
	p.wait(`document.querySelector(".suggestions:not([hidden])").innerText.split(/\s+/).join() === "german,greek"`)
}

// A file that breaks and a prompt that is removed while its form is open: the page
// says so, and goes on.
func TestFilesThatBreak(t *testing.T) {
	t.Parallel()
	f, url := serveFolder(t)
	p := open(t, url+"/#/draft?topic=tea")
	p.wait(`document.querySelector("[name=topic]").value === "tea"`)
	p.pressCtrl("\r")
	p.has(".conversation", "tea")

	f.write("draft.md", "---\ntitel: Draft\n---\nx")
	p.has(".notices .error", "draft.md:2")
	p.has("#file-errors", "did you mean \"title\"?")
	p.has(".row", "error")
	p.pressCtrl("\r")
	p.has(".conversation", "tea") // the last valid version
	f.write("other.md", "---\ntitel: Other\n---\nx")
	p.has("#file-errors", "2 errors in files")
	f.write("other.md", "Other text")
	f.write("draft.md", fmt.Sprintf(draft, "The end."))
	p.wait(`document.querySelector("#file-errors").hidden && !document.querySelector(".notices .error")`)
	p.wait(`[...document.querySelectorAll(".row")].some((r) => r.innerText.includes("other") && r.innerText.includes("new"))`)

	f.remove("draft.md")
	p.has(".notices .warning", "was removed")
	p.wait(`document.querySelector(".arguments .primary").disabled`)
	p.wait(`document.querySelector("[name=topic]").value === "tea"`)
	f.write("draft.md", fmt.Sprintf(draft, "It is back."))
	p.wait(`!document.querySelector(".notices .warning")`)
	p.has(".conversation", "It is back.")
	p.wait(`document.querySelector("[name=topic]").value === "tea"`)
}

// An argument whose default would take the place of the empty text can still be sent
// empty: a text by a box, a choice by itself. A link has that, too.
func TestEmptyText(t *testing.T) {
	t.Parallel()
	f, url := serveFolder(t)
	f.write("empty.md", `---
arguments:
  - name: tone
    default: formal
  - name: sign
    enum: ["", Ada, Grace]
    default: Ada
  - name: extra
---
[{{.tone}}|{{.sign}}|{{.extra}}]`)
	p := open(t, url+"/#/empty")
	p.wait(`document.querySelector("[name=tone]")`)
	p.pressCtrl("\r")
	p.has(".conversation", "[formal|Ada|]")
	assert.Equal(t, 1, eval[int](p, `document.querySelectorAll(".empty-box").length`), "an argument without a default is empty by itself")

	p.wait(`document.activeElement.name === "tone" || (document.querySelector("[name=tone]").focus(), false)`)
	p.typing("x")
	p.wait(`document.querySelector(".empty-box").hidden`)
	p.typing(kb.Backspace)
	p.wait(`!document.querySelector(".empty-box").hidden`)
	p.typing("\t", " ")
	p.wait(`document.querySelector(".empty-box input").checked`)
	p.wait(`document.querySelector("[name=sign]").options[1].text === "(empty text)"`)
	eval[bool](p, `(() => {
		const select = document.querySelector("[name=sign]");
		select.selectedIndex = 1;
		return select.dispatchEvent(new Event("input", { bubbles: true }));
	})()`)
	p.pressCtrl("\r")
	p.has(".conversation", "[||]")

	other := open(t, url+"/"+eval[string](p, `location.hash`))
	other.wait(`document.querySelector(".empty-box input")?.checked && document.querySelector("[name=sign]").selectedIndex === 1`)
	other.pressCtrl("\r")
	other.has(".conversation", "[||]")
}
