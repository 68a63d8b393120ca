package rpc_test

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
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/transport"
)

// SUB-04, SUB-07, LCH-06: the acknowledgement is the first message, however
// soon changes come, and a change since the request is not lost. Ids are
// repeated as they were written.
func TestListenAcknowledgesFirst(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"1", "-7", "123456789012345678901234567890", `"1"`, `"\u0061\/\n"`, `""`} {
		servertest.InBubble(t, id, func(t *testing.T) {
			reg := new(prompts.Registry)
			s := prompts.MustNewServer(reg, prompts.Options{})
			w := servertest.NewWire(t)
			changed := false
			w.OnWrite = func(context.Context, []byte) error {
				if !changed { // at once, while the acknowledgement is being sent
					changed = true
					reg.MustAdd(servertest.TextPrompt("new", "x"))
					time.Sleep(time.Minute)
				}
				return nil
			}
			c := servertest.ConnectOver(t, s, w, w)
			assert.Empty(t, c.Ask(servertest.ListenLine(id)))
			time.Sleep(2 * time.Minute)
			assert.Equal(t, []string{servertest.AckLine(id), servertest.ChangedLine(id)}, c.Received())
			require.NoError(t, c.End())
			assert.Equal(t, []string{servertest.ListenEndLine(id), servertest.CancelLine(id)}, c.Received(), "SUB-11, SUB-12, SUB-13, GAP-24, GAP-48")
		})
	}
}

// subscription is a call of Handle with a request of subscriptions/listen.
type subscription struct {
	servertest.Recorder
	session transport.Session // may be nil
	closing chan struct{}
	cancel  context.CancelCauseFunc
	done    chan error
}

func (b *subscription) received() []servertest.Sent {
	synctest.Wait()
	b.Mu.Lock()
	defer b.Mu.Unlock()
	got := b.Messages
	b.Messages = nil
	return got
}

// subscribe sends the request to a session, or to the server if that is nil. fail returns
// the errors of Send, unless it is nil.
func subscribe(t testing.TB, s *prompts.Server, session transport.Session, fail func(string) error) *subscription {
	ctx, cancel := context.WithCancelCause(t.Context())
	b := &subscription{Recorder: servertest.Recorder{T: t, Fail: fail}, session: session, closing: make(chan struct{}), cancel: cancel, done: make(chan error, 1)}
	go func() {
		b.done <- b.Pass(ctx, s, session, servertest.ListenLine("1"), transport.Exchange{Done: b.closing})
	}()
	return b
}

// Handle returns when the subscription has ended, in each of the ways in which
// it can, and leaves nothing behind: with a quota of one, the next has its
// place. (SUB-10, SUB-11, CAN-02, CAN-03)
func TestListenThroughHandle(t *testing.T) {
	t.Parallel()
	ack, told, end := servertest.Sent{Msg: servertest.AckLine("1"), Code: 0, Last: false}, servertest.Sent{Msg: servertest.ChangedLine("1"), Code: 0, Last: false}, servertest.Sent{Msg: servertest.ListenEndLine("1"), Code: 0, Last: true}
	for _, test := range []struct {
		fail  string // the message that cannot be sent has this part
		steps string
		want  []servertest.Sent
		err   error
	}{
		{"", "close", []servertest.Sent{ack, end}, nil},
		{"", "change pause close", []servertest.Sent{ack, told, end}, nil},
		{"", "change close", []servertest.Sent{ack, told, end}, nil},
		{"", "abort", []servertest.Sent{ack}, servertest.ErrDisk},
		{"", "change abort", []servertest.Sent{ack}, servertest.ErrDisk},
		{"", "cancel", []servertest.Sent{ack}, rpc.ErrCanceled},
		{"", "change cancel", []servertest.Sent{ack}, rpc.ErrCanceled},
		{"acknowledged", "", nil, servertest.ErrDisk},
		{"list_changed", "change", []servertest.Sent{ack}, servertest.ErrDisk},
		{"resultType", "close", []servertest.Sent{ack}, servertest.ErrDisk},
	} {
		for _, of := range []string{"session", "server"} {
			if strings.Contains(test.steps, "cancel") && of == "server" {
				continue
			}
			servertest.InBubble(t, test.fail+" "+test.steps+" of a "+of, func(t *testing.T) {
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
							return servertest.ErrDisk
						}
						return nil
					})
					for step := range strings.FieldsSeq(test.steps) {
						synctest.Wait()
						switch step {
						case "change":
							assert.NoError(t, reg.Set(servertest.TextPrompt("text", "x")))
						case "pause":
							time.Sleep(notify.MinPause)
						case "close":
							close(b.closing)
						case "abort":
							b.cancel(servertest.ErrDisk)
						case "cancel":
							servertest.AnswerTo(t, nil, b.session, servertest.CancelLine("1"))
						}
					}
					assert.ErrorIs(t, <-b.done, test.err)
					assert.Equal(t, test.want, b.received())
					servertest.AssertNoTrace(t, s)
					if session != nil {
						assert.Empty(t, servertest.SessionLeftovers(session))
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
	servertest.Bubble(t, func(t *testing.T) {
		reg := new(prompts.Registry)
		s := prompts.MustNewServer(reg, prompts.Options{})
		c := servertest.Connect(t, s).Listen("1")
		hold := make(chan struct{})
		c.Wire.OnWrite = func(context.Context, []byte) error { <-hold; return nil }
		reg.MustAdd(servertest.TextPrompt("new", "x"))
		time.Sleep(notify.MinPause)
		synctest.Wait()
		reg.MustAdd(servertest.TextPrompt("newer", "x"))
		assert.Empty(t, c.Ask(servertest.CancelLine("1")))
		close(hold)
		time.Sleep(time.Hour)
		assert.Equal(t, []string{servertest.ChangedLine("1")}, c.Received())
		require.NoError(t, c.End())
		assert.Empty(t, c.Received())
		servertest.AssertNoTrace(t, s)
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
		empty := servertest.EnvelopedLine("1", "subscriptions/listen", `"notifications":{}`)
		require.NoError(t, session.Handle(t.Context(), []byte(empty), transport.Exchange{Send: func(_ []byte, _ transport.Code, last bool) error {
			if last {
				r := &servertest.Recorder{T: t}
				assert.NoError(t, session.Handle(t.Context(), r.Hear(nil, empty), transport.Exchange{Send: r.Send}))
				next = r.Messages[0].Msg
			}
			return nil
		}}))
		session.Close()
		require.Equal(t, servertest.EmptyAckLine("1"), next)
	}
}
