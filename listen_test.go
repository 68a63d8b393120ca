package prompts_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/notify"
	"github.com/mcp-prompts/prompts/transport"
)

// SUB-01…03, SUB-06, GAP-25…27: what a filter asks for and what it gets.
func TestListenFilter(t *testing.T) {
	t.Parallel()
	const own, none = `"promptsListChanged":true`, ""
	told, silent := prompts.Options{}, prompts.Options{DisableListChanged: true}
	for _, test := range []struct {
		notifications string // the member, or empty for none
		options       prompts.Options
		honoured      string // what the acknowledgement repeats
		refused       string // or what is wrong with it
	}{
		{`{"promptsListChanged":true}`, told, own, ""},
		{`{"promptsListChanged":true,"toolsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["a:b"],"other":{}}`, told, own, ""},
		{`{"promptsListChanged":true,"toolsListChanged":null,"resourcesListChanged":null,"resourceSubscriptions":null}`, told, own, ""},
		{`{"promptsListChanged":false}`, told, none, ""},
		{`{"promptsListChanged":null}`, told, none, ""},
		{`{}`, told, none, ""},
		{`{"toolsListChanged":true,"resourceSubscriptions":[]}`, told, none, ""},
		{`{"promptsListChanged":true}`, silent, none, ""},
		{`{}`, silent, none, ""},

		{``, told, "", "notifications are required, an object"},
		{`null`, told, "", "notifications are required, an object"},
		{`true`, told, "", "notifications are required, an object"},
		{`["promptsListChanged"]`, silent, "", "notifications are required, an object"},
		{`{"promptsListChanged":1}`, told, "", `notifications: "promptsListChanged" must be a boolean`},
		{`{"promptsListChanged":"true"}`, silent, "", `notifications: "promptsListChanged" must be a boolean`},
		{`{"toolsListChanged":{}}`, told, "", `notifications: "toolsListChanged" must be a boolean`},
		{`{"resourcesListChanged":[]}`, told, "", `notifications: "resourcesListChanged" must be a boolean`},
		{`{"resourceSubscriptions":"a:b"}`, told, "", `notifications: "resourceSubscriptions" must be an array of strings`},
		{`{"resourceSubscriptions":["a:b",1]}`, told, "", `notifications: "resourceSubscriptions" must be an array of strings`},
		{`{"PromptsListChanged":true}`, told, "", `notifications: "PromptsListChanged" must be written "promptsListChanged"`},
	} {
		t.Run(test.notifications, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				reg := new(prompts.Registry)
				s := prompts.NewServer(reg, test.options)
				c := connect(t, s)
				members := ""
				if test.notifications != "" {
					members = `"notifications":` + test.notifications
				}
				got := c.ask(envelopedLine("1", "subscriptions/listen", members))
				switch {
				case test.refused != "":
					// Nothing comes before the refusal.
					require.Len(t, got, 1)
					assert.Equal(t, errorResponse("1", invalidParam("notifications", test.refused)), got[0])
				case test.honoured != "":
					assert.Equal(t, []string{ackLine("1")}, got)
					assert.NoError(t, reg.Set(textPrompt("text", "x")))
					time.Sleep(notify.MinPause)
					assert.Equal(t, []string{changedLine("1")}, c.received())
				default:
					assert.Equal(t, []string{emptyAckLine("1"), listenEndLine("1"), cancelLine("1")}, got)
				}
				require.NoError(t, c.end())
				assertNoTrace(t, s)
			})
		})
	}
}

// There is no subscriptions/listen in the handshake era (CPT-10).
func TestListenIsOfTheStatelessEra(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(nil, prompts.Options{})
	for _, version := range handshakeVersions {
		session := sessionIn(t, s, version)
		got, err := handle(t, s, session, `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"promptsListChanged":true}}}`)
		require.NoError(t, err)
		assert.Contains(t, got, `"code":-32601`)
		session.Close()
	}
	assertNoTrace(t, s)
}

// SUB-04, SUB-07, LCH-06: the acknowledgement is the first message, however
// soon changes come, and a change since the request is not lost. Ids are
// repeated as they were written.
func TestListenAcknowledgesFirst(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"1", "-7", "123456789012345678901234567890", `"1"`, `"\u0061\/\n"`, `""`} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				reg := new(prompts.Registry)
				s := prompts.NewServer(reg, prompts.Options{})
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
				c := connectWire(t, s, w)
				assert.Empty(t, c.ask(listenLine(id)))
				time.Sleep(2 * time.Minute)
				assert.Equal(t, []string{ackLine(id), changedLine(id)}, c.received())
				require.NoError(t, c.end())
				assert.Equal(t, []string{listenEndLine(id), cancelLine(id)}, c.received(), "SUB-11, SUB-12, SUB-13, GAP-24, GAP-48")
			})
		})
	}
}

// The same with changes that never end, in any interleaving.
func TestListenAmidChanges(t *testing.T) {
	t.Parallel()
	reg := new(prompts.Registry)
	s := prompts.NewServer(reg, prompts.Options{})
	stop := make(chan struct{})
	var changing sync.WaitGroup
	changing.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				assert.NoError(t, reg.Set(textPrompt("text", "x")))
				runtime.Gosched()
			}
		}
	})
	for i := range 10 {
		closing := make(chan struct{})
		r := &recorder{t: t}
		var once sync.Once
		x := transport.Exchange{Done: closing, Send: func(msg []byte, code prompts.Code, last bool) error {
			if i%2 == 0 {
				once.Do(func() { close(closing) })
			} else if strings.Contains(string(msg), "list_changed") {
				once.Do(func() { close(closing) })
			}
			return r.send(msg, code, last)
		}}
		require.NoError(t, s.Handle(t.Context(), r.hear(nil, listenLine("1")), x))
		require.GreaterOrEqual(t, len(r.messages), 2+i%2)
		assert.Equal(t, sent{ackLine("1"), 0, false}, r.messages[0])
		assert.Equal(t, sent{listenEndLine("1"), 0, true}, r.messages[len(r.messages)-1])
		for _, m := range r.messages[1 : len(r.messages)-1] {
			assert.Equal(t, sent{changedLine("1"), 0, false}, m)
		}
	}
	close(stop)
	changing.Wait()
	assertNoTrace(t, s)
}

// subscription is a call of Handle with a request of subscriptions/listen.
type subscription struct {
	session transport.Session // may be nil
	closing chan struct{}
	cancel  context.CancelCauseFunc
	done    chan error
	said    *transcript

	mu   sync.Mutex // protects the fields below
	got  []sent
	fail func(msg string) error
}

func (b *subscription) send(msg []byte, code prompts.Code, last bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fail != nil {
		if err := b.fail(string(msg)); err != nil {
			return err
		}
	}
	b.said.add(true, string(msg))
	b.got = append(b.got, sent{string(msg), code, last})
	return nil
}

func (b *subscription) received() []sent {
	synctest.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	got := b.got
	b.got = nil
	return got
}

func subscribe(t testing.TB, s *prompts.Server, session transport.Session, fail func(string) error) *subscription {
	ctx, cancel := context.WithCancelCause(t.Context())
	b := &subscription{session: session, closing: make(chan struct{}), cancel: cancel, done: make(chan error, 1), fail: fail, said: transcriptOf(t, session)}
	b.said.add(false, listenLine("1"))
	x := transport.Exchange{Send: b.send, Done: b.closing}
	go func() {
		if session != nil {
			b.done <- session.Handle(ctx, []byte(listenLine("1")), x)
		} else {
			b.done <- s.Handle(ctx, []byte(listenLine("1")), x)
		}
	}()
	return b
}

// failAt is a Send that fails for one kind of message.
func failAt(part string) func(string) error {
	return func(msg string) error {
		if strings.Contains(msg, part) {
			return errDisk
		}
		return nil
	}
}

// Handle returns when the subscription has ended, in each of the ways in which
// it can, and leaves nothing behind: with a quota of one, the next has its
// place. (SUB-10, SUB-11, CAN-02, CAN-03)
func TestListenThroughHandle(t *testing.T) {
	t.Parallel()
	ack, told, end := sent{ackLine("1"), 0, false}, sent{changedLine("1"), 0, false}, sent{listenEndLine("1"), 0, true}
	for _, test := range []struct {
		name  string
		fail  func(string) error
		end   func(t *testing.T, b *subscription, change func())
		want  []sent
		err   error
		alone bool // it is for sessions only
	}{
		{name: "closing", want: []sent{ack, end},
			end: func(_ *testing.T, b *subscription, _ func()) { close(b.closing) }},
		{name: "closing after a change", want: []sent{ack, told, end},
			end: func(_ *testing.T, b *subscription, change func()) {
				change()
				time.Sleep(notify.MinPause)
				synctest.Wait()
				close(b.closing)
			}},
		{name: "closing in a burst", want: []sent{ack, told, end},
			end: func(_ *testing.T, b *subscription, change func()) {
				change()
				synctest.Wait()
				close(b.closing)
			}},
		{name: "its context ends", want: []sent{ack}, err: errDisk,
			end: func(_ *testing.T, b *subscription, _ func()) { b.cancel(errDisk) }},
		{name: "its context ends in a burst", want: []sent{ack}, err: errDisk,
			end: func(_ *testing.T, b *subscription, change func()) {
				change()
				synctest.Wait()
				b.cancel(errDisk)
			}},
		{name: "the acknowledgement cannot be sent", err: errDisk, fail: failAt("acknowledged"),
			end: func(*testing.T, *subscription, func()) {}},
		{name: "a change cannot be sent", want: []sent{ack}, err: errDisk, fail: failAt("list_changed"),
			end: func(_ *testing.T, _ *subscription, change func()) { change() }},
		{name: "the answer cannot be sent", want: []sent{ack}, err: errDisk, fail: failAt("resultType"),
			end: func(_ *testing.T, b *subscription, _ func()) { close(b.closing) }},
		{name: "the client cancels", want: []sent{ack}, err: prompts.ErrCancelled, alone: true,
			end: func(t *testing.T, b *subscription, _ func()) {
				_, err := handle(t, nil, b.session, cancelLine("1"))
				assert.NoError(t, err)
			}},
		{name: "the client cancels in a burst", want: []sent{ack}, err: prompts.ErrCancelled, alone: true,
			end: func(t *testing.T, b *subscription, change func()) {
				change()
				synctest.Wait()
				_, err := handle(t, nil, b.session, cancelLine("1"))
				assert.NoError(t, err)
			}},
	} {
		for _, of := range []string{"session", "server"} {
			if test.alone && of == "server" {
				continue
			}
			t.Run(test.name+" of a "+of, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					reg := new(prompts.Registry)
					s := prompts.NewServer(reg, prompts.Options{Limits: prompts.Limits{MaxSubscriptions: 1, MaxSubscriptionsTotal: 1}})
					var session transport.Session
					if of == "session" {
						session = s.NewSession(transport.SessionOptions{})
						defer session.Close()
					}
					for range 3 {
						b := subscribe(t, s, session, test.fail)
						synctest.Wait()
						test.end(t, b, func() { assert.NoError(t, reg.Set(textPrompt("text", "x"))) })
						err := <-b.done
						if test.err == nil {
							assert.NoError(t, err)
						} else {
							assert.ErrorIs(t, err, test.err)
						}
						assert.Equal(t, test.want, b.received())
						assertNoTrace(t, s)
						if session != nil {
							assert.Empty(t, prompts.Peek(session).Leftovers())
						}
					}
					time.Sleep(time.Hour)
				})
			})
		}
	}
}

// One that cannot begin, because its connection ends or its filter is at
// fault, takes no place either.
func TestListenThatDoesNotBeginTakesNoPlace(t *testing.T) {
	t.Parallel()
	s := prompts.NewServer(nil, prompts.Options{Limits: prompts.Limits{MaxSubscriptions: 1, MaxSubscriptionsTotal: 1}})
	session := s.NewSession(transport.SessionOptions{})
	for range 3 {
		_, err := handle(t, s, session, envelopedLine("1", "subscriptions/listen", ""))
		require.NoError(t, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 3 {
		r := &recorder{t: t}
		assert.ErrorIs(t, session.Handle(ctx, r.hear(session, listenLine("1")), transport.Exchange{Send: r.send}), context.Canceled)
		assert.LessOrEqual(t, len(r.messages), 1, "the acknowledgement at most")
	}
	assertNoTrace(t, s)
	session.Close()
	got, err := handle(t, s, session, listenLine("1"))
	require.NoError(t, err)
	assert.Equal(t, errorResponse("1", errClosed), got)
	assertNoTrace(t, s)
}

// Session.Close ends subscriptions without an answer.
func TestSessionCloseEndsSubscriptions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := prompts.NewServer(nil, prompts.Options{})
		session := s.NewSession(transport.SessionOptions{})
		b := subscribe(t, s, session, nil)
		assert.Len(t, b.received(), 1)
		session.Close()
		assert.ErrorIs(t, <-b.done, prompts.ErrSessionClosed)
		assert.Empty(t, b.received())
		assertNoTrace(t, s)
	})
}

// A subscription is no render: it takes no turn from one, and a burst of them
// does not make the server busy.
func TestListenTakesNoTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reg := registryOf(textPrompt("text", "hi"))
		s := prompts.NewServer(reg, prompts.Options{Limits: prompts.Limits{MaxConcurrent: 1, MaxConcurrentTotal: 1}})
		c := connect(t, s).handshake().listen("1", "2", "3", "4", "5")
		assert.Equal(t, []string{textLine("6", "hi")}, c.ask(getLine("6", "text")))
		assert.Equal(t, []string{envelopedText("6", "hi")}, c.ask(envelopedGet("6", "text")))
		_, err := s.Call(t.Context(), "prompts/get", []byte(`{"name":"text"}`), prompts.CallOptions{})
		assert.NoError(t, err)
		// Its id is in flight all the same (GAP-17).
		assert.Equal(t, []string{errorResponse("1", errInFlight)}, c.ask(listenLine("1")))
		// Nor has it a time limit.
		time.Sleep(24 * time.Hour)
		assert.Empty(t, c.received())
		reg.MustAdd(textPrompt("new", "x"))
		time.Sleep(notify.MinPause)
		assert.Len(t, c.received(), 6)
		require.NoError(t, c.end())
	})
}

// SUB-09, LOG-08: nothing but changes travels on a subscription, even if its
// request asks for more.
func TestListenTellsNothingElse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reg := registryOf(rendered("reports", func(ctx context.Context) (*prompts.Result, error) {
			prompts.Progress(ctx, 1, 2, "half")
			return prompts.Messages(prompts.User("hi")), nil
		}))
		c := connect(t, prompts.NewServer(reg, prompts.Options{}))
		more := strings.Replace(listenLine("1"), `"_meta":{`, `"_meta":{"progressToken":"t","io.modelcontextprotocol/logLevel":"debug",`, 1)
		require.Equal(t, []string{ackLine("1")}, c.ask(more))
		assert.Equal(t, []string{envelopedText("2", "hi")}, c.ask(envelopedGet("2", "reports")))
		reg.MustAdd(textPrompt("new", "x"))
		time.Sleep(time.Hour)
		assert.Equal(t, []string{changedLine("1")}, c.received())
		require.NoError(t, c.end())
		assert.Equal(t, []string{listenEndLine("1"), cancelLine("1")}, c.received())
	})
}

// A transport that fails ends subscriptions as it ends everything else.
func TestListenOnATransportThatFails(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"acknowledged", "list_changed", "resultType", "cancelled"} {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				reg := new(prompts.Registry)
				s := prompts.NewServer(reg, prompts.Options{})
				w := newWire(t)
				w.onWrite = func(_ context.Context, msg []byte) error { return failAt(part)(string(msg)) }
				c := connectWire(t, s, w)
				for i := range 5 {
					c.send(listenLine(fmt.Sprint(i)))
				}
				synctest.Wait()
				began := time.Now()
				reg.MustAdd(textPrompt("new", "x"))
				if part == "resultType" || part == "cancelled" {
					c.cancel()
					assert.NoError(t, c.wait(), "it was told to end, and has")
				} else {
					assert.ErrorIs(t, c.wait(), errDisk)
				}
				assert.LessOrEqual(t, time.Since(began), notify.MinPause)
				assertNoTrace(t, s)
			})
		})
	}
}

// SUB-10, CAN-03: once a cancellation has been read, nothing more is sent for
// the subscription, even if a notification was about to be: it waits for the
// message before it, which the client does not take.
func TestCancelledSubscriptionThatWaitsToBeWritten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reg := registryOf(textPrompt("text", "hi"))
		c := connect(t, prompts.NewServer(reg, prompts.Options{})).listen("1", "2")
		hold, held := make(chan struct{}), make(chan struct{}, 1)
		c.wire.onWrite = func(context.Context, []byte) error {
			select {
			case held <- struct{}{}:
				<-hold
			default:
			}
			return nil
		}
		c.send(envelopedGet("3", "text"))
		synctest.Wait()
		require.Len(t, held, 1, "the answer is being written")
		reg.MustAdd(textPrompt("new", "x"))
		time.Sleep(notify.MinPause)
		// From here on both subscriptions wait for a mutex, which a bubble does
		// not count as being idle: so what is read is known by the next message.
		for _, msg := range []string{cancelLine("1"), initializedLine, initializedLine} {
			c.send(msg)
			for len(c.wire.in) > 0 {
				runtime.Gosched()
			}
		}
		close(hold)
		assert.Equal(t, []string{envelopedText("3", "hi"), changedLine("2")}, c.received())
		require.NoError(t, c.end())
		assert.Equal(t, []string{listenEndLine("2"), cancelLine("2")}, c.received())
	})
}

// The same for one whose own notification the client does not take: that one
// is out, and the last.
func TestSubscriptionCancelledInTheMidstOfAWrite(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reg := new(prompts.Registry)
		s := prompts.NewServer(reg, prompts.Options{})
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

// CAN-09: a cancellation that races the end of the server leaves a result, with
// what belongs to it, or nothing.
func TestCancellationRacesTheEndOfASubscription(t *testing.T) {
	t.Parallel()
	for range 100 {
		synctest.Test(t, func(t *testing.T) {
			s := prompts.NewServer(nil, prompts.Options{})
			session := s.NewSession(transport.SessionOptions{})
			defer session.Close()
			b := subscribe(t, s, session, nil)
			assert.Len(t, b.received(), 1)
			go close(b.closing)
			_, err := handle(t, s, session, cancelLine("1"))
			assert.NoError(t, err)
			switch err := <-b.done; {
			case err == nil:
				assert.Equal(t, []sent{{listenEndLine("1"), 0, true}}, b.received())
			case errors.Is(err, prompts.ErrCancelled):
				assert.Empty(t, b.received())
			default:
				assert.NoError(t, err)
			}
			assertNoTrace(t, s)
		})
	}
}
