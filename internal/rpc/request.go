package rpc

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"time"

	"github.com/mcp-prompts/prompts/internal/hosts"
	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/limit"
	"github.com/mcp-prompts/prompts/internal/redact"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/wire"
)

// This file has a request in flight as its handler sees it: the handler's context has it.

// Request is a request in flight, as its handler sees it. It is in the
// handler's context, and is the way to the client: by [Progress] and by
// [Request.Ask].
//
// A handler may use its Request on any goroutine. After the response, Progress has no effect
// and Ask returns an error. The fields without a lock are set before the handler runs.
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

// FromContext returns the request in a handler's context, or nil.
func FromContext(ctx context.Context) *Request {
	r, _ := ctx.Value(requestKey{}).(*Request)
	return r
}

// isSameRequest reports whether two contexts are of one request. An observer may return any
// context from Begin. A context of another request would let a handler report progress to
// another client.
func isSameRequest(a, b context.Context) bool { return FromContext(a) == FromContext(b) }

// SetPrompt sets the name of the prompt that the observer receives with the request.
func (r *Request) SetPrompt(name string) {
	r.task.observed.SetPrompt(name)
}

// SetTool sets the name of the tool that the observer receives with the request.
func (r *Request) SetTool(name string) { r.task.observed.SetTool(name) }

// IsObserved reports whether an observer receives the request.
func (r *Request) IsObserved() bool { return r.task.observed != nil }

// SetVersion sets the version of the rendered prompt that the observer receives with the
// request.
func (r *Request) SetVersion(digest, release, label string) {
	r.task.observed.SetVersion(digest, release, label)
}

// Subject names the request in an error, such as `prompt "review"`.
func (r *Request) Subject() string { return r.task.work.handler.Subject() }

// Owner returns Config.Owner of the server that answers the request.
func (r *Request) Owner() any { return r.task.engine.owner }

// LockAsking waits until no other goroutine of the handler asks the client. If it returns
// nil, UnlockAsking must follow. It fails when ctx or the request ends. The lock keeps two
// goroutines from asking the user the same question twice: the second finds the answer of the
// first.
func (r *Request) LockAsking(ctx context.Context) error { return r.asking.Lock(ctx, &r.task.ctx) }

// UnlockAsking ends what LockAsking began.
func (r *Request) UnlockAsking() { r.asking.Unlock() }

// Parse calls use with the parsed form of a JSON text that the handler has, or with the error
// of the text; with neither for an empty text. The text and the parsed form count as those of
// a message do, until use returns. use must neither wait nor call Parse: others wait for the
// bytes. Parse fails if the request ends before the bytes are free.
func (r *Request) Parse(text string, use func(v strictjson.Value, err error)) error {
	t := r.task
	if wire.IsLarge(len(text)) {
		n, account := int64(len(text)+strictjson.MaxMemory([]byte(text))), t.session.account(t.exchange.Client)
		if err := t.engine.memory.parsing.Acquire(&t.ctx, account, n, time.Time{}); err != nil {
			return err
		}
		defer t.engine.memory.parsing.Release(account, n)
	}
	var doc strictjson.Doc
	var err error
	if text != "" {
		err = doc.Parse(text, jsonenc.MaxDepth)
	}
	use(doc.Root(), err)
	return nil
}

// Hold counts n bytes more that the handler keeps until the end of the request. If they are
// not free, it returns the error for the client.
func (r *Request) Hold(n int) error {
	if !r.task.hold(n) {
		return wire.Busy()
	}
	return nil
}

// ClientRequest is a request to the client.
type ClientRequest struct {
	Method string
	Params json.RawMessage
}

// Progress notifies the client of the progress of its request, if the client
// has asked for that. total is 0 if it is unknown, message may be empty. done
// must be greater than in all earlier calls; any other call has no effect.
//
// Progress does not wait for the client. While the client is slow to read, a
// newer report replaces one that is not sent yet. The last report is sent
// before the response.
func Progress(ctx context.Context, done, total float64, message string) {
	if r := FromContext(ctx); r != nil {
		r.progress.report(r.task.engine.logger, r, report{done, total, r.Secrets().Text(message)})
	}
}

// writeReport sends a report of progress.
func (r *Request) writeReport(next *report) {
	_ = r.task.notify("notifications/progress", appendReport(nil, r.Rev, r.progress.token, next))
}

// AddSecrets says that the request has secrets, such as these. A call without values is for
// secrets that are not known here, such as those of an earlier request.
func (r *Request) AddSecrets(values ...string) {
	if r.secrets.Load() == nil {
		r.secrets.CompareAndSwap(nil, new(redact.Secrets)) // or another goroutine has done so
	}
	r.secrets.Load().Add(values...)
}

// Secrets returns the secrets of the request so far; nil without any.
func (r *Request) Secrets() *redact.Secrets { return r.secrets.Load() }

// Withhold returns the failure without text that is not for the client, if the request
// has secrets. In text for the client it replaces the secrets. It calls methods of the
// application's errors. A failure may be withheld again, after more was added to it.
func (r *Request) Withhold(f *Failure) (clean *Failure) {
	secrets := r.Secrets()
	if secrets == nil || f == nil {
		return f
	}
	defer catch(r, &clean)
	return withhold(&r.task.ctx, secrets, f, r.task.engine.logSensitive)
}

// Link returns ctx, which has no values, with what relates it to the first request that
// waits for it: see observe.Linker.
func Link(ctx, first context.Context) context.Context {
	if r := FromContext(first); r != nil {
		return r.task.engine.observer.Link(ctx, first)
	}
	return ctx
}
