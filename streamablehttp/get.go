package streamablehttp

import (
	"context"
	"net/http"
	"time"
)

// named returns the session that a GET or a DELETE names, in use, or replies
// that there is none.
func (h *Handler) named(w http.ResponseWriter, r *http.Request) *session {
	id, ok, err := once(r.Header, headerSession)
	if err != nil || !ok {
		refuse(w, http.StatusBadRequest, "the session id is required, once")
		return nil
	}
	version, hasVersion, err := once(r.Header, headerVersion)
	if err != nil || hasVersion && !isHandshake(version) {
		refuse(w, http.StatusBadRequest, "the protocol version is not one with sessions")
		return nil
	}
	found := h.sessions.use(id, h.principal(r))
	if found == nil {
		refuse(w, http.StatusNotFound, "there is no such session")
	}
	return found
}

// delete ends a session.
func (h *Handler) delete(w http.ResponseWriter, r *http.Request) {
	if found := h.named(w, r); found != nil {
		h.sessions.end(found)
		h.sessions.done(found, h.options.SessionTimeout)
		w.WriteHeader(http.StatusNoContent)
	}
}

// get opens the stream on which a session's client hears of changes. Another
// one takes its place: a client that has lost its stream opens a new one, and
// may do so before we know.
func (h *Handler) get(w http.ResponseWriter, r *http.Request) {
	if !accepts(r.Header, "text/event-stream") {
		refuse(w, http.StatusNotAcceptable, "the reply is text/event-stream")
		return
	}
	found := h.named(w, r)
	if found == nil {
		return
	}
	defer h.sessions.done(found, h.options.SessionTimeout)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(closed(h.closing), cancel)()
	release := found.listen(cancel)
	defer release()

	s := newStream(w, &h.options)
	defer s.close()
	if s.open() != nil {
		return
	}
	if interval := h.options.KeepAlive; interval > 0 {
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		alive := make(chan struct{})
		go func() { // ends with the stream
			defer close(alive)
			for {
				select {
				case <-ticker.C:
					if s.keepAlive(interval) != nil {
						cancel()
					}
				case <-ctx.Done():
					return
				}
			}
		}()
		defer func() { cancel(); <-alive }()
	}
	_ = found.Notifications(ctx, func(msg []byte) error { return s.event(msg, false) })
}

// closed returns a context that ends when the channel is closed.
func closed(c <-chan struct{}) context.Context { return channelContext{context.Background(), c} }

type channelContext struct {
	context.Context
	done <-chan struct{}
}

func (c channelContext) Done() <-chan struct{} { return c.done }

func (c channelContext) Err() error {
	select {
	case <-c.done:
		return context.Canceled
	default:
		return nil
	}
}

// listen makes the caller the one that the session's changes are told to, once
// the one before has ended. It returns what ends that.
func (x *session) listen(cancel context.CancelFunc) (release func()) {
	mine := &listener{cancel: cancel, ended: make(chan struct{})}
	x.mu.Lock()
	before := x.listener
	x.listener = mine
	x.mu.Unlock()
	if before != nil {
		before.cancel()
		<-before.ended
	}
	return func() {
		x.mu.Lock()
		if x.listener == mine {
			x.listener = nil
		}
		x.mu.Unlock()
		close(mine.ended)
	}
}

// listener is an open stream of a session's changes.
type listener struct {
	cancel context.CancelFunc
	ended  chan struct{}
}

var _ http.Handler = (*Handler)(nil)
