package servertest

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/mcp-prompts/prompts/internal/servertest/speccheck"
	"github.com/mcp-prompts/prompts/transport"
)

// Specification judges what the server sends in tests, by the schemas of the
// specification. It is nil if the environment does not say where they are.
var Specification = sync.OnceValues(func() (*speccheck.Checker, error) {
	if os.Getenv(speccheck.Variable) == "" {
		return nil, nil
	}
	return speccheck.FromEnvironment()
})

// Transcript is what was said on one connection, in order. At the end of its
// test what the server has said is judged. A nil one is not kept.
type Transcript struct {
	t     testing.TB
	judge *speccheck.Judge

	mu    sync.Mutex // protects the field below
	lines []line
}

type line struct {
	fromServer bool
	msg        string
}

func NewTranscript(t testing.TB, o speccheck.Options) *Transcript {
	t.Helper()
	checker, err := Specification()
	if err != nil {
		t.Errorf("what the server sends cannot be judged: %v", err)
	}
	if checker == nil {
		return nil
	}
	tr := &Transcript{t: t, judge: checker.Judge(o)}
	t.Cleanup(tr.check)
	return tr
}

func (tr *Transcript) Add(fromServer bool, msg string) {
	if tr == nil {
		return
	}
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.lines = append(tr.lines, line{fromServer, msg})
}

func (tr *Transcript) check() {
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
	of map[transport.Session]*Transcript
}{of: map[transport.Session]*Transcript{}}

// transcriptOf returns the transcript of a session, or a new one if that is
// nil.
func transcriptOf(t testing.TB, session transport.Session) *Transcript {
	t.Helper()
	if session == nil {
		return NewTranscript(t, speccheck.Options{HTTP: true})
	}
	transcripts.Lock()
	defer transcripts.Unlock()
	tr, ok := transcripts.of[session]
	if !ok {
		tr = NewTranscript(t, speccheck.Options{HTTP: true})
		transcripts.of[session] = tr
		t.Cleanup(func() {
			transcripts.Lock()
			defer transcripts.Unlock()
			delete(transcripts.of, session)
		})
	}
	return tr
}

// Notified adds a notification of a session to its transcript.
func Notified(session transport.Session, msg []byte) {
	transcripts.Lock()
	defer transcripts.Unlock()
	transcripts.of[session].Add(true, string(msg))
}

// Suspect is a test whose errors are kept until finish.
type Suspect struct {
	testing.TB
	faults   []string
	cleanups []func()
}

func (s *Suspect) Helper() {}

func (s *Suspect) Cleanup(f func()) { s.cleanups = append(s.cleanups, f) }

func (s *Suspect) Errorf(f string, a ...any) { s.faults = append(s.faults, fmt.Sprintf(f, a...)) }

func (s *Suspect) Finish() []string {
	for _, f := range slices.Backward(s.cleanups) {
		f()
	}
	return s.faults
}
