package rpc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/transport"
)

// An author's code is more than the render function: the logger's handler,
// the methods of errors and of data, those of the transport. None of it may
// cost a client its answer, or the process its life.

func TestAnswersDoNotWaitForTheLogger(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		drained := make(chan struct{})
		stuck := slog.New(servertest.Handler{Do: func(context.Context, slog.Record) { <-drained }})
		fails := servertest.Rendered("fails", func(context.Context) (*prompts.Result, error) { return nil, servertest.ErrDisk })
		w := servertest.NewWaiter()
		c := servertest.Connect(t, prompts.MustNewServer(servertest.RegistryOf(fails, w.Prompt("wait"), servertest.Sleeper("deaf", time.Minute)), prompts.Options{
			Logger: stuck, Timeouts: prompts.Timeouts{Render: time.Second},
		})).Handshake()
		assert.Equal(t, []string{servertest.ErrorLine("1", prompts.CodeInternalError, "internal error: prompt failed")}, c.Ask(servertest.GetLine("1", "fails")))
		assert.Empty(t, c.Ask(servertest.GetLine("2", "deaf"), servertest.GetLine("3", "wait")))
		cancelled := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3,"reason":"no longer needed"}}`
		assert.Equal(t, []string{servertest.PongLine("4")}, c.Ask(cancelled, servertest.PingLine("4")), "the reader does not log")
		time.Sleep(time.Second)
		assert.Equal(t, []string{servertest.ErrorLine("2", prompts.CodeInternalError, servertest.RequestTimeout)}, c.Received())
		<-w.Causes
		close(drained)
		assert.NoError(t, c.End())
		time.Sleep(time.Minute) // "deaf" returns
	})
}

func TestLoggerPanics(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		fails := servertest.Rendered("fails", func(context.Context) (*prompts.Result, error) { return nil, servertest.ErrDisk })
		c := servertest.Connect(t, prompts.MustNewServer(servertest.RegistryOf(fails), prompts.Options{Logger: slog.New(servertest.Handler{Do: func(context.Context, slog.Record) { panic("handler") }})})).Handshake()
		assert.Len(t, c.Ask(servertest.GetLine("1", "fails")), 1)
		assert.Equal(t, []string{servertest.PongLine("2")}, c.Ask(servertest.PingLine("2")))
	})
}

// secretive is an error whose methods are worse than its text.
type secretive struct{ do func() }

func (s secretive) Error() string { s.do(); return secretError }

// Whatever a render function does to its goroutine, its client gets one answer
// with no secret in it, the author finds out, and the next request of any
// client is answered.
func TestEveryEndOfARender(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		render func(ctx context.Context) (*prompts.Result, error)
		log    string
	}{
		"panics with an error": {func(context.Context) (*prompts.Result, error) { panic(errors.New(secretPanic)) }, "panic: " + secretPanic},
		"panics with nil":      {func(context.Context) (*prompts.Result, error) { panic(error(nil)) }, "panic called with nil"},
		"panics by the runtime": {func(context.Context) (*prompts.Result, error) {
			var r *prompts.Result
			return &prompts.Result{Meta: r.Meta}, nil
		}, "nil pointer"},
		"panics with what panics": {func(context.Context) (*prompts.Result, error) { panic(secretive{func() { panic("x") }}) }, "PANIC=Error method: x"},
		"panics with what it is":  {func(context.Context) (*prompts.Result, error) { panic(map[string]any{"x": secretPanic}) }, secretPanic},
		"panics while it panics":  {func(context.Context) (*prompts.Result, error) { defer panic(secretPanic); panic("first") }, secretPanic},
		"panics while it exits": {func(context.Context) (*prompts.Result, error) {
			defer panic(secretPanic)
			runtime.Goexit()
			return nil, nil
		}, "level=ERROR"},
		"exits while it panics":  {func(context.Context) (*prompts.Result, error) { defer runtime.Goexit(); panic(secretPanic) }, "Goexit"},
		"fails with what panics": {func(context.Context) (*prompts.Result, error) { return nil, secretive{func() { panic("x") }} }, ""},
		"fails with what exits":  {func(context.Context) (*prompts.Result, error) { return nil, secretive{runtime.Goexit} }, ""},
		"claims to be cancelled": {func(context.Context) (*prompts.Result, error) { return nil, context.Canceled }, "context canceled"},
		"claims to be late":      {func(context.Context) (*prompts.Result, error) { return nil, context.DeadlineExceeded }, "deadline exceeded"},
		"ignores its context":    {func(context.Context) (*prompts.Result, error) { time.Sleep(time.Hour); panic(secretPanic) }, "timed out"},
	} {
		servertest.InBubble(t, name, func(t *testing.T) {
			var j servertest.Journal
			s := prompts.MustNewServer(servertest.RegistryOf(servertest.Rendered("bad", test.render), servertest.TextPrompt("text", "hi")), prompts.Options{Logger: j.Logger(), Limits: prompts.Limits{MaxConcurrent: 2}})
			other, c := servertest.Connect(t, s).Handshake(), servertest.Connect(t, s).Handshake()
			c.Send(servertest.GetLine("1", "bad"), servertest.EnvelopedGet("2", "bad"))
			time.Sleep(servertest.DefaultRenderTimeout)
			got := c.Received()
			require.Len(t, got, 2)
			for _, msg := range got {
				var m struct{ Error struct{ Code transport.Code } }
				require.NoError(t, json.Unmarshal([]byte(msg), &m))
				assert.Equal(t, prompts.CodeInternalError, m.Error.Code, msg)
				assert.NotContains(t, msg, "secret")
			}
			assert.Contains(t, j.String(), test.log)
			if strings.HasPrefix(test.log, "panic: ") {
				assert.Contains(t, j.String(), "author_code_test.go", "the stack")
			}
			assert.Equal(t, []string{servertest.TextLine("3", "hi")}, other.Ask(servertest.GetLine("3", "text")))
			time.Sleep(time.Hour)
			assert.Equal(t, []string{servertest.TextLine("4", "hi")}, c.Ask(servertest.GetLine("4", "text")))
			assert.NoError(t, c.End())
			assert.NoError(t, other.End())
			servertest.AssertNoTrace(t, s)
		})
	}
}

// Goroutines that a render leaves behind reach no client: their reports and questions come
// to nothing, no slot is lost, and Serve does not wait for them.
func TestGoroutinesThatARenderLeavesBehind(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		const left = 20
		asked := make(chan error, left)
		s := prompts.MustNewServer(servertest.RegistryOf(servertest.Rendered("leaks", func(ctx context.Context) (*prompts.Result, error) {
			for i := range left {
				go func() {
					time.Sleep(time.Duration(i+1) * time.Minute)
					prompts.Progress(ctx, float64(i+1), 0, secretError)
					_, err := prompts.Elicit[servertest.Colour](ctx, "colour", secretError)
					asked <- err
				}()
			}
			time.Sleep(time.Second)
			return prompts.Messages(prompts.User("done")), nil
		})), prompts.Options{})
		c := servertest.Connect(t, s).HandshakeAs("2025-11-25", servertest.FormCapability)
		c.Send(servertest.GetLine("1", "leaks"))
		time.Sleep(2 * time.Second)
		assert.Equal(t, []string{servertest.TextLine("1", "done")}, c.Received())
		began := time.Now()
		assert.NoError(t, c.End())
		assert.Zero(t, time.Since(began))
		time.Sleep(left * time.Minute)
		assert.Empty(t, c.Received())
		for range left {
			assert.Error(t, <-asked)
		}
		servertest.AssertNoTrace(t, s)
	})
}

// LOG-01, LOG-02, LOG-06, LOG-08: the server logs to its author, never to a client, even
// to one that asks for it.
func TestNothingIsLoggedToTheClient(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		var j servertest.Journal
		s := prompts.MustNewServer(servertest.RegistryOf(servertest.Rendered("faulty", func(context.Context) (*prompts.Result, error) { return nil, servertest.ErrDisk })), prompts.Options{Logger: j.Logger()})
		c := servertest.Connect(t, s).Handshake()
		for _, level := range []string{"", `"io.modelcontextprotocol/logLevel":"debug",`} {
			got := c.Ask(strings.Replace(servertest.EnvelopedGet("1", "faulty"), `"_meta":{`, `"_meta":{`+level, 1))
			assert.Equal(t, []string{servertest.ErrorLine("1", prompts.CodeInternalError, servertest.RenderFailed)}, got)
		}
		assert.Len(t, c.Ask(servertest.GetLine("1", "faulty")), 1)
		assert.Equal(t, 3, strings.Count(j.String(), "the disk is on fire"))
		assert.NotContains(t, c.Ask(servertest.EnvelopedLine("2", "server/discover", ""))[0], "logging")
	})
}

// Without a Logger, the cause of a failing prompt is in slog.Default; with
// slog.DiscardHandler it is nowhere.
func TestDefaultLogger(t *testing.T) {
	var log bytes.Buffer
	quiet := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(quiet)
	fails := servertest.RegistryOf(servertest.Rendered("p", func(context.Context) (*prompts.Result, error) { return nil, servertest.ErrDisk }))
	for _, o := range []prompts.Options{{Logger: slog.New(slog.DiscardHandler)}, {}} {
		_, e := servertest.Call(t, prompts.MustNewServer(fails, o), servertest.MethodGet, `{"name":"p"}`)
		assert.Equal(t, prompts.CodeInternalError, e.Code)
		assert.Equal(t, o.Logger == nil, strings.Contains(log.String(), servertest.ErrDisk.Error()))
	}
}
