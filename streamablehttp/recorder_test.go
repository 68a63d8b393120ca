package streamablehttp

import (
	"net/http"
	"strings"
	"sync"
	"time"
)

// recorder is a ResponseWriter that remembers what is written.
type recorder struct {
	mu        sync.Mutex // protects the fields below
	header    http.Header
	status    int
	written   []string
	err       error // of the next write, and those that follow
	flushed   int   // writes
	deadlines []time.Time
}

func (r *recorder) Header() http.Header {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.header == nil {
		r.header = http.Header{}
	}
	return r.header
}

func (r *recorder) WriteHeader(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = status
}

func (r *recorder) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return 0, r.err
	}
	r.written = append(r.written, string(p))
	return len(p), nil
}

func (r *recorder) Flush() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.flushed = len(r.written)
}

func (r *recorder) SetWriteDeadline(at time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.deadlines = append(r.deadlines, at)
	return nil
}

// fail has the writes fail from now on.
func (r *recorder) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = err
}

// take returns what has been flushed since the last call.
func (r *recorder) take() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	got := strings.Join(r.written[:r.flushed], "")
	r.written, r.flushed = r.written[r.flushed:], 0
	return got
}
