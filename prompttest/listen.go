package prompttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

const listenMethod = "subscriptions/listen"

// Listen has the client told of changes of the list of prompts from now on:
// after it has returned, no change is missed. In revision 2026-07-28 it
// subscribes to them; a session tells them anyhow. It fails the test if the
// server does not tell changes. It need not be called twice.
func (c *Client) Listen() {
	c.t.Helper()
	if !c.protocol.Stateless() {
		if !c.server.listChanged {
			c.fatal(errNotTold)
		}
		return
	}
	if err := c.subscribe(); err != nil {
		c.fatal(fmt.Errorf("%s: %w", listenMethod, err))
	}
}

var errNotTold = errors.New("the server does not tell changes of its list: it has not advertised prompts.listChanged")

func (c *Client) subscribe() error {
	c.mu.Lock()
	done := c.subscription != nil
	c.mu.Unlock()
	if done {
		return nil
	}
	_, p, err := c.send(listenMethod, map[string]any{"notifications": map[string]any{"promptsListChanged": true}})
	if err != nil {
		return err
	}
	m, err := wait(c, p.answer)
	switch {
	case errors.Is(err, errLate):
		return fmt.Errorf("the server has not acknowledged it within %v", c.options.Timeout)
	case err != nil:
		return err
	case m.failure != nil:
		return errors.New(explain(m.failure))
	}
	var params struct {
		Notifications struct{ PromptsListChanged bool }
	}
	if m.method == "" || json.Unmarshal(m.params, &params) != nil || !params.Notifications.PromptsListChanged {
		return errNotTold // and if there is nothing to tell, it ends at once
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.subscription = p
	return nil
}

// WaitChanged waits until the server has told that its list of prompts has
// changed, and takes note of one such notification: the next call waits for
// the next one. It fails the test if ctx or ClientOptions.Timeout ends before.
// [Client.Listen] comes first.
func (c *Client) WaitChanged(ctx context.Context) {
	c.t.Helper()
	if err := c.waitChanged(ctx); err != nil {
		c.fatal(err)
	}
}

func (c *Client) waitChanged(ctx context.Context) error {
	c.mu.Lock()
	p := c.subscription
	c.mu.Unlock()
	var ended chan *message // nothing comes in a session
	if c.protocol.Stateless() {
		if p == nil {
			return errors.New("call Listen before WaitChanged: in this revision nobody is told without it")
		}
		ended = p.answer
	}
	err := c.awaitChange(ctx, ended)
	if err == nil {
		return nil
	}
	select {
	case <-c.changes: // it came before
		return nil
	default:
		return err
	}
}

func (c *Client) awaitChange(ctx context.Context, ended chan *message) error {
	timer := time.NewTimer(c.options.Timeout)
	defer timer.Stop()
	select {
	case <-c.changes:
		return nil
	case m := <-ended:
		ended <- m // for the next one who waits
		return errors.New("the server has ended the subscription")
	case <-c.broken:
		return c.because(nil)
	case <-ctx.Done():
		return fmt.Errorf("the server has not told of a change: %w", context.Cause(ctx))
	case <-timer.C:
		return fmt.Errorf("the server has not told of a change within %v", c.options.Timeout)
	}
}
