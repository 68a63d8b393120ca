package prompts_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

const withdrawnEarly = "no answer is needed any more"

// several is a prompt that asks three questions at once, and does without
// answers.
func several(then func(err error)) prompts.Prompt {
	return rendered("several", func(ctx context.Context) (*prompts.Result, error) {
		err := prompts.Ask(ctx, prompts.Form[colour]("a", "A?"), prompts.Form[colour]("b", "B?"), prompts.Form[colour]("c", "C?"))
		then(err)
		return prompts.Messages(prompts.User("done")), nil
	})
}

// CAN-13: questions go out together. An error to one of them ends the Ask, and
// the client need not answer what it has not answered yet.
func TestErrorEndsAllQuestions(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := prompts.NewServer(registryOf(several(func(err error) { assert.ErrorIs(t, err, prompts.ErrElicitationUnavailable) })), prompts.Options{})
		c := connect(t, s).handshakeAs("2025-11-25", formCapability)
		c.send(getLine("1", "several"))
		all := c.questions()
		require.Len(t, all, 3, "before any of them is answered")
		assert.Empty(t, c.ask(all[2].reply(red)))
		assert.Equal(t, []string{all[0].withdrawn(withdrawnEarly), textLine("1", "done")}, c.ask(all[1].refuse(-1, "no")))
		for _, q := range all {
			assert.Empty(t, c.ask(q.reply(red)), "too late")
		}
		assert.NoError(t, c.end())
		assert.Zero(t, s.Slots())
	})
}

// A person who refuses one question may answer the others: these are waited
// for.
func TestRefusalEndsNoQuestion(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := prompts.NewServer(registryOf(several(func(err error) { assert.ErrorIs(t, err, prompts.ErrDeclined) })), prompts.Options{})
		c := connect(t, s).handshakeAs("2025-11-25", formCapability)
		c.send(getLine("1", "several"))
		all := c.questions()
		require.Len(t, all, 3)
		assert.Empty(t, c.ask(all[1].reply(declining)))
		assert.Empty(t, c.ask(all[0].reply(red)))
		assert.Equal(t, []string{textLine("1", "done")}, c.ask(all[2].reply(red)))
		assert.NoError(t, c.end())
	})
}

// CAN-13: only what the client has been asked is withdrawn.
func TestQuestionThatWasNotSentIsNotWithdrawn(t *testing.T) {
	t.Parallel()
	for sent := range 3 {
		var asking error
		s := prompts.NewServer(registryOf(several(func(err error) { asking = err })), prompts.Options{})
		session := newSessionAs(t, s, "2025-11-25", formCapability)
		x := &recorder{t: t}
		questions, isBroken := 0, false
		err := session.Handle(t.Context(), x.hear(session, getLine("1", "several")), transport.Exchange{Send: func(msg []byte, code prompts.Code, last bool) error {
			if questions == sent && !isBroken {
				isBroken = true
				return errDisk
			}
			questions++
			return x.send(msg, code, last)
		}})
		require.NoError(t, err)
		var got, want []string
		for _, m := range x.messages {
			got = append(got, m.msg)
		}
		require.GreaterOrEqual(t, len(got), sent)
		for _, msg := range got[:sent] {
			want = append(want, readQuestion(t, msg).withdrawn(withdrawnEarly))
		}
		assert.Equal(t, append(want, textLine("1", "done")), got[sent:])
		assert.ErrorIs(t, asking, errDisk)
		assert.Empty(t, prompts.Peek(session).Leftovers())
		assert.Zero(t, s.Slots())
	}
}

// CAN-13: an author's own time limit ends a question as well.
func TestContextOfTheAuthor(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := prompts.NewServer(registryOf(rendered("hasty", func(ctx context.Context) (*prompts.Result, error) {
			hasty, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			_, err := prompts.Elicit[colour](hasty, "a", "Which?")
			assert.ErrorIs(t, err, context.DeadlineExceeded)
			assert.NotErrorIs(t, err, prompts.ErrElicitationUnavailable)
			// With what time there is, the same may be asked again.
			answer, err := prompts.Elicit[colour](ctx, "a", "Which?")
			return prompts.Messages(prompts.User(answer.Colour)), err
		})), prompts.Options{})
		c := connect(t, s).handshakeAs("2025-11-25", formCapability)
		c.send(getLine("1", "hasty"))
		first := c.question()
		time.Sleep(time.Second)
		got := c.received()
		require.Len(t, got, 2)
		assert.Equal(t, first.withdrawn(withdrawnEarly), got[0])
		assert.Empty(t, c.ask(first.reply(accepting(`{"colour":"late"}`))))
		assert.Equal(t, []string{textLine("1", "red")}, c.ask(readQuestion(t, got[1]).reply(red)))
		assert.NoError(t, c.end())
	})
}

// LIF-15: a client that has not said that it is ready is asked once it has. It
// has the same time for all of that.
func TestQuestionsWaitForInitialized(t *testing.T) {
	start := func(t *testing.T) (*prompts.Server, *client) {
		s := prompts.NewServer(registryOf(asking("paint")), prompts.Options{Timeouts: prompts.Timeouts{Elicit: time.Minute, Render: time.Second}})
		c := connect(t, s)
		c.send(initializeAs("2025-11-25", formCapability))
		require.Len(t, c.received(), 1)
		assert.Empty(t, c.ask(getLine("1", "paint")))
		return s, c
	}
	t.Run("ready", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			_, c := start(t)
			time.Sleep(time.Minute - time.Nanosecond)
			assert.Empty(t, c.received())
			c.send(initializedLine)
			assert.Equal(t, []string{textLine("1", "red")}, c.ask(c.question().reply(red)))
			assert.NoError(t, c.end())
		})
	})
	t.Run("never ready", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			_, c := start(t)
			time.Sleep(time.Minute)
			assert.Equal(t, []string{errorLine("1", prompts.CodeInternalError, unable("it has not answered in time"))}, c.received())
			assert.Empty(t, c.ask(initializedLine))
			assert.NoError(t, c.end())
		})
	})
	t.Run("cancelled", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			_, c := start(t)
			assert.Empty(t, c.ask(cancelLine("1"), initializedLine))
			assert.NoError(t, c.end())
		})
	})
}

// GAP-46: a client that has closed its side is not asked at all.
func TestNoQuestionAfterTheEndOfInput(t *testing.T) {
	bubble(t, func(t *testing.T) {
		let := make(chan struct{})
		ask := asking("paint")
		s := prompts.NewServer(registryOf(rendered("later", func(ctx context.Context) (*prompts.Result, error) {
			<-let
			return ask.Render(ctx, nil)
		})), prompts.Options{Timeouts: prompts.Timeouts{Drain: time.Minute}})
		c := connect(t, s).handshakeAs("2025-11-25", formCapability)
		assert.Empty(t, c.ask(getLine("1", "later")))
		close(c.wire.in)
		assert.Empty(t, c.received())
		close(let)
		assert.NoError(t, c.wait())
		assert.Equal(t, []string{errorLine("1", prompts.CodeInternalError, unable("it has gone"))}, c.received())
	})
}

// CAN-13: a question that a goroutine of the author's still asks when the work
// is done is withdrawn before the answer. Nothing follows.
func TestStragglersQuestionIsWithdrawn(t *testing.T) {
	for name, test := range map[string]struct {
		end  func() (*prompts.Result, error)
		want string
	}{
		"a result": {func() (*prompts.Result, error) { return prompts.Messages(prompts.User("done")), nil }, textLine("1", "done")},
		"an error": {func() (*prompts.Result, error) { return nil, errDisk }, errorLine("1", prompts.CodeInternalError, renderFailed)},
		"a panic":  {func() (*prompts.Result, error) { panic(errDisk) }, errorLine("1", prompts.CodeInternalError, renderFailed)},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				let, done := make(chan struct{}), make(chan error, 2)
				s := prompts.NewServer(registryOf(rendered("early", func(ctx context.Context) (*prompts.Result, error) {
					for _, key := range []string{"a", "b"} { // one asks, one waits for its turn
						go func() {
							_, err := prompts.Elicit[colour](context.WithoutCancel(ctx), key, "Which?")
							done <- err
						}()
					}
					<-let
					return test.end()
				})), prompts.Options{})
				c := connect(t, s).handshakeAs("2025-11-25", formCapability)
				c.send(getLine("1", "early"))
				q := c.question()
				close(let)
				assert.Equal(t, []string{q.withdrawn(withdrawnEarly), test.want}, c.received())
				assert.ErrorIs(t, errors.Join(<-done, <-done), context.Canceled)
				assert.Empty(t, c.ask(q.reply(red)))
				assert.NoError(t, c.end())
				synctest.Wait()
				assert.Zero(t, s.Slots())
				assert.Zero(t, s.Tasks())
			})
		})
	}
}
