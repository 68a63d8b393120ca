package main

import (
	"fmt"
	"sync"
	"time"
)

// mostFaults is how many faults are printed.
const mostFaults = 40

// record is what a soak has seen. Any number of goroutines may use it.
type record struct {
	mu        sync.Mutex // protects the fields below
	requests  map[requestKind]int64
	answers   map[string]int64
	latencies map[string]*histogram
	wrong     []string // the first of them
	wrongs    int
	judged    int
}

// requestKind is a row of the table of requests.
type requestKind struct{ method, era string }

func newRecord() *record {
	return &record{requests: map[requestKind]int64{}, answers: map[string]int64{}, latencies: map[string]*histogram{}}
}

// sent counts a request.
func (r *record) sent(method, era string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests[requestKind{method, era}]++
}

// answered counts an answer of a kind.
func (r *record) answered(kind string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers[kind]++
}

// took notes how long a good client has waited.
func (r *record) took(label string, d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	h := r.latencies[label]
	if h == nil {
		h = new(histogram)
		r.latencies[label] = h
	}
	h.add(d)
}

// sawJudged counts the messages that the specification has judged.
func (r *record) sawJudged() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.judged++
}

// fault notes what is wrong, for which who is the client.
func (r *record) fault(who, format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.wrongs++; len(r.wrong) < mostFaults {
		r.wrong = append(r.wrong, who+": "+fmt.Sprintf(format, args...))
	}
}

// faults returns how many there were.
func (r *record) faults() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.wrongs
}
