package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	warmUp   = 300 * time.Millisecond
	revision = "2025-11-25"
	accept   = "application/json, text/event-stream"
)

// measure puts the load on the server with n connections, each with a session of its own.
func measure(ctx context.Context, p *process, name, workload string, n int, length time.Duration) (m measurement, err error) {
	clients := make([]*client, n)
	for i := range clients {
		if clients[i], err = connect(ctx, p.addr, name, workload); err != nil {
			return m, err
		}
		defer clients[i].close()
	}
	if _, _, err := rush(clients, warmUp); err != nil {
		return m, err
	}
	before, err := p.cpu()
	if err != nil {
		return m, err
	}
	latencies, took, err := rush(clients, length)
	if err != nil {
		return m, err
	}
	after, err := p.cpu()
	if err != nil {
		return m, err
	}
	m.Resident, err = p.resident()
	count := float64(len(latencies))
	slices.Sort(latencies)
	at := func(share float64) float64 { return float64(latencies[int(share*(count-1))].Nanoseconds()) / 1e3 }
	m.PerSecond, m.P50, m.P99 = count/took.Seconds(), at(0.50), at(0.99)
	m.CPU = float64((after - before).Microseconds()) / count
	return m, err
}

// rush has all clients ask for the time, one request after the other.
func rush(clients []*client, length time.Duration) (latencies []time.Duration, took time.Duration, err error) {
	var mu sync.Mutex
	var running sync.WaitGroup
	begun := time.Now()
	for _, c := range clients {
		running.Go(func() {
			var own []time.Duration
			var failed error
			for last := time.Now(); failed == nil && last.Sub(begun) < length; {
				failed = c.ask()
				now := time.Now()
				own, last = append(own, now.Sub(last)), now
			}
			mu.Lock()
			defer mu.Unlock()
			latencies, err = append(latencies, own...), errors.Join(err, failed)
		})
	}
	running.Wait()
	return latencies, time.Since(begun), err
}

// client is one connection. It takes less processor time than that of net/http.
type client struct {
	conn    net.Conn
	in      *bufio.Reader
	session string // the header lines
	request []byte // of the workload, verbatim
	size    int    // of the response
}

// close ends the session, so that it takes no memory of later measurements.
func (c *client) close() {
	if c.session != "" {
		_, _ = fmt.Fprintf(c.conn, "DELETE /mcp HTTP/1.1\r\nHost: localhost\r\n%s\r\n", c.session)
		if response, err := http.ReadResponse(c.in, nil); err == nil {
			_ = response.Body.Close()
		}
	}
	_ = c.conn.Close()
}

func connect(ctx context.Context, addr, name, workload string) (*client, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	c := &client{conn: conn, in: bufio.NewReader(conn)}
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":%q,"params":{"name":"prompt_050","arguments":{"code":"func f() {}","language":"go"}}}`, workload)
	session := ""
	if name != "net/http echo" {
		response, _, err := c.post("", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"`+revision+`","capabilities":{},"clientInfo":{"name":"load","version":"1"}}}`)
		if err != nil {
			return nil, err
		}
		session = "Mcp-Protocol-Version: " + revision + "\r\n"
		if id := response.Header.Get("Mcp-Session-Id"); id != "" {
			session += "Mcp-Session-Id: " + id + "\r\n"
		}
		if _, _, err := c.post(session, `{"jsonrpc":"2.0","method":"notifications/initialized"}`); err != nil {
			return nil, err
		}
	}
	c.session, c.request = session, rawRequest(session, body)
	_, answer, err := c.post(session, body)
	if err != nil {
		return nil, err
	}
	c.size = len(answer)
	return c, verify(name, answer)
}

// verify returns an error if the response has not the text of the prompt. The echo has its
// length.
func verify(name string, answer []byte) error {
	if name == "net/http echo" {
		return nil
	}
	for line := range strings.Lines(string(answer)) { // of an event stream, if it is one
		answer = []byte(strings.TrimPrefix(strings.TrimSpace(line), "data: "))
		var got struct {
			Result struct {
				Messages []struct{ Content struct{ Text string } }
				Content  []struct{ Text string }
			}
		}
		if json.Unmarshal(answer, &got) != nil {
			continue
		}
		for _, m := range got.Result.Messages {
			got.Result.Content = append(got.Result.Content, m.Content)
		}
		if len(got.Result.Content) == 1 && got.Result.Content[0].Text == text("go", "func f() {}") {
			return nil
		}
	}
	return fmt.Errorf("wrong response: %.300s", answer)
}

func rawRequest(session, body string) []byte {
	return fmt.Appendf(nil, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: %s\r\n%sContent-Length: %d\r\n\r\n%s", accept, session, len(body), body)
}

// post returns the response and its body.
func (c *client) post(session, body string) (*http.Response, []byte, error) {
	if _, err := c.conn.Write(rawRequest(session, body)); err != nil {
		return nil, nil, err
	}
	response, err := http.ReadResponse(c.in, nil)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode >= http.StatusMultipleChoices {
		err = fmt.Errorf("%s: %.300s", response.Status, answer)
	}
	return response, answer, err
}

// ask sends the request of the workload, and reads the response.
func (c *client) ask() error {
	if _, err := c.conn.Write(c.request); err != nil {
		return err
	}
	length, isChunked, status := 0, false, ""
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			break
		}
		name, value, _ := bytes.Cut(line, []byte(": "))
		switch {
		case status == "":
			status = string(line)
		case bytes.EqualFold(name, []byte("Content-Length")):
			if _, err := fmt.Sscan(string(value), &length); err != nil {
				return err
			}
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			isChunked = true
		}
	}
	if !strings.HasPrefix(status, "HTTP/1.1 200 ") {
		return errors.New(status)
	}
	if !isChunked {
		if length != c.size {
			return fmt.Errorf("got %d bytes, want %d", length, c.size)
		}
		_, err := c.in.Discard(length)
		return err
	}
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return err
		}
		size := 0
		if _, err := fmt.Sscanf(string(line), "%x", &size); err != nil {
			return err
		}
		if _, err := c.in.Discard(size + 2); err != nil || size == 0 {
			return err
		}
	}
}
