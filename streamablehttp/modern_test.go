package streamablehttp

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

const (
	versionMember      = `"io.modelcontextprotocol/protocolVersion":`
	capabilitiesMember = `"io.modelcontextprotocol/clientCapabilities":`
	goodMeta           = versionMember + `"2026-07-28",` + capabilitiesMember + `{}`
)

// HTN-04, HTN-13 to HTN-20, HTN-23, HTN-24, HTN-25, HTN-28, GAP-10, GAP-11,
// GAP-02, GAP-32, GAP-49, GAP-50: headers
// against the body, each in turn. Every row but the last of a group has, beside
// its own fault, all those that are to be found later.
func TestModernFaults(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	with := func(version, method, name string) header {
		return header{headerVersion: version, headerMethod: method, headerName: name}
	}
	body := func(method, params, meta string) string {
		return `{"jsonrpc":"2.0","id":"x","method":"` + method + `","params":{` + params + `"_meta":{` + meta + `}}}`
	}
	const get = `"name":"text",`
	good := with(modern, "prompts/get", "text")
	for _, test := range []struct {
		name   string
		body   string
		header header
		status int
		code   int
	}{
		{"not JSON", `{"jsonrpc"`, with("", "", ""), 400, -32700},
		{"not UTF-8", "{\"jsonrpc\":\"\xff\"}", good, 400, -32700},
		{"no message", `{"jsonrpc":"1.0","id":"x","method":"other","params":{}}`, with("", "", ""), 400, -32600},
		{"no object", `1`, good, 400, -32600},
		{"id null", `{"jsonrpc":"2.0","id":null,"method":"prompts/list"}`, good, 400, -32600},
		{"batch", `[` + body("prompts/get", get, goodMeta) + `]`, good, 400, -32600},
		{"response", `{"jsonrpc":"2.0","id":1,"result":{}}`, good, 400, -32600},
		{"version not in the body", body("other", "", capabilitiesMember+`{}`), with(modern, "", ""), 400, -32602},
		{"no meta", `{"jsonrpc":"2.0","id":"x","method":"prompts/list"}`, with(modern, "prompts/list", ""), 400, -32602},
		{"version a number", body("other", "", versionMember+`1`), with("v999", "", ""), 400, -32602},
		{"version not in the header", body("other", "", versionMember+`"v999"`), with("", "", ""), 400, -32020},
		{"version of another case", body("other", "", versionMember+`"v999"`), with("V999", "", ""), 400, -32020},
		{"another version in the header", body("other", "", versionMember+`"v999"`), with(modern, "", ""), 400, -32020},
		{"an old version in the header", body("prompts/get", get, goodMeta), good.with(headerVersion, "2025-11-25"), 400, -32020},
		{"two versions", body("prompts/get", get, goodMeta), good.with(headerVersion, modern+"|2025-11-25"), 400, -32020},
		{"unsupported version", body("other", "", versionMember+`"v999"`), with("v999", "", ""), 400, -32022},
		{"version of the other era", body("other", "", versionMember+`"2025-11-25"`), with("2025-11-25", "", ""), 400, -32022},
		{"no capabilities", body("other", "", versionMember+`"2026-07-28"`), with(modern, "", ""), 400, -32602},
		{"capabilities no object", body("other", "", versionMember+`"2026-07-28",`+capabilitiesMember+`[]`), with(modern, "", ""), 400, -32602},
		{"no method in the header", body("other", "", goodMeta), with(modern, "", ""), 400, -32020},
		{"another method", body("other", "", goodMeta), with(modern, "prompts/get", ""), 400, -32020},
		{"method in another case", body("prompts/get", get, goodMeta), good.with(headerMethod, "Prompts/Get"), 400, -32020},
		{"the method twice", body("prompts/get", get, goodMeta), good.with(headerMethod, "prompts/get|prompts/get"), 400, -32020},
		{"no name in the header", body("prompts/get", `"name":"no",`, goodMeta), with(modern, "prompts/get", ""), 400, -32020},
		{"another name", body("prompts/get", get, goodMeta), with(modern, "prompts/get", "Text"), 400, -32020},
		{"the name twice", body("prompts/get", get, goodMeta), good.with(headerName, "text|text"), 400, -32020},
		{"unknown method", body("other", "", goodMeta), with(modern, "other", ""), 404, -32601},
		{"a list of no tools", body("tools/list", "", goodMeta), with(modern, "tools/list", ""), 404, -32601},
		// GAP-51
		{"a list of no tools for Crush", body("tools/list", "", goodMeta+`,"io.modelcontextprotocol/clientInfo":{"name":"crush","version":"1"}`), with(modern, "tools/list", ""), 200, 0},
		{"ping", body("ping", "", goodMeta), with(modern, "ping", ""), 404, -32601},
		{"initialize", body("initialize", "", goodMeta), with(modern, "initialize", ""), 404, -32601},
		{"unknown prompt", body("prompts/get", `"name":"no",`, goodMeta), with(modern, "prompts/get", "no"), 200, -32602},
		{"no name", body("prompts/get", ``, goodMeta), with(modern, "prompts/get", "text"), 200, -32602},
		{"a name that is a number", body("prompts/get", `"name":1,`, goodMeta), with(modern, "prompts/get", ""), 200, -32602},
		{"bad cursor", body("prompts/list", `"cursor":"no",`, goodMeta), with(modern, "prompts/list", ""), 200, -32602},
		{"missing capability", body("prompts/get", `"name":"ask",`, goodMeta), with(modern, "prompts/get", "ask"), 400, -32021},
		{"nothing", body("prompts/get", get, goodMeta), good, 200, 0},
		{"nothing, the version twice", body("prompts/get", get, goodMeta), good.with(headerVersion, modern+"|"+modern), 200, 0},
		{"nothing, of a list with a name", body("prompts/list", "", goodMeta), with(modern, "prompts/list", "text|other"), 200, 0},
		{"nothing, with what other eras and tools have", body("prompts/get", get, goodMeta),
			good.with(headerSession, "unknown|twice", "Mcp-Param-X", "=?base64?", "Last-Event-Id", "1"), 200, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, accept := range []string{"application/json, text/event-stream", "text/event-stream"} {
				r := p.post(test.body, test.header.with("Accept", accept))
				assert.Equal(t, test.status, r.status, r.body)
				if test.status != 200 || strings.Contains(accept, "json") {
					assert.Equal(t, "application/json", r.header.Get("Content-Type"))
				} else {
					assert.Equal(t, "text/event-stream", r.header.Get("Content-Type"))
					r.body = strings.Join(r.events(), "")
				}
				assert.Equal(t, test.code, r.code(), r.body)
				assert.Empty(t, r.header.Values(headerSession))
				if test.code == -32020 {
					assert.Contains(t, r.body, `"id":"x"`)
				}
			}
		})
	}
}

// HTN-21, HTN-22: how a header may say a name.
func TestNameHeader(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	for _, test := range []struct {
		prompt, value string
		ok            bool
	}{
		{"text", "text", true},
		{"text", "=?base64?dGV4dA==?=", true},
		{"grüße", "=?base64?Z3LDvMOfZQ==?=", true},
		{"grüße", "grüße", true},
		{"grüße", "gr\xfc\xdfe", false},             // Latin-1
		{"grüße", "=?base64?Z3LDvMOfZQ?=", false},   // no padding
		{"grüße", "=?base64?Z3LDvMOfZR==?=", false}, // bits left over
		{"grüße", "=?base64?Z3LDvMOf ZQ==?=", false},
		{"grüße", "=?base64?Z3LDvMOfZQ==", false}, // literal
		{"grüße", "=?BASE64?Z3LDvMOfZQ==?=", false},
		{"grüße", "=?base64?Z3L832U=?=", false}, // not UTF-8
		{"text", "=?base64?dGV4dB==?=", false},
		{"text", "=?base64??=", false},
		{"text", "=?base64?=", false},
		{"text", "te\txt", false},
	} {
		t.Run(test.value, func(t *testing.T) {
			t.Parallel()
			body, mirror := modernGet(test.prompt)
			r := p.post(body, mirror.with(headerName, test.value))
			if test.ok {
				assert.Equal(t, http.StatusOK, r.status, r.body)
			} else {
				assert.Equal(t, http.StatusBadRequest, r.status, r.body)
				assert.Equal(t, -32020, r.code(), r.body)
			}
		})
	}
}

// HTN-05, HTN-07, HTN-29, GAP-31: what is not answered is accepted and dropped.
func TestModernNotification(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	body, mirror := modernGet("wait")
	s := p.open(http.MethodPost, body, mirror)
	await(t, p.started)
	for _, meta := range []string{"", `,"_meta":{` + goodMeta + `}`} {
		for _, h := range []header{{headerVersion: modern}, {headerVersion: modern, headerMethod: "notifications/cancelled"}} {
			r := p.post(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1%s}}`, meta), h)
			assert.Equal(t, http.StatusAccepted, r.status)
			assert.Empty(t, r.body)
		}
	}
	listen := p.open(http.MethodPost, modernBody("subscriptions/listen", `"notifications":{"promptsListChanged":true},`), modernHeader("subscriptions/listen", ""))
	assert.Contains(t, listen.next(), "acknowledged")
	p.change("a") // which is no business of the other stream
	assert.Contains(t, listen.next(), "list_changed")
	close(p.release)
	assert.Contains(t, s.next(), "notifications/progress")
	assert.Contains(t, s.next(), "released")
	s.end()
}

// HTN-06, HTN-09, PRO-09: a reply is one object, or events where
// something comes before it.
func TestModernReply(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	body, mirror := modernGet("text")
	r := p.post(body, mirror)
	assert.Equal(t, "application/json", r.header.Get("Content-Type"))
	assert.Contains(t, r.body, `"result"`)

	body, mirror = modernGet("progress")
	r = p.post(body, mirror)
	assert.Equal(t, "text/event-stream", r.header.Get("Content-Type"))
	assert.Equal(t, "no", r.header.Get("X-Accel-Buffering")) // HTN-10
	all := r.events()
	if assert.Len(t, all, 2, r.body) {
		assert.Contains(t, all[0], `"method":"notifications/progress"`)
		assert.Contains(t, all[1], `"result"`)
	}
	assert.NotContains(t, r.body, "\nid:") // HTN-11

	r = p.post(body, mirror.with("Accept", "application/json"))
	assert.Equal(t, "application/json", r.header.Get("Content-Type"))
	assert.Contains(t, r.body, `"done"`)
}
