package prompts_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/transport"
)

// What it takes to add a prompt whose type is known: its definition and its
// entry, and if the registry was read since the last, the nodes that are replaced.
func TestAllocationsOfAdding(t *testing.T) {
	constrained := func(i int) prompts.Prompt {
		p := benchPrompt(i)
		p.Arguments = []prompts.Argument{{Name: "language", Title: "Language"}}
		return p
	}
	for _, test := range []struct {
		name    string
		declare func(int) prompts.Prompt
		most    float64
		read    float64 // the most with a read of the registry
	}{
		{"of a struct", benchPrompt, 4, 14},
		{"of a struct, completed", constrained, 6, 18},
		{"without a struct", dataPrompt, 6, 16},
	} {
		r := servertest.RegistryOf(manyPrompts(1000)...)
		p := test.declare(1001)
		set := func() {
			if err := r.Set(p); err != nil {
				t.Error(err)
			}
		}
		adding := testing.AllocsPerRun(100, set)
		reading := testing.AllocsPerRun(100, func() { set(); r.Len() })
		if !servertest.RaceEnabled { // the race detector allocates, and drops what is pooled
			assert.LessOrEqual(t, adding, test.most, test.name)
			assert.LessOrEqual(t, reading, test.read, "%s, with a read", test.name)
		}
	}
}

// Prompts that are added one by one take what a batch of them takes, and no copies of parts
// of the registry for each.
func TestBytesOfAddingOneByOne(t *testing.T) {
	if testing.Short() {
		t.Skip("a measurement, which takes long")
	}
	const n = 10_000
	allocated := func(add func(r *prompts.Registry, all []prompts.Prompt)) float64 {
		all := manyPrompts(n)
		r := servertest.RegistryOf(benchPrompt(n + 1))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		add(r, all)
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc-before.TotalAlloc) / n
	}
	batch := allocated(func(r *prompts.Registry, all []prompts.Prompt) { r.MustAdd(all...) })
	single := allocated(func(r *prompts.Registry, all []prompts.Prompt) {
		for _, p := range all {
			r.MustAdd(p)
		}
	})
	if !servertest.RaceEnabled { // the race detector allocates, and drops what is pooled
		assert.Less(t, single, 1.5*batch)
	}
}

// A registry holds of each prompt what it is declared with, its encoded entry
// once, and little beside them.
func TestBytesOfAPrompt(t *testing.T) {
	if testing.Short() {
		t.Skip("a measurement, which takes long")
	}
	const n = 10_000
	for _, test := range []struct {
		name    string
		declare func(int) []prompts.Prompt
		most    float64 // a fifth more than what was measured, which is 379 and 683
	}{
		{"of a struct", manyPrompts, 455},
		{"without a struct", manyData, 820},
	} {
		servertest.RegistryOf(test.declare(1)...) // what their type declares is kept for ever
		all := test.declare(n)
		before := servertest.LiveHeap()
		r := servertest.RegistryOf(all...)
		held := float64(servertest.LiveHeap()-before) / n
		runtime.KeepAlive(all) // whose texts the registry shares
		runtime.KeepAlive(r)
		assert.Less(t, held, test.most, test.name)
		assert.Greater(t, held, 200.0, "%s: it has been measured at all", test.name)
	}
}

// What a request allocates, which is what it takes now: DESIGN.md allows 10 and
// 2 KB for a prompt of revision 2025-11-25.
func TestHandleAllocations(t *testing.T) {
	if testing.Short() {
		t.Skip("a measurement, which takes long")
	}
	type checked struct {
		Code     string `json:"code"`
		Language string `json:"language"`
		Problems int    `json:"problems"`
	}
	reg := servertest.RegistryOf(servertest.TextPrompt("text", "hi"))
	for i := range 1000 {
		reg.MustAdd(servertest.TextPrompt(fmt.Sprintf("prompt_%04d", i), "x"))
	}
	// 4 of the allocations are the author's.
	reg.MustAdd(prompts.New(prompts.Prompt{Name: "code_review"}, func(_ context.Context, in benchReview) (*prompts.Result, error) {
		return prompts.Messages(prompts.User("Please review this code:\n" + in.Code)), nil
	}))
	least, most, length := 1.0, 100.0, 1
	reg.MustAdd(prompts.New(prompts.Prompt{Name: "checked", Arguments: []prompts.Argument{
		{Name: "code", Schema: &jsonschema.Schema{MinLength: &length, Pattern: "^func "}},
		{Name: "language", Enum: []string{"c", "go", "java", "python", "rust"}},
		{Name: "problems", Schema: &jsonschema.Schema{Minimum: &least, Maximum: &most}},
	}}, func(_ context.Context, in checked) (*prompts.Result, error) {
		return prompts.Messages(prompts.User("Please review this code:\n" + in.Code)), nil
	}))
	checkedRequest := strings.Replace(strings.Replace(getRequest, "code_review", "checked", 1), `"language":"go"`, `"language":"go","problems":"10"`, 1)
	stateless := func(request string) string {
		return strings.Replace(request, `"_meta":{`, `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},`, 1)
	}
	session := servertest.NewSession(t, prompts.MustNewServer(reg, prompts.Options{PageSize: 100, Timeouts: prompts.Timeouts{Render: -1}})) // a time limit is 2 more
	for _, test := range []struct {
		name, msg     string
		allocs, bytes float64
	}{
		{"ping", servertest.PingLine("1"), 1, 64},
		{"list", `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`, 2, 96},
		{"page", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{"cursor":"%s"}}`, servertest.CursorAfter("prompt_0500")), 4, 192},
		{"get", getRequest, 9, 1500},
		{"get, constraints", checkedRequest, 9, 1500},
		{"get, stateless", stateless(getRequest), 9, 1600},
		{"get, stateless, constraints", stateless(checkedRequest), 9, 1600},
	} {
		raw, ctx := []byte(test.msg), t.Context()
		x := transport.Exchange{Send: func(msg []byte, code transport.Code, _ bool) error {
			if code != 0 {
				t.Errorf("%s: %s", test.name, msg)
			}
			return nil
		}}
		handle := func() {
			if err := session.Handle(ctx, raw, x); err != nil {
				t.Error(err)
			}
		}
		allocs, bytes := testing.AllocsPerRun(200, handle), bytesPerRun(200, handle)
		if !servertest.RaceEnabled { // the race detector allocates, and drops what is pooled
			assert.LessOrEqual(t, allocs, test.allocs, "%s: allocations", test.name)
			assert.LessOrEqual(t, bytes, test.bytes, "%s: bytes", test.name)
		}
	}
}

// A full page of the default size reuses the buffer of the page before.
func TestBytesOfAFullPage(t *testing.T) {
	if testing.Short() {
		t.Skip("a measurement, which takes long")
	}
	r := servertest.RegistryOf(manyPrompts(1000)...)
	session, size := servertest.NewSession(t, prompts.MustNewServer(r, prompts.Options{})), 0
	x := transport.Exchange{Send: func(msg []byte, _ transport.Code, _ bool) error { size = len(msg); return nil }}
	ctx, msg := t.Context(), []byte(`{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`)
	bytes := bytesPerRun(100, func() { assert.NoError(t, session.Handle(ctx, msg, x)) })
	assert.Greater(t, size, 200_000)
	if !servertest.RaceEnabled {
		assert.LessOrEqual(t, bytes, 32_000.0)
	}
}

// What a middleware adds to a get: the request that it sees, the arguments as a map and the
// response.
func TestMiddlewareAllocations(t *testing.T) {
	allocations := func(middleware func(prompts.Handler) prompts.Handler) float64 {
		reg := servertest.RegistryOf(prompts.New(prompts.Prompt{Name: "code_review"}, func(context.Context, benchReview) (*prompts.Result, error) {
			return prompts.Messages(prompts.User("hi")), nil
		}))
		session := servertest.NewSession(t, prompts.MustNewServer(reg, prompts.Options{Middleware: middleware, Timeouts: prompts.Timeouts{Render: -1}}))
		msg, x := []byte(getRequest), transport.Exchange{Send: func(msg []byte, code transport.Code, _ bool) error {
			assert.Zero(t, code, "%s", msg)
			return nil
		}}
		return testing.AllocsPerRun(200, func() { assert.NoError(t, session.Handle(t.Context(), msg, x)) })
	}
	none := allocations(nil)
	passes := allocations(func(next prompts.Handler) prompts.Handler { return next })
	audit := allocations(prompts.AuditLog(slog.New(slog.DiscardHandler)))
	if !servertest.RaceEnabled { // the race detector allocates, and drops what is pooled
		assert.LessOrEqual(t, passes-none, 5.0)
		assert.LessOrEqual(t, audit-none, 7.0)
	}
}

// bytesPerRun is testing.AllocsPerRun for bytes. It goes by the least of several
// tries: the collector may empty the pools at any time.
func bytesPerRun(runs int, f func()) float64 {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var before, after runtime.MemStats
	least := 0.0
	for try := range 5 {
		f()
		runtime.ReadMemStats(&before)
		for range runs {
			f()
		}
		runtime.ReadMemStats(&after)
		if n := float64(after.TotalAlloc-before.TotalAlloc) / float64(runs); try == 0 || n < least {
			least = n
		}
	}
	return least
}

// To tell one more subscriber of a change allocates nothing: a burst takes one
// timer, however many are told of it.
func TestChangeAllocations(t *testing.T) {
	if testing.Short() {
		t.Skip("a measurement, which takes long")
	}
	const few, many, runs = 1, 200, 5
	for way := range tellings {
		t.Run(way, func(t *testing.T) {
			allocations := func(n int) float64 {
				c := newToldCrowd(t, way, n)
				c.change(t) // which fills the pools
				return testing.AllocsPerRun(runs, func() { c.change(t) })
			}
			more := allocations(many) - allocations(few)
			if !servertest.RaceEnabled { // the race detector allocates, and drops what is pooled
				assert.Less(t, more, float64(many-few)/10)
			}
		})
	}
}

// quietConn is the connection of a client that says what it must, and then nothing.
type quietConn struct {
	lines  chan string
	closed chan struct{}
}

func (c *quietConn) Read(ctx context.Context) ([]byte, error) {
	select {
	case line := <-c.lines:
		return []byte(line), nil
	case <-c.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (c *quietConn) Write(context.Context, ...[]byte) error { return nil }
func (c *quietConn) Close() error                           { return nil }

// heldBytes returns the memory of the heap and of the stacks.
func heldBytes() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what a pool holds is let go at the second
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc + m.StackInuse)
}

// An idle connection holds two stacks and its session: no goroutine waits for changes.
func TestBytesOfAnIdleConnection(t *testing.T) {
	if testing.Short() {
		t.Skip("a measurement, which takes long")
	}
	const n = 500
	s := prompts.MustNewServer(servertest.RegistryOf(benchPrompt(1)), prompts.Options{})
	closed := make(chan struct{})
	before, goroutines := heldBytes(), runtime.NumGoroutine()
	var running sync.WaitGroup
	for range n {
		c := &quietConn{make(chan string), closed}
		running.Go(func() { assert.NoError(t, s.Serve(context.Background(), c)) }) // ends with closed
		c.lines <- `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
		c.lines <- `{"jsonrpc":"2.0","method":"notifications/initialized"}`
		c.lines <- servertest.PingLine("2")
	}
	held := (heldBytes() - before) / n
	if !servertest.RaceEnabled && runtime.GOOS != "windows" { // whose stacks are larger
		assert.Less(t, held, 13_000.0)
		assert.Greater(t, held, 4_000.0, "it has been measured at all")
	}
	assert.LessOrEqual(t, runtime.NumGoroutine()-goroutines, 2*n, "one that serves and one that reads")
	close(closed)
	running.Wait()
}
