package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"time"
)

// kinds are the clients, by their number: as many as there are here are one of
// each revision and way, two that make mistakes and four that are ugly.
var kinds = func() (all []func(p *place, ctx context.Context, number int)) {
	for _, isHTTP := range []bool{false, true} {
		for _, version := range versions {
			all = append(all, func(p *place, ctx context.Context, number int) { p.runGood(ctx, number, version, isHTTP) })
		}
	}
	return append(all, (*place).runBadStream, (*place).runBadHTTP,
		(*place).runUglyStream, (*place).runUglyHTTP, (*place).runUglyStream, (*place).runUglyHTTP)
}()

// soak runs it all, and prints what it has seen. An error says that it could
// not begin, or not print.
func soak(o options, w io.Writer) (*record, error) {
	if o.patience == 0 {
		o.patience = defaultPatience
	}
	rec := newRecord()
	before := sampleAtRest(time.Now())
	known := len(ourStacks())
	p, err := newPlace(o, rec)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(w, "%d clients for %v by the seed %d, with %s\n\n", o.clients, o.length, o.seed, runtime.Version())
	samples := p.work(w)
	p.checkRest()
	p.shutdown()
	p.checkLeaks(before.goroutines, known)
	after := sampleAtRest(time.Now())
	fmt.Fprintf(w, "\nbefore: %d goroutines, %d KiB of heap; after: %d and %d\n", before.goroutines, before.heap>>10, after.goroutines, after.heap>>10)
	grown, tolerated := growth(samples)
	fmt.Fprintf(w, "the heap's trend over the second half: %+.0f KiB; tolerated: %.0f\n", grown/1024, tolerated/1024)
	if grown > tolerated {
		rec.fault("heap", "it has grown by %.0f bytes in the second half", grown)
	}
	fmt.Fprintf(w, "requests that the middleware has seen: %d\n", p.catalogue.rendered.Load())
	return rec, rec.print(w)
}

// sampleAtRest is a sample after what finalizers have freed is free.
func sampleAtRest(began time.Time) sample {
	runtime.GC()
	return takeSample(began)
}

// work has the clients work for as long as they should, and returns when all
// have ended.
func (p *place) work(w io.Writer) []sample {
	ctx, cancel := context.WithTimeout(context.Background(), p.options.length)
	defer cancel()
	var clients, others sync.WaitGroup
	others.Go(func() { p.catalogue.churn(ctx, p.options.seed, p.rec) })
	for i := range p.options.clients {
		clients.Go(func() { kinds[i%len(kinds)](p, ctx, i) })
	}
	var paused pauses
	others.Go(func() { paused.measure(ctx) })
	samples := watch(ctx, p.options.length, &paused, w)
	ended := make(chan struct{})
	go func() { // ends with the clients
		clients.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(3 * p.options.patience):
		p.rec.fault("clients", "they have not ended:\n%s", strings.Join(ourStacks(), "\n\n"))
	}
	others.Wait()
	return samples
}

// checkRest checks that the clients have left nothing behind but sessions,
// which expire.
func (p *place) checkRest() {
	rest := p.options.patience/2 + renderTimeout
	if !eventually(rest, func() bool { return p.active.Load() == 0 }) {
		p.rec.fault("HTTP", "%d requests or streams are left", p.active.Load())
	}
	if !eventually(rest, func() bool { return p.streams.Load() == 0 }) {
		p.rec.fault("streams", "%d are left", p.streams.Load())
	}
	if !eventually(rest, func() bool { return p.catalogue.waiting.Load() == 0 }) {
		p.rec.fault("prompts", "%d renders go on", p.catalogue.waiting.Load())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.left) == 0 {
		return
	}
	time.Sleep(sessionTimeout + time.Second)
	client := newHTTPClient(p.options)
	client.Timeout = p.options.patience
	defer client.CloseIdleConnections()
	for _, x := range p.left {
		q := p.build(context.Background(), http.MethodPost, x.principal, requestText("1", "ping", nil))
		q.Header.Set(headerSession, x.id)
		if status, _, err := do(client, q); status != http.StatusNotFound {
			p.rec.fault(x.principal, "a session is left: status %d, %v", status, err)
		} else {
			p.rec.answered("session expired")
		}
	}
}

// shutdown ends the server, which nothing should hold up.
func (p *place) shutdown() {
	ctx, cancel := context.WithTimeout(context.Background(), p.options.patience)
	defer cancel()
	if err := p.handler.Shutdown(ctx); err != nil {
		p.rec.fault("HTTP", "the handler does not end: %v", err)
	}
	if err := p.http.Shutdown(ctx); err != nil {
		p.rec.fault("HTTP", "the server does not end: %v", err)
		_ = p.http.Close()
	}
	p.cancel()
	p.serving.Wait()
}

// checkLeaks checks that there are no more goroutines than there were.
func (p *place) checkLeaks(goroutines, ours int) {
	isOver := func() bool { return len(ourStacks()) <= ours && runtime.NumGoroutine() <= goroutines }
	if !eventually(p.options.patience/2, isOver) {
		p.rec.fault("goroutines", "%d instead of %d are left:\n%s", runtime.NumGoroutine(), goroutines, strings.Join(ourStacks(), "\n\n"))
	}
}
