package prompts_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/notify"
	"github.com/mcp-prompts/prompts/internal/speccheck"
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

// FuzzSession plays whole sessions and holds what the server sends against a
// model, and against the specification.
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
	t      *testing.T
	reg    *prompts.Registry
	script []byte
	server *prompts.Server
	model  *model
	ended  bool

	// by Serve
	wire   *wire
	served chan error

	// by Handle
	session   transport.Session
	closing   chan struct{}
	closeOnce func()
	said      *transcript
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
	p := &player{t: t, script: script, reg: reg, server: prompts.NewServer(reg, options), model: newModel(t, reg, options, l)}
	p.begin()
	for _, line := range lines[1:min(len(lines), 1+mostSteps)] {
		if len(line) > 0 && !p.ended {
			p.step(line)
		}
	}
	p.end()
	for _, name := range scriptNames {
		if strings.HasPrefix(name, "added") {
			reg.Remove(name)
		}
	}
	require.Zero(t, reg.Subscribers())
	assertFuzzTrace(t, p.server)
}

func (p *player) begin() {
	if p.model.link == byServe {
		p.wire = newWire(p.t)
		p.wire.onWrite = func(ctx context.Context, _ []byte) error { return p.gate.pass(ctx) }
		p.served = make(chan error, 1)
		ctx, cancel := context.WithCancel(context.Background())
		go func() { p.served <- p.server.Serve(ctx, p.wire) }()
		p.t.Cleanup(func() { p.abort(cancel) })
		return
	}
	p.said = newTranscript(p.t, speccheck.Options{HTTP: true})
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
	p.said.add(true, string(msg))
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
		p.send(cancelLine(chosen(c, scriptIDs)), waits)
	case 'h':
		p.send(strings.Replace(fuzzInitialize, "VERSION", chosen(c, handshakeVersions), 1), true)
		p.send(initializedLine, waits)
	case 'r':
		id := "prompts-1"
		if open := p.model.open; len(open) > 0 {
			i := c.next(len(open))
			id = open[i]
			p.model.open = slices.Delete(open, i, i+1)
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
			p.model.nameless++
			p.wire.in <- fmt.Errorf("a line: %w", transport.ErrTooLarge)
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
	isQuiet := p.settle(waits)
	how, name := c.next(2), fmt.Sprintf("added %d", c.next(3))
	if !isQuiet {
		// What is on its way may see either.
		p.model.change(name, "")
	}
	if how == 0 {
		require.NoError(p.t, p.reg.Set(textPrompt(name, "this is "+name)))
		p.model.change(name, "this is "+name)
		p.model.changed()
	} else {
		if p.reg.Remove(name) {
			p.model.changed()
		}
		p.model.change(name, "")
	}
}

// send sends a message of the client. How a batch and what depends on
// initialize is taken must be known, so they come when nothing moves.
func (p *player) send(msg string, waits bool) {
	isArray := strings.HasPrefix(strings.TrimLeft(msg, " \t\r\n"), "[")
	isInitialize := methodOf([]byte(msg)) == "initialize"
	if (isArray || isInitialize) && p.gate.isShut() {
		p.gate.toggle()
	}
	isQuiet := p.settle(waits || isArray || isInitialize)
	if isArray && !isQuiet {
		return
	}
	p.model.client([]byte(msg), isQuiet)
	if p.wire != nil {
		p.wire.in <- []byte(msg)
	} else {
		p.handle([]byte(msg))
		if !waits && p.model.revision == "" {
			waits = true
		}
	}
	p.settle(waits || isInitialize)
}

// handle has a goroutine of its own pass the message on.
func (p *player) handle(msg []byte) {
	p.said.add(false, string(msg))
	var sending atomic.Int32
	var hasAnswered, hasReturned atomic.Bool
	x := transport.Exchange{Done: p.closing, Send: func(msg []byte, code prompts.Code, last bool) error {
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
		if p.model.link == byServer {
			x.Session = func(transport.RequestInfo) (transport.Session, error) { return p.session, nil }
			err = p.server.Handle(context.Background(), given, x)
		} else {
			err = p.session.Handle(context.Background(), given, x)
		}
		hasReturned.Store(true)
		assert.Equal(p.t, msg, given, "Handle has changed the message")
		if errors.Is(err, prompts.ErrTimeLimit) { // the answer says so
			return
		}
		var ignored *prompts.Error
		if err != nil && !errors.As(err, &ignored) {
			assert.ErrorIs(p.t, err, context.Canceled)
		}
		assert.True(p.t, err == nil || !hasAnswered.Load(), "an answer and an error: %v", err)
	})
}

// settle waits until nothing moves, if it is to, and reports whether it has and
// all that is sent has been heard.
func (p *player) settle(waits bool) bool {
	switch {
	case p.gate.isShut():
		// Whoever waits for a mutex that a writer holds keeps a bubble from
		// being at rest, and its time from passing.
		for range 10 {
			runtime.Gosched()
		}
		return false
	case !waits:
		return false
	}
	synctest.Wait()
	isRead := func() bool { return p.wire == nil || len(p.wire.in) == 0 && p.wire.reading.Load() == 1 }
	for range 20 { // it may wait for room
		if isRead() {
			break
		}
		time.Sleep(50 * time.Millisecond)
		synctest.Wait()
	}
	p.take()
	if !isRead() {
		return false
	}
	p.model.rest()
	return true
}

// take has the model look at what the server has sent.
func (p *player) take() {
	mu, out := &p.mu, &p.out
	if p.wire != nil {
		mu, out = &p.wire.mu, &p.wire.out
	}
	mu.Lock()
	got := *out
	*out = nil
	mu.Unlock()
	for _, msg := range got {
		p.model.server(msg)
	}
}

// hangUp is the end of the client's side.
func (p *player) hangUp() {
	if p.wire == nil {
		p.model.isOver = true
		p.model.loosen()
		p.session.Close()
		return
	}
	if p.model.deaf > 0 || p.gate.isShut() || p.model.options.Timeouts.Drain < 0 {
		p.model.loosen()
	}
	p.ended = true
	p.model.isOver = true
	close(p.wire.in)
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
	if !p.ended {
		// What listens is the only thing that has no end of its own.
		p.model.owesOnly(func(a *awaited) bool { return a.method == "subscriptions/listen" })
		if p.wire != nil {
			p.ended = true
			close(p.wire.in)
		}
	}
	if p.wire != nil {
		require.NoError(p.t, <-p.served)
	} else {
		p.closeOnce()
		synctest.Wait()
		p.session.Close()
		p.calls.Wait()
		require.Empty(p.t, prompts.Peek(p.session).Leftovers())
		require.Zero(p.t, prompts.Peek(p.session).Tasks())
	}
	time.Sleep(longer)
	synctest.Wait()
	p.take()
	p.model.owesOnly(func(*awaited) bool { return false })
}
