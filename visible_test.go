package prompts_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/transport"
)

// rank is who a client is, in its context.
type rank struct{}

// ranked shows a prompt to whoever has one of its tags as a rank.
func ranked(ctx context.Context, p prompts.Prompt) (bool, error) {
	mine, _ := ctx.Value(rank{}).(string)
	return slices.Contains(p.Tags, mine), nil
}

// tagged declares n prompts of which each third is for "few", all for "all".
func tagged(n int) *prompts.Registry {
	reg := new(prompts.Registry)
	for i := range n {
		p := servertest.TextPrompt(fmt.Sprintf("p%03d", i), "hi")
		p.Tags = []string{"all"}
		if i%3 == 1 {
			p.Tags = append(p.Tags, "few")
		}
		reg.MustAdd(p)
	}
	return reg
}

// CCH-05, CCH-07, CCH-08, PRL-04: what depends on who asks is private, whatever the
// author has said; and no client's list or cursor is a way to what another may
// not get.
func TestVisibleForcesPrivate(t *testing.T) {
	t.Parallel()
	for _, public := range []bool{false, true} {
		for _, filter := range []func(context.Context, prompts.Prompt) (bool, error){nil, ranked} {
			s := prompts.MustNewServer(tagged(9), prompts.Options{PageSize: 4, ClientCache: feature.ClientCache{TTL: 1500 * time.Millisecond, Public: public}, Visible: filter})
			want := "private"
			if public && filter == nil {
				want = "public"
			}
			page := pageOf(t, s, "all", "2026-07-28", "")
			for page.Next != nil {
				assert.Equal(t, want, page.Scope)
				require.NotNil(t, page.TTL)
				assert.Equal(t, 1500, *page.TTL)
				page = pageOf(t, s, "all", "2026-07-28", *page.Next)
			}
			assert.Equal(t, want, page.Scope, "the last page too")
			got := servertest.AnswerTo(t, s, nil, servertest.EnvelopedLine("1", "server/discover", ""))
			assert.Contains(t, got, `"ttlMs":1500,"cacheScope":"`+want+`"`)
		}
	}
	s := prompts.MustNewServer(tagged(9), prompts.Options{Visible: ranked})
	assert.Len(t, pageOf(t, s, "few", "2025-11-25", servertest.CursorAfter("p003")).Prompts, 2, "a cursor of another client is only a position")
	session := servertest.NewSession(t, s)
	for _, who := range []string{"all", "few", "all", "few"} { // on one connection, in turns
		ctx := context.WithValue(t.Context(), rank{}, who)
		for _, request := range []func(id, name string) string{servertest.GetLine, servertest.EnvelopedGet} {
			r := &servertest.Recorder{T: t}
			require.NoError(t, session.Handle(ctx, r.Hear(session, request("1", "p000")), transport.Exchange{Send: r.Send}))
			assert.Equal(t, who == "few", strings.Contains(r.Messages[0].Msg, "unknown prompt"), who)
		}
		for _, line := range []string{servertest.EnvelopedLine("1", "prompts/list", ""), `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`} {
			r := &servertest.Recorder{T: t}
			require.NoError(t, session.Handle(ctx, r.Hear(session, line), transport.Exchange{Send: r.Send}))
			assert.Equal(t, who == "few", !strings.Contains(r.Messages[0].Msg, "p000"), who)
		}
	}
}

// The function sees the prompt as it was declared, Tags and all.
func TestVisibleSeesThePrompt(t *testing.T) {
	t.Parallel()
	p := prompts.New(prompts.Prompt{Name: "p", Title: "P", Description: "What it is", Tags: []string{"x", "y"}, Meta: prompts.Meta{"k": "v"}},
		func(context.Context, struct {
			A string `json:"a"`
		}) (*prompts.Result, error) {
			return prompts.Messages(), nil
		})
	var seen []prompts.Prompt
	s := prompts.MustNewServer(servertest.RegistryOf(p), prompts.Options{Visible: func(_ context.Context, p prompts.Prompt) (bool, error) {
		seen = append(seen, p)
		return true, nil
	}})
	for _, method := range s.Methods() {
		_, _ = s.Call(t.Context(), method, []byte(`{"name":"p","arguments":{"a":"x"},`+servertest.CompleteParamsOf("p", "a", "")+`}`), prompts.CallOptions{Version: "2025-11-25"})
	}
	require.Len(t, seen, 3, "once for each of get, list and complete")
	for _, p := range seen {
		assert.Equal(t, "p", p.Name)
		assert.Equal(t, "P", p.Title)
		assert.Equal(t, "What it is", p.Description)
		assert.Equal(t, []string{"x", "y"}, p.Tags)
		assert.Equal(t, prompts.Meta{"k": "v"}, p.Meta)
		require.Len(t, p.Arguments, 1)
		assert.Equal(t, "a", p.Arguments[0].Name)
		assert.True(t, p.Arguments[0].Required)
	}
}

// A Visible that takes too long fails the request, as one that panics does (see
// TestErrorIDs): there is no partial list.
func TestVisibleFails(t *testing.T) {
	lines := []string{plainList, servertest.GetLine("1", "p001"), servertest.CompleteLine("1", "p001", "a", "")}
	servertest.Bubble(t, func(t *testing.T) {
		calls := 0
		s := prompts.MustNewServer(tagged(100), prompts.Options{Visible: func(context.Context, prompts.Prompt) (bool, error) {
			calls++
			time.Sleep(time.Minute)
			return true, nil
		}})
		c := servertest.Connect(t, s).Handshake()
		for _, line := range lines {
			assert.Empty(t, c.Ask(line))
			assert.Equal(t, []string{servertest.PongLine("2")}, c.Ask(servertest.PingLine("2")), "a ping does not wait")
			time.Sleep(servertest.DefaultRenderTimeout)
			assert.Equal(t, []string{servertest.ErrorLine("1", prompts.CodeInternalError, servertest.TimeoutOf(line))}, c.Received())
		}
		assert.Empty(t, c.Ask(plainList))
		assert.Empty(t, c.Ask(servertest.CancelLine("1")))
		time.Sleep(time.Hour)
		assert.Empty(t, c.Received())
		assert.Equal(t, len(lines)+1, calls, "the rest of a list is not filtered for a request that has ended")
		require.NoError(t, c.End())
		servertest.AssertNoTrace(t, s)
	})
}

// PRG-13, SEC-01: a state lets nobody in. Who may not know of the prompt any
// more when the answer comes gets what anybody else would.
func TestPromptIsHiddenBetweenTheRounds(t *testing.T) {
	t.Parallel()
	var isHidden atomic.Bool
	s := prompts.MustNewServer(servertest.RegistryOf(servertest.Asking("paint")), prompts.Options{Visible: func(context.Context, prompts.Prompt) (bool, error) { return !isHidden.Load(), nil }})
	r := servertest.NewRounds(t, s, "paint")
	r.Get("").Wants(t, "colour")
	isHidden.Store(true)
	r.Get(`{"colour":`+servertest.Red+`}`).Fails(t, prompts.CodeInvalidParams, `unknown prompt "paint"`)
	isHidden.Store(false)
	assert.Equal(t, "red", r.Get(`{"colour":`+servertest.Red+`}`).Text(t))
}

// PRG-13, SEC-01: nor does a server that is busy tell them apart: for both
// there is a turn to wait for, or no room.
func TestHiddenPromptOfABusyServer(t *testing.T) {
	for _, name := range []string{"hidden", "no-one"} {
		servertest.InBubble(t, name, func(t *testing.T) {
			w := servertest.NewWaiter()
			s := prompts.MustNewServer(servertest.RegistryOf(w.Prompt("wait"), servertest.Asking("hidden")), prompts.Options{
				Limits: prompts.Limits{MaxConcurrent: 1}, Visible: func(_ context.Context, p prompts.Prompt) (bool, error) { return p.Name != "hidden", nil },
			})
			get := servertest.GetLine("2", name)
			complete := `{"jsonrpc":"2.0","id":3,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"` + name + `"},"argument":{"name":"x","value":""}}}`
			c := servertest.Connect(t, s).Handshake()
			assert.Empty(t, c.Ask(servertest.GetLine("1", "wait")))
			assert.Empty(t, c.Ask(get), "it waits for its turn")
			c.Send(complete)
			time.Sleep(50 * time.Millisecond)
			assert.Equal(t, []string{servertest.ErrorLine("3", prompts.CodeInternalError, servertest.Busy().Message)}, c.Received())
			w.Let <- struct{}{}
			synctest.Wait()
			got := c.Received()
			require.Len(t, got, 2)
			slices.Sort(got) // a request whose turn comes may be answered before the one that makes room
			servertest.ReadOutcome(t, got[1]).Fails(t, prompts.CodeInvalidParams, `unknown prompt "`+name+`"`)
			got = c.Ask(complete)
			require.Len(t, got, 1)
			servertest.ReadOutcome(t, got[0]).Fails(t, prompts.CodeInvalidParams, `unknown prompt "`+name+`"`)
		})
	}
}

// responseFor returns the response to one stateless request of a client of a rank.
func responseFor(t testing.TB, s *prompts.Server, who, method, members string) string {
	t.Helper()
	r := &servertest.Recorder{T: t}
	ctx := context.WithValue(t.Context(), rank{}, who)
	require.NoError(t, s.Handle(ctx, r.Hear(nil, servertest.EnvelopedLine("1", method, members)), transport.Exchange{Send: r.Send}))
	require.Len(t, r.Messages, 1)
	return r.Messages[0].Msg
}

// membersOf returns the params of a request for a prompt, by method.
func membersOf(name string) map[string]string {
	return map[string]string{
		"prompts/get":         fmt.Sprintf(`"name":%q`, name),
		"completion/complete": fmt.Sprintf(`"ref":{"type":"ref/prompt","name":%q},"argument":{"name":"a","value":""}`, name),
	}
}

// PRG-02, CMP-08: the error of an unknown prompt suggests the visible prompt with the closest
// name.
func TestUnknownPromptSuggestsANearOne(t *testing.T) {
	t.Parallel()
	reg := new(prompts.Registry)
	for _, name := range []string{"code_review", "greet", "list_files", "list_filters", "sum,s"} {
		reg.MustAdd(servertest.TextPrompt(name, "hi"))
	}
	for _, middleware := range []func(prompts.Handler) prompts.Handler{nil, servertest.Passing} {
		s := prompts.MustNewServer(reg, prompts.Options{Middleware: middleware})
		for name, want := range map[string]string{
			"code_reviw": "code_review", "Code-Review": "code_review", "ogde_review": "code_review", "greet ": "greet", "code": "code_review", "sums": "sum,s",
			"list_fil": "", "nothing": "", "": "",
		} {
			e := servertest.UnknownPrompt(name)
			if want != "" {
				e.Message += fmt.Sprintf("; did you mean %q?", want)
				e.Data = map[string]string{"prompt": name, "suggestion": want}
			}
			for method, members := range membersOf(name) {
				assert.Equal(t, servertest.ErrorResponse("1", e), responseFor(t, s, "", method, members))
			}
		}
		long := membersOf(strings.Repeat("code_review", 100))["prompts/get"]
		assert.NotContains(t, responseFor(t, s, "", "prompts/get", long), "did you mean")
	}
}

// PRG-02, CMP-08: the response for an unknown or hidden prompt is the same with and without
// other hidden prompts, however near their names and however many they are.
func TestHiddenPromptsChangeNoSuggestion(t *testing.T) {
	t.Parallel()
	declare := func(reg *prompts.Registry, tag string, names ...string) {
		for _, name := range names {
			p := servertest.TextPrompt(name, "hi")
			p.Tags = []string{tag}
			reg.MustAdd(p)
		}
	}
	visible := []string{"code_review", "greet", "zebra"}
	few, many := new(prompts.Registry), new(prompts.Registry)
	declare(few, "open", visible...)
	declare(many, "open", visible...)
	declare(many, "canary", "code_reviw", "code_revieu", "code_reviews", "great", "greed", "gree", "zebras", "zebra1")
	for i := range servertest.MaxSearched {
		declare(many, "canary", fmt.Sprintf("a%06d", i))
	}
	for _, middleware := range []func(prompts.Handler) prompts.Handler{nil, servertest.Passing} {
		o := prompts.Options{Visible: ranked, Middleware: middleware}
		a, b := prompts.MustNewServer(few, o), prompts.MustNewServer(many, o)
		suggested := 0
		for _, name := range []string{"code_reviw", "code_revie", "greed", "gret", "gree", "zebr", "zebras", "zebrax", "a000001", "nothing"} {
			for method, members := range membersOf(name) {
				want := responseFor(t, a, "open", method, members)
				assert.Equal(t, want, responseFor(t, b, "open", method, members), "%s %s", method, name)
				if strings.Contains(want, "suggestion") {
					suggested++
				}
			}
		}
		assert.Equal(t, 16, suggested)
	}
}

// Only so many prompts are compared with an unknown name.
func TestSuggestionsAreBounded(t *testing.T) {
	t.Parallel()
	reg := new(prompts.Registry)
	require.NoError(t, reg.Update(func(tx *prompts.Tx) error {
		for i := range servertest.MaxSearched - 1 {
			require.NoError(t, tx.Add(servertest.TextPrompt(fmt.Sprintf("a%06d", i), "hi")))
		}
		return tx.Add(servertest.TextPrompt("greet", "hi"))
	}))
	s := prompts.MustNewServer(reg, prompts.Options{})
	members := membersOf("gret")["prompts/get"]
	assert.Contains(t, responseFor(t, s, "", "prompts/get", members), `"suggestion":"greet"`)
	reg.MustAdd(servertest.TextPrompt("b", "hi"))
	assert.NotContains(t, responseFor(t, s, "", "prompts/get", members), "suggestion")
}

// With a filter, an unknown name is compared with all prompts, so few names a second are.
func TestSearchesAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reg := new(prompts.Registry)
		reg.MustAdd(servertest.TextPrompt("greet", "hi"))
		s := prompts.MustNewServer(reg, prompts.Options{Visible: func(context.Context, prompts.Prompt) (bool, error) { return true, nil }})
		suggested := func() int {
			n := 0
			for range 100 {
				if strings.Contains(responseFor(t, s, "", "prompts/get", membersOf("gret")["prompts/get"]), `"suggestion":"greet"`) {
					n++
				}
			}
			return n
		}
		assert.Equal(t, 40, suggested())
		time.Sleep(time.Second)
		assert.Equal(t, 20, suggested())
	})
}

// DSC-13, MET-10: who the client says that it is gives no permission. It changes nothing
// but placeholders and content for the clients that drop the latter.
func TestClientInfoChangesNothing(t *testing.T) {
	t.Parallel()
	s := prompts.MustNewServer(tagged(3), prompts.Options{Visible: ranked, Principal: func(context.Context) (string, error) { return "", nil }})
	for _, line := range []string{servertest.EnvelopedLine("1", "server/discover", ""), servertest.EnvelopedLine("1", "prompts/list", ""), servertest.EnvelopedGet("1", "p000")} {
		want := servertest.AnswerTo(t, s, nil, line)
		for _, name := range []string{"all", "few", "root", "opencode"} {
			got := servertest.AnswerTo(t, s, nil, strings.Replace(line, `"_meta":{`, `"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"`+name+`","version":"1"},`, 1))
			assert.Equal(t, want, got)
		}
	}
}
