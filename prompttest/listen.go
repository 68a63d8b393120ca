package prompttest

import (
	"cmp"
	"errors"
	"fmt"
)

// Listen starts to receive list_changed notifications. After Listen returns, no
// change is missed. In protocol version 2026-07-28, Listen opens a subscription. In
// a session, notifications arrive without one. Listen fails the test if the server
// does not support list_changed. Further calls do nothing.
func (c *Client) Listen() {
	c.t.Helper()
	if err := c.subscribe(); err != nil {
		c.fatal(err)
	}
}

var errNotTold = errors.New("server has not declared the capability prompts.listChanged, so it does not notify of changes (LIF-08, DSC-04)")

func (c *Client) subscribe() error {
	c.mu.Lock()
	isTold, isDone := c.capabilities["prompts"]["listChanged"] == true, c.subscription != nil
	c.mu.Unlock()
	switch {
	case !isTold:
		return errNotTold
	case isDone || !c.protocol.Stateless():
		return nil
	}
	_, p, err := c.send(listenMethod, map[string]any{"notifications": map[string]any{"promptsListChanged": true}})
	var got pending
	if err == nil {
		err = c.until(func() bool {
			got = *p
			return got.isAcknowledged || got.response != nil
		})
	}
	switch {
	case errors.Is(err, errLate):
		err = fmt.Errorf("server has not acknowledged the subscription within %v (SUB-04)", c.options.Timeout)
	case err != nil:
	case !got.isAcknowledged && got.response.failure != nil:
		err = errors.New(explain(got.response.failure))
	case !got.isAcknowledged:
		err = errors.New("server has ended the subscription without an acknowledgement (SUB-04)")
	case !got.isHonored:
		err = errors.New("server has declared the capability prompts.listChanged, so the acknowledgement must have promptsListChanged (SUB-06)")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", listenMethod, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.subscription = p
	return nil
}

// WaitChanged waits for the next list_changed notification. Each notification counts for one call.
// It fails the test after ClientOptions.Timeout. Call [Client.Listen] before.
func (c *Client) WaitChanged() {
	c.t.Helper()
	if err := c.waitChanged(); err != nil {
		c.fatal(err)
	}
}

func (c *Client) waitChanged() error {
	var ended error
	err := c.until(func() bool {
		switch p := c.subscription; {
		case c.changes > 0:
			c.changes--
			return true
		case c.protocol.Stateless() && p == nil:
			ended = fmt.Errorf("WaitChanged needs a subscription in protocol version %s; call Listen before", c.protocol.String())
		case c.protocol.Stateless() && p.response != nil:
			ended = errors.New("server has ended the subscription")
		}
		return ended != nil
	})
	if errors.Is(err, errLate) {
		return fmt.Errorf("server has not notified of a change within %v (LCH-01, LCH-04)", c.options.Timeout)
	}
	return cmp.Or(err, ended)
}
