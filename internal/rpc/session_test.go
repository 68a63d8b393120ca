package rpc_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/transport"
)

// HTO-08, HTO-09, GAP-32: what has no answer is accepted, or Handle says why it
// is not.
func TestUnaccepted(t *testing.T) {
	t.Parallel()
	s := prompts.MustNewServer(servertest.RegistryOf(servertest.TextPrompt("text", "hi")), prompts.Options{})
	session := servertest.SessionIn(t, s, servertest.BatchVersion)
	detached := s.NewSession(transport.SessionOptions{Version: servertest.BatchVersion, NoServerMessages: true})
	defer detached.Close()
	for _, row := range servertest.Table(t, "unaccepted", 2) {
		for name, at := range map[string]transport.Session{"server": nil, "session": session, "detached": detached} {
			messages := []string{row[0]}
			isDuplicate := strings.Count(row[0], `"method"`) > 1 || strings.Count(row[0], `"result"`) > 1 // which no batch is read with
			if at != nil && !isDuplicate {
				messages = append(messages, servertest.BatchLine(row[0]))
			}
			for _, msg := range messages {
				got, err := servertest.Handle(t, s, at, msg)
				assert.Empty(t, got, msg)
				if strings.Contains(row[1], name) {
					assert.NoError(t, err, msg)
					continue
				}
				var why *prompts.Error
				if assert.ErrorAs(t, err, &why, msg) {
					assert.Equal(t, transport.CodeInvalidRequest, why.Code, msg)
				}
			}
		}
	}

	const old = `{"jsonrpc":"1.0","method":"notifications/initialized"}`
	// One that can be accepted does not make up for one that cannot; a request
	// does: its answer is the answer.
	_, err := servertest.Handle(t, s, session, "["+servertest.InitializedLine+","+old+","+servertest.InitializedLine+"]")
	assert.Error(t, err)
	got := servertest.AnswerTo(t, s, session, "["+old+","+servertest.PingLine("1")+"]")
	assert.Equal(t, `[{"jsonrpc":"2.0","id":1,"result":{}}]`, got)

	// A transport's own refusal comes back to it.
	refusal := &prompts.Error{Code: transport.CodeInvalidRequest, Message: "no"}
	err = s.Handle(t.Context(), []byte(servertest.InitializedLine), transport.Exchange{
		Session: func(transport.RequestInfo) (transport.Session, error) { return nil, refusal },
		Send:    func([]byte, transport.Code, bool) error { return servertest.ErrDisk },
	})
	var why *prompts.Error
	require.ErrorAs(t, err, &why)
	assert.Same(t, refusal, why)
}

// GAP-10: a transport checks the version of a request before the server knows whether the
// version is supported, and its own headers after the metadata is valid. An error of a
// check is the response, and nothing else is done.
func TestCheck(t *testing.T) {
	t.Parallel()
	s := prompts.MustNewServer(servertest.RegistryOf(servertest.TextPrompt("text", "hi")), prompts.Options{})
	// handled returns what Send gets, and the checks. The check with that number fails.
	handled := func(msg string, fails int) ([]servertest.Sent, []string) {
		session := servertest.NewSession(t, s)
		checks, r := []string{}, &servertest.Recorder{T: t}
		check := func(name string) func(transport.RequestInfo) error {
			return func(i transport.RequestInfo) error {
				assert.True(t, i.Request)
				assert.Empty(t, r.Messages, "checked after the answer")
				checks = append(checks, strings.Join(strings.Fields(name+": "+i.Version+" "+i.Method+" "+i.Name), " "))
				if len(checks) == fails {
					return &prompts.Error{Code: -32020, Message: "header mismatch", Data: fails}
				}
				return nil
			}
		}
		x := transport.Exchange{Send: r.Send, CheckVersion: check("version"), CheckRouting: check("routing")}
		require.NoError(t, session.Handle(t.Context(), r.Hear(session, msg), x))
		return r.Messages, checks
	}
	for _, row := range servertest.Table(t, "checks", 3) {
		got, checks := handled(row[0], 0)
		assert.Equal(t, row[1], servertest.JsonText(checks), row[0])
		code := ""
		if len(got) > 0 {
			code = fmt.Sprint(int(got[0].Code))
		}
		assert.Equal(t, row[2], code, row[0])
		for i := range checks {
			got, before := handled(row[0], i+1)
			assert.Equal(t, checks[:i+1], before)
			assert.Equal(t, []servertest.Sent{{Msg: fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"header mismatch","data":%d}}`, i+1), Code: -32020, Last: true}}, got)
		}
	}
}

// The caller's context is the only limit that Handle has.
func TestHandleWhenItsContextEnds(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		var j servertest.Journal
		w := servertest.NewWaiter()
		s := prompts.MustNewServer(servertest.RegistryOf(w.Prompt("wait"), servertest.Sleeper("deaf", time.Minute)), prompts.Options{Limits: prompts.Limits{MaxConcurrent: 1}, Timeouts: prompts.Timeouts{Render: -1}, Logger: j.Logger()})
		session := servertest.NewSession(t, s)
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, servertest.ErrDisk)
		defer cancel()

		r := &servertest.Recorder{T: t}
		running := make(chan error)
		go func() {
			running <- session.Handle(ctx, r.Hear(session, servertest.GetLine("1", "wait")), transport.Exchange{Send: r.Send})
		}()
		synctest.Wait()
		waiting := make(chan error)
		go func() {
			waiting <- session.Handle(ctx, r.Hear(session, servertest.GetLine("2", "wait")), transport.Exchange{Send: r.Send})
		}()
		synctest.Wait()
		assert.ErrorIs(t, <-running, servertest.ErrDisk)
		assert.ErrorIs(t, <-waiting, servertest.ErrDisk)
		assert.Empty(t, r.Messages, "nobody waits for the answer")
		assert.EqualValues(t, 1, w.Started.Load())
		assert.NotContains(t, j.String(), "level=ERROR")

		// The ids are free, nothing is under way.
		assert.Empty(t, servertest.SessionLeftovers(session))
		got := servertest.AnswerTo(t, s, session, servertest.PingLine("1"))
		assert.Equal(t, servertest.PongLine("1"), got)

		// A render that comes to a result all the same has its answer.
		ctx, cancel = context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.NoError(t, session.Handle(ctx, r.Hear(session, servertest.GetLine("3", "deaf")), transport.Exchange{Send: r.Send}))
		assert.Equal(t, []servertest.Sent{{Msg: servertest.TextLine("3", "slept"), Code: 0, Last: true}}, r.Messages)
	})
}

func TestSessionClose(t *testing.T) {
	servertest.Bubble(t, func(t *testing.T) {
		w := servertest.NewWaiter()
		reg := servertest.RegistryOf(w.Prompt("wait"), servertest.Sleeper("deaf", time.Minute))
		s := prompts.MustNewServer(reg, prompts.Options{Limits: prompts.Limits{MaxConcurrent: 2}})
		session := servertest.NewSession(t, s)
		errs := make(chan error, 3)
		for i, prompt := range []string{"wait", "deaf", "wait"} {
			go func() {
				got, err := servertest.Handle(t, s, session, servertest.GetLine(fmt.Sprint(i+2), prompt))
				assert.Empty(t, got, "it is not answered")
				errs <- err
			}()
			synctest.Wait()
		}
		notified := make(chan error)
		go func() {
			notified <- session.Notifications(t.Context(), func([]byte) error { return servertest.ErrDisk })
		}()
		listening := subscribe(t, s, session, nil)
		assert.Equal(t, []servertest.Sent{{Msg: servertest.AckLine("1"), Code: 0, Last: false}}, listening.received())
		session.Close()
		assert.NoError(t, <-notified)
		assert.ErrorIs(t, <-listening.done, rpc.ErrSessionClosed)
		assert.Empty(t, listening.received())
		assert.ErrorIs(t, <-w.Causes, rpc.ErrSessionClosed)
		assert.Equal(t, rpc.ErrSessionClosed, <-errs)
		assert.Equal(t, rpc.ErrSessionClosed, <-errs)
		session.Close()
		assert.Equal(t, rpc.ErrSessionClosed, <-errs, "the one that did not stop")
		assert.Zero(t, servertest.Subscribers(reg))
		assert.Empty(t, servertest.SessionLeftovers(session))
		assert.Zero(t, servertest.Tasks(s))

		// Afterwards it refuses everything, and ignores what it cannot refuse.
		for _, msg := range []string{servertest.GetLine("1", "deaf"), servertest.PingLine("1"), servertest.InitializeLine, `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`} {
			got := servertest.AnswerTo(t, s, session, msg)
			assert.Contains(t, got, `"error":{"code":-32600,"message":"session is closed"}`)
		}
		for _, msg := range []string{servertest.InitializedLine, servertest.CancelLine("1")} {
			got := servertest.AnswerTo(t, s, session, msg)
			assert.Empty(t, got)
		}
		assert.NoError(t, session.Notifications(t.Context(), func([]byte) error { return servertest.ErrDisk }))
	})
}

// listener calls Notifications and counts what it sends.
type listener struct {
	session transport.Session
	count   atomic.Int32
	fail    error
	done    chan error
}

func hear(ctx context.Context, s transport.Session) *listener {
	l := &listener{session: s, done: make(chan error, 1)}
	go func() {
		l.done <- s.Notifications(ctx, func(msg []byte) error {
			if string(msg) != servertest.ListChangedLine {
				return fmt.Errorf("not a list_changed: %s", msg)
			}
			if l.fail != nil {
				return l.fail
			}
			l.count.Add(1)
			servertest.Notified(s, msg)
			return nil
		})
	}()
	return l
}

// The message belongs to the caller: it may be reused once Handle returns, or
// even changed while it runs by the render.
func TestHandleKeepsNothingOfTheMessage(t *testing.T) {
	t.Parallel()
	msg := []byte(`{"jsonrpc":"2.0","id":"abc","method":"prompts/get","params":{"name":"echo","arguments":{"a":"value"}}}`)
	reg := servertest.RegistryOf(prompts.Prompt{Name: "echo", Arguments: []prompts.Argument{{Name: "a"}}, Render: func(_ context.Context, args map[string]string) (*prompts.Result, error) {
		clear(msg)
		return prompts.Messages(prompts.User(args["a"])), nil
	}})
	s := prompts.MustNewServer(reg, prompts.Options{})
	session := servertest.NewSession(t, s)
	r := &servertest.Recorder{T: t}
	r.Hear(session, string(msg))
	require.NoError(t, session.Handle(t.Context(), msg, transport.Exchange{Send: r.Send}))
	assert.Equal(t, []servertest.Sent{{Msg: servertest.TextLine(`"abc"`, "value"), Code: 0, Last: true}}, r.Messages)
}

// Answers come from pooled buffers: what one render sends, another must not see.
func TestAnswersDoNotMix(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("x", 128<<10)
	s := prompts.MustNewServer(servertest.RegistryOf(servertest.TextPrompt("large", large), servertest.TextPrompt("small", "s")), prompts.Options{})
	session := servertest.NewSession(t, s)
	for range 10 {
		for prompt, text := range map[string]string{"large": large, "small": "s"} {
			got := servertest.AnswerTo(t, s, session, servertest.GetLine("1", prompt))
			assert.Equal(t, servertest.TextLine("1", text), got)
		}
	}
}

// A transport may keep more of a session, in a struct of its own.
func TestSessionInAStruct(t *testing.T) {
	t.Parallel()
	type own struct{ transport.Session }
	type twice struct{ *own }
	s, other := prompts.MustNewServer(new(prompts.Registry), prompts.Options{}), prompts.MustNewServer(new(prompts.Registry), prompts.Options{})
	session := servertest.SessionIn(t, s, servertest.BatchVersion)
	for _, in := range []transport.Session{session, own{session}, &own{session}, twice{&own{session}}} {
		x := transport.Exchange{Session: func(transport.RequestInfo) (transport.Session, error) { return in, nil }}
		r := &servertest.Recorder{T: t}
		x.Send = r.Send
		require.NoError(t, s.Handle(t.Context(), r.Hear(session, servertest.PingLine("1")), x))
		assert.Equal(t, `{"jsonrpc":"2.0","id":1,"result":{}}`, string(r.Messages[0].Msg))
		assert.EqualError(t, other.Handle(t.Context(), []byte(servertest.PingLine("1")), x),
			"prompts: Handle: session must be of the same server, got one of another; call NewSession of the server")
	}
}
