package limit

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// holds checks how much of its limits is taken.
func (p *Ticket) holds(t testing.TB, session, server, sessionSlots, serverSlots int) {
	t.Helper()
	assert.Equal(t, session, p.Session.inside(), "in the session")
	assert.Equal(t, server, p.Server.inside(), "in the server")
	assert.Equal(t, sessionSlots, p.Session.taken(), "slots of the session")
	assert.Equal(t, serverSlots, p.Server.taken(), "slots of the server")
}

func newTicket(n int) *Ticket { return &Ticket{Session: NewSemaphore(n), Server: NewSemaphore(n)} }

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
	p.ReleaseServer()
	p.holds(t, 1, 0, 1, 0)
	assert.False(t, p.Yield(), "it is over")
	p.holds(t, 1, 0, 1, 0)
	p.Release()
	p.Release()
	p.holds(t, 0, 0, 0, 0)
}

// A Ticket that is left while a goroutine waits to get its turn back has
// nothing left to be given back later.
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
				require.NoError(t, p.Acquire(t.Context(), 0))
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

// The limit is that of all that a task waits for, together.
func TestTicketHasOneTimeLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTicket(1)
		p.Client = NewKeyed(1).Get("a")
		for _, l := range []*Semaphore{p.Session, p.Client.Semaphore, p.Server} {
			l.occupy(t)
		}
		require.True(t, p.Admit(t.Context(), nil))
		time.AfterFunc(9*time.Second, func() { p.Session.Release(false, true) })
		time.AfterFunc(9*time.Second, func() { p.Client.Release(false, true) })
		began := time.Now()
		assert.Equal(t, ErrBusy, p.Acquire(t.Context(), 10*time.Second))
		assert.Equal(t, 10*time.Second, time.Since(began))
		p.Release()
		p.holds(t, 0, 0, 0, 1)
	})
}

// Nothing stays behind of a Ticket that is not to be had.
func TestTicketWithoutCapacity(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newTicket(1)
		for range 2 {
			entered, _ := p.Server.tryAdmit(true)
			require.True(t, entered)
		}
		assert.False(t, p.Admit(t.Context(), nil))
		assert.Equal(t, 0, p.Session.inside())
		assert.Equal(t, 0, p.Session.taken())
		assert.Equal(t, 2, p.Server.inside())

		p = newTicket(1)
		p.Server.occupy(t)
		require.True(t, p.Admit(t.Context(), nil))
		assert.Equal(t, ErrBusy, p.Acquire(t.Context(), time.Second))
		p.Release()
		p.holds(t, 0, 0, 0, 1)
	})
}

// What comes to a Ticket that has been left is given back at once: a goroutine
// of the author's may still wait for its turn then.
func TestTicketAfterRelease(t *testing.T) {
	t.Parallel()
	p := newTicket(1)
	require.True(t, p.Admit(t.Context(), nil))
	require.True(t, p.Yield())
	p.Release()
	p.holds(t, 0, 0, 0, 0)
	require.NoError(t, p.Resume(t.Context()))
	p.holds(t, 0, 0, 0, 0)
}

// A share lasts for as long as its client has tasks.
func TestKeyed(t *testing.T) {
	t.Parallel()
	s := NewKeyed(1)
	a, again, b := s.Get("a"), s.Get("a"), s.Get("b")
	assert.Same(t, a, again)
	assert.NotSame(t, a, b)
	assert.Len(t, s.clients, 2)
	a.Put()
	assert.Same(t, a, s.Get("a"), "it has a task still")
	a.Put()
	a.Put()
	b.Put()
	assert.Empty(t, s.clients)
	assert.Same(t, b, s.Get("c"), "one is kept for the next client")
	assert.NotSame(t, b, s.Get("d"))
}

// A task counts for its client too, until it is over.
func TestTicketOfAClient(t *testing.T) {
	t.Parallel()
	shares := NewKeyed(2)
	p := newTicket(2)
	p.Client = shares.Get("a")
	client := func(tasks, slots int) {
		t.Helper()
		assert.Equal(t, tasks, p.Client.inside())
		assert.Equal(t, slots, p.Client.taken())
	}
	require.True(t, p.Admit(t.Context(), nil))
	client(1, 1)
	require.NoError(t, p.Acquire(t.Context(), 0))
	client(1, 1)
	require.True(t, p.Yield())
	client(0, 0)
	require.NoError(t, p.Resume(t.Context()))
	client(1, 1)
	p.ReleaseServer()
	client(1, 1)
	p.ReleaseRunning()
	client(0, 0)
	assert.Len(t, shares.clients, 1)
	p.Release()
	p.Release()
	p.holds(t, 0, 0, 0, 0)
	assert.Empty(t, shares.clients)
}
