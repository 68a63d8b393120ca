package stdio_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"log/slog"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/stdio"
)

// gate is a writer that blocks until it is opened, and keeps each write. fail, if not nil,
// returns the error of a write.
type gate struct {
	open chan struct{}
	fail func(n int) error

	mu      sync.Mutex // protects the fields below
	writes  int
	written []string
}

func newGate() *gate { return &gate{open: make(chan struct{})} }

func (g *gate) Write(p []byte) (int, error) {
	<-g.open
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.writes++; g.fail != nil {
		if err := g.fail(g.writes); err != nil {
			return 0, err
		}
	}
	g.written = append(g.written, string(p))
	return len(p), nil
}

func (g *gate) lines() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.written
}

// logFormats are the ways in which package slog writes a record.
var logFormats = map[string]func(w io.Writer) *slog.Logger{
	"text": func(w io.Writer) *slog.Logger {
		return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug}))
	},
	"json": func(w io.Writer) *slog.Logger {
		return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug}))
	},
	"text without time": func(w io.Writer) *slog.Logger {
		return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: withoutTime}))
	},
	"json without time": func(w io.Writer) *slog.Logger {
		return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: withoutTime}))
	},
	// slog.Default() writes like this, through package log.
	"plain": func(w io.Writer) *slog.Logger { return slog.New(plainHandler{log.New(w, "", log.LstdFlags)}) },
}

func withoutTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

// TestLogWriterFull checks that a writer that blocks makes nobody wait, that records of
// WARN and above are kept at the cost of the others, and that a record in the format of
// the others counts the dropped ones.
func TestLogWriterFull(t *testing.T) {
	t.Parallel()
	for name, format := range logFormats {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				g := newGate()
				w := stdio.NewLogWriter(g)
				logger := format(w)
				fill := strings.Repeat("x", 10_000)
				logger.Info("is being written")
				synctest.Wait()
				for range 100 {
					logger.Debug("level=ERROR", "fill", fill)
					logger.Info("ERROR", "fill", fill)
				}
				for range 50 {
					logger.Warn("low and lower levels give way", "fill", fill)
					logger.Log(t.Context(), slog.LevelError+2, "and to this one", "fill", fill)
				}
				logger.Info("no room")
				assert.LessOrEqual(t, w.Held(), stdio.MaxLogBytes)
				close(g.open)
				require.NoError(t, w.Close())
				counts := map[string]int{}
				for _, line := range g.lines() {
					if !strings.Contains(line, "dropped") {
						counts[stdio.LevelOfRecord(line).String()]++
					}
				}
				assert.Equal(t, 50, counts["WARN"])
				assert.Equal(t, 50, counts["ERROR"])
				require.True(t, strings.Contains(g.lines()[1], "log records dropped"), "as soon as there is room")
				if name[0] == 'j' {
					var report struct {
						Level, Msg               string
						Debug, Info, Warn, Error int
					}
					require.NoError(t, json.Unmarshal([]byte(g.lines()[1]), &report))
					assert.Equal(t, "WARN", report.Level)
					assert.Equal(t, []int{100 - counts["DEBUG"], 102 - counts["INFO"], 0, 0}, []int{report.Debug, report.Info, report.Warn, report.Error})
				} else {
					assert.Contains(t, g.lines()[1], fmt.Sprintf("debug=%d info=%d warn=0 error=0\n", 100-counts["DEBUG"], 102-counts["INFO"]))
					assert.Contains(t, g.lines()[1], "WARN")
				}
			})
		})
	}
}

// TestLogWriterBroken checks what becomes of errors of the writer.
func TestLogWriterBroken(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fail func(n int) error
		want []string
	}{
		"closed by the reader": {
			func(int) error { return &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE} },
			nil,
		},
		"closed":     {func(int) error { return os.ErrClosed }, nil},
		"closed too": {func(int) error { return io.ErrClosedPipe }, nil},
		"full disk for two records": {
			func(n int) error {
				if n <= 2 {
					return syscall.ENOSPC
				}
				return nil
			},
			[]string{"level=INFO msg=2\n", "level=WARN msg=\"log records dropped\" debug=0 info=1 warn=1 error=0\n", "level=INFO msg=3\n"},
		},
		"panic": {
			func(n int) error {
				if n == 1 {
					panic("of the writer")
				}
				return nil
			},
			[]string{"level=WARN msg=1\n", "level=WARN msg=\"log records dropped\" debug=0 info=1 warn=0 error=0\n", "level=INFO msg=2\n", "level=INFO msg=3\n"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				g := newGate()
				g.fail = test.fail
				w := stdio.NewLogWriter(g)
				for _, record := range []string{"level=INFO msg=0\n", "level=WARN msg=1\n", "level=INFO msg=2\n", "level=INFO msg=3\n"} {
					n, err := io.WriteString(w, record)
					assert.NoError(t, err)
					assert.Equal(t, len(record), n)
				}
				close(g.open)
				assert.NoError(t, w.Close())
				lines := g.lines()
				for i, line := range lines {
					if j := strings.Index(line, "level="); j >= 0 {
						lines[i] = line[j:] // without the time of the report
					}
				}
				assert.Equal(t, test.want, lines)
			})
		})
	}
}

// TestLogWriterTorn checks that a record after a part of another is a line of its own.
func TestLogWriterTorn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var b bytes.Buffer
		isFirst := true
		w := stdio.NewLogWriter(writerFunc(func(p []byte) (int, error) {
			if isFirst {
				isFirst = false
				b.Write(p[:5])
				return 5, syscall.ENOSPC
			}
			return b.Write(p)
		}))
		_, _ = io.WriteString(w, `{"level":"INFO","msg":"torn"}`+"\n")
		_, _ = io.WriteString(w, `{"level":"INFO","msg":"whole"}`+"\n")
		require.NoError(t, w.Close())
		lines := strings.Split(b.String(), "\n")
		assert.Equal(t, `{"level":"INFO","msg":"whole"}`, lines[1])
	})
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestLogWriterClose checks that Close waits for a second and drops what is left then.
func TestLogWriterClose(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		w := stdio.NewLogWriter(g)
		require.NoError(t, stdio.NewLogWriter(g).Close(), "nothing is queued")
		for range 3 {
			_, _ = io.WriteString(w, "record\n")
		}
		start := time.Now()
		assert.ErrorContains(t, w.Close(), "3 log records were not written within 1s")
		assert.Equal(t, time.Second, time.Since(start))
		_, err := io.WriteString(w, "late\n")
		assert.NoError(t, err)
		assert.NoError(t, w.Close())
		assert.Equal(t, time.Second, time.Since(start))
		close(g.open)
		synctest.Wait()
		assert.Equal(t, []string{"record\n"}, g.lines(), "the one that was being written")
	})
}

// TestLogWriterLarge checks that a record larger than the queue is reported.
func TestLogWriterLarge(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		close(g.open)
		w := stdio.NewLogWriter(g)
		_, _ = w.Write(append([]byte("level=ERROR msg="), make([]byte, stdio.MaxLogBytes)...))
		require.NoError(t, w.Close())
		require.Len(t, g.lines(), 1)
		assert.Contains(t, g.lines()[0], "error=1")
	})
}

// TestLogLevels checks how the level of a record is read.
func TestLogLevels(t *testing.T) {
	t.Parallel()
	for record, want := range map[string]slog.Level{
		"time=2026-01-01T00:00:00Z level=INFO msg=x":    slog.LevelInfo,
		"time=2026-01-01T00:00:00Z level=DEBUG-4 msg=x": slog.LevelDebug,
		"level=info msg=x":            slog.LevelInfo,
		"level=WARN+1 msg=level=INFO": slog.LevelWarn,
		"level=TRACE msg=level=INFO":  slog.LevelWarn,
		"time=2026 msg=x":             slog.LevelWarn,
		`{"time":"2026-01-01T00:00:00Z","level":"ERROR","msg":"x"}`: slog.LevelError,
		`{"level":"INFO+2","msg":"\"level\":\"ERROR\""}`:            slog.LevelInfo,
		`{"severity":"INFO"}`:                                slog.LevelWarn,
		"2026/01/01 00:00:00 INFO level=ERROR":               slog.LevelInfo,
		"app: 2026/01/01 00:00:00.000001 a.go:3: DEBUG x":    slog.LevelDebug,
		"2026/01/01 00:00:00 some info about an error":       slog.LevelWarn,
		"2026/01/01 00:00:00 http: TLS handshake error INFO": slog.LevelWarn,
		"INFO x": slog.LevelInfo,
		"":       slog.LevelWarn,
		"prompts: the browser was not opened: INFO":                        slog.LevelWarn,
		"time=" + strings.Repeat("x", 200) + " level=INFO":                 slog.LevelWarn,
		`{"time":"` + strings.Repeat("x", 200) + `","level":"INFO","m":1}`: slog.LevelWarn,
	} {
		assert.Equal(t, want, stdio.LevelOfRecord(record), record)
	}
}

// FuzzLogWriter checks a LogWriter against a model. Each byte of the input is a step: a
// record of a level and a size, or a write that the reader lets through.
func FuzzLogWriter(f *testing.F) {
	f.Add([]byte{0, 4, 8, 12, 1, 5, 9, 13, 255, 2, 6, 10, 14, 3, 7, 11, 15, 254})
	f.Add(bytes.Repeat([]byte{3, 7, 11, 15}, 40))
	f.Add(bytes.Repeat([]byte{7, 7, 7, 15, 255}, 40))
	random := rand.New(rand.NewPCG(1, 2)) // the same steps in each run
	for range 20 {
		steps := make([]byte, 300)
		for i := range steps {
			steps[i] = byte(random.Uint32())
			if random.IntN(4) > 0 {
				steps[i] %= 128 // more records than writes
			}
		}
		f.Add(steps)
	}
	f.Fuzz(func(t *testing.T, steps []byte) {
		synctest.Test(t, func(t *testing.T) {
			names := []string{"DEBUG", "INFO", "WARN", "ERROR"}
			sizes := []int{40, 1000, 30_000, 300_000}
			let := make(chan struct{})
			var got []string
			var reported [4]int
			w := stdio.NewLogWriter(writerFunc(func(p []byte) (int, error) {
				<-let
				if s := string(p); strings.Contains(s, "dropped") {
					var c [4]int
					_, err := fmt.Sscanf(s[strings.Index(s, "debug="):], "debug=%d info=%d warn=%d error=%d", &c[0], &c[1], &c[2], &c[3])
					assert.NoError(t, err)
					for i := range c {
						reported[i] += c[i]
					}
				} else {
					got = append(got, s[:20])
				}
				return len(p), nil
			}))
			// The model: a list of records, searched in full for each step.
			type item struct {
				level, size int
				head        string
			}
			var queue []item
			var dropped, total [4]int
			var want []string
			var writing *item // nil for a report
			isWriting, held := false, 0
			next := func() {
				isWriting, writing = true, nil
				switch {
				case dropped != [4]int{}:
					dropped = [4]int{}
				case len(queue) > 0:
					writing = &queue[0]
					queue = queue[1:]
				default:
					isWriting = false
				}
			}
			for n, step := range steps {
				if step >= 128 {
					if isWriting {
						if let <- struct{}{}; writing != nil {
							want = append(want, writing.head)
							held -= writing.size
						}
						next()
					}
				} else {
					level, size := int(step/4%4), sizes[step%4]
					record := fmt.Sprintf("level=%s msg=%09d", names[level], n)
					record += strings.Repeat("x", size-len(record))
					_, _ = io.WriteString(w, record)
					need := size + stdio.RecordBytes
					lower := 0
					for _, q := range queue {
						if q.level < 2 {
							lower += q.size
						}
					}
					if level < 2 {
						lower = 0
					}
					if held-lower+need > stdio.MaxLogBytes {
						dropped[level]++
						total[level]++
					} else {
						for held+need > stdio.MaxLogBytes {
							for i, q := range queue {
								if q.level < 2 {
									held -= q.size
									dropped[q.level]++
									total[q.level]++
									queue = append(queue[:i:i], queue[i+1:]...)
									break
								}
							}
						}
						held += need
						queue = append(queue, item{level, need, record[:20]})
					}
					if !isWriting {
						next()
					}
				}
				synctest.Wait()
				assert.Equal(t, held, w.Held())
				assert.LessOrEqual(t, held, stdio.MaxLogBytes)
			}
			if writing != nil {
				want = append(want, writing.head)
			}
			for _, q := range queue {
				want = append(want, q.head)
			}
			close(let)
			assert.NoError(t, w.Close())
			assert.Equal(t, want, got)
			assert.Equal(t, total, reported)
		})
	})
}

// TestLogWriterConcurrent checks with the race detector that any goroutine may write, and
// that no record is lost or cut.
func TestLogWriterConcurrent(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w := stdio.NewLogWriter(&b) // written by one goroutine at a time
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 100 {
				slog.New(slog.NewJSONHandler(w, nil)).Info("x")
			}
		})
	}
	all.Wait()
	require.NoError(t, w.Close())
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	assert.Len(t, lines, 800)
	for _, line := range lines {
		assert.True(t, json.Valid([]byte(line)))
	}
}

// plainHandler writes records as slog.Default() does.
type plainHandler struct{ log *log.Logger }

func (plainHandler) Enabled(context.Context, slog.Level) bool { return true }
func (h plainHandler) WithAttrs([]slog.Attr) slog.Handler     { return h }
func (h plainHandler) WithGroup(string) slog.Handler          { return h }

func (h plainHandler) Handle(_ context.Context, r slog.Record) error {
	text := r.Level.String() + " " + r.Message
	r.Attrs(func(a slog.Attr) bool { text += " " + a.String(); return true })
	return h.log.Output(0, text)
}
