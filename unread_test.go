package prompts

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// unread passes messages to a session whose client reads nothing, as Serve
// does, until it is closed.
type unread struct {
	s       *Server
	session *Session
	held    chan struct{}
	jobs    int // that have begun
	running tally
}

func (u *unread) send(t *testing.T, msg string) {
	x := Exchange{Send: func([]byte, Code, bool) error { <-u.held; return nil }}
	done := make(chan struct{})
	go func() { // an answer that needs no job is stuck here
		defer close(done)
		j, err := u.s.receive(t.Context(), u.session, []byte(msg), x, nil)
		assert.NoError(t, err)
		if j == nil {
			return
		}
		u.jobs++
		u.running.add()
		go func() {
			defer u.running.done()
			_ = j.run(0)
		}()
	}()
	synctest.Wait()
	select {
	case <-done:
	default: // refused, and not read
	}
}

// A client that does not read the answers to its batches uses up its own
// bound: no more of them wait than it may have requests.
func TestUnreadBatchesAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := NewServer(registryOf(textPrompt("text", "hi")), Options{MaxConcurrent: 2})
		u := &unread{s: s, session: sessionIn(t, s, batchVersion), held: make(chan struct{})}
		for i := range 50 {
			u.send(t, batchLine(getLine(fmt.Sprint(i), "text")))
		}
		assert.Equal(t, 4, u.jobs, "two that may run and two that may wait")
		assert.Zero(t, s.limit.inside(), "it costs others nothing")
		close(u.held)
		assert.Zero(t, u.running.wait(t.Context()))
		assert.Zero(t, u.session.limit.inside())
		assert.Zero(t, s.limit.inside())
		u.send(t, batchLine(getLine("1", "text")))
		assert.Equal(t, 5, u.jobs)
	})
}

// A client that subscribes and cancels, and does not read, cannot have more
// subscriptions at work than twice what it may have open.
func TestUnreadSubscriptionsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := NewServer(nil, Options{MaxSubscriptions: 3})
		u := &unread{s: s, session: s.NewSession(SessionOptions{}), held: make(chan struct{})}
		for i := range 50 {
			u.send(t, listenLine(fmt.Sprint(i)))
			u.send(t, cancelLine(fmt.Sprint(i)))
		}
		assert.Equal(t, 6, u.jobs)
		assert.LessOrEqual(t, len(s.changes.hearers), 6)
		close(u.held)
		assert.Zero(t, u.running.wait(t.Context()))
		assertNoTrace(t, s)
		u.session.Close()
	})
}

// Completion of the last element of a list repeats what is before it, but not
// at any length, and not for more values than are sent.
func TestListCompletionIsBounded(t *testing.T) {
	t.Parallel()
	var names []string
	for i := range 250 {
		names = append(names, fmt.Sprintf("v%03d", i))
	}
	p := New(Prompt{Name: "p", Arguments: []Argument{{Name: "tags", Schema: &jsonschema.Schema{Items: Enum(names...)}}}},
		func(context.Context, struct {
			Tags []string `json:"tags"`
		}) (*Result, error) {
			return Messages(), nil
		})
	s := NewServer(registryOf(p), Options{MaxArgumentBytes: 4 << 20})
	complete := func(prefix string) string {
		got, err := s.Call(t.Context(), "completion/complete", []byte(`{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"tags","value":"`+prefix+`"}}`), CallOptions{})
		require.NoError(t, err)
		return string(got)
	}
	assert.Equal(t, `{"completion":{"values":["a, v007"],"total":1,"hasMore":false}}`, complete("a, v007"))
	assert.Equal(t, `{"completion":{"values":["v003"],"total":1,"hasMore":false}}`, complete("V003"))
	assert.Equal(t, `{"completion":{"values":[],"total":0,"hasMore":false}}`, complete(`[\"v00`), "no list of JSON")
	many := complete("x,")
	assert.Contains(t, many, `"total":250,"hasMore":true`)
	assert.Equal(t, 100, strings.Count(many, `"x,v`))
	assert.Equal(t, `{"completion":{"values":[],"total":0,"hasMore":false}}`, complete(strings.Repeat("x", 1<<20)+","))
}

// A request that has ended the goroutine of a report is answered all the same.
func TestProgressEndsItsGoroutine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := NewServer(registryOf(rendered("p", func(ctx context.Context) (*Result, error) {
			Progress(ctx, 1, 2, "")
			time.Sleep(time.Second)
			Progress(ctx, 2, 2, "")
			time.Sleep(time.Second)
			return Messages(User("hi")), nil
		})), Options{})
		var got []string
		err := newSession(t, s).Handle(t.Context(), []byte(withToken(getLine("1", "p"), "1")), Exchange{Send: func(msg []byte, _ Code, last bool) error {
			got = append(got, string(msg))
			if len(got) == 1 {
				runtime.Goexit()
			}
			return nil
		}})
		require.NoError(t, err)
		require.Len(t, got, 3)
		assert.Equal(t, textLine("1", "hi"), got[2])
	})
}
