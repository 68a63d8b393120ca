package stdio

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/mcp-prompts/prompts/internal/option"
)

const (
	// maxLogBytes is the size of the queue of a LogWriter.
	maxLogBytes = 1 << 20
	// recordBytes is the size of a queued record in addition to its bytes. The size is
	// more than that of the struct, because a slice of records grows ahead.
	recordBytes = 128
	// logTimeout is how long Close waits for the queue.
	logTimeout = time.Second
	// maxLogHead is how many bytes of a record are searched for its level.
	maxLogHead = 128
)

// LogWriter writes log records to an [io.Writer], such as os.Stderr, and never makes its
// caller wait:
//
//	w := stdio.NewLogWriter(os.Stderr)
//	defer w.Close()
//	logger := slog.New(slog.NewJSONHandler(w, nil))
//
// A client that starts a server may close its standard error, or never read it. A plain
// write then ends or stops the whole server. [Run] needs no LogWriter of the application
// for slog.Default() and package log.
//
// A queue of at most 1 MiB holds the records until they are written, in order. If the
// queue is full, queued records below WARN are dropped to make room for a record of WARN
// or above. Any other record is dropped, and so is a record larger than the queue. When
// there is room again, the record "log records dropped", in the format of the others, has
// the number of dropped records of each level.
//
// If the reader of w closes its side, the LogWriter drops all records from then on. After any other
// error of w, such as a full disk, the failed record counts as dropped, and the next one is
// written. NewLogWriter creates a LogWriter. The zero value is not usable. Safe for concurrent use.
type LogWriter struct {
	w   io.Writer
	dup io.Closer // what w writes to, if that is a duplicate of the descriptor

	mu      sync.Mutex    // protects the fields below
	low     []record      // DEBUG and INFO, the oldest first
	high    []record      // all others, the oldest first
	held    int           // bytes of low, of high and of the record that is being written
	records uint64        // queued so far
	dropped droppedCounts // since the last report
	format  logFormat     // of the last record
	drained chan struct{} // closed when the goroutine ends; nil without one
	failed  bool          // the last write has failed
	broken  bool          // nothing can be written any more
}

type record struct {
	data   []byte
	level  slog.Level // DEBUG, INFO, WARN or ERROR
	number uint64     // in the order of the calls of Write
}

func (r *record) size() int { return len(r.data) + recordBytes }

// NewLogWriter returns a LogWriter that writes to w. Each call of w.Write gets one record.
// If w is standard output or standard error itself, the LogWriter writes to a duplicate
// of the descriptor, as in [NewStream]. NewLogWriter panics if w is nil.
func NewLogWriter(w io.Writer) *LogWriter {
	option.Must("stdio: NewLogWriter", struct{}{}, "writer", w)
	l := &LogWriter{w: w}
	if dup := protected(w); dup != nil {
		l.w, l.dup = dup, dup
	}
	return l
}

func (l *LogWriter) checkMade() {
	if l == nil || l.w == nil {
		panic("stdio: LogWriter is not made by NewLogWriter")
	}
}

// Write queues a record, which is the whole of p. The level of the record is read from its first
// bytes, as the handlers of package slog and its default logger write them. A record of unknown
// level counts as WARN. Write returns len(p) and no error, whatever becomes of the record.
func (l *LogWriter) Write(p []byte) (int, error) {
	l.checkMade()
	format, level := classify(p[:min(len(p), maxLogHead)])
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.broken {
		return len(p), nil
	}
	l.format = format
	r := record{level: level}
	if need := len(p) + recordBytes; !l.makeRoom(need, level) {
		l.dropped.add(level)
	} else {
		l.records++
		r.data, r.number = bytes.Clone(p), l.records
		l.held += need
		if level < slog.LevelWarn {
			l.low = append(l.low, r)
		} else {
			l.high = append(l.high, r)
		}
	}
	if l.drained == nil && l.isDue() {
		l.drained = make(chan struct{})
		go l.drain() // ends when the queue is empty, or with the last write
	}
	return len(p), nil
}

// makeRoom reports whether the queue has room for a record, for which records of lower
// levels give way. If they cannot make enough room, they stay.
func (l *LogWriter) makeRoom(need int, level slog.Level) bool {
	free := maxLogBytes - l.held
	if need <= free {
		return true
	}
	if level < slog.LevelWarn {
		return false
	}
	n := 0
	for ; n < len(l.low) && need > free; n++ {
		free += l.low[n].size()
	}
	if need > free {
		return false
	}
	for range n {
		r := pop(&l.low)
		l.held -= r.size()
		l.dropped.add(r.level)
	}
	return true
}

func pop(queue *[]record) record {
	r := (*queue)[0]
	(*queue)[0] = record{} // the array is used for longer
	if *queue = (*queue)[1:]; len(*queue) == 0 {
		*queue = nil
	}
	return r
}

// isDue reports whether there is something to write. A report of dropped records waits for
// the success of a record after a failure.
func (l *LogWriter) isDue() bool {
	return !l.broken && (len(l.low)+len(l.high) > 0 || !l.failed && l.dropped != droppedCounts{})
}

func (l *LogWriter) drain() {
	isTorn := false // the last record was written in part
	for {
		data, done := l.next()
		if data == nil {
			return
		}
		if isTorn {
			data = append([]byte{'\n'}, data...)
		}
		n, err := writeRecord(l.w, data)
		isTorn = err != nil && n > 0
		done(err)
	}
}

// next returns what to write next, and the function that takes the result. It returns nil
// when there is nothing, or nothing can be written any more.
func (l *LogWriter) next() (data []byte, done func(error)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.isDue() {
		close(l.drained)
		l.drained = nil
		return nil, nil
	}
	if reported := l.dropped; !l.failed && reported != (droppedCounts{}) {
		l.dropped = droppedCounts{}
		return reported.record(l.format), func(err error) { l.done(err, 0, reported) }
	}
	queue := &l.low
	if len(l.low) == 0 || len(l.high) > 0 && l.high[0].number < l.low[0].number {
		queue = &l.high
	}
	r := pop(queue)
	var ifLost droppedCounts
	ifLost.add(r.level)
	return r.data, func(err error) { l.done(err, r.size(), ifLost) }
}

// done takes the result of a write: its error, the bytes that it has freed, and what was
// dropped if it has failed.
func (l *LogWriter) done(err error, freed int, ifLost droppedCounts) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held -= freed
	if l.failed = err != nil; l.failed {
		for i, n := range ifLost {
			l.dropped[i] += n
		}
	}
	if err != nil && (isClosed(err) || isGone(err)) {
		l.end()
	}
}

func (l *LogWriter) end() {
	for _, r := range append(l.low, l.high...) {
		l.held -= r.size()
	}
	l.broken, l.low, l.high = true, nil, nil
}

// A panic of w would end the process here.
func writeRecord(w io.Writer, p []byte) (n int, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	if n, err = w.Write(p); err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	return n, err
}

// Close waits for what is queued, for at most one second, and drops the rest and all later
// records. It does not close w. It returns an error if records are still queued after that
// second, unless the reader of w has closed its side. If w blocks, one goroutine outlives
// Close: it ends when the write returns, or with the process. Further calls have no effect.
func (l *LogWriter) Close() error {
	l.checkMade()
	l.mu.Lock()
	drained, isOver := l.drained, l.broken || l.drained == nil
	l.mu.Unlock()
	if !isOver {
		wait(drained)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	left := len(l.low) + len(l.high)
	if l.drained != nil && !l.broken {
		left++
	}
	l.end()
	if l.dup != nil {
		_ = l.dup.Close() // nothing is buffered there
		l.dup = nil
	}
	if left > 0 {
		return fmt.Errorf("stdio: %d log records were not written within %v", left, logTimeout)
	}
	return nil
}

// droppedCounts has a number of records for each of the four levels.
type droppedCounts [4]int

func (c *droppedCounts) add(level slog.Level) { c[(level-slog.LevelDebug)/4]++ }

func (c droppedCounts) record(f logFormat) []byte {
	var b bytes.Buffer
	var h slog.Handler = slog.NewTextHandler(&b, nil)
	switch f {
	case formatPlain:
		return fmt.Appendf(nil, "%s WARN log records dropped debug=%d info=%d warn=%d error=%d\n", time.Now().Format("2006/01/02 15:04:05"), c[0], c[1], c[2], c[3])
	case formatJSON:
		h = slog.NewJSONHandler(&b, nil)
	}
	slog.New(h).Warn("log records dropped", slog.Int("debug", c[0]), slog.Int("info", c[1]), slog.Int("warn", c[2]), slog.Int("error", c[3]))
	return b.Bytes()
}

type logFormat int

const (
	formatPlain logFormat = iota // by package log
	formatText                   // by slog.TextHandler
	formatJSON                   // by slog.JSONHandler
)

func classify(head []byte) (logFormat, slog.Level) {
	switch {
	case bytes.HasPrefix(head, []byte("{")):
		_, level, _ := bytes.Cut(head, []byte(`"level":"`))
		return formatJSON, levelOf(level)
	case bytes.HasPrefix(head, []byte("time=")), bytes.HasPrefix(head, []byte("level=")):
		_, level, _ := bytes.Cut(head, []byte("level="))
		return formatText, levelOf(level)
	}
	// The prefix, the date, the time and the place come first. What follows is the message.
	for i, word := range bytes.SplitN(head, []byte(" "), 6) {
		if level, ok := parseLevel(word); ok && i < 5 && bytes.Equal(word, bytes.ToUpper(word)) {
			return formatPlain, level
		}
	}
	return formatPlain, slog.LevelWarn
}

func levelOf(text []byte) slog.Level {
	end := bytes.IndexAny(text, "\" \n")
	if end < 0 {
		end = len(text)
	}
	level, _ := parseLevel(text[:end])
	return level
}

// parseLevel returns the level of a word such as INFO, or ERROR+2, as the highest of the
// four levels that is not above it. It returns WARN and false for any other word.
func parseLevel(word []byte) (slog.Level, bool) {
	var level slog.Level
	if len(word) < len("INFO") || len(word) > 2*len("ERROR") || level.UnmarshalText(word) != nil {
		return slog.LevelWarn, false
	}
	switch {
	case level < slog.LevelInfo:
		return slog.LevelDebug, true
	case level < slog.LevelWarn:
		return slog.LevelInfo, true
	case level < slog.LevelError:
		return slog.LevelWarn, true
	}
	return slog.LevelError, true
}
