package prompts_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// An author's code is more than the render function: the logger's handler,
// the methods of errors and of data, those of the transport. None of it may
// cost a client its answer, or the process its life.

// handler is a slog.Handler that does something else than to log.
type handler struct{ do func() }

func (h handler) Enabled(context.Context, slog.Level) bool  { return true }
func (h handler) Handle(context.Context, slog.Record) error { h.do(); return nil }
func (h handler) WithAttrs([]slog.Attr) slog.Handler        { return h }
func (h handler) WithGroup(string) slog.Handler             { return h }

func TestAnswersDoNotWaitForTheLogger(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		drained := make(chan struct{})
		stuck := slog.New(handler{func() { <-drained }})
		fails := rendered("fails", func(context.Context) (*prompts.Result, error) { return nil, errDisk })
		w := newWaiter()
		c := connect(t, prompts.NewServer(registryOf(fails, w.prompt("wait"), sleeper("deaf", time.Minute)), prompts.Options{
			Logger: stuck, Timeouts: prompts.Timeouts{Render: time.Second},
		})).handshake()
		assert.Equal(t, []string{errorLine("1", prompts.CodeInternalError, "the prompt could not be rendered")}, c.ask(getLine("1", "fails")))
		assert.Empty(t, c.ask(getLine("2", "deaf"), getLine("3", "wait")))
		cancelled := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3,"reason":"no longer needed"}}`
		assert.Equal(t, []string{pongLine("4")}, c.ask(cancelled, pingLine("4")), "the reader does not log")
		time.Sleep(time.Second)
		assert.Equal(t, []string{errorLine("2", prompts.CodeInternalError, "the request took too long")}, c.received())
		<-w.causes
		close(drained)
		assert.NoError(t, c.end())
		time.Sleep(time.Minute) // "deaf" returns
	})
}

func TestLoggerPanics(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fails := rendered("fails", func(context.Context) (*prompts.Result, error) { return nil, errDisk })
		c := connect(t, prompts.NewServer(registryOf(fails), prompts.Options{Logger: slog.New(handler{func() { panic("handler") }})})).handshake()
		assert.Len(t, c.ask(getLine("1", "fails")), 1)
		assert.Equal(t, []string{pongLine("2")}, c.ask(pingLine("2")))
		assert.NoError(t, c.end())
	})
}

// badError is an error whose methods fail.
type badError struct{}

func (badError) Error() string   { return "bad" }
func (badError) Is(error) bool   { panic("Is") }
func (badError) As(any) bool     { return false }
func (badError) Unwrap() []error { return nil }

// CAN-09
func TestErrorWhoseMethodsPanic(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		bad := rendered("bad", func(ctx context.Context) (*prompts.Result, error) {
			<-ctx.Done()
			return nil, badError{}
		})
		ctx, cancel := context.WithCancel(t.Context())
		session := newSession(t, prompts.NewServer(registryOf(bad), prompts.Options{}))
		done := make(chan error)
		go func() {
			done <- session.Handle(ctx, []byte(getLine("1", "bad")), transport.Exchange{Send: func(msg []byte, _ prompts.Code, _ bool) error {
				assert.Equal(t, errorLine("1", prompts.CodeInternalError, "the prompt could not be rendered"), string(msg))
				return nil
			}})
		}()
		synctest.Wait()
		cancel()
		assert.NoError(t, <-done)
	})
}

// data is an Error's data whose encoding does something else.
type data func()

func (d data) MarshalJSON() ([]byte, error) { d(); return []byte("{}"), nil }

func TestDataOfAnErrorIsTheAuthorsCode(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		do   func()
		want string
		log  string
	}{
		"panic":    {func() { panic("in data") }, errorLine("1", 7, "seven"), "in data"},
		"goexit":   {runtime.Goexit, errorLine("1", prompts.CodeInternalError, "the prompt could not be rendered"), "Goexit"},
		"too long": {func() { time.Sleep(time.Hour) }, errorLine("1", prompts.CodeInternalError, "the request took too long"), "time limit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var j journal
				fails := rendered("fails", func(context.Context) (*prompts.Result, error) {
					return nil, &prompts.Error{Code: 7, Message: "seven", Data: data(test.do)}
				})
				c := connect(t, prompts.NewServer(registryOf(fails), prompts.Options{Logger: j.logger()})).handshake()
				c.send(getLine("1", "fails"))
				time.Sleep(2 * time.Hour)
				assert.Equal(t, []string{test.want}, c.received())
				assert.Contains(t, j.String(), test.log)
				assert.NoError(t, c.end())
			})
		})
	}
}

// What a client does not get to see of an error goes to the author.
func TestBlameIsLoggedIfThereIsMore(t *testing.T) {
	t.Parallel()
	blame := prompts.InvalidArgument("a", "is \xff")
	for _, test := range []struct {
		err error
		log string
	}{
		{blame, ""},
		{errors.Join(blame, blame), ""},
		{errors.Join(blame, errDisk), "the disk is on fire"},
		{fmt.Errorf("shard 3: %w", blame), "shard 3"},
		{fmt.Errorf("%w and %w", blame, blame), " and "},
		{errors.Join(blame, badError{}), "bad"},
	} {
		var j journal
		r := registryOf(rendered("p", func(context.Context) (*prompts.Result, error) { return nil, test.err }))
		_, err := prompts.NewServer(r, prompts.Options{Logger: j.logger()}).Call(t.Context(), "prompts/get", []byte(`{"name":"p"}`), prompts.CallOptions{})
		var e *prompts.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, prompts.CodeInvalidParams, e.Code)
		assert.Contains(t, fmt.Sprintf("%s", e.Data), `"message":"is `+"\ufffd"+`"`)
		if test.log == "" {
			assert.Empty(t, j.String())
		} else {
			assert.Contains(t, j.String(), test.log)
		}
	}
}

// meddler is an argument's type whose default changes the registry.
type meddler struct{}

var meddle func()

func (*meddler) UnmarshalText([]byte) error { meddle(); return nil }

func TestDeclarationThatChangesTheRegistry(t *testing.T) {
	r := registryOf(textPrompt("old", "hi"))
	meddle = func() { r.Remove("old") }
	p := prompts.New(prompts.Prompt{Name: "new", Arguments: []prompts.Argument{{Name: "M", Schema: prompts.Enum("x")}}},
		func(context.Context, struct{ M *meddler }) (*prompts.Result, error) { return prompts.Messages(), nil })
	p.Arguments[0].Schema.Default = []byte(`"x"`)
	require.NoError(t, r.Add(p))
	assert.Equal(t, 1, r.Len())
}

// A Transport's Read that ends its goroutine ends the connection.
func TestReadThatEndsItsGoroutine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		err := prompts.NewServer(nil, prompts.Options{}).Serve(t.Context(), quitter{newWire(t)})
		assert.ErrorIs(t, err, prompts.ErrNoReturn)
	})
}

type quitter struct{ *wire }

func (quitter) Read(context.Context) ([]byte, error) { runtime.Goexit(); return nil, io.EOF }

// chatter is a Transport that has something to read for ever.
type chatter struct{ *wire }

func (chatter) Read(context.Context) ([]byte, error) {
	time.Sleep(time.Millisecond)
	return []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`), nil
}

func TestReadThatGoesOnForEver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		assert.NoError(t, prompts.NewServer(nil, prompts.Options{}).Serve(ctx, chatter{newWire(t)}))
	})
}

// GAP-46: what is dropped at the end of the grace leaves a line.
func TestGraceLeavesALine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var j journal
		w := newWaiter()
		c := connect(t, prompts.NewServer(registryOf(w.prompt("wait")), prompts.Options{Logger: j.logger(), Timeouts: prompts.Timeouts{Drain: time.Second}})).handshake()
		c.send(getLine("1", "wait"))
		assert.NoError(t, c.end())
		<-w.causes
		assert.Contains(t, j.String(), "requests=1")
		assert.Equal(t, 1, strings.Count(j.String(), "before its requests were answered"))
	})
}
