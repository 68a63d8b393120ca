package prompttest

import (
	"io"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

func withoutTime(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

// output is a writer that a goroutine may outlive.
type output struct {
	mu sync.Mutex // protects the field below
	w  io.Writer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.w.Write(p)
}

func (o *output) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.w = io.Discard
}

func testLogger(t testing.TB) *slog.Logger {
	w := &output{w: t.Output()}
	t.Cleanup(w.close)
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{ReplaceAttr: withoutTime}))
}

type errorLog struct {
	mu      sync.Mutex        // protects the field below
	records map[string]string // by the id of the error
	written chan struct{}     // has an element after a record
}

func newErrorLog() (*errorLog, *slog.Logger) {
	l := &errorLog{records: map[string]string{}, written: make(chan struct{}, 1)}
	return l, slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{ReplaceAttr: withoutTime}))
}

var errorIDAttr = regexp.MustCompile(` error_id=(\w+)`)

func (l *errorLog) Write(p []byte) (int, error) {
	if id := errorIDAttr.FindSubmatch(p); id != nil {
		l.mu.Lock()
		l.records[string(id[1])] = string(p)
		l.mu.Unlock()
		select {
		case l.written <- struct{}{}:
		default:
		}
	}
	return len(p), nil
}

// recordTimeout limits the wait for a record. The server drops records beyond 100 a second.
const recordTimeout = 5 * time.Second

// record returns the record of an internal error, for people. The server logs the record
// after the response, so record waits for it, but not beyond the limit.
func (l *errorLog) record(id string, limit time.Duration) string {
	timer := time.NewTimer(min(limit, recordTimeout))
	defer timer.Stop()
	for {
		l.mu.Lock()
		text, ok := l.records[id]
		l.mu.Unlock()
		if !ok {
			select {
			case <-l.written:
				continue
			case <-timer.C:
				text = "no record of this error"
			}
		}
		return strings.NewReplacer(`\n`, "\n\t\t", `\t`, "\t").Replace(ownFrames(strings.TrimSpace(text)))
	}
}

// ownFrames returns a record whose stack has only the frames of the application.
func ownFrames(record string) string {
	before, stack, _ := strings.Cut(record, ` stack="`)
	_, stack, isPanic := strings.Cut(stack, `\npanic(`)
	if !isPanic {
		return record
	}
	frames, _, _ := strings.Cut(stack, `\ngithub.com/mcp-prompts/prompts.`)
	return before + ` stack="panic(` + frames + `"`
}
