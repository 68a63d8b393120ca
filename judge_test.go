package prompts_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/speccheck"
	"github.com/mcp-prompts/prompts/transport"
)

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

// suspect is a test whose errors are kept until finish.
type suspect struct {
	testing.TB
	faults   []string
	cleanups []func()
}

func (s *suspect) Helper() {}

func (s *suspect) Cleanup(f func()) { s.cleanups = append(s.cleanups, f) }

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
