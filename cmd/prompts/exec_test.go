//go:build unix

package main

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRunCommandEndsGroup checks that no program that a command has started outlives it:
// after the time limit, after too much output, and after the end of the shell.
func TestRunCommandEndsGroup(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		command string
		want    string // an error; empty for the answer ok
	}{
		"time limit":      {"sleep 1000 & echo $! >PID; wait", "did not end within"},
		"too much output": {"sleep 1000 & echo $! >PID; yes", "more than the limit"},
		"background":      {"sleep 1000 & echo $! >PID; echo ok", ""},
		"failure":         {"sleep 1000 & echo $! >PID; exit 1", "exit status 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "pid")
			timeout := time.Minute
			if name == "time limit" {
				timeout = time.Second
			}
			answer, err := runCommand(t.Context(), strings.ReplaceAll(c.command, "PID", file), nil, timeout)
			if c.want == "" {
				require.NoError(t, err)
				assert.Equal(t, "ok\n", answer)
			} else {
				require.ErrorContains(t, err, c.want)
			}
			raw, err := os.ReadFile(file)
			require.NoError(t, err)
			pid, err := strconv.Atoi(strings.TrimSpace(string(raw)))
			require.NoError(t, err)
			assert.Eventually(t, func() bool { return isGone(pid) }, time.Minute, time.Millisecond)
		})
	}
}

// isGone reports whether a process has ended. Its new parent may not have waited for it.
func isGone(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return true
	}
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return true
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return strings.HasPrefix(state, "Z")
}

// TestRunCommandInterrupt checks that an interrupt ends a command.
func TestRunCommandInterrupt(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	fifo := filepath.Join(t.TempDir(), "started")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	go func() {
		_, _ = os.ReadFile(fifo) // until the command has written
		cancel()
	}()
	_, err := runCommand(ctx, "echo >"+fifo+"; sleep 1000", nil, time.Hour)
	assert.ErrorIs(t, err, context.Canceled)
}
