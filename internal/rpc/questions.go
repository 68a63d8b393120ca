package rpc

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/transport"
)

// questions are the requests of one session to its client without their response.
// A question is in waiting until one of take, unregister and close removes it. Only the
// goroutine that removes a question may send its answer, so each question has at most one.
type questions struct {
	closed chan struct{} // closed by close

	mu      sync.Mutex // protects the fields below
	lastID  int64
	waiting map[string]*question // by id
}

type question struct {
	id        string
	index     int           // among the requests that were sent together
	responses chan<- answer // has room for all of these
}

type answer struct {
	index  int
	result string // as JSON
	err    error
}

// NoAnswer is the error of a request that the client does not answer. Package elicit makes an
// Unavailable of it, for the application.
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

// register returns a request with an id that no other of the session has
// (JRP-04), unless the client will not respond any more.
func (q *questions) register(index int, responses chan<- answer) (*question, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	select {
	case <-q.closed:
		return nil, errGone
	default:
	}
	// Ids are strings with a prefix, which nobody mistakes for ids of the client's own requests.
	q.lastID++
	p := &question{id: "prompts-" + strconv.FormatInt(q.lastID, 10), index: index, responses: responses}
	if q.waiting == nil {
		q.waiting = map[string]*question{}
	}
	q.waiting[p.id] = p
	return p, nil
}

// unregister ends the wait for a response, and reports whether there was none. If the result
// is true, the client may still show the question, and should be notified that nobody waits.
func (q *questions) unregister(p *question) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	_, waiting := q.waiting[p.id]
	delete(q.waiting, p.id)
	return waiting
}

// close is for a client that has closed its side, and will not respond any more. It is called once.
// Only the drain of a connection calls it. A session that is closed cancels its requests instead.
func (q *questions) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	close(q.closed)
	// The channels have room, so that no wait happens under the lock.
	for _, p := range q.waiting {
		p.responses <- answer{index: p.index, err: errGone}
	}
	clear(q.waiting)
}

// take returns the request that the message responds to, which then no longer
// waits; nil without one.
func (q *questions) take(m *wire.Message) *question {
	id, isString := m.Key.Text()
	// Any other id is no answer to us, whatever the client means by it.
	if !isString { // ours are
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	p := q.waiting[id]
	delete(q.waiting, id)
	return p
}

// handleMalformed ends the request that a malformed response is for, which else
// would wait for its time limit.
func (q *questions) handleMalformed(m *wire.Message, err *transport.Error) {
	if m.Method != "" {
		return // not a response
	}
	if p := q.take(m); p != nil {
		p.responses <- answer{index: p.index, err: &NoAnswer{Reason: "the client's response is malformed", Err: err}}
	}
}

// handleResponse passes a response to the goroutine that waits for it. Any other response is
// ignored (CAN-14). handleResponse never blocks the goroutine that reads, because the channel
// has room for all answers.
func (q *questions) handleResponse(m *wire.Message) {
	p := q.take(m)
	if p == nil {
		return
	}
	// An error that is null counts as missing.
	if m.Err.Kind() <= strictjson.Null && m.Result.Kind() != strictjson.Invalid {
		// A copy: the result is read by the render function, long after the message.
		p.responses <- answer{index: p.index, result: strings.Clone(m.Result.Raw())}
		return
	}
	p.responses <- answer{index: p.index, err: &NoAnswer{
		Reason: "the client answered with an error",
		Err: fmt.Errorf("%s (%s)",
			phrase.Clip(m.Err.Get("message").Text(), phrase.MaxEcho), phrase.Clip(m.Err.Get("code").Raw(), 32)),
	}}
}

func (q *questions) count() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}
