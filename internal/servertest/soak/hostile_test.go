package soak

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// hostile is a client that keeps no rule. It checks what a flood is answered
// with, and nothing else.
type hostile struct {
	*reporter
	soak *soak
	r    *rand.Rand
}

const (
	hello       = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"hostile","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	modern      = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	listen      = `{"jsonrpc":"2.0","id":%d,"method":"subscriptions/listen","params":{"notifications":{"promptsListChanged":true},` + modern + `}}`
	wait        = `{"jsonrpc":"2.0","id":%d,"method":"prompts/get","params":{"name":"do-wait","_meta":{"progressToken":%[1]d}}}`
	ask         = `{"jsonrpc":"2.0","id":%d,"method":"prompts/get","params":{"name":"do-ask","arguments":{"topic":"x"}}}`
	overrun     = `{"jsonrpc":"2.0","id":%d,"method":"prompts/get","params":{"name":"do-overrun"}}`
	complete    = `{"jsonrpc":"2.0","id":%d,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"stay-000"},"argument":{"name":"city","value":"a"}}}`
)

func (h *hostile) pause(longest time.Duration) { time.Sleep(time.Duration(h.r.Int64N(int64(longest)))) }

func (h *hostile) words(n int, words ...string) string {
	var b strings.Builder
	for range n {
		b.WriteString(words[h.r.IntN(len(words))])
	}
	return b.String()
}

// streamWays are what a hostile client does with a stream.
var streamWays = []func(h *hostile, s duplex){
	func(h *hostile, s duplex) { // stops reading
		few := h.r.Int64N(1000) // bytes
		go func() { _, _ = io.CopyN(io.Discard, s, few) }()
		// A write may wait for a server that waits for this client to read.
		defer time.AfterFunc(time.Second, func() { _ = s.Close() }).Stop()
		h.say(s, hello, initialized)
		for i := range 100 {
			h.say(s, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"prompts/list"}`, i))
		}
	},
	func(h *hostile, s duplex) { // leaves in a message
		_, _ = io.WriteString(s, hello[:h.r.IntN(len(hello))])
	},
	func(h *hostile, s duplex) { // sends a message that is too large
		_, _ = io.WriteString(s, strings.Repeat("x", h.r.IntN(4*mostBytes)))
	},
	func(h *hostile, s duplex) { // floods with prompts, and leaves
		go func() { _, _ = io.Copy(io.Discard, s) }()
		h.say(s, hello, initialized, fmt.Sprintf(overrun, 1))
		for i := range 200 {
			h.say(s, fmt.Sprintf(wait, 2+i))
		}
	},
	func(h *hostile, s duplex) { // sends anything
		go func() { _, _ = io.Copy(io.Discard, s) }()
		_, _ = io.WriteString(s, h.words(10000, "{", "}", "[", "]", `"jsonrpc":"2.0"`, `"id":1`, ",", ":", "\n", `"method":"ping"`, "\x00", "\xff", `"\u0000"`, "1e999", "null"))
	},
	func(h *hostile, s duplex) { // subscribes more often than it may, is asked, and leaves
		go func() { _, _ = io.Copy(io.Discard, s) }()
		for i := range 80 {
			h.say(s, fmt.Sprintf(listen, i))
		}
		h.say(s, hello, initialized, fmt.Sprintf(ask, 100))
	},
	func(h *hostile, s duplex) {}, // says nothing
	(*hostile).floodCompletions,
}

func (h *hostile) say(w io.Writer, lines ...string) {
	for _, line := range lines {
		_, _ = io.WriteString(w, line+"\n") // the server may have closed
	}
}

// floodCompletions sends more than the rate allows and the queue holds. Each
// request has one answer: a result, or an error that says to come later.
func (h *hostile) floodCompletions(s duplex) {
	const n = 3000
	go func() {
		h.say(s, hello, initialized)
		for i := range n {
			h.say(s, fmt.Sprintf(complete, 1+i))
		}
		s.hangUp()
	}()
	answers, lines := map[string]int{}, bufio.NewScanner(s)
	for lines.Scan() {
		id, rest, _ := strings.Cut(strings.TrimPrefix(lines.Text(), `{"jsonrpc":"2.0","id":`), ",")
		if strings.HasPrefix(rest, `"result":`) || strings.Contains(rest, `"code":-32603`) {
			answers[id]++
		} else if !strings.Contains(rest, `"method"`) && !strings.Contains(lines.Text(), "list_changed") {
			h.Errorf("a flood of completions: %.300s", lines.Text())
		}
	}
	for i := range n + 1 {
		if got := answers[fmt.Sprint(i)]; got != 1 {
			h.Errorf("a flood of completions: the request %d has %d answers", i, got)
			return
		}
	}
}

// head is that of a POST, or of another method.
func (h *hostile) head(method string, length int, more ...string) string {
	return fmt.Sprintf("%s / HTTP/1.1\r\nHost: localhost\r\n%s: %s\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n",
		method, principalHeader, h.who, length, strings.Join(more, ""))
}

// post is a POST with a body.
func (h *hostile) post(body string, more ...string) string {
	return h.head("POST", len(body), more...) + body
}

// raw sends a text over a connection of its own, calls then, and closes it.
func (h *hostile) raw(text string, then func(c net.Conn)) {
	c, err := net.Dial("tcp", h.soak.address)
	if err != nil {
		h.Errorf("no connection: %v", err)
		return
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(readTimeout + time.Second)) // a TCP connection has one
	_, _ = io.WriteString(c, text)
	h.pause(20 * time.Millisecond)
	then(c)
}

func nothing(net.Conn) {}

// session opens a session, which is left behind.
func (h *hostile) session() (header string) {
	h.raw(h.post(hello), func(c net.Conn) {
		response, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			return // the server has no room
		}
		defer response.Body.Close()
		if id := response.Header.Get("Mcp-Session-Id"); id != "" {
			h.soak.leave(id, h.who)
			header = "Mcp-Session-Id: " + id + "\r\n"
		}
	})
	return header
}

// httpWays are what a hostile client does over HTTP.
var httpWays = []func(h *hostile){
	func(h *hostile) { // leaves in the head
		head := h.head("POST", 100)
		h.raw(head[:h.r.IntN(len(head))], nothing)
	},
	func(h *hostile) { h.raw(h.head("POST", len(hello))+hello[:h.r.IntN(len(hello))], nothing) }, // leaves in the body
	func(h *hostile) { // announces a large body, and waits until the server has had enough
		h.raw(h.head("POST", mostBytes/2)+strings.Repeat(" ", h.r.IntN(1000)), func(c net.Conn) {
			if h.r.IntN(4) == 0 {
				_, _ = io.Copy(io.Discard, c)
			}
		})
	},
	func(h *hostile) { // leaves before the answer, with a session and without
		h.raw(h.post(fmt.Sprintf(wait, 1), h.session()), nothing)
		body := strings.Replace(fmt.Sprintf(wait, 1), `"_meta":{`, modern[:len(modern)-1]+`,`, 1)
		h.raw(h.post(body, "Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: prompts/get\r\nMcp-Name: do-wait\r\n"), nothing)
	},
	func(h *hostile) { // opens streams of a session that it does not read
		session := h.session()
		h.raw(h.post(initialized, session), nothing)
		for range 3 { // each takes the place of the one before
			h.raw(h.head("GET", 0, session), nothing)
		}
	},
	func(h *hostile) { // deletes a session with requests and a stream in progress
		var all sync.WaitGroup
		defer all.Wait()
		session := h.session()
		for _, text := range []string{h.post(fmt.Sprintf(wait, 1), session), h.post(fmt.Sprintf(ask, 2), session), h.head("GET", 0, session)} {
			own := &hostile{h.reporter, h.soak, rand.New(rand.NewPCG(h.r.Uint64(), 0))}
			all.Go(func() { own.raw(text, func(c net.Conn) { own.pause(100 * time.Millisecond) }) })
		}
		h.raw(h.head("DELETE", 0, session), nothing)
	},
	func(h *hostile) { // opens more streams than one client may have
		var open []net.Conn
		for range mostOfClient + mostOfClient/2 {
			c, err := net.Dial("tcp", h.soak.address)
			if err != nil {
				h.Errorf("no connection: %v", err)
				break
			}
			open = append(open, c)
			_, _ = io.WriteString(c, h.post(fmt.Sprintf(listen, 1), "Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: subscriptions/listen\r\n"))
		}
		h.pause(300 * time.Millisecond)
		for _, c := range open {
			_ = c.Close()
		}
	},
	func(h *hostile) { // leaves sessions behind
		for range 20 {
			h.session()
		}
	},
	func(h *hostile) { // sends a body that is too large, in chunks
		head := strings.Replace(h.head("POST", 0), "Content-Length: 0", "Transfer-Encoding: chunked", 1)
		h.raw(head+strings.Repeat("10000\r\n"+strings.Repeat("x", 1<<16)+"\r\n", 2*mostBytes>>16), nothing)
	},
	func(h *hostile) { // sends anything
		h.raw(h.words(50, "POST / HTTP/1.1\r\n", "Host: x\r\n", "\r\n", "\x00", "{", "}", "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n", "\xff", "GET ", "5\r\n"), nothing)
	},
}

// attack does one thing, over a stream or over HTTP.
func (s *soak) attack(number, way int, r *rand.Rand) {
	who := fmt.Sprintf("hostile-%d", number)
	h := &hostile{reporter: &reporter{to: s, who: who}, soak: s, r: r}
	if way >= len(streamWays) {
		httpWays[way-len(streamWays)](h)
		return
	}
	stream := s.open(who)
	defer stream.Close()
	streamWays[way](h, stream)
	h.pause(50 * time.Millisecond)
}
