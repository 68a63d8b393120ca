package promptpreview_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
)

// silence is a recording of nothing.
var silence = append([]byte("RIFF\x2c\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x40\x1f\x00\x00\x01\x00\x08\x00data\x08\x00\x00\x00"), bytes.Repeat([]byte{0x80}, 8)...)

// everything is a prompt with content of each type.
func everything(t *testing.T) prompts.Prompt {
	var picture bytes.Buffer
	require.NoError(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 3, 2))))
	return prompts.Prompt{Name: "everything", Description: "Has content of each type", Render: func(context.Context, map[string]string) (*prompts.Result, error) {
		return &prompts.Result{Messages: []prompts.Message{
			prompts.User("# Title\n\nSome *text*, `code`, a [link](https://example.org/), and\n\n1. a list\n2. of two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> a quote\n\n```go\nfunc main() { println(\"hi\") } // comment\n```"),
			{Role: prompts.RoleAssistant, Content: &prompts.Image{Data: picture.Bytes(), MIMEType: "image/png"}},
			{Role: prompts.RoleUser, Content: &prompts.Audio{Data: silence, MIMEType: "audio/wav"}},
			{Role: prompts.RoleUser, Content: &prompts.EmbeddedResource{URI: "file:///a.json", MIMEType: "application/json", Text: `{"a": true}`}},
			{Role: prompts.RoleUser, Content: &prompts.EmbeddedResource{URI: "file:///a.bin", MIMEType: "application/zip", Blob: []byte("PK")}},
			{Role: prompts.RoleUser, Content: &prompts.ResourceLink{URI: "https://example.org/doc", Name: "doc", Title: "The document", Description: "Says more", MIMEType: "text/html"}},
		}}, nil
	}}
}

// kinds is a prompt with an argument of each kind of field.
type kinds struct {
	Text    string   `json:"text" title:"A text" jsonschema:"what it is about"`
	Choice  string   `json:"choice,omitempty" enum:"one,two" default:"two"`
	Number  int      `json:"number,omitempty" minimum:"1" maximum:"5"`
	Is      *bool    `json:"is"`
	Many    []string `json:"many,omitempty" enum:"x,y,z"`
	Words   []string `json:"words,omitempty"`
	Ref     string   `json:"ref,omitempty" pattern:"^[a-z]+$"`
	Secret  string   `json:"secret,omitempty" sensitive:"true"`
	Payload struct {
		A int `json:"a"`
	} `json:"payload,omitzero"`
}

func kindsOfFields() prompts.Prompt {
	return prompts.New(prompts.Prompt{Name: "kinds"}, func(_ context.Context, in kinds) (*prompts.Result, error) {
		data, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		return prompts.Messages(prompts.User(string(data))), nil
	})
}

// Content of each type is shown as what it is.
func TestContent(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	reg.MustAdd(everything(t))
	_, url := serve(t, &reg, prompts.Options{})
	p := open(t, url)
	p.find("every", "everything")
	p.wait(`document.querySelector(".message img")?.naturalWidth === 3`)
	p.has(".message:nth-child(2)", "3 × 2 pixels")
	p.wait(`document.querySelector(".message audio").readyState > 0 && !document.querySelector(".message audio").error`)
	copied := eval[string](p, `(() => { let text; Object.defineProperty(navigator, "clipboard", {value: {writeText: async (t) => { text = t; }}}); document.querySelector(".totals-line button").click(); return text; })()`)
	assert.True(t, strings.HasPrefix(copied, "# Title\n"), copied)
	assert.True(t, strings.HasSuffix(copied, "\n\n{\"a\": true}\n\nhttps://example.org/doc"), copied)
	assert.Equal(t, "Title", p.text(".markdown h1"))
	assert.Equal(t, "func", p.text(".markdown .hljs-keyword"))
	assert.Equal(t, 2, eval[int](p, `document.querySelectorAll(".markdown ol li").length`))
	assert.Equal(t, "true", p.text(".message:nth-child(4) .hljs-literal"))
	assert.Equal(t, "Save the 2 bytes of application/zip", p.text(".message:nth-child(5) a[download='a.bin']"))
	assert.Equal(t, "https://example.org/doc", eval[string](p, `document.querySelector(".message:nth-child(6) a").href`))
	assert.Equal(t, []string{"User", "Assistant"}, eval[[]string](p, `[...document.querySelectorAll(".message h3")].slice(0, 2).map((e) => e.innerText)`))
}

// The page names the version that it shows: before a result that of the list, then that of
// the result, also after a change.
func TestServedVersion(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	set := func(digit, label string) {
		p := echo("echo", label+": ")
		p.Digest = "sha256:" + strings.Repeat(digit, 64)
		require.NoError(t, reg.Update(func(tx *prompts.Tx) error {
			require.NoError(t, tx.SetRelease(prompts.Release{ID: "revision " + digit, Label: label}))
			return tx.Set(p)
		}))
	}
	set("1", "staging")
	_, url := serve(t, &reg, prompts.Options{})
	p := open(t, url)
	p.find("echo", "echo")
	shows := func(digit, label string) {
		p.has(".prompt-version", "fingerprint\u00a0"+strings.Repeat(digit, 12)+"… · release\u00a0revision "+digit+" · label\u00a0"+label)
	}
	shows("1", "staging")
	set("2", "canary")
	shows("2", "canary")
	assert.Contains(t, eval[string](p, `document.querySelector(".prompt-version code").title`), "sha256:"+strings.Repeat("2", 64)+": the digest of the prompt.")
	p.typing("tea")
	p.pressCtrl("\r")
	p.has(".conversation", "canary: tea")
	shows("2", "canary")
	// A release alone is no change of the list, so the next result tells it.
	require.NoError(t, reg.Update(func(tx *prompts.Tx) error {
		return tx.SetRelease(prompts.Release{ID: "revision 2", Label: "production"})
	}))
	p.pressCtrl("\r")
	shows("2", "production")
	// Nor does the page keep what is no longer so.
	require.NoError(t, reg.Update(func(tx *prompts.Tx) error {
		return errors.Join(tx.SetRelease(prompts.Release{}), tx.Set(echo("echo", "none: ")))
	}))
	p.has(".conversation", "none: tea")
	p.wait(`document.querySelector(".prompt-version").hidden`)
}

// Each kind of argument has its field, and its value reaches the prompt.
func TestFields(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	reg.MustAdd(kindsOfFields())
	_, url := serve(t, &reg, prompts.Options{})
	p := open(t, url)
	p.find("kinds", "kinds")
	p.typing("tea", "\t", "o", "\t", "3", "\t", "t", "\t", " ", "\t", "\t", " ", "\t", "a, b", "\t", "main", "\t", "sesame", "\t", "1")
	p.pressCtrl("\r")
	p.has(".conversation", `{"text":"tea","choice":"one","number":3,"is":true,"many":["x","z"],"words":["a","b"],"ref":"main","secret":"•••","payload":{"a":1}}`)
	assert.Equal(t, []string{"A text text required", "choice", "number", "is", "many", "words", "ref", "secret sensitive", "payload", "a required", "payload as JSON"},
		eval[[]string](p, `[...document.querySelectorAll(".field > label, .field > legend")].map((e) => e.innerText.replace(/\s+/g, " ").trim())`))
}

// violations returns what axe-core finds about the page: if only the colors are other ones
// than at the last call, about the colors.
func (p *page) violations(colorsOnly bool) []string {
	p.t.Helper()
	rules := ""
	if colorsOnly {
		rules = `, runOnly: ["color-contrast"]`
	}
	return eval[[]string](p, `axe.run(document, {resultTypes: ["violations"]%s}).then((r) => r.violations
		.filter((v) => v.id !== "heading-order") // texts of prompts have headings of their own
		.flatMap((v) => v.nodes.map((n) => v.id + ": " + n.html.slice(0, 200) + " " + n.failureSummary)))`, rules)
}

// axe-core has no finding about the page, in any of its states.
func TestAccessible(t *testing.T) {
	t.Parallel()
	axe := string(npmFile(t, "axe-core/axe.min.js"))
	var reg prompts.Registry
	reg.MustAdd(everything(t), kindsOfFields(), asking, prompts.Prompt{Name: "fail", Render: func(context.Context, map[string]string) (*prompts.Result, error) {
		return nil, &prompts.Error{Code: 4000, Message: "It is not to be had"}
	}})
	for i := range 30 { // more than the list can show
		reg.MustAdd(echo(fmt.Sprintf("other%d", i), ""))
	}
	handler, url := serve(t, &reg, prompts.Options{})
	handler.Reporter("/folder")(promptfs.Report{Err: &promptfs.Error{Path: "kinds.md", Line: 1, Err: context.Canceled}})
	p := open(t, url)
	eval[bool](p, "%s; true", axe)
	check := func(state string) {
		t.Helper()
		for _, width := range []int64{1280, 375} {
			for _, isDark := range []bool{false, true} {
				require.NoError(t, p.tab.Size(width, 720, isDark))
				assert.Empty(t, p.violations(isDark), "%s, width %d, dark %v", state, width, isDark)
			}
		}
		require.NoError(t, p.tab.Size(1280, 800, false))
	}
	check("the list")
	p.find("kinds", "kinds")
	p.has(".notices", "kinds.md:1")
	check("a form")
	p.pressCtrl("\r")
	p.has(".field-error:not(:empty)", "is required")
	check("errors at fields")
	p.find("every", "everything")
	p.wait(`document.querySelector(".message img")?.naturalWidth === 3`)
	check("a conversation")
	eval[bool](p, `document.querySelector("#tab-json").click(), true`)
	check("JSON")
	eval[bool](p, `document.querySelector("#tab-clients").click(), true`)
	p.wait(`document.querySelector(".portability")`)
	check("clients")
	p.find("announce", "announce")
	p.wait(`document.querySelector("form.questions")`)
	check("a question")
	p.find("fail", "fail")
	p.wait(`document.querySelector(".failure")`)
	check("a failure")
	eval[bool](p, `document.querySelector("#help-open").click(), true`)
	check("the help")
}

// The gallery of the docs shows the files as they are.
func TestGallery(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/gallery.md")
	require.NoError(t, err)
	shown := regexp.MustCompile("(?s)prompts/([\\w/-]+\\.md)\">.*?~~~~markdown\n(.*?)~~~~\n.*?src=\"([^\"]+)\"").FindAllStringSubmatch(string(text), -1)
	assert.Len(t, shown, 5)
	for _, s := range shown {
		declaration, err := os.ReadFile("../examples/files/prompts/" + s[1])
		require.NoError(t, err)
		assert.Equal(t, string(declaration), s[2], "run the program in internal/screenshots")
		assert.FileExists(t, "../docs/"+s[3])
	}
}
