package servertest

import (
	"bytes"
	"context"
	"encoding/json"
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

// Call is Call of a method without options, and returns the error as a *prompts.Error.
func Call(t testing.TB, s *prompts.Server, method, params string) (string, *prompts.Error) {
	t.Helper()
	got, err := s.Call(t.Context(), method, json.RawMessage(params), prompts.CallOptions{Version: "2025-11-25"})
	if err == nil {
		return string(got), nil
	}
	assert.Nil(t, got)
	var e *prompts.Error
	require.ErrorAs(t, err, &e)
	return "", e
}

var _ transport.Conn = (*Wire)(nil)

const (
	InitializeLine  = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"tester","version":"1"}}}`
	InitializedLine = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	ListChangedLine = `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`
)

// Journal is a logger's memory.
type Journal struct {
	mu  sync.Mutex
	Buf bytes.Buffer
}

func (j *Journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.Buf.Write(p)
}

func (j *Journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.Buf.String()
}

func (j *Journal) Logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(j, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// Handler is a slog.Handler that does something else than to log.
type Handler struct {
	Do func(ctx context.Context, r slog.Record)
}

func (h Handler) Enabled(context.Context, slog.Level) bool { return true }

func (h Handler) WithAttrs([]slog.Attr) slog.Handler { return h }

func (h Handler) WithGroup(string) slog.Handler { return h }

func (h Handler) Handle(ctx context.Context, r slog.Record) error { h.Do(ctx, r); return nil }

// Sent is one message that an Exchange has sent.
type Sent struct {
	Msg  string
	Code transport.Code
	Last bool
}

// Recorder is an Exchange that keeps what is sent, and notices what is sent
// after it was closed. It must hear what the messages answer.
type Recorder struct {
	T        testing.TB
	Mu       sync.Mutex
	Messages []Sent
	over     bool
	Fail     func(msg string) error // what send returns for a message; nil for none
	heard    bool
	said     *Transcript
}

// Hear takes the client's message to the session, or to the server if that is
// nil, and returns it.
func (r *Recorder) Hear(session transport.Session, msg string) []byte {
	r.T.Helper()
	said := transcriptOf(r.T, session)
	said.Add(false, msg)
	r.Mu.Lock()
	defer r.Mu.Unlock()
	r.heard, r.said = true, said
	return []byte(msg)
}

func (r *Recorder) Send(msg []byte, code transport.Code, last bool) error {
	r.Mu.Lock()
	defer r.Mu.Unlock()
	assert.False(r.T, r.over, "sent after Handle has returned: %s", msg)
	assert.True(r.T, r.heard, "the recorder has not heard what this answers: %s", msg)
	if r.Fail != nil {
		if err := r.Fail(string(msg)); err != nil {
			return err
		}
	}
	r.Messages = append(r.Messages, Sent{string(msg), code, last})
	r.said.Add(true, string(msg))
	clear(msg)
	return nil
}

// Pass passes a message to the session, or to the server if that is nil.
func (r *Recorder) Pass(ctx context.Context, s *prompts.Server, session transport.Session, msg string, x transport.Exchange) error {
	x.Send = r.Send
	if session != nil {
		return session.Handle(ctx, r.Hear(session, msg), x)
	}
	return s.Handle(ctx, r.Hear(nil, msg), x)
}

// Handle passes one message to the session, or to the server if that is nil,
// and returns the answer, which is empty if there was none.
func Handle(t testing.TB, s *prompts.Server, session transport.Session, msg string) (string, error) {
	t.Helper()
	r := &Recorder{T: t}
	err := r.Pass(context.Background(), s, session, msg, transport.Exchange{})
	r.Mu.Lock()
	defer r.Mu.Unlock()
	r.over = true
	if !assert.LessOrEqual(t, len(r.Messages), 1, "answers to %s", msg) || len(r.Messages) == 0 {
		return "", err
	}
	assert.True(t, r.Messages[0].Last)
	return Neutral(r.Messages[0].Msg), err
}

// AnswerTo is handle of a message that the transport need not refuse.
func AnswerTo(t testing.TB, s *prompts.Server, session transport.Session, msg string) string {
	t.Helper()
	got, err := Handle(t, s, session, msg)
	assert.NoError(t, err, msg)
	return got
}

// NewSession returns an initialized session of the server.
func NewSession(t testing.TB, s *prompts.Server) transport.Session {
	t.Helper()
	return SessionIn(t, s, "2025-11-25")
}

// RegistryOf returns a registry of the prompts.
func RegistryOf(ps ...prompts.Prompt) *prompts.Registry {
	r := new(prompts.Registry)
	r.MustAdd(ps...)
	return r
}

// Rendered declares a prompt without arguments.
func Rendered(name string, f func(context.Context) (*prompts.Result, error)) prompts.Prompt {
	return prompts.Prompt{Name: name, Render: func(ctx context.Context, _ map[string]string) (*prompts.Result, error) { return f(ctx) }}
}

func TextPrompt(name, text string) prompts.Prompt {
	return Rendered(name, func(context.Context) (*prompts.Result, error) { return prompts.Messages(prompts.User(text)), nil })
}

var ErrDisk = errors.New("the disk is on fire")

// SessionIn returns a session that is initialized in a revision.
func SessionIn(t testing.TB, s *prompts.Server, version string) transport.Session {
	t.Helper()
	return NewSessionAs(t, s, version, "{}")
}

// AssertNoTrace checks that nothing is left of the connections of a server that
// have ended: no subscriber, no slot, no subscription.
func AssertNoTrace(t testing.TB, s *prompts.Server) {
	t.Helper()
	assert.Empty(t, Leftovers(s))
}

// Table returns the rows of a file in testdata/tables. " | " separates the cells of a row,
// and "# " begins a comment.
func Table(t testing.TB, name string, columns int) (rows [][]string) {
	t.Helper()
	for line := range strings.Lines(ReadText(t, "testdata/tables/"+name+".txt")) {
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

// ReadText returns the text of a file, with the line ends that it has in the
// repository.
func ReadText(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}
