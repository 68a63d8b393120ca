package streamablehttp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// modern is the version of requests without sessions.
const modern = "2026-07-28"

// patience is how long a test waits for what must happen.
const patience = 2 * time.Minute

// place is a server on a connection of loopback, with its prompts:
// "text", "grüße", "progress", which reports one step, "wait", which tells
// started and waits for release or its context, "ask", which asks, and
// "wait and ask", which tells started and waits for release before.
type place struct {
	t        *testing.T
	registry *prompts.Registry
	handler  *Handler
	http     *httptest.Server
	started  chan struct{}
	release  chan struct{}
	ended    chan error // why the context of "wait" has ended
}

type answer struct {
	Name string `json:"name"`
}

func newPlace(t *testing.T, o Options, change ...func(*httptest.Server)) *place {
	t.Helper()
	return newPlaceOf(t, prompts.Options{}, o, change...)
}

// newPlaceOf is newPlace with options for the server of prompts.
func newPlaceOf(t *testing.T, own prompts.Options, o Options, change ...func(*httptest.Server)) *place {
	t.Helper()
	p := &place{
		t: t, registry: new(prompts.Registry),
		started: make(chan struct{}, 100), release: make(chan struct{}), ended: make(chan error, 100),
	}
	text := func(s string) (*prompts.Result, error) { return prompts.Messages(prompts.User(s)), nil }
	add := func(name string, render prompts.RenderFunc) {
		p.registry.MustAdd(prompts.Prompt{Name: name, Render: render})
	}
	for _, name := range []string{"text", "grüße"} {
		add(name, func(context.Context, map[string]string) (*prompts.Result, error) { return text("hi") })
	}
	add("progress", func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
		prompts.Progress(ctx, 1, 2, "half")
		return text("done")
	})
	add("wait", func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
		prompts.Progress(ctx, 1, 2, "begun")
		p.started <- struct{}{}
		select {
		case <-p.release:
			return text("released")
		case <-ctx.Done():
			p.ended <- context.Cause(ctx)
			return nil, context.Cause(ctx)
		}
	})
	ask := func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
		a, err := prompts.Elicit[answer](ctx, "name", "Who?")
		if err != nil {
			return nil, err
		}
		return text("hello " + a.Name)
	}
	add("ask", ask)
	add("wait and ask", func(ctx context.Context, arguments map[string]string) (*prompts.Result, error) {
		prompts.Progress(ctx, 1, 2, "begun")
		p.started <- struct{}{}
		<-p.release
		return ask(ctx, arguments)
	})
	p.handler = MustNewHandler(prompts.MustNewServer(p.registry, own), o)
	p.http = httptest.NewUnstartedServer(p.handler)
	for _, f := range change {
		f(p.http)
	}
	if p.http.EnableHTTP2 {
		p.http.StartTLS()
	} else {
		p.http.Start()
	}
	t.Cleanup(func() {
		assert.NoError(t, p.handler.Close())
		p.http.Close()
	})
	return p
}

// header is what a request says of itself beside its body. An empty value
// removes a header that would otherwise be sent; several are separated by "|".
type header map[string]string

// exchangeOf builds a request.
func (p *place) request(method, body string, h header) *http.Request {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.http.URL, strings.NewReader(body))
	require.NoError(p.t, err)
	if body == "" {
		r.Body, r.ContentLength = nil, 0
	}
	all := header{"Accept": "application/json, text/event-stream"}
	if method == http.MethodPost {
		all["Content-Type"] = "application/json"
	}
	for name, value := range h {
		all[name] = value
	}
	for name, value := range all {
		switch {
		case name == "Host":
			r.Host = value
		case value != "":
			r.Header[name] = strings.Split(value, "|")
		}
	}
	return r
}

// reply is an answer that has been read to its end.
type reply struct {
	status int
	header http.Header
	body   string
}

// send sends a request and reads the whole reply.
func (p *place) send(method, body string, h header) reply {
	p.t.Helper()
	return p.do(p.request(method, body, h))
}

// do is send for a request that has been built.
func (p *place) do(r *http.Request) reply {
	p.t.Helper()
	response, err := p.http.Client().Do(r)
	require.NoError(p.t, err)
	defer response.Body.Close()
	got, err := io.ReadAll(response.Body)
	require.NoError(p.t, err)
	return reply{response.StatusCode, response.Header, string(got)}
}

func (p *place) post(body string, h header) reply {
	p.t.Helper()
	return p.send(http.MethodPost, body, h)
}

// code returns that of an error response, or 0.
func (r reply) code() int {
	var m struct {
		Error struct{ Code int }
	}
	_ = json.Unmarshal([]byte(r.body), &m)
	return m.Error.Code
}

// events are the messages of a reply of events.
func (r reply) events() (all []string) {
	for block := range strings.SplitSeq(r.body, "\n\n") {
		if data, ok := strings.CutPrefix(block, "data: "); ok {
			all = append(all, data)
		}
	}
	return all
}

// stream is a reply of events that goes on.
type openStream struct {
	t        *testing.T
	response *http.Response
	lines    chan string // closed at the end
	cancel   context.CancelFunc
}

// open sends a request and returns once the headers of the reply have come.
func (p *place) open(method, body string, h header) *openStream {
	p.t.Helper()
	ctx, cancel := context.WithCancel(p.t.Context())
	response, err := p.http.Client().Do(p.request(method, body, h).WithContext(ctx))
	require.NoError(p.t, err)
	s := &openStream{p.t, response, make(chan string, 1000), cancel}
	go func() { // ends with the reply
		defer close(s.lines)
		defer response.Body.Close()
		for lines := bufio.NewScanner(response.Body); lines.Scan(); {
			if line := lines.Text(); line != "" {
				s.lines <- line
			}
		}
	}()
	p.t.Cleanup(cancel)
	require.Equal(p.t, http.StatusOK, response.StatusCode)
	require.Equal(p.t, "text/event-stream", response.Header.Get("Content-Type"))
	if method == http.MethodGet {
		require.Equal(p.t, ":", s.next(), "nginx passes on no header without a part of the body")
	}
	return s
}

// next returns the next message, or the next comment with its colon.
func (s *openStream) next() string {
	s.t.Helper()
	select {
	case line, ok := <-s.lines:
		require.True(s.t, ok, "the stream has ended")
		return strings.TrimPrefix(line, "data: ")
	case <-time.After(patience):
		require.Fail(s.t, "nothing has come")
		return ""
	}
}

// message returns the next message.
func (s *openStream) message() string {
	s.t.Helper()
	for {
		if line := s.next(); !strings.HasPrefix(line, ":") {
			return line
		}
	}
}

// end waits for the end of the stream, before which nothing must come.
func (s *openStream) end() {
	s.t.Helper()
	select {
	case line, ok := <-s.lines:
		require.False(s.t, ok, line)
	case <-time.After(patience):
		require.Fail(s.t, "the stream has not ended")
	}
}

// buffered returns what has come already.
func (s *openStream) buffered() (all []string) {
	for {
		select {
		case line, ok := <-s.lines:
			if !ok {
				return all
			}
			all = append(all, strings.TrimPrefix(line, "data: "))
		default:
			return all
		}
	}
}

func await[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(patience):
		require.Fail(t, "it has not happened")
		panic("unreachable")
	}
}

// modernBody is a stateless request with more members of params, each followed
// by a comma, and modernHeader what mirrors it.
func modernBody(method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"%s","params":{%s"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"progressToken":"p"}}}`, method, params)
}

func modernHeader(method, name string) header {
	return header{headerVersion: modern, headerMethod: method, headerName: name}
}

// get is a stateless prompts/get.
func modernGet(name string) (string, header) {
	return modernBody("prompts/get", `"name":"`+name+`",`), modernHeader("prompts/get", name)
}

func initializeBody(version string) string {
	return `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}}}`
}

const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

// session opens one and returns the headers of its requests.
func (p *place) session(version string) header {
	p.t.Helper()
	r := p.post(initializeBody(version), nil)
	require.Equal(p.t, http.StatusOK, r.status, r.body)
	h := header{headerSession: r.header.Get(headerSession), headerVersion: version}
	require.NotEmpty(p.t, h[headerSession])
	require.Equal(p.t, http.StatusAccepted, p.post(initialized, h).status)
	return h
}

func (h header) with(more ...string) header {
	all := header{}
	for k, v := range h {
		all[k] = v
	}
	for i := 0; i < len(more); i += 2 {
		all[more[i]] = more[i+1]
	}
	return all
}

// oldGet is prompts/get of a session; it asks for progress.
func oldGet(id, name string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"prompts/get","params":{"name":"` + name + `","_meta":{"progressToken":"p"}}}`
}

// assertNoGoroutines waits for goroutines with our code to have ended. The test
// must not be parallel.
func assertNoGoroutines(t *testing.T) {
	t.Helper()
	stacks := func() string {
		buf := make([]byte, 1<<20)
		all := strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n")
		var ours []string
		for _, s := range all[1:] {
			if strings.Contains(s, "mcp-prompts/prompts") && !strings.Contains(s, "testing.tRunner") {
				ours = append(ours, s)
			}
		}
		return strings.Join(ours, "\n\n")
	}
	assert.Eventually(t, func() bool { return stacks() == "" }, patience, time.Millisecond, "%v", stacksOf(stacks))
}

type stacksOf func() string

func (s stacksOf) String() string { return s() }

// must returns v if there is no error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
