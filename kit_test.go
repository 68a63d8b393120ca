package prompts_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/transport"
)

// Most tests of errors have no logger, and their records are noise.
func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	os.Exit(m.Run())
}

var _ transport.Conn = (*wire)(nil)

const (
	initializeLine  = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"tester","version":"1"}}}`
	initializedLine = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	listChangedLine = `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`
)

// journal is a logger's memory.
type journal struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.String()
}

func (j *journal) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(j, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// handler is a slog.Handler that does something else than to log.
type handler struct {
	do func(ctx context.Context, r slog.Record)
}

func (h handler) Enabled(context.Context, slog.Level) bool { return true }

func (h handler) WithAttrs([]slog.Attr) slog.Handler { return h }

func (h handler) WithGroup(string) slog.Handler { return h }

func (h handler) Handle(ctx context.Context, r slog.Record) error { h.do(ctx, r); return nil }

// sent is one message that an Exchange has sent.
type sent struct {
	msg  string
	code prompts.Code
	last bool
}

// recorder is an Exchange that keeps what is sent, and notices what is sent
// after it was closed. It must hear what the messages answer.
type recorder struct {
	t        testing.TB
	mu       sync.Mutex
	messages []sent
	over     bool
	fail     func(msg string) error // what send returns for a message; nil for none
	heard    bool
	said     *transcript
}

// hear takes the client's message to the session, or to the server if that is
// nil, and returns it.
func (r *recorder) hear(session transport.Session, msg string) []byte {
	r.t.Helper()
	said := transcriptOf(r.t, session)
	said.add(false, msg)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.heard, r.said = true, said
	return []byte(msg)
}

func (r *recorder) send(msg []byte, code prompts.Code, last bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	assert.False(r.t, r.over, "sent after Handle has returned: %s", msg)
	assert.True(r.t, r.heard, "the recorder has not heard what this answers: %s", msg)
	if r.fail != nil {
		if err := r.fail(string(msg)); err != nil {
			return err
		}
	}
	r.messages = append(r.messages, sent{string(msg), code, last})
	r.said.add(true, string(msg))
	clear(msg)
	return nil
}

// pass passes a message to the session, or to the server if that is nil.
func (r *recorder) pass(ctx context.Context, s *prompts.Server, session transport.Session, msg string, x transport.Exchange) error {
	x.Send = r.send
	if session != nil {
		return session.Handle(ctx, r.hear(session, msg), x)
	}
	return s.Handle(ctx, r.hear(nil, msg), x)
}

// handle passes one message to the session, or to the server if that is nil,
// and returns the answer, which is empty if there was none.
func handle(t testing.TB, s *prompts.Server, session transport.Session, msg string) (string, error) {
	t.Helper()
	r := &recorder{t: t}
	err := r.pass(context.Background(), s, session, msg, transport.Exchange{})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	if !assert.LessOrEqual(t, len(r.messages), 1, "answers to %s", msg) || len(r.messages) == 0 {
		return "", err
	}
	assert.True(t, r.messages[0].last)
	return neutral(r.messages[0].msg), err
}

// answerTo is handle of a message that the transport need not refuse.
func answerTo(t testing.TB, s *prompts.Server, session transport.Session, msg string) string {
	t.Helper()
	got, err := handle(t, s, session, msg)
	assert.NoError(t, err, msg)
	return got
}

// newSession returns an initialized session of the server.
func newSession(t testing.TB, s *prompts.Server) transport.Session {
	t.Helper()
	return sessionIn(t, s, "2025-11-25")
}

// registryOf returns a registry of the prompts.
func registryOf(ps ...prompts.Prompt) *prompts.Registry {
	r := new(prompts.Registry)
	r.MustAdd(ps...)
	return r
}

// rendered declares a prompt without arguments.
func rendered(name string, f func(context.Context) (*prompts.Result, error)) prompts.Prompt {
	return prompts.Prompt{Name: name, Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) { return f(ctx) }}
}

func textPrompt(name, text string) prompts.Prompt {
	return rendered(name, func(context.Context) (*prompts.Result, error) { return prompts.Messages(prompts.User(text)), nil })
}

var errDisk = errors.New("the disk is on fire")

// sessionIn returns a session that is initialized in a revision.
func sessionIn(t testing.TB, s *prompts.Server, version string) transport.Session {
	t.Helper()
	return newSessionAs(t, s, version, "{}")
}

// assertNoTrace checks that nothing is left of the connections of a server that
// have ended: no subscriber, no slot, no subscription.
func assertNoTrace(t testing.TB, s *prompts.Server) {
	t.Helper()
	assert.Empty(t, s.Leftovers())
}

// table returns the rows of a file in testdata/tables. " | " separates the cells of a row,
// and "# " begins a comment.
func table(t testing.TB, name string, columns int) (rows [][]string) {
	t.Helper()
	for line := range strings.Lines(readText(t, "testdata/tables/"+name+".txt")) {
		if strings.HasPrefix(line, "# ") {
			continue
		}
		row := strings.Split(strings.ReplaceAll(line, "\n", " "), " | ")
		require.Len(t, row, columns, line)
		for i := range row {
			row[i] = strings.TrimSpace(row[i])
		}
		rows = append(rows, row)
	}
	require.NotEmpty(t, rows)
	return rows
}
