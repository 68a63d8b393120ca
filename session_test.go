package prompts

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHandleAnswersBeforeItReturns(t *testing.T) {
	t.Parallel()
	s := NewServer(registryOf(textPrompt("text", "hi"), rendered("faulty", func(context.Context) (*Result, error) { return nil, errDisk })), Options{})
	session := newSession(t, s)
	for _, test := range []struct {
		msg  string
		want []sent
	}{
		{pingLine("1"), []sent{{pongLine("1"), 0, true}}},
		{getLine("2", "text"), []sent{{textLine("2", "hi"), 0, true}}},
		{getLine("3", "faulty"), []sent{{errorLine("3", CodeInternalError, "the prompt could not be rendered"), CodeInternalError, true}}},
		{`{`, []sent{{errorLine("", CodeParseError, "parse error: invalid JSON at byte 1: unexpected end of text"), CodeParseError, true}}},
		{`[]`, []sent{{errorLine("", CodeInvalidRequest, "a batch is not part of this protocol revision"), CodeInvalidRequest, true}}},
		{`{"jsonrpc":"2.0","id":4,"method":"prompts/get"}`, []sent{{errorLine("4", CodeInvalidParams, "params are required, an object"), CodeInvalidParams, true}}},
		{initializedLine, nil},
		{`{"jsonrpc":"2.0","id":5,"result":{}}`, nil},
	} {
		r := &recorder{t: t}
		require.NoError(t, session.Handle(t.Context(), r.hear(session, test.msg), Exchange{Send: r.send}), test.msg)
		assert.Equal(t, test.want, r.messages, test.msg)
	}
	r := &recorder{t: t}
	require.NoError(t, session.Handle(t.Context(), r.hear(session, `{"jsonrpc":"2.0","id":1,"method":"no/such"}`), Exchange{Send: r.send}))
	require.Len(t, r.messages, 1)
	assert.Equal(t, CodeMethodNotFound, r.messages[0].code)
}

func TestHandleReturnsTheErrorOfSend(t *testing.T) {
	t.Parallel()
	s := NewServer(registryOf(
		textPrompt("text", "hi"),
		rendered("faulty", func(context.Context) (*Result, error) { return nil, errors.New("a secret") }),
	), Options{MaxConcurrent: 1, MaxMessageBytes: 200})
	session := newSession(t, s)
	for _, msg := range []string{
		pingLine("1"), getLine("2", "text"), getLine("3", "faulty"), getLine("4", "none"), "[", "1", `{"id":1}`, strings.Repeat(" ", 201),
	} {
		r := &recorder{t: t, fail: errDisk}
		assert.Equal(t, errDisk, session.Handle(t.Context(), r.hear(session, msg), Exchange{Send: r.send}), msg)
		assert.NoError(t, session.Handle(t.Context(), r.hear(session, initializedLine), Exchange{Send: r.send}), "nothing is sent")
	}
	// Nothing is left behind: not the id, not the slot.
	got, err := handle(t, s, session, getLine("2", "text"))
	require.NoError(t, err)
	assert.Equal(t, textLine("2", "hi"), got)
	assert.Zero(t, s.limit.inside())
	assert.Zero(t, session.answers.wait(t.Context()))
}

// Server.Handle is for the revision without sessions, and refuses what needs
// one (GAP-07).
func TestHandleWithoutSession(t *testing.T) {
	t.Parallel()
	s := NewServer(registryOf(textPrompt("text", "hi")), Options{})
	for msg, code := range map[string]Code{
		initializeLine:       CodeInvalidParams,
		pingLine("1"):        CodeInvalidParams,
		getLine("1", "text"): CodeInvalidParams,
		`{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`: CodeInvalidParams,
		`{"jsonrpc":"2.0","id":1,"method":"no/such"}`:      CodeMethodNotFound,
		`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`: 0,
		"{":  CodeParseError,
		"[]": CodeInvalidRequest,
	} {
		r := &recorder{t: t}
		require.NoError(t, s.Handle(t.Context(), r.hear(nil, msg), Exchange{Send: r.send}))
		if assert.Len(t, r.messages, 1, msg) {
			assert.Equal(t, code, r.messages[0].code, msg)
		}
	}
	for _, msg := range []string{initializedLine, cancelLine("1")} {
		got, err := handle(t, s, nil, msg)
		require.NoError(t, err)
		assert.Empty(t, got)
	}
}

// HTO-08, HTO-09, GAP-32: what has no answer is accepted, or Handle says why it
// is not.
func TestUnaccepted(t *testing.T) {
	t.Parallel()
	s := NewServer(registryOf(textPrompt("text", "hi")), Options{})
	session := sessionIn(t, s, batchVersion)
	detached := s.NewSession(SessionOptions{Version: batchVersion, Detached: true})
	defer detached.Close()
	const (
		response = `{"jsonrpc":"2.0","id":"prompts-1","result":{}}`
		failure  = `{"jsonrpc":"2.0","id":"prompts-1","error":{"code":1,"message":"m"}}`
		old      = `{"jsonrpc":"1.0","method":"notifications/initialized"}`
		twice    = `{"jsonrpc":"2.0","method":"notifications/initialized","method":"notifications/initialized"}`
		both     = `{"jsonrpc":"2.0","id":"1","result":{},"error":{"code":1,"message":"m"},"result":{}}`
	)
	for _, test := range []struct {
		msg                        string
		stateless, live, detachedA bool // accepted there
	}{
		{initializedLine, true, true, true},
		{cancelLine("1"), true, true, true},
		{response, false, true, false},
		{failure, false, true, false},
		{old, false, false, false},
		{twice, false, false, false},
		{both, false, false, false},
	} {
		for _, at := range []struct {
			session *Session
			ok      bool
		}{{nil, test.stateless}, {session, test.live}, {detached, test.detachedA}} {
			messages := []string{test.msg}
			if at.session != nil && test.msg != twice && test.msg != both { // which are not even a batch
				messages = append(messages, "["+test.msg+"]")
			}
			for _, msg := range messages {
				got, err := handle(t, s, at.session, msg)
				assert.Empty(t, got, msg)
				if at.ok {
					assert.NoError(t, err, msg)
					continue
				}
				var why *Error
				if assert.ErrorAs(t, err, &why, msg) {
					assert.Equal(t, CodeInvalidRequest, why.Code, msg)
				}
			}
		}
	}

	// One that can be accepted does not make up for one that cannot; a request
	// does: its answer is the answer.
	_, err := handle(t, s, session, "["+initializedLine+","+old+","+initializedLine+"]")
	assert.Error(t, err)
	got, err := handle(t, s, session, "["+old+","+pingLine("1")+"]")
	assert.NoError(t, err)
	assert.Equal(t, `[{"jsonrpc":"2.0","id":1,"result":{}}]`, got)

	// A transport's own refusal comes back to it.
	refusal := &Error{Code: CodeInvalidRequest, Message: "no"}
	err = s.Handle(t.Context(), []byte(initializedLine), Exchange{
		Session: func(Envelope) (*Session, *Error) { return nil, refusal },
		Send:    func([]byte, Code, bool) error { return errDisk },
	})
	var why *Error
	require.ErrorAs(t, err, &why)
	assert.Same(t, refusal, why)
}

// GAP-10: where a transport compares what it has of a layer of its own.
func TestCheck(t *testing.T) {
	t.Parallel()
	const enveloped = `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"text","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	for _, test := range []struct {
		name string
		msg  string
		want []Envelope
		code Code
	}{
		{"a request of the handshake era", getLine("1", "text"), []Envelope{
			{Method: "prompts/get", Name: "text"}, {Method: "prompts/get", Name: "text", Routing: true},
		}, 0},
		{"without a name", pingLine("1"), []Envelope{{Method: "ping"}, {Method: "ping", Routing: true}}, 0},
		{"a name that is none", `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":1}}`, []Envelope{
			{Method: "prompts/get"}, {Method: "prompts/get", Routing: true},
		}, CodeInvalidParams},
		{"before an unknown method", `{"jsonrpc":"2.0","id":1,"method":"no/such"}`, []Envelope{
			{Method: "no/such"}, {Method: "no/such", Routing: true},
		}, CodeMethodNotFound},
		// The version is compared before it is known to be unsupported.
		{"a request of the stateless era", enveloped, []Envelope{
			{Version: "2026-07-28", Method: "prompts/get", Name: "text"},
			{Version: "2026-07-28", Method: "prompts/get", Name: "text", Routing: true},
		}, 0},
		// What is missing in the envelope comes between the two.
		{"no client capabilities", strings.Replace(enveloped, `,"io.modelcontextprotocol/clientCapabilities":{}`, "", 1), []Envelope{
			{Version: "2026-07-28", Method: "prompts/get", Name: "text"},
		}, CodeInvalidParams},
		{"an unknown version", strings.Replace(enveloped, "2026-07-28", "v999", 1), []Envelope{
			{Version: "v999", Method: "prompts/get", Name: "text"},
		}, CodeUnsupportedVersion},
		{"a version that is none", strings.Replace(enveloped, `"2026-07-28"`, "1", 1), nil, CodeInvalidParams},
		{"no request", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, nil, CodeInvalidRequest},
		{"no JSON", `{`, nil, CodeParseError},
		{"a notification", initializedLine, nil, 0},
		{"a response", `{"jsonrpc":"2.0","id":1,"result":{}}`, nil, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			session := newSession(t, NewServer(registryOf(textPrompt("text", "hi")), Options{}))
			var got []Envelope
			r := &recorder{t: t}
			err := session.Handle(t.Context(), r.hear(session, test.msg), Exchange{Send: r.send, Check: func(e Envelope) *Error {
				assert.Empty(t, r.messages, "checked after the answer")
				got = append(got, e)
				return nil
			}})
			require.NoError(t, err)
			for i := range got {
				assert.True(t, got[i].Request)
				got[i].Request = false
			}
			assert.Equal(t, test.want, got)
			if len(r.messages) > 0 {
				assert.Equal(t, test.code, r.messages[0].code)
			}
			// What Check refuses is refused with its error, the first time and
			// the second, and goes no further.
			for i := range test.want {
				calls := 0
				r := &recorder{t: t}
				err := session.Handle(t.Context(), r.hear(session, test.msg), Exchange{Send: r.send, Check: func(Envelope) *Error {
					if calls++; calls == i+1 {
						return &Error{Code: -32020, Message: "header mismatch", Data: map[string]int{"call": i}}
					}
					return nil
				}})
				require.NoError(t, err)
				assert.Equal(t, i+1, calls)
				assert.Equal(t, []sent{{fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"header mismatch","data":{"call":%d}}}`, i), -32020, true}}, r.messages)
			}
		})
	}
}

func TestHandleRendersOnTheCallersGoroutine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := NewServer(registryOf(sleeper("deaf", 24*time.Hour)), Options{})
		session := newSession(t, s)
		began := time.Now()
		got, err := handle(t, s, session, getLine("1", "deaf"))
		require.NoError(t, err)
		assert.Equal(t, textLine("1", "slept"), got, "Handle has no time limit")
		assert.Equal(t, 24*time.Hour, time.Since(began))
	})
}

func TestHandleOfACancelledRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWaiter()
		s := NewServer(registryOf(w.prompt("wait"), sleeper("deaf", time.Minute)), Options{MaxConcurrent: 1})
		session := newSession(t, s)
		for _, prompt := range []string{"wait", "deaf"} {
			done := make(chan error)
			go func() {
				got, err := handle(t, s, session, getLine("1", prompt))
				assert.Empty(t, got)
				done <- err
			}()
			synctest.Wait()
			got, err := handle(t, s, session, cancelLine("1"))
			require.NoError(t, err)
			assert.Empty(t, got)
			err = <-done
			assert.ErrorIs(t, err, context.Canceled, prompt)
			assert.ErrorIs(t, err, errCancelled, prompt)
		}
		assert.ErrorIs(t, <-w.causes, errCancelled)
		assert.Zero(t, session.answers.wait(t.Context()))
	})
}

// The caller's context is the only limit that Handle has.
func TestHandleWhenItsContextEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var j journal
		w := newWaiter()
		s := NewServer(registryOf(w.prompt("wait"), sleeper("deaf", time.Minute)), Options{MaxConcurrent: 1, Logger: j.logger()})
		session := newSession(t, s)
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errDisk)
		defer cancel()

		r := &recorder{t: t}
		running := make(chan error)
		go func() { running <- session.Handle(ctx, r.hear(session, getLine("1", "wait")), Exchange{Send: r.send}) }()
		synctest.Wait()
		waiting := make(chan error)
		go func() { waiting <- session.Handle(ctx, r.hear(session, getLine("2", "wait")), Exchange{Send: r.send}) }()
		synctest.Wait()
		assert.ErrorIs(t, <-running, errDisk)
		assert.ErrorIs(t, <-waiting, errDisk)
		assert.Empty(t, r.messages, "nobody waits for the answer")
		assert.EqualValues(t, 1, w.started.Load())
		assert.NotContains(t, j.String(), "level=ERROR")

		// The ids are free, nothing is under way.
		assert.Zero(t, session.answers.wait(t.Context()))
		got, err := handle(t, s, session, pingLine("1"))
		require.NoError(t, err)
		assert.Equal(t, pongLine("1"), got)

		// A render that comes to a result all the same has its answer.
		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.NoError(t, session.Handle(ctx, r.hear(session, getLine("3", "deaf")), Exchange{Send: r.send}))
		assert.Equal(t, []sent{{textLine("3", "slept"), 0, true}}, r.messages)
	})
}

func TestHandleInParallel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWaiter()
		s := NewServer(registryOf(w.prompt("wait"), textPrompt("text", "hi")), Options{MaxConcurrent: 2})
		session := newSession(t, s)
		answers := make(chan string, 100)
		for i := range 4 {
			go func() {
				got, err := handle(t, s, session, getLine(fmt.Sprint(i), "wait"))
				assert.NoError(t, err)
				answers <- got
			}()
		}
		synctest.Wait()
		// Busy is said at once, without patience: it is the caller's own goroutine.
		got, err := handle(t, s, session, getLine("5", "wait"))
		require.NoError(t, err)
		assert.Equal(t, errorLine("5", CodeInternalError, busy().Message), got)
		// GAP-17
		got, err = handle(t, s, session, getLine("3", "text"))
		require.NoError(t, err)
		assert.Equal(t, errorLine("3", CodeInvalidRequest, errInFlight.Message), got)
		got, err = handle(t, s, session, pingLine("6"))
		require.NoError(t, err)
		assert.Equal(t, pongLine("6"), got)
		for range 4 {
			w.let <- struct{}{}
			assert.Contains(t, <-answers, "let go")
		}
	})
}

// Requests with one id at the same time: one is served.
func TestOneIDAtATime(t *testing.T) {
	t.Parallel()
	for range 50 {
		synctest.Test(t, func(t *testing.T) {
			w := newWaiter()
			s := NewServer(registryOf(w.prompt("wait")), Options{})
			session := newSession(t, s)
			var refused, served atomic.Int32
			for range 8 {
				go func() {
					got, err := handle(t, s, session, getLine("1", "wait"))
					assert.NoError(t, err)
					switch {
					case strings.Contains(got, errInFlight.Message):
						refused.Add(1)
					case strings.Contains(got, "let go"):
						served.Add(1)
					}
				}()
			}
			synctest.Wait()
			w.let <- struct{}{}
			synctest.Wait()
			assert.EqualValues(t, 7, refused.Load())
			assert.EqualValues(t, 1, served.Load())
			assert.Zero(t, s.limit.inside())
		})
	}
}

// Between the check and the start, another one may have come.
func TestBeginChecksAgain(t *testing.T) {
	t.Parallel()
	session := newSession(t, NewServer(nil, Options{}))
	one, other := &task{key: "1", session: session}, &task{key: "1", session: session}
	require.Nil(t, session.begin(one))
	assert.Equal(t, errInFlight, session.begin(other))
	session.Close()
	assert.Equal(t, errClosed, session.begin(other))
	assert.Zero(t, session.answers.wait(t.Context()))
}

func TestSessionClose(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWaiter()
		reg := registryOf(w.prompt("wait"), sleeper("deaf", time.Minute))
		s := NewServer(reg, Options{MaxConcurrent: 2})
		session := newSession(t, s)
		errs := make(chan error, 3)
		for i, prompt := range []string{"wait", "deaf", "wait"} {
			go func() {
				got, err := handle(t, s, session, getLine(fmt.Sprint(i), prompt))
				assert.Empty(t, got, "it is not answered")
				errs <- err
			}()
			synctest.Wait()
		}
		notified := make(chan error)
		go func() { notified <- session.Notifications(t.Context(), func([]byte) error { return errDisk }) }()
		synctest.Wait()
		session.Close()
		assert.NoError(t, <-notified)
		assert.ErrorIs(t, <-w.causes, errSessionClosed)
		assert.Equal(t, errSessionClosed, <-errs)
		assert.Equal(t, errSessionClosed, <-errs)
		session.Close()
		assert.Equal(t, errSessionClosed, <-errs, "the one that did not stop")
		assert.Empty(t, reg.subscribers)
		assert.Zero(t, session.answers.wait(t.Context()))
		assert.Zero(t, s.limit.inside())

		// Afterwards it refuses everything, and ignores what it cannot refuse.
		for _, msg := range []string{getLine("1", "deaf"), pingLine("1"), initializeLine, `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`} {
			got, err := handle(t, s, session, msg)
			require.NoError(t, err)
			assert.Contains(t, got, `"error":{"code":-32600,"message":"the session is closed"}`)
		}
		for _, msg := range []string{initializedLine, cancelLine("1")} {
			got, err := handle(t, s, session, msg)
			require.NoError(t, err)
			assert.Empty(t, got)
		}
		assert.NoError(t, session.Notifications(t.Context(), func([]byte) error { return errDisk }))
	})
}

func TestSessionClosedBeforeItBegan(t *testing.T) {
	t.Parallel()
	reg := new(Registry)
	s := NewServer(reg, Options{})
	session := s.NewSession(SessionOptions{})
	session.Close()
	got, err := handle(t, s, session, initializeLine)
	require.NoError(t, err)
	assert.Contains(t, got, "the session is closed")
	assert.NoError(t, session.Notifications(t.Context(), func([]byte) error { return errDisk }))
	assert.Empty(t, reg.subscribers)
}

// listener calls Notifications and counts what it sends.
type listener struct {
	session *Session
	count   atomic.Int32
	fail    error
	done    chan error
}

func hear(ctx context.Context, s *Session) *listener {
	l := &listener{session: s, done: make(chan error, 1)}
	go func() {
		l.done <- s.Notifications(ctx, func(msg []byte) error {
			if string(msg) != listChangedLine {
				return fmt.Errorf("not a list_changed: %s", msg)
			}
			if l.fail != nil {
				return l.fail
			}
			l.count.Add(1)
			told(s, msg)
			return nil
		})
	}()
	return l
}

// LCH-01, LIF-15, GAP-08, GAP-28
func TestNotifications(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reg := new(Registry)
		change := func() {
			t.Helper()
			require.NoError(t, reg.Set(textPrompt("text", "hi")))
		}
		s := NewServer(reg, Options{})
		session := s.NewSession(SessionOptions{})
		l := hear(t.Context(), session)
		say := func(msg string) {
			t.Helper()
			_, err := handle(t, s, session, msg)
			require.NoError(t, err)
		}
		sentSoFar := func() int32 {
			time.Sleep(changeQuiet)
			synctest.Wait()
			return l.count.Load()
		}

		change()
		say(initializedLine) // too early, so it is none
		change()
		assert.Zero(t, sentSoFar(), "nobody has asked for a list yet")
		say(initializeLine)
		assert.Zero(t, sentSoFar())
		change()
		change()
		assert.Zero(t, sentSoFar(), "the client is not ready")
		say(initializedLine)
		assert.EqualValues(t, 1, sentSoFar(), "one for what was since initialize")
		change()
		assert.EqualValues(t, 2, sentSoFar())
		say(initializedLine)
		assert.EqualValues(t, 2, sentSoFar())

		session.Close()
		assert.NoError(t, <-l.done)
	})
}

func TestNotificationsAreKeptBetweenCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reg := new(Registry)
		s := NewServer(reg, Options{})
		session := newSession(t, s)
		change := func() { require.NoError(t, reg.Set(textPrompt("text", "hi"))) }

		ctx, cancel := context.WithCancel(t.Context())
		l := hear(ctx, session)
		synctest.Wait()
		cancel()
		assert.NoError(t, <-l.done, "the end of the context is no failure")
		for range 5 {
			change()
		}

		// Whatever cannot be sent is not lost, however often.
		for range 3 {
			l := &listener{fail: errDisk}
			err := session.Notifications(t.Context(), func([]byte) error { return l.fail })
			assert.Equal(t, errDisk, err)
		}
		l = hear(t.Context(), session)
		time.Sleep(changeQuiet)
		synctest.Wait()
		assert.EqualValues(t, 1, l.count.Load(), "one for all of them")
		change()
		time.Sleep(changeQuiet)
		synctest.Wait()
		assert.EqualValues(t, 2, l.count.Load())
		session.Close()
		assert.NoError(t, <-l.done)
	})
}

// LCH-02
func TestNoListChanged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reg := new(Registry)
		s := NewServer(reg, Options{NoListChanged: true})
		session := s.NewSession(SessionOptions{})
		got, err := handle(t, s, session, initializeLine)
		require.NoError(t, err)
		assert.Contains(t, got, `"capabilities":{"completions":{},"prompts":{}}`)
		_, err = handle(t, s, session, initializedLine)
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		l := hear(ctx, session)
		require.NoError(t, reg.Set(textPrompt("text", "hi")))
		synctest.Wait()
		assert.Zero(t, l.count.Load())
		assert.Empty(t, reg.subscribers)
		cancel()
		assert.NoError(t, <-l.done)
		session.Close()
	})
}

func TestNotificationsEndBeforeTheClientIsReady(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		session := NewServer(nil, Options{}).NewSession(SessionOptions{})
		ctx, cancel := context.WithCancel(t.Context())
		l := hear(ctx, session)
		synctest.Wait()
		cancel()
		assert.NoError(t, <-l.done)
		l = hear(t.Context(), session)
		synctest.Wait()
		session.Close()
		assert.NoError(t, <-l.done)
	})
}

// The message belongs to the caller: it may be reused once Handle returns, or
// even changed while it runs by the render.
func TestHandleKeepsNothingOfTheMessage(t *testing.T) {
	t.Parallel()
	msg := []byte(`{"jsonrpc":"2.0","id":"abc","method":"prompts/get","params":{"name":"echo","arguments":{"a":"value"}}}`)
	reg := registryOf(Prompt{Name: "echo", Arguments: []Argument{{Name: "a"}}, Render: func(_ context.Context, args map[string]string) (*Result, error) {
		clear(msg)
		return Messages(User(args["a"])), nil
	}})
	s := NewServer(reg, Options{})
	session := newSession(t, s)
	r := &recorder{t: t}
	r.hear(session, string(msg))
	require.NoError(t, session.Handle(t.Context(), msg, Exchange{Send: r.send}))
	assert.Equal(t, []sent{{textLine(`"abc"`, "value"), 0, true}}, r.messages)
}

// Answers come from pooled buffers: what one render sends, another must not
// see, nor must a large one be kept.
func TestAnswersDoNotMix(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("x", 2*maxPooledBuffer)
	s := NewServer(registryOf(textPrompt("large", large), textPrompt("small", "s")), Options{})
	session := newSession(t, s)
	for range 10 {
		for prompt, text := range map[string]string{"large": large, "small": "s"} {
			got, err := handle(t, s, session, getLine("1", prompt))
			require.NoError(t, err)
			assert.Equal(t, textLine("1", text), got)
		}
	}
	for range 100 {
		b := takeBuffer()
		assert.LessOrEqual(t, cap(*b), maxPooledBuffer)
		assert.Empty(t, *b)
	}
}

// What a request allocates: a bound for each kind, which is what it takes now.
func TestHandleAllocations(t *testing.T) {
	reg := registryOf(textPrompt("text", "hi"))
	for i := range 100 {
		reg.MustAdd(textPrompt(fmt.Sprint("prompt", i), "x"))
	}
	reg.MustAdd(New(Prompt{Name: "code_review"}, func(_ context.Context, in benchReview) (*Result, error) {
		return Messages(User("Please review this code:\n" + in.Code)), nil // 4 of them
	}))
	session := newSession(t, NewServer(reg, Options{}))
	x := Exchange{Send: func([]byte, Code, bool) error { return nil }}
	for _, test := range []struct {
		msg  string
		most float64
	}{
		{pingLine("1"), 1},
		{`{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`, 2},
		{getRequest, 9},
	} {
		raw, ctx := []byte(test.msg), t.Context()
		n := testing.AllocsPerRun(200, func() {
			if err := session.Handle(ctx, raw, x); err != nil {
				t.Error(err)
			}
		})
		if !raceEnabled { // the race detector allocates, and drops what is pooled
			assert.LessOrEqual(t, n, test.most, test.msg)
		}
	}
}
