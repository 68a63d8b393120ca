package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// runUglyHTTP is the life of an ugly client over HTTP.
func (p *place) runUglyHTTP(ctx context.Context, number int) {
	u := &uglyHTTP{ugly: p.newUgly(number), client: newHTTPClient(p.options)}
	ways := []struct {
		name string
		do   func(*uglyHTTP)
	}{
		{"leaves in the headers", (*uglyHTTP).leaveInHeaders},
		{"leaves in the body", (*uglyHTTP).leaveInBody},
		{"holds the body back", (*uglyHTTP).holdBody},
		{"leaves before the answer", (*uglyHTTP).leaveBeforeAnswer},
		{"stops reading", (*uglyHTTP).stopReading},
		{"deletes what is under way", (*uglyHTTP).deleteUnderWay},
		{"floods with streams", (*uglyHTTP).floodStreams},
		{"leaves sessions behind", (*uglyHTTP).leaveSessions},
		{"sends too much", (*uglyHTTP).sendTooMuch},
		{"sends anything", (*uglyHTTP).sendAnything},
	}
	for ctx.Err() == nil {
		way := ways[u.random.IntN(len(ways))]
		p.rec.sent("ugly: "+way.name, "HTTP")
		way.do(u)
		u.client.CloseIdleConnections()
		u.pause(50 * time.Millisecond)
	}
}

type uglyHTTP struct {
	*ugly
	client *http.Client
}

// raw sends a text over a connection of its own, which it returns, or nil.
func (u *uglyHTTP) raw(text string) net.Conn {
	c, err := net.Dial("tcp", u.place.address)
	if err != nil {
		u.place.rec.fault(u.who, "no connection: %v", err)
		return nil
	}
	_ = c.SetDeadline(time.Now().Add(readTimeout + time.Second)) // a TCP connection has one
	_, _ = io.WriteString(c, text)
	return c
}

// head is that of a POST.
func (u *uglyHTTP) head(length int, more ...string) string {
	return fmt.Sprintf("POST / HTTP/1.1\r\nHost: localhost\r\n%s: %s\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n",
		headerPrincipal, u.who, length, strings.Join(more, ""))
}

func (u *uglyHTTP) leaveInHeaders() {
	text := u.head(100)
	if c := u.raw(text[:u.random.IntN(len(text))]); c != nil {
		u.pause(10 * time.Millisecond)
		_ = c.Close()
	}
}

func (u *uglyHTTP) leaveInBody() {
	msg := string(requestText("1", "initialize", initializeParams("2025-11-25")))
	if c := u.raw(u.head(len(msg)) + msg[:u.random.IntN(len(msg))]); c != nil {
		u.pause(10 * time.Millisecond)
		_ = c.Close()
	}
}

// holdBody announces a large body, and does not send it.
func (u *uglyHTTP) holdBody() {
	if c := u.raw(u.head(mostBytes/2) + strings.Repeat(" ", u.random.IntN(1000))); c != nil {
		if u.random.IntN(2) == 0 {
			_, _ = io.Copy(io.Discard, c) // until the server has had enough
		}
		_ = c.Close()
	}
}

// leaveBeforeAnswer goes while its prompt is rendered, with a session or
// without.
func (u *uglyHTTP) leaveBeforeAnswer() {
	args := object{"name": "do-wait", "arguments": object{"for": "500ms"}, "_meta": object{"progressToken": 1}}
	var c net.Conn
	if u.random.IntN(2) == 0 {
		msg := string(requestText("1", methodGet, envelope(args, true)))
		c = u.raw(u.head(len(msg), headerVersion+": "+modern+"\r\n", headerMethod+": "+methodGet+"\r\n", headerName+": do-wait\r\n") + msg)
	} else if session := u.open(); session != "" {
		msg := string(requestText("1", methodGet, args))
		c = u.raw(u.head(len(msg), headerSession+": "+session+"\r\n") + msg)
	}
	if c != nil {
		u.pause(100 * time.Millisecond)
		_ = c.Close()
	}
}

// open opens a session, which it leaves behind. It returns nothing if there is
// none to be had.
func (u *uglyHTTP) open() string {
	ctx, cancel := context.WithTimeout(context.Background(), u.place.options.patience)
	defer cancel()
	session, err := u.place.initialize(ctx, u.client, u.who)
	if err != nil {
		u.place.rec.answered("ugly: " + err.Error())
		return ""
	}
	u.place.leave(session, u.who)
	return session
}

// stopReading opens streams of changes that it does not read.
func (u *uglyHTTP) stopReading() {
	session := u.open()
	msg := string(notificationText("notifications/initialized", nil))
	if c := u.raw(u.head(len(msg), headerSession+": "+session+"\r\n") + msg); c != nil {
		_ = c.Close()
	}
	var all []net.Conn
	for range 3 { // each takes the place of the one before
		if c := u.raw(fmt.Sprintf("GET / HTTP/1.1\r\nHost: localhost\r\n%s: %s\r\n%s: %s\r\nAccept: text/event-stream\r\n\r\n", headerPrincipal, u.who, headerSession, session)); c != nil {
			all = append(all, c)
		}
	}
	u.pause(300 * time.Millisecond)
	for _, c := range all {
		_ = c.Close()
	}
}

// deleteUnderWay ends a session with a request and a stream under way.
func (u *uglyHTTP) deleteUnderWay() {
	session := u.open()
	var all sync.WaitGroup
	defer all.Wait()
	send := func(method string, body []byte) {
		ctx, cancel := context.WithTimeout(context.Background(), readTimeout+time.Second)
		defer cancel()
		q := u.place.build(ctx, method, u.who, body)
		q.Header.Set(headerSession, session)
		_, _, _ = do(u.client, q) // whatever comes of it
	}
	all.Go(func() { send(http.MethodPost, u.get(1, "do-wait", object{"for": "1s"})) })
	all.Go(func() { send(http.MethodPost, u.get(2, "do-ask", object{"topic": "x"})) })
	all.Go(func() { send(http.MethodGet, nil) })
	u.pause(20 * time.Millisecond)
	send(http.MethodDelete, nil)
}

// floodStreams opens more streams than one client may have.
func (u *uglyHTTP) floodStreams() {
	msg := requestText("1", methodListen, envelope(object{"notifications": object{"promptsListChanged": true}}, false))
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	for range mostOfClient + mostOfClient/2 {
		all.Go(func() {
			q := u.place.build(ctx, http.MethodPost, u.who, msg)
			q.Header.Set(headerVersion, modern)
			q.Header.Set(headerMethod, methodListen)
			response, err := u.client.Do(q)
			if err != nil {
				return
			}
			defer response.Body.Close()
			u.place.rec.answered(fmt.Sprint("status ", response.StatusCode, " in a flood"))
			_, _ = io.Copy(io.Discard, response.Body)
		})
	}
	u.pause(500 * time.Millisecond)
	cancel()
	all.Wait()
}

func (u *uglyHTTP) leaveSessions() {
	for range 20 {
		u.open()
	}
}

func (u *uglyHTTP) sendTooMuch() {
	c := u.raw(strings.Replace(u.head(0), "Content-Length: 0", "Transfer-Encoding: chunked", 1))
	if c == nil {
		return
	}
	block := "10000\r\n" + strings.Repeat("x", 1<<16) + "\r\n"
	for range 2 * mostBytes >> 16 {
		if _, err := io.WriteString(c, block); err != nil {
			break
		}
	}
	_ = c.Close()
}

func (u *uglyHTTP) sendAnything() {
	words := []string{"POST / HTTP/1.1\r\n", "Host: x\r\n", "\r\n", "\x00", "{", "}", "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n", "\xff", "GET ", "5\r\n"}
	var b strings.Builder
	for range 50 {
		b.WriteString(words[u.random.IntN(len(words))])
	}
	if c := u.raw(b.String()); c != nil {
		u.pause(10 * time.Millisecond)
		_ = c.Close()
	}
}
