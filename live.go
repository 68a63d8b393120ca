package prompts

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// A client of the handshake era is asked by a request to it, in the midst of
// its own (GAP-40).

var (
	errNotAnswered = errors.New("the client has not answered in time")
	errGone        = fmt.Errorf("%w: it has gone", ErrCannotAsk)
)

// request is that of a peer. While the client thinks, the task's clock stands
// still, and others have its turn.
func (t *task) request(ctx context.Context, questions []*question) ([]reply, error) {
	if err := t.asking.take(ctx); err != nil {
		return nil, err
	}
	defer t.asking.give()
	if !t.place.yield() {
		return nil, errAnswered
	}
	t.clock.pause()
	responses, err := t.exchangeLive(ctx, questions)
	if again := t.place.resume(&t.ctx); err == nil {
		err = again
	}
	t.clock.resume()
	return responses, err
}

// exchangeLive sends the requests and waits for all responses.
func (t *task) exchangeLive(ctx context.Context, questions []*question) (responses []reply, err error) {
	var timeout <-chan time.Time
	if limit := t.server.options.AskTimeout; limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		timeout = timer.C
	}
	waiting := make([]*outgoing, len(questions))
	open := 0 // the first of those that are not answered
	defer func() {
		for _, o := range waiting[open:] {
			if o != nil {
				t.withdraw(o, err)
			}
		}
	}()
	for i, q := range questions {
		o := t.session.expect()
		waiting[i] = o
		if err := t.emit(appendRequest(nil, o.id, q.method, q.forRevision(t.caller.rev))); err != nil {
			return nil, err
		}
	}
	responses = make([]reply, len(questions))
	for ; open < len(waiting); open++ {
		select {
		case responses[open] = <-waiting[open].response:
		case <-timeout:
			return nil, errNotAnswered
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-t.ctx.Done():
			return nil, context.Cause(&t.ctx)
		}
	}
	return responses, nil
}

// withdraw tells the client that a request needs no answer any more (LIF-24).
func (t *task) withdraw(o *outgoing, why error) {
	if !t.session.forget(o) {
		return // it has been answered
	}
	reason := "the request that it belongs to has ended"
	if errors.Is(why, errNotAnswered) {
		reason = "no answer in time"
	}
	t.sending.Lock()
	defer t.sending.Unlock()
	_ = t.exchange.Send(appendNotification(nil, "notifications/cancelled",
		[]byte(`{"requestId":"`+o.id+`","reason":"`+reason+`"}`)), 0, false)
}

// outgoing is a request to the client.
type outgoing struct {
	id       string
	response chan reply // with room for the one
}

// expect returns a request with an id that no other of the session has (JRP-04).
func (s *Session) expect() *outgoing {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	o := &outgoing{id: "prompts-" + strconv.FormatInt(s.asked, 10), response: make(chan reply, 1)}
	if s.questions == nil {
		s.questions = map[string]*outgoing{}
	}
	if s.isDeaf {
		o.response <- reply{err: errGone}
	} else {
		s.questions[o.id] = o
	}
	return o
}

// hangUp is for a client that will not answer any more: it has closed its side.
func (s *Session) hangUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isDeaf = true
	for _, o := range s.questions {
		o.response <- reply{err: errGone}
	}
	clear(s.questions)
}

// forget ends the wait for a response and reports whether there was none yet.
func (s *Session) forget(o *outgoing) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, waiting := s.questions[o.id]
	delete(s.questions, o.id)
	return waiting
}

// resolve passes a response on to whoever waits for it. One that nobody waits
// for is ignored (CAN-14).
func (s *Session) resolve(m *message) {
	s.mu.Lock()
	o := s.questions[m.key.text]
	if o != nil && m.key.isString {
		delete(s.questions, o.id)
	} else {
		o = nil
	}
	s.mu.Unlock()
	if o == nil {
		return
	}
	if m.failure.Kind() != strictjson.Invalid {
		// What the client says is for the author; it is no error of ours.
		o.response <- reply{err: fmt.Errorf("the client has refused the request: %s (%s)",
			clip(m.failure.Get("message").Text(), maxEcho), clip(m.failure.Get("code").Raw(), 32))}
		return
	}
	o.response <- reply{result: strings.Clone(m.result.Raw())}
}

// turn is held by one goroutine at a time. The zero value is free.
type turn struct {
	once sync.Once
	free chan struct{}
}

func (t *turn) take(ctx context.Context) error {
	t.once.Do(func() { t.free = make(chan struct{}, 1) })
	select {
	case t.free <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (t *turn) give() { <-t.free }
