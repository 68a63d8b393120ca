//go:build unix

package main

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/promptpreview"
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

// TestPreviewEndsCommand checks that no command is left when the preview has ended.
func TestPreviewEndsCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "greet.md"), []byte("Hello\n"), 0o600))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	page := "http://" + listener.Addr().String()
	fifo := filepath.Join(t.TempDir(), "started")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	started, asked := make(chan int, 1), make(chan struct{})
	open := func(token string) func() {
		go func() {
			defer close(asked)
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, page+"/author/do/answer", strings.NewReader(`{"prompt":"greet"}`))
			if !assert.NoError(t, err) {
				return
			}
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Origin", page)
			r.Header.Set("X-Prompts-Token", token)
			if resp, err := http.DefaultClient.Do(r); err == nil { // the end of the preview is an error
				text, _ := io.ReadAll(resp.Body)
				_ = resp.Body.Close()
				assert.NotEqual(t, http.StatusOK, resp.StatusCode, "%s", text)
			}
		}()
		go func() {
			text, err := os.ReadFile(fifo) // until the command has written
			assert.NoError(t, err)
			pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
			assert.NoError(t, err)
			started <- pid
			stop()
		}()
		return func() {}
	}
	command := authorOptions{editor: defaultEditor, modelCommand: modelCommand{exec: "echo $$ >'" + fifo + "'; sleep 600 & wait", timeout: time.Hour}}
	require.NoError(t, servePreview(ctx, listener, []string{dir}, promptpreview.Options{}, command, slog.New(slog.DiscardHandler), open))
	assert.True(t, isGone(<-started))
	<-asked
}
