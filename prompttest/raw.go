package prompttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
)

// Send sends a raw message without checks. Read the response with [Client.Receive].
func (c *Client) Send(msg string) {
	c.t.Helper()
	c.mu.Lock()
	c.owed += c.note([]byte(msg))
	c.mu.Unlock()
	if err := c.write([]byte(msg)); err != nil {
		c.fatal(c.because(err))
	}
}

// note remembers what the server may send because of a message, besides the
// responses, of which it returns the number. The caller holds mu.
func (c *Client) note(msg []byte) int {
	var batch []json.RawMessage
	if json.Unmarshal(msg, &batch) == nil {
		for _, m := range batch {
			c.note(m)
		}
		return 1 // a batch, or an error
	}
	var m struct {
		ID, Method, Result, Error json.RawMessage
		Params                    struct {
			Meta struct {
				ProgressToken json.RawMessage
				LogLevel      json.RawMessage `json:"io.modelcontextprotocol/logLevel"`
			} `json:"_meta"`
		}
	}
	if err := json.Unmarshal(msg, &m); err != nil && m.Method == nil {
		return 1 // what is no message at all is answered with an error
	}
	meta := m.Params.Meta
	if meta.ProgressToken != nil {
		c.tokens[string(meta.ProgressToken)] = &progress{string(m.ID), math.Inf(-1)}
	}
	c.logs = c.logs || meta.LogLevel != nil
	if strings.Contains(string(m.Method), listenMethod) {
		c.listens[string(m.ID)] = true
	}
	if m.Method != nil && m.ID == nil || m.Method == nil && (m.Result != nil || m.Error != nil) {
		return 0
	}
	return 1
}

// Receive returns the next message from the server that the client does not handle:
// responses to [Client.Send], notifications except list_changed if
// ClientOptions.Notified is not set, and questions outside of a method call. It
// fails the test if no message arrives in time.
func (c *Client) Receive() string {
	c.t.Helper()
	var msg []byte
	err := c.until(context.Background(), func() bool {
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
