package interop_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	mcpgoserver "github.com/mark3labs/mcp-go/server"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/mount/gosdk"
	"github.com/mcp-prompts/prompts/mount/mcpgo"
	"github.com/mcp-prompts/prompts/promptskills"
	"github.com/mcp-prompts/prompts/prompttools"
	"github.com/mcp-prompts/prompts/stdio"
	"github.com/mcp-prompts/prompts/streamablehttp"
)

// The prompt and the skill named classified exist for the owner only. Whatever else would
// tell of them has the text secret. No one has anything named unreported.
const (
	classified = "classified"
	unreported = "unreported"
	secret     = "TOPSECRET"
	owner      = "owner"
	guest      = "guest"
)

// userKey is who a client is, in the context of its requests.
type userKey struct{}

// userHeader says who a client is over HTTP.
const userHeader = "X-User"

func userOf(ctx context.Context) (string, error) {
	if r, ok := gosdk.Request(ctx); ok && r.GetExtra() != nil && r.GetExtra().Header.Get(userHeader) != "" {
		return r.GetExtra().Header.Get(userHeader), nil
	}
	who, _ := ctx.Value(userKey{}).(string)
	return who, nil
}

func isOwner(ctx context.Context) bool {
	who, _ := userOf(ctx)
	return who == owner
}

// cabinet is what the servers of TestHiddenInEachVersion have.
type cabinet struct {
	prompts prompts.Registry
	skills  promptskills.Registry
}

func (c *cabinet) setPrompt(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, c.prompts.Set(prompts.Prompt{
		Name: name, Title: text, Description: text,
		Arguments: []prompts.Argument{{Name: "a", Description: text, Complete: func(context.Context, string, map[string]string) ([]string, error) {
			return []string{text}, nil
		}}},
		Render: func(context.Context, map[string]string) (*prompts.Result, error) {
			return prompts.Messages(prompts.User(text)), nil
		},
	}))
}

func (c *cabinet) setSkill(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, c.skills.Set(promptskills.Skill{
		Path: name, Frontmatter: json.RawMessage(fmt.Sprintf(`{"name":%q,"description":%q}`, name, text)),
		Files: map[string][]byte{"SKILL.md": []byte(text), "data.txt": []byte(text)},
	}))
}

func newCabinet(t *testing.T) *cabinet {
	t.Helper()
	c := new(cabinet)
	for name, text := range map[string]string{"open": "for all", classified: secret} {
		c.setPrompt(t, name, text)
		c.setSkill(t, name, text)
	}
	return c
}

func (c *cabinet) options(t *testing.T, pair *prompttools.Pair) prompts.Options {
	t.Helper()
	tools, err := prompttools.New(&c.prompts, prompttools.Options{Pair: pair, Select: func(prompts.Prompt) bool { return true }})
	require.NoError(t, err)
	return prompts.Options{
		Features: []feature.Feature{tools}, Logger: slog.New(slog.DiscardHandler), Principal: userOf,
		Visible: func(ctx context.Context, p prompts.Prompt) (bool, error) {
			return p.Name != classified || isOwner(ctx), nil
		},
	}
}

func skillOptions() promptskills.Options {
	return promptskills.Options{Visible: func(ctx context.Context, s promptskills.Skill) (bool, error) {
		return s.Path != classified || isOwner(ctx), nil
	}}
}

// home is a server of the cabinet: of this library, or a mount.
type home struct {
	stdio func(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error // until in ends
	http  http.Handler
}

// homes has a constructor of each home.
var homes = map[string]func(t *testing.T, c *cabinet, pair *prompttools.Pair) home{
	"native": func(t *testing.T, c *cabinet, pair *prompttools.Pair) home {
		o := c.options(t, pair)
		skills, err := promptskills.New(&c.skills, skillOptions())
		require.NoError(t, err)
		o.Features = append(o.Features, skills)
		s := prompts.MustNewServer(&c.prompts, o)
		h := streamablehttp.MustNewHandler(s, streamablehttp.Options{})
		t.Cleanup(func() { h.Close() })
		return home{func(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
			return s.Serve(ctx, stdio.NewStream(in, out, stdio.Options{}))
		}, h}
	},
	"gosdk": func(t *testing.T, c *cabinet, pair *prompttools.Pair) home {
		s := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
		unmount, err := gosdk.Mount(s, &c.prompts, gosdk.Options{Server: c.options(t, pair)})
		require.NoError(t, err)
		t.Cleanup(unmount)
		unmount, err = gosdk.MountSkills(s, &c.skills, gosdk.SkillsOptions{Skills: skillOptions(), Logger: slog.New(slog.DiscardHandler)})
		require.NoError(t, err)
		t.Cleanup(unmount)
		get := func(*http.Request) *mcp.Server { return s }
		sessions := gosdk.Handler(mcp.NewStreamableHTTPHandler(get, nil))
		without := gosdk.Handler(mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true}))
		return home{func(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
			return s.Run(ctx, gosdk.Transport(&mcp.IOTransport{Reader: in, Writer: out}))
		}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Mcp-Protocol-Version") == stateless {
				without.ServeHTTP(w, r)
			} else {
				sessions.ServeHTTP(w, r)
			}
		})}
	},
	"mcpgo": func(t *testing.T, c *cabinet, pair *prompttools.Pair) home {
		s := mcpgoserver.NewMCPServer("s", "1", mcpgoserver.WithToolCapabilities(true))
		unmount, err := mcpgo.Mount(s, &c.prompts, mcpgo.Options{Server: c.options(t, pair)})
		require.NoError(t, err)
		t.Cleanup(unmount)
		return home{func(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
			return mcpgo.ListenStdio(ctx, mcpgoserver.NewStdioServer(s), in, out)
		}, mcpgo.ErrorHandler(mcpgoserver.NewStreamableHTTPServer(s))}
	},
}

// hiddenDoors are the requests that could tell of what is hidden. Each %s is a name.
var hiddenDoors = []struct {
	method, params string
	isOpen         bool   // the owner gets an answer of the secret here
	of             string // "tools", "pair" or "skills", if only a server with these has it
}{
	{"prompts/list", `{}`, true, ""},
	{"prompts/get", `{"name":"%s"}`, true, ""},
	{"prompts/get", `{"name":"%s","arguments":{"a":1,"b":"x"}}`, false, ""},
	{"prompts/get", `{"name":"%sx"}`, false, ""}, // no suggestion
	{"completion/complete", `{"ref":{"type":"ref/prompt","name":"%s"},"argument":{"name":"a","value":""}}`, true, ""},
	{"completion/complete", `{"ref":{"type":"ref/prompt","name":"%s"},"argument":{"name":"b","value":""}}`, false, ""},
	{"tools/list", `{}`, true, "tools"},
	{"tools/call", `{"name":"%s","arguments":{}}`, true, "tools"},
	{"tools/call", `{"name":"%sx","arguments":{}}`, false, "tools"},
	{"tools/list", `{}`, false, "pair"},
	{"tools/call", `{"name":"list_prompts","arguments":{}}`, true, "pair"},
	{"tools/call", `{"name":"get_prompt","arguments":{"name":"%s"}}`, true, "pair"},
	{"tools/call", `{"name":"get_prompt","arguments":{"name":"%sx"}}`, false, "pair"},
	{"skills/list", `{}`, true, "skills"},
	{"skills/get", `{"uri":"skill://%s/SKILL.md"}`, true, "skills"},
	{"resources/list", `{}`, false, "skills"},
	{"resources/templates/list", `{}`, false, "skills"},
	{"resources/read", `{"uri":"skill://%s/SKILL.md"}`, true, "skills"},
	{"resources/read", `{"uri":"skill://%s/data.txt"}`, true, "skills"},
	{"resources/read", `{"uri":"skill://%s/none.txt"}`, false, "skills"},
	{"resources/directory/read", `{"uri":"skill://%s"}`, true, "skills"},
	{"resources/subscribe", `{"uri":"skill://%s/data.txt"}`, false, "skills"},
	{"resources/unsubscribe", `{"uri":"skill://%s/none.txt"}`, false, "skills"},
}

// SEC-01, CCH-08: a client of no protocol version is told of what is hidden from it, by
// any request, notification or transport, on a server of this library or of another SDK. A
// request for what is hidden has the answer of a request for what does not exist.
func TestHiddenInEachVersion(t *testing.T) {
	t.Parallel()
	for name, newHome := range homes {
		for _, transport := range []string{"stdio", "http"} {
			for _, version := range []string{oldest, older, canAsk, newest, stateless} {
				for tools, pair := range map[string]*prompttools.Pair{"tools": nil, "pair": {}} {
					t.Run(strings.Join([]string{name, transport, version, tools}, "/"), func(t *testing.T) {
						if name != "mcpgo" || transport != "stdio" { // of which mcp-go has one in a process (server/stdio.go:362)
							t.Parallel()
						}
						c := newCabinet(t)
						h := newHome(t, c, pair)
						for _, who := range []string{owner, guest} { // one after the other
							lookAround(t, c, dialHidden(t, h, transport, version, who), who, name, tools)
						}
					})
				}
			}
		}
	}
}

func lookAround(t *testing.T, c *cabinet, client *lookClient, who, home, tools string) {
	t.Helper()
	defer client.close()
	for _, door := range hiddenDoors {
		if door.of != "" && door.of != tools && (door.of != "skills" || home == "mcpgo") {
			continue
		}
		ask := func(name string) string {
			params := door.params
			if strings.Contains(params, "%s") {
				params = fmt.Sprintf(params, name)
			}
			return client.ask(door.method, params)
		}
		got, none := ask(classified), ask(unreported)
		names := strings.Contains(got, classified) || strings.Contains(got, secret)
		isSame := strings.ReplaceAll(got, classified, unreported) == none
		told := strings.Contains(got, secret) || !isSame || !strings.Contains(door.params, "%s") && names
		switch {
		case who == guest:
			assert.False(t, told, "%s %s: %s\nfor the unknown: %s", door.method, door.params, got, none)
		case door.isOpen:
			assert.True(t, told, "%s %s does not tell its owner: %s", door.method, door.params, got)
		}
	}
	if home == "native" && client.version < stateless {
		client.ask("resources/subscribe", `{"uri":"skill://open/data.txt"}`)
	}
	c.setSkill(t, classified, secret+" of the "+who) // changes, of which clients are notified
	c.setSkill(t, "open", "for the "+who)
	c.setPrompt(t, classified, secret+" of the "+who)
	client.waitFor("notifications/prompts/list_changed")
	if home == "native" {
		client.waitFor("skill://open/data.txt")
		if who == owner {
			client.waitFor("skill://" + classified + "/data.txt")
		}
	}
	if who == guest {
		assert.NotContains(t, client.unasked(), classified)
		assert.NotContains(t, client.unasked(), secret)
	}
}

// lookClient is a client that keeps what it hears.
type lookClient struct {
	t       *testing.T
	version string
	last    int
	post    func(method, msg string) // a message to the server
	end     func()

	mu    sync.Mutex // protects the fields below
	heard sync.Cond
	said  []string // of the server, except responses
	reply map[int]string
	gone  bool
}

func dialHidden(t *testing.T, h home, transport, version, who string) *lookClient {
	t.Helper()
	c := &lookClient{t: t, version: version, reply: map[int]string{}}
	c.heard.L = &c.mu
	if transport == "stdio" {
		c.dialStdio(h, who)
	} else {
		c.dialHTTP(h, who)
	}
	t.Cleanup(c.close)
	if version < stateless {
		c.ask("initialize", fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"c","version":"1"}}`, version))
		c.post("notifications/initialized", `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		if transport == "http" {
			c.listen("", "")
		}
		return c
	}
	c.listen("subscriptions/listen", c.message("subscriptions/listen", `{"notifications":{"promptsListChanged":true,"toolsListChanged":true,"resourcesListChanged":true,`+
		`"resourceSubscriptions":["skill://open/data.txt","skill://`+classified+`/data.txt","skill://`+unreported+`/data.txt"]}}`))
	c.waitFor("acknowledged")
	return c
}

func (c *lookClient) dialStdio(h home, who string) {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan struct{}, 2)
	go func() { // ends with in
		defer func() { ended <- struct{}{} }()
		_ = h.stdio(context.WithValue(context.Background(), userKey{}, who), in, out)
		_ = out.Close()
	}()
	go func() { // ends with out
		defer func() { ended <- struct{}{} }()
		c.hearLines(fromServer, "")
	}()
	c.post = func(_, msg string) { _, _ = io.WriteString(toServer, msg+"\n") }
	c.end = sync.OnceFunc(func() {
		_ = toServer.Close()
		<-ended
		<-ended
	})
}

func (c *lookClient) dialHTTP(h home, who string) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.http.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), userKey{}, r.Header.Get(userHeader))))
	}))
	ctx, cancel := context.WithCancel(context.Background())
	var streams sync.WaitGroup
	session := ""
	c.post = func(method, msg string) {
		verb := http.MethodPost
		if msg == "" {
			verb = http.MethodGet
		}
		request, err := http.NewRequestWithContext(ctx, verb, web.URL, strings.NewReader(msg))
		if !assert.NoError(c.t, err) {
			return
		}
		request.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, userHeader: {who}}
		if method != "initialize" {
			request.Header.Set("Mcp-Protocol-Version", c.version)
		}
		if session != "" {
			request.Header.Set("Mcp-Session-Id", session)
		}
		if c.version == stateless {
			var m struct{ Params struct{ Name, URI string } }
			_ = json.Unmarshal([]byte(msg), &m)
			request.Header.Set("Mcp-Method", method)
			if name := m.Params.Name + m.Params.URI; name != "" {
				request.Header.Set("Mcp-Name", name)
			}
		}
		response, err := web.Client().Do(request)
		if err != nil {
			return // the client has ended
		}
		if method == "initialize" {
			session = response.Header.Get("Mcp-Session-Id")
		}
		streams.Go(func() { // ends with the response or with ctx
			defer response.Body.Close()
			if strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
				c.hearLines(response.Body, "data:")
				return
			}
			body, _ := io.ReadAll(response.Body)
			if len(body) > 0 {
				c.hear(body)
			}
		})
	}
	c.end = sync.OnceFunc(func() {
		cancel()
		web.CloseClientConnections()
		streams.Wait()
		web.Close()
	})
}

// listen opens a stream: a request that is not answered, or a GET if msg is empty.
func (c *lookClient) listen(method, msg string) { c.post(method, msg) }

func (c *lookClient) close() { c.end() }

func (c *lookClient) hearLines(r io.Reader, prefix string) {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if text, ok := bytes.CutPrefix(line, []byte(prefix)); ok && len(bytes.TrimSpace(text)) > 0 {
			c.hear(bytes.TrimSpace(text))
		}
		if err != nil {
			return
		}
	}
}

func (c *lookClient) hear(msg []byte) {
	var m struct {
		ID     json.RawMessage
		Method string
		Result json.RawMessage
		Error  json.RawMessage
	}
	err := json.Unmarshal(msg, &m)
	var id int
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil && m.Method == "" && json.Unmarshal(m.ID, &id) == nil {
		c.reply[id] = string(m.Result) + string(m.Error)
	} else {
		c.said = append(c.said, string(msg))
	}
	c.heard.Broadcast()
}

// message returns a request with the next id.
func (c *lookClient) message(method, params string) string {
	c.last++
	if c.version == stateless {
		params = strings.TrimSuffix(params, "}")
		if params != "{" {
			params += ","
		}
		params += `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + stateless + `","io.modelcontextprotocol/clientCapabilities":{},` +
			`"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}}}`
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, c.last, method, params)
}

// ask returns the result or the error of a request.
func (c *lookClient) ask(method, params string) string {
	c.t.Helper()
	msg := c.message(method, params)
	id := c.last
	c.post(method, msg)
	c.wait(method, func() bool { return c.reply[id] != "" })
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reply[id]
}

// waitFor waits for a message with a text that is no response.
func (c *lookClient) waitFor(text string) {
	c.t.Helper()
	c.wait(text, func() bool { return strings.Contains(strings.Join(c.said, "\n"), text) })
}

func (c *lookClient) wait(what string, isThere func() bool) {
	c.t.Helper()
	late := time.AfterFunc(timeout, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.gone = true
		c.heard.Broadcast()
	})
	defer late.Stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	for !isThere() && !c.gone {
		c.heard.Wait()
	}
	require.False(c.t, c.gone, "no %s; heard: %s", what, strings.Join(c.said, "\n"))
}

// unasked returns what the server has said, except responses.
func (c *lookClient) unasked() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.said, "\n")
}
