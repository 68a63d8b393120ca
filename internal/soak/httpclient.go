package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	headerSession = "Mcp-Session-Id"
	headerVersion = "Mcp-Protocol-Version"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
)

// httpCarrier carries messages over HTTP.
type httpCarrier struct {
	conn   *conn
	client *http.Client
	posts  sync.WaitGroup // the goroutines that read replies
	stop   context.CancelFunc
	ctx    context.Context // of streams

	mu      sync.Mutex // protects the field below
	session string
}

var _ carrier = (*httpCarrier)(nil)

// newHTTPClient returns a client with connections of its own.
func newHTTPClient(o options) *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8, DisableCompression: true, ResponseHeaderTimeout: 2 * o.patience}}
}

// openHTTP returns the connection of a good client over HTTP.
func openHTTP(p *place, who, version string, judged bool) *conn {
	c := newConn(p, who, version)
	if judged {
		c.judge = newJudge(p.rec, who, true)
	}
	h := &httpCarrier{conn: c, client: newHTTPClient(p.options)}
	h.ctx, h.stop = context.WithCancel(context.Background())
	c.carrier = h
	return c
}

// build returns a request to the server.
func (p *place) build(ctx context.Context, method, principal string, body []byte) *http.Request {
	r, err := http.NewRequestWithContext(ctx, method, "http://"+p.address, bytes.NewReader(body))
	if err != nil { // of our own making
		panic(err)
	}
	if body == nil {
		r.Body, r.ContentLength = nil, 0
	}
	r.Header.Set(headerPrincipal, principal)
	r.Header.Set("Accept", "application/json, text/event-stream")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

func (h *httpCarrier) build(ctx context.Context, method string, body []byte) *http.Request {
	r := h.conn.place.build(ctx, method, h.conn.who, body)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.session != "" {
		r.Header.Set(headerSession, h.session)
		r.Header.Set(headerVersion, h.conn.version)
	}
	return r
}

func (h *httpCarrier) request(ctx context.Context, msg []byte, method, name string, ids []string) error {
	h.conn.judge.client(msg)
	r := h.build(ctx, http.MethodPost, msg)
	if h.conn.isModern() {
		r.Header.Set(headerVersion, modern)
		r.Header.Set(headerMethod, method)
		if method == methodGet {
			r.Header.Set(headerName, nameInHeader(name))
		}
	}
	h.posts.Go(func() {
		defer h.conn.ended(ids)
		response, err := h.client.Do(r)
		if err != nil {
			if ctx.Err() == nil {
				h.conn.fault("%s: %v", method, err)
			}
			return
		}
		defer response.Body.Close()
		h.conn.place.rec.answered(fmt.Sprint("status ", response.StatusCode))
		if response.StatusCode != http.StatusOK {
			body, _ := io.ReadAll(response.Body)
			h.conn.fault("%s: status %d: %.200s", method, response.StatusCode, body)
			return
		}
		if method == "initialize" {
			h.mu.Lock()
			h.session = response.Header.Get(headerSession)
			h.mu.Unlock()
		}
		if err := h.read(response); err != nil && ctx.Err() == nil {
			h.conn.fault("%s: the reply has ended: %v", method, err)
		}
	})
	return nil
}

// nameInHeader returns a name as a header can carry it.
func nameInHeader(name string) string {
	if strings.TrimSpace(name) == name {
		return name
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(name)) + "?="
}

// read reads a reply: one message, or a stream of them.
func (h *httpCarrier) read(response *http.Response) error {
	switch kind := response.Header.Get("Content-Type"); kind {
	case "application/json":
		body, err := io.ReadAll(response.Body)
		if err == nil {
			h.conn.receive(body)
		}
		return err
	case "text/event-stream":
		all := lines(response.Body)
		for all.Scan() {
			switch line := all.Text(); {
			case line == "", strings.HasPrefix(line, ":"):
			case strings.HasPrefix(line, "data: "):
				h.conn.receive([]byte(strings.TrimPrefix(line, "data: ")))
			default:
				h.conn.fault("what has come is no event: %.200s", line)
			}
		}
		return all.Err()
	default:
		h.conn.fault("the reply has the type %q", kind)
		return nil
	}
}

func (h *httpCarrier) notify(msg []byte, method string) error {
	h.conn.judge.client(msg)
	r := h.build(h.ctx, http.MethodPost, msg)
	status, body, err := do(h.client, r)
	if err != nil {
		return err
	}
	h.conn.place.rec.answered(fmt.Sprint("status ", status))
	if status != http.StatusAccepted {
		return fmt.Errorf("%s: status %d: %.200s", method, status, body)
	}
	return nil
}

// do sends a request and reads the whole reply.
func do(client *http.Client, r *http.Request) (status int, body []byte, err error) {
	response, err := client.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	body, err = io.ReadAll(response.Body)
	return response.StatusCode, body, err
}

// listen opens the stream on which a session hears of changes. It returns when
// that is open: the session may end right afterwards.
func (h *httpCarrier) listen() {
	r := h.build(h.ctx, http.MethodGet, nil)
	h.conn.place.rec.sent("GET", h.conn.version)
	opened := make(chan struct{})
	defer func() { <-opened }()
	h.posts.Go(func() {
		response, err := h.client.Do(r)
		close(opened)
		if err != nil {
			if h.ctx.Err() == nil {
				h.conn.fault("GET: %v", err)
			}
			return
		}
		defer response.Body.Close()
		h.conn.place.rec.answered(fmt.Sprint("status ", response.StatusCode))
		if response.StatusCode != http.StatusOK {
			h.conn.fault("GET: status %d", response.StatusCode)
			return
		}
		if err := h.read(response); err != nil && h.ctx.Err() == nil {
			h.conn.fault("GET: the stream has ended: %v", err)
		}
	})
}

// close ends the session, after which there is none, and the streams.
func (h *httpCarrier) close() {
	defer h.client.CloseIdleConnections()
	h.mu.Lock()
	session := h.session
	h.mu.Unlock()
	if session != "" {
		ctx, cancel := context.WithTimeout(context.Background(), h.conn.place.options.patience)
		defer cancel()
		h.expect(h.build(ctx, http.MethodDelete, nil), http.StatusNoContent)
		h.expect(h.build(ctx, http.MethodPost, requestText("0", "ping", nil)), http.StatusNotFound)
	}
	// The stream of changes ends with the session; a subscription does not.
	if h.conn.isModern() {
		h.stop()
	}
	ended := make(chan struct{})
	go func() { // ends with the replies, which h.stop ends
		h.posts.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(h.conn.place.options.patience):
		h.conn.fault("a stream has not ended with its session")
	}
	h.stop()
	<-ended
}

func (h *httpCarrier) expect(r *http.Request, want int) {
	h.conn.place.rec.sent(r.Method, h.conn.version)
	status, body, err := do(h.client, r)
	if err != nil || status != want {
		h.conn.fault("%s: status %d instead of %d: %v: %.200s", r.Method, status, want, err, body)
		return
	}
	h.conn.place.rec.answered(fmt.Sprint("status ", status))
}
