package limit

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// holds checks what the limits of a ticket count.
func (t *Ticket) holds(tb testing.TB, session, server, sessionSlots, serverSlots int) {
	tb.Helper()
	admitted, running, _ := t.Session.InUse()
	assert.Equal(tb, session, admitted, "in the session")
	assert.Equal(tb, sessionSlots, running, "slots of the session")
	admitted, running, _ = t.Server.InUse()
	assert.Equal(tb, server, admitted, "in the server")
	assert.Equal(tb, serverSlots, running, "slots of the server")
}

func newTicket(n int) *Ticket {
	return &Ticket{Session: NewRequests(n, 0), Server: NewRequests(n, n), Client: "a"}
}

// Whatever is taken is given back, once.
func TestTicket(t *testing.T) {
	t.Parallel()
	p := newTicket(2)
	require.True(t, p.Admit(t.Context(), nil))
	p.holds(t, 1, 1, 1, 1)
	require.NoError(t, p.Acquire(t.Context(), 0))
	p.holds(t, 1, 1, 1, 1)
	require.True(t, p.Yield())
	p.holds(t, 1, 0, 0, 0)
	require.NoError(t, p.Resume(t.Context()))
	p.holds(t, 1, 1, 1, 1)
	p.Leave()
	p.holds(t, 1, 0, 0, 0)
	assert.False(t, p.Yield(), "it is over")
	p.Release()
	p.Release()
	p.holds(t, 0, 0, 0, 0)
	_, _, clients := p.Server.InUse()
	assert.Zero(t, clients)
}

// A client has its share of the server, running and waiting, whatever its
// sessions.
func TestTicketsOfOneClient(t *testing.T) {
	t.Parallel()
	server := NewRequests(4, 1)
	ticket := func(client string) *Ticket {
		return &Ticket{Server: server, Session: NewRequests(9, 0), Client: client}
	}
	for range 2 {
		require.True(t, ticket("a").Admit(t.Context(), nil))
	}
	assert.False(t, ticket("a").Admit(t.Context(), nil), "one runs and one waits")
	require.True(t, ticket("b").Admit(t.Context(), nil))
	admitted, running, clients := server.InUse()
	assert.Equal(t, []int{3, 2, 2}, []int{admitted, running, clients})
}

// The reader of a connection waits for capacity, but no longer than its budget.
func TestAdmitWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		requests := NewRequests(2, 0)
		enter := func(ctx context.Context, p *Backpressure) bool {
			return (&Ticket{Server: requests}).Admit(ctx, p)
		}
		leave := func() { requests.admitted.Release("", 1) }
		for range 4 {
			assert.True(t, enter(t.Context(), nil))
		}
		assert.False(t, enter(t.Context(), nil))
		p, began := NewBackpressure(), time.Now()
		time.AfterFunc(10*time.Millisecond, leave)
		assert.True(t, enter(t.Context(), p))
		assert.Equal(t, 10*time.Millisecond, time.Since(began))
		assert.False(t, enter(t.Context(), p), "for the rest of its budget")
		assert.Equal(t, maxBackpressure, time.Since(began))
		assert.False(t, enter(t.Context(), p), "and then not at all")
		assert.Equal(t, maxBackpressure, time.Since(began))
		time.Sleep(recoveryFactor * 2 * time.Millisecond)
		began = time.Now()
		assert.False(t, enter(t.Context(), p), "it recovers slowly")
		assert.Equal(t, 2*time.Millisecond, time.Since(began))
		p, began = NewBackpressure(), time.Now()
		for range 1000 {
			time.AfterFunc(minBackpressure, leave)
			assert.True(t, enter(t.Context(), p))
		}
		assert.Equal(t, 1000*minBackpressure, time.Since(began))
		assert.Equal(t, maxBackpressure, p.Budget(), "a wait for short requests costs nothing")
		ended, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Millisecond, cancel)
		began = time.Now()
		assert.False(t, enter(ended, p))
		assert.Equal(t, time.Millisecond, time.Since(began))
	})
}

// A ticket that is released while a goroutine waits for its slots has nothing
// left afterwards.
func TestTicketReleasedMeanwhile(t *testing.T) {
	for name, resume := range map[string]func(t *testing.T, p *Ticket, free func()){
		"before": func(t *testing.T, p *Ticket, free func()) {
			p.Release()
			free()
			assert.NoError(t, p.Resume(context.Background()))
		},
		"while it waits": func(t *testing.T, p *Ticket, free func()) {
			done := make(chan error)
			go func() { done <- p.Resume(context.Background()) }()
			synctest.Wait()
			p.Release()
			free()
			assert.NoError(t, <-done)
		},
		"its context has ended": func(t *testing.T, p *Ticket, free func()) {
			ctx, cancel := context.WithCancelCause(context.Background())
			done := make(chan error)
			go func() { done <- p.Resume(ctx) }()
			synctest.Wait()
			cancel(errTest)
			assert.Equal(t, errTest, <-done)
			p.Release()
			free()
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newTicket(1)
				require.True(t, p.Admit(t.Context(), nil))
				require.True(t, p.Yield())
				other := &Ticket{Session: p.Session, Server: p.Server}
				require.True(t, other.Admit(t.Context(), nil))
				require.NoError(t, other.Acquire(t.Context(), 0))
				resume(t, p, other.Release)
				p.Release()
				p.holds(t, 0, 0, 0, 0)
			})
		})
	}
}

// The time limit is for the slots of the session and of the server together.
func TestTicketHasOneTimeLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newTicket(1)
		require.True(t, p.Session.running.TryAcquire("", 1))
		require.True(t, p.Server.running.TryAcquire("b", 1))
		require.True(t, p.Admit(t.Context(), nil))
		time.AfterFunc(9*time.Second, func() { p.Session.running.Release("", 1) })
		began := time.Now()
		assert.Equal(t, ErrBusy, p.Acquire(t.Context(), 10*time.Second))
		assert.Equal(t, 10*time.Second, time.Since(began))
		p.Release()
		p.holds(t, 0, 0, 0, 1)
	})
}

// Nothing stays behind of a ticket that the server does not admit.
func TestTicketWithoutCapacity(t *testing.T) {
	t.Parallel()
	p := newTicket(1)
	p.Server.admitted.Add("b", 2)
	assert.False(t, p.Admit(t.Context(), nil))
	p.holds(t, 0, 2, 0, 0)
}
