package prompttest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// read takes what the server sends until there is no more.
func (c *Client) read() {
	for {
		raw, err := c.transport.Read(c.ctx)
		switch {
		case err == nil:
		case c.ctx.Err() != nil:
			return
		case errors.Is(err, io.EOF):
			c.fail(errors.New("the server has closed the connection"), false)
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
			c.fail(fmt.Errorf("the server has sent what it should not: %w\n\t%s", err, received(raw)), true)
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
		c.options.Notified(m.method, m.params)
	}
	return err
}

// isNotified reports whether a message is one for ClientOptions.Notified.
func (c *Client) isNotified(m *message) bool {
	return c.options.Notified != nil && m.method != "" && m.id == nil && m.method != listChanged && m.method != acknowledgedMethod
}

// sort puts a message where it is waited for.
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
		return errors.New("no batch was asked for (JRP-29)")
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
			return errors.New("the result that ends the subscription does not have its id in _meta (SUB-12)")
		}
		return nil
	}
	answered, isOwn := c.settled[id]
	switch {
	case isOwn && answered:
		return fmt.Errorf("the request %s has been answered before (JRP-06)", id)
	case isOwn: // and too late
		c.settled[id] = true
		return nil
	case c.owed > 0:
		c.owed--
		return c.queue(m)
	case m.id == nil:
		return errors.New("an answer without an id, and nothing was sent that could not be read (JRP-14)")
	}
	return fmt.Errorf("no request with the id %s waits for an answer (JRP-06)", id)
}

// queue keeps a message for Receive.
func (c *Client) queue(m *message) error {
	if len(c.unclaimed) == mostUnclaimed {
		return fmt.Errorf("%d messages wait for Receive already", mostUnclaimed)
	}
	c.unclaimed = append(c.unclaimed, m.raw)
	return nil
}

const acknowledgedMethod = "notifications/subscriptions/acknowledged"

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
			o.breaks("LCH-02", "is sent, and the server has not declared the capability %s.listChanged", group)
		}
		o.rule = "LCH-03"
		o.take("_meta")
		return o.end()
	case "notifications/progress":
		return c.checkProgress(o)
	case "notifications/message":
		if c.capabilities["logging"] == nil {
			o.breaks("LOG-02", "is sent, and the server has not declared the capability logging")
		}
		if isNewest && !c.logs {
			o.breaks("LOG-06", "is sent, and no request has asked for it by its logLevel")
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
		o.reject("is no notification of revision %s", c.protocol.String())
	}
	return o.err
}

// checkProgress returns an error if the params of a progress notification are
// invalid.
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
		o.breaks("PRO-04", "has the progress %v after %v", done, p.last)
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

// checkSubscription returns an error if a notification does not fit the subscription
// with an id. An empty id stands for no subscription. The protocol version has
// subscriptions.
func (c *Client) checkSubscription(m *message, id string) error {
	isSubscribed := m.method == acknowledgedMethod || strings.HasSuffix(m.method, "/list_changed") || m.method == "notifications/resources/updated"
	p := c.pending[id]
	switch isAcknowledgement := m.method == acknowledgedMethod; {
	case id == "" && isSubscribed:
		return errors.New("in this revision a notification belongs to a subscription, and this one names none (LCH-05, MET-11)")
	case id == "" || c.listens[id]:
		return nil
	case id != c.listen:
		return fmt.Errorf("there is no subscription with the id %s (SUB-07)", id)
	case p == nil:
		return errors.New("the subscription has ended before (SUB-11)")
	case isAcknowledgement && p.isAcknowledged:
		return errors.New("the subscription has been acknowledged before (SUB-04)")
	case isAcknowledgement:
		var params struct {
			Notifications struct{ PromptsListChanged bool }
		}
		_ = json.Unmarshal(m.params, &params)
		p.isAcknowledged, p.isHonored = true, params.Notifications.PromptsListChanged
		return nil
	case !p.isAcknowledged:
		return errors.New("the subscription has not been acknowledged before (SUB-04)")
	case m.method == listChanged:
		return nil
	}
	return errors.New("this client has not subscribed to that (SUB-03)")
}

func (c *Client) takeRequest(m *message) error {
	if c.protocol.Stateless() {
		return errors.New("in this revision a server sends no requests (JRP-36)")
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

// checkAsked returns an error if the client cannot be asked that.
func (c *Client) checkAsked(q Question) error {
	capability, _, _ := strings.Cut(q.Method, "/")
	if _, ok := c.declared[capability]; ok {
		return nil
	}
	return fmt.Errorf("the client has not declared the capability %s, and is asked (%s: %s): set ClientOptions.Answer (LIF-20, MRT-07)",
		capability, q.Method, q.Message)
}

// transportWrite sends a message, as long as that takes.
func (c *Client) transportWrite(msg []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	return c.transport.Write(c.ctx, msg)
}
