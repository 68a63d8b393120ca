package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// stream is the response to a subscription. When its replica ends it, or is down,
// the balancer opens the subscription at another replica and continues, so that the
// client sees one stream. The client is then notified of a change, because there may
// have been one meanwhile.
//
// Clients that open a stream again when it ends need none of this. The client of the
// official Go SDK 1.8.0 does not: without it, a restart of the replicas leaves such
// clients without notifications.
type stream struct {
	balancer *balancer
	request  *http.Request
	replica  *bufio.Reader
	close    func() error // of what is read from
	isOpen   bool         // the client has the acknowledgement of the subscription
	isWanted bool         // that the stream continues: the subscription is one of prompts
	hops     int          // from replica to replica, without an acknowledgement
	events   bytes.Buffer // that the client has not read yet
	err      error        // that it gets after them
}

// message is what a stream has to know of an event.
type message struct {
	Method string
	Params struct {
		Meta          json.RawMessage `json:"_meta"`
		Notifications struct{ PromptsListChanged bool }
	}
}

func isSubscription(r *http.Request) bool {
	return r.Header.Get("Mcp-Method") == "subscriptions/listen"
}

func isStream(r *http.Response) bool {
	return r.StatusCode == http.StatusOK && strings.HasPrefix(r.Header.Get("Content-Type"), "text/event-stream")
}

// newStream returns the stream of a request whose response has the body. cancel
// ends the request to the replica.
func newStream(b *balancer, r *http.Request, body io.ReadCloser, cancel func()) *stream {
	return &stream{balancer: b, request: r, replica: bufio.NewReader(body), close: func() error {
		cancel()
		return body.Close()
	}}
}

// Close ends the request to the replica.
func (s *stream) Close() error { return s.close() }

// Read reads what the client gets.
func (s *stream) Read(p []byte) (int, error) {
	for s.events.Len() == 0 {
		if s.err != nil {
			return 0, s.err
		}
		s.next()
	}
	return s.events.Read(p)
}

// next reads one event of the replica.
func (s *stream) next() {
	event, err := readEvent(s.replica)
	var m message
	data, isMessage := bytes.CutPrefix(event, []byte("data: "))
	if _, after, found := bytes.Cut(event, []byte("\ndata: ")); found {
		data, isMessage = after, true
	}
	if isMessage && json.Unmarshal(data, &m) != nil {
		m.Method = "unknown" // it is the client's to judge
	}
	switch {
	case err != nil || isMessage && m.Method == "": // the response, which ends the subscription
		isCut := err != nil && !s.isOpen // before the replica has said what it subscribes to
		if (s.isWanted || isCut) && s.hops < len(s.balancer.targets) && s.reopen() {
			s.hops++
			return
		}
		s.err = io.EOF
		if err != nil {
			s.err = err
		}
	case m.Method == "notifications/subscriptions/acknowledged":
		if s.isOpen && s.hops > 0 {
			event = fmt.Appendf(nil, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/prompts/list_changed\",\"params\":{\"_meta\":%s}}\n\n", m.Params.Meta)
		}
		s.isOpen = true
		s.isWanted, s.hops = m.Params.Notifications.PromptsListChanged, 0
	}
	s.events.Write(event)
}

// readEvent reads up to an empty line.
func readEvent(r *bufio.Reader) ([]byte, error) {
	var event []byte
	for {
		line, err := r.ReadSlice('\n')
		event = append(event, line...)
		if err == nil && len(bytes.TrimRight(line, "\r\n")) > 0 || err == bufio.ErrBufferFull {
			continue
		}
		return event, err
	}
}

// reopen opens the subscription at another replica, and reports whether one has
// taken it. An acknowledgement comes first again.
func (s *stream) reopen() bool {
	if s.balancer.ctx.Err() != nil || s.request.Context().Err() != nil {
		return false
	}
	_ = s.close()
	for _, t := range s.balancer.turn() {
		response, err := s.balancer.send(s.request, t)
		if err != nil {
			continue
		}
		if other, ok := response.Body.(*stream); ok {
			s.replica, s.close = other.replica, other.close
			return true
		}
		_ = response.Body.Close()
	}
	return false
}
