package prompts_test

import (
	"context"
	"encoding/json"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// That a question could not be sent is one more reason that there will be no
// answer, and no other kind of error.
func TestQuestionThatWasNotSentCannotBeAsked(t *testing.T) {
	t.Parallel()
	var asking error
	s := prompts.NewServer(registryOf(several(func(err error) { asking = err })), prompts.Options{})
	session := newSessionAs(t, s, "2025-11-25", formCapability)
	x := &recorder{t: t}
	err := session.Handle(t.Context(), x.hear(session, getLine("1", "several")), transport.Exchange{Send: func(msg []byte, code prompts.Code, last bool) error {
		if !last {
			return errDisk
		}
		return x.send(msg, code, last)
	}})
	require.NoError(t, err)
	assert.ErrorIs(t, asking, errDisk)
	assert.ErrorIs(t, asking, prompts.ErrElicitationUnavailable)
}

// A client that goes before it is ready will never be asked: there is nothing
// to wait for.
func TestClientThatGoesBeforeItIsReady(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := prompts.NewServer(registryOf(asking("paint")), prompts.Options{})
		c := connect(t, s)
		c.send(initializeAs("2025-11-25", formCapability))
		require.Len(t, c.received(), 1)
		assert.Empty(t, c.ask(getLine("1", "paint")))
		began := time.Now()
		assert.NoError(t, c.end())
		assert.Zero(t, time.Since(began))
		assert.Equal(t, []string{errorLine("1", prompts.CodeInternalError, unable("it has gone"))}, c.received())
		assert.Zero(t, s.Slots())
	})
}

// CAN-13: a render that ends by runtime.Goexit leaves no question open either:
// what a goroutine of its still asks is withdrawn before the answer.
func TestStragglersQuestionAfterGoexit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		let, done := make(chan struct{}), make(chan error, 1)
		s := prompts.NewServer(registryOf(rendered("early", func(ctx context.Context) (*prompts.Result, error) {
			go func() {
				_, err := prompts.Elicit[colour](ctx, "a", "Which?")
				done <- err
			}()
			<-let
			runtime.Goexit()
			return nil, nil
		})), prompts.Options{})
		c := connect(t, s).handshakeAs("2025-11-25", formCapability)
		c.send(getLine("1", "early"))
		q := c.question()
		close(let)
		assert.Equal(t, []string{q.withdrawn(withdrawnEarly), errorLine("1", prompts.CodeInternalError, renderFailed)}, c.received())
		assert.Error(t, <-done)
		assert.NoError(t, c.end())
		synctest.Wait()
		assert.Zero(t, s.Slots())
	})
}

// Nobody is asked with a context that has ended, neither in a session nor by a
// Call.
func TestAskWithAContextThatHasEnded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := prompts.NewServer(registryOf(rendered("late", func(ctx context.Context) (*prompts.Result, error) {
			ended, cancel := context.WithCancel(ctx)
			cancel()
			for range 50 { // the code may have a choice
				_, err := prompts.Elicit[colour](ended, "a", "Which?")
				assert.ErrorIs(t, err, context.Canceled)
			}
			return prompts.Messages(prompts.User("done")), nil
		})), prompts.Options{})
		c := connect(t, s).handshakeAs("2025-11-25", formCapability)
		assert.Equal(t, []string{textLine("1", "done")}, c.ask(getLine("1", "late")))
		assert.NoError(t, c.end())
		asked := 0
		_, err := s.Call(t.Context(), "prompts/get", []byte(`{"name":"late"}`), prompts.CallOptions{
			ClientCapabilities: []byte(formCapability),
			Request: func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
				asked++
				return nil, ctx.Err()
			},
		})
		assert.NoError(t, err)
		assert.Zero(t, asked)
	})
}
