package prompttest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// script is a server that answers as a test says: with these messages, in which
// ID stands for the id of the request and TOKEN for its progress token. It
// closes the connection after CLOSE, and does not answer what it has no
// messages for.
type script map[string][]string

const handshake = `{"jsonrpc":"2.0","id":ID,"result":{"protocolVersion":"2025-11-25","capabilities":{"prompts":{}},"serverInfo":{"name":"s","version":"1"}}}`

// serve answers until its client has gone.
func (s script) serve(transport prompts.Transport) {
	defer transport.Close()
	for {
		msg, err := transport.Read(context.Background())
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
		for _, a := range answers {
			if a == "CLOSE" {
				return
			}
			if transport.Write(context.Background(), []byte(strings.ReplaceAll(a, "ID", string(m.ID)))) != nil {
				return
			}
		}
	}
}

// client returns a client of the script.
func (s script) client(t testing.TB, o ClientOptions) *Client {
	t.Helper()
	near, far := Pipe()
	go s.serve(far)
	return NewClient(t, near, o)
}

const (
	get      = "prompts/get"
	greeting = `{"jsonrpc":"2.0","id":ID,"result":{"messages":[]}}`
	modern   = `{"jsonrpc":"2.0","id":ID,"result":{"resultType":"complete","messages":[]}}`
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
		{name: "no answer", want: `prompts/get "p": the server has not answered within 10s`},
		{name: "no answer in less time", options: ClientOptions{Timeout: time.Second}, want: "within 1s"},
		{name: "closed", script: script{get: {"CLOSE"}}, want: "the server has closed the connection"},
		{name: "closed in the handshake", script: script{"initialize": {"CLOSE"}}, want: "initialize: the server has closed the connection"},
		{name: "no JSON", script: script{get: {"hello"}}, want: "the server has sent what it should not: invalid JSON at byte 0: expected a value\n\tIt has sent: hello"},
		{name: "nothing in a message", script: script{get: {""}}, want: "invalid JSON at byte 0: no value\n\tIt has sent an empty message."},
		{name: "no UTF-8", script: script{get: {"\"\xff\""}}, want: "invalid JSON at byte 1: invalid UTF-8"},
		{name: "two values", script: script{get: {`{} {}`}}, want: "invalid JSON at byte 3: text after the value"},
		{name: "half a value", script: script{get: {`{"a":`}}, want: "invalid JSON at byte 5: unexpected end of text"},
		{name: "no object", script: script{get: {`1`}}, want: "it is not a JSON object"},
		{name: "a batch", script: script{get: {"[" + greeting + "]"}}, want: "no batch was asked for"},
		{name: "a batch that nobody asked for", version: "2025-03-26", script: script{
			"initialize": {strings.ReplaceAll(handshake, "2025-11-25", "2025-03-26")}, get: {"[" + greeting + "]"},
		}, want: "no batch was asked for"},
		{name: "no version", script: script{get: {`{"id":ID,"result":{}}`}}, want: `it has no member "jsonrpc"`},
		{name: "another version", script: script{get: {`{"jsonrpc":"1.0","id":ID,"result":{}}`}}, want: `it has a member "jsonrpc" that is not "2.0"`},
		{name: "a member twice", script: script{get: {`{"jsonrpc":"2.0","id":ID,"result":{"messages":[],"messages":[]}}`}}, want: "duplicate key \"messages\" at byte 61"},
		{name: "a member too many", script: script{get: {`{"jsonrpc":"2.0","id":ID,"result":{},"Result":{}}`}}, want: "that it should not have in this revision: Result"},
		{name: "result and error", script: script{get: {`{"jsonrpc":"2.0","id":ID,"result":{},"error":{"code":1,"message":""}}`}}, want: "neither a method nor one of result and error"},
		{name: "neither", script: script{get: {`{"jsonrpc":"2.0","id":ID}`}}, want: "neither a method nor one of result and error"},
		{name: "a bad id", script: script{get: {`{"jsonrpc":"2.0","id":1.5,"result":{}}`}}, want: "neither a string nor an integer"},
		{name: "no id", script: script{get: {`{"jsonrpc":"2.0","result":{}}`}}, want: "has a result and no id"},
		{name: "an error without an id", script: script{get: {`{"jsonrpc":"2.0","error":{"code":-32600,"message":"m"}}`}}, want: "nothing was sent that could not be read"},
		{name: "a bad error", script: script{get: {`{"jsonrpc":"2.0","id":ID,"error":{"code":"1","message":"m"}}`}}, want: `has a member "code" that is not an integer`},
		{name: "another id", script: script{get: {`{"jsonrpc":"2.0","id":"x","result":{}}`}}, want: `no request with the id "x" waits for an answer`},
		{name: "the id as another type", script: script{get: {`{"jsonrpc":"2.0","id":2,"result":{}}`}}, want: "no request with the id 2 waits"},
		{name: "two answers", script: script{get: {greeting, greeting}}, do: func(c *Client) {
			c.Get("p", nil)
			synctest.Wait()
			c.Close()
		}, want: `the request "prompttest-2" has been answered before`},
		{name: "two answers and another request", script: script{get: {greeting, greeting}}, do: func(c *Client) {
			c.Get("p", nil)
			synctest.Wait()
			c.Get("p", nil)
		}, want: `has been answered before`},
		{name: "an error", script: script{get: {`{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"bad","data":{"problems":[{"argument":"a","reason":"enum","message":"is odd","allowed":["b"],"suggestion":"b"}]}}}`}},
			want: "the client gets the error -32602 (invalid params): bad\n\targument \"a\": is odd (enum; allowed: [\"b\"]; suggestion: \"b\")"},
		{name: "an error with data", script: script{get: {`{"jsonrpc":"2.0","id":ID,"error":{"code":7,"message":"bad","data":{"a":1}}}`}},
			want: "the client gets the error 7 (of the application): bad\n\tdata: {\"a\":1}"},
		{name: "no error", script: script{get: {greeting}}, do: func(c *Client) { c.GetError("p", nil) },
			want: "it should have failed, but the client gets:\n=== no messages"},
		{name: "a question to one who cannot be asked", script: script{get: {ask}}, want: "set ClientOptions.Answer"},
		{name: "a request in 2026-07-28", version: "2026-07-28", script: script{get: {ask}}, want: "in this revision a server sends no requests"},
		{name: "a change in 2026-07-28", version: "2026-07-28", script: script{get: {`{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`}},
			want: "in this revision a change is told to a subscription"},
		{name: "no resultType", version: "2026-07-28", script: script{get: {greeting}}, want: `the result has no member "resultType"`},
		{name: "another resultType", version: "2026-07-28", script: script{get: {strings.ReplaceAll(modern, "complete", "done")}}, want: `has the resultType "done"`},
		{name: "resultType too early", script: script{get: {modern}}, want: "should not have in this revision: resultType"},
		{name: "a question without an answer", version: "2026-07-28",
			script: script{get: {`{"jsonrpc":"2.0","id":ID,"result":{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{"message":"Who?"}}}}}`}},
			want:   "it asks (elicitation/create: Who?): set ClientOptions.Answer"},
		{name: "an error as an answer", version: "2026-07-28", options: ClientOptions{Answer: func(Question) any { return io.EOF }},
			script: script{get: {`{"jsonrpc":"2.0","id":ID,"result":{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create"}}}}`}},
			want:   `the question "k" cannot be answered with an error in revision 2026-07-28: EOF`},
		{name: "questions without end", version: "2026-07-28",
			script: script{get: {`{"jsonrpc":"2.0","id":ID,"result":{"resultType":"input_required","requestState":"s"}}`}}, want: "it has asked 32 times"},
		{name: "no question", version: "2026-07-28", script: script{get: {`{"jsonrpc":"2.0","id":ID,"result":{"resultType":"input_required"}}`}},
			want: "neither inputRequests nor a requestState"},
		{name: "another revision", script: script{"initialize": {strings.ReplaceAll(handshake, "2025-11-25", "2024-11-05")}},
			want: `has the protocolVersion "2024-11-05", but the client speaks 2025-11-25`},
		{name: "a refused handshake", script: script{"initialize": {`{"jsonrpc":"2.0","id":ID,"error":{"code":-32600,"message":"no"}}`}}, want: "initialize: the client gets the error -32600"},
		{name: "no server", script: script{"initialize": {`{"jsonrpc":"2.0","id":ID,"result":{"protocolVersion":"2025-11-25","capabilities":{}}}`}}, want: "the serverInfo is not a JSON object"},
		{name: "a version that there is not", version: "2025-01-01", want: `there is no revision "2025-01-01" of the protocol`},
		{name: "a list without end", script: script{"prompts/list": {`{"jsonrpc":"2.0","id":ID,"result":{"prompts":[],"nextCursor":"c"}}`}},
			do: func(c *Client) { c.List() }, want: `the cursor "c" comes twice`},
		{name: "a prompt twice", script: script{"prompts/list": {`{"jsonrpc":"2.0","id":ID,"result":{"prompts":[{"name":"a"},{"name":"a"}]}}`}},
			do: func(c *Client) { c.List() }, want: `the prompt "a" is listed twice`},
		{name: "a list is refused", script: script{"prompts/list": {`{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"no"}}`}},
			do: func(c *Client) { c.List() }, want: "prompts/list: the client gets the error -32601 (method not found)"},
		{name: "a completion is refused", script: script{"completion/complete": {`{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"no"}}`}},
			do: func(c *Client) { c.Complete("p", "a", "", nil) }, want: `completion/complete of "p", "a": the client gets the error -32601`},
		{name: "changes are not told", do: func(c *Client) { c.Listen() }, want: "it has not advertised prompts.listChanged"},
		{name: "nobody listens", version: "2026-07-28", do: func(c *Client) { c.WaitChanged(context.Background()) }, want: "call Listen before WaitChanged"},
		{name: "no acknowledgement", version: "2026-07-28", do: func(c *Client) { c.Listen() }, want: "the server has not acknowledged it within 10s"},
		{name: "a subscription is refused", version: "2026-07-28", script: script{listenMethod: {`{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"no"}}`}},
			do: func(c *Client) { c.Listen() }, want: "subscriptions/listen: the client gets the error -32601"},
		{name: "a subscription ends at once", version: "2026-07-28", script: script{listenMethod: {`{"jsonrpc":"2.0","id":ID,"result":{"resultType":"complete"}}`}},
			do: func(c *Client) { c.Listen() }, want: "does not tell changes"},
		{name: "a subscription to nothing", version: "2026-07-28", script: script{listenMethod: {acknowledged(`{}`)}},
			do: func(c *Client) { c.Listen() }, want: "does not tell changes"},
		{name: "a subscription ends", version: "2026-07-28", script: script{listenMethod: {acknowledged(`{"promptsListChanged":true}`), `{"jsonrpc":"2.0","id":ID,"result":{"resultType":"complete"}}`}},
			do: func(c *Client) {
				c.Listen()
				c.WaitChanged(context.Background())
			}, want: "the server has ended the subscription"},
		{name: "closed while it subscribes", version: "2026-07-28", script: script{listenMethod: {"CLOSE"}}, do: func(c *Client) { c.Listen() },
			want: "subscriptions/listen: the server has closed the connection"},
		{name: "closed while a change is waited for", version: "2026-07-28", script: script{listenMethod: {acknowledged(`{"promptsListChanged":true}`), "CLOSE"}},
			do: func(c *Client) {
				c.Listen()
				c.WaitChanged(context.Background())
			}, want: "the server has closed the connection"},
		{name: "acknowledged twice", version: "2026-07-28", script: script{listenMethod: {acknowledged(`{"promptsListChanged":true}`), acknowledged(`{"promptsListChanged":true}`), acknowledged(`{"promptsListChanged":true}`)}},
			do: func(c *Client) {
				c.Listen()
				c.WaitChanged(context.Background())
			}, want: "the subscription has been acknowledged before"},
		{name: "a change before the acknowledgement", version: "2026-07-28", script: script{listenMethod: {told, acknowledged(`{"promptsListChanged":true}`)}},
			do: func(c *Client) { c.Listen() }, want: "the subscription has not been acknowledged before"},
		{name: "a change after the end", version: "2026-07-28", script: script{listenMethod: {
			acknowledged(`{"promptsListChanged":true}`), `{"jsonrpc":"2.0","id":ID,"result":{"resultType":"complete"}}`, told,
		}}, do: func(c *Client) {
			c.Listen()
			synctest.Wait()
		}, want: "the subscription has ended before"},
		{name: "another change", version: "2026-07-28", script: script{listenMethod: {acknowledged(`{"promptsListChanged":true}`), strings.ReplaceAll(told, "prompts", "tools")}},
			do: func(c *Client) {
				c.Listen()
				synctest.Wait()
			}, want: "this client has not subscribed to that"},
		{name: "no change", do: func(c *Client) { c.WaitChanged(context.Background()) }, want: "the server has not told of a change within 10s"},
		{name: "no change in the time of the context", do: func(c *Client) {
			ctx, cancel := context.WithTimeoutCause(context.Background(), time.Second, errors.New("too late"))
			defer cancel()
			c.WaitChanged(ctx)
		}, want: "the server has not told of a change: too late"},
		{name: "nothing to receive", do: func(c *Client) { c.Receive() }, want: "no message has come to be received within 10s"},
		{name: "closed, and nothing to receive", script: script{"x": {"CLOSE"}}, do: func(c *Client) {
			c.Send(`{"jsonrpc":"2.0","method":"x"}`)
			c.Receive()
		}, want: "the server has closed the connection"},
		{name: "params that are no object", do: func(c *Client) { c.Call("x", []int{1}) }, want: "x: its params are not a JSON object"},
		{name: "params that are no JSON", do: func(c *Client) { c.Call("x", func() {}) }, want: "this test's values are not JSON"},
		{name: "a request after the end", do: func(c *Client) {
			c.Close()
			c.Get("p", nil)
		}, want: "the client is closed"},
		{name: "a message after the end", do: func(c *Client) {
			c.Close()
			c.Send("{}")
		}, want: "the client is closed"},
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
		{"a notification waits", script{get: {`{"jsonrpc":"2.0","method":"notifications/message","params":{}}`, greeting}}, ClientOptions{Version: "2025-11-25"},
			func(t *testing.T, c *Client) {
				c.Get("p", nil)
				assert.Equal(t, `{"jsonrpc":"2.0","method":"notifications/message","params":{}}`, c.Receive())
			}},
		{"a question waits", script{"x": {`{"jsonrpc":"2.0","id":5,"method":"roots/list"}`}}, ClientOptions{Version: "2025-11-25", Capabilities: map[string]any{"roots": struct{}{}}},
			func(t *testing.T, c *Client) {
				c.Send(`{"jsonrpc":"2.0","method":"x"}`)
				assert.Equal(t, `{"jsonrpc":"2.0","id":5,"method":"roots/list"}`, c.Receive())
				c.Send(`{"jsonrpc":"2.0","id":5,"result":{"roots":[]}}`)
			}},
		{"what came before the end is received", script{"x": {`{"jsonrpc":"2.0","method":"a"}`, `{"jsonrpc":"2.0","method":"b"}`, `{"jsonrpc":"2.0","method":"c"}`, "CLOSE"}}, ClientOptions{Version: "2025-11-25"},
			func(t *testing.T, c *Client) {
				c.Send(`{"jsonrpc":"2.0","method":"x"}`)
				synctest.Wait()
				for _, name := range []string{"a", "b", "c"} {
					assert.Equal(t, `{"jsonrpc":"2.0","method":"`+name+`"}`, c.Receive())
				}
			}},
		{"a subscription that has ended stays so", script{listenMethod: {
			acknowledged(`{"promptsListChanged":true}`), `{"jsonrpc":"2.0","id":ID,"result":{"resultType":"complete"}}`,
		}}, ClientOptions{}, func(t *testing.T, c *Client) {
			c.Listen()
			for range 2 {
				assert.ErrorContains(t, c.waitChanged(t.Context()), "the server has ended the subscription")
			}
		}},
		{"a late answer comes once", script{get: {}, "x": {`{"jsonrpc":"2.0","id":"prompttest-2","result":{}}`, `{"jsonrpc":"2.0","id":"prompttest-2","result":{}}`}}, ClientOptions{Version: "2025-11-25"},
			func(t *testing.T, c *Client) {
				_, _, err := c.request(get, nil)
				assert.ErrorContains(t, err, "has not answered")
				require.NoError(t, c.write([]byte(`{"jsonrpc":"2.0","method":"x"}`)))
				synctest.Wait()
				assert.ErrorContains(t, c.because(nil), "has been answered before")
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

func (s *stuck) Read(context.Context) ([]byte, error)    { return nil, s.wait(s.reads) }
func (s *stuck) Write(_ context.Context, _ []byte) error { return s.wait(s.writes) }
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
		{"nothing is read", stuck{}, []string{"the server has not taken it within 10s"}},
		{"writing fails", stuck{writes: io.ErrShortWrite}, []string{"sending ", "short write"}},
		{"reading fails", stuck{reads: io.ErrNoProgress}, []string{"reading from the server: multiple Read calls return no data or error"}},
		{"closing fails", stuck{writes: io.ErrShortWrite, closes: io.ErrUnexpectedEOF}, []string{"short write", "closing the transport: unexpected EOF"}},
		{"it goes on", stuck{stays: true}, []string{"has not taken it", "the transport's Close, or a Read or Write that it has to end, has not returned within 10s"}},
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

// A prompt that does not come back ends the test, within the time limit that
// it has.
func TestPromptThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var reg prompts.Registry
		reg.MustAdd(data("slow", func(ctx context.Context, _ map[string]string) (*prompts.Result, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}))
		r := record(t, func(t testing.TB) { New(t, &reg).Get("slow", nil) })
		assert.Equal(t, `prompttest: prompts/get "slow": the server has not answered within 10s`, r.all())
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
			Serve(t, prompts.NewServer(&reg, prompts.Options{}), ClientOptions{Timeout: time.Millisecond}).Get("deaf", nil)
		})
		expect(t, r.errors, []string{"the server has not answered within 1ms", "the server's Serve has not returned within 1ms of the end of its client"})
		close(release)
	})
}

// Why a prompt has failed is in the test's output.
func TestLogged(t *testing.T) {
	t.Parallel()
	r := record(t, func(t testing.TB) { New(t, catalogue()).Get("broken", nil) })
	assert.Contains(t, r.all(), "The cause is in what the server logs (prompts.Options.Logger).")
	assert.Contains(t, r.output.String(), "unexpected EOF")
}
