package rpc

import (
	"context"
	"slices"
	"time"

	"github.com/mcp-prompts/prompts/internal/notify"
	"github.com/mcp-prompts/prompts/internal/telemetry"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/observe"
	"github.com/mcp-prompts/prompts/transport"
)

// This file notifies the client of a session of changes, and starts the operations of all
// messages to clients.

// Notifications sends the notifications of lists that have changed, once the
// client is ready. It returns nil when ctx or the session ends, or send's
// error. What is not sent by then is left to the next call. One call at a time
// may run. send must not keep msg.
func (s *Session) Notifications(ctx context.Context, send func(msg []byte) error) error {
	select {
	case <-s.ready:
	case <-s.ended:
		return nil
	case <-ctx.Done():
		return nil
	}
	lists := s.listeners()
	if slices.ContainsFunc(lists, func(l listener) bool { return l.Pending() }) {
		if !s.gather(ctx) {
			return nil
		}
		for _, l := range lists {
			l.Wake()
		}
	}
	var msg []byte
	for {
		select {
		case <-s.changed:
		case <-s.ended:
			return nil
		case <-ctx.Done():
			return nil
		}
		for _, l := range s.listeners() { // which may be others by now
			if s.hasEnded(ctx) {
				return nil
			}
			if !l.Signaled() {
				continue
			}
			// A change is pending until it is sent.
			err := l.Send(func() error {
				msg = wire.AppendNotification(msg[:0], l.feed.list.Notification, l.feed.params(nil))
				o := s.server.startChange(ctx, s, nil, &l, len(msg))
				err := send(msg)
				o.End(err)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
}

// listeners returns what the client is notified of.
func (s *Session) listeners() []listener {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lists
}

// gather waits for more of the changes that a call of Notifications finds, and
// reports whether neither the session nor ctx has ended.
func (s *Session) gather(ctx context.Context) bool {
	quiet := time.NewTimer(notify.MinPause)
	defer quiet.Stop()
	select {
	case <-quiet.C:
		return true
	case <-s.ended:
		return false
	case <-ctx.Done():
		return false
	}
}

// hasEnded reports whether the session or ctx has ended.
func (s *Session) hasEnded(ctx context.Context) bool {
	select {
	case <-s.ended:
		return true
	default:
		return ctx.Err() != nil
	}
}

// startSent starts the operation of a message to the client. session is that of the
// client, or nil. Without from, the connection is that of the session.
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

// startChange is startSent for the notification that a list has changed.
func (e *engine) startChange(ctx context.Context, session *Session, from transport.Informer, list *listener, size int) *telemetry.Operation {
	o := e.startSent(ctx, observe.KindClientNotification, list.feed.list.Notification, session, from, size)
	if o != nil {
		o.SetChange(list.feed.notifier.LastChange(), list.feed.notifier.Subscribers())
	}
	return o
}
