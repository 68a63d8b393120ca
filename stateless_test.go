package prompts_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// DSC-01…05, DSC-16, DSC-22, CCH-01…03, GAP-06: what server/discover says,
// before anything else has been said (DSC-08) and at any time after.
func TestDiscover(t *testing.T) {
	t.Parallel()
	const versions = `"supportedVersions":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"]`
	for _, test := range []struct {
		name    string
		options prompts.Options
		want    string
	}{
		{"defaults", prompts.Options{}, `{"resultType":"complete",` + versions + `,"capabilities":{"completions":{},"prompts":{"listChanged":true}},"ttlMs":0,"cacheScope":"private","_meta":{` + ownIdentity + `}}`},
		{"nothing optional", prompts.Options{DisableListChanged: true, DisableCompletions: true}, `{"resultType":"complete",` + versions + `,"capabilities":{"prompts":{}},"ttlMs":0,"cacheScope":"private","_meta":{` + ownIdentity + `}}`},
		{"everything", prompts.Options{
			Info:         prompts.Implementation{Name: "s", Version: "1", Title: "S", Description: "Serves", WebsiteURL: "https://example.org/", Icons: []prompts.Icon{{Src: "https://example.org/i.png"}}},
			Instructions: "Pick <one>.", CacheTTL: 90*time.Second + 999*time.Microsecond, CachePublic: true,
			Capabilities: map[string]any{"extensions": map[string]any{"org.example/x": struct{}{}}, "tools": struct{}{}},
		}, `{"resultType":"complete",` + versions + `,"capabilities":{"completions":{},"extensions":{"org.example/x":{}},"prompts":{"listChanged":true},"tools":{}},"instructions":"Pick <one>.","ttlMs":90000,"cacheScope":"public","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","title":"S","version":"1","description":"Serves","websiteUrl":"https://example.org/","icons":[{"src":"https://example.org/i.png"}]}}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := prompts.NewServer(nil, test.options)
			want := `{"jsonrpc":"2.0","id":1,"result":` + test.want + `}`
			fresh := s.NewSession(transport.SessionOptions{})
			defer fresh.Close()
			for _, session := range []transport.Session{nil, fresh, newSession(t, s)} {
				for _, members := range []string{"", `"other":1`} {
					got := answerTo(t, s, session, envelopedLine("1", "server/discover", members))
					assert.Equal(t, want, got)
				}
			}
		})
	}
}

// DSC-06…10, DSC-14, MET-08, LOG-09, GAP-02, GAP-05, GAP-41, CPT-04: the
// envelope is judged for each request, whatever its method and wherever it comes
// from, in the order of GAP-10.
func TestEnvelope(t *testing.T) {
	t.Parallel()
	const (
		version      = `"io.modelcontextprotocol/protocolVersion":`
		capabilities = `"io.modelcontextprotocol/clientCapabilities":`
		good         = version + `"2026-07-28",` + capabilities + `{}`
	)
	unsupported := func(requested string) string {
		return `"code":-32022,"message":"unsupported protocol version \"` + requested + `\" (supported: 2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05)","data":{"supported":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],"requested":"` + requested + `"}`
	}
	const older = `"code":-32022,"message":"unsupported protocol version \"2025-11-25\" (supported: 2026-07-28)","data":{"supported":["2026-07-28"],"requested":"2025-11-25"}`
	const invalid = `"code":-32602`
	s := prompts.NewServer(registryOf(textPrompt("text", "hi")), prompts.Options{})
	fresh := s.NewSession(transport.SessionOptions{})
	defer fresh.Close()
	sessions := []transport.Session{nil, fresh, newSession(t, s), sessionIn(t, s, "2024-11-05")}
	for _, test := range []struct{ meta, want string }{
		{good, `"result"`},
		{good + `,"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}`, `"result"`},
		{good + `,"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1","title":1,"x":null}`, `"result"`},
		{good + `,"io.modelcontextprotocol/clientInfo":null,"io.modelcontextprotocol/logLevel":null`, `"result"`},
		{good + `,"io.modelcontextprotocol/logLevel":"emergency"`, `"result"`},
		{good + `,"io.modelcontextprotocol/unknown":[],"org.example/x":{},"traceparent":"not one","baggage":7`, `"result"`},
		{version + `"2026-07-28",` + capabilities + `{"elicitation":1,"roots":null,"x":{}}`, `"result"`},
		{version + `"2026-07-28"`, invalid},
		{version + `"2026-07-28",` + capabilities + `null`, invalid},
		{version + `"2026-07-28",` + capabilities + `[]`, invalid},
		{version + `null,` + capabilities + `{}`, invalid},
		{version + `20260728,` + capabilities + `{}`, invalid},
		{version + `"2025-11-25",` + capabilities + `{}`, older},
		{version + `"2025-11-25"`, older}, // the version comes first
		{version + `"2027-01-01",` + capabilities + `{}`, unsupported("2027-01-01")},
		{version + `"",` + capabilities + `{}`, unsupported("")},
		{version + `"2026-07-28 "`, unsupported("2026-07-28 ")},
		{good + `,"io.modelcontextprotocol/clientInfo":{"name":"c"}`, invalid},
		{good + `,"io.modelcontextprotocol/clientInfo":{"name":"c","version":1}`, invalid},
		{good + `,"io.modelcontextprotocol/clientInfo":"c"`, invalid},
		{good + `,"io.modelcontextprotocol/logLevel":"loud"`, invalid},
		{good + `,"io.modelcontextprotocol/logLevel":3`, invalid},
		{good + `,"progressToken":1.5`, invalid},
	} {
		for _, method := range []string{"server/discover", "prompts/list", `prompts/get`, "completion/complete"} {
			for i, session := range sessions {
				got, err := handle(t, s, session, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{"name":"text",`+
					completeParamsOf("text", "a", "")+`,"_meta":{`+test.meta+`}}}`)
				require.NoError(t, err)
				if method == "completion/complete" && test.want == `"result"` {
					assert.Contains(t, got, "is not an argument of this prompt")
					continue
				}
				assert.Contains(t, got, test.want, "%s in session %d: %s", method, i, test.meta)
			}
		}
		// A method that there is not is found out after the envelope, and before
		// what is optional in it.
		for _, method := range []string{"no/such", "initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe", "tools/list"} {
			for _, session := range sessions {
				got := answerTo(t, s, session, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{"_meta":{`+test.meta+`}}}`)
				want := test.want
				if strings.HasPrefix(test.meta, good) || want == `"result"` {
					want = `"code":-32601`
				}
				assert.Contains(t, got, want, "%s: %s", method, test.meta)
			}
		}
	}
	got := answerTo(t, s, fresh, getLine("1", "text"))
	assert.Contains(t, got, "session not initialized: send initialize first", "a session is begun by initialize only")
}

// DSC-13, MET-10: who the client says that it is changes nothing.
func TestClientInfoChangesNothing(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(tagged(3), prompts.Options{Visible: ranked, Principal: func(context.Context) string { return "" }})
	for _, line := range []string{envelopedLine("1", "server/discover", ""), envelopedLine("1", "prompts/list", ""), envelopedGet("1", "p000")} {
		want := answerTo(t, s, nil, line)
		for _, name := range []string{"all", "few", "root"} {
			got := answerTo(t, s, nil, strings.Replace(line, `"_meta":{`, `"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"`+name+`","version":"1"},`, 1))
			assert.Equal(t, want, got)
		}
	}
}

// CCH-01…03, CCH-06, CCH-09, PRL-12: the hints for caches on lists, and on
// nothing but lists and server/discover (PRG-11).
func TestCacheHints(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		ttl    time.Duration
		public bool
		want   string
	}{
		{0, false, `"ttlMs":0,"cacheScope":"private"`},
		{time.Microsecond, true, `"ttlMs":0,"cacheScope":"public"`},
		{24 * time.Hour, true, `"ttlMs":86400000,"cacheScope":"public"`},
		{1<<63 - 1, false, fmt.Sprintf(`"ttlMs":%d,"cacheScope":"private"`, int64(1<<63-1)/1e6)},
	} {
		s := prompts.NewServer(tagged(3), prompts.Options{CacheTTL: test.ttl, CachePublic: test.public, PageSize: 2})
		for _, cursor := range []string{"", `"cursor":"` + cursorAfter("p001") + `"`} {
			got := answerTo(t, s, nil, envelopedLine("1", "prompts/list", cursor))
			assert.Contains(t, got, test.want)
		}
		got := answerTo(t, s, nil, envelopedGet("1", "p000"))
		assert.Equal(t, envelopedText("1", "hi"), got)
	}
	assert.ErrorContains(t, optionsError(prompts.Options{CacheTTL: -1}), "CacheTTL is negative")
	assert.ErrorContains(t, optionsError(prompts.Options{ChangeDelay: -1}), "ChangeDelay is negative")
}

// LOG-01, LOG-02, LOG-06, LOG-08: the server logs to its author, never to a client, even
// to one that asks for it.
func TestNothingIsLoggedToTheClient(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var j journal
		s := prompts.NewServer(registryOf(rendered("faulty", func(context.Context) (*prompts.Result, error) { return nil, errDisk })), prompts.Options{Logger: j.logger()})
		c := connect(t, s).handshake()
		for _, level := range []string{"", `"io.modelcontextprotocol/logLevel":"debug",`} {
			got := c.ask(strings.Replace(envelopedGet("1", "faulty"), `"_meta":{`, `"_meta":{`+level, 1))
			assert.Equal(t, []string{errorLine("1", prompts.CodeInternalError, renderFailed)}, got)
		}
		assert.Len(t, c.ask(getLine("1", "faulty")), 1)
		assert.Equal(t, 3, strings.Count(j.String(), "the disk is on fire"))
		assert.NotContains(t, c.ask(envelopedLine("2", "server/discover", ""))[0], "logging")
		require.NoError(t, c.end())
	})
}
