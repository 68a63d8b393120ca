package follower_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts/internal/follower"
)

type status struct {
	synced bool
	number int
}

// A status with another key is logged and reported once. A panic of the application's function
// is logged.
func TestStatus(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	var reported []status
	logger := slog.New(slog.NewTextHandler(&log, nil))
	f := follower.Follower[status]{
		Logger:   logger,
		Key:      func(s status) any { return s.synced },
		Log:      func(ctx context.Context, s status) { logger.InfoContext(ctx, "status", slog.Bool("synced", s.synced)) },
		OnStatus: func(s status) { reported = append(reported, s); panic("by OnStatus") },
	}
	f.Update(func(s *status) { s.number = 1 })
	f.Set(t.Context(), func(s *status) { s.number = 2 })
	assert.Empty(t, log.String())
	for range 2 {
		f.Set(t.Context(), func(s *status) { s.synced = true })
	}
	assert.Equal(t, status{true, 2}, f.Status())
	assert.Equal(t, []status{{true, 2}}, reported)
	assert.Equal(t, 1, strings.Count(log.String(), "msg=status synced=true"))
	assert.Contains(t, log.String(), `level=ERROR msg="panic in callback" callback=OnStatus error="by OnStatus" stack=`)
}

// Close waits for the goroutine, which also ends with its context.
func TestClose(t *testing.T) {
	t.Parallel()
	for _, isClosed := range []bool{true, false} {
		var f follower.Follower[status]
		ctx, cancel := context.WithCancel(t.Context())
		hasEnded := false
		f.Start(ctx, func(ctx context.Context) {
			<-ctx.Done()
			hasEnded = true
		})
		if !isClosed {
			cancel()
		}
		f.Close()
		f.Close()
		assert.True(t, hasEnded)
		cancel()
	}
}

// Pauses double up to the longest, are shorter by at most the jitter, and begin again.
func TestBackoff(t *testing.T) {
	t.Parallel()
	b := follower.Backoff{First: 10 * time.Second, Most: time.Minute, Jitter: 0.1}
	for range 2 {
		for _, want := range []time.Duration{10, 20, 40, 60, 60} {
			got := b.Next()
			assert.LessOrEqual(t, got, want*time.Second)
			assert.GreaterOrEqual(t, got, want*time.Second*9/10)
		}
		b.Reset()
	}
}
