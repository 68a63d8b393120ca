package streamablehttp

import (
	"context"
	"net/http"
)

// requireSession returns the session of a GET or a DELETE, marked as in use, or
// replies with an error.
func (h *Handler) requireSession(w http.ResponseWriter, r *http.Request, c client) *session {
	id, ok, err := singleHeader(r.Header, headerSession)
	if err != nil || !ok {
		refuse(w, http.StatusBadRequest, "the session id is required, once")
		return nil
	}
	version, hasVersion, err := singleHeader(r.Header, headerVersion)
	if err != nil || hasVersion && !isStateful(version) {
		refuse(w, http.StatusBadRequest, "the protocol version is not one with sessions")
		return nil
	}
	found := h.sessions.use(id, c.principal)
	if found == nil {
		refuse(w, http.StatusNotFound, "there is no such session")
	}
	return found
}

// delete ends a session.
func (h *Handler) delete(w http.ResponseWriter, r *http.Request, c client) {
	if found := h.requireSession(w, r, c); found != nil {
		h.sessions.end(found)
		h.sessions.done(found, h.options.SessionTimeout)
		w.WriteHeader(http.StatusNoContent)
	}
}

// get opens the stream on which a session's client hears of changes. Another
// one takes its place: a client that has lost its stream opens a new one, and
// may do so before we know.
func (h *Handler) get(w http.ResponseWriter, r *http.Request, c client) {
	if !accepts(r.Header, "text/event-stream") {
		refuse(w, http.StatusNotAcceptable, "the reply is text/event-stream")
		return
	}
	if !canStream(w) {
		refuse(w, http.StatusInternalServerError, noStream)
		return
	}
	if r.ContentLength != 0 { // which net/http would wait for before it sends anything
		refuse(w, http.StatusBadRequest, "a GET has no body")
		return
	}
	found := h.requireSession(w, r, c)
	if found == nil {
		return
	}
	defer h.sessions.done(found, h.options.SessionTimeout)
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(h.open, cancel)()

	s := newStream(w, r, &h.options)
	defer s.repanic()
	s.onDisconnect = cancel
	release := found.listen(func() {
		cancel()
		s.expedite()
	})
	defer release()
	defer s.close()
	if s.open() == nil {
		_ = found.Notifications(ctx, func(msg []byte) error { return s.event(msg, false) })
	}
}

// listener is an open stream of a session's changes.
type listener struct {
	dismiss func()        // ends it, soon
	ended   chan struct{} // closed when it has ended
}

// listen makes the caller the one that the session's changes are told to, once
// the one before has ended. It is dismissed when the next one comes.
func (x *session) listen(dismiss func()) (release func()) {
	mine := &listener{dismiss: dismiss, ended: make(chan struct{})}
	x.mu.Lock()
	before := x.listener
	x.listener = mine
	if before != nil {
		before.dismiss() // which has not been released, so its handler has not returned
	}
	x.mu.Unlock()
	if before != nil {
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
