package prompts

import (
	"context"
	"log/slog"
	"math"
	"sync"
	"time"
)

// Rate is how many requests per second one client may send. Twice as many may
// come at once, and one at least. The zero value of each is its default, and a
// negative number no limit.
//
// Who the client is, Options.Principal says; where it says nothing, a session is
// a client, and where there is none, what Exchange.Client says. All sessions of
// one Exchange.Client together may send ten times as many. A client that nobody
// knows is not limited.
type Rate struct {
	// Completions bounds completion/complete, as the protocol demands, which
	// clients send with each key that is pressed. Default: 50.
	Completions float64
	// Gets bounds prompts/get. Default: no limit.
	Gets float64
}

const (
	defaultCompletions = 50
	// mostClients is how many clients are counted beside the sessions, and
	// fewClients how many are never too many to keep.
	mostClients, fewClients = 100_000, 1024
	// sessionsShare is how many times the rate all sessions from one address may
	// have together.
	sessionsShare = 10
)

// rates counts requests of one method.
type rates struct {
	of       rated
	interval time.Duration // between requests
	ahead    time.Duration // how far they may be ahead of that
	began    time.Time

	mu      sync.Mutex // protects the fields below
	clients map[string]*pace

	sweepAt   int           // clients
	sweepNext time.Duration // at the earliest, if there are as many as there may be
}

// pace is how far one client is: when its next request would be due, if it sent
// them evenly. It is protected by the mutex of rates.
type pace struct{ due time.Duration }

// rated is a method with a rate.
type rated uint8

const (
	completions rated = iota
	gets
	ratedMethods
	logRecords // which are no method
)

// newRates returns nil for no limit.
func newRates(of rated, perSecond float64) *rates {
	if perSecond <= 0 {
		return nil
	}
	const longest = 1e6 * float64(time.Hour)
	interval := max(1, min(float64(time.Second)/perSecond, longest))
	ahead := min((max(1, math.Ceil(2*perSecond))-1)*interval, longest)
	return &rates{
		of: of, interval: time.Duration(interval), ahead: time.Duration(ahead),
		began: time.Now(), clients: map[string]*pace{}, sweepAt: fewClients,
	}
}

// admit counts a request, or returns why the client may not send it yet.
func (r *rates) admit(principal string, session *Session, client string) *Error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var wait time.Duration
	switch {
	case principal != "":
		wait = r.take("principal "+principal, 1)
	case session != nil && !session.isDetached:
		// Nor may a client begin anew with each session: several share an address.
		if client != "" {
			wait = r.take("sessions of "+client, sessionsShare)
		}
		if wait == 0 {
			wait = r.step(&session.paces[r.of], time.Since(r.began), 1)
		}
	case client != "":
		wait = r.take("client "+client, 1)
	}
	if wait == 0 {
		return nil
	}
	return &Error{
		Code:    CodeInternalError,
		Message: "too many requests; try again later",
		Data: struct {
			RetryAfter int64 `json:"retryAfterMs"`
		}{int64(math.Ceil(float64(wait) / float64(time.Millisecond)))},
	}
}

// take counts a request of a client that is known by its name, and returns 0; or
// it returns after what time the client may try again.
func (r *rates) take(client string, share time.Duration) (wait time.Duration) {
	now := time.Since(r.began)
	p := r.clients[client]
	if p == nil {
		r.sweep(now)
		if len(r.clients) >= mostClients {
			return 0 // better than to refuse those who have not sent too much
		}
		p = &pace{}
		r.clients[client] = p
	}
	return r.step(p, now, share)
}

// step counts a request of a client at its pace, or of one of as many that share
// it.
func (r *rates) step(p *pace, now, share time.Duration) (wait time.Duration) {
	due := max(p.due, now)
	if wait = due - now - r.ahead; wait > 0 {
		return wait
	}
	p.due = due + max(1, r.interval/share)
	return 0
}

// sweep forgets the clients that may send as much as a new one, once there are
// twice as many as after the last time, or, with no room for that, a second
// later.
func (r *rates) sweep(now time.Duration) {
	if len(r.clients) < r.sweepAt || len(r.clients) >= mostClients && now < r.sweepNext {
		return
	}
	r.sweepNext = now + time.Second
	for name, p := range r.clients {
		if p.due <= now {
			delete(r.clients, name)
		}
	}
	r.sweepAt = min(mostClients, max(fewClients, 2*len(r.clients)))
}

// limited is work that counts for a rate by its principal, which an author's
// code has to name.
type limited struct {
	runner
	call  call // without its message
	rates *rates
}

func (l *limited) run(ctx context.Context, dst []byte) ([]byte, *failure) {
	if err := l.rates.admit(l.call.server.options.Principal(ctx), l.call.session, l.call.from); err != nil {
		return nil, &failure{seen: err}
	}
	return l.runner.run(ctx, dst)
}

// answer is serve within the method's rate.
func (m *method) answer(c *call, dst []byte) ([]byte, work, *Error) {
	if m.rates == nil {
		return m.serve(c, dst)
	}
	if c.server.options.Principal == nil {
		if err := m.rates.admit("", c.session, c.from); err != nil {
			return nil, work{}, err
		}
		return m.serve(c, dst)
	}
	c.isDeferred = true
	_, w, err := m.serve(c, dst)
	if err != nil { // it counts as well
		w = work{
			code:   refusalOf(slog.String("method", c.message.method), err),
			failed: rateFailed,
		}
	}
	w.code = &limited{runner: w.code, rates: m.rates, call: call{server: c.server, session: c.session, from: c.from}}
	return nil, w, nil
}

const rateFailed = "the request failed"
