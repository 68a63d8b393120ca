package prompts_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/speccheck"
	"github.com/mcp-prompts/prompts/transport"
)

// Most tests of errors have no logger, and their records are noise.
func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	os.Exit(m.Run())
}

// specification judges what the server sends in tests, by the schemas of the
// specification. It is nil if the environment does not say where they are.
var specification = sync.OnceValues(func() (*speccheck.Checker, error) {
	if os.Getenv(speccheck.Variable) == "" {
		return nil, nil
	}
	return speccheck.FromEnvironment()
})

// transcript is what was said on one connection, in order. At the end of its
// test what the server has said is judged. A nil one is not kept.
type transcript struct {
	t     testing.TB
	judge *speccheck.Judge

	mu    sync.Mutex // protects the field below
	lines []line
}

type line struct {
	fromServer bool
	msg        string
}

func newTranscript(t testing.TB, o speccheck.Options) *transcript {
	t.Helper()
	checker, err := specification()
	if err != nil {
		t.Errorf("what the server sends cannot be judged: %v", err)
	}
	if checker == nil {
		return nil
	}
	tr := &transcript{t: t, judge: checker.Judge(o)}
	t.Cleanup(tr.check)
	return tr
}

func (tr *transcript) add(fromServer bool, msg string) {
	if tr == nil {
		return
	}
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.lines = append(tr.lines, line{fromServer, msg})
}

func (tr *transcript) check() {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	for _, l := range tr.lines {
		if !l.fromServer {
			tr.judge.Client([]byte(l.msg))
		} else if err := tr.judge.Server([]byte(l.msg)); err != nil {
			tr.t.Errorf("the server has sent what the specification does not allow: %.1000v\n\t%.1000s", err, l.msg)
		}
	}
}

// transcripts are those of the sessions that have no connection. Each belongs
// to the first test that passes a message to its session.
var transcripts = struct {
	sync.Mutex
	of map[transport.Session]*transcript
}{of: map[transport.Session]*transcript{}}

// transcriptOf returns the transcript of a session, or a new one if that is
// nil.
func transcriptOf(t testing.TB, session transport.Session) *transcript {
	t.Helper()
	if session == nil {
		return newTranscript(t, speccheck.Options{HTTP: true})
	}
	transcripts.Lock()
	defer transcripts.Unlock()
	tr, ok := transcripts.of[session]
	if !ok {
		tr = newTranscript(t, speccheck.Options{HTTP: true})
		transcripts.of[session] = tr
		t.Cleanup(func() {
			transcripts.Lock()
			defer transcripts.Unlock()
			delete(transcripts.of, session)
		})
	}
	return tr
}

// told adds what a session says unasked to its transcript.
func told(session transport.Session, msg []byte) {
	transcripts.Lock()
	defer transcripts.Unlock()
	transcripts.of[session].add(true, string(msg))
}

// wire is a Transport in memory for tests inside of a synctest bubble. It
// holds the server to the contract of Transport: one reader and one writer at
// a time, and Close once.
type wire struct {
	t    testing.TB
	in   chan any // []byte, or an error that Read returns; closed for io.EOF
	said *transcript

	// onWrite, if not nil, is called by Write first, without a lock.
	onWrite func(ctx context.Context, msg []byte) error

	reading, writing atomic.Int32
	closed           atomic.Int32
	ended            atomic.Bool   // set when Serve has returned
	gone             chan struct{} // closed by Close

	mu  sync.Mutex // protects the field below
	out []string
}

var _ transport.Conn = (*wire)(nil)

func newWire(t testing.TB) *wire {
	t.Helper()
	return &wire{t: t, in: make(chan any, 1024), said: newTranscript(t, speccheck.Options{}), gone: make(chan struct{})}
}

func (w *wire) Read(ctx context.Context) ([]byte, error) {
	assert.EqualValues(w.t, 1, w.reading.Add(1), "concurrent reads")
	defer w.reading.Add(-1)
	select {
	case v, ok := <-w.in:
		if !ok {
			return nil, io.EOF
		}
		if err, ok := v.(error); ok {
			return nil, err
		}
		return w.hear(v.([]byte)), nil
	case <-w.gone:
		return nil, io.ErrClosedPipe
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// hear notes what the client has sent, and returns it for the server.
func (w *wire) hear(msg []byte) []byte {
	w.said.add(false, string(msg))
	return slices.Clone(msg)
}

func (w *wire) Write(ctx context.Context, msgs ...[]byte) error {
	for _, msg := range msgs {
		if err := w.write(ctx, msg); err != nil {
			return err
		}
	}
	return nil
}

func (w *wire) write(ctx context.Context, msg []byte) error {
	assert.EqualValues(w.t, 1, w.writing.Add(1), "concurrent writes")
	defer w.writing.Add(-1)
	// The end of ctx may come between the server's look at it and here.
	assert.False(w.t, w.ended.Load(), "a write after Serve has returned")
	if w.onWrite != nil {
		if err := w.onWrite(ctx, msg); err != nil {
			return err
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.out = append(w.out, string(msg))
	w.said.add(true, string(msg))
	clear(msg) // the next one to look at it finds out that it was not kept
	return nil
}

func (w *wire) Close() error {
	if assert.EqualValues(w.t, 1, w.closed.Add(1), "closed twice") {
		close(w.gone)
	}
	return nil
}

// bubble runs f in a synctest bubble.
func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, f)
}

// inBubble runs f as a subtest in a synctest bubble.
func inBubble(t *testing.T, name string, f func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { bubble(t, f) })
}

// client is the other side of a wire that a server serves.
type client struct {
	t      testing.TB
	wire   *wire
	cancel context.CancelFunc // of the context of Serve
	served chan error
	waited bool
}

// connect serves a new wire. It must be called inside of a synctest bubble. At
// the end of the test the client hangs up, unless it has, and Serve must return
// without an error.
func connect(t testing.TB, s *prompts.Server) *client {
	w := newWire(t)
	return connectOver(t, s, w, w)
}

// connectOver serves a transport that is or embeds the wire.
func connectOver(t testing.TB, s *prompts.Server, w *wire, over transport.Conn) *client {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	c := &client{t: t, wire: w, cancel: cancel, served: make(chan error, 1)}
	go func() {
		err := s.Serve(ctx, over)
		c.wire.ended.Store(true)
		c.served <- err
	}()
	t.Cleanup(func() {
		if !c.waited && !t.Failed() {
			assert.NoError(t, c.end())
		}
		cancel()
	})
	return c
}

const (
	initializeLine  = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"tester","version":"1"}}}`
	initializedLine = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	listChangedLine = `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`
)

// handshake initializes the session.
func (c *client) handshake() *client { return c.handshakeIn("2025-11-25") }

func (c *client) send(msgs ...string) {
	for _, m := range msgs {
		c.wire.in <- []byte(m)
	}
}

// received returns what the server has sent since the last call, once nothing
// moves any more.
func (c *client) received() []string {
	out := c.receivedRaw()
	for i := range out {
		out[i] = neutral(out[i])
	}
	return out
}

// receivedRaw is received with the error ids.
func (c *client) receivedRaw() []string {
	synctest.Wait()
	c.wire.mu.Lock()
	defer c.wire.mu.Unlock()
	out := c.wire.out
	c.wire.out = nil
	return out
}

// ask sends messages and returns the answers.
func (c *client) ask(msgs ...string) []string {
	c.send(msgs...)
	return c.received()
}

// end closes the client's side and returns what Serve returns.
func (c *client) end() error {
	c.t.Helper()
	close(c.wire.in)
	return c.wait()
}

// wait returns what Serve returns, and checks that it has closed the transport.
func (c *client) wait() error {
	c.t.Helper()
	c.waited = true
	err := <-c.served
	assert.EqualValues(c.t, 1, c.wire.closed.Load(), "calls of Close")
	return err
}

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

func (h handler) Enabled(context.Context, slog.Level) bool        { return true }
func (h handler) WithAttrs([]slog.Attr) slog.Handler              { return h }
func (h handler) WithGroup(string) slog.Handler                   { return h }
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

func getLine(id, prompt string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"prompts/get","params":{"name":"` + prompt + `"}}`
}

func cancelLine(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`
}

func textLine(id, text string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"messages":[{"role":"user","content":{"type":"text","text":"` + text + `"}}]}}`
}

func pongLine(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"result":{}}` }

func pingLine(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}` }

func errorLine(id string, code prompts.Code, message string) string {
	return errorResponse(id, &prompts.Error{Code: code, Message: message})
}

var errDisk = errors.New("the disk is on fire")

// suspect is a test whose errors are kept until finish.
type suspect struct {
	testing.TB
	faults   []string
	cleanups []func()
}

func (s *suspect) Helper()                   {}
func (s *suspect) Cleanup(f func())          { s.cleanups = append(s.cleanups, f) }
func (s *suspect) Errorf(f string, a ...any) { s.faults = append(s.faults, fmt.Sprintf(f, a...)) }

func (s *suspect) finish() []string {
	for _, f := range slices.Backward(s.cleanups) {
		f()
	}
	return s.faults
}

// What the server sends is checked against the schemas of the specification, if
// MCP_SCHEMA_DIR has them.
func TestWhatIsSentIsJudged(t *testing.T) {
	t.Parallel()
	if checker, err := specification(); checker == nil {
		require.NoError(t, err)
		return
	}
	s := prompts.MustNewServer(new(prompts.Registry), prompts.Options{})
	exchange := func(t testing.TB, session transport.Session, answer string) {
		r := &recorder{t: t}
		r.hear(session, pingLine("1"))
		assert.NoError(t, r.send([]byte(answer), 0, true))
	}
	for name, play := range map[string]func(t testing.TB, answer string){
		"a wire": func(t testing.TB, answer string) {
			w := newWire(t)
			w.in <- []byte(pingLine("1"))
			_, err := w.Read(context.Background())
			assert.NoError(t, err)
			assert.NoError(t, w.Write(context.Background(), []byte(answer)))
		},
		"an exchange of a session":      func(t testing.TB, answer string) { exchange(t, newSession(t, s), answer) },
		"an exchange without a session": func(t testing.TB, answer string) { exchange(t, nil, answer) },
		"a notification of a session": func(t testing.TB, answer string) {
			msg := map[bool]string{true: listChangedLine, false: `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`}[answer == pongLine("1")]
			told(newSession(t, s), []byte(msg))
		},
	} {
		watched := &suspect{TB: t}
		play(watched, pongLine("1"))
		assert.Empty(t, watched.finish(), name)
		watched = &suspect{TB: t}
		play(watched, `{"jsonrpc":"2.0","id":1,"result":[]}`)
		faults := watched.finish()
		require.Len(t, faults, 1, name)
		assert.Contains(t, faults[0], "what the specification does not allow", name)
	}
	watched := &suspect{TB: t}
	_ = (&recorder{t: watched}).send([]byte(pongLine("1")), 0, true)
	assert.NotEmpty(t, watched.finish(), "the recorder has not heard the request")
}

// What a client of revision 2026-07-28 says, and what it gets: each request has
// its own envelope, each result the server's identity.
const (
	bareEnvelope = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	ownIdentity  = `"io.modelcontextprotocol/serverInfo":{"name":"prompts","version":"0"}`
)

// handshakeVersions are the revisions that begin with initialize.
var handshakeVersions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}

// envelopedLine is a request of revision 2026-07-28. members are those of its
// params but for _meta.
func envelopedLine(id, method, members string) string {
	if members != "" {
		members += ","
	}
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + members + bareEnvelope + `}}`
}

func envelopedGet(id, prompt string) string {
	return envelopedLine(id, "prompts/get", `"name":"`+prompt+`"`)
}

func envelopedText(id, text string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"resultType":"complete","messages":[{"role":"user","content":{"type":"text","text":"` + text + `"}}],"_meta":{` + ownIdentity + `}}}`
}

// handshakeIn initializes the session in a revision.
func (c *client) handshakeIn(version string) *client { return c.handshakeAs(version, "{}") }

// sessionIn returns a session that is initialized in a revision.
func sessionIn(t testing.TB, s *prompts.Server, version string) transport.Session {
	t.Helper()
	return newSessionAs(t, s, version, "{}")
}

// What belongs to a subscription.

func listenLine(id string) string {
	return envelopedLine(id, "subscriptions/listen", `"notifications":{"promptsListChanged":true}`)
}

func ackLine(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `},"notifications":{"promptsListChanged":true}}}`
}

func emptyAckLine(id string) string {
	return strings.Replace(ackLine(id), `"promptsListChanged":true`, "", 1)
}

func changedLine(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}}}`
}

func listenEndLine(id string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{"resultType":"complete","_meta":{` + ownIdentity + `,"io.modelcontextprotocol/subscriptionId":` + id + `}}}`
}

// listen opens subscriptions.
func (c *client) listen(ids ...string) *client {
	c.t.Helper()
	for _, id := range ids {
		require.Equal(c.t, []string{ackLine(id)}, c.ask(listenLine(id)))
	}
	return c
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
