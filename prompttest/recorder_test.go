package prompttest

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// recorder is a test that notes what is reported, in place of failing.
type recorder struct {
	testing.TB
	mu       sync.Mutex // protects the fields below
	errors   []string
	logs     []string
	isFatal  bool
	cleanups []func()
	output   bytes.Buffer
}

// record runs a test to its end, its cleanups included, and returns what it has
// reported.
func record(t testing.TB, test func(t testing.TB)) *recorder {
	t.Helper()
	r := &recorder{TB: t}
	r.run(func() { test(r) })
	for len(r.cleanups) > 0 {
		last := len(r.cleanups) - 1
		f := r.cleanups[last]
		r.cleanups = r.cleanups[:last]
		r.run(f)
	}
	return r
}

// run runs f on a goroutine of its own, which Fatalf may end.
func (r *recorder) run(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	<-done
}

func (r *recorder) Helper()           {}
func (r *recorder) Name() string      { return "TestRecorded/part" }
func (r *recorder) Cleanup(f func())  { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Output() io.Writer { return &r.output }

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	r.isFatal = true
	runtime.Goexit()
}

func (r *recorder) Logf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.logs = append(r.logs, fmt.Sprintf(format, args...))
}

// all returns all that was reported.
func (r *recorder) all() string { return strings.Join(r.errors, "\n") }
