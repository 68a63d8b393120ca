package rpc

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/limit"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/transport"
)

// unread passes messages to a session whose client reads nothing, as Serve
// does, until it is closed.
type unread struct {
	s       *Dispatcher
	session *Session
	held    chan struct{}
	jobs    int // that have begun
	running limit.WaitGroup
}

func (u *unread) send(t *testing.T, msg string) {
	x := exchange{Exchange: transport.Exchange{Send: func([]byte, transport.Code, bool) error { <-u.held; return nil }}}
	done := make(chan struct{})
	go func() { // a response that needs no job is stuck here
		defer close(done)
		j, err := u.s.receive(t.Context(), u.session, []byte(msg), &x, nil)
		assert.NoError(t, err)
		if j == nil {
			return
		}
		u.jobs++
		u.running.Add()
		go func() {
			defer u.running.Done()
			_ = j.run()
		}()
	}()
	synctest.Wait()
	select {
	case <-done:
	default: // rejected, and not read
	}
}

// doing is an echo whose get calls f.
func doing(f func(ctx context.Context)) *echo {
	return &echo{name: "x", names: []string{"a"}, act: func(ctx context.Context, name string) (any, error) {
		f(ctx)
		return name, nil
	}}
}

func getX(id string) string { return request(id, "x/get", `"name":"a"`) }

// A client that does not read the responses to its batches uses up its own
// limit: no more of them wait than it may have requests.
func TestUnreadBatchesAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newTestServer(t, Config{Limits: Limits{Concurrent: 2}}, doing(func(context.Context) {}))
		u := &unread{s: s, session: s.NewSession(transport.SessionOptions{Version: "2025-03-26"}), held: make(chan struct{})}
		for i := range 50 {
			u.send(t, "["+getX(fmt.Sprint(i))+"]")
		}
		assert.Equal(t, 4, u.jobs, "two that may run and two that may wait")
		assert.Equal(t, map[string]int{"listeners": 1}, s.InUse(), "it costs others nothing")
		close(u.held)
		assert.Zero(t, u.running.Wait(t.Context()))
		synctest.Wait()
		assert.Empty(t, u.session.InUse())
		u.send(t, "["+getX("1")+"]")
		assert.Equal(t, 5, u.jobs)
	})
}

// A client that subscribes and cancels, and does not read, cannot have more
// subscriptions at work than it may have open.
func TestUnreadSubscriptionsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newTestServer(t, Config{Limits: Limits{Subscriptions: 3}}, &echo{name: "x"})
		u := &unread{s: s, session: s.NewSession(transport.SessionOptions{}), held: make(chan struct{})}
		for i := range 50 {
			u.send(t, statelessRequest(fmt.Sprint(i), MethodListen, `"notifications":{"xListChanged":true}`))
			u.send(t, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, i))
		}
		assert.Equal(t, 3, u.jobs)
		assert.Equal(t, map[string]int{"listeners": 3, "subscriptions": 3}, s.InUse())
		close(u.held)
		assert.Zero(t, u.running.Wait(t.Context()))
		assert.Empty(t, s.InUse())
		u.session.Close()
		assert.Empty(t, u.session.InUse())
	})
}

// A subscription that the client cancels while nothing is being sent is no
// longer counted: another may follow at once.
func TestCanceledSubscriptionIsReleasedAtOnce(t *testing.T) {
	t.Parallel()
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			s := newTestServer(t, Config{Limits: Limits{Subscriptions: 1}}, &echo{name: "x"})
			p := serve(t, s)
			listen := func(id string) string {
				return statelessRequest(id, MethodListen, `"notifications":{"xListChanged":true}`)
			}
			require.Len(t, p.ask(listen("1")), 1)
			got := p.ask(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, listen("2"))
			require.Len(t, got, 1)
			require.Contains(t, got[0], "acknowledged")
			p.end(t)
		})
	}
}

// A client that reads nothing, whose requests have waited for their turn in
// vain or end their goroutine, uses up its own limit alone.
func TestStalledQueueCostsOthersNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newTestServer(t, Config{Limits: Limits{Concurrent: 1}, Timeouts: Timeouts{Request: time.Second}}, doing(func(context.Context) { runtime.Goexit() }))
		u := &unread{s: s, session: s.NewSession(transport.SessionOptions{Version: "2025-11-25"}), held: make(chan struct{})}
		u.send(t, getX("1"))
		u.send(t, getX("2"))
		time.Sleep(2 * time.Second)
		assert.Equal(t, map[string]int{"listeners": 1}, s.InUse())
		assert.Equal(t, 2, u.session.InUse()["tasks"])
		close(u.held)
		synctest.Wait()
		assert.Empty(t, u.session.InUse())
	})
}

// Between the check of an id and its use, another request may have come.
func TestIDIsCheckedAgain(t *testing.T) {
	t.Parallel()
	session := newTestServer(t, Config{}).NewSession(transport.SessionOptions{})
	one, other := &task{}, &task{}
	for _, t := range []*task{one, other} {
		t.key, t.session, t.unanswered = "1", session, &session.answers
	}
	require.Nil(t, one.begin(one))
	assert.Equal(t, wire.InvalidRequest("request id 1 is already in use by a pending request"), other.begin(other))
	session.Close()
	assert.Equal(t, errClosed, other.begin(other))
	assert.Empty(t, session.InUse())
}

// goroutine returns the first line of the stack, which tells goroutines apart.
func goroutine() string {
	var buf [64]byte
	line, _, _ := bytes.Cut(buf[:runtime.Stack(buf[:], false)], []byte(" ["))
	return string(line)
}

// A worker runs the next request, if that comes before it has been idle twice;
// and a worker that a request has ended runs none.
func TestWorkerIsIdle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var ran []string
		end := false
		s := newTestServer(t, Config{}, doing(func(context.Context) {
			ran = append(ran, goroutine())
			if end {
				runtime.Goexit()
			}
		}))
		p := serve(t, s)
		p.ask(initializeAs("2025-11-25"), initialized)
		get := func(after time.Duration) string {
			t.Helper()
			time.Sleep(after)
			assert.Len(t, p.ask(getX("1")), 1)
			return ran[len(ran)-1]
		}
		first := get(0)
		assert.Equal(t, first, get(0))
		for range 5 { // for as long as there is something to do
			assert.Equal(t, first, get(workerIdle-1))
		}
		second := get(2 * workerIdle)
		assert.NotEqual(t, first, second)
		end = true
		assert.Equal(t, second, get(0))
		end = false
		assert.NotEqual(t, second, get(0))
		p.end(t)
	})
}
