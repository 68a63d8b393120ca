package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"
)

// ugly is a client that checks nothing.
type ugly struct {
	place  *place
	who    string
	random *rand.Rand
}

func (p *place) newUgly(number int) *ugly {
	return &ugly{p, principalName("ugly", number), rand.New(rand.NewPCG(p.options.seed, uint64(number)))}
}

func (u *ugly) pause(longest time.Duration) {
	time.Sleep(time.Duration(u.random.Int64N(int64(longest))))
}

// runUglyStream is the life of an ugly client on streams.
func (p *place) runUglyStream(ctx context.Context, number int) {
	u := p.newUgly(number)
	ways := []struct {
		name string
		do   func(*ugly, duplex)
	}{
		{"stops reading", (*ugly).stopReading},
		{"leaves in a message", (*ugly).leaveInMessage},
		{"sends too much", (*ugly).sendTooMuch},
		{"floods", (*ugly).flood},
		{"sends anything", (*ugly).sendAnything},
		{"subscribes and leaves", (*ugly).subscribeAndLeave},
		{"says nothing", func(*ugly, duplex) {}},
	}
	for ctx.Err() == nil {
		stream, err := p.stream(u.who, u.random.IntN(2) == 0)
		if err != nil {
			p.rec.fault(u.who, "no stream: %v", err)
			return
		}
		// A write may wait for a server that waits for this client to read.
		gone := time.AfterFunc(2*time.Second, func() { _ = stream.Close() })
		way := ways[u.random.IntN(len(ways))]
		p.rec.sent("ugly: "+way.name, "stream")
		way.do(u, stream)
		u.pause(50 * time.Millisecond)
		gone.Stop()
		_ = stream.Close()
	}
}

func (u *ugly) say(w io.Writer, msgs ...[]byte) {
	for _, msg := range msgs {
		if _, err := w.Write(append(msg, '\n')); err != nil {
			return
		}
	}
}

func (u *ugly) greet(w io.Writer) {
	u.say(w, requestText("0", "initialize", initializeParams("2025-11-25")), notificationText("notifications/initialized", nil))
}

// get is a request for a prompt, which asks for its progress.
func (u *ugly) get(id int, name string, args object) []byte {
	return requestText(fmt.Sprint(id), methodGet, object{"name": name, "arguments": args, "_meta": object{"progressToken": id}})
}

func (u *ugly) stopReading(s duplex) {
	few := u.random.Int64N(1000) // bytes, so that the first answers may get through
	go func() {                  // ends with the stream, which its owner closes
		_, _ = io.CopyN(io.Discard, s, few)
	}()
	u.greet(s)
	for i := range 100 {
		u.say(s, u.get(i, "do-steps", nil), requestText(fmt.Sprint(1000+i), methodList, nil))
	}
}

func (u *ugly) leaveInMessage(s duplex) {
	msg := u.get(1, "do-wait", object{"for": "1s"})
	_, _ = s.Write(msg[:u.random.IntN(len(msg))])
}

func (u *ugly) sendTooMuch(s duplex) {
	block := []byte(strings.Repeat("x", 64<<10))
	for range u.random.IntN(64) {
		if _, err := s.Write(block); err != nil {
			return
		}
	}
}

// flood asks for more than may run and wait, and reads it all.
func (u *ugly) flood(s duplex) {
	go func() { // ends with the stream, which its owner closes
		_, _ = io.Copy(io.Discard, s)
	}()
	u.greet(s)
	for i := range 200 {
		u.say(s, u.get(i, "do-wait", object{"for": "300ms"}))
	}
	if u.random.IntN(2) == 0 {
		s.hangUp() // and waits for the answers
		u.pause(500 * time.Millisecond)
	}
}

func (u *ugly) sendAnything(s duplex) {
	go func() { // ends with the stream, which its owner closes
		_, _ = io.Copy(io.Discard, s)
	}()
	words := []string{"{", "}", "[", "]", `"jsonrpc":"2.0"`, `"id":1`, ",", ":", "\n", `"method":"ping"`, "\x00", "\xff", `"\u0000"`, "1e999", "null"}
	var b strings.Builder
	for range 10000 {
		b.WriteString(words[u.random.IntN(len(words))])
	}
	_, _ = io.WriteString(s, b.String())
}

func (u *ugly) subscribeAndLeave(s duplex) {
	go func() { // ends with the stream, which its owner closes
		_, _ = io.Copy(io.Discard, s)
	}()
	for i := range 80 { // more than there may be
		u.say(s, requestText(fmt.Sprint(i), methodListen, envelope(object{"notifications": object{"promptsListChanged": true}}, false)))
	}
	u.say(s, u.get(100, "do-ask", object{"topic": "x"}))
	u.pause(100 * time.Millisecond)
}
