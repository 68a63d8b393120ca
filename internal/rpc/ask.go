package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/mcp-prompts/prompts/internal/hosts"
	"github.com/mcp-prompts/prompts/internal/limit"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/redact"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/telemetry"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/observe"
	"github.com/mcp-prompts/prompts/transport"
)

// This file is the way from the application's code to its client: the request in
// its context, and the requests that a session sends to the client.

// Request is a request in flight, as its handler sees it. It is in the
// handler's context, and is the way to the client: by [Progress] and by
// [Request.Ask].
type Request struct {
	Rev    revision.Revision
	Client wire.Capabilities
	CanAsk bool          // the client can be sent requests
	Host   *hosts.Client // nil for an unknown client
	Head   int           // the size of what the buffer for the result has before the result

	task     *task
	asking   limit.Mutex // serializes the goroutines that ask the client
	progress reporter
	secrets  atomic.Pointer[redact.Secrets] // nil without any
}

type requestKey struct{}

// FromContext returns the request in a handler's context, or nil.
func FromContext(ctx context.Context) *Request {
	r, _ := ctx.Value(requestKey{}).(*Request)
	return r
}

func isSameRequest(a, b context.Context) bool { return FromContext(a) == FromContext(b) }

// SetPrompt sets the name of the prompt that the observer receives with the request.
func (r *Request) SetPrompt(name string) {
	r.task.observed.SetPrompt(name)
}

// SetTool sets the name of the tool that the observer receives with the request.
func (r *Request) SetTool(name string) { r.task.observed.SetTool(name) }

// Subject names the request in an error, such as `prompt "review"`.
func (r *Request) Subject() string { return r.task.work.subject() }

// Owner returns Config.Owner of the server that answers the request.
func (r *Request) Owner() any { return r.task.server.config.Owner }

// LockAsking waits until no other goroutine of the handler asks the client. If
// it returns nil, UnlockAsking must follow. It fails when ctx or the request
// ends.
func (r *Request) LockAsking(ctx context.Context) error { return r.asking.Lock(ctx, &r.task.ctx) }

// UnlockAsking ends what LockAsking began.
func (r *Request) UnlockAsking() { r.asking.Unlock() }

// ClientRequest is a request to the client.
type ClientRequest struct {
	Method string
	Params json.RawMessage
}

// NoAnswer is the error of a request that the client does not answer.
type NoAnswer struct {
	Reason string // for the client
	Err    error  // for the log; may be nil

	timedOut bool
}

func (e *NoAnswer) Error() string {
	if e.Err == nil {
		return e.Reason
	}
	return e.Reason + ": " + e.Err.Error()
}

func (e *NoAnswer) Unwrap() error { return e.Err }

var (
	errGone   = &NoAnswer{Reason: "the client disconnected"}
	errNoRoom = &NoAnswer{Reason: "the answer exceeds the memory that the server has left"}
)

// Ask sends requests to the client, all at once, and returns the results, as
// JSON. Meanwhile the time limit is paused, and other requests may run. The
// first error ends all of them: a [NoAnswer], or the cause of a context's end.
// The caller holds the lock of LockAsking.
func (r *Request) Ask(ctx context.Context, requests []ClientRequest) (results []string, err error) {
	t := r.task
	err = t.pause(func() error {
		if limit := t.server.config.Timeouts.Elicit; limit >= 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeoutCause(ctx, limit, &NoAnswer{
				Reason: fmt.Sprintf("the client did not answer within %v", limit), timedOut: true,
			})
			defer cancel()
		}
		observed := t.observeAsk(ctx, requests)
		if t.call != nil {
			results, err = t.call.ask(ctx, t, requests, observed)
		} else {
			results, err = t.ask(ctx, requests, observed)
		}
		observed.end(err)
		return err
	})
	return results, err
}

// asked are the operations of requests to the client; nil for those that have ended.
type asked []*telemetry.Operation

// observeAsk begins the operations of requests to the client, on the goroutine of the
// application.
func (t *task) observeAsk(ctx context.Context, requests []ClientRequest) asked {
	if t.server.observer == nil {
		return nil
	}
	all := make(asked, len(requests))
	for i, r := range requests {
		all[i] = t.server.startSent(ctx, observe.KindClientRequest, r.Method, t.session, t.observed.Connection(), len(r.Params))
		all[i].SetVersion(t.request.Rev)
		requests[i].Params = all[i].Inject(r.Params)
	}
	return all
}

func (a asked) respond(r clientResponse) {
	if a != nil {
		a[r.index].Answer(len(r.result), r.err)
		a[r.index] = nil
	}
}

// end ends what has no response.
func (a asked) end(err error) {
	for _, o := range a {
		o.End(err)
	}
}

// pause runs f while the timer of the task is paused and its slot is free for others.
func (t *task) pause(f func() error) error {
	if t.ctx.Err() != nil {
		return context.Cause(&t.ctx)
	}
	if !t.ticket.Yield() {
		return ErrAnswered
	}
	t.timer.Pause()
	err := f()
	t.timer.Resume() // the time limit includes the wait for a slot
	if again := t.ticket.Resume(&t.ctx); err == nil {
		err = again
	}
	return err
}

// A stateful client is asked by requests of the session's, amid its own
// request (GAP-40).

// pendingRequest is a request to the client without its response.
type pendingRequest struct {
	id        string
	index     int                   // among the requests that were sent together
	responses chan<- clientResponse // has room for all of these
}

// clientResponse is the outcome of a request to the client.
type clientResponse struct {
	index  int
	result string // as JSON
	err    error
}

// ask sends the requests over the session and waits for the results.
func (t *task) ask(ctx context.Context, requests []ClientRequest, observed asked) (results []string, err error) {
	// The question and the result go over one stream, and none is resumed. Once it has
	// ended, an answer has no use (GAP-30).
	if c := t.exchange.Connected; c != nil {
		if c.Err() != nil {
			return nil, errGone
		}
		var cancel context.CancelCauseFunc
		ctx, cancel = context.WithCancelCause(ctx)
		defer cancel(nil)
		defer context.AfterFunc(c, func() { cancel(errGone) })()
	}
	select {
	case <-t.session.ready: // before that only responses may be sent (LIF-15)
	case <-t.session.readClosed:
		return nil, errGone
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-t.ctx.Done():
		return nil, context.Cause(&t.ctx)
	}
	responses := make(chan clientResponse, len(requests))
	var waiting []*pendingRequest
	defer func() {
		for _, p := range waiting {
			t.cancelRequest(p, err)
		}
	}()
	for i, r := range requests {
		p, err := t.session.register(i, responses)
		if err != nil {
			return nil, err
		}
		if err := t.emit(wire.AppendRequest(nil, p.id, r.Method, r.Params)); err != nil {
			t.session.unregister(p) // the client does not know of it
			return nil, &NoAnswer{Reason: "the request could not be sent to the client", Err: err}
		}
		waiting = append(waiting, p)
	}
	return t.collect(ctx, responses, len(requests), observed)
}

// collect waits for n results or the first error. ctx may outlive the request.
func (t *task) collect(ctx context.Context, responses <-chan clientResponse, n int, observed asked) ([]string, error) {
	results := make([]string, n)
	for range n {
		select {
		case r := <-responses:
			observed.respond(r)
			if r.err != nil {
				return nil, r.err
			}
			if !t.hold(len(r.result)) { // until the prompt is done
				return nil, errNoRoom
			}
			results[r.index] = r.result
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-t.ctx.Done():
			return nil, context.Cause(&t.ctx)
		}
	}
	return results, nil
}

// cancelRequest cancels a request to the client, unless that has responded
// (LIF-24) or disconnected.
func (t *task) cancelRequest(p *pendingRequest, why error) {
	if !t.session.unregister(p) || errors.Is(why, errGone) {
		return
	}
	reason := "the answer is no longer needed"
	if late := (*NoAnswer)(nil); errors.As(why, &late) && late.timedOut {
		reason = "timed out waiting for an answer"
	}
	t.sending.Lock()
	defer t.sending.Unlock()
	if t.isOver {
		return
	}
	const method = "notifications/cancelled"
	msg := wire.AppendNotification(nil, method, fmt.Appendf(nil, `{"requestId":"%s","reason":"%s"}`, p.id, reason))
	o := t.server.startSent(t.forLog(), observe.KindClientNotification, method, t.session, t.observed.Connection(), len(msg))
	o.End(t.exchange.Send(msg, 0, false))
}

// register returns a request with an id that no other of the session has
// (JRP-04), unless the client will not respond any more.
func (s *Session) register(index int, responses chan<- clientResponse) (*pendingRequest, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.readClosed:
		return nil, errGone
	default:
	}
	s.lastID++
	p := &pendingRequest{id: "prompts-" + strconv.FormatInt(s.lastID, 10), index: index, responses: responses}
	if s.requests == nil {
		s.requests = map[string]*pendingRequest{}
	}
	s.requests[p.id] = p
	return p, nil
}

// unregister ends the wait for a response, and reports whether there was none.
func (s *Session) unregister(p *pendingRequest) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, waiting := s.requests[p.id]
	delete(s.requests, p.id)
	return waiting
}

// closeRead is for a client that has closed its side, and will not respond any
// more. It is called once.
func (s *Session) closeRead() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.readClosed)
	for _, p := range s.requests {
		p.responses <- clientResponse{index: p.index, err: errGone}
	}
	clear(s.requests)
}

// takeRequest returns the request that the message responds to, which then no longer
// waits; nil without one.
func (s *Session) takeRequest(m *wire.Message) *pendingRequest {
	id, isString := m.Key.Text()
	if !isString { // ours are
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.requests[id]
	delete(s.requests, id)
	return p
}

// handleMalformed ends the request that a malformed response is for, which else
// would wait for its time limit.
func (s *Session) handleMalformed(m *wire.Message, err *transport.Error) {
	if m.Method != "" {
		return // not a response
	}
	if p := s.takeRequest(m); p != nil {
		p.responses <- clientResponse{index: p.index, err: &NoAnswer{Reason: "the client's response is malformed", Err: err}}
	}
}

// handleResponse passes a response to the goroutine that waits for it. Any other
// response is ignored (CAN-14).
func (s *Session) handleResponse(m *wire.Message) {
	p := s.takeRequest(m)
	if p == nil {
		return
	}
	if m.Err.Kind() <= strictjson.Null && m.Result.Kind() != strictjson.Invalid {
		p.responses <- clientResponse{index: p.index, result: strings.Clone(m.Result.Raw())}
		return
	}
	p.responses <- clientResponse{index: p.index, err: &NoAnswer{
		Reason: "the client answered with an error",
		Err: fmt.Errorf("%s (%s)",
			phrase.Clip(m.Err.Get("message").Text(), phrase.MaxEcho), phrase.Clip(m.Err.Get("code").Raw(), 32)),
	}}
}
