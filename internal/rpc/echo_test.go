package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/call"
	"github.com/mcp-prompts/prompts/internal/notify"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/transport"
)

// echo is a feature that is not prompts: echoes have a name, are listed page by
// page, may be hidden from clients, and come and go. Its methods:
//
//	NAME/list {"after"}  -> {"NAME":[…],"next"}
//	NAME/get  {"name"}   -> {"echo":NAME}, or what act does
type echo struct {
	name   string
	rate   float64
	hidden func(ctx context.Context, name string) bool         // nil for none
	act    func(ctx context.Context, name string) (any, error) // nil for none

	mu      sync.Mutex // protects the fields below
	names   []string
	changed map[*func()]struct{}
}

func (e *echo) feature() feature.Feature {
	return feature.Feature{
		Methods: map[string]feature.Method{
			e.name + "/list": {Func: call.Func(finished(e.list))},
			e.name + "/get":  {Func: call.Func(finished(e.get)), RequestsPerSecond: e.rate},
		},
		Capabilities: func(_ string, listChanged bool) map[string]any {
			return map[string]any{e.name: map[string]bool{"listChanged": listChanged}}
		},
		Lists: []feature.List{{
			Notification: "notifications/" + e.name + "/list_changed",
			Filter:       e.name + "ListChanged",
			OnChange:     e.subscribe,
		}},
	}
}

func (e *echo) subscribe(changed func()) func() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.changed == nil {
		e.changed = map[*func()]struct{}{}
	}
	e.changed[&changed] = struct{}{}
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.changed, &changed)
	}
}

func (e *echo) add(name string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.names = append(e.names, name)
	slices.Sort(e.names)
	for f := range e.changed {
		(*f)()
	}
}

func (e *echo) has(name string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Contains(e.names, name)
}

func (e *echo) list(f call.Call, dst []byte) ([]byte, call.Work, error) {
	c := CallOf(f)
	after := strings.Clone(c.Message.Params.Get("after").Text())
	if e.hidden == nil {
		return e.appendPage(context.Background(), dst, after), call.Work{}, nil
	}
	return nil, call.Work{Runner: call.RunnerFunc(func(ctx context.Context, dst []byte) ([]byte, error) {
		return e.appendPage(ctx, dst, after), nil
	})}, nil
}

func (e *echo) appendPage(ctx context.Context, dst []byte, after string) []byte {
	const size = 2
	e.mu.Lock()
	defer e.mu.Unlock()
	dst = fmt.Appendf(dst, `{"%s":[`, e.name)
	n, last := 0, ""
	for _, name := range e.names {
		switch {
		case name <= after || e.hidden != nil && e.hidden(ctx, name):
			continue
		case n == size:
			return fmt.Appendf(dst, `],"next":"%s"}`, last)
		case n > 0:
			dst = append(dst, ',')
		}
		dst = strictjson.AppendString(dst, name)
		n, last = n+1, name
	}
	return append(dst, "]}"...)
}

func (e *echo) get(f call.Call, dst []byte) ([]byte, call.Work, error) {
	c := CallOf(f)
	name := strings.Clone(c.Message.Params.Get("name").Text())
	unknown := wire.InvalidParam("name", "no echo %q", name)
	if !e.has(name) {
		return nil, call.Work{}, unknown
	}
	if e.hidden == nil && e.act == nil && !c.Deferred {
		return fmt.Appendf(dst, `{"echo":%q}`, name), call.Work{}, nil
	}
	return nil, call.Work{Noun: "echo", Name: name, Runner: call.RunnerFunc(func(ctx context.Context, dst []byte) ([]byte, error) {
		if e.hidden != nil && e.hidden(ctx, name) {
			return nil, &Failure{Client: unknown}
		}
		var result any = name
		if e.act != nil {
			var err error
			if result, err = e.act(ctx, name); err != nil {
				return nil, InternalFailure("no echo", err)
			}
		}
		return fmt.Appendf(dst, `{"echo":%q}`, fmt.Sprint(result)), nil
	})}, nil
}

// newTestServer returns a server of the features, with the limits of a Config
// that sets none.
func newTestServer(t testing.TB, c Config, features ...*echo) *Dispatcher {
	t.Helper()
	for _, e := range features {
		c.Features = append(c.Features, e.feature())
	}
	c.Info = func(revision.Revision) ([]byte, []error) { return []byte(`{"name":"s","version":"0"}`), nil }
	c.CacheHints = `"ttlMs":0,"cacheScope":"private"`
	for _, n := range []*int{&c.Limits.Concurrent, &c.Limits.ConcurrentTotal, &c.Limits.ConcurrentPerClient, &c.Limits.Subscriptions, &c.Limits.SubscriptionsTotal} {
		if *n == 0 {
			*n = 64
		}
	}
	c.Limits.MessageBytes = 4 << 20
	if c.Limits.Memory == 0 {
		c.Limits.Memory, c.Limits.MemoryPerClient = 1<<30, 1<<28
	}
	for d, otherwise := range map[*time.Duration]time.Duration{
		&c.Timeouts.Request: 30 * time.Second, &c.Timeouts.Elicit: time.Minute, &c.Timeouts.Drain: 5 * time.Second, &c.Timeouts.Changes: notify.MinPause,
	} {
		if *d == 0 {
			*d = otherwise
		}
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	s, errs := NewDispatcher(c)
	require.Empty(t, errs)
	return s
}

// pipe is a Conn in memory.
type pipe struct {
	in     chan string
	mu     sync.Mutex
	out    []string
	served chan error
}

func serve(t *testing.T, s *Dispatcher) *pipe {
	p := &pipe{in: make(chan string, 1024), served: make(chan error, 1)}
	go func() { p.served <- s.Serve(t.Context(), p) }()
	return p
}

func (p *pipe) Read(ctx context.Context) ([]byte, error) {
	select {
	case msg, ok := <-p.in:
		if !ok {
			return nil, io.EOF
		}
		return []byte(msg), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipe) Write(ctx context.Context, msgs ...[]byte) error {
	for _, msg := range msgs {
		if err := p.write(ctx, msg); err != nil {
			return err
		}
	}
	return nil
}

func (p *pipe) write(_ context.Context, msg []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.out = append(p.out, string(msg))
	clear(msg)
	return nil
}

func (p *pipe) Close() error { return nil }

// ask sends messages and returns what the server has sent since the last call,
// when everything waits.
func (p *pipe) ask(msgs ...string) []string {
	for _, m := range msgs {
		p.in <- m
	}
	synctest.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.out
	p.out = nil
	return out
}

func (p *pipe) end(t *testing.T) {
	t.Helper()
	close(p.in)
	assert.NoError(t, <-p.served)
}

const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

func initializeAs(version string) string {
	return `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
}

func request(id, method, params string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + params + `}}`
}

// statelessRequest is a request of 2026-07-28.
func statelessRequest(id, method, params string) string {
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	if params != "" {
		meta += ","
	}
	return request(id, method, meta+params)
}

func result(id, object string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":` + object + `}`
}

func failed(id string, e *transport.Error) string { return string(wire.ErrorResponse(id, e).Msg) }

func listChanged(name string) string {
	return `{"jsonrpc":"2.0","method":"notifications/` + name + `/list_changed"}`
}

// A server has the methods, capabilities and notifications of all its features.
func TestFeatures(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		birds, fish := &echo{name: "birds", names: []string{"a", "b", "c"}}, &echo{name: "fish"}
		s := newTestServer(t, Config{}, birds, fish)
		assert.Equal(t, []string{"birds/get", "birds/list", "fish/get", "fish/list", "initialize", "ping", "server/discover", "subscriptions/listen"}, s.Methods())
		p := serve(t, s)
		assert.Equal(t, []string{result("0", `{"protocolVersion":"2025-11-25",`+
			`"capabilities":{"birds":{"listChanged":true},"fish":{"listChanged":true}},"serverInfo":{"name":"s","version":"0"}}`)},
			p.ask(initializeAs("2025-11-25"), initialized))

		assert.Equal(t, []string{result("1", `{"birds":["a","b"],"next":"b"}`)}, p.ask(request("1", "birds/list", "")))
		assert.Equal(t, []string{result("1", `{"birds":["c"]}`)}, p.ask(request("1", "birds/list", `"after":"b"`)))
		assert.Equal(t, []string{result("1", `{"echo":"a"}`)}, p.ask(request("1", "birds/get", `"name":"a"`)))
		assert.Equal(t, []string{failed("1", wire.InvalidParam("name", `no echo "a"`))}, p.ask(request("1", "fish/get", `"name":"a"`)))

		// One notification for the changes of each list.
		birds.add("d")
		birds.add("e")
		assert.Empty(t, p.ask())
		time.Sleep(notify.MinPause / 2)
		fish.add("a")
		time.Sleep(notify.MinPause / 2)
		assert.Equal(t, []string{listChanged("birds")}, p.ask())
		time.Sleep(notify.MinPause)
		assert.Equal(t, []string{listChanged("fish")}, p.ask())
		time.Sleep(time.Hour)
		assert.Empty(t, p.ask())
		p.end(t)
		assert.Empty(t, s.InUse())
		assert.Empty(t, birds.changed)
	})
}

// A subscription is notified of the lists that it has asked for.
func TestFeaturesOfASubscription(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		birds, fish := &echo{name: "birds"}, &echo{name: "fish"}
		s := newTestServer(t, Config{}, birds, fish)
		p := serve(t, s)
		meta := func(id string) string { return `"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}` }
		acknowledged := func(id, accepted string) string {
			return `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{` + meta(id) + `,"notifications":{` + accepted + `}}}`
		}
		changed := func(id, name string) string {
			return `{"jsonrpc":"2.0","method":"notifications/` + name + `/list_changed","params":{` + meta(id) + `}}`
		}
		listen := func(id, notifications string) string {
			return statelessRequest(id, MethodListen, `"notifications":{`+notifications+`}`)
		}
		assert.Equal(t, []string{acknowledged("1", `"fishListChanged":true`)}, p.ask(listen("1", `"fishListChanged":true,"birdsListChanged":false,"toolsListChanged":true`)))
		assert.Equal(t, []string{acknowledged("2", `"birdsListChanged":true,"fishListChanged":true`)}, p.ask(listen("2", `"fishListChanged":true,"birdsListChanged":true`)))
		for notifications, message := range map[string]string{
			`"FishListChanged":true`: `unknown member "FishListChanged" of params.notifications: member names are case-sensitive, use "fishListChanged"`,
			`"fishListChanged":1`:    `params.notifications["fishListChanged"] must be a boolean, got number`,
		} {
			assert.Equal(t, []string{failed("3", wire.InvalidParam("notifications", "%s", message))}, p.ask(listen("3", notifications)))
		}
		fish.add("a")
		time.Sleep(notify.MinPause)
		assert.ElementsMatch(t, []string{changed("1", "fish"), changed("2", "fish")}, p.ask())
		birds.add("a")
		time.Sleep(notify.MinPause)
		assert.Equal(t, []string{changed("2", "birds")}, p.ask())
		assert.Empty(t, p.ask(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`))
		birds.add("b")
		fish.add("b") // which the end sends
		p.end(t)
		out := p.ask()
		require.Len(t, out, 3)
		assert.Equal(t, changed("1", "fish"), out[0])
		assert.Contains(t, out[1], `"resultType":"complete"`)
		assert.Empty(t, s.InUse())
	})
}

type principalKey struct{}

// What a client may not see is as if it were not there, whoever else may.
func TestVisibilityOfAFeature(t *testing.T) {
	t.Parallel()
	hidden := func(ctx context.Context, name string) bool { return ctx.Value(principalKey{}) != "ada" && name == "b" }
	s := newTestServer(t, Config{}, &echo{name: "birds", names: []string{"a", "b", "c"}, hidden: hidden})
	call := func(who, method, params string) string {
		t.Helper()
		got, err := s.Call(context.WithValue(t.Context(), principalKey{}, who), method, []byte(params), CallOptions{Version: "2025-11-25"})
		if err != nil {
			return err.Error()
		}
		return string(got)
	}
	assert.Equal(t, `{"birds":["a","b"],"next":"b"}`, call("ada", "birds/list", "{}"))
	assert.Equal(t, `{"birds":["a","c"]}`, call("eve", "birds/list", "{}"))
	assert.Equal(t, `{"echo":"b"}`, call("ada", "birds/get", `{"name":"b"}`))
	assert.Equal(t, `no echo "b" (-32602)`, call("eve", "birds/get", `{"name":"b"}`))
	assert.Equal(t, `no echo "x" (-32602)`, call("eve", "birds/get", `{"name":"x"}`))
}

// A feature's methods are under the limits of the server, and their own rate.
func TestLimitsOfAFeature(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := &echo{name: "slow", names: []string{"a"}, act: func(context.Context, string) (any, error) {
			time.Sleep(time.Hour) // and keeps its slot when the wait of the next one ends
			return "late", nil
		}}
		rated := &echo{name: "rated", rate: 1, names: []string{"a"}}
		s := newTestServer(t, Config{Limits: Limits{Concurrent: 1}, Timeouts: Timeouts{Request: time.Minute}}, slow, rated)
		p := serve(t, s)
		p.ask(initializeAs("2025-11-25"), initialized)
		get := func(id, feature string) string { return request(id, feature+"/get", `"name":"a"`) }
		assert.Empty(t, p.ask(get("1", "slow")))
		assert.Empty(t, p.ask(get("2", "slow")))
		p.in <- get("3", "slow")
		time.Sleep(time.Second)
		assert.Equal(t, []string{failed("3", wire.Busy())}, p.ask(), "one runs and one waits")
		ok := result("4", `{"echo":"a"}`)
		assert.Equal(t, []string{ok, ok}, p.ask(get("4", "rated"), get("4", "rated")))
		assert.Contains(t, p.ask(get("4", "rated"))[0], "rate limit exceeded; retry in 1000 ms")
		time.Sleep(time.Minute)
		ended := p.ask()
		require.Len(t, ended, 2)
		assert.Contains(t, ended, failed("2", wire.Busy()))
		assert.Contains(t, strings.Join(ended, ""), " timed out after 1m0s")
		time.Sleep(2 * time.Hour)
		assert.Equal(t, []string{ok}, p.ask(get("4", "rated")))
		p.end(t)
		assert.Empty(t, s.InUse())
	})
}

// Call returns at the end of its context and at the time limit, even if the
// application's code goes on.
func TestCallDoesNotWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		deaf := &echo{name: "deaf", names: []string{"a"}, act: func(ctx context.Context, _ string) (any, error) {
			time.Sleep(time.Hour)
			Progress(ctx, 1, 2, "") // which nobody gets
			return "late", nil
		}}
		var log strings.Builder
		s := newTestServer(t, Config{Logger: slog.New(slog.NewTextHandler(&log, nil))}, deaf)
		call := func(ctx context.Context) error {
			_, err := s.Call(ctx, "deaf/get", []byte(`{"name":"a","_meta":{"progressToken":1}}`), CallOptions{Version: "2025-11-25", Notify: func(string, json.RawMessage) { t.Error("a notification after the end") }})
			return err
		}
		began := time.Now()
		late := (*transport.Error)(nil)
		require.ErrorAs(t, call(t.Context()), &late)
		assert.Regexp(t, `timed out after 30s \(error id [0-9a-f]{8}\)$`, late.Message)
		assert.Equal(t, 30*time.Second, time.Since(began))
		assert.Contains(t, log.String(), "request timed out")
		cause := errors.New("the caller has gone")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(cause) })
		assert.Equal(t, cause, call(ctx))
		assert.Equal(t, 31*time.Second, time.Since(began))
		assert.Equal(t, map[string]int{"tasks": 2, "slots": 2}, s.InUse(), "the code counts until it returns")
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		assert.Empty(t, s.InUse())
	})
}

// finished is serve with a result that is sent unchanged.
func finished(serve func(call.Call, []byte) ([]byte, call.Work, error)) func(call.Call, []byte) ([]byte, call.Work, error) {
	return func(c call.Call, dst []byte) ([]byte, call.Work, error) {
		CallOf(c).IsFinished = true
		return serve(c, dst)
	}
}
