package prompts_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// CAN-13: once its request is cancelled, a render function that goes on can
// ask no more: nothing is sent for it, and nothing is withdrawn that has never
// been asked.
func TestAskAfterTheCancellation(t *testing.T) {
	bubble(t, func(t *testing.T) {
		let := make(chan struct{})
		failed := make(chan error, 1)
		s := prompts.NewServer(registryOf(rendered("deaf", func(ctx context.Context) (*prompts.Result, error) {
			<-let
			_, err := prompts.Elicit[colour](context.WithoutCancel(ctx), "a", "Which?")
			failed <- err
			return nil, err
		}), textPrompt("text", "hi")), prompts.Options{Limits: prompts.Limits{MaxConcurrent: 1}})
		c := connect(t, s).handshakeAs("2025-11-25", formCapability)
		assert.Empty(t, c.ask(getLine("1", "deaf")))
		assert.Empty(t, c.ask(cancelLine("1")))
		close(let)
		assert.ErrorIs(t, <-failed, context.Canceled)
		assert.Empty(t, c.received())
		assert.Equal(t, []string{textLine("2", "hi")}, c.ask(getLine("2", "text")))
		assert.NoError(t, c.end())
		assert.Zero(t, s.Slots())
	})
}

// A goroutine that outlives its render function can neither ask nor report:
// nothing is sent once Handle has returned, and no turn is lost.
func TestStragglersInASession(t *testing.T) {
	t.Run("asks too late", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			let, done := make(chan struct{}), make(chan error)
			s := prompts.NewServer(registryOf(rendered("early", func(ctx context.Context) (*prompts.Result, error) {
				go func() {
					<-let
					prompts.Progress(ctx, 1, 2, "late")
					_, err := prompts.Elicit[colour](context.WithoutCancel(ctx), "late", "Which?")
					done <- err
				}()
				return prompts.Messages(prompts.User("done")), nil
			})), prompts.Options{})
			session := newSessionAs(t, s, "2025-11-25", formCapability)
			got, err := handle(t, s, session, strings.Replace(getLine("1", "early"), `"params":{`, `"params":{"_meta":{"progressToken":1},`, 1))
			require.NoError(t, err)
			assert.Equal(t, textLine("1", "done"), got)
			close(let)
			assert.ErrorIs(t, <-done, prompts.ErrAnswered)
			assert.Zero(t, s.Slots())
			assert.Zero(t, s.Tasks())
		})
	})
	t.Run("still asks", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			done := make(chan error, 1)
			sending := make(chan struct{}, 8)
			s := prompts.NewServer(registryOf(rendered("early", func(ctx context.Context) (*prompts.Result, error) {
				go func() {
					_, err := prompts.Elicit[colour](context.WithoutCancel(ctx), "late", "Which?")
					done <- err
				}()
				<-sending
				return prompts.Messages(prompts.User("done")), nil
			})), prompts.Options{})
			session := newSessionAs(t, s, "2025-11-25", formCapability)
			x := &recorder{t: t}
			require.NoError(t, session.Handle(t.Context(), x.hear(session, getLine("1", "early")), transport.Exchange{Send: func(msg []byte, code prompts.Code, last bool) error {
				defer func() { sending <- struct{}{} }()
				return x.send(msg, code, last)
			}}))
			x.mu.Lock()
			x.over = true
			for i, m := range x.messages {
				assert.Equal(t, i == len(x.messages)-1, m.last, "the answer is the last message")
			}
			x.mu.Unlock()
			assert.Error(t, <-done)
			synctest.Wait()
			assert.Zero(t, s.Slots())
			assert.Zero(t, s.Tasks())
			assert.Zero(t, prompts.Peek(session).Slots())
			assert.Zero(t, prompts.Peek(session).Tasks())
		})
	})
}

// A question of a goroutine that has outlived its context's end does not hold
// up the Call that it was part of.
func TestStragglerWithoutEndInACall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		asks := make(chan struct{})
		s := prompts.NewServer(registryOf(rendered("p", func(ctx context.Context) (*prompts.Result, error) {
			go func() { _, _ = prompts.Elicit[colour](context.WithoutCancel(ctx), "k", "Which?") }()
			<-asks
			return prompts.Messages(prompts.User("done")), nil
		})), prompts.Options{})
		began := time.Now()
		_, err := s.Call(t.Context(), "prompts/get", []byte(`{"name":"p"}`), prompts.CallOptions{
			ClientCapabilities: []byte(formCapability),
			Request: func(ctx context.Context, _ string, _ json.RawMessage) (json.RawMessage, error) {
				close(asks)
				<-ctx.Done()
				return nil, ctx.Err()
			},
		})
		require.NoError(t, err)
		assert.Zero(t, time.Since(began))
	})
}
