package rpc

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/mcp-prompts/prompts/internal/notify"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/telemetry"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/observe"
	"github.com/mcp-prompts/prompts/transport"
)

// Notifications sends the notifications of lists that have changed, once the client is ready. It
// returns nil when ctx or the session ends, or send's error. What is not sent by then is left to
// the next call. One call at a time may run. send is called by other goroutines, one at a time, and
// not after Notifications has returned. It must not keep msg.
func (s *Session) Notifications(ctx context.Context, send func(msg []byte) error) error {
	if s.invalid != nil {
		return s.invalid
	}
	failed := make(chan error, 1)
	s.startNotifications(ctx, send, func(err error) { failed <- err })
	defer s.stopNotifications()
	select {
	case err := <-failed:
		return err
	case <-s.ended:
	case <-ctx.Done():
	}
	return nil
}

// startNotifications is Notifications without a goroutine, until stopNotifications is
// called. failed gets the error of send.
func (s *Session) startNotifications(ctx context.Context, send func(msg []byte) error, failed func(error)) {
	s.courier.Start(func() error { return s.sendChanges(ctx, send) }, failed)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isNotified = true
	s.catchUp()
}

// stopNotifications waits for a notification that is being sent.
func (s *Session) stopNotifications() {
	s.mu.Lock()
	s.isNotified = false
	if s.gathering != nil {
		s.gathering.Stop()
		s.gathering = nil
	}
	s.mu.Unlock()
	s.courier.Stop()
}

// catchUp has the client notified of the changes that it does not know, after a time for more
// of them. The caller holds s.mu. A client over HTTP may have had no stream for some time,
// and nothing signals an old change again.
func (s *Session) catchUp() {
	if !s.isReady || !s.isNotified || !slices.ContainsFunc(s.lists, func(l listener) bool { return l.Pending() }) {
		return
	}
	var timer *time.Timer
	timer = time.AfterFunc(notify.MinPause, func() {
		s.mu.Lock()
		isStopped := s.gathering != timer
		if !isStopped {
			s.gathering = nil
		}
		s.mu.Unlock()
		if isStopped {
			return
		}
		for _, l := range s.listeners() {
			l.Wake()
		}
	})
	s.gathering = timer
}

func (s *Session) sendChanges(ctx context.Context, send func(msg []byte) error) (err error) {
	err = ErrNoReturn // if send panics or ends its goroutine
	defer s.server.recoverPanic()
	buf := wire.GetBuffer()
	defer wire.PutBuffer(buf)
	for _, l := range s.listeners() { // those of now
		if s.hasEnded(ctx) {
			break
		}
		if !l.Signaled() {
			continue
		}
		// A change is pending until it is sent.
		err := l.Send(func() error {
			*buf = wire.AppendNotification((*buf)[:0], l.feed.list.Notification, l.feed.params(nil))
			o := s.server.startChange(ctx, s, nil, &l, len(*buf))
			err := send(*buf)
			o.End(err)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// listeners returns what the client is notified of now: nothing before it is ready, and while
// catchUp waits. The slice is never changed in place: addResource and removeResource make a
// new one.
func (s *Session) listeners() []listener {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.isReady || s.gathering != nil {
		return nil
	}
	return s.lists
}

// hasEnded reports whether the session or ctx has ended. Without this check between two sends, a
// client that has closed its session would still be notified of the lists that are left.
func (s *Session) hasEnded(ctx context.Context) bool {
	select {
	case <-s.ended:
		return true
	default:
		return ctx.Err() != nil
	}
}

// startSent starts the operation of a message to the client. session is that of the client,
// or nil. Without from, the connection is that of the session. Without an observer, startSent
// returns nil. The methods of a nil Operation do nothing.
func (e *engine) startSent(ctx context.Context, kind observe.Kind, method string, session *Session, from transport.Informer, size int) *telemetry.Operation {
	o := e.observer.Start(ctx, kind, size, from)
	if o == nil {
		return nil
	}
	o.SetMethod(method)
	if session != nil {
		o.InSession(session.id, session.Version())
		if from == nil {
			session.mu.Lock()
			defer session.mu.Unlock()
			o.SetTransport(session.conn)
		}
	}
	return o
}

func (e *engine) startChange(ctx context.Context, session *Session, from transport.Informer, list *listener, size int) *telemetry.Operation {
	o := e.startSent(ctx, observe.KindClientNotification, list.feed.list.Notification, session, from, size)
	if o != nil {
		o.SetChange(list.feed.notifier.LastChange(), list.feed.notifier.Subscribers())
	}
	return o
}

// handleNotification acts on a notification from the client. Unknown ones, and those with an error,
// are ignored. An invalid cancellation, or one that comes too late, is ignored as well (CAN-08).
func (s *Session) handleNotification(m *wire.Message) {
	switch m.Method {
	case "notifications/initialized":
		if m.IsStateless() {
			return // which has no such notification
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		// A second notification has no meaning.
		if s.rev != 0 && !s.isReady {
			s.isReady = true
			close(s.ready)
			s.catchUp()
		}
	case "notifications/cancelled":
		id, ok := wire.ReadID(m.Params.Get("requestId"))
		if !ok {
			return
		}
		s.mu.Lock()
		// discard runs without the lock, because an operation that ends may wait for the
		// observer's queue.
		r := s.inFlight[id]
		s.mu.Unlock()
		// A copy: the text is kept longer than the message that it is part of.
		reason := strings.Clone(phrase.Clip(m.Params.Get("reason").Text(), phrase.MaxEcho))
		if r != nil && r.complete() { // else it was answered, perhaps just now (CAN-09)
			r.discard(&cancellation{reason})
			s.removeInFlight(id)
		}
	}
}
