package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"
)

// httpMistake is a request that is refused, and how.
type httpMistake struct {
	name   string
	method string // POST if it is empty
	text   string
	header http.Header // in place of what it would be; no value removes it
	status int
	code   int // 0 where the reply is no message
}

// mirrored are the headers of a stateless request.
func mirrored(method, name string, more ...string) http.Header {
	h := http.Header{headerVersion: {modern}, headerMethod: {method}, headerSession: nil}
	if name != "" {
		h[headerName] = []string{name}
	}
	for i := 0; i < len(more); i += 2 {
		h[more[i]] = nil
		if more[i+1] != "" {
			h[more[i]] = strings.Split(more[i+1], "|")
		}
	}
	return h
}

func headerOf(pairs ...string) http.Header {
	h := mirrored("", "", pairs...)
	for _, name := range []string{headerVersion, headerMethod, headerSession} {
		isGiven := false
		for i := 0; i < len(pairs); i += 2 {
			isGiven = isGiven || pairs[i] == name
		}
		if !isGiven {
			delete(h, name)
		}
	}
	return h
}

func stateless(method, params string) string {
	if params != "" {
		params += ","
	}
	return strings.Replace(call1(method, params+modernMeta), "%s", "1", 1)
}

// httpMistakes are for a client that has a session of revision 2025-11-25.
var httpMistakes = []httpMistake{
	{"no session", "", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, headerOf(headerSession, ""), 400, codeRequest},
	{"no such session", "", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, headerOf(headerSession, "nothing"), 404, codeRequest},
	{"two sessions", "", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, headerOf(headerSession, "a|a"), 400, codeHeader},
	{"another's session", "", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, headerOf(headerPrincipal, "bad-0"), 404, codeRequest},
	{"DELETE of another's session", "DELETE", "", headerOf(headerPrincipal, "bad-0"), 404, 0},
	{"DELETE of no session", "DELETE", "", headerOf(headerSession, ""), 400, 0},
	{"GET of no session", "GET", "", headerOf(headerSession, ""), 400, 0},
	{"GET of another's session", "GET", "", headerOf(headerPrincipal, "bad-0"), 404, 0},
	{"GET without events", "GET", "", headerOf("Accept", "application/json"), 406, 0},
	{"PUT", "PUT", `{}`, nil, 405, 0},
	{"an unsupported version", "", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, headerOf(headerVersion, "1999-01-01"), 400, codeRequest},
	{"another type", "", `{}`, headerOf("Content-Type", "text/plain"), 415, 0},
	{"a coding", "", `{}`, headerOf("Content-Encoding", "gzip"), 415, 0},
	{"nothing is accepted", "", `{}`, headerOf("Accept", "text/html"), 406, 0},
	{"a foreign origin", "", `{}`, headerOf("Origin", "https://evil.example.org"), 403, 0},
	{"no body", "", " ", nil, 400, codeParse},
	{"half a message", "", `{"jsonrpc":"2.0",`, nil, 400, codeParse},
	{"a duplicate key", "", `{"jsonrpc":"2.0","id":1,"id":1,"method":"ping"}`, nil, 400, codeRequest},
	{"a batch", "", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, nil, 400, codeRequest},
	{"too large a message", "", strings.Repeat(" ", mostBytes+1), nil, 413, 0},
	{"an unknown prompt", "", `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"never"}}`, nil, 200, codeParams},
	{"a bad cursor", "", `{"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{"cursor":"AAAA"}}`, nil, 200, codeParams},
	{"an unknown method", "", `{"jsonrpc":"2.0","id":1,"method":"no/such"}`, nil, 200, codeNoMethod},

	{"stateless: no version in the header", "", stateless(methodList, ""), mirrored(methodList, "", headerVersion, ""), 400, codeHeader},
	{"stateless: another version in the header", "", stateless(methodList, ""), mirrored(methodList, "", headerVersion, "2025-11-25"), 400, codeHeader},
	{"stateless: no method in the header", "", stateless(methodList, ""), mirrored(methodList, "", headerMethod, ""), 400, codeHeader},
	{"stateless: another method in the header", "", stateless(methodList, ""), mirrored(methodGet, ""), 400, codeHeader},
	{"stateless: no name in the header", "", stateless(methodGet, `"name":"stay-000"`), mirrored(methodGet, ""), 400, codeHeader},
	{"stateless: another name in the header", "", stateless(methodGet, `"name":"stay-000"`), mirrored(methodGet, "stay-001"), 400, codeHeader},
	{"stateless: a bad name in the header", "", stateless(methodGet, `"name":"stay-000"`), mirrored(methodGet, "=?base64?x?="), 400, codeHeader},
	{"stateless: an unknown version", "", strings.Replace(stateless(methodList, ""), modern, "2099-01-01", 1), mirrored(methodList, "", headerVersion, "2099-01-01"), 400, codeUnsupported},
	{"stateless: no envelope", "", `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`, mirrored(methodList, ""), 400, codeParams},
	{"stateless: an unknown method", "", stateless("no/such", ""), mirrored("no/such", ""), 404, codeNoMethod},
	{"stateless: an unknown prompt", "", stateless(methodGet, `"name":"never"`), mirrored(methodGet, "never"), 200, codeParams},
	{"stateless: a hidden prompt", "", stateless(methodGet, `"name":"even-000"`), mirrored(methodGet, "even-000"), 200, codeParams},
	{"stateless: a missing argument", "", stateless(methodGet, `"name":"stay-000"`), mirrored(methodGet, "stay-000"), 200, codeParams},
	{"stateless: state that is not ours", "", stateless(methodGet, `"name":"stay-000","requestState":"AAAA"`), mirrored(methodGet, "stay-000"), 200, codeParams},
	{"stateless: who cannot be asked", "", stateless(methodGet, `"name":"do-ask","arguments":{"topic":"x"}`), mirrored(methodGet, "do-ask"), 400, codeCapability},
}

const codeCapability = -32021

// runBadHTTP is the life of a client that makes mistakes over HTTP.
func (p *place) runBadHTTP(ctx context.Context, number int) {
	r := rand.New(rand.NewPCG(p.options.seed, uint64(number)))
	who := principalName("bad", 2*number+1)
	client := newHTTPClient(p.options)
	client.Timeout = p.options.patience
	defer client.CloseIdleConnections()
	for ctx.Err() == nil {
		session, err := p.initialize(context.Background(), client, who)
		if err != nil {
			p.rec.fault(who, "initialize: %v", err)
			return
		}
		for n := 30; n > 0 && ctx.Err() == nil; n-- {
			time.Sleep(time.Duration(r.IntN(4)) * time.Millisecond)
			if r.IntN(15) == 0 {
				p.floodCompletions(client, who, session)
			} else {
				p.makeHTTP(client, who, session, httpMistakes[r.IntN(len(httpMistakes))])
			}
		}
		q := p.build(context.Background(), http.MethodDelete, who, nil)
		q.Header.Set(headerSession, session)
		if status, _, err := do(client, q); status != http.StatusNoContent {
			p.rec.fault(who, "DELETE: status %d: %v", status, err)
		}
	}
}

// initialize opens a session and returns its id.
func (p *place) initialize(ctx context.Context, client *http.Client, who string) (string, error) {
	p.rec.sent("initialize", "2025-11-25")
	response, err := client.Do(p.build(ctx, http.MethodPost, who, requestText("0", "initialize", initializeParams("2025-11-25"))))
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	id := response.Header.Get(headerSession)
	if id == "" {
		return "", fmt.Errorf("status %d without a session", response.StatusCode)
	}
	return id, nil
}

func (p *place) makeHTTP(client *http.Client, who, session string, m httpMistake) {
	p.rec.sent("a mistake", "HTTP")
	method, body := m.method, []byte(m.text)
	if method == "" {
		method = http.MethodPost
	}
	if m.text == "" {
		body = nil
	}
	q := p.build(context.Background(), method, who, body)
	q.Header.Set(headerSession, session)
	for name, values := range m.header {
		if q.Header[name] = values; values == nil {
			delete(q.Header, name)
		}
	}
	status, reply, err := do(client, q)
	if err != nil || status != m.status {
		p.rec.fault(who, "%s: status %d instead of %d: %v: %.200s", m.name, status, m.status, err, reply)
		return
	}
	p.rec.answered(fmt.Sprint("status ", status))
	got := messageOf(reply)
	switch {
	case (got == nil) != (m.code == 0):
		p.rec.fault(who, "%s: %.200s", m.name, reply)
	case got != nil:
		checkMistake(p.rec, who, mistake{m.name, m.text, m.code, !strings.Contains(m.text, `"id":1,"method"`) || strings.HasPrefix(m.text, "[") || strings.Contains(m.text, `"id":1,"id"`)}, "1", got)
	}
}

// floodCompletions asks for more than the rate of completions has room for.
// Each gets its result, or is told how long to wait.
func (p *place) floodCompletions(client *http.Client, who, session string) {
	for range 3 * completionRate {
		p.rec.sent(methodComplete+" in a flood", "HTTP")
		q := p.build(context.Background(), http.MethodPost, who, requestText("1", methodComplete, refTo(stayName(formSuggest), "city", "city-a")))
		q.Header.Set(headerSession, session)
		status, reply, err := do(client, q)
		got := messageOf(reply)
		switch {
		case err != nil || status != http.StatusOK || got == nil:
			p.rec.fault(who, "a flood of completions: status %d: %v: %.200s", status, err, reply)
			return
		case got.Error == nil:
			p.rec.answered("result in a flood")
		case got.Error.Code == codeInternal && strings.Contains(string(got.Error.Data), "retryAfterMs"):
			p.rec.answered("over the rate")
			return
		default:
			p.rec.fault(who, "a flood of completions: %v", got.Error)
			return
		}
	}
}
