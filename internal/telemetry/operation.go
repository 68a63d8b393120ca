package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/observe"
	"github.com/mcp-prompts/prompts/transport"
)

// Operation is one operation: a message from or to a client, or a session. It must not be used
// after End or Release. An Operation has no lock. The goroutine that started the operation owns it
// until End, and the goroutine that drains the queue from then on. For a request in flight, Request
// has the lock. Operations are reused, so a use after End would change the operation of another
// message.
type Operation struct {
	queue     *Queue
	ctx       context.Context // that of Begin before it is called, then its result
	op        observe.Operation
	out       observe.Outcome
	begun     bool // Begin was called
	responded bool
	stateless bool // the request is
}

// Start returns a new operation. from may be nil. The Informer belongs to the transport, so
// its panic must not reach the message.
func (q *Queue) Start(ctx context.Context, kind observe.Kind, size int, from transport.Informer) *Operation {
	if q == nil {
		return nil
	}
	o := q.get()
	o.queue, o.ctx, o.op.Kind, o.op.Size, o.op.Start = q, ctx, kind, size, time.Now()
	if from != nil {
		q.guard(func() { o.op.Transport = from.TransportInfo() })
	}
	return o
}

// StartSession begins the operation of a session that is initialized. It ends with the
// session. Begin is queued at once, so that an observer can count open sessions.
func (q *Queue) StartSession(id string, rev revision.Revision, conn transport.Info) *Operation {
	o := q.Start(context.Background(), observe.KindSession, 0, nil)
	if o == nil {
		return nil
	}
	o.InSession(id, rev.String())
	o.SetTransport(conn)
	q.push(event{o, false})
	return o
}

// notifications that clients send, of all versions and features. Any other method
// is one of the server's.
var notifications = map[string]bool{
	"notifications/initialized": true, "notifications/cancelled": true, "notifications/progress": true,
	"notifications/roots/list_changed": true, "notifications/message": true,
}

// Read sets what a message says of itself. isKnown says that the server has the method of a
// request. What the client has invented does not count. Metrics have a series for each
// method, and a client must not be able to make series.
func (o *Operation) Read(m *wire.Message, isInvalid, isKnown bool) {
	if o == nil {
		return
	}
	// A string of a large message would keep the whole message until the observer has been called.
	keep := func(text string) string {
		if m.Large {
			return strings.Clone(text)
		}
		return text
	}
	switch {
	case isInvalid || m.Kind == wire.KindInvalid:
		o.op.Kind = observe.KindInvalid
	case m.Kind == wire.KindRequest:
		o.op.Kind = observe.KindRequest
		if isKnown {
			o.op.Method = keep(m.Method)
		}
	case m.Kind == wire.KindNotification:
		o.op.Kind = observe.KindNotification
		if notifications[m.Method] {
			o.op.Method = keep(m.Method)
		}
	default:
		o.op.Kind = observe.KindResponse
	}
	o.op.ID = keep(phrase.Clip(m.ID, phrase.MaxEcho))
	o.SetMeta(m)
}

// SetMeta sets the _meta of a message. A _meta above maxMeta is left out, because the queue
// keeps it in memory.
func (o *Operation) SetMeta(m *wire.Message) {
	if o == nil || m.Meta.Kind() != strictjson.Object || len(m.Meta.Raw()) > maxMeta {
		return
	}
	if o.op.Meta = m.Meta.Raw(); m.Large {
		o.op.Meta = strings.Clone(o.op.Meta)
	}
}

func (o *Operation) SetMethod(method string) {
	if o != nil {
		o.op.Method = method
	}
}

// InSession sets the id and the version of the session. An empty version counts as not known yet.
func (o *Operation) InSession(id, version string) {
	if o == nil {
		return
	}
	if o.op.SessionID = id; version != "" {
		o.op.Version = version
	}
}

// SetVersion sets the version of a request. A stateless request in a session has a version of
// its own, which replaces that of InSession.
func (o *Operation) SetVersion(rev revision.Revision) {
	if o != nil {
		o.op.Version, o.stateless = rev.String(), rev.Stateless()
	}
}

func (o *Operation) SetTransport(conn transport.Info) {
	if o != nil {
		o.op.Transport = conn
	}
}

func (o *Operation) Transport() transport.Info {
	if o == nil {
		return transport.Info{}
	}
	return o.op.Transport
}

func (o *Operation) SetPrompt(name string) {
	if o != nil {
		o.out.Prompt = name
	}
}

func (o *Operation) SetTool(name string) {
	if o != nil {
		o.out.Tool = name
	}
}

// SetChange sets when what a notification is about has changed, and how many clients are notified.
func (o *Operation) SetChange(at time.Time, subscribers int) {
	if o != nil {
		o.out.Delay, o.out.Subscribers = time.Since(at), subscribers
	}
}

// Inject begins the operation of a request to the client, on the goroutine of the application. It
// returns the params of the request with the members of the Injector. The call cannot be left to
// the queue, because the message carries the trace context that Begin returns.
func (o *Operation) Inject(params json.RawMessage) json.RawMessage {
	if o == nil || o.queue.blocked.Load() > 0 { // the queue is left to block
		return params
	}
	q := o.queue
	o.ctx, o.begun = q.begin(o.ctx, &o.op), true
	q.guard(func() { params = addMeta(params, q.inject(o.ctx)) })
	return params
}

// addMeta returns params with members in their _meta, unless the application has set one. An
// error leaves the params unchanged: telemetry must not fail a request.
func addMeta(params json.RawMessage, members map[string]string) json.RawMessage {
	var own struct {
		Meta json.RawMessage `json:"_meta"`
	}
	if len(members) == 0 || len(params) > 0 && json.Unmarshal(params, &own) != nil || own.Meta != nil {
		return params
	}
	meta, err := json.Marshal(members)
	if err != nil {
		return params
	}
	rest := bytes.TrimPrefix(bytes.TrimSpace(params), []byte("{"))
	if len(bytes.TrimSpace(rest)) <= 1 { // no other members
		rest = []byte("}")
	} else {
		meta = append(meta, ',')
	}
	return slices.Concat(json.RawMessage(`{"_meta":`), meta, rest)
}

// An id that is a string cannot have the first of them, because its quotes are
// escaped. The others begin a result.
var (
	resultMember  = []byte(`,"result":`)
	inputRequired = []byte("{" + wire.InputRequired)
	toolError     = []byte(`{"isError":true`)
)

// Respond notes the response, which has been sent unless there is an error. The size is noted
// now, because the buffer of the response is used again.
func (o *Operation) Respond(r wire.Response, err error) {
	if o == nil {
		return
	}
	o.responded = true
	o.out.Code, o.out.Size, o.out.Err = r.Code, len(r.Msg), err
	if r.Code == 0 {
		o.out.ResultType = "complete"
		if o.stateless || o.out.Tool != "" {
			// A result is recognized by its first bytes: the server encodes these members
			// first, and parsing each response again would be slow.
			_, result, _ := bytes.Cut(r.Msg, resultMember)
			o.setResult(result)
		}
	}
}

func (o *Operation) setResult(result []byte) {
	if bytes.HasPrefix(result, inputRequired) {
		o.out.ResultType = "input_required"
	}
	o.out.IsError = o.out.Tool != "" && bytes.HasPrefix(result, toolError)
}

// Answer ends the operation of a request to the client with the size of its response.
func (o *Operation) Answer(size int, err error) {
	if o != nil {
		o.out.Size = size
		o.End(err)
	}
}

// End ends the operation. err says why there is no response. If there is a response, err does
// not count: the client has its answer.
func (o *Operation) End(err error) {
	if o == nil {
		return
	}
	if u, ok := err.(*wire.Unaccepted); ok {
		o.out.Code = u.Err.Code
	} else if !o.responded {
		o.out.Err = err
	}
	o.out.Duration = time.Since(o.op.Start)
	o.queue.push(event{o, true})
}

// Release ends an operation without a call of the observer. The array of a batch is such an
// operation: its messages have operations of their own.
func (o *Operation) Release() {
	if o == nil {
		return
	}
	q := o.queue
	*o = Operation{}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.free = append(q.free, o)
}
