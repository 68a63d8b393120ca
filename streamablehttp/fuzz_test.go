package streamablehttp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// What a kind of a request in FuzzHTTP says, beside its text.
const (
	kindVersion     = 3      // the version of the session that there is, plus:
	kindNoSession   = 1 << 2 // there is none
	kindLoopback    = 1 << 3 // it comes to a loopback address
	kindNoSessions  = 1 << 4 // Options.DisableSessions
	kindOrigins     = 1 << 5 // Options.AllowedOrigins
	kindNoHost      = 1 << 6 // no Host is added
	kindNoLength    = 1 << 7 // no Content-Length is added
	sessionInHeader = "$SESSION"
)

var fuzzVersions = []string{"2025-03-26", "2025-06-18", "2025-11-25", "2025-11-25"}

// FuzzHTTP sends one request, as its bytes are, and whatever else these turn
// out to be. It holds the replies against what net/http and encoding/json make
// of the request.
func FuzzHTTP(f *testing.F) {
	addRequests(f)
	registry := fuzzPrompts()
	f.Fuzz(func(t *testing.T, kind byte, line, headers string, body []byte) {
		if len(line)+len(headers)+len(body) > 2*smallBody {
			return
		}
		synctest.Test(t, func(t *testing.T) { holdRequest(t, registry, kind, line, headers, body) })
	})
}

func fuzzPrompts() *prompts.Registry {
	r := new(prompts.Registry)
	say := func(text string) (*prompts.Result, error) { return prompts.Messages(prompts.User(text)), nil }
	for name, render := range map[string]prompts.RenderFunc{
		"text":  func(context.Context, map[string]string) (*prompts.Result, error) { return say("hi") },
		"grüße": func(context.Context, map[string]string) (*prompts.Result, error) { return say("hallo") },
		"progress": func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
			prompts.Progress(ctx, 1, 2, "half")
			return say("done")
		},
		"nap": func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
			select {
			case <-time.After(time.Second):
				return say("rested")
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		},
		"ask": func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
			a, err := prompts.Elicit[answer](ctx, "name", "Who?")
			if err != nil {
				return nil, err
			}
			return say("hello " + a.Name)
		},
		"panic": func(context.Context, map[string]string) (*prompts.Result, error) { panic("a secret") },
	} {
		r.MustAdd(prompts.Prompt{Name: name, Render: render})
	}
	return r
}

// addRequests adds what clients say in the golden sessions, and what is
// peculiar to HTTP.
func addRequests(f *testing.F) {
	const both = "Accept: application/json, text/event-stream\n"
	const plain = "Content-Type: application/json\n" + both
	inSession := plain + headerSession + ": " + sessionInHeader + "\n"
	files, err := filepath.Glob("../testdata/sessions/*.txt")
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for i, file := range files {
		raw, err := os.ReadFile(file)
		require.NoError(f, err)
		for n, line := range strings.Split(string(raw), "\n") {
			msg, ok := strings.CutPrefix(line, "C> ")
			if !ok || n%4 != 0 { // a part of them will do
				continue
			}
			headers := inSession
			if m := readMessage([]byte(msg)); m.stateless {
				headers = plain + headerVersion + ": " + m.version + "\n" + headerMethod + ": " + m.method + "\n" + headerName + ": " + m.name + "\n"
			}
			f.Add(byte(i%4), "POST /", headers, []byte(msg))
		}
	}
	get, mirror := modernGet("text")
	modernOf := func(name string) string {
		return plain + headerVersion + ": " + modern + "\n" + headerMethod + ": prompts/get\n" + headerName + ": " + name + "\n"
	}
	listen := modernBody("subscriptions/listen", listenAll)
	for _, seed := range []struct {
		kind          byte
		line, headers string
		body          string
	}{
		{0, "GET /", both + headerSession + ": " + sessionInHeader + "\n", ""},
		{0, "DELETE /", headerSession + ": " + sessionInHeader + "\n", ""},
		{0, "DELETE /", headerSession + ": none\n", ""},
		{0, "OPTIONS /", "", ""}, {0, "OPTIONS *", "", ""}, {0, "PUT /a?b", inSession, get},
		{kindOrigins, "OPTIONS /", "Origin: https://a.example.org\nAccess-Control-Request-Method: POST\n", ""},
		{kindOrigins, "POST /", modernOf("text") + "Origin: https://a.example.org\n", get},
		{kindOrigins, "POST /", modernOf("text") + "Origin: https://b.example.org\n", get},
		{kindLoopback, "POST /", modernOf("text") + "Origin: http://127.0.0.1:80\n", get},
		{kindLoopback | kindNoHost, "POST /", modernOf("text") + "Host: evil.example.org\n", get},
		{kindNoHost, "POST /", modernOf("text"), get}, {kindNoHost, "POST http://a/b", modernOf("text") + "Host: c\n", get},
		{0, "POST /", modernOf("text"), get}, {0, "POST /", modernOf("=?base64?dGV4dA==?="), get},
		{0, "POST /", modernOf("=?base64?dGV4dB==?="), get}, {0, "POST /", modernOf("other"), get},
		{0, "POST /", modernOf("text") + headerName + ": text\n", get}, {0, "POST /", modernOf("text") + headerVersion + ": " + modern + "\n", get},
		{0, "POST /", strings.Replace(modernOf("text"), modern, modern+", "+modern, 1), get}, {kindNoSession, "POST /", modernOf("text"), initializeBody("2025-06-18")},
		{0, "POST /", mirror[headerVersion], get},
		{0, "POST /", strings.Replace(modernOf("text"), "get", "list", 1), get},
		{0, "POST /", strings.Replace(modernOf("text"), modern, "2026-07-29", 1), get},
		{0, "POST /", strings.Replace(modernOf("text"), modern, "2025-11-25", 1), get},
		{0, "POST /", strings.Replace(modernOf("text"), "prompts/get", "prompts/gat", 1), get},
		{0, "POST /", strings.Replace(modernOf("text"), "prompts/get", "tools/call1", 1), get},
		{0, "POST /", modernOf("tex1"), get},
		{2, "POST /", inSession + headerVersion + ": 2025-11-26\n", oldGet("1", "text")},
		{2, "POST /", inSession + headerVersion + ": 2025-06-18\n", oldGet("1", "text")},
		{0, "POST /", modernOf(""), listen},
		{0, "POST /", strings.Replace(modernOf(""), "prompts/get", "subscriptions/listen", 1), listen},
		{0, "POST /", inSession, initializeBody("2025-06-18")}, {kindNoSession, "POST /", plain, initializeBody("2025-06-18")},
		{kindNoSession, "POST /", plain, strings.Replace(initializeBody("x"), `"x"`, "1", 1)},
		{0, "POST /", inSession, strings.Repeat(" ", smallBody+1) + oldGet("1", "text")},
		{kindNoSessions, "POST /", plain, initializeBody("2025-06-18")}, {kindNoSessions, "POST /", plain + headerVersion + ": 2025-03-26\n", "[" + oldGet("1", "text") + "]"},
		{0, "POST /", inSession, "[" + oldGet("1", "text") + "," + oldGet("2", "progress") + "]"},
		{2, "POST /", inSession, oldGet("1", "progress")}, {2, "POST /", inSession, oldGet("1", "ask")}, {2, "POST /", inSession, oldGet("1", "nap")},
		{2, "POST /", inSession, oldGet("1", "panic")}, {2, "POST /", strings.Replace(inSession, "application/json, ", "", 1), oldGet("1", "progress")},
		{2, "POST /", strings.Replace(inSession, ", text/event-stream", "", 1), oldGet("1", "progress")},
		{2, "POST /", strings.Replace(inSession, "json, text", "json;q=0, text", 1), oldGet(`"<a>"`, "text")},
		{2, "POST /", inSession + inSession, oldGet("1", "text")}, {2, "POST /", inSession + "Content-Encoding: gzip\n", oldGet("1", "text")},
		{kindNoLength, "POST /", inSession + "Transfer-Encoding: chunked\n", "5\r\n[1,2]\r\n0\r\n\r\n"},
		{kindNoLength, "POST /", inSession + "Content-Length: 5\nContent-Length: 6\n", "[1,2]"},
		{kindNoLength, "POST /", inSession + "Content-Length: 5\n", "[1,2]GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"},
		{kindNoLength, "POST /", inSession + "Content-Length: 50\n", "[1,2]"}, {kindNoLength, "POST /", inSession + "Content-Length: 5000000\n", "[1,2]"},
		{0, "POST /", inSession + "Expect: 100-continue\n", oldGet("1", "text")}, {0, "POST /", inSession + "Expect: nothing\n", oldGet("1", "text")},
		{0, "POST /", inSession + "Connection: close\n", oldGet("1", "text")}, {0, "POST /", "X-\x00: \xff\n", ""}, {0, "\x00", "", ""},
		{0, "GET /", both + headerSession + ": " + sessionInHeader + "\nContent-Length: 3\n", "abc"},
	} {
		f.Add(seed.kind, seed.line, seed.headers, []byte(seed.body))
	}
}

// tape is the server's side of a connection. What the client sends has been
// sent at once; then it says nothing more until the connection is closed.
type tape struct {
	net.Conn // a pipe, of which only the deadlines and the end are used
	local    net.Addr

	mu   sync.Mutex // protects the fields below
	in   []byte
	out  bytes.Buffer
	over bool
}

func (c *tape) Read(p []byte) (int, error) {
	c.mu.Lock()
	n := copy(p, c.in)
	c.in = c.in[n:]
	c.mu.Unlock()
	if n > 0 || len(p) == 0 {
		return n, nil
	}
	return c.Conn.Read(p)
}

func (c *tape) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return 0, net.ErrClosed
	}
	return c.out.Write(p)
}

func (c *tape) Close() error {
	c.mu.Lock()
	c.over = true
	c.mu.Unlock()
	return c.Conn.Close()
}

func (c *tape) LocalAddr() net.Addr { return c.local }

func (c *tape) said() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return bytes.Clone(c.out.Bytes())
}

// holdRequest sends a request and holds what comes of it.
func holdRequest(t *testing.T, registry *prompts.Registry, kind byte, line, headers string, body []byte) {
	o := Options{DisableSessions: kind&kindNoSessions != 0}
	if kind&kindOrigins != 0 {
		o.AllowedOrigins = []string{"https://a.example.org"}
	}
	handler := MustNewHandler(prompts.MustNewServer(registry, prompts.Options{}), o)
	sessions, id := 0, "none"
	if kind&kindNoSession == 0 && !o.DisableSessions {
		sessions, id = 1, openSession(t, handler, fuzzVersions[kind&kindVersion])
	}
	raw := compose(kind, line, strings.ReplaceAll(headers, sessionInHeader, id), body)

	listener := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{Handler: handler, ErrorLog: log.New(io.Discard, "", 0)}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(listener)
	}()
	near, far := net.Pipe()
	conn := &tape{Conn: far, local: far.LocalAddr(), in: bytes.Clone(raw)}
	if kind&kindLoopback != 0 {
		conn.local = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80}
	}
	listener.conns <- conn
	synctest.Wait()
	time.Sleep(10 * time.Minute) // longer than all that is under way, but for streams
	synctest.Wait()
	handler.mu.Lock()
	running := handler.running
	handler.mu.Unlock()
	handler.sessions.mu.Lock()
	left := len(handler.sessions.byID)
	handler.sessions.mu.Unlock()

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	require.NoError(t, handler.Shutdown(ctx))
	synctest.Wait() // net/http has more to write
	require.NoError(t, near.Close())
	require.NoError(t, server.Close())
	<-served
	synctest.Wait()
	replies := conn.said()

	h := &held{t: t, options: o, reading: read(raw), onLoopback: kind&kindLoopback != 0, sessions: sessions}
	h.replies(raw, replies)
	if h.request != nil && h.isAlone {
		require.Equal(t, h.sessions, left, "sessions")
		if !h.isStream {
			require.Zero(t, running, "under way")
		}
	}
	require.Zero(t, handler.running)
	require.Zero(t, handler.background)
	require.Empty(t, handler.clients)
	require.Empty(t, handler.sessions.byID)
	require.Zero(t, handler.bodies.Used())
}

// openSession opens one without a connection.
func openSession(t *testing.T, h *Handler, version string) (id string) {
	for _, body := range []string{initializeBody(version), initialized} {
		r, err := http.NewRequest(http.MethodPost, "http://localhost/", strings.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/json")
		if id != "" {
			r.Header.Set(headerSession, id)
		}
		w := new(recorder)
		h.ServeHTTP(w, r)
		require.Contains(t, []int{http.StatusOK, http.StatusAccepted}, w.status)
		if id == "" {
			id = w.Header().Get(headerSession)
		}
	}
	require.NotEmpty(t, id)
	return id
}

// compose writes a request.
func compose(kind byte, line, headers string, body []byte) []byte {
	var b bytes.Buffer
	b.WriteString(line + " HTTP/1.1\r\n")
	if kind&kindNoHost == 0 {
		b.WriteString("Host: localhost\r\n")
	}
	for _, h := range strings.Split(headers, "\n") {
		if h != "" {
			b.WriteString(h + "\r\n")
		}
	}
	if kind&kindNoLength == 0 {
		b.WriteString("Content-Length: " + strconv.Itoa(len(body)) + "\r\n")
	}
	b.WriteString("\r\n")
	b.Write(body)
	return b.Bytes()
}

// held are the replies to a request, and what is made of that.
type held struct {
	reading
	t          *testing.T
	options    Options
	onLoopback bool
	sessions   int  // that there should be
	isAlone    bool // what was sent was one request, and no more
	isStream   bool
}

// statuses are those of replies to any request that net/http passes on or
// refuses itself.
var statuses = []int{200, 202, 204, 400, 403, 404, 405, 406, 413, 415, 417, 431, 501, 503, 505}

// replies holds all that has come.
func (h *held) replies(raw, text []byte) {
	in := bufio.NewReader(bytes.NewReader(text))
	n := 0
	for in.Buffered() > 0 || n == 0 && len(text) > 0 {
		asked := h.request
		if n > 0 {
			asked = nil
		}
		response, err := http.ReadResponse(in, asked)
		require.NoError(h.t, err, "%q", text)
		body, err := io.ReadAll(response.Body)
		require.NoError(h.t, err, "%q", text)
		if response.StatusCode == http.StatusContinue {
			continue
		}
		require.Contains(h.t, statuses, response.StatusCode)
		h.form(response, body)
		if n == 0 && h.request != nil {
			h.isAlone = true
			h.reply(response, body)
		}
		n++
		if in.Buffered() == 0 {
			_, _ = in.Peek(1)
		}
	}
	h.isAlone = h.isAlone && n == 1
	require.True(h.t, h.request == nil || h.request.ProtoMajor != 1 || n > 0, "no reply to %q", raw)
}

// refusals are all that is said in text: so nothing of the request is.
var refusals = []string{
	"Host is not allowed; add the host to the allowed hosts of the server", "Origin is not allowed; add the origin to the allowed origins of the server",
	"header Content-Type must be sent only once", "method is not allowed; use GET, POST, DELETE", "method is not allowed; use POST",
	"missing header Mcp-Session-Id; send initialize to the MCP endpoint first", "header Mcp-Session-Id must be sent only once",
	"Mcp-Protocol-Version of GET and DELETE must be one with sessions: 2025-11-25, 2025-06-18, 2025-03-26, 2024-11-05",
	"session not found or expired; to start a new one, send initialize without Mcp-Session-Id", "Accept must include text/event-stream",
	"GET requests must not have a body", "Content-Type must be application/json, without Content-Encoding",
	"Accept must include application/json or text/event-stream",
	"request body exceeds the limit of 4194304 bytes", "request body is malformed or incomplete", "request body did not arrive within 30s",
	// of net/http
	"400 Bad Request", "400 Bad Request: missing required Host header", "400 Bad Request: too many Host headers", "400 Bad Request: malformed Host header",
	"400 Bad Request: invalid header name", "400 Bad Request: invalid header value", "431 Request Header Fields Too Large",
	"501 Unsupported transfer encoding: Unsupported transfer encoding", "Unsupported transfer encoding", "505 HTTP Version Not Supported: unsupported protocol version",
}

// form holds what is true of every reply.
func (h *held) form(response *http.Response, body []byte) {
	t := h.t
	kind := response.Header.Get("Content-Type")
	require.NotContains(t, string(body), "a secret")
	switch response.StatusCode {
	case http.StatusOK:
		if response.Header.Get("Content-Length") == "0" && h.request != nil && h.request.RequestURI == "*" {
			return // net/http replies to OPTIONS * itself
		}
		require.Contains(t, []string{"application/json", "text/event-stream"}, kind)
	case http.StatusAccepted, http.StatusNoContent:
		require.Empty(t, body)
		require.Empty(t, kind)
	}
	if response.StatusCode != http.StatusOK {
		require.Empty(t, response.Header.Values(headerSession), "status %d", response.StatusCode)
		require.NotEqual(t, "text/event-stream", kind)
	}
	switch {
	case kind == "application/json":
		require.True(t, json.Valid(body), "%q", body)
		require.Equal(t, "no-store", response.Header.Get("Cache-Control"))
		require.Equal(t, strconv.Itoa(len(body)), response.Header.Get("Content-Length"))
	case strings.HasPrefix(kind, "text/plain"):
		if h.request == nil || h.request.Method != http.MethodHead {
			require.Contains(t, refusals, strings.TrimSuffix(string(body), "\n"))
		}
	case kind == "text/event-stream":
		require.Equal(t, "no-store", response.Header.Get("Cache-Control"))
	default:
		require.Empty(t, kind)
		require.Empty(t, body)
	}
}

// reply holds the reply to the request.
func (h *held) reply(response *http.Response, body []byte) {
	t, status := h.t, response.StatusCode
	isServed := status == http.StatusOK || status == http.StatusAccepted || status == http.StatusNoContent
	if h.request.RequestURI == "*" {
		return
	}
	require.True(t, !isServed || h.mayBeServed(h.options, h.onLoopback), "GAP-35")
	if fresh := response.Header.Values(headerSession); len(fresh) > 0 {
		require.Len(t, fresh, 1)
		require.Equal(t, "initialize", h.message.method)
		require.Contains(t, string(body), `"result"`)
		require.False(t, h.options.DisableSessions)
		require.Regexp(t, "^[\x21-\x7e]{32,}$", fresh[0])
		h.sessions++
	}
	switch h.request.Method {
	case http.MethodPost:
		h.post(response, body)
	case http.MethodGet:
		require.NotEqual(t, http.StatusAccepted, status)
		if status == http.StatusOK {
			h.isStream = true
			require.Equal(t, 1, h.sessions)
			require.True(t, h.mayTake("text/event-stream"))
			require.Empty(t, h.events(body))
		}
	case http.MethodDelete:
		require.NotContains(t, []int{http.StatusOK, http.StatusAccepted}, status)
		if status == http.StatusNoContent {
			h.sessions--
			require.Zero(t, h.sessions)
		}
	case http.MethodOptions:
		require.True(t, status == http.StatusNoContent && len(h.options.AllowedOrigins) > 0 || status >= 400)
	default:
		require.GreaterOrEqual(t, status, 400)
	}
}

// post holds the reply to a message.
func (h *held) post(response *http.Response, body []byte) {
	t, status := h.t, response.StatusCode
	kind := response.Header.Get("Content-Type")
	m := h.message
	require.NotEqual(t, http.StatusNoContent, status)
	if status == http.StatusAccepted {
		require.True(t, m.valid && !m.request, "nothing to answer")
	}
	if status == http.StatusOK || status == http.StatusAccepted {
		require.True(t, h.isJSONSaid())
		require.True(t, m.valid)
	}
	var messages []string
	switch kind {
	case "application/json":
		messages = []string{string(body)}
		require.True(t, h.mayTake(kind) || status != http.StatusOK)
	case "text/event-stream":
		require.True(t, h.mayTake(kind))
		messages = h.events(body)
		h.isStream = m.stateless && m.method == "subscriptions/listen"
	default:
		return
	}
	answers := 0
	for i, text := range messages {
		if h.holdMessage(text, status) {
			answers++
			require.Equal(t, len(messages)-1, i, "sent after the answer")
		}
	}
	if m.method != "notifications/cancelled" {
		require.Equal(t, 1, answers, "answers to %q", h.body)
	}
	if status == http.StatusOK && m.stateless {
		require.True(t, h.agrees(), "HTN-10: the headers say something else than the body")
	}
	if isStateless(h.request.Header.Get(headerVersion)) && status == http.StatusOK && !h.options.DisableSessions {
		require.True(t, m.stateless || m.method == "initialize", "the headers say that it is stateless")
	}
}

// holdMessage holds one message, and reports whether it is the answer.
func (h *held) holdMessage(text string, status int) (isAnswer bool) {
	t := h.t
	require.True(t, json.Valid([]byte(text)), text)
	require.NotContains(t, text, "\n")
	if text[0] == '[' {
		require.True(t, h.message.array)
		var elements []json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(text), &elements))
		ids := slices.Clone(h.message.ids)
		for _, e := range elements {
			var a struct{ ID json.RawMessage }
			require.NoError(t, json.Unmarshal(e, &a))
			if len(a.ID) == 0 {
				continue
			}
			i := slices.Index(ids, string(a.ID))
			require.NotEqual(t, -1, i, "an answer to nothing: %s", e)
			ids = slices.Delete(ids, i, i+1)
		}
		return true
	}
	var a struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	require.NoError(t, json.Unmarshal([]byte(text), &a))
	if a.Method != "" {
		require.Equal(t, http.StatusOK, status)
		return false
	}
	require.NotEqual(t, a.Result == nil, a.Error == nil, text)
	if a.Result != nil {
		require.Equal(t, http.StatusOK, status)
		require.NotEmpty(t, a.ID)
	}
	if len(a.ID) > 0 {
		require.Equal(t, h.message.ids, []string{string(a.ID)}, text)
	}
	return true
}

// events returns the messages of a stream.
func (h *held) events(body []byte) (messages []string) {
	text := string(body)
	for text != "" {
		frame, rest, ok := strings.Cut(text, "\n\n")
		require.True(h.t, ok, "half a frame: %q", text)
		text = rest
		if frame == ":" {
			continue
		}
		data, ok := strings.CutPrefix(frame, "data: ")
		require.True(h.t, ok, "%q", frame)
		require.NotContains(h.t, data, "\n")
		messages = append(messages, data)
	}
	return messages
}
