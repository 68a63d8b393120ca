package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/mcp-prompts/prompts/internal/hosts"
	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/limit"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/redact"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/wire"
)

// Running is a request in flight, as its runner sees it. It is in the runner's context, and is the
// way to the client: by [Progress] and by [Running.Ask]. A runner may use its Running on any
// goroutine. After the response, Progress has no effect and Ask returns an error. The fields
// without a lock are set before the runner runs.
type Running struct {
	Rev    revision.Revision
	Client wire.Capabilities
	CanAsk bool          // the client can be sent requests
	Host   *hosts.Client // nil for an unknown client
	Head   int           // the size of what the buffer for the result has before the result

	task     *task
	asking   limit.Mutex // serializes the goroutines that ask the client
	progress reporter
	rare     atomic.Pointer[rare] // nil without any
}

// rare is what few requests have. With 8 bytes more in each Running, a get takes 32 bytes more.
type rare struct {
	hasSecrets atomic.Bool
	secrets    redact.Secrets
	failed     atomic.Pointer[Failure] // see Fail
	info       wire.ClientInfo         // with Config.ClientInfo
}

func (r *Running) rareFields() *rare {
	if r.rare.Load() == nil {
		r.rare.CompareAndSwap(nil, new(rare)) // or another goroutine has done so
	}
	return r.rare.Load()
}

// FromContext returns the request in a runner's context, or nil.
func FromContext(ctx context.Context) *Running {
	r, _ := ctx.Value(requestKey{}).(*Running)
	return r
}

// isSameRequest reports whether two contexts are of one request. An observer may return any context
// from Begin. A context of another request would let a runner report progress to another client.
func isSameRequest(a, b context.Context) bool { return FromContext(a) == FromContext(b) }

// SetPrompt, SetTool and SetVersion are for a request that IsObserved.
func (r *Running) SetPrompt(name string) { r.task.observed.SetPrompt(name) }

func (r *Running) SetTool(name string) { r.task.observed.SetTool(name) }

func (r *Running) IsObserved() bool { return r.task.observed != nil }

func (r *Running) SetVersion(digest, release, label string) {
	r.task.observed.SetVersion(digest, release, label)
}

func (r *Running) Subject() string { return r.task.work.runner.Subject() }

// OwnerOf returns Config.Owner of the server that answers a request, if the owner is a T. The
// request is a *Call or a *Running.
func OwnerOf[T any](request interface{ server() *engine }) (T, bool) {
	owner, ok := request.server().owner.(T)
	return owner, ok
}

func (c *Call) server() *engine    { return c.engine }
func (r *Running) server() *engine { return r.task.engine }

// LockAsking waits until no other goroutine of the runner asks the client. If it returns nil,
// UnlockAsking must follow. It fails when ctx or the request ends. The lock keeps two goroutines
// from asking the user the same question twice: the second finds the answer of the first.
func (r *Running) LockAsking(ctx context.Context) error { return r.asking.Lock(ctx, &r.task.ctx) }

func (r *Running) UnlockAsking() { r.asking.Unlock() }

// Parse calls use with the parsed form of a JSON text that the runner has, or with the error
// of the text; with neither for an empty text. The text and the parsed form count as those of
// a message do, until use returns. use must neither wait nor call Parse: others wait for the
// bytes. It must not keep v. Parse fails if the request ends before the bytes are free.
func (r *Running) Parse(text string, use func(v strictjson.Value, err error)) error {
	t := r.task
	if wire.IsLarge(len(text)) {
		release, err := t.engine.memory.parse(&t.ctx, t.session.account(t.exchange.Client), len(text)+strictjson.MaxMemory([]byte(text)))
		if err != nil {
			return err
		}
		defer release()
	}
	read := getReading() // lost to the pool if use panics
	var err error
	if text != "" {
		err = read.doc.Parse(text, jsonenc.MaxDepth)
	}
	use(read.doc.Root(), err)
	putReading(read)
	return nil
}

// Hold counts n bytes more that the runner keeps until the end of the request. If they are
// not free, it returns the error for the client.
func (r *Running) Hold(n int) error {
	if !r.task.hold(n) {
		return wire.Busy()
	}
	return nil
}

type ClientRequest struct {
	Method string
	Params json.RawMessage
}

// Progress notifies the client of the progress of its request, if the client has asked for that.
// total is 0 if it is unknown, message may be empty. done must be greater than in all earlier
// calls; any other call has no effect. Progress does not wait for the client. While the client is
// slow to read, a newer report replaces one that is not sent yet. The last report is sent before
// the response.
func Progress(ctx context.Context, done, total float64, message string) {
	if r := FromContext(ctx); r != nil {
		r.progress.report(r.task.engine.logger, r, report{done, total, r.Secrets().Text(message)})
	}
}

func (r *Running) writeReport(next *report) {
	_ = r.task.notify("notifications/progress", appendReport(nil, r.Rev, r.progress.token, next))
}

// AddSecrets says that the request has secrets, such as these. A call without values is for
// secrets that are not known here, such as those of an earlier request.
func (r *Running) AddSecrets(values ...string) {
	own := r.rareFields()
	own.hasSecrets.Store(true)
	own.secrets.Add(values...)
}

// Secrets returns the secrets of the request so far; nil without any.
func (r *Running) Secrets() *redact.Secrets {
	if own := r.rare.Load(); own != nil && own.hasSecrets.Load() {
		return &own.secrets
	}
	return nil
}

// Withhold returns the failure without text that is not for the client, if the request
// has secrets. In text for the client it replaces the secrets. It calls methods of the
// application's errors. A failure may be withheld again, after more was added to it.
func (r *Running) Withhold(f *Failure) (clean *Failure) {
	secrets := r.Secrets()
	if secrets == nil || f == nil {
		return f
	}
	defer catch(r, &clean)
	return withhold(&r.task.ctx, secrets, f, r.task.engine.logSensitive)
}

// catch is deferred where the application's code runs. A panic becomes the failure of the
// request: it must not end the server, and its text must not reach a client.
func catch(r *Running, f **Failure) {
	if v := recover(); v != nil {
		*f = r.Withhold(Panic(r.Subject(), v))
	}
}

// Decide returns the decision of a function of the application about the request in ctx, such
// as Options.Visible, which what names. If the function returns an error, the decision is
// false, and the request fails with an internal error, whatever its runner returns. Then the
// request decides nothing more.
func Decide(ctx context.Context, what string, decide func() (bool, error)) bool {
	r := FromContext(ctx)
	if r.Failed() != nil {
		return false
	}
	ok, err := decide()
	if err != nil {
		r.Fail(fmt.Errorf("%s: %w", what, err))
	}
	return ok && err == nil
}

// Fail makes the request fail with an internal error, whatever its runner returns. The first
// error counts. It is for errors that no code of the application may pass over.
func (r *Running) Fail(err error) {
	r.rareFields().failed.CompareAndSwap(nil, InternalFailure(r.Subject(), err))
}

func (r *Running) Failed() *Failure {
	if own := r.rare.Load(); own != nil {
		return own.failed.Load()
	}
	return nil
}

func (r *Running) ClientInfo() wire.ClientInfo {
	if r == nil || r.rare.Load() == nil {
		return wire.ClientInfo{}
	}
	return r.rare.Load().info
}

// Link returns ctx, which has no values, with what relates it to the first request that
// waits for it: see observe.Linker.
func Link(ctx, first context.Context) context.Context {
	if r := FromContext(first); r != nil {
		return r.task.engine.observer.Link(ctx, first)
	}
	return ctx
}

type report struct {
	done, total float64
	message     string
}

// reporter sends the reports of one request. At most one goroutine sends, and it exists only while
// there is something to send. finish waits for its end, so no report follows the response (PRO-07).
type reporter struct {
	token string // as written; empty if the client wants no reports

	mu      sync.Mutex // protects the fields below
	done    float64    // of the latest report
	next    *report    // not sent yet
	idle    *sync.Cond
	begun   bool
	sending bool // a goroutine sends
	over    bool // no more reports are accepted
}

// report notes a report, and starts the goroutine that sends. A value that does not rise is
// dropped, because progress must rise with every notification (PRO-04). JSON has no NaN and
// no infinity.
func (p *reporter) report(l *logger, r *Running, next report) {
	if p.token == "" || math.IsNaN(next.done) || math.IsInf(next.done, 0) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over || p.begun && next.done <= p.done {
		return
	}
	// A report that was not sent yet is replaced: the client needs only the latest, and a
	// slow client must not fill the memory.
	p.begun, p.done, p.next = true, next.done, &next
	if !p.sending {
		p.sending = true
		l.spawn(func() { p.send(r) }) // ends when there is nothing to send; finish waits for it
	}
}

func (p *reporter) send(r *Running) {
	hasStopped := false
	defer func() {
		if !hasStopped { // the transport has ended the goroutine
			p.mu.Lock()
			defer p.mu.Unlock()
			p.stop()
		}
	}()
	for next := p.take(); next != nil; next = p.take() {
		r.writeReport(next)
	}
	hasStopped = true
}

func (p *reporter) take() *report {
	p.mu.Lock()
	defer p.mu.Unlock()
	next := p.next
	if next == nil || p.over {
		p.stop()
		return nil
	}
	p.next = nil
	return next
}

// stop says that no goroutine sends. The caller holds p.mu.
func (p *reporter) stop() {
	p.sending = false
	if p.idle != nil {
		p.idle.Broadcast()
	}
}

// finish accepts no more reports, and returns when none is being sent. With flush it sends
// the last report. The last report is sent on the goroutine of the caller, so that the client
// sees the final state before the response.
func (p *reporter) finish(r *Running, flush bool) {
	p.mu.Lock()
	p.over = true
	if p.sending {
		p.idle = sync.NewCond(&p.mu)
	}
	for p.sending {
		p.idle.Wait()
	}
	next := p.next
	p.next = nil
	p.mu.Unlock()
	if flush && next != nil {
		// Without the lock: the write may wait for the client, and a late call of Progress
		// must not wait with it.
		r.writeReport(next)
	}
}

func appendReport(dst []byte, rev revision.Revision, token string, r *report) []byte {
	dst = append(dst, `{"progressToken":`...)
	dst = append(dst, token...)
	dst = append(dst, `,"progress":`...)
	dst = append(dst, phrase.Decimal(r.done)...)
	// The total may be missing (PRO-05).
	if r.total > 0 && !math.IsInf(r.total, 0) {
		dst = append(dst, `,"total":`...)
		dst = append(dst, phrase.Decimal(r.total)...)
	}
	// 2024-11-05 has no message (PRO-06).
	if r.message != "" && rev.ProgressMessages() {
		dst = append(dst, `,"message":`...)
		dst = strictjson.AppendString(dst, r.message)
	}
	return append(dst, '}')
}
