package streamablehttp

import (
	"context"
	"net/http"
	"slices"
	"time"
)

// requireSession returns the session of a GET or a DELETE, marked as in use, or
// replies with an error.
func (h *Handler) requireSession(w http.ResponseWriter, r *http.Request, c client) *session {
	id, ok, err := singleHeader(r.Header, headerSession)
	if err != nil || !ok {
		fix := "missing header " + headerSession + "; send initialize to the MCP endpoint first"
		if err != nil {
			fix = "header " + headerSession + " must be sent only once"
		}
		h.refuse(w, r, http.StatusBadRequest, fix)
		return nil
	}
	version, hasVersion, err := singleHeader(r.Header, headerVersion)
	if err != nil || hasVersion && !isStateful(version) {
		h.refuse(w, r, http.StatusBadRequest, headerVersion+" of GET and DELETE must be one with sessions: "+versionList(isStateful))
		return nil
	}
	found := h.sessions.use(id, c.principal)
	if found == nil {
		h.refuse(w, r, http.StatusNotFound, errNoSession.Message)
	}
	return found
}

func (h *Handler) delete(w http.ResponseWriter, r *http.Request, c client) {
	if found := h.requireSession(w, r, c); found != nil {
		h.sessions.end(found)
		h.sessions.done(found, h.options.SessionTimeout)
		w.WriteHeader(http.StatusNoContent)
	}
}

// get opens a stream on which a session's client is notified of changes. A session may
// have several. Each notification is sent on one of them, the newest: a client that has
// lost a stream opens another, and may do so before the server knows (HTO-21, HTO-22).
func (h *Handler) get(w http.ResponseWriter, r *http.Request, c client) {
	if !accepts(r.Header, "text/event-stream") {
		h.refuse(w, r, http.StatusNotAcceptable, noEvents)
		return
	}
	if blocker(w) != nil {
		h.logBlocked(w, r)
		h.refuse(w, r, http.StatusInternalServerError, noStream)
		return
	}
	if r.ContentLength != 0 { // which net/http would wait for before it sends anything
		h.refuse(w, r, http.StatusBadRequest, "GET requests must not have a body")
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
	defer s.close()
	if s.open() == nil {
		found.listen(ctx, s)
	}
}

// stuckAfter is the time that a stream has to finish a write, once a newer stream is
// open. Then its time is limited to hurried.
const stuckAfter = 100 * time.Millisecond

// listen sends the session's notifications on the stream while no newer stream is
// open. It returns when ctx or the session ends, or a notification cannot be sent.
func (x *session) listen(ctx context.Context, s *stream) {
	mine := &listener{stream: s, turn: make(chan struct{}, 1)}
	mine.turn <- struct{}{}
	x.mu.Lock()
	x.listeners = append(x.listeners, mine)
	if x.sender != nil {
		x.sender.pause()
	}
	x.mu.Unlock()
	defer func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.listeners = slices.DeleteFunc(x.listeners, func(l *listener) bool { return l == mine })
		if n := len(x.listeners); n > 0 {
			select {
			case x.listeners[n-1].turn <- struct{}{}:
			default:
			}
		}
	}()
	for {
		select {
		case <-mine.turn:
		case <-ctx.Done():
			return
		}
		if !x.notify(ctx, mine) {
			return
		}
	}
}

// notify sends notifications while the listener is the newest. It reports whether the
// listener may become the newest again.
func (x *session) notify(ctx context.Context, mine *listener) bool {
	if !x.acquire(ctx) {
		return false
	}
	turn, pause := context.WithCancel(ctx)
	defer pause()
	x.mu.Lock()
	isNewest := x.listeners[len(x.listeners)-1] == mine
	if isNewest {
		x.sender, mine.pause = mine, pause
	}
	x.mu.Unlock()
	defer func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.sender = nil
		<-x.sending
	}()
	if !isNewest {
		return true
	}
	err := x.Notifications(turn, func(msg []byte) error { return mine.stream.event(msg, false) })
	return err == nil && turn.Err() != nil
}

// acquire waits until no other stream sends. It reports false when ctx ends.
func (x *session) acquire(ctx context.Context) bool {
	stuck := time.NewTimer(stuckAfter)
	defer stuck.Stop()
	for {
		select {
		case x.sending <- struct{}{}:
			return true
		case <-ctx.Done():
			return false
		case <-stuck.C:
			x.expediteOlder()
		}
	}
}

// expediteOlder makes the write of the sender end soon, unless the sender is the newest stream.
func (x *session) expediteOlder() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.sender != nil && x.sender != x.listeners[len(x.listeners)-1] {
		x.sender.stream.expedite()
	}
}
