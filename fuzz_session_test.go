package prompts_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/notify"
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/internal/servertest/speccheck"
	"github.com/mcp-prompts/prompts/internal/wire"
	"github.com/mcp-prompts/prompts/transport"
)

// link is how the client of a script is connected.
type link int

const (
	byServe link = iota
	bySession
	byServer // with a session from Exchange.Session
	links
)

// FuzzSession plays whole sessions. What the server sends has to be what the
// specification allows, and no more answers than requests; each plain request is
// answered, and nothing is left behind.
func FuzzSession(f *testing.F) {
	addScripts(f)
	reg := scriptPrompts()
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) > mostScript {
			return
		}
		synctest.Test(t, func(t *testing.T) { playScript(t, reg, script) })
	})
}

// player is the client and the author in a script.
type player struct {
	t       *testing.T
	reg     *prompts.Registry
	script  []byte
	server  *prompts.Server
	link    link
	options prompts.Options
	owed    *owed
	open    []string // ids of the server's requests
	ended   bool

	// by Serve
	wire   *servertest.Wire
	served chan error

	// by Handle
	session   transport.Session
	closing   chan struct{}
	closeOnce func()
	said      *servertest.Transcript
	calls     sync.WaitGroup
	mu        sync.Mutex // protects the field below
	out       []string

	gate gate
}

// gate is a client that may stop to read.
type gate struct {
	mu   sync.Mutex // protects the field below
	shut chan struct{}
}

// toggle shuts or opens the gate.
func (g *gate) toggle() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut == nil {
		g.shut = make(chan struct{})
		return
	}
	close(g.shut)
	g.shut = nil
}

func (g *gate) isShut() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.shut != nil
}

// pass waits for the gate to open.
func (g *gate) pass(ctx context.Context) error {
	g.mu.Lock()
	shut := g.shut
	g.mu.Unlock()
	if shut == nil {
		return nil
	}
	select {
	case <-shut:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// playScript plays a script in a bubble of its own.
func playScript(t *testing.T, reg *prompts.Registry, script []byte) {
	lines := bytes.Split(script, []byte("\n"))
	head := &chooser{lines[0]}
	l := link(head.next(int(links)))
	options := chosen(head, scriptServers())
	p := &player{t: t, script: script, reg: reg, server: prompts.MustNewServer(reg, options), link: l, options: options, owed: &owed{t: t}}
	p.begin()
	for _, line := range lines[1:min(len(lines), 1+mostSteps)] {
		if len(line) > 0 && !p.ended {
			p.step(line)
		}
	}
	p.end()
	p.removeAdded()
	require.Zero(t, servertest.Subscribers(reg))
	assertFuzzTrace(t, p.server)
}

func (p *player) begin() {
	if p.link == byServe {
		p.wire = servertest.NewWire(p.t)
		p.wire.OnWrite = func(ctx context.Context, _ []byte) error { return p.gate.pass(ctx) }
		p.served = make(chan error, 1)
		ctx, cancel := context.WithCancel(context.Background())
		go func() { p.served <- p.server.Serve(ctx, p.wire) }()
		p.t.Cleanup(func() { p.abort(cancel) })
		return
	}
	p.said = servertest.NewTranscript(p.t, speccheck.Options{HTTP: true})
	p.closing = make(chan struct{})
	p.closeOnce = sync.OnceFunc(func() { close(p.closing) })
	p.session = p.server.NewSession(transport.SessionOptions{})
	p.t.Cleanup(func() {
		p.abort(func() {
			p.session.Close()
			p.closeOnce()
		})
	})
	p.calls.Go(func() {
		_ = p.session.Notifications(context.Background(), func(msg []byte) error { return p.hear(context.Background(), msg) })
	})
}

// abort lets all end if the test has failed.
func (p *player) abort(end func()) {
	if !p.t.Failed() {
		return
	}
	if p.gate.isShut() {
		p.gate.toggle()
	}
	end()
	time.Sleep(longer)
	p.removeAdded()
}

// removeAdded removes what the author has added to the registry, which scripts share.
func (p *player) removeAdded() {
	for _, name := range scriptNames {
		if strings.HasPrefix(name, "added") {
			p.reg.Remove(name)
		}
	}
}

// hear takes a message that is not of a wire.
func (p *player) hear(ctx context.Context, msg []byte) error {
	if err := p.gate.pass(ctx); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.out = append(p.out, string(msg))
	p.said.Add(true, string(msg))
	clear(msg)
	return nil
}

// step does what a line says.
func (p *player) step(line []byte) {
	verb, c := line[0], &chooser{line[1:]}
	waits := verb < 'A' || verb > 'Z'
	switch verb | ' ' {
	case 'm':
		p.send(c.message(), waits)
	case 'x':
		p.send(c.changed(), waits)
	case 'b':
		p.send(c.batch(), waits)
	case 'c':
		p.send(servertest.CancelLine(chosen(c, scriptIDs)), waits)
	case 'h':
		p.send(strings.Replace(fuzzInitialize, "VERSION", chosen(c, servertest.HandshakeVersions), 1), true)
		p.send(servertest.InitializedLine, waits)
	case 'r':
		id := "prompts-1"
		if len(p.open) > 0 {
			i := c.next(len(p.open))
			id = p.open[i]
			p.open = slices.Delete(p.open, i, i+1)
		}
		p.send(fmt.Sprintf(chosen(c, responses), id), waits)
	case 'a':
		p.change(c, waits)
	case 't':
		if p.gate.isShut() {
			p.gate.toggle()
		}
		p.settle(waits)
		time.Sleep(chosen(c, []time.Duration{notify.MinPause, time.Second, 2 * time.Second, 6 * time.Second, 31 * time.Second, 6 * time.Minute, 2 * time.Hour}))
	case 'w':
		p.settle(waits)
		p.gate.toggle()
	case 'o':
		if p.wire != nil {
			p.settle(waits)
			p.owed.nameless++
			p.wire.In <- fmt.Errorf("a line: %w", transport.ErrTooLarge)
		}
	case 'e':
		p.settle(waits)
		p.hangUp()
	case ':':
		p.send(string(line[1:]), waits)
	default:
		p.send(string(line), waits)
	}
}

// change is the author's.
func (p *player) change(c *chooser, waits bool) {
	p.settle(waits)
	how, name := c.next(2), fmt.Sprintf("added %d", c.next(3))
	if how == 0 {
		require.NoError(p.t, p.reg.Set(servertest.TextPrompt(name, "this is "+name)))
	} else {
		p.reg.Remove(name)
	}
}

// send sends a message of the client.
func (p *player) send(msg string, waits bool) {
	p.settle(waits)
	most := p.options.Limits.MaxMessageBytes
	p.owed.client(msg, most == 0 || len(msg) <= most)
	if p.wire != nil {
		p.wire.In <- []byte(msg)
	} else {
		p.handle([]byte(msg))
	}
	p.settle(waits)
}

// handle has a goroutine of its own pass the message on.
func (p *player) handle(msg []byte) {
	p.said.Add(false, string(msg))
	var sending atomic.Int32
	var hasAnswered, hasReturned atomic.Bool
	x := transport.Exchange{Done: p.closing, Send: func(msg []byte, code transport.Code, last bool) error {
		assert.EqualValues(p.t, 1, sending.Add(1), "sends at a time")
		defer sending.Add(-1)
		assert.False(p.t, hasReturned.Load(), "sent after Handle has returned: %s", msg)
		assert.False(p.t, hasAnswered.Load(), "sent after the answer: %s", msg)
		hasAnswered.Store(last)
		return p.hear(context.Background(), msg)
	}}
	given := bytes.Clone(msg)
	p.calls.Go(func() {
		var err error
		if p.link == byServer {
			x.Session = func(transport.RequestInfo) (transport.Session, error) { return p.session, nil }
			err = p.server.Handle(context.Background(), given, x)
		} else {
			err = p.session.Handle(context.Background(), given, x)
		}
		hasReturned.Store(true)
		assert.Equal(p.t, msg, given, "Handle has changed the message")
		if errors.Is(err, rpc.ErrTimeout) { // the answer says so
			return
		}
		var ignored *prompts.Error
		if err != nil && !errors.As(err, &ignored) {
			assert.ErrorIs(p.t, err, context.Canceled)
		}
		assert.True(p.t, err == nil || !hasAnswered.Load(), "an answer and an error: %v", err)
	})
}

// settle waits until nothing moves, if it is to.
func (p *player) settle(waits bool) {
	switch {
	case p.gate.isShut():
		// Whoever waits for a mutex that a writer holds keeps a bubble from
		// being at rest, and its time from passing.
		for range 10 {
			runtime.Gosched()
		}
	case waits:
		synctest.Wait()
		p.take()
	}
}

// take looks at what the server has sent.
func (p *player) take() {
	mu, out := &p.mu, &p.out
	if p.wire != nil {
		mu, out = &p.wire.Mu, &p.wire.Out
	}
	mu.Lock()
	got := *out
	*out = nil
	mu.Unlock()
	for _, msg := range got {
		if id := p.owed.server(msg); id != "" {
			p.open = append(p.open, id)
		}
	}
}

// hangUp is the end of the client's side.
func (p *player) hangUp() {
	if p.wire == nil {
		p.owed.isLoose = true
		p.session.Close()
		return
	}
	if p.gate.isShut() || p.options.Timeouts.Drain < 0 {
		p.owed.isLoose = true
	}
	p.ended = true
	close(p.wire.In)
}

// longer is more than all that renders takes, and what may wait for it.
const longer = 3 * time.Hour

// end sees to all that is owed, and to all that must end.
func (p *player) end() {
	if p.gate.isShut() {
		p.gate.toggle()
	}
	time.Sleep(longer)
	p.settle(true)
	p.owed.assertPaid()
	if p.wire != nil && !p.ended {
		p.ended = true
		close(p.wire.In)
	}
	if p.wire != nil {
		require.NoError(p.t, <-p.served)
	} else {
		p.closeOnce()
		synctest.Wait()
		p.session.Close()
		p.calls.Wait()
		require.Empty(p.t, servertest.SessionLeftovers(p.session))
		require.Zero(p.t, servertest.SessionTasks(p.session))
	}
	time.Sleep(longer)
	synctest.Wait()
	p.take()
}

func assertFuzzTrace(t *testing.T, s *prompts.Server) {
	left := servertest.Leftovers(s) // sessions that are open listen
	require.Zero(t, left["subscriptions"])
	require.Zero(t, left["tasks"])
}

// owed is what the server owes for the client's messages.
type owed struct {
	t        *testing.T
	requests map[string]int  // by id: messages that may have an answer
	answers  map[string]int  // by id
	must     map[string]bool // by id: plain requests, which must have one
	nameless int             // answers without an id that may come
	refused  int             // answers without an id that came
	asked    map[string]bool // ids of the server's requests
	isLoose  bool            // the client has gone before its answers
}

// ids finds each member of that name, however deep.
var ids = regexp.MustCompile(`"(?:id|requestId)"\s*:\s*("(?:[^"\\]|\\.)*"|[^\s,}\]]+)`)

// unescaped spells "id" plainly.
var unescaped = strings.NewReplacer(`\u0069`, "i", `\u0064`, "d")

// keyOf makes two spellings of an id one.
func keyOf(id string) string {
	var s string
	if strings.HasPrefix(id, `"`) && json.Unmarshal([]byte(id), &s) == nil {
		return "text " + s
	}
	if n, ok := new(big.Int).SetString(id, 10); ok {
		return "number " + n.String()
	}
	return "none " + id
}

// client takes a message that the client is about to send.
func (l *owed) client(msg string, fits bool) {
	if l.requests == nil {
		l.requests, l.answers, l.must, l.asked = map[string]int{}, map[string]int{}, map[string]bool{}, map[string]bool{}
	}
	if !fits || servertest.IDOf(msg, wire.MaxIDBytes) == "" { // GAP-13
		l.nameless += 1 + strings.Count(msg, ",") // a batch may have one for each of its elements
	}
	for _, found := range ids.FindAllStringSubmatch(unescaped.Replace(msg), -1) {
		l.requests[keyOf(found[1])]++
	}
	var plain struct {
		ID     json.RawMessage
		Method string
	}
	if strings.HasPrefix(msg, `{"jsonrpc":"2.0","id":`) && fits && json.Unmarshal([]byte(msg), &plain) == nil && plain.Method != "subscriptions/listen" {
		if key := keyOf(string(plain.ID)); !strings.HasPrefix(key, "none") && plain.Method != "" {
			l.must[key] = true
		}
	}
}

// server takes a message of the server, and returns the id of a request.
func (l *owed) server(msg string) (asked string) {
	require.True(l.t, utf8.ValidString(msg), "%q", msg)
	require.NotContains(l.t, msg, "\n")
	require.NotContains(l.t, msg, "a secret")
	if msg[0] == '[' {
		for _, e := range servertest.Elements(l.t, msg) {
			l.server(e)
		}
		return ""
	}
	var m struct {
		ID     json.RawMessage
		Method string
	}
	require.NoError(l.t, json.Unmarshal([]byte(msg), &m))
	key := keyOf(string(m.ID))
	switch {
	case m.Method == "elicitation/create":
		require.False(l.t, l.asked[key], "JRP-04: %s", msg)
		l.asked[key] = true
		return strings.TrimPrefix(key, "text ")
	case m.Method != "":
		require.Nil(l.t, m.ID, msg)
	case m.ID == nil || string(m.ID) == "null":
		l.nameless--
		l.refused++
		require.GreaterOrEqual(l.t, l.nameless, 0, "an answer to nothing: %s", msg)
	default:
		l.answers[key]++
		require.LessOrEqual(l.t, l.answers[key], l.requests[key], "an answer to nothing: %s", msg)
	}
	return ""
}

// assertPaid is for when all that takes time is over. A request whose id occurs
// more than once may be canceled, and one that cannot be read is answered without
// its id.
func (l *owed) assertPaid() {
	var unpaid []string
	for key := range l.must {
		if l.requests[key] == 1 && l.answers[key] == 0 {
			unpaid = append(unpaid, key)
		}
	}
	require.True(l.t, l.isLoose || len(unpaid) <= l.refused, "no answers to %q", unpaid)
}
