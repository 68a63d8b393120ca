package logwait

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"runtime"
	"testing"
	"testing/slogtest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// handlerFunc is a handler of the application.
type handlerFunc func(r slog.Record)

func (f handlerFunc) Enabled(context.Context, slog.Level) bool { return true }
func (f handlerFunc) WithAttrs([]slog.Attr) slog.Handler       { return f }
func (f handlerFunc) WithGroup(string) slog.Handler            { return f }

func (f handlerFunc) Handle(_ context.Context, r slog.Record) error {
	f(r)
	return nil
}

// TestBlocked checks that a handler that blocks delays each caller by a second at most and
// once, and that the first record after that has the number of the dropped ones.
func TestBlocked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		var got []string
		h := New(handlerFunc(func(r slog.Record) {
			<-release
			r.Attrs(func(a slog.Attr) bool { r.Message += " " + a.String(); return true })
			got = append(got, r.Message)
		}))
		start, logger := time.Now(), slog.New(h)
		logger.With("a", 1).Info("first")
		assert.Equal(t, limit, time.Since(start))
		for range 1000 {
			logger.WithGroup("g").Info("second")
		}
		h.Drop()
		assert.Equal(t, limit, time.Since(start))
		close(release)
		synctest.Wait()
		logger.Info("third")
		logger.Info("fourth")
		assert.Equal(t, []string{"first", "third dropped=1001", "fourth"}, got)
		assert.Equal(t, limit, time.Since(start))
	})
}

// TestSlow checks that a handler that needs some time gets every record, before the caller
// continues.
func TestSlow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := 0
		logger := slog.New(New(handlerFunc(func(slog.Record) { time.Sleep(limit - 1); n++ })))
		for i := range 10 {
			logger.Info("x")
			require.Equal(t, i+1, n)
		}
	})
}

// TestPanic checks that a handler that panics, or ends its goroutine, ends nothing else.
func TestPanic(t *testing.T) {
	t.Parallel()
	for _, f := range []func(slog.Record){func(slog.Record) { panic("of the handler") }, func(slog.Record) { runtime.Goexit() }} {
		slog.New(New(handlerFunc(f))).Info("x")
	}
}

// TestHandler checks the contract of slog.Handler.
func TestHandler(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	require.NoError(t, slogtest.TestHandler(New(slog.NewJSONHandler(&b, nil)), func() []map[string]any {
		var all []map[string]any
		for _, line := range bytes.Split(bytes.TrimSpace(b.Bytes()), []byte("\n")) {
			var one map[string]any
			require.NoError(t, json.Unmarshal(line, &one))
			all = append(all, one)
		}
		return all
	}))
}
