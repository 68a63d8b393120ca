package prompttest

import (
	"errors"
	"fmt"
)

// Send sends a raw message without checks. Read the response with [Client.Receive].
func (c *Client) Send(msg string) {
	c.t.Helper()
	c.mu.Lock()
	c.owed += c.note([]byte(msg))
	c.mu.Unlock()
	if err := c.write([]byte(msg)); err != nil {
		c.fatal(c.connectionError(err))
	}
}

// Receive returns the next message from the server that the client does not handle: responses to
// [Client.Send], notifications except list_changed if ClientOptions.OnNotification is not set, and
// questions outside of a method call. It fails the test if no message arrives in time.
func (c *Client) Receive() string {
	c.t.Helper()
	var msg []byte
	err := c.until(func() bool {
		if len(c.unclaimed) == 0 {
			return false
		}
		msg, c.unclaimed = c.unclaimed[0], c.unclaimed[1:]
		return true
	})
	if errors.Is(err, errLate) {
		err = fmt.Errorf("no message received within %v", c.options.Timeout)
	}
	if err != nil {
		c.fatal(err)
	}
	return string(msg)
}
