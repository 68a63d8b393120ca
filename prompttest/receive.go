package prompttest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

const listChanged = "notifications/prompts/list_changed"

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
		if c.isBroken() {
			continue // and read on, for a server that waits until it is read
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

func (c *Client) isBroken() bool {
	select {
	case <-c.broken:
		return true
	default:
		return false
	}
}

// take gives a message to whoever waits for it, and returns what is wrong with
// it in this revision and at this point.
func (c *Client) take(m *message) error {
	switch {
	case m.isBatch:
		return c.takeBatch(m)
	case m.method == "":
		return c.takeAnswer(m)
	case m.id == nil:
		return c.takeNotification(m)
	}
	return c.takeRequest(m)
}

func (c *Client) takeBatch(m *message) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.protocol.Batches() || c.owed == 0 {
		return errors.New("no batch was asked for")
	}
	c.owed = 0
	return c.queue(m)
}

func (c *Client) takeAnswer(m *message) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	id := string(m.id)
	if p := c.pending[id]; p != nil {
		delete(c.pending, id)
		c.settled[id] = true
		p.answer <- m
		return nil
	}
	answered, isOwn := c.settled[id]
	switch {
	case isOwn && answered:
		return fmt.Errorf("the request %s has been answered before", id)
	case isOwn: // and too late
		c.settled[id] = true
		return nil
	case c.owed > 0:
		c.owed--
		return c.queue(m)
	case m.id == nil:
		return errors.New("an answer without an id, and nothing was sent that could not be read")
	}
	return fmt.Errorf("no request with the id %s waits for an answer", id)
}

// queue keeps a message for Receive.
func (c *Client) queue(m *message) error {
	select {
	case c.unclaimed <- m.raw:
		return nil
	default:
		return fmt.Errorf("%d messages wait for Receive already", mostUnclaimed)
	}
}

func (c *Client) takeNotification(m *message) error {
	if c.protocol.Stateless() {
		if id := subscriptionOf(m); id != "" {
			return c.takeSubscribed(m, id)
		}
		if m.method == listChanged {
			return errors.New("in this revision a change is told to a subscription, and this says none")
		}
	}
	if m.method == listChanged {
		return c.takeChange()
	}
	if c.options.Notified != nil {
		c.options.Notified(m.method, m.params)
		return nil
	}
	return c.queue(m)
}

// subscriptionOf returns the id of the subscription that a notification is of,
// as JSON, and the empty string if it is of none.
func subscriptionOf(m *message) string {
	var params struct {
		Meta map[string]json.RawMessage `json:"_meta"`
	}
	_ = json.Unmarshal(m.params, &params)
	return string(params.Meta[subscriptionKey])
}

const subscriptionKey = "io.modelcontextprotocol/subscriptionId"

// takeSubscribed takes a notification of a subscription.
func (c *Client) takeSubscribed(m *message, id string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.pending[id]
	switch isAcknowledgement := m.method == "notifications/subscriptions/acknowledged"; {
	case id != c.listen:
		return c.queue(m) // of one that Send has asked for
	case p == nil:
		return errors.New("the subscription has ended before")
	case isAcknowledgement && p.isAcknowledged:
		return errors.New("the subscription has been acknowledged before")
	case isAcknowledgement:
		p.isAcknowledged = true
		p.answer <- m
		return nil
	case !p.isAcknowledged:
		return errors.New("the subscription has not been acknowledged before")
	case m.method == listChanged:
		return c.takeChange()
	}
	return errors.New("this client has not subscribed to that")
}

func (c *Client) takeChange() error {
	select {
	case c.changes <- struct{}{}:
	default: // enough of them are told
	}
	return nil
}

func (c *Client) takeRequest(m *message) error {
	if c.protocol.Stateless() {
		return errors.New("in this revision a server sends no requests")
	}
	if m.method == "ping" {
		c.running.Go(func() { _ = c.transportWrite(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{}}`, m.id)) })
		return nil
	}
	c.mu.Lock()
	waits := len(c.pending) > 0
	c.mu.Unlock()
	switch {
	case c.options.Answer != nil && waits:
		select {
		case c.questions <- &asked{question: newQuestion("", m.method, m.params), id: m.id}:
			return nil
		default:
			return errors.New("it asks without end")
		}
	case c.options.Answer == nil && c.options.Capabilities == nil:
		return errors.New("the client has no capability to be asked: set ClientOptions.Answer")
	}
	return c.queue(m)
}

// transportWrite sends a message, as long as that takes.
func (c *Client) transportWrite(msg []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	return c.transport.Write(c.ctx, msg)
}
