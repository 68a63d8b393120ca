package rpc_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/streamablehttp"
	"github.com/mcp-prompts/prompts/transport"
)

// The tests of this file measure the heap of the process, so they are not parallel.

var seeds = flag.Uint64("seeds", 1, "how many servers TestMemoryFormula fills, each with other limits")

// liveHeapSince returns by how much the live heap has grown. Goroutines that earlier tests
// left may still hold memory of their own for a moment, so it measures again, some times,
// while the result is over the limit.
func liveHeapSince(before, limit int64) int64 {
	grown := servertest.LiveHeap() - before
	for range 100 {
		if grown < limit {
			break
		}
		grown = min(grown, servertest.LiveHeap()-before)
	}
	return grown
}

// The memory that clients make the server hold is within the formula of
// docs/limits.md, whatever the limits, when every kind of holding is filled at
// once; and it is a good part of the formula, or the formula would say nothing.
func TestMemoryFormula(t *testing.T) {
	if testing.Short() {
		t.Skip("a measurement, which takes long")
	}
	for seed := range *seeds {
		random := rand.New(rand.NewPCG(seed, 19))
		between := func(low, high int) int { return low + random.IntN(high-low+1) }
		const kib, mib = 1 << 10, 1 << 20
		l := prompts.Limits{
			MaxMemoryBytes:         between(32, 64) * mib,
			MaxMessageBytes:        between(64, 128) * kib,
			MaxConcurrentTotal:     between(2, 12),
			MaxConcurrent:          between(2, 12),
			MaxSubscriptions:       between(10, 60),
			MaxResultBytes:         2 * mib,
			MaxConcurrentPerClient: 4,
		}
		l.MaxSubscriptionsTotal = between(100, 200)
		result, cache := between(64*kib, mib), between(1, 4)*mib
		o := streamablehttp.Options{MaxStreams: between(40, 90), MaxSessions: between(4, 20)}
		connections := between(1, 2)

		formula := l.MaxMemoryBytes + // large messages and responses
			16*l.MaxMessageBytes + // bodies that are received over HTTP
			o.MaxStreams*(96*kib+headerBytes) + // requests and streams over HTTP
			o.MaxSessions*4*kib +
			2*l.MaxConcurrentTotal*64*kib + // small messages and responses of requests that run and wait
			l.MaxSubscriptionsTotal*4*kib +
			32*mib + // what clients have seen of the skills
			connections*(2*l.MaxMessageBytes+result+128*kib) +
			cache +
			l.MaxConcurrentTotal*rendering

		h := newHolder(l, o, result, cache)
		before := servertest.LiveHeap()
		fill(h, l, o, random, cache, connections)
		held := liveHeapSince(before, int64(formula))
		share := float64(held) / float64(formula)
		t.Logf("seed %d: %d KiB of %d KiB, %.2f", seed, held/kib, formula/kib, share)
		assert.LessOrEqual(t, share, 1.0, "seed %d: %+v", seed, l)
		assert.GreaterOrEqual(t, share, 0.4, "seed %d: %+v", seed, l)
		h.close()
	}
}

// fill has clients of a holder hold something of every kind, and memory until there
// is no more.
func fill(h *holder, l prompts.Limits, o streamablehttp.Options, random *rand.Rand, cache, connections int) {
	for i := range 2 * cache / (64 << 10) { // more than the cache keeps
		h.handle([]byte(getOf("cached", fmt.Sprint(i))), transport.Exchange{})
	}
	for i := range 64 { // and more than is remembered of them
		h.see(fmt.Sprint("lister ", i), l.MaxMessageBytes/2)
	}
	for range min(o.MaxSessions, 8) {
		h.ask(random.IntN(l.MaxMessageBytes/2), l.MaxMessageBytes/3)
	}
	for range connections {
		h.subscribe(l.MaxSubscriptions)
	}
	h.batch()
	refused := 0
	for i := 0; refused < 8 && i < 1000; i++ {
		if h.unread(fmt.Sprint("reader ", i%8), getOf("large", "")) != 0 {
			refused++
		}
	}
	for i := range 16 {
		h.body(fmt.Sprint("sender ", i/4), l.MaxMessageBytes)
	}
	for range o.MaxStreams - min(o.MaxSessions, 8) - 16 {
		h.listen(l.MaxMessageBytes)
	}
	const parsed, reserved = 11, 32 // bytes for each byte of a message of numbers, and of any
	for range max(l.MaxMemoryBytes/16, reserved*l.MaxMessageBytes) / (parsed * l.MaxMessageBytes) {
		h.parse(l.MaxMessageBytes)
	}
	for range l.MaxConcurrentTotal {
		h.run(false)
	}
	for range l.MaxConcurrentTotal {
		h.run(true)
	}
}

// A stream that is idle, a question that waits and a completion that runs keep nothing of
// the message that began them but its params.
func TestStreamsKeepNoMessage(t *testing.T) {
	if testing.Short() {
		t.Skip("a measurement, which takes long")
	}
	h := newHolder(prompts.Limits{}, streamablehttp.Options{}, 0, 0)
	defer h.close()
	before := servertest.LiveHeap()
	for range 25 {
		h.listen(1 << 20)
		h.ask(10, 1<<20-1000)
		h.complete(1<<20 - 1000)
	}
	assert.Less(t, liveHeapSince(before, int64(8<<20)), int64(8<<20), "50 headers among it")
}

// Messages that are parsed at once take no more memory together than is reserved
// for parsing: the others wait for their turn.
func TestParsesAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("a measurement, which takes long")
	}
	msg := []byte(numbers(1 << 20))
	synctest.Test(t, func(t *testing.T) { // not parallel: others would have memory in the same heap
		h := newHolder(prompts.Limits{MaxMessageBytes: 1 << 20, MaxMemoryBytes: 1 << 30}, streamablehttp.Options{}, 0, 0)
		before := servertest.LiveHeap()
		const all = 20
		for range all {
			h.held.Go(func() { h.handle(msg, transport.Exchange{CheckVersion: h.checkThatBlocks}) })
		}
		synctest.Wait()
		// A sixteenth of 1 GiB is for parsing. A message takes 1 MiB for a copy, as
		// much for what may be kept of it, and 8 MiB for its half a million numbers.
		assert.EqualValues(t, 64/(1+1+8), len(h.took))
		assert.Less(t, liveHeapSince(before, int64(64<<20)), int64(64<<20))
		close(h.blocked)
		h.held.Wait()
		h.stop()
		assert.EqualValues(t, all, len(h.took), "in the end all are parsed")
	})
}

// Responses that clients do not read take no more memory than the limit, whatever
// the number of requests that may run.
func TestUnreadResponses(t *testing.T) {
	if testing.Short() {
		t.Skip("a measurement, which takes long")
	}
	h := newHolder(prompts.Limits{MaxConcurrentTotal: 8, MaxMessageBytes: 1 << 20, MaxMemoryBytes: 64 << 20}, streamablehttp.Options{}, 1<<20, 0)
	defer h.close()
	before := servertest.LiveHeap()
	sent := map[string]int{}
	for i := range 120 {
		client := fmt.Sprint("client ", i%3)
		if h.unread(client, getOf("large", "")) == 0 {
			sent[client]++
		}
	}
	assert.Less(t, liveHeapSince(before, int64(64<<20)), int64(64<<20))
	for client, n := range sent { // a quarter each, less a sixteenth or what one message needs
		assert.Less(t, n, 64/4, client)
		assert.Positive(t, n, client)
	}
	assert.Equal(t, prompts.CodeInternalError, h.unread("client 0", getOf("large", "")))
	assert.Zero(t, h.unread("another", getOf("large", "")), "the others have their share")
}

// An error that is not read counts as any other response: a small request may have a
// large one, such as all the values that an argument may have.
func TestUnreadErrors(t *testing.T) {
	h := newHolder(prompts.Limits{MaxMessageBytes: 64 << 10, MaxMemoryBytes: 64 << 20}, streamablehttp.Options{}, 0, 0)
	defer h.close()
	before := servertest.LiveHeap()
	sent := 0
	for h.unread("client", getOf("fail", "")) == failed.Code {
		sent++
		require.Less(t, sent, 1000)
	}
	assert.Positive(t, sent)
	assert.Less(t, liveHeapSince(before, int64(16<<20)), int64(16<<20), "a quarter is the share of one client")
	assert.Equal(t, failed.Code, h.unread("another", getOf("fail", "")), "the others have their share")
}

// A middleware and a Method get all of the metadata of a message, which therefore counts.
func TestMetadataForTheApplicationCounts(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		const size, all = 512 << 10, 40
		const share = 8 << 20 / size // of one client, half of which is for parsing
		w := servertest.NewWaiter()
		method := func(ctx context.Context, params json.RawMessage) (any, error) {
			w.Running.Add(1)
			defer w.Running.Add(-1)
			<-ctx.Done()
			runtime.KeepAlive(params)
			return nil, ctx.Err()
		}
		s := prompts.MustNewServer(servertest.RegistryOf(w.Prompt("wait")), prompts.Options{
			Limits:   prompts.Limits{MaxMessageBytes: 1 << 20, MaxMemoryBytes: 64 << 20},
			Features: servertest.Methods(map[string]servertest.Method{"m": method}),
		})
		passes := prompts.MustNewServer(servertest.RegistryOf(w.Prompt("wait")), prompts.Options{Limits: servertest.Filled(s).Limits, Middleware: servertest.Passing})
		for name, test := range map[string]struct {
			server *prompts.Server
			msg    string
			want   int
		}{
			"none":       {s, getOf("wait", ""), all},
			"middleware": {passes, getOf("wait", ""), share},
			"method":     {s, servertest.EnvelopedLine("1", "m", ""), share},
		} {
			msg := []byte(strings.Replace(test.msg, `"_meta":{`, `"_meta":{"pad":"`+strings.Repeat("x", size)+`",`, 1))
			ctx, cancel := context.WithCancel(t.Context())
			var ended sync.WaitGroup
			for range all {
				ended.Go(func() {
					_ = test.server.Handle(ctx, msg, transport.Exchange{ClientKey: "client", Send: func([]byte, transport.Code, bool) error { return nil }})
				})
				synctest.Wait()
			}
			assert.InDelta(t, test.want, w.Running.Load(), 1, name)
			cancel()
			ended.Wait()
		}
	})
}

// Release is called once for each message, before anything is sent.
func TestRelease(t *testing.T) {
	t.Parallel()
	s := prompts.MustNewServer(servertest.RegistryOf(servertest.TextPrompt("a", "x")), prompts.Options{Limits: prompts.Limits{MaxMessageBytes: 50_000}})
	for name, msg := range map[string]string{
		"request":       getOf("a", "x"),
		"large":         getOf("a", strings.Repeat("x", 20_000)),
		"too large":     strings.Repeat("x", 50_001),
		"no JSON":       "{",
		"unknown":       getOf("b", ""),
		"notification":  servertest.InitializedLine,
		"the transport": strings.Replace(getOf("a", ""), `"a"`, `"panics"`, 1),
	} {
		released := 0
		func() {
			defer func() { _ = recover() }()
			_ = s.Handle(t.Context(), []byte(msg), transport.Exchange{
				CheckVersion: func(r transport.RequestInfo) error {
					if r.Name == "panics" {
						panic(errors.New("test"))
					}
					return nil
				},
				Release: func() { released++ },
				Send:    func([]byte, transport.Code, bool) error { assert.Equal(t, 1, released, name); return nil },
			})
		}()
		assert.Equal(t, 1, released, name)
	}
}

// A cache counts the memory that its results take, whatever they are made of, and not
// their JSON.
func TestCachesCountMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("a measurement, which takes long")
	}
	const most = 1 << 20
	source := strings.Repeat("x", 64<<10)
	small := func(n int) (all []any) {
		for range n {
			all = append(all, map[string]any{"a": 1000})
		}
		return all
	}
	wide := func(n int) prompts.Meta {
		m := prompts.Meta{}
		for i := range 10 * n {
			m[fmt.Sprint("m", i)] = i
		}
		for i := range 9 * n {
			delete(m, fmt.Sprint("m", i))
		}
		return m
	}
	type own struct{ A []*time.Time }
	for name, result := range map[string]func(i int) *prompts.Result{
		"text":    func(int) *prompts.Result { return prompts.Messages(prompts.User(strings.Repeat("x", 5000))) },
		"objects": func(int) *prompts.Result { return &prompts.Result{Meta: prompts.Meta{"m": small(100)}} },
		"members": func(int) *prompts.Result { return &prompts.Result{Meta: wide(100)} },
		"own types": func(int) *prompts.Result {
			return &prompts.Result{Meta: prompts.Meta{"m": own{make([]*time.Time, 1000)}}}
		},
		"messages":   func(int) *prompts.Result { return &prompts.Result{Messages: make([]prompts.Message, 0, 2_000)} },
		"substrings": func(i int) *prompts.Result { return prompts.Messages(prompts.User(strings.Clone(source)[:10+i%2])) },
		"blobs": func(i int) *prompts.Result {
			return prompts.Messages(prompts.Message{Role: "user", Content: &prompts.Image{Data: make([]byte, 10, 64<<10), MIMEType: "image/png"}})
		},
		"links": func(i int) *prompts.Result {
			n := int64(i)
			link := &prompts.ResourceLink{URI: "a:b", Name: "n", Size: &n, Icons: []prompts.Icon{{Src: "https://a.example", Sizes: []string{"any"}}}, Annotations: &prompts.Annotations{Audience: []prompts.Role{"user"}}}
			var all []prompts.Message
			for range 100 {
				all = append(all, prompts.Message{Role: "user", Content: link})
			}
			return prompts.Messages(all...)
		},
	} {
		var n atomic.Int64
		s := prompts.MustNewServer(servertest.RegistryOf(prompts.New(prompts.Prompt{Name: "p", Cache: prompts.Cache{TTL: time.Hour, MaxBytes: most, MaxResults: 1 << 20}}, func(context.Context, holderArgs) (*prompts.Result, error) {
			return result(int(n.Add(1))), nil
		})), prompts.Options{})
		get := func(i int) {
			_, err := s.Call(t.Context(), "prompts/get", json.RawMessage(fmt.Sprintf(`{"name":"p","arguments":{"text":"%d"}}`, i)), prompts.CallOptions{Version: "2025-11-25"})
			require.NoError(t, err, name)
		}
		get(-1)
		before := servertest.LiveHeap()
		for i := range 300 {
			get(i)
		}
		held := liveHeapSince(before, most)
		t.Logf("%s: %d KiB", name, held>>10)
		assert.LessOrEqual(t, held, int64(most), name)
		runtime.KeepAlive(s)
	}

	suggest := prompts.SuggestCached(time.Hour, func(_ context.Context, args map[string]string) string { return args["k"] }, func(context.Context, string) ([]string, error) {
		var values []string
		for i := range 10 {
			values = append(values, (strings.Clone(source) + fmt.Sprint(i))[len(source)-10:])
		}
		return values, nil
	})
	before := servertest.LiveHeap()
	for i := range 300 {
		_, err := suggest(t.Context(), "", map[string]string{"k": fmt.Sprint(i)})
		require.NoError(t, err)
	}
	assert.Less(t, liveHeapSince(before, 1<<20), int64(1<<20), "256 lists of 10 short values")
	runtime.KeepAlive(suggest)
}
