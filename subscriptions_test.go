package prompts_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/notify"
	"github.com/mcp-prompts/prompts/transport"
)

// SUB-04, SUB-07, LCH-06: the acknowledgement is the first message, however
// soon changes come, and a change since the request is not lost. Ids are
// repeated as they were written.
func TestListenAcknowledgesFirst(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"1", "-7", "123456789012345678901234567890", `"1"`, `"\u0061\/\n"`, `""`} {
		inBubble(t, id, func(t *testing.T) {
			reg := new(prompts.Registry)
			s := prompts.MustNewServer(reg, prompts.Options{})
			w := newWire(t)
			changed := false
			w.onWrite = func(context.Context, []byte) error {
				if !changed { // at once, while the acknowledgement is being sent
					changed = true
					reg.MustAdd(textPrompt("new", "x"))
					time.Sleep(time.Minute)
				}
				return nil
			}
			c := connectOver(t, s, w, w)
			assert.Empty(t, c.ask(listenLine(id)))
			time.Sleep(2 * time.Minute)
			assert.Equal(t, []string{ackLine(id), changedLine(id)}, c.received())
			require.NoError(t, c.end())
			assert.Equal(t, []string{listenEndLine(id), cancelLine(id)}, c.received(), "SUB-11, SUB-12, SUB-13, GAP-24, GAP-48")
		})
	}
}

// subscription is a call of Handle with a request of subscriptions/listen.
type subscription struct {
	recorder
	session transport.Session // may be nil
	closing chan struct{}
	cancel  context.CancelCauseFunc
	done    chan error
}

func (b *subscription) received() []sent {
	synctest.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	got := b.messages
	b.messages = nil
	return got
}

// subscribe sends the request to a session, or to the server if that is nil. fail returns
// the errors of Send, unless it is nil.
func subscribe(t testing.TB, s *prompts.Server, session transport.Session, fail func(string) error) *subscription {
	ctx, cancel := context.WithCancelCause(t.Context())
	b := &subscription{recorder: recorder{t: t, fail: fail}, session: session, closing: make(chan struct{}), cancel: cancel, done: make(chan error, 1)}
	go func() { b.done <- b.pass(ctx, s, session, listenLine("1"), transport.Exchange{Done: b.closing}) }()
	return b
}

// Handle returns when the subscription has ended, in each of the ways in which
// it can, and leaves nothing behind: with a quota of one, the next has its
// place. (SUB-10, SUB-11, CAN-02, CAN-03)
func TestListenThroughHandle(t *testing.T) {
	t.Parallel()
	ack, told, end := sent{ackLine("1"), 0, false}, sent{changedLine("1"), 0, false}, sent{listenEndLine("1"), 0, true}
	for _, test := range []struct {
		fail  string // the message that cannot be sent has this part
		steps string
		want  []sent
		err   error
	}{
		{"", "close", []sent{ack, end}, nil},
		{"", "change pause close", []sent{ack, told, end}, nil},
		{"", "change close", []sent{ack, told, end}, nil},
		{"", "abort", []sent{ack}, errDisk},
		{"", "change abort", []sent{ack}, errDisk},
		{"", "cancel", []sent{ack}, prompts.ErrCancelled},
		{"", "change cancel", []sent{ack}, prompts.ErrCancelled},
		{"acknowledged", "", nil, errDisk},
		{"list_changed", "change", []sent{ack}, errDisk},
		{"resultType", "close", []sent{ack}, errDisk},
	} {
		for _, of := range []string{"session", "server"} {
			if strings.Contains(test.steps, "cancel") && of == "server" {
				continue
			}
			inBubble(t, test.fail+" "+test.steps+" of a "+of, func(t *testing.T) {
				reg := new(prompts.Registry)
				s := prompts.MustNewServer(reg, prompts.Options{Limits: prompts.Limits{MaxSubscriptions: 1, MaxSubscriptionsTotal: 1}})
				var session transport.Session
				if of == "session" {
					session = s.NewSession(transport.SessionOptions{})
					defer session.Close()
				}
				for range 3 {
					b := subscribe(t, s, session, func(msg string) error {
						if test.fail != "" && strings.Contains(msg, test.fail) {
							return errDisk
						}
						return nil
					})
					for step := range strings.FieldsSeq(test.steps) {
						synctest.Wait()
						switch step {
						case "change":
							assert.NoError(t, reg.Set(textPrompt("text", "x")))
						case "pause":
							time.Sleep(notify.MinPause)
						case "close":
							close(b.closing)
						case "abort":
							b.cancel(errDisk)
						case "cancel":
							answerTo(t, nil, b.session, cancelLine("1"))
						}
					}
					assert.ErrorIs(t, <-b.done, test.err)
					assert.Equal(t, test.want, b.received())
					assertNoTrace(t, s)
					if session != nil {
						assert.Empty(t, prompts.Peek(session).Leftovers())
					}
				}
				time.Sleep(time.Hour)
			})
		}
	}
}

// SUB-10, CAN-03: after a cancellation the server sends nothing for the subscription but
// the notification that is being written.
func TestSubscriptionCancelledInTheMidstOfAWrite(t *testing.T) {
	bubble(t, func(t *testing.T) {
		reg := new(prompts.Registry)
		s := prompts.MustNewServer(reg, prompts.Options{})
		c := connect(t, s).listen("1")
		hold := make(chan struct{})
		c.wire.onWrite = func(context.Context, []byte) error { <-hold; return nil }
		reg.MustAdd(textPrompt("new", "x"))
		time.Sleep(notify.MinPause)
		synctest.Wait()
		reg.MustAdd(textPrompt("newer", "x"))
		assert.Empty(t, c.ask(cancelLine("1")))
		close(hold)
		time.Sleep(time.Hour)
		assert.Equal(t, []string{changedLine("1")}, c.received())
		require.NoError(t, c.end())
		assert.Empty(t, c.received())
		assertNoTrace(t, s)
	})
}

// The place of a subscription is free when the client has its answer: who goes on at
// once is not rejected.
func TestPlaceOfASubscriptionIsFreeAtOnce(t *testing.T) {
	t.Parallel()
	for range 100 {
		s := prompts.MustNewServer(new(prompts.Registry), prompts.Options{Limits: prompts.Limits{MaxSubscriptions: 1, MaxSubscriptionsTotal: 1}})
		session := s.NewSession(transport.SessionOptions{})
		var next string
		empty := envelopedLine("1", "subscriptions/listen", `"notifications":{}`)
		require.NoError(t, session.Handle(t.Context(), []byte(empty), transport.Exchange{Send: func(_ []byte, _ prompts.Code, last bool) error {
			if last {
				r := &recorder{t: t}
				assert.NoError(t, session.Handle(t.Context(), r.hear(nil, empty), transport.Exchange{Send: r.send}))
				next = r.messages[0].msg
			}
			return nil
		}}))
		session.Close()
		require.Equal(t, emptyAckLine("1"), next)
	}
}
