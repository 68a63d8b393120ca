package bench_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	mcpgo "github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// crowd is a server with subscribers, each of which calls heard with its
// number and what it is told.
type crowd struct {
	name string
	open func(tb testing.TB, n int, heard func(i int, msg []byte)) (change func(e entry) error)
}

var crowds = []crowd{
	{"prompts", crowdOfSessions},
	{"prompts-listen", crowdOfListeners},
	{"go-sdk", crowdOfGoSDK},
	{"mcp-go", crowdOfMCPGo},
}

// BenchmarkChange changes one prompt and waits until every subscriber has been
// told, in encoded form: sessions of 2025-11-25, and for prompts-listen
// subscriptions of 2026-07-28. Much of the time is waiting for more changes, of
// which prompts and go-sdk make one notification; cpu-ns/op is what the
// processors do meanwhile.
func BenchmarkChange(b *testing.B) {
	for _, c := range crowds {
		b.Run(c.name, func(b *testing.B) {
			for _, n := range append([]int{0}, sizes(10, 100, 1000, 10_000)...) {
				b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) { measureChange(b, c, n) })
			}
		})
	}
}

func measureChange(b *testing.B, c crowd, n int) {
	a := newAudience(n)
	change := c.open(b, n, a.heard)
	round := 0
	next := func() {
		round++
		a.begin(int64(round))
		if err := change(entry{promptName(0), promptDescription(round)}); err != nil {
			b.Fatal(err)
		}
		a.wait()
	}
	next() // every subscriber is there, and told
	b.Run("tell", func(b *testing.B) {
		b.ReportAllocs()
		begun := cpuTime()
		for b.Loop() {
			next()
		}
		b.ReportMetric(float64((cpuTime()-begun).Nanoseconds())/float64(b.N), "cpu-ns/op")
	})
}

// audience waits until each of its members has heard of the change of a round.
type audience struct {
	round   atomic.Int64
	last    []atomic.Int64 // round that each has heard of
	missing atomic.Int64
	all     chan struct{}
}

func newAudience(n int) *audience {
	return &audience{last: make([]atomic.Int64, n), all: make(chan struct{}, 1)}
}

func (a *audience) begin(round int64) {
	a.missing.Store(int64(len(a.last)))
	a.round.Store(round)
}

func (a *audience) heard(i int, msg []byte) {
	if !isNotification(msg) {
		return
	}
	round := a.round.Load()
	if a.last[i].Swap(round) != round && a.missing.Add(-1) == 0 {
		a.all <- struct{}{}
	}
}

func (a *audience) wait() {
	if len(a.last) > 0 {
		<-a.all
	}
}

// ourCrowd returns a server, and what has its goroutines end.
func ourCrowd(tb testing.TB) (s *prompts.Server, change func(entry) error, spawn func(func(context.Context))) {
	reg := new(prompts.Registry)
	s = prompts.MustNewServer(reg, prompts.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	tb.Cleanup(func() {
		cancel()
		running.Wait()
	})
	return s, func(e entry) error { return reg.Set(declareOurs(e, false)) },
		func(f func(context.Context)) { running.Go(func() { f(ctx) }) }
}

func crowdOfSessions(tb testing.TB, n int, heard func(int, []byte)) func(entry) error {
	s, change, spawn := ourCrowd(tb)
	for i := range n {
		session := s.NewSession(transport.SessionOptions{Version: "2025-11-25"})
		tb.Cleanup(session.Close)
		spawn(func(ctx context.Context) {
			_ = session.Notifications(ctx, func(msg []byte) error {
				heard(i, msg)
				return nil
			})
		})
	}
	return change
}

func crowdOfListeners(tb testing.TB, n int, heard func(int, []byte)) func(entry) error {
	s, change, spawn := ourCrowd(tb)
	listen := request(tb, "subscriptions/listen", map[string]any{
		"notifications": map[string]bool{"promptsListChanged": true},
		"_meta":         envelope(),
	})
	var acknowledged sync.WaitGroup
	acknowledged.Add(n)
	for i := range n {
		first := true
		x := transport.Exchange{Send: func(msg []byte, _ transport.Code, _ bool) error {
			if first {
				first = false
				acknowledged.Done()
			} else {
				heard(i, msg)
			}
			return nil
		}}
		spawn(func(ctx context.Context) { _ = s.Handle(ctx, listen, x) })
	}
	acknowledged.Wait()
	return change
}

func crowdOfGoSDK(tb testing.TB, n int, heard func(int, []byte)) func(entry) error {
	s := newGoSDK(setup{page: pageSize})
	s.AddPrompt(declareGoSDK(entry{name: promptName(0)}, false), renderGoSDK(false))
	for i := range n {
		p := newPipe()
		p.heard = func(msg []byte) { heard(i, msg) }
		connectGoSDK(tb, s, p)
		initialize(tb, p.ask)
		require.NoError(tb, p.send([]byte(initialized)))
	}
	return func(e entry) error {
		s.AddPrompt(declareGoSDK(e, false), renderGoSDK(false))
		return nil
	}
}

func crowdOfMCPGo(tb testing.TB, n int, heard func(int, []byte)) func(entry) error {
	s := newMCPGo(setup{page: pageSize})
	for i := range n {
		connectMCPGo(tb, s, i, func(msg []byte) { heard(i, msg) })
	}
	return func(e entry) error {
		s.AddPrompts(declareMCPGo(e, false))
		return nil
	}
}

// mcpGoSession is a session that encodes what it is told, as the transports of
// mcp-go do. Those have one session in a process over standard input and
// output, and sessions over HTTP.
type mcpGoSession struct {
	id   string
	told chan mcp.JSONRPCNotification
}

var _ mcpgo.ClientSession = (*mcpGoSession)(nil)

func connectMCPGo(tb testing.TB, s *mcpgo.MCPServer, i int, heard func([]byte)) {
	session := &mcpGoSession{fmt.Sprint(i), make(chan mcp.JSONRPCNotification, 100)}
	require.NoError(tb, s.RegisterSession(context.Background(), session))
	ended := make(chan struct{})
	go func() { // ends with told
		defer close(ended)
		for n := range session.told {
			if msg, err := json.Marshal(n); err == nil {
				heard(msg)
			}
		}
	}()
	tb.Cleanup(func() {
		s.UnregisterSession(context.Background(), session.id)
		close(session.told)
		<-ended
	})
}

func (s *mcpGoSession) Initialize()       {}
func (s *mcpGoSession) Initialized() bool { return true }
func (s *mcpGoSession) SessionID() string { return s.id }

func (s *mcpGoSession) NotificationChannel() chan<- mcp.JSONRPCNotification { return s.told }
