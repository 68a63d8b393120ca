package prompttest

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// script is a server that answers as a test says: with these messages, in which
// ID stands for the id of the request and TOKEN for its progress token. It
// closes the connection after CLOSE, and does not answer what it has no
// messages for.
type script map[string][]string

const (
	handshake = `{"jsonrpc":"2.0","id":ID,"result":{"protocolVersion":"2025-11-25","capabilities":{"prompts":{},"logging":{}},"serverInfo":{"name":"s","version":"1"}}}`
	discovery = `{"jsonrpc":"2.0","id":ID,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"prompts":{"listChanged":true},"tools":{"listChanged":true}},"ttlMs":0,"cacheScope":"private"}}`
)

// serve answers until its client has gone.
func (s script) serve(conn transport.Conn) {
	defer conn.Close()
	for {
		msg, err := conn.Read(context.Background())
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.Unmarshal(msg, &m)
		answers := s[m.Method]
		if answers == nil && m.Method == "initialize" {
			answers = []string{handshake}
		}
		if answers == nil && m.Method == "server/discover" {
			answers = []string{discovery}
		}
		for _, a := range answers {
			if a == "CLOSE" {
				return
			}
			if conn.Write(context.Background(), []byte(strings.ReplaceAll(a, "ID", string(m.ID)))) != nil {
				return
			}
		}
	}
}

// client returns a client of the script.
func (s script) client(t testing.TB, o ClientOptions) *Client {
	t.Helper()
	near, far := newPipe()
	go s.serve(far)
	return NewClient(t, near, o)
}

const (
	get      = "prompts/get"
	greeting = `{"jsonrpc":"2.0","id":ID,"result":{"messages":[]}}`
)

// Every way in which a server can fail to answer ends the test, and says why.
func TestServerFaults(t *testing.T) {
	t.Parallel()
	get2025 := func(c *Client) { c.Get("p", nil) }
	ask := `{"jsonrpc":"2.0","id":9,"method":"elicitation/create","params":{"message":"Who?"}}`
	for _, test := range []struct {
		name    string
		version string // default 2025-11-25
		script  script
		options ClientOptions
		do      func(c *Client) // default get2025
		want    string
	}{
		{name: "no answer", want: `prompts/get "p": server has not answered within 1m0s`},
		{name: "no answer in less time", options: ClientOptions{Timeout: time.Second}, want: "within 1s"},
		{name: "closed", script: script{get: {"CLOSE"}}, want: "server has closed the connection"},
		{name: "closed in the handshake", script: script{"initialize": {"CLOSE"}}, want: "initialize: server has closed the connection"},
		{name: "no JSON", script: script{get: {"hello"}}, want: "invalid message from the server: invalid JSON at byte 0: expected a value (JRP-01, RFC 8259)\n\tReceived: hello"},
		{name: "nothing in a message", script: script{get: {""}}, want: "invalid JSON at byte 0: empty input (JRP-01, RFC 8259)\n\tReceived an empty message."},
		{name: "a batch that nobody asked for", version: "2025-03-26", script: script{
			"initialize": {strings.ReplaceAll(handshake, "2025-11-25", "2025-03-26")}, get: {"[" + greeting + "]"},
		}, want: "server must send a batch only as the response to a batch"},
		{name: "the id as another type", script: script{get: {`{"jsonrpc":"2.0","id":2,"result":{}}`}}, want: "response has the id 2, which no pending request has"},
		{name: "two answers", script: script{get: {greeting, greeting}}, do: func(c *Client) {
			c.Get("p", nil)
			synctest.Wait()
			c.Close()
		}, want: `request "prompttest-2" has already been answered`},
		{name: "an error", script: script{get: {`{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"bad","data":{"problems":[{"argument":"a","reason":"enum","message":"is odd","allowed":["b"],"suggestion":"b"}]}}}`}},
			want: "got the error -32602 (invalid params): bad\n\targument \"a\": is odd (enum; allowed: [\"b\"]; suggestion: \"b\")"},
		{name: "an error with data", script: script{get: {`{"jsonrpc":"2.0","id":ID,"error":{"code":7,"message":"bad","data":{"a":1}}}`}},
			want: "got the error 7 (of the application): bad\n\tdata: {\"a\":1}"},
		{name: "no error", script: script{get: {greeting}}, do: func(c *Client) { c.GetError("p", nil) },
			want: "prompt must fail, got:\n=== no messages"},
		{name: "a question to one who cannot be asked", script: script{get: {ask}}, want: "set ClientOptions.Answer (LIF-20, MRT-07)"},
		{name: "a question without an answer", version: "2026-07-28",
			script: script{get: {`{"jsonrpc":"2.0","id":ID,"result":{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{"message":"Who?"}}}}}`}},
			want:   "but the server asks (elicitation/create: Who?); set ClientOptions.Answer (LIF-20, MRT-07)"},
		{name: "an error as an answer", version: "2026-07-28", options: ClientOptions{Answer: func(Question) any { return io.EOF }},
			script: script{get: {`{"jsonrpc":"2.0","id":ID,"result":{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create"}}}}`}},
			want:   `question "k" cannot be answered with an error in protocol version 2026-07-28: EOF`},
		{name: "questions without end", version: "2026-07-28",
			script: script{get: {`{"jsonrpc":"2.0","id":ID,"result":{"resultType":"input_required","requestState":"s"}}`}}, want: "server must end its questions, got more than 32 rounds"},
		{name: "structured content that is an array", script: script{
			"initialize": {strings.Replace(handshake, `"capabilities":{`, `"capabilities":{"tools":{},`, 1)},
			"tools/call": {`{"jsonrpc":"2.0","id":ID,"result":{"content":[],"structuredContent":[]}}`},
		},
			do: func(c *Client) { c.CallTool("t", nil) }, want: `tools/call "t": result must have a member "structuredContent" that is an object (tools/call)`},
		{name: "a refused handshake", script: script{"initialize": {`{"jsonrpc":"2.0","id":ID,"error":{"code":-32600,"message":"no"}}`}}, want: "initialize: got the error -32600"},
		{name: "a version that there is not", version: "2025-01-01", want: `unknown protocol version "2025-01-01"; expected one of`},
		{name: "a list is refused", script: script{"prompts/list": {`{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"no"}}`}},
			do: func(c *Client) { c.List() }, want: "prompts/list: got the error -32601 (method not found)"},
		{name: "a completion is refused", script: script{"completion/complete": {`{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"no"}}`}},
			do: func(c *Client) { c.Complete("p", "a", "", nil) }, want: `completion/complete of "p", "a": got the error -32601`},
		{name: "changes are not told", do: func(c *Client) { c.Listen() }, want: "server has not declared the capability prompts.listChanged"},
		{name: "nobody listens", version: "2026-07-28", do: func(c *Client) { c.WaitChanged() }, want: "WaitChanged needs a subscription in protocol version 2026-07-28; call Listen before"},
		{name: "no acknowledgement", version: "2026-07-28", do: func(c *Client) { c.Listen() }, want: "server has not acknowledged the subscription within 1m0s"},
		{name: "a subscription is refused", version: "2026-07-28", script: script{listenMethod: {`{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"no"}}`}},
			do: func(c *Client) { c.Listen() }, want: "subscriptions/listen: got the error -32601"},
		{name: "a subscription ends at once", version: "2026-07-28", script: script{listenMethod: {ended}},
			do: func(c *Client) { c.Listen() }, want: "without an acknowledgement (SUB-04)"},
		{name: "a subscription ends", version: "2026-07-28", script: script{listenMethod: {acknowledged(`{"promptsListChanged":true}`), ended}},
			do: func(c *Client) {
				c.Listen()
				c.WaitChanged()
			}, want: "server has ended the subscription"},
		{name: "closed while it subscribes", version: "2026-07-28", script: script{listenMethod: {"CLOSE"}}, do: func(c *Client) { c.Listen() },
			want: "subscriptions/listen: server has closed the connection"},
		{name: "closed while a change is waited for", version: "2026-07-28", script: script{listenMethod: {acknowledged(`{"promptsListChanged":true}`), "CLOSE"}},
			do: func(c *Client) {
				c.Listen()
				c.WaitChanged()
			}, want: "server has closed the connection"},
		{name: "another change", version: "2026-07-28", script: script{listenMethod: {acknowledged(`{"promptsListChanged":true}`), strings.ReplaceAll(told, "prompts", "tools")}},
			do: func(c *Client) {
				c.Listen()
				synctest.Wait()
			}, want: "notifications/tools/list_changed is not part of the subscription (SUB-03)"},
		{name: "no change", do: func(c *Client) { c.WaitChanged() }, want: "server has not notified of a change within 1m0s"},
		{name: "nothing to receive", do: func(c *Client) { c.Receive() }, want: "no message received within 1m0s"},
		{name: "closed, and nothing to receive", script: script{"x": {"CLOSE"}}, do: func(c *Client) {
			c.Send(`{"jsonrpc":"2.0","method":"x"}`)
			c.Receive()
		}, want: "server has closed the connection"},
		{name: "params that are no object", do: func(c *Client) { c.Call("x", []int{1}) }, want: "x: params must be a JSON object"},
		{name: "params that are no JSON", do: func(c *Client) { c.Call("x", func() {}) }, want: "values of the test must be JSON"},
		{name: "a request after the end", do: func(c *Client) {
			c.Close()
			c.Get("p", nil)
		}, want: "client is closed"},
		{name: "a message after the end", do: func(c *Client) {
			c.Close()
			c.Send("{}")
		}, want: "client is closed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { // which fails if a goroutine stays
				if test.version == "" {
					test.version = "2025-11-25"
				}
				if test.do == nil {
					test.do = get2025
				}
				test.options.Version = test.version
				r := record(t, func(t testing.TB) { test.do(test.script.client(t, test.options)) })
				require.Len(t, r.errors, 1, "%q", r.errors)
				assert.Contains(t, r.errors[0], test.want)
				assert.True(t, strings.HasPrefix(r.errors[0], "prompttest: "))
			})
		})
	}
}

// acknowledged is the answer to a subscription.
func acknowledged(told string) string {
	return `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":` + told + `,"_meta":{"io.modelcontextprotocol/subscriptionId":ID}}}`
}

// ended is the end of a subscription.
const ended = `{"jsonrpc":"2.0","id":ID,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":ID}}}`

// told is a change that a subscription is told of.
const told = `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":ID}}}`

// A server does what it may, and the client does its part.
func TestServerLiberties(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		script script
		o      ClientOptions
		do     func(t *testing.T, c *Client)
	}{
		{"a ping is answered", script{get: {`{"jsonrpc":"2.0","id":5,"method":"ping"}`, greeting}}, ClientOptions{Version: "2025-11-25"},
			func(t *testing.T, c *Client) { c.Get("p", nil) }},
		{"a notification waits", script{get: {`{"jsonrpc":"2.0","method":"notifications/message"}`, greeting}}, ClientOptions{Version: "2025-11-25"},
			func(t *testing.T, c *Client) {
				c.Get("p", nil)
				assert.Equal(t, `{"jsonrpc":"2.0","method":"notifications/message"}`, c.Receive())
			}},
		{"structured content is any value", script{"tools/call": {`{"jsonrpc":"2.0","id":ID,"result":{"resultType":"complete","content":[],"structuredContent":[1]}}`}}, ClientOptions{Version: "2026-07-28"},
			func(t *testing.T, c *Client) { c.CallTool("t", nil) }},
		{"a question waits", script{"x": {`{"jsonrpc":"2.0","id":5,"method":"roots/list"}`}}, ClientOptions{Version: "2025-11-25", Capabilities: map[string]any{"roots": struct{}{}}},
			func(t *testing.T, c *Client) {
				c.Send(`{"jsonrpc":"2.0","method":"x"}`)
				assert.Equal(t, `{"jsonrpc":"2.0","id":5,"method":"roots/list"}`, c.Receive())
				c.Send(`{"jsonrpc":"2.0","id":5,"result":{"roots":[]}}`)
			}},
		{"what came before the end is received", script{"x": {`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"a"}}`, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"b"}}`, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"c"}}`, "CLOSE"}}, ClientOptions{Version: "2025-11-25"},
			func(t *testing.T, c *Client) {
				c.Send(`{"jsonrpc":"2.0","method":"x"}`)
				synctest.Wait()
				for _, name := range []string{"a", "b", "c"} {
					assert.Contains(t, c.Receive(), `"data":"`+name+`"`)
				}
			}},
		{"a subscription that has ended stays so", script{listenMethod: {
			acknowledged(`{"promptsListChanged":true}`), ended,
		}}, ClientOptions{}, func(t *testing.T, c *Client) {
			c.Listen()
			for range 2 {
				assert.ErrorContains(t, c.waitChanged(), "server has ended the subscription")
			}
		}},
		{"a late answer comes once", script{get: {}, "x": {`{"jsonrpc":"2.0","id":"prompttest-2","result":{}}`, `{"jsonrpc":"2.0","id":"prompttest-2","result":{}}`}}, ClientOptions{Version: "2025-11-25"},
			func(t *testing.T, c *Client) {
				_, _, err := c.request(get, nil)
				assert.ErrorContains(t, err, "has not answered")
				require.NoError(t, c.write([]byte(`{"jsonrpc":"2.0","method":"x"}`)))
				synctest.Wait()
				assert.ErrorContains(t, c.connectionError(nil), "has already been answered")
				c.told = true // the end of the test need not say it again
			}},
		{"a late answer is none", script{get: {}, "x": {`{"jsonrpc":"2.0","id":"prompttest-2","result":{}}`, `{"jsonrpc":"2.0","id":1,"result":{}}`}}, ClientOptions{Version: "2025-11-25"},
			func(t *testing.T, c *Client) {
				_, _, err := c.request(get, nil)
				assert.ErrorContains(t, err, "has not answered")
				c.Send(`{"jsonrpc":"2.0","id":1,"method":"x"}`)
				assert.Equal(t, `{"jsonrpc":"2.0","id":1,"result":{}}`, c.Receive())
			}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { test.do(t, test.script.client(t, test.o)) })
		})
	}
}

// What has come before the end counts, whichever is looked at first.
func TestAnswerBeforeTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for range 16 {
			c := script{get: {greeting, "CLOSE"}}.client(t, ClientOptions{Version: "2025-11-25"})
			id, p, err := c.send(get, nil)
			require.NoError(t, err)
			synctest.Wait()
			_, err = c.await(id, p)
			require.NoError(t, err)
		}
	})
}

// stuck is a transport that does not do its part.
type stuck struct {
	closed                chan struct{}
	reads, writes, closes error
	stays                 bool // Read and Write do not heed Close
}

func (s *stuck) wait(err error) error {
	if err != nil {
		return err
	}
	if s.stays {
		time.Sleep(time.Hour) // of the bubble's time
	}
	<-s.closed
	return io.ErrClosedPipe
}

func (s *stuck) Read(context.Context) ([]byte, error)   { return nil, s.wait(s.reads) }
func (s *stuck) Write(context.Context, ...[]byte) error { return s.wait(s.writes) }
func (s *stuck) Close() error {
	close(s.closed)
	return s.closes
}

// A transport that fails, or does not come back, does not keep the test.
func TestTransportFaults(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		stuck stuck
		want  []string
	}{
		{"nothing is read", stuck{}, []string{"server has not read the message within 1m0s"}},
		{"writing fails", stuck{writes: io.ErrShortWrite}, []string{"sending ", "short write"}},
		{"reading fails", stuck{reads: io.ErrNoProgress}, []string{"reading from the server: multiple Read calls return no data or error"}},
		{"closing fails", stuck{writes: io.ErrShortWrite, closes: io.ErrUnexpectedEOF}, []string{"short write", "Close of the transport must return nil, got: unexpected EOF"}},
		{"it goes on", stuck{stays: true}, []string{"has not read the message", "transport has not returned within 1m0s from Close, or from a Read or Write that Close must end"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				test.stuck.closed = make(chan struct{})
				r := record(t, func(t testing.TB) { NewClient(t, &test.stuck, ClientOptions{}).Get("p", nil) })
				for _, want := range test.want {
					assert.Contains(t, r.all(), want)
				}
				time.Sleep(2 * time.Hour) // for what stays to end
			})
		})
	}
}

// The end of a client waits for the end of its server, and tells if there is
// none, or if it fails.
func TestServeEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var ended bool
		var reg prompts.Registry
		started := make(chan struct{})
		reg.MustAdd(data("slow", func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
			close(started)
			<-ctx.Done()
			ended = true
			return nil, ctx.Err()
		}))
		r := record(t, func(t testing.TB) {
			c := New(t, &reg)
			c.Send(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"slow","_meta":{` +
				`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`)
			<-started
			begin := time.Now()
			c.Close()
			assert.Zero(t, time.Since(begin))
			c.Close()
		})
		assert.Empty(t, r.errors)
		assert.True(t, ended)
	})
}

// A prompt that does not return fails the test by the time limit of its server.
func TestPromptThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var reg prompts.Registry
		reg.MustAdd(data("slow", func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}))
		r := record(t, func(t testing.TB) { New(t, &reg).Get("slow", nil) })
		assert.Contains(t, r.all(), `prompttest: prompts/get "slow": got the error -32603 (internal error): prompt "slow" timed out after 30s`)
	})
}

// A server that goes on after its client has gone is told of.
func TestServerThatGoesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var reg prompts.Registry
		release := make(chan struct{})
		reg.MustAdd(data("deaf", func(context.Context, map[string]string) (*prompts.Result, error) {
			<-release
			return nil, io.EOF
		}))
		r := record(t, func(t testing.TB) {
			Serve(t, prompts.MustNewServer(&reg, prompts.Options{}), ClientOptions{Timeout: time.Millisecond}).Get("deaf", nil)
		})
		expect(t, r.errors, []string{"server has not answered within 1ms", "Serve of the server has not returned within 1ms after its client has closed the connection"})
		close(release)
	})
}

// Why a prompt has failed is in the test's output.
func TestLogged(t *testing.T) {
	t.Parallel()
	r := record(t, func(t testing.TB) { New(t, catalogue()).Get("broken", nil) })
	assert.Contains(t, r.all(), "The log of the server has the cause (prompts.Options.Logger).")
	assert.Contains(t, r.output.String(), "unexpected EOF")
}

// A nil argument fails the test, and no goroutine panics.
func TestNilServerOrConnection(t *testing.T) {
	t.Parallel()
	for want, do := range map[string]func(t testing.TB){
		"prompttest: Serve: server is nil":      func(t testing.TB) { Serve(t, nil, ClientOptions{}) },
		"prompttest: client: connection is nil": func(t testing.TB) { NewClient(t, nil, ClientOptions{Version: "x"}) },
	} {
		assert.Equal(t, want, record(t, do).all())
	}
	assert.PanicsWithValue(t, "prompts: Server is not made by NewServer", func() { Serve(t, &prompts.Server{}, ClientOptions{}) })
}
