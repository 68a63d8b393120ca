package promptpreview_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"html/template"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptpreview"
)

// echo is a prompt that repeats what it gets.
func echo(name, prefix string) prompts.Prompt {
	return prompts.Prompt{
		Name: name, Arguments: []prompts.Argument{{Name: "text", Required: true}, {Name: "token", Sensitive: true}},
		Render: func(_ context.Context, args map[string]string) (*prompts.Result, error) {
			return prompts.Messages(prompts.User(prefix + args["text"])), nil
		},
	}
}

// A server goes away while a form is open, and another one comes at its address: the
// page says so, keeps what was typed, and shows what has changed.
func TestServerGoesAway(t *testing.T) {
	t.Parallel()
	listen := func(addr string, handler http.Handler) (string, func() error) {
		l, err := net.Listen("tcp", addr)
		for errors.Is(err, syscall.EADDRINUSE) { // by another test, for a while
			l, err = net.Listen("tcp", addr)
		}
		require.NoError(t, err)
		server := &http.Server{Handler: handler}
		go func() { _ = server.Serve(l) }()
		return l.Addr().String(), server.Close
	}
	start := func(addr, prefix string) (string, func()) {
		var reg prompts.Registry
		reg.MustAdd(echo("echo", prefix))
		handler := newHandler(t, prompts.MustNewServer(&reg, prompts.Options{}), promptpreview.Options{})
		addr, stop := listen(addr, handler)
		return addr, func() {
			_ = handler.Close()
			_ = stop()
		}
	}
	addr, stop := start("127.0.0.1:0", "first: ")
	p := open(t, "http://"+addr)
	p.allowed = []string{"Failed to load resource", "net::ERR_"}
	p.find("echo", "echo")
	p.typing("tea")
	p.pressCtrl("\r")
	p.has(".conversation", "first: tea")
	stop()
	p.has("#status", "does not answer")
	p.typing(" and milk")
	p.pressCtrl("\r")
	p.has(".failure", "did not answer")
	p.typing(", please")

	// A server that is none of prompts, for a while.
	asked := make(chan struct{}, 1000)
	_, stopOther := listen(addr, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.NotFound(w, r)
		if r.Header.Get("Mcp-Method") == "subscriptions/listen" {
			asked <- struct{}{}
		}
	}))
	<-asked
	<-asked // so that the page goes on asking
	require.NoError(t, stopOther())
	p.has("#status", "does not answer")

	_, stop = start(addr, "second: ")
	defer stop()
	p.has("#status", "Live")
	p.has(".conversation", "second: tea and milk")
	p.wait(`document.querySelector("[name=text]").value === "tea and milk, please"`)
}

// A render that takes its whole time limit, one that reports its progress, and one
// that the user cancels: the page says so, and goes on.
func TestSlowRenders(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 10)
	goOn := make(chan struct{})
	var reg prompts.Registry
	reg.MustAdd(prompts.Prompt{Name: "slow", Arguments: []prompts.Argument{{Name: "how"}}, Render: func(ctx context.Context, args map[string]string) (*prompts.Result, error) {
		if args["how"] == "in steps" {
			prompts.Progress(ctx, 1, 2, "read <one>")
			<-goOn
			prompts.Progress(ctx, 2, 2, "read two")
			return prompts.Messages(prompts.User("in two steps")), nil
		}
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return nil, ctx.Err()
	}}, echo("echo", "it goes on: "))
	serveFor := func(limit time.Duration) string {
		_, url := serve(t, &reg, prompts.Options{Timeouts: prompts.Timeouts{Render: limit}})
		return url
	}

	p := open(t, serveFor(300*time.Millisecond))
	p.find("slow", "slow")
	p.has(".failure", "The prompt failed")
	<-ended

	p = open(t, serveFor(time.Hour))
	p.find("slow", "slow")
	p.has(".waiting", "Cancel")
	p.typing("x\x1b")
	p.has(".failure", "Canceled")
	<-ended
	p.pressCtrl("a")
	p.typing("in steps")
	p.pressCtrl("\r")
	p.wait(`document.querySelector(".waiting").dataset.progress === "1"`)
	p.has(".waiting", "read <one>, 1 of 2")
	assert.Equal(t, []float64{1, 2}, eval[[]float64](p, `[document.querySelector("progress").value, document.querySelector("progress").max]`))
	close(goOn)
	p.has(".conversation", "in two steps")
	p.wait(`!document.querySelector(".waiting")`)

	p.pressCtrl("a")
	p.typing("\b")
	p.pressCtrl("\r")
	p.has(".waiting", "Cancel")
	p.find("echo", "echo") // which ends what was open
	<-ended
	p.typing("yes")
	p.pressCtrl("\r")
	p.has(".conversation", "it goes on: yes")
}

// leak is a prompt that quotes its sensitive argument in many ways.
var leak = prompts.Prompt{
	Name:      "leak",
	Arguments: []prompts.Argument{{Name: "token", Sensitive: true}},
	Render: func(_ context.Context, args map[string]string) (*prompts.Result, error) {
		token := args["token"]
		quoted, err := json.Marshal(map[string]string{"token": token})
		return prompts.Messages(prompts.User(strings.Join([]string{
			token, strings.ToUpper(token), url.QueryEscape(token), url.PathEscape(token), html.EscapeString(token), template.HTMLEscapeString(token), string(quoted), strconv.Quote(token),
		}, "\n"))), err
	},
}

// A link has the arguments of a prompt, but for sensitive ones, and renders nothing by
// itself. A page that is loaded again is as it was.
func TestLinks(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	reg.MustAdd(echo("a/b c?d#é", "you said "), leak)
	_, url := serve(t, &reg, prompts.Options{})
	p := open(t, url)
	p.find("a/b", "a/b c?d#é")
	p.typing("tea & <b>", "\r", "+1%", "\t", "sesame")
	p.pressCtrl("\r")
	p.has(".conversation", "you said tea & <b>")
	link := eval[string](p, `location.href`)
	assert.NotContains(t, link, "sesame")
	assert.Equal(t, "password", eval[string](p, `document.querySelector("[name=token]").type`))
	eval[bool](p, `document.querySelector("#tab-json").click(), true`)
	p.has("#panel", `"text": "tea & <b>`)
	assert.NotContains(t, p.text("#panel"), "sesame")
	assert.Contains(t, p.text("#panel"), `"token": "•••"`)

	other := open(t, link)
	other.wait(`document.querySelector("[name=text]")?.value === "tea & <b>\n+1%%"`)
	other.has(".pane", "render the prompt")
	assert.Empty(t, eval[string](other, `document.querySelector("[name=token]").value`))

	eval[bool](p, `document.documentElement.dataset.old = "true", setTimeout(() => location.reload()), true`)
	require.NoError(t, p.tab.Wait(`!document.documentElement.dataset.old && document.querySelector(".conversation")?.innerText.includes("you said tea")`))

	// Neither has the response a sensitive value, however the prompt quotes it.
	p.find("leak", "leak")
	p.typing(`open & "sesame"`)
	p.pressCtrl("\r")
	p.has(".conversation", "•••")
	assert.NotContains(t, strings.ToLower(p.text("#main")), "sesame")
	eval[bool](p, `document.querySelector("#tab-json").click(), true`)
	p.has("#panel", `"role": "user"`)
	assert.NotContains(t, strings.ToLower(p.text("#panel")), "sesame")

	other = open(t, url+"/#/%E0%A4%A")
	other.has("main", "There is no prompt")
}

// Of ten thousand prompts, all are found, and the page has few of them in it.
func TestManyPrompts(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1000, 10_000} {
		var reg prompts.Registry
		require.NoError(t, reg.Update(func(tx *prompts.Tx) error {
			for i := range n {
				p := echo(fmt.Sprintf("group-%d/prompt-%05d", i%100, i), "")
				p.Title, p.Description = fmt.Sprintf("Prompt number %d", i), "Does what a prompt does, with a text of usual length"
				if err := tx.Add(p); err != nil {
					return err
				}
			}
			return nil
		}))
		_, url := serve(t, &reg, prompts.Options{})
		p := open(t, url)
		first := eval[float64](p, `performance.getEntriesByName("first-prompts")[0].startTime`)
		all := eval[float64](p, `performance.getEntriesByName("all-prompts")[0].startTime`)
		t.Logf("%d prompts: interactive after %.0f ms, all of them after %.0f ms", n, first, all)
		p.typing("number 77 prompt-00077")
		p.has(".row.active", "Prompt number 77")
		assert.Less(t, eval[int](p, `document.querySelectorAll(".row").length`), 60)
		took := eval[float64](p, `(() => {
			const input = document.querySelector("#search"), started = performance.now(), texts = ["p", "pr", "pro", "prompt 9", "usual length", "group-7 number", "nothing", ""];
			for (const text of texts) { input.value = text; input.dispatchEvent(new Event("input")); document.querySelector("#list").getBoundingClientRect(); }
			return (performance.now() - started) / texts.length;
		})()`)
		t.Logf("%d prompts: %.1f ms for each key of a search", n, took)
		p.has("#count", "prompts")
		p.pressCtrl("k")
		p.typing("zzz")
		p.has("#count", "0 of ")
	}
}

// A server without live updates, schemas and completions is shown, too.
func TestPlainServer(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	reg.MustAdd(echo("echo", ""))
	srv := prompts.MustNewServer(&reg, prompts.Options{DisableListChanged: true, DisableCompletions: true})
	ts := httptest.NewServer(http.StripPrefix("/below", newHandler(t, srv, promptpreview.Options{})))
	t.Cleanup(func() { ts.CloseClientConnections(); ts.Close() })
	p := open(t, ts.URL+"/below/")
	p.allowed = []string{"Failed to load resource"} // subscriptions/listen
	p.find("echo", "echo")
	p.typing("tea")
	p.pressCtrl("\r")
	p.has(".conversation", "tea")
}

// An answer belongs to the arguments with which the prompt has asked, whatever is typed
// meanwhile. A change of the prompt leaves a question that is being answered, and
// gives the same answer again.
func TestAnswers(t *testing.T) {
	t.Parallel()
	render := func(prefix string) prompts.Prompt {
		p := echo("ask", "")
		p.Render = func(ctx context.Context, args map[string]string) (*prompts.Result, error) {
			r, err := prompts.Elicit[release](ctx, "release", "Which release?")
			if err != nil {
				return nil, err
			}
			return prompts.Messages(prompts.User(prefix + args["text"] + " " + r.Version)), nil
		}
		return p
	}
	var reg prompts.Registry
	reg.MustAdd(render("one: "))
	_, url := serve(t, &reg, prompts.Options{})
	set := func(prefix string) {
		require.NoError(t, reg.Update(func(tx *prompts.Tx) error { return tx.Set(render(prefix)) }))
	}
	p := open(t, url)
	p.find("ask", "ask")
	p.typing("tea")
	p.pressCtrl("\r")
	p.wait(`document.activeElement.name === "version"`)
	p.typing("3.")
	eval[bool](p, `document.querySelector("[name=text]").value = "coffee", document.querySelector("[name=text]").dispatchEvent(new Event("input", {bubbles: true})), true`)
	eval[bool](p, `window.field = document.activeElement, window.requests = performance.getEntriesByName(location.origin + "/mcp").length, true`)
	set("two: ")
	p.wait(`performance.getEntriesByName(location.origin + "/mcp").length >= requests + 2`)
	p.wait(`document.activeElement === field && field.isConnected && field.value === "3."`)
	p.typing("1")
	p.pressCtrl("\r")
	p.has(".conversation", "two: tea 3.1")
	p.has(".stale", "have changed")
	set("three: ")
	p.has(".conversation .changed-block", "three: tea 3.1")
}
