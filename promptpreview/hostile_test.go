package promptpreview_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"image/png"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
)

// hostile would set a global variable if any of its ways to run a script worked, or
// load something from elsewhere, or change how the page looks.
const hostile = `<script>hacked=1</script><img src=x onerror="hacked=1"><svg onload="hacked=1"><iframe srcdoc="<script>parent.hacked=1</script>"></iframe>
</textarea></title></style><style>body{display:none}</style><form action="javascript:hacked=1"><button>x</button></form>

[a](javascript:hacked=1) [b](JaVaScRiPt:hacked=1) [c](data:text/html,<script>hacked=1</script>) [d](vbscript:x) <javascript:hacked=1> [e](file:///etc/passwd)
![f](https://evil.example.org/f.png) ![g](javascript:hacked=1) [h](https://example.org/" onmouseover="hacked=1) [ok](https://example.org/ok)

` + "```html\" onclick=\"hacked=1\n<script>hacked=1</script>\n```\n\n```js\nhacked=1</code></pre><script>hacked=1</script>\n```\n\n" + `
<math><mi//xlink:href="data:x,<script>hacked=1</script>"><noscript><p title="</noscript><img src=x onerror=hacked=1>">
{{constructor.constructor('hacked=1')()}} ${hacked=1} &lt;script&gt;hacked=1&lt;/script&gt;

An account` + "\u202etxt.exe\u2066 and \u200bzero\u00ad width\u061c \U000e0041"

// bomb returns a PNG that says it has very many pixels.
func bomb(t *testing.T) []byte {
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))))
	data := b.Bytes()
	binary.BigEndian.PutUint32(data[16:], 100_000)
	binary.BigEndian.PutUint32(data[20:], 100_000)
	return data
}

// harmless asserts that no script of the texts has run, and that nothing is on the
// page that could run one or load anything.
func (p *page) harmless() {
	p.t.Helper()
	assert.Equal(p.t, "undefined", eval[string](p, `typeof hacked`))
	assert.Equal(p.t, 1, eval[int](p, `document.scripts.length`))
	assert.Zero(p.t, eval[int](p, `document.querySelectorAll("iframe, object, embed, svg, math, style, base, [onclick], [onerror], [onload], [onmouseover], [style*=position]").length`))
	assert.Empty(p.t, eval[[]string](p, `[...document.links].filter((a) => !(a.matches(".file") ? /^vscode:\/\/file\// : /^(https?:|mailto:|blob:)/).test(a.href)).map((a) => a.href)`))
	assert.Empty(p.t, eval[[]string](p, `performance.getEntriesByType("resource").map((e) => e.name).filter((name) => !name.startsWith(location.origin) && !name.startsWith("blob:") && !name.startsWith("data:"))`))
	assert.Equal(p.t, "visible", eval[string](p, `getComputedStyle(document.body).visibility`))
	assert.False(p.t, eval[bool](p, `/[\u202a-\u202e\u2066-\u2069\u061c\u200b]/.test(document.body.innerText)`), "a bidi control is in the text of the page")
	assert.False(p.t, eval[bool](p, `[...document.querySelectorAll("*")].some((e) => [...e.attributes].some((a) => a.name !== "value" && /[\u202a-\u202e\u2066-\u2069]/.test(a.value)))`), "a bidi control is in an attribute")
}

// Each character that Unicode's tables call invisible is shown by its name, and no
// letter is.
func TestInvisibleCharacters(t *testing.T) {
	t.Parallel()
	_, url := serve(t, new(prompts.Registry), prompts.Options{})
	p := open(t, url)
	eval[bool](p, `import("./dom.js").then((dom) => { window.dom = dom; }), true`)
	p.wait(`window.dom`)
	marked := eval[[]rune](p, `Array.from({ length: 0x110000 }, (_, c) => c).filter((c) => dom.visible(String.fromCodePoint(c)).startsWith("⟨U+"))`)
	is := map[rune]bool{}
	for _, c := range marked {
		is[c] = true
	}
	// UAX #44: Default_Ignorable_Code_Point is Other_Default_Ignorable_Code_Point, Cf and
	// Variation_Selector without some of Cf that are seen.
	isIgnorable := func(c rune) bool {
		isSeen := unicode.In(c, unicode.White_Space, unicode.Prepended_Concatenation_Mark) || 0xfff9 <= c && c <= 0xfffb || 0x13430 <= c && c <= 0x13440
		return unicode.In(c, unicode.Other_Default_Ignorable_Code_Point, unicode.Cf, unicode.Variation_Selector) && !isSeen
	}
	for c := rune(0); c <= unicode.MaxRune; c++ {
		switch {
		case isIgnorable(c), unicode.Is(unicode.Cc, c) && !strings.ContainsRune("\t\n\r", c), strings.ContainsRune("\u2028\u2029\u2800\ufff9", c):
			assert.True(t, is[c], "%U is not marked", c)
		case unicode.IsLetter(c) || unicode.IsDigit(c) || c == ' ' || c == '\n' || c == '\u0301':
			assert.False(t, is[c], "%U is marked", c)
		}
	}
}

// Whatever the texts of a server are, they are shown, and do nothing: in the list, in
// the form, in the conversation, in questions, in errors.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	all := prompts.Prompt{
		Name: `evil "><script>hacked=1</script>`, Title: hostile, Description: hostile,
		Icons: []prompts.Icon{{Src: "https://evil.example.org/i.png"}, {Src: "data:image/svg+xml;base64,PHN2ZyB4bWxucz0naHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmcnIG9ubG9hZD0naGFja2VkPTEnLz4="}},
		Arguments: []prompts.Argument{
			{Name: "a", Title: hostile, Description: hostile, Complete: prompts.Suggest(hostile, "<img src=x onerror=hacked=1>")},
			{Name: "b", Enum: []string{hostile, "<b>"}},
			{Name: "c", Description: "<img src=x onerror=hacked=1>"},
		},
	}
	all.Render = func(context.Context, map[string]string) (*prompts.Result, error) {
		return &prompts.Result{Description: hostile, Messages: []prompts.Message{
			prompts.User(hostile),
			prompts.Assistant(hostile),
			{Role: prompts.RoleUser, Content: &prompts.Image{Data: bomb(t), MIMEType: "image/png"}},
			{Role: prompts.RoleUser, Content: &prompts.Image{Data: []byte("<svg xmlns='http://www.w3.org/2000/svg'><script>hacked=1</script></svg>"), MIMEType: "image/svg+xml"}},
			{Role: prompts.RoleUser, Content: &prompts.Image{Data: []byte("<script>hacked=1</script>"), MIMEType: "text/html"}},
			{Role: prompts.RoleUser, Content: &prompts.Audio{Data: []byte("<script>hacked=1</script>"), MIMEType: "audio/wav"}},
			{Role: prompts.RoleUser, Content: &prompts.EmbeddedResource{URI: "file:///x.html", MIMEType: "text/html", Text: hostile}},
			{Role: prompts.RoleUser, Content: &prompts.EmbeddedResource{URI: "file:///x.md", MIMEType: "text/markdown", Text: hostile}},
			{Role: prompts.RoleUser, Content: &prompts.EmbeddedResource{URI: "file:///x.bin", MIMEType: "text/html", Blob: []byte("<script>hacked=1</script>")}},
			{Role: prompts.RoleUser, Content: &prompts.ResourceLink{URI: "javascript:hacked=1", Name: hostile, Title: hostile, Description: hostile}},
			{Role: prompts.RoleUser, Content: &prompts.Text{Text: strings.Repeat("# <b>10 MB</b> of text\n", 10<<20/23)}},
		}}, nil
	}
	ask := prompts.Prompt{Name: "ask", Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
		_, err := prompts.Elicit[release](ctx, "k", hostile, prompts.Argument{Name: "version", Title: hostile, Description: hostile})
		return nil, err
	}}
	fail := prompts.Prompt{Name: "fail", Arguments: []prompts.Argument{{Name: "a"}, {Name: "constructor"}}, Render: func(ctx context.Context, args map[string]string) (*prompts.Result, error) {
		if args["a"] != "" {
			return nil, prompts.InvalidArgument("a", hostile)
		}
		return nil, &prompts.Error{Code: 4000, Message: hostile, Data: map[string]any{"problems": hostile}}
	}}
	var reg prompts.Registry
	reg.MustAdd(all, ask, fail, echo("toString", ""))
	handler, url := serve(t, &reg, prompts.Options{Info: prompts.Implementation{Name: "s", Title: hostile, Version: "1"}})
	handler.Reporter("/" + hostile)(promptfs.Report{Err: &promptfs.Error{Path: hostile, Line: 1, Err: errors.New(hostile)}})
	p := open(t, url+"/#/fail?"+`a=%3Cscript%3Ehacked%3D1%3C%2Fscript%3E&__proto__=x`)
	p.has("#file-errors", "hacked")
	p.has("#server", "hacked")
	assert.Empty(t, eval[string](p, `document.querySelector("[name=constructor]").value`), "which all objects of JavaScript have")
	p.harmless()

	p.pressCtrl("\r")
	p.has(".field-error", "hacked")
	p.harmless()
	p.find("fail", "fail")
	p.pressCtrl("a")
	p.typing("\b")
	p.pressCtrl("\r")
	p.has(".failure", "4000")
	p.harmless()

	p.find("ask", "ask")
	p.wait(`document.querySelectorAll(".questions [name=version]").length === 1`)
	p.harmless()

	p.find("evil", `evil "><script>hacked=1</script>`)
	p.wait(`document.querySelectorAll(".conversation > li").length === 11`)
	p.wait(`document.querySelector(".suggestions li")`)
	p.harmless()
	p.has(".message:nth-child(1)", "<script>hacked=1</script>")
	p.has(".message:nth-child(1)", "U+202E")
	p.has(".message:nth-child(1)", "image not loaded: f https://evil.example.org/f.png")
	assert.Equal(t, "https://example.org/ok", eval[string](p, `[...document.querySelectorAll(".message:first-child a")].map((a) => a.href).at(-1)`))
	p.has(".message:nth-child(3) .held-back", "100000 × 100000 pixels")
	assert.Zero(t, eval[int](p, `document.querySelectorAll(".message:nth-child(3) img").length`))
	p.has(".message:nth-child(11)", "100,000 of 10,485,7")
	eval[bool](p, `document.querySelector(".parts button").click(), true`)
	p.has(".message:nth-child(11)", "200,000 of 10,485,7")
	for _, tab := range []string{"json", "clients", "conversation"} {
		eval[bool](p, `document.querySelector("#tab-%s").click(), true`, tab)
		p.wait(`document.querySelector("#panel").childElementCount > 0`)
		p.harmless()
	}
	// Every button and every link of the messages, but for downloads and other sites.
	eval[bool](p, `document.querySelectorAll("main .message button, main .message a:not([target]):not([download])").forEach((e) => e.click()), true`)
	p.wait(`document.querySelectorAll(".plain-text").length > 0`)
	p.harmless()
}
