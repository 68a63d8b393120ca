package prompts

import (
	"context"
	"errors"
	"fmt"
)

// A client of the handshake era is asked by a request to it, in the midst of
// its own (GAP-40).

var (
	errNotAnswered = &cannotAsk{why: "it has not answered in time"}
	errGone        = &cannotAsk{why: "it has gone"}
)

// request is that of a peer.
func (t *task) request(ctx context.Context, questions []*question) (results []string, err error) {
	err = pause(&t.ctx, &t.place, &t.clock, func() error {
		ctx, cancel := t.server.untilAnswered(ctx)
		defer cancel()
		results, err = t.askLive(ctx, questions)
		return err
	})
	return results, err
}

// untilAnswered returns the context of a request to a client.
func (s *Server) untilAnswered(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.options.AskTimeout < 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, s.options.AskTimeout, errNotAnswered)
}

// askLive sends the requests and waits for the results of all of them, or for
// the first failure.
func (t *task) askLive(ctx context.Context, questions []*question) (results []string, err error) {
	select {
	case <-t.session.ready: // before that, nothing but answers is to be sent (LIF-15)
	case <-t.session.deaf:
		return nil, errGone
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-t.ctx.Done():
		return nil, context.Cause(&t.ctx)
	}
	replies := make(chan reply, len(questions))
	var waiting []*outgoing
	defer func() {
		for _, o := range waiting {
			t.withdraw(o, err)
		}
	}()
	for i, q := range questions {
		o, err := t.session.expect(i, replies)
		if err != nil {
			return nil, err
		}
		if err := t.emit(appendRequest(nil, o.id, q.method, q.params)); err != nil {
			t.session.forget(o) // the client does not know of it
			return nil, &cannotAsk{why: "it could not be reached", cause: err}
		}
		waiting = append(waiting, o)
	}
	return collect(ctx, &t.ctx, replies, len(questions))
}

// collect waits for the results of n requests, or for the first failure. ctx is
// that of the requests, own that of the work that they are part of: an author
// may have made ctx last longer.
func collect(ctx, own context.Context, replies <-chan reply, n int) ([]string, error) {
	results := make([]string, n)
	for range n {
		select {
		case r := <-replies:
			if r.err != nil {
				return nil, r.err
			}
			results[r.to] = r.result
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-own.Done():
			return nil, context.Cause(own)
		}
	}
	return results, nil
}

// withdraw tells the client that a request needs no answer any more, unless it
// has one (LIF-24).
func (t *task) withdraw(o *outgoing, why error) {
	if !t.session.forget(o) {
		return
	}
	reason := "no answer is needed any more"
	if errors.Is(why, errNotAnswered) {
		reason = "no answer in time"
	}
	t.sending.Lock()
	defer t.sending.Unlock()
	if t.isOver {
		return
	}
	_ = t.exchange.Send(appendNotification(nil, "notifications/cancelled",
		fmt.Appendf(nil, `{"requestId":"%s","reason":"%s"}`, o.id, reason)), 0, false)
}

// pause runs f while a task's clock stands still and others have its place. own
// is the task's context.
func pause(own context.Context, p *place, c *clock, f func() error) error {
	if own.Err() != nil {
		return context.Cause(own)
	}
	if !p.yield() {
		return errAnswered
	}
	c.pause()
	err := f()
	c.resume() // the client has done thinking, and waiting for a turn has a limit
	if again := p.resume(own); err == nil {
		err = again
	}
	return err
}
