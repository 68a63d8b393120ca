package prompts_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
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
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/cursor"
	"github.com/mcp-prompts/prompts/promptskills"
	"github.com/mcp-prompts/prompts/streamablehttp"
	"github.com/mcp-prompts/prompts/transport"
)

// The tests of this file measure the heap of the process, so they are not parallel.

var seeds = flag.Uint64("seeds", 2, "how many servers TestMemoryFormula fills, each with other limits")

// liveHeap returns how many bytes of the heap are in use.
func liveHeap() int64 {
	runtime.GC()
	runtime.GC() // empties the pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// liveHeapSince returns by how much the live heap has grown. Goroutines that earlier tests
// left may still hold memory of their own for a moment, so it measures again, some times,
// while the result is over the limit.
func liveHeapSince(before, limit int64) int64 {
	grown := liveHeap() - before
	for range 100 {
		if grown < limit {
			break
		}
		grown = min(grown, liveHeap()-before)
	}
	return grown
}

// holder is a server whose clients hold as much as they can.
type holder struct {
	server  *prompts.Server
	handler *streamablehttp.Handler
	ctx     context.Context
	stop    context.CancelFunc
	blocked chan struct{} // closed when whatever is held goes on
	held    sync.WaitGroup
	took    chan struct{} // a value for each call that holds something
	clients atomic.Int64
}

// rendering is how many bytes a render function of a holder takes.
const rendering = 512 << 10

type holderArgs struct {
	Text string `json:"text,omitempty"`
}

// failed is a large error.
var failed = &prompts.Error{Code: 1, Message: strings.Repeat("x", 100<<10)}

func newHolder(l prompts.Limits, o streamablehttp.Options, result, cacheBytes int) *holder {
	h := &holder{blocked: make(chan struct{}), took: make(chan struct{}, 10_000)}
	h.ctx, h.stop = context.WithCancel(context.Background())
	var r prompts.Registry
	r.MustAdd(
		prompts.New(prompts.Prompt{Name: "large"}, func(context.Context, holderArgs) (*prompts.Result, error) {
			return prompts.Messages(prompts.User(strings.Repeat("x", result))), nil
		}),
		prompts.New(prompts.Prompt{Name: "ask"}, func(ctx context.Context, in holderArgs) (*prompts.Result, error) {
			_, err := prompts.Elicit[colour](ctx, "colour", "Which?")
			runtime.KeepAlive(in)
			return nil, err
		}),
		prompts.New(prompts.Prompt{Name: "fail"}, func(context.Context, holderArgs) (*prompts.Result, error) {
			return nil, failed
		}),
		prompts.New(prompts.Prompt{Name: "complete", Arguments: []prompts.Argument{{
			Name: "text", Complete: func(context.Context, string, map[string]string) ([]string, error) {
				h.block()
				return nil, nil
			},
		}}}, func(context.Context, holderArgs) (*prompts.Result, error) { return nil, errDisk }),
		prompts.New(prompts.Prompt{Name: "run"}, func(ctx context.Context, in holderArgs) (*prompts.Result, error) {
			memory := make([]byte, rendering)
			h.block()
			runtime.KeepAlive(memory)
			return prompts.Messages(prompts.User(in.Text)), nil
		}),
	)
	if cacheBytes > 0 {
		r.MustAdd(prompts.New(prompts.Prompt{Name: "cached", Cache: prompts.Cache{TTL: time.Hour, MaxBytes: cacheBytes}}, func(_ context.Context, in holderArgs) (*prompts.Result, error) {
			if len(in.Text)%2 == 0 {
				return &prompts.Result{Meta: prompts.Meta{"small": smallObjects(200)}}, nil
			}
			return prompts.Messages(prompts.User(in.Text + strings.Repeat("x", 64<<10))), nil
		}))
	}
	var skills promptskills.Registry
	if err := skills.Update(func(tx *promptskills.Tx) error {
		for i := range manySkills {
			if err := tx.Add(promptskills.Skill{Path: skillPath(i), Files: map[string][]byte{
				"SKILL.md": []byte("x"),
			}, Frontmatter: json.RawMessage(fmt.Sprintf(`{"name":"s%d","description":"x"}`, i))}); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		panic(err)
	}
	f, err := promptskills.New(&skills, promptskills.Options{PageSize: 10})
	if err != nil {
		panic(err)
	}
	h.server = prompts.MustNewServer(&r, prompts.Options{
		Limits: l, Timeouts: prompts.Timeouts{Render: -1, Elicit: -1},
		Features:  []feature.Feature{f},
		Principal: func(ctx context.Context) string { who, _ := ctx.Value(clientKey{}).(string); return who },
	})
	o.WriteTimeout, o.ReadTimeout = -1, -1
	h.handler = streamablehttp.MustNewHandler(h.server, o)
	return h
}

func (h *holder) close() {
	close(h.blocked)
	h.stop()
	_ = h.handler.Close()
	h.held.Wait()
}

type clientKey struct{}

// smallObjects returns objects whose memory is many times their JSON.
func smallObjects(n int) (all []any) {
	for range n {
		all = append(all, map[string]any{"a": 1})
	}
	return all
}

// The skills of a holder, with paths that are as long as may be.
const manySkills = 500

func skillPath(i int) string {
	name := fmt.Sprint("s", i)
	return fmt.Sprintf("%0*d/%s", 1024-1-len(name), i, name)
}

// see has a client get the entries of all skills, and lists with the cursor of a path
// and with a longer one.
func (h *holder) see(client string, longest int) {
	for i := range manySkills {
		h.handle([]byte(envelopedLine("1", "skills/get", `"uri":"skill://`+skillPath(i)+`/SKILL.md"`)), transport.Exchange{ClientKey: client})
	}
	for _, path := range []string{skillPath(manySkills / 2), strings.Repeat("x", longest)} {
		h.handle([]byte(envelopedLine("1", "skills/list", `"cursor":"`+string(cursor.Append(nil, "skills/list\x00\x00", path))+`"`)), transport.Exchange{ClientKey: client})
	}
}

// client returns the name of another client.
func (h *holder) client() string { return fmt.Sprint("client ", h.clients.Add(1)) }

// hold runs f, which holds something from the time that it counts.
func (h *holder) hold(f func()) {
	h.held.Go(f)
	<-h.took
}

func (h *holder) count() { h.took <- struct{}{} }

// block counts in took and waits until the end.
func (h *holder) block() {
	h.count()
	<-h.blocked
}

// blockedSend is a Send that nobody reads.
func (h *holder) blockedSend([]byte, prompts.Code, bool) error {
	h.block()
	return nil
}

// handle passes a message of a new client to the server.
func (h *holder) handle(msg []byte, x transport.Exchange) {
	if x.ClientKey == "" {
		x.ClientKey = h.client()
	}
	if x.Send == nil {
		x.Send = func([]byte, prompts.Code, bool) error { return nil }
	}
	_ = h.server.Handle(h.ctx, msg, x)
}

// checkThatBlocks lets a message be parsed and no more.
func (h *holder) checkThatBlocks(transport.RequestInfo) error {
	h.block()
	return errDisk
}

// once is a body that is forgotten when it has been read.
type once struct {
	*strings.Reader
	end func() error
}

func (o *once) Read(p []byte) (int, error) {
	n, _ := o.Reader.Read(p)
	if o.Len() == 0 {
		o.Reader = strings.NewReader("")
	}
	if n == 0 {
		return 0, o.end()
	}
	return n, nil
}

// reply is a ResponseWriter that calls wrote at the first Write.
type reply struct {
	header http.Header
	wrote  func()
}

func (w *reply) Header() http.Header { return w.header }
func (w *reply) WriteHeader(int)     {}
func (w *reply) Flush()              {}
func (w *reply) Write(p []byte) (int, error) {
	w.wrote()
	w.wrote = func() {}
	return len(p), nil
}

// post sends a message over HTTP, with the end of its body.
func (h *holder) post(client, session, body string, size int, end func() error, wrote func()) *reply {
	ctx := context.WithValue(h.ctx, clientKey{}, client)
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "http://localhost/", &once{strings.NewReader(body), end})
	r.ContentLength = int64(size)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	switch {
	case session != "":
		r.Header.Set("Mcp-Session-Id", session)
		r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	case !strings.Contains(body, `"initialize"`):
		r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		r.Header.Set("Mcp-Method", "subscriptions/listen")
	}
	for i := range headerValues {
		name := fmt.Sprintf("X-%020d", i)
		r.Header[name] = []string{strings.Repeat("v", headerBytes/headerValues-len(name))}
	}
	w := &reply{http.Header{}, wrote}
	h.handler.ServeHTTP(w, r)
	return w
}

// The header of a request is as large as may be.
const headerBytes, headerValues = 32 << 10, 240

func atEnd() error { return io.EOF }

// listen opens a stream with a message that is padded to size bytes.
func (h *holder) listen(size int) {
	h.hold(func() {
		body := strings.Replace(listenLine("1"), `"_meta":{`, `"_meta":{"pad":"`+strings.Repeat("x", max(0, size-400))+`",`, 1)
		h.post(h.client(), "", body, len(body), atEnd, h.count)
	})
}

// ask has a session wait for an elicitation, in a request with a text of size
// bytes and as much padding.
func (h *holder) ask(text, padding int) {
	client := h.client()
	hello := initializeAs("2025-11-25", `{"elicitation":{}}`)
	id := h.post(client, "", hello, len(hello), atEnd, func() {}).header.Get("Mcp-Session-Id")
	h.post(client, id, initializedLine, len(initializedLine), atEnd, func() {})
	h.hold(func() {
		body := `{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"ask","arguments":{"text":"` + strings.Repeat("x", text) +
			`"},"_meta":{"pad":"` + strings.Repeat("x", padding) + `"}}}`
		h.post(client, id, body, len(body), atEnd, h.count)
	})
}

// complete has a completion run, in a request with padding.
func (h *holder) complete(padding int) {
	h.hold(func() {
		h.handle([]byte(`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"complete"},`+
			`"argument":{"name":"text","value":"x"},"context":{"arguments":{"other":"x"}},"_meta":{"pad":"`+strings.Repeat("x", padding)+`",`+
			strings.TrimPrefix(bareEnvelope, `"_meta":{`)+`}}`), transport.Exchange{})
	})
}

// body sends three quarters of a body of size bytes.
func (h *holder) body(client string, size int) {
	h.hold(func() {
		h.post(client, "", strings.Repeat(" ", size*3/4), size, func() error {
			h.block()
			return io.ErrUnexpectedEOF
		}, func() {})
	})
}

// unread reads nothing of the response to a request, and returns its error code, 0
// if it is none.
func (h *holder) unread(client, msg string) prompts.Code {
	var code atomic.Int64
	h.hold(func() {
		h.handle([]byte(msg), transport.Exchange{ClientKey: client, Send: func(_ []byte, c prompts.Code, _ bool) error {
			code.Store(int64(c))
			return h.blockedSend(nil, c, true)
		}})
	})
	return prompts.Code(code.Load())
}

func getOf(prompt, text string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"` + prompt + `","arguments":{"text":"` + text + `"},` + bareEnvelope + `}}`
}

// batch reads nothing of the response to a batch.
func (h *holder) batch() {
	s := h.server.NewSession(transport.SessionOptions{Version: "2025-03-26"})
	h.hold(func() {
		defer s.Close()
		msg := batchLine(getLine("1", "large"), getLine("2", "large"))
		_ = s.Handle(h.ctx, []byte(msg), transport.Exchange{ClientKey: h.client(), Send: h.blockedSend})
	})
}

// numbers is a message of size bytes whose parsed form is as large as it can be.
func numbers(size int) string {
	return `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"run","numbers":[1` + strings.Repeat(",1", (size-250)/2) + `],` + bareEnvelope + `}}`
}

// parse has a message parsed and no more.
func (h *holder) parse(size int) {
	h.hold(func() { h.handle([]byte(numbers(size)), transport.Exchange{CheckVersion: h.checkThatBlocks}) })
}

// run has a request run, or wait.
func (h *holder) run(waits bool) {
	h.hold(func() {
		h.handle([]byte(getOf("run", strings.Repeat("x", 12<<10))), transport.Exchange{Release: func() {
			if waits {
				h.count()
			}
		}})
	})
}

// subscriber is the transport of a connection that subscribes n times.
type subscriber struct {
	h    *holder
	n    int
	next int
}

func (s *subscriber) Read(ctx context.Context) ([]byte, error) {
	if s.next == s.n {
		<-ctx.Done()
		return nil, io.EOF
	}
	s.next++
	return []byte(listenLine(fmt.Sprint(s.next))), nil
}

func (s *subscriber) Write(ctx context.Context, msgs ...[]byte) error {
	for _, msg := range msgs {
		if err := s.write(ctx, msg); err != nil {
			return err
		}
	}
	return nil
}

func (s *subscriber) write(_ context.Context, msg []byte) error {
	if strings.Contains(string(msg), "acknowledged") {
		s.h.count()
	}
	return nil
}

func (s *subscriber) Close() error { return nil }

func (h *holder) subscribe(n int) {
	h.held.Go(func() { _ = h.server.Serve(h.ctx, &subscriber{h: h, n: n}) })
	for range n {
		<-h.took
	}
}

// The memory that clients make the server hold is within the formula of
// docs/limits.md, whatever the limits, when every kind of holding is filled at
// once; and it is a good part of the formula, or the formula would say nothing.
func TestMemoryFormula(t *testing.T) {
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
		before := liveHeap()
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
	before := liveHeap()
	for range 75 {
		h.listen(4 << 20)
		h.ask(10, 4<<20-1000)
		h.complete(4<<20 - 1000)
	}
	assert.Less(t, liveHeapSince(before, int64(24<<20)), int64(24<<20), "150 headers among it")
}

// Messages that are parsed at once take no more memory together than is reserved
// for parsing: the others wait for their turn.
func TestParsesAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("a measurement, which takes long")
	}
	msg := []byte(numbers(4 << 20))
	bubble(t, func(t *testing.T) {
		h := newHolder(prompts.Limits{}, streamablehttp.Options{}, 0, 0)
		before := liveHeap()
		const all = 20
		for range all {
			h.held.Go(func() { h.handle(msg, transport.Exchange{CheckVersion: h.checkThatBlocks}) })
		}
		synctest.Wait()
		// A sixteenth of 4 GiB is for parsing. A message takes 4 MiB for a copy, as
		// much for what may be kept of it, and 32 MiB for its two million numbers.
		assert.EqualValues(t, 256/(4+4+32), len(h.took))
		assert.Less(t, liveHeapSince(before, int64(256<<20)), int64(256<<20))
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
	h := newHolder(prompts.Limits{MaxConcurrentTotal: 8, MaxMemoryBytes: 256 << 20}, streamablehttp.Options{}, 4<<20, 0)
	defer h.close()
	before := liveHeap()
	sent := map[string]int{}
	for i := range 120 {
		client := fmt.Sprint("client ", i%3)
		if h.unread(client, getOf("large", "")) == 0 {
			sent[client]++
		}
	}
	assert.Less(t, liveHeapSince(before, int64(256<<20)), int64(256<<20))
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
	before := liveHeap()
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
	bubble(t, func(t *testing.T) {
		const size, all = 512 << 10, 40
		const share = 8 << 20 / size // of one client, half of which is for parsing
		w := newWaiter()
		method := func(ctx context.Context, params json.RawMessage) (any, error) {
			w.running.Add(1)
			defer w.running.Add(-1)
			<-ctx.Done()
			runtime.KeepAlive(params)
			return nil, ctx.Err()
		}
		s := prompts.MustNewServer(registryOf(w.prompt("wait")), prompts.Options{
			Limits:  prompts.Limits{MaxMessageBytes: 1 << 20, MaxMemoryBytes: 64 << 20},
			Methods: map[string]prompts.Method{"m": method},
		})
		passes := prompts.MustNewServer(registryOf(w.prompt("wait")), prompts.Options{Limits: s.Filled().Limits, Middleware: passing})
		for name, test := range map[string]struct {
			server *prompts.Server
			msg    string
			want   int
		}{
			"none":       {s, getOf("wait", ""), all},
			"middleware": {passes, getOf("wait", ""), share},
			"method":     {s, envelopedLine("1", "m", ""), share},
		} {
			msg := []byte(strings.Replace(test.msg, `"_meta":{`, `"_meta":{"pad":"`+strings.Repeat("x", size)+`",`, 1))
			ctx, cancel := context.WithCancel(t.Context())
			var ended sync.WaitGroup
			for range all {
				ended.Go(func() {
					_ = test.server.Handle(ctx, msg, transport.Exchange{ClientKey: "client", Send: func([]byte, prompts.Code, bool) error { return nil }})
				})
				synctest.Wait()
			}
			assert.InDelta(t, test.want, w.running.Load(), 1, name)
			cancel()
			ended.Wait()
		}
	})
}

// Release is called once for each message, before anything is sent.
func TestRelease(t *testing.T) {
	t.Parallel()
	s := prompts.MustNewServer(registryOf(textPrompt("a", "x")), prompts.Options{Limits: prompts.Limits{MaxMessageBytes: 50_000}})
	for name, msg := range map[string]string{
		"request":       getOf("a", "x"),
		"large":         getOf("a", strings.Repeat("x", 20_000)),
		"too large":     strings.Repeat("x", 50_001),
		"no JSON":       "{",
		"unknown":       getOf("b", ""),
		"notification":  initializedLine,
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
				Send:    func([]byte, prompts.Code, bool) error { assert.Equal(t, 1, released, name); return nil },
			})
		}()
		assert.Equal(t, 1, released, name)
	}
}

// A cache counts the memory that its results take, whatever they are made of, and not
// their JSON.
func TestCachesCountMemory(t *testing.T) {
	const most = 4 << 20
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
		s := prompts.MustNewServer(registryOf(prompts.New(prompts.Prompt{Name: "p", Cache: prompts.Cache{TTL: time.Hour, MaxBytes: most, MaxResults: 1 << 20}}, func(context.Context, holderArgs) (*prompts.Result, error) {
			return result(int(n.Add(1))), nil
		})), prompts.Options{})
		get := func(i int) {
			_, err := s.Call(t.Context(), "prompts/get", json.RawMessage(fmt.Sprintf(`{"name":"p","arguments":{"text":"%d"}}`, i)), prompts.CallOptions{})
			require.NoError(t, err, name)
		}
		get(-1)
		before := liveHeap()
		for i := range 1000 {
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
	before := liveHeap()
	for i := range 300 {
		_, err := suggest(t.Context(), "", map[string]string{"k": fmt.Sprint(i)})
		require.NoError(t, err)
	}
	assert.Less(t, liveHeapSince(before, 1<<20), int64(1<<20), "256 lists of 10 short values")
	runtime.KeepAlive(suggest)
}
