package gosdk_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/mount/gosdk"
)

// The revisions that the SDK serves.
const (
	stateless = "2026-07-28"
	newest    = "2025-11-25"
	canAsk    = "2025-06-18"
	older     = "2025-03-26"
	oldest    = "2024-11-05"
)

var revisions = []string{stateless, newest, canAsk, older, oldest}

// client speaks JSON-RPC with a server of the SDK, over its own transport in
// memory: what it gets is what is sent.
type client struct {
	t        *testing.T
	conn     mcp.Connection
	revision string
	name     string                            // of the client
	wrap     func(mcp.Transport) mcp.Transport // the server's side; nil for none
	// answer answers what the server asks; nil for a client that declares nothing.
	answer func(method string, params json.RawMessage) (result string)
	told   chan *jsonrpc.Request // notifications

	mu      sync.Mutex // protects the fields below
	last    float64
	replies map[any]chan *jsonrpc.Response
}

const capabilities = `{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{}}`

// dial connects a client of a revision, which shakes hands if that has it.
func dial(t *testing.T, s *mcp.Server, revision string) *client {
	t.Helper()
	return dialAs(t, s, &client{revision: revision})
}

func dialAs(t *testing.T, s *mcp.Server, c *client) *client {
	t.Helper()
	here, there := mcp.NewInMemoryTransports()
	var side mcp.Transport = there
	if c.wrap != nil {
		side = c.wrap(side)
	}
	ss, err := s.Connect(context.Background(), side, nil)
	require.NoError(t, err)
	c.t, c.replies, c.told = t, map[any]chan *jsonrpc.Response{}, make(chan *jsonrpc.Request, 1000)
	if c.name == "" {
		c.name = "tester"
	}
	c.conn, err = here.Connect(context.Background())
	require.NoError(t, err)
	ended := make(chan struct{})
	go func() { // ends with the connection, for which the test waits
		defer close(ended)
		c.read()
	}()
	t.Cleanup(func() {
		_ = c.conn.Close()
		<-ended
		_ = ss.Wait()
	})
	if revision := c.revision; revision < stateless {
		c.must("initialize", fmt.Sprintf(`{"protocolVersion":%q,"capabilities":%s,"clientInfo":{"name":%q,"version":"1","title":"T"}}`,
			revision, c.capabilities(), c.name))
		c.send(&jsonrpc.Request{Method: "notifications/initialized"})
	}
	return c
}

func (c *client) capabilities() string {
	if c.answer == nil {
		return "{}"
	}
	return capabilities
}

func (c *client) read() {
	for {
		msg, err := c.conn.Read(context.Background())
		if err != nil {
			return
		}
		switch msg := msg.(type) {
		case *jsonrpc.Response:
			c.mu.Lock()
			reply := c.replies[msg.ID.Raw()]
			c.mu.Unlock()
			reply <- msg
		case *jsonrpc.Request:
			if !msg.IsCall() {
				c.told <- msg
				continue
			}
			go c.send(&jsonrpc.Response{ID: msg.ID, Result: json.RawMessage(c.answer(msg.Method, msg.Params))}) // ends with the connection
		}
	}
}

func (c *client) send(msg jsonrpc.Message) { _ = c.conn.Write(context.Background(), msg) }

// start sends a request, with the envelope that the revision wants. params is a
// JSON object, or empty for one.
func (c *client) start(method, params string) (id jsonrpc.ID, reply <-chan *jsonrpc.Response) {
	c.mu.Lock()
	c.last++
	id, err := jsonrpc.MakeID(c.last)
	replies := make(chan *jsonrpc.Response, 1)
	c.replies[id.Raw()] = replies
	c.mu.Unlock()
	require.NoError(c.t, err)
	if params == "" {
		params = "{}"
	}
	if c.revision == stateless {
		var members map[string]json.RawMessage
		require.NoError(c.t, json.Unmarshal([]byte(params), &members))
		meta := map[string]json.RawMessage{}
		if members["_meta"] != nil {
			require.NoError(c.t, json.Unmarshal(members["_meta"], &meta))
		}
		meta[mcp.MetaKeyProtocolVersion] = json.RawMessage(`"` + stateless + `"`)
		meta[mcp.MetaKeyClientCapabilities] = json.RawMessage(c.capabilities())
		meta[mcp.MetaKeyClientInfo] = json.RawMessage(fmt.Sprintf(`{"name":%q,"version":"1","title":"T"}`, c.name))
		members["_meta"] = marshal(c.t, meta)
		params = string(marshal(c.t, members))
	}
	c.send(&jsonrpc.Request{ID: id, Method: method, Params: json.RawMessage(params)})
	return id, replies
}

// call sends a request and returns the answer.
func (c *client) call(method, params string) (json.RawMessage, *jsonrpc.Error) {
	c.t.Helper()
	_, reply := c.start(method, params)
	r := <-reply
	if r.Error == nil {
		return r.Result, nil
	}
	var e *jsonrpc.Error
	require.ErrorAs(c.t, r.Error, &e)
	return nil, e
}

// must is call for what succeeds.
func (c *client) must(method, params string) json.RawMessage {
	c.t.Helper()
	result, err := c.call(method, params)
	require.Nil(c.t, err)
	return result
}

// refused is call for what fails.
func (c *client) refused(method, params string) *jsonrpc.Error {
	c.t.Helper()
	result, err := c.call(method, params)
	require.NotNil(c.t, err, "%s", result)
	return err
}

// text is the text of a prompt of one message.
func (c *client) text(name string) string {
	c.t.Helper()
	return textOf(c.t, c.must("prompts/get", fmt.Sprintf(`{"name":%q}`, name)))
}

func textOf(t *testing.T, result json.RawMessage) string {
	t.Helper()
	var r struct {
		Messages []struct{ Content struct{ Text string } }
	}
	require.NoError(t, json.Unmarshal(result, &r))
	require.Len(t, r.Messages, 1, "%s", result)
	return r.Messages[0].Content.Text
}

// page is a page of a list.
type page struct {
	Prompts    []json.RawMessage
	NextCursor string
}

func (c *client) page(cursor string) page {
	c.t.Helper()
	params := "{}"
	if cursor != "" {
		params = fmt.Sprintf(`{"cursor":%q}`, cursor)
	}
	var p page
	require.NoError(c.t, json.Unmarshal(c.must("prompts/list", params), &p))
	return p
}

// names are those of all pages.
func (c *client) names() []string {
	c.t.Helper()
	var names []string
	for cursor, more := "", true; more; more = cursor != "" {
		p := c.page(cursor)
		names = append(names, p.names(c.t)...)
		cursor = p.NextCursor
	}
	return names
}

func (p page) names(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, raw := range p.Prompts {
		var e struct{ Name string }
		require.NoError(t, json.Unmarshal(raw, &e))
		names = append(names, e.Name)
	}
	return names
}

// changed waits until the client is told that the list has changed.
func (c *client) changed() *jsonrpc.Request {
	c.t.Helper()
	for {
		select {
		case n := <-c.told:
			if n.Method == "notifications/prompts/list_changed" {
				return n
			}
		case <-c.t.Context().Done():
			c.t.FailNow()
		}
	}
}

// listen subscribes to changes, where that is needed.
func (c *client) listen() {
	c.t.Helper()
	if c.revision == stateless {
		c.start("subscriptions/listen", `{"notifications":{"promptsListChanged":true}}`)
		n := <-c.told
		require.Equal(c.t, "notifications/subscriptions/acknowledged", n.Method)
		require.Contains(c.t, string(n.Params), `"promptsListChanged":true`)
	}
}

func marshal(t *testing.T, v any) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(v)
	require.NoError(t, err)
	return raw
}

// newServer returns a server of the SDK that has two prompts of its own.
func newServer(o *mcp.ServerOptions) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, o)
	for _, name := range []string{"own_a", "own_b"} {
		s.AddPrompt(&mcp.Prompt{Name: name}, ownPrompt("own: "+name))
	}
	return s
}

func ownPrompt(text string) mcp.PromptHandler {
	return func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}, nil
	}
}

// says returns a prompt that always says its name.
func says(name string) prompts.Prompt {
	return renders(name, func(context.Context) (*prompts.Result, error) {
		return prompts.Messages(prompts.User("ours: " + name)), nil
	})
}

func renders(name string, f func(ctx context.Context) (*prompts.Result, error)) prompts.Prompt {
	return prompts.Prompt{Name: name, Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) { return f(ctx) }}
}

func registry(all ...prompts.Prompt) *prompts.Registry {
	var r prompts.Registry
	r.MustAdd(all...)
	return &r
}

// mount mounts until the test is over.
func mount(t *testing.T, s *mcp.Server, r *prompts.Registry, o prompts.Options) (unmount func()) {
	t.Helper()
	unmount, err := gosdk.Mount(s, r, gosdk.Options{Server: o})
	require.NoError(t, err)
	t.Cleanup(unmount)
	return unmount
}

// inEach runs a test for a client of each revision.
func inEach(t *testing.T, f func(t *testing.T, revision string)) {
	t.Helper()
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			f(t, revision)
		})
	}
}

// logged is a log that several goroutines write.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
