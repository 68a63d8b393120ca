package promptskills_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptskills"
	"github.com/mcp-prompts/prompts/prompttest"
	"github.com/mcp-prompts/prompts/transport"
)

// SKL-25: a client reads what its list names until it gets the list or the entry
// again, for as long as the registry retains it; other clients do not.
func TestReadsFollowTheList(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var reg promptskills.Registry
		version := func(n string) promptskills.Skill { return skill("a", "x", n) }
		require.NoError(t, reg.Add(version("1"), skill("b", "y", "1")))
		srv := newServer(&reg, promptskills.Options{})
		connect := func(version string) *prompttest.Client {
			return prompttest.Serve(t, srv, prompttest.ClientOptions{Version: version, Timeout: time.Hour})
		}
		one, two, three := connect(""), connect("2026-07-28"), connect("2025-11-25")
		call[listed](t, one, "skills/list", struct{}{})
		call[listed](t, two, "skills/list", struct{}{})
		require.NoError(t, reg.Set(version("2"), skill("b", "y", "2")))
		assert.Equal(t, "1", readText(t, one, "skill://a/x"))
		assert.Equal(t, "1", readText(t, two, "skill://a/x"))
		assert.Equal(t, "2", readText(t, three, "skill://a/x"), "which has no list")
		assert.Equal(t, sum("2"), call[struct{ Skill manifest }](t, one, "skills/get", uri{URI: "skill://a/SKILL.md"}).Skill.files(t)["skill://a/x"])
		assert.Equal(t, "2", readText(t, one, "skill://a/x"))
		assert.Equal(t, "1", readText(t, one, "skill://b/y"), "of which it has not asked for the entry")
		assert.Equal(t, "1", readText(t, two, "skill://a/x"))
		require.NoError(t, reg.Set(version("3")))
		assert.Equal(t, "2", readText(t, one, "skill://a/x"))
		call[listed](t, one, "skills/list", struct{}{})
		assert.Equal(t, "3", readText(t, one, "skill://a/x"))
		assert.Equal(t, "1", readText(t, two, "skill://a/x"))
		assert.True(t, reg.Remove("a"))
		assert.Equal(t, "3", readText(t, one, "skill://a/x"))
		// Past the time and not at it, when the order of two timers is open.
		time.Sleep(time.Minute + time.Second)
		_, err := one.Call("resources/read", uri{URI: "skill://a/x"})
		require.NotNil(t, err)
		assert.Equal(t, "2", readText(t, two, "skill://b/y"), "after the time of Retain")
		for _, c := range []*prompttest.Client{one, two, three} {
			c.Close()
		}
	})
}

// SKL-26, SUB-06: a client that has subscribed to a file hears of its
// changes, and reads the new content then.
func TestSubscriptionsToFiles(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2024-11-05", "2025-11-25"} {
		synctest.Test(t, func(t *testing.T) {
			var reg promptskills.Registry
			require.NoError(t, reg.Add(skill("a", "x", "1", "y", "1")))
			c := serve(t, &reg, version, promptskills.Options{})
			call[listed](t, c, "skills/list", struct{}{})
			for range 2 {
				call[struct{}](t, c, "resources/subscribe", uri{URI: "skill://a/x"})
			}
			refusal := refused(t, c, "resources/subscribe", uri{URI: "skill://a/none"})
			assert.Equal(t, transport.Code(-32002), refusal.Code)
			require.NoError(t, reg.Set(skill("a", "x", "1", "y", "2")))
			assert.Equal(t, `{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}`, c.Receive())
			require.NoError(t, reg.Set(skill("a", "x", "2", "y", "2")))
			assert.ElementsMatch(t, []string{
				`{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}`,
				`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"skill://a/x"}}`,
			}, []string{c.Receive(), c.Receive()})
			assert.Equal(t, "2", readText(t, c, "skill://a/x"))
			assert.Equal(t, "1", readText(t, c, "skill://a/y"))
			for range 2 {
				call[struct{}](t, c, "resources/unsubscribe", uri{URI: "skill://a/x"})
			}
			require.NoError(t, reg.Set(skill("a", "x", "3")))
			assert.Contains(t, c.Receive(), "list_changed")
			time.Sleep(time.Second)
			require.NoError(t, reg.Set(skill("a", "x", "4")))
			assert.Contains(t, c.Receive(), "list_changed")
			c.Close()
		})
	}
	synctest.Test(t, func(t *testing.T) {
		var reg promptskills.Registry
		require.NoError(t, reg.Add(skill("a", "x", "1")))
		c := serve(t, &reg, "2026-07-28", promptskills.Options{})
		refusal := refused(t, c, "resources/subscribe", uri{URI: "skill://a/x"})
		assert.Equal(t, prompts.CodeMethodNotFound, refusal.Code)
		c.Send(`{"jsonrpc":"2.0","id":"s","method":"subscriptions/listen","params":{"notifications":{"resourcesListChanged":true,"resourceSubscriptions":["skill://a/x","skill://a/none","skill://a/x"]},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`)
		const meta = `"_meta":{"io.modelcontextprotocol/subscriptionId":"s"}`
		assert.Equal(t, `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{`+meta+`,"notifications":{"resourcesListChanged":true,"resourceSubscriptions":["skill://a/x"]}}}`, c.Receive())
		assert.True(t, reg.Remove("a"))
		assert.ElementsMatch(t, []string{
			`{"jsonrpc":"2.0","method":"notifications/resources/list_changed","params":{` + meta + `}}`,
			`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{` + meta + `,"uri":"skill://a/x"}}`,
		}, []string{c.Receive(), c.Receive()})
		c.Send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"s"}}`)
		c.Close()
	})
}

// What is remembered of clients is bounded: one that is forgotten reads the
// current files.
func TestManyClients(t *testing.T) {
	t.Parallel()
	var reg promptskills.Registry
	require.NoError(t, reg.Add(skill("a", "x", "1")))
	srv := newServer(&reg, promptskills.Options{})
	handle := func(key, method, params string) string {
		var response string
		err := srv.Handle(t.Context(), fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`, method, params),
			transport.Exchange{ClientKey: key, Send: func(msg []byte, _ transport.Code, _ bool) error { response = string(msg); return nil }})
		require.NoError(t, err)
		return response
	}
	const readX = `"uri":"skill://a/x",`
	handle("first", "skills/list", "")
	handle("", "skills/list", "")
	require.NoError(t, reg.Set(skill("a", "x", "2")))
	assert.Contains(t, handle("first", "resources/read", readX), `"text":"1"`)
	assert.Contains(t, handle("", "resources/read", readX), `"text":"2"`, "a client that is not identified")
	for i := range 10_000 {
		handle(fmt.Sprint(i), "skills/list", "")
	}
	assert.Contains(t, handle("first", "resources/read", readX), `"text":"2"`)
	last := fmt.Sprint(9_999)
	require.NoError(t, reg.Set(skill("a", "x", "3")))
	assert.Contains(t, handle(last, "resources/read", readX), `"text":"2"`)
}

// A session has a bounded number of subscriptions to resources.
func TestManySubscriptions(t *testing.T) {
	t.Parallel()
	var skills []promptskills.Skill
	for i := range 3 {
		s := skill(fmt.Sprint("s", i))
		for j := range 400 {
			s.Files[fmt.Sprint(j)] = nil
		}
		skills = append(skills, s)
	}
	var reg promptskills.Registry
	require.NoError(t, reg.Add(skills...))
	c := serve(t, &reg, "2025-11-25", promptskills.Options{})
	n := 0
	for i := range skills {
		for j := range 400 {
			_, err := c.Call("resources/subscribe", uri{URI: fmt.Sprintf("skill://s%d/%d", i, j)})
			if e := (*prompts.Error)(nil); errors.As(err, &e) {
				assert.Equal(t, prompts.CodeInternalError, e.Code)
			} else {
				n++
			}
		}
	}
	assert.Equal(t, 1024, n)
	c = serve(t, &reg, "2026-07-28", promptskills.Options{})
	refusal := refused(t, c, "subscriptions/listen", map[string]any{"notifications": map[string]any{"resourceSubscriptions": make([]string, 1025)}})
	assert.Equal(t, prompts.CodeInvalidParams, refusal.Code)
}
