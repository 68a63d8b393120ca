package rpc

import (
	"math"
	"sync"

	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// This file sends the progress of a request, at a bounded rate.

// report is one call of Progress.
type report struct {
	done, total float64
	message     string
}

// reporter sends the reports of one request.
//
// At most one goroutine sends, and it exists only while there is something to send. finish
// waits for its end, so no report follows the response (PRO-07).
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
func (p *reporter) report(l *logger, r *Request, next report) {
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

// send sends reports until there are none.
func (p *reporter) send(r *Request) {
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

// take returns the report to be sent next, or says that the goroutine stops.
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
func (p *reporter) finish(r *Request, flush bool) {
	if p.token == "" {
		return
	}
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

// appendReport appends the params of a progress notification.
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
