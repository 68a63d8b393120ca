package prompttest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

func (c *Client) read() {
	for {
		raw, err := c.conn.Read(c.ctx)
		switch {
		case err == nil:
		case c.ctx.Err() != nil:
			return
		case errors.Is(err, io.EOF):
			c.fail(errors.New("server has closed the connection"), false)
			return
		default:
			c.fail(fmt.Errorf("reading from the server: %w", err), true)
			return
		}
		m, err := readMessage(raw)
		if err == nil {
			err = c.take(m)
		}
		if err != nil {
			c.fail(fmt.Errorf("invalid message from the server: %w\n\t%s", err, received(raw)), true)
		}
	}
}

// take gives a message to the code that waits for it. It returns an error if the
// message is invalid in this protocol version or at this point.
func (c *Client) take(m *message) error {
	if m.method == "ping" && m.id != nil && !c.protocol.Stateless() {
		c.running.Go(func() { _ = c.transportWrite(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{}}`, m.id)) })
		return nil
	}
	err := c.sort(m)
	if err == nil && c.isNotified(m) {
		c.options.OnNotification(m.method, m.params)
	}
	return err
}

func (c *Client) isNotified(m *message) bool {
	return c.options.OnNotification != nil && m.method != "" && m.id == nil && m.method != listChanged && m.method != acknowledgedMethod
}

func (c *Client) sort(m *message) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failure != nil {
		return nil // and read on, for a server that waits until it is read
	}
	defer c.signal()
	switch {
	case m.isBatch:
		return c.takeBatch(m)
	case m.method == "":
		return c.takeResponse(m)
	case m.id == nil:
		return c.takeNotification(m)
	}
	return c.takeRequest(m)
}

func (c *Client) takeBatch(m *message) error {
	if !c.protocol.Batches() || c.owed == 0 {
		return errors.New("server must send a batch only as the response to a batch (JRP-29)")
	}
	c.owed = 0
	return c.queue(m)
}

func (c *Client) takeResponse(m *message) error {
	id := string(m.id)
	for token, p := range c.tokens {
		if p.id == id {
			delete(c.tokens, token)
		}
	}
	if p := c.pending[id]; p != nil {
		delete(c.pending, id)
		c.settled[id] = true
		p.response = m
		if c.capabilities == nil { // and what comes next may need them
			var first struct{ Capabilities map[string]map[string]any }
			_ = json.Unmarshal(m.result, &first) // errors are found by the one who waits for it
			c.capabilities = first.Capabilities
		}
		if id == c.listen && m.failure == nil && subscriptionOf(m.result) != id {
			return errors.New("result that ends the subscription must have the id of the subscription in _meta (SUB-12)")
		}
		return nil
	}
	answered, isOwn := c.settled[id]
	switch {
	case isOwn && answered:
		return fmt.Errorf("request %s has already been answered (JRP-06)", id)
	case isOwn: // and too late
		c.settled[id] = true
		return nil
	case c.owed > 0:
		c.owed--
		return c.queue(m)
	case m.id == nil:
		return errors.New("response must have an id, because every message of the client has been readable (JRP-14)")
	}
	return fmt.Errorf("response has the id %s, which no pending request has (JRP-06)", id)
}

func (c *Client) queue(m *message) error {
	if len(c.unclaimed) == mostUnclaimed {
		return fmt.Errorf("%d messages already wait for Receive; call Receive, or set ClientOptions.OnNotification", mostUnclaimed)
	}
	c.unclaimed = append(c.unclaimed, m.raw)
	return nil
}

func (c *Client) takeNotification(m *message) error {
	if err := c.checkNotification(m); err != nil {
		return err
	}
	id := ""
	if c.protocol.Stateless() {
		id = subscriptionOf(m.params)
		if err := c.checkSubscription(m, id); err != nil {
			return err
		}
	}
	switch isOwn := id == c.listen; {
	case m.method == listChanged && isOwn:
		c.changes++
	case m.method == acknowledgedMethod && isOwn, c.isNotified(m):
	default:
		return c.queue(m)
	}
	return nil
}

// checkNotification returns an error if a notification of the server is invalid: the
// protocol version does not have its method, or neither the capabilities of the server
// nor a request allow it.
func (c *Client) checkNotification(m *message) error {
	o := &object{rule: "schema ServerNotification", name: m.method}
	if m.params != nil {
		o = newObject(o.rule, m.method, m.params)
	}
	isNewest, isKnown := c.protocol.Stateless(), true
	switch m.method {
	case listChanged, "notifications/tools/list_changed", "notifications/resources/list_changed":
		group := strings.Split(m.method, "/")[1]
		if c.capabilities[group]["listChanged"] != true {
			o.breaks("LCH-02", "needs the capability %s.listChanged, which the server has not declared", group)
		}
		o.rule = "LCH-03"
		o.take("_meta")
		return o.end()
	case "notifications/progress":
		return c.checkProgress(o)
	case "notifications/message":
		if c.capabilities["logging"] == nil {
			o.breaks("LOG-02", "needs the capability logging, which the server has not declared")
		}
		if isNewest && !c.logs {
			o.breaks("LOG-06", "needs a request with a logLevel, which the client has not sent")
		}
	case "notifications/cancelled", "notifications/resources/updated":
	case "notifications/elicitation/complete", "notifications/tasks/status":
		isKnown = c.protocol.ElicitationModes() && !isNewest
	case acknowledgedMethod:
		isKnown = isNewest
	default:
		isKnown = false
	}
	if !isKnown {
		o.reject("is not a notification of protocol version %s", c.protocol.String())
	}
	return o.err
}

func (c *Client) checkProgress(o *object) error {
	o.rule = "PRO-03"
	token := string(o.take("progressToken"))
	var done, total float64
	o.must("progress", "a number", &done)
	o.read("total", "a number", &total)
	if c.protocol.ProgressMessages() {
		o.text("message")
	}
	o.take("_meta")
	p := c.tokens[token]
	switch {
	case p == nil:
		o.breaks("PRO-02", "has the progressToken %s, which no request in flight has", token)
	case p.last >= done:
		o.breaks("PRO-04", "must have a progress above %v, got %v", p.last, done)
	default:
		p.last = done
	}
	return o.end()
}

// subscriptionOf returns the id of the subscription that params or a result are
// of, as JSON, and the empty string if they are of none.
func subscriptionOf(raw json.RawMessage) string {
	var members struct {
		Meta map[string]json.RawMessage `json:"_meta"`
	}
	_ = json.Unmarshal(raw, &members)
	return string(members.Meta["io.modelcontextprotocol/subscriptionId"])
}

// checkSubscription returns an error if a notification does not fit the subscription with an id. An
// empty id stands for no subscription. The protocol version has subscriptions.
func (c *Client) checkSubscription(m *message, id string) error {
	isSubscribed := m.method == acknowledgedMethod || strings.HasSuffix(m.method, "/list_changed") || m.method == "notifications/resources/updated"
	p := c.pending[id]
	switch isAcknowledgement := m.method == acknowledgedMethod; {
	case id == "" && isSubscribed:
		return fmt.Errorf("%s must have the id of a subscription in _meta in protocol version %s (LCH-05, MET-11)", m.method, c.protocol.String())
	case id == "" || c.listens[id]:
		return nil
	case id != c.listen:
		return fmt.Errorf("%s has the unknown subscription id %s (SUB-07)", m.method, id)
	case p == nil:
		return fmt.Errorf("%s was sent after the end of its subscription (SUB-11)", m.method)
	case isAcknowledgement && p.isAcknowledged:
		return errors.New("subscription has already been acknowledged (SUB-04)")
	case isAcknowledgement:
		var params struct {
			Notifications struct{ PromptsListChanged bool }
		}
		_ = json.Unmarshal(m.params, &params)
		p.isAcknowledged, p.isHonored = true, params.Notifications.PromptsListChanged
		return nil
	case !p.isAcknowledged:
		return fmt.Errorf("%s was sent before the acknowledgement of its subscription (SUB-04)", m.method)
	case m.method == listChanged:
		return nil
	}
	return fmt.Errorf("%s is not part of the subscription (SUB-03)", m.method)
}

func (c *Client) takeRequest(m *message) error {
	if c.protocol.Stateless() {
		return fmt.Errorf("server must not send requests in protocol version %s, got %s (JRP-36)", c.protocol.String(), m.method)
	}
	q := newQuestion("", m.method, m.params)
	switch err := c.checkAsked(q); {
	case err != nil:
		return err
	case c.options.Answer != nil && len(c.pending) > 0:
		c.questions = append(c.questions, &asked{question: q, id: m.id})
		return nil
	}
	return c.queue(m)
}

func (c *Client) checkAsked(q Question) error {
	capability, _, _ := strings.Cut(q.Method, "/")
	if _, ok := c.declared[capability]; ok {
		return nil
	}
	return fmt.Errorf("client has not declared the capability %s, but the server asks (%s: %s); set ClientOptions.Answer (LIF-20, MRT-07)",
		capability, q.Method, q.Message)
}
