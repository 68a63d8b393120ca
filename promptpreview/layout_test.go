package promptpreview_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptpreview"
)

// lengthy is a prompt with many arguments, a long description and a long text.
func lengthy() prompts.Prompt {
	p := prompts.Prompt{Name: "lengthy", Description: strings.Repeat("It says a lot about itself. ", 8)}
	for i := range 12 {
		p.Arguments = append(p.Arguments, prompts.Argument{Name: fmt.Sprintf("a%d", i), Description: "one of many"})
	}
	p.Render = func(context.Context, map[string]string) (*prompts.Result, error) {
		return prompts.Messages(prompts.User(strings.Repeat("A paragraph of the text.\n\n", 60))), nil
	}
	return p
}

// isInView is an expression that is true if an element is in the window.
const isInView = `((e) => { const r = e.getBoundingClientRect(); return r.height > 0 && r.top >= 0 && r.bottom <= innerHeight; })(document.querySelector(%s))`

// The search has the focus from the beginning, the button is always in view, and a render
// brings its result into view, in the window of a laptop and of a phone.
func TestSmallWindows(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	reg.MustAdd(lengthy())
	_, url := serve(t, &reg, prompts.Options{})
	for _, size := range [][2]int64{{1280, 720}, {375, 667}} {
		p := open(t, url)
		require.NoError(t, p.tab.Size(size[0], size[1], false))
		p.wait(`document.activeElement.id === "search"`)
		if size[0] == 1280 {
			linked := open(t, url+"/#/lengthy")
			linked.wait(`document.activeElement.id === "search"`)
		}
		p.find("lengthy", "lengthy")
		p.wait(`document.querySelector(".arguments .primary")`)
		assert.True(t, eval[bool](p, isInView, `".arguments .primary"`), "the button at the begin, %v", size)
		assert.Less(t, eval[float64](p, `innerHeight - document.querySelector(".arguments .primary").getBoundingClientRect().bottom`), 30.0, "no field is below the button, %v", size)
		eval[bool](p, `document.querySelector("[name=a11]").focus(), true`)
		assert.True(t, eval[bool](p, isInView, `"[name=a11]"`), "the last field, %v", size)
		assert.True(t, eval[bool](p, isInView, `".arguments .primary"`), "the button at the last field, %v", size)
		eval[bool](p, `document.querySelector(".arguments .primary").click(), true`)
		p.has(".conversation", "A paragraph")
		p.wait(isInView, `".pane-head"`)
		p.wait(isInView, `".message h3"`)
		if size[0] == 375 {
			eval[bool](p, `document.querySelector("#main").scrollTop = 0, document.querySelector("#tab-json").click(), true`)
			p.wait(isInView, js("#panel h3"))
		}
		if size[0] == 1280 {
			eval[bool](p, `document.querySelector("#main").scrollTop = 1e6, true`)
			assert.True(t, eval[bool](p, isInView, `".arguments .primary"`), "the button at the end of the result")
		}
		assert.True(t, eval[bool](p, `document.documentElement.scrollWidth <= innerWidth`), "nothing is wider than the window, %v", size)
	}
}

// Many errors of files are folded, and leave the list in view. The place of an error opens
// the file in the editor.
func TestManyFileErrors(t *testing.T) {
	t.Parallel()
	f, url := serveFolder(t)
	p := open(t, url)
	f.write("bad 1.md", "---\ntitel: x\n---\nx")
	p.has("#file-errors", "did you mean \"title\"?")
	link := eval[string](p, `document.querySelector("#file-errors a").href`)
	assert.Equal(t, "vscode://file"+f.dir+"/bad%201.md:2:1", link)
	for i := range 60 {
		f.write(fmt.Sprintf("bad%d.md", i), "---\ntitel: x\n---\nx")
	}
	p.has("#file-errors summary", "61 errors in files")
	p.wait(`!document.querySelector("#file-errors").open`)
	p.wait(isInView, `".row"`)
	eval[bool](p, `document.querySelector("#file-errors summary").click(), true`)
	p.wait(`document.querySelector("#file-errors").open && document.querySelectorAll("#file-errors li").length === 61`)
	p.wait(isInView, `".row"`)
	f.remove("bad59.md")
	p.has("#file-errors summary", "60 errors in files")
	p.wait(`document.querySelector("#file-errors").open`)
}

// All pages of a browser share one stream of the server, which has six connections for
// them. While no page can be seen, there is none.
func TestSeveralPages(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	reg.MustAdd(echo("echo", "one "))
	handler := newHandler(t, prompts.MustNewServer(&reg, prompts.Options{InputSchemas: true}), promptpreview.Options{})
	var streams atomic.Int64
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Method") == "subscriptions/listen" {
			streams.Add(1)
			defer streams.Add(-1)
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		assert.NoError(t, handler.Close())
		ts.CloseClientConnections()
		ts.Close()
	})
	var pages []*page
	for range 7 { // one more than the connections
		p := open(t, ts.URL+"/#/echo?text=tea")
		p.wait(`document.querySelector("#status").dataset.state === "live"`)
		p.pressCtrl("\r")
		p.has(".conversation", "one tea")
		pages = append(pages, p)
	}
	assert.EqualValues(t, 1, streams.Load())
	change := func(prefix string) {
		require.NoError(t, reg.Set(echo("echo", prefix)))
	}
	change("two ")
	for _, p := range pages {
		p.has(".conversation", "two tea")
	}

	show := func(p *page, state string) {
		eval[bool](p, `Object.defineProperty(document, "hidden", { configurable: true, value: %t }), document.dispatchEvent(new Event("visibilitychange"))`, state == "hidden")
	}
	for _, p := range pages[1:] {
		show(p, "hidden")
	}
	change("three ")
	pages[0].has(".conversation", "three tea")
	assert.Contains(t, pages[1].text(".conversation"), "two tea", "a page that is hidden does nothing")
	show(pages[0], "hidden")
	require.Eventually(t, func() bool { return streams.Load() == 0 }, time.Minute, 10*time.Millisecond)
	change("four ")
	show(pages[1], "visible")
	pages[1].has(".conversation", "four tea")
	assert.EqualValues(t, 1, streams.Load())
	change("five ")
	pages[1].has(".conversation", "five tea")
}
