package prompttest

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Send sends a message as it is, whatever it is. What the server answers is
// there for [Client.Receive].
func (c *Client) Send(msg string) {
	c.t.Helper()
	c.mu.Lock()
	c.owed += answersTo(msg)
	c.mu.Unlock()
	if err := c.write([]byte(msg)); err != nil {
		c.fatal(c.because(err))
	}
}

// answersTo returns how many answers there may be to a message.
func answersTo(msg string) int {
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(msg), &members) != nil {
		return 1 // what is no message at all is answered with an error, and a batch with one
	}
	_, isCall := members["method"]
	_, hasID := members["id"]
	_, hasResult := members["result"]
	_, hasError := members["error"]
	if isCall && !hasID || !isCall && (hasResult || hasError) {
		return 0
	}
	return 1
}

// Receive returns the next message from the server that is neither an answer
// to a request of the client's own methods nor something that the client takes
// care of itself: an answer to what [Client.Send] has sent, a notification
// that is of no change, without ClientOptions.Notified, and a question that
// comes while no method waits. It fails the test if none comes in time.
func (c *Client) Receive() string {
	c.t.Helper()
	msg, err := wait(c, c.unclaimed)
	if errors.Is(err, errLate) {
		err = fmt.Errorf("no message has come to be received within %v", c.options.Timeout)
	}
	if err != nil {
		c.fatal(err)
	}
	return string(msg)
}

// errLate is the error of wait if nothing comes in time.
var errLate = errors.New("nothing has come in time")

// wait returns what comes on a channel, or why nothing does.
func wait[T any](c *Client, from <-chan T) (v T, err error) {
	timer := time.NewTimer(c.options.Timeout)
	defer timer.Stop()
	select {
	case v = <-from:
		return v, nil
	case <-c.broken:
		err = c.because(nil)
	case <-timer.C:
		err = errLate
	}
	select {
	case v = <-from: // it came before
		return v, nil
	default:
		return v, err
	}
}
