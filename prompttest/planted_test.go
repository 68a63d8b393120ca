package prompttest

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/golden"
	"github.com/mcp-prompts/prompts/transport"
)

// fault is a fault that is planted in what a server sends.
type fault struct {
	name         string
	rule         string // of docs/ledger.md, which the failure has to name
	since, until string // versions that have the rule; empty for all
	answer       string // the method whose response has the fault, or of the message; default prompts/get
	old, new     string // what is replaced in the response
	before       string // messages before the response, a line each, with ID for its id
	after        string // messages after the response
}

// planted is the client's side of a connection to a server with a fault.
type planted struct {
	transport.Conn
	fault fault
	count int // how often the fault was sent

	mu       sync.Mutex // protects the fields below
	requests map[string]plantedIn
	queue    [][]byte
}

// plantedIn is what is of interest in a message.
type plantedIn struct {
	ID     json.RawMessage
	Method string
	Params struct {
		ProgressToken json.RawMessage
		Meta          map[string]json.RawMessage `json:"_meta"`
	}
}

// token is the progress token of a request, or of a notification of progress.
func (m plantedIn) token() string {
	return string(slices.Concat(m.Params.ProgressToken, m.Params.Meta["progressToken"]))
}

func (p *planted) Write(ctx context.Context, msgs ...[]byte) error {
	for _, msg := range msgs {
		if err := p.write(ctx, msg); err != nil {
			return err
		}
	}
	return nil
}

func (p *planted) write(ctx context.Context, msg []byte) error {
	var m plantedIn
	_ = json.Unmarshal(msg, &m)
	p.mu.Lock()
	p.requests[string(m.ID)] = m
	p.mu.Unlock()
	return p.Conn.Write(ctx, msg)
}

func (p *planted) Read(ctx context.Context) ([]byte, error) {
	if len(p.queue) > 0 {
		msg := p.queue[0]
		p.queue = p.queue[1:]
		return msg, nil
	}
	msg, err := p.Conn.Read(ctx)
	if err != nil {
		return nil, err
	}
	var m plantedIn
	_ = json.Unmarshal(msg, &m)
	if m.Method == "" {
		p.mu.Lock()
		m = p.requests[string(m.ID)]
		p.mu.Unlock()
	}
	if id := m.Params.Meta["io.modelcontextprotocol/subscriptionId"]; id != nil {
		m.ID = id
	}
	if m.Method == "" || m.Method != cmp.Or(p.fault.answer, get) || !strings.Contains(string(msg), p.fault.old) {
		return msg, nil
	}
	p.count++
	text := string(msg)
	if p.fault.old != "" {
		text = strings.ReplaceAll(text, p.fault.old, p.fault.new)
	}
	fill := strings.NewReplacer("TOKEN", m.token(), "ID", string(m.ID))
	for text := range strings.SplitSeq(fill.Replace(p.fault.before)+"\n"+text+"\n"+fill.Replace(p.fault.after), "\n") {
		if text != "" {
			p.queue = append(p.queue, []byte(text))
		}
	}
	return p.Read(ctx)
}

const (
	r2, r3, r4, r5 = "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"

	listMethod     = "prompts/list"
	completeMethod = "completion/complete"
	subscriptionID = `"_meta":{"io.modelcontextprotocol/subscriptionId":ID}`
	envelope       = `{"jsonrpc":"2.0",`
)

// faults has one fault at least for each requirement that the client checks.
var faults = []fault{
	// JSON-RPC
	{name: "bytes that are not JSON", rule: "JRP-01", old: envelope, new: "hello" + envelope},
	{name: "two values in a message", rule: "JRP-01", old: envelope, new: "{} " + envelope},
	{name: "invalid UTF-8", rule: "RFC 8259", old: `"text":"`, new: `"text":"` + "\xff"},
	{name: "a member twice", rule: "RFC 8259", old: envelope, new: envelope + envelope[1:]},
	{name: "another version of JSON-RPC", rule: "JRP-01", old: `"2.0"`, new: `"1.0"`},
	{name: "a member that JSON-RPC does not have", rule: "JRP-01", old: envelope, new: envelope + `"Result":1,`},
	{name: "an id that is a fraction", rule: "JRP-02", before: envelope + `"id":1.5,"result":{}}`},
	{name: "a request with the id null", rule: "JRP-03", until: r4, before: envelope + `"id":null,"method":"roots/list"}`},
	{name: "a response to no request", rule: "JRP-06", before: envelope + `"id":"other","result":{}}`},
	{name: "a response without an id", rule: "JRP-06", before: envelope + `"result":{}}`},
	{name: "two responses", rule: "JRP-06", after: envelope + `"id":ID,"result":{}}`},
	{name: "a result and an error", rule: "JRP-07", old: `"result"`, new: `"error":{"code":1,"message":""},"result"`},
	{name: "neither a result nor an error", rule: "JRP-07", before: envelope + `"id":ID}`},
	{name: "a result that is an array", rule: "JRP-08", before: envelope + `"id":ID,"result":[]}`},
	{name: "an error with a code that is a string", rule: "JRP-11", before: envelope + `"id":ID,"error":{"code":"1","message":""}}`},
	{name: "an error without a message", rule: "JRP-11", before: envelope + `"id":ID,"error":{"code":1}}`},
	{name: "an error for nothing that was sent", rule: "JRP-14", before: envelope + `"error":{"code":-32600,"message":""}}`},
	{name: "a notification with an id", rule: "JRP-17", before: envelope + `"id":1,"method":"notifications/message"}`},
	{name: "a batch", rule: "JRP-29", before: "[" + envelope + `"id":ID,"result":{}}]`},
	{name: "params that are an array", rule: "JRP-31", before: envelope + `"method":"notifications/message","params":[]}`},
	{name: "a request", rule: "JRP-36", since: r5, before: envelope + `"id":1,"method":"roots/list"}`},

	// Lifecycle and discovery
	{name: "no serverInfo", rule: "LIF-03", until: r4, answer: "initialize", old: `"serverInfo"`, new: `"info"`},
	{name: "another protocol version", rule: "LIF-05", until: r4, answer: "initialize", old: `"protocolVersion":"20`, new: `"protocolVersion":"19`},
	{name: "no capability for prompts", rule: "LIF-08", until: r4, answer: "initialize", old: `"prompts":{"listChanged":true}`, new: `"tools":{}`},
	{name: "no capability for prompts", rule: "DSC-04", since: r5, answer: "server/discover", old: `"prompts":{"listChanged":true}`, new: `"tools":{}`},
	{name: "no capability for completions", rule: "CMP-01", since: r2, until: r4, answer: "initialize", old: `"completions":{},`},
	{name: "a serverInfo without a version", rule: "DSC-22", since: r5, old: `/serverInfo":{"name":"prompts","version":"0"}`, new: `/serverInfo":{"name":"prompts"}`},
	{name: "no supportedVersions", rule: "DSC-02", since: r5, answer: "server/discover", old: `"supportedVersions"`, new: `"versions"`},
	{name: "a question of a kind that the client has not declared", rule: "LIF-20", since: r3, until: r4, answer: "elicitation/create", old: `elicitation/create`, new: `tasks/list`},
	{name: "a question of a kind that the client has not declared", rule: "MRT-07", since: r5, old: `elicitation/create`, new: `tasks/list`},

	// prompts/list
	{name: "prompts that are null", rule: "PRL-02", answer: listMethod, old: `"prompts":[`, new: `"prompts":null,"other":[`},
	{name: "a prompt without a name", rule: "PRL-06", answer: listMethod, old: `"name":"ask"`, new: `"title":"ask"`},
	{name: "two prompts of one name", rule: "PRL-06", answer: listMethod, old: `"name":"ask"`, new: `"name":"broken"`},
	{name: "a member of a prompt that the version does not have", rule: "PRL-06", until: r3, answer: listMethod, old: `"name":"ask"`, new: `"name":"ask","icons":[]`},
	{name: "an argument that is required by a string", rule: "PRL-09", answer: listMethod, old: `"required":true`, new: `"required":"yes"`},
	{name: "two arguments of one name", rule: "PRL-09", answer: listMethod, old: `"name":"language"`, new: `"name":"code"`},
	{name: "a nextCursor that is null", rule: "PAG-03", answer: listMethod, old: `"slow"}]`, new: `"slow"}],"nextCursor":null`},
	{name: "a list without end", rule: "PAG-04", answer: listMethod, old: `"slow"}]`, new: `"slow"}],"nextCursor":"AQVC9VdldmVyeXRoaW5n"`},
	{name: "no ttlMs", rule: "CCH-02", since: r5, answer: listMethod, old: `"ttlMs":0,`},
	{name: "a cacheScope for some", rule: "CCH-03", since: r5, answer: listMethod, old: `"private"`, new: `"some"`},
	{name: "pages with several cacheScopes", rule: "CCH-05", since: r5, answer: listMethod, old: `"slow"}],"resultType":"complete","ttlMs":0,"cacheScope":"private"`, new: `"slow"}],"resultType":"complete","ttlMs":0,"cacheScope":"public"`},
	{name: "an icon that is relative", rule: "CNT-14", since: r4, answer: listMethod, old: `https://example.com/i.png`, new: `i.png`},
	{name: "an icon that is a script", rule: "CNT-14", since: r4, answer: listMethod, old: `https://example.com/i.png`, new: `javascript:alert(1)`},
	{name: "a theme of an icon that does not exist", rule: "CNT-14", since: r4, answer: listMethod, old: `"theme":"dark"`, new: `"theme":"gray"`},
	{name: "a size of an icon with one number", rule: "CNT-15", since: r4, answer: listMethod, old: `["48x48"]`, new: `["48"]`},
	{name: "sizes of an icon that are a string", rule: "CNT-15", since: r4, answer: listMethod, old: `["48x48"]`, new: `"48x48"`},

	// prompts/get
	{name: "no resultType", rule: "JRP-09", since: r5, old: `"resultType":"complete",`},
	{name: "a resultType that does not exist", rule: "JRP-10", since: r5, old: `"resultType":"complete"`, new: `"resultType":"done"`},
	{name: "no messages", rule: "PRG-07", old: `"messages":[`, new: `"content":[`},
	{name: "a role that does not exist", rule: "PRG-08", old: `"role":"assistant"`, new: `"role":"system"`},
	{name: "an array of contents", rule: "PRG-08", old: `"content":{"type":"text","text":"text",`, new: `"content":[],"other":{`},
	{name: "a question without a request", rule: "MRT-05", since: r5, old: `"resultType":"complete","messages"`, new: `"resultType":"input_required","messages"`},
	{name: "an input request without a method", rule: "MRT-06", since: r5, old: `{"method":"elicitation/create",`, new: `{`},
	{name: "a text without text", rule: "CNT-01", old: `"text":"text",`},
	{name: "an image that is not base64", rule: "CNT-02", old: `"AQID"`, new: `"AQI"`},
	{name: "an image with a line break", rule: "CNT-02", old: `"AQID"`, new: `"AQ\nID"`},
	{name: "an image with a type that is none", rule: "CNT-02", old: `"image/png"`, new: `"png"`},
	{name: "audio without a type", rule: "CNT-03", since: r3, old: `,"mimeType":"audio/wav"`},
	{name: "a relative URI of a resource", rule: "CNT-04", old: `note://1`, new: `notes/1`},
	{name: "a resource with a text and a blob", rule: "CNT-04", old: `"blob":"BA=="`, new: `"blob":"BA==","text":""`},
	{name: "a relative URI of a link", rule: "CNT-06", since: r3, old: `note://3`, new: `notes/3`},
	{name: "a link with half a byte", rule: "CNT-06", since: r3, old: `"size":3`, new: `"size":3.5`},
	{name: "audio before there was audio", rule: "CNT-07", until: "2024-11-05", old: `"type":"image"`, new: `"type":"audio"`},
	{name: "a video", rule: "CNT-08", old: `"type":"image"`, new: `"type":"video"`},
	{name: "an audience that does not exist", rule: "CNT-09", old: `["assistant"]`, new: `["system"]`},
	{name: "a priority of 2", rule: "CNT-09", old: `"priority":0.5`, new: `"priority":2`},
	{name: "a lastModified that is no time", rule: "CNT-10", since: r3, old: `2026-01-02T03:04:05Z`, new: `yesterday`},
	{name: "a _meta that is an array", rule: "PRG-07", until: r4, old: `"messages":[`, new: `"_meta":[],"messages":[`},
	{name: "a key of _meta that is none", rule: "MET-01", since: r3, old: `org.example/c`, new: `-/c`},

	// completion/complete
	{name: "101 values", rule: "CMP-05", answer: completeMethod, old: `"go"`, new: strings.Repeat(`"go",`, 100) + `"go"`},
	{name: "a value twice", rule: "CMP-05", answer: completeMethod, old: `"go"`, new: `"go","go"`},
	{name: "more values than there are", rule: "CMP-06", answer: completeMethod, old: `"hasMore":false`, new: `"hasMore":true`},
	{name: "no more values of a larger total", rule: "CMP-06", answer: completeMethod, old: `"total":2`, new: `"total":3`},
	{name: "values that are numbers", rule: "CMP-05", answer: completeMethod, old: `"go"`, new: `1`},
	{name: "a total below the number of values", rule: "CMP-06", answer: completeMethod, old: `"total":2`, new: `"total":1`},
	{name: "a negative total", rule: "CMP-06", answer: completeMethod, old: `"total":2`, new: `"total":-2`},

	// Notifications
	{name: "a notification that does not exist", rule: "schema ServerNotification", before: envelope + `"method":"notifications/prompts/changed"}`},
	{name: "a notification of another version", rule: "schema ServerNotification", until: r4, before: envelope + `"method":"notifications/subscriptions/acknowledged"}`},
	{name: "progress of no request", rule: "PRO-02", before: envelope + `"method":"notifications/progress","params":{"progressToken":"other","progress":1}}`},
	{name: "progress after the response", rule: "PRO-02", after: envelope + `"method":"notifications/progress","params":{"progressToken":TOKEN,"progress":9}}`},
	{name: "progress without progress", rule: "PRO-03", before: envelope + `"method":"notifications/progress","params":{"progressToken":TOKEN}}`},
	{name: "progress that does not rise", rule: "PRO-04", answer: "notifications/progress", old: `"progress":1`, new: `"progress":1`, after: envelope + `"method":"notifications/progress","params":{"progressToken":TOKEN,"progress":1}}`},
	{name: "a log message without the capability", rule: "LOG-02", before: envelope + `"method":"notifications/message","params":{"level":"info","data":""}}`},
	{name: "a log message that no request has asked for", rule: "LOG-06", since: r5, answer: "server/discover", old: `"completions":{}`, new: `"completions":{},"logging":{}`, after: envelope + `"method":"notifications/message","params":{"level":"info","data":""}}`},
	{name: "a change of a list without the capability", rule: "LCH-02", before: envelope + `"method":"notifications/tools/list_changed"}`},
	{name: "a change with data", rule: "LCH-03", until: r4, before: envelope + `"method":"notifications/prompts/list_changed","params":{"name":"a"}}`},
	{name: "a change outside of a subscription", rule: "LCH-05", since: r5, before: envelope + `"method":"notifications/prompts/list_changed"}`},

	// subscriptions/listen
	{name: "a change of another subscription", rule: "SUB-07", since: r5, before: strings.ReplaceAll(told, "ID", `"other"`)},
	{name: "a change before the acknowledgement", rule: "SUB-04", since: r5, answer: acknowledgedMethod, before: told},
	{name: "two acknowledgements", rule: "SUB-04", since: r5, answer: acknowledgedMethod, after: acknowledged(`{"promptsListChanged":true}`)},
	{name: "an acknowledgement of nothing", rule: "SUB-06", since: r5, answer: acknowledgedMethod, old: `"promptsListChanged":true`},
	{name: "an end of a subscription without its id", rule: "SUB-12", since: r5, answer: acknowledgedMethod, after: envelope + `"id":ID,"result":{"resultType":"complete"}}`},
	{name: "a change after the end of the subscription", rule: "SUB-11", since: r5, answer: acknowledgedMethod, after: envelope + `"id":ID,"result":{"resultType":"complete",` + subscriptionID + "}}\n" + told},
}

// The client finds each fault of a server, in each version that has the rule, and
// its failure names the rule.
func TestPlantedFaults(t *testing.T) {
	t.Parallel()
	assert.GreaterOrEqual(t, len(faults), 49)
	for _, f := range faults {
		for _, version := range Versions() {
			if version < f.since || f.until != "" && version > f.until {
				continue
			}
			t.Run(f.name+" "+f.rule+" "+version, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					p := &planted{fault: f, requests: map[string]plantedIn{}}
					r := record(t, func(t testing.TB) { visit(p.connect(t, version)) })
					assert.Positive(t, p.count, "the fault was not planted")
					require.NotEmpty(t, r.errors)
					assert.Regexp(t, `\([^()]*\b`+f.rule+`\b[^()]*\)`, r.errors[0])
				})
			})
		}
	}
}

// Members of a later version are no error, because results are open objects. The
// client logs each once, and checks the rest.
func TestMembersOfALaterVersion(t *testing.T) {
	t.Parallel()
	later := fault{old: `"result":{`, new: `"result":{"ttlMs":0,"resultType":"complete","cacheScope":"private",`}
	for _, version := range Versions() {
		if version > r4 {
			continue
		}
		for _, answer := range []string{listMethod, "prompts/get", completeMethod} {
			later.answer = answer
			p := &planted{fault: later, requests: map[string]plantedIn{}}
			r := record(t, func(t testing.TB) {
				c := p.connect(t, version)
				visit(c)
				visit(c)
			})
			require.Empty(t, r.errors, answer)
			assert.Greater(t, p.count, 1)
			slices.Sort(r.logs)
			assert.Equal(t, []string{
				`prompttest: the server sends the member "cacheScope" of a later protocol version, which clients ignore (GAP-45)`,
				`prompttest: the server sends the member "resultType" of a later protocol version, which clients ignore (GAP-45)`,
				`prompttest: the server sends the member "ttlMs" of a later protocol version, which clients ignore (GAP-45)`,
			}, r.logs, answer)
		}
	}
}

// The client finds no fault where none is planted.
func TestNothingPlanted(t *testing.T) {
	t.Parallel()
	for _, version := range Versions() {
		visit((&planted{requests: map[string]plantedIn{}}).connect(t, version))
	}
}

// connect returns a client of a server of abundance, in whose messages the fault
// is planted.
func (p *planted) connect(t testing.TB, version string) *Client {
	t.Helper()
	near, far := newPipe()
	served := make(chan error, 1)
	srv := prompts.MustNewServer(abundance(), prompts.Options{PageSize: 3, Logger: slog.New(slog.DiscardHandler)})
	go func() { served <- srv.Serve(context.Background(), far) }()
	t.Cleanup(func() { assert.NoError(t, <-served) })
	p.Conn = near
	return NewClient(t, p, ClientOptions{Version: version, Answer: answerByMessage, OnNotification: func(string, json.RawMessage) {}})
}

// abundance is a registry whose prompts have all that a client reads.
func abundance() *prompts.Registry {
	reg := catalogue()
	size := int64(3)
	reg.MustAdd(data("newer", func(context.Context, map[string]string) (*prompts.Result, error) {
		return &prompts.Result{Meta: prompts.Meta{"org.example/c": "d"}, Messages: []prompts.Message{
			{Role: prompts.RoleUser, Content: &prompts.Audio{Data: []byte{1}, MIMEType: "audio/wav"}},
			{Role: prompts.RoleUser, Content: &prompts.ResourceLink{
				URI: "note://3", Name: "link", Size: &size, Annotations: &prompts.Annotations{LastModified: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)},
				Icons: []prompts.Icon{{Src: "https://example.com/i.png", Sizes: []string{"48x48"}}},
			}},
		}}, nil
	}))
	return reg
}

// visit uses all that a server of abundance has.
func visit(c *Client) {
	c.t.Helper()
	c.List()
	c.Listen()
	for _, name := range []string{"everything", "review", "slow"} {
		c.Get(name, map[string]string{"code": "x", "language": "go"})
	}
	if c.protocol.ResourceLink() {
		c.Get("newer", nil)
	}
	if c.protocol.Elicitation() {
		c.Get("ask", nil)
	}
	c.Complete("review", "language", "", nil)
	c.List()
}

// What the newest revision has is read in full.
func TestReadAll(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	want := all()
	reg.MustAdd(data("all", func(context.Context, map[string]string) (*prompts.Result, error) { return want, nil }))
	c := New(t, &reg)
	assert.Equal(t, golden.Format(want), golden.Format(c.Get("all", nil)))
}

// Each request has a progress token of its own.
func TestProgressOfConcurrentGets(t *testing.T) {
	t.Parallel()
	for _, version := range Versions() {
		c := (&planted{requests: map[string]plantedIn{}}).connect(t, version)
		var running sync.WaitGroup
		for range 16 {
			running.Go(func() {
				_, _, err := c.get("slow", nil)
				assert.NoError(t, err)
			})
		}
		running.Wait()
	}
}
