package prompts

import (
	"context"
	"math"
	"sync"

	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// Progress tells the client how far its request has come, if it has asked to
// be told; ctx is that of a [RenderFunc], a [CompleteFunc] or a [Method], or
// comes from it. total is how much there is to do, 0 if that is not known;
// message is for people, from revision 2025-03-26, and may be empty.
//
// done must be greater than in all calls before, as the protocol wants it; a
// call with another value, or one that is no number, does nothing. Progress
// does not wait for the client: while that is slow to read, newer progress
// takes the place of what has not been sent. Nothing is sent once the function
// has returned, but for what was reported last.
func Progress(ctx context.Context, done, total float64, message string) {
	if c := callerOf(ctx); c != nil {
		c.base().progress.report(c.base(), report{done, total, message})
	}
}

// report is what one call of Progress says.
type report struct {
	done, total float64
	message     string
}

// reporter sends the reports of one request.
type reporter struct {
	token string // as it was written; empty if the client wants no reports

	mu      sync.Mutex // protects the fields below
	begun   bool
	done    float64 // of the latest report
	next    *report // not sent yet
	sending bool    // a goroutine sends
	over    bool    // nothing new is taken
	idle    *sync.Cond
}

func (p *reporter) report(c *caller, r report) {
	if p.token == "" || math.IsNaN(r.done) || math.IsInf(r.done, 0) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over || p.begun && r.done <= p.done {
		return
	}
	p.begun, p.done, p.next = true, r.done, &r
	if !p.sending {
		p.sending = true
		go p.send(c) // ends when there is nothing to send; finish waits for it
	}
}

// send sends reports until there are none.
func (p *reporter) send(c *caller) {
	hasStopped := false
	defer func() {
		if !hasStopped { // sending a report has ended the goroutine
			p.mu.Lock()
			defer p.mu.Unlock()
			p.stop()
		}
	}()
	for r := p.take(); r != nil; r = p.take() {
		_ = c.peer.notify("notifications/progress", appendReport(nil, c.rev, p.token, r))
	}
	hasStopped = true
}

// take returns the report to be sent next. If there is none, nobody sends any
// more.
func (p *reporter) take() *report {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.next
	if r == nil || p.over {
		p.stop()
		return nil
	}
	p.next = nil
	return r
}

// stop says that nobody sends any more. The caller holds p.mu.
func (p *reporter) stop() {
	p.sending = false
	if p.idle != nil {
		p.idle.Broadcast()
	}
}

// finish takes no more reports and returns once nothing is being sent. With
// flush it sends the last report, if that is still unsent.
func (p *reporter) finish(c *caller, flush bool) {
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
	r := p.next
	p.next = nil
	p.mu.Unlock()
	if flush && r != nil {
		_ = c.peer.notify("notifications/progress", appendReport(nil, c.rev, p.token, r))
	}
}

// appendReport appends the params of a progress notification.
func appendReport(dst []byte, rev revision.Revision, token string, r *report) []byte {
	dst = append(dst, `{"progressToken":`...)
	dst = append(dst, token...)
	dst = append(dst, `,"progress":`...)
	dst = append(dst, decimal(r.done)...)
	if r.total > 0 && !math.IsInf(r.total, 0) {
		dst = append(dst, `,"total":`...)
		dst = append(dst, decimal(r.total)...)
	}
	if r.message != "" && rev.ProgressMessages() {
		dst = append(dst, `,"message":`...)
		dst = strictjson.AppendString(dst, r.message)
	}
	return append(dst, '}')
}
