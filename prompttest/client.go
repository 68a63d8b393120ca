package prompttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcp-prompts/prompts/transport"
)

// Client is a strict test client for one protocol version. The test fails if the
// server sends a message that is invalid in this version, unexpected, or late.
//
// A Client belongs to one test and ends with the test. Several goroutines of the test may use a
// Client. A failing method ends the test, so call methods only from the test's own goroutine or as
// [testing.T.FailNow] allows. Create a new Client in each subtest.
type Client struct {
	t        testing.TB
	conn     transport.Conn
	options  ClientOptions
	protocol protocol
	declared map[string]any
	ctx      context.Context // ends with the client
	cancel   context.CancelFunc
	served   <-chan error // what Serve has returned; nil without a server of its own
	stop     context.CancelFunc
	running  sync.WaitGroup
	closing  sync.Mutex // protects isClosed, until all has come to its end
	isClosed bool
	writing  sync.Mutex // held to call the transport's Write

	mu           sync.Mutex                // protects the fields below
	changed      chan struct{}             // closed, and made again, when one of them changes
	capabilities map[string]map[string]any // that the server has declared
	lastID       int
	pending      map[string]*pending  // the client's own requests, by id
	settled      map[string]bool      // those that are over, and whether they had a response
	owed         int                  // responses to what Send has sent
	tokens       map[string]*progress // of requests in flight
	listens      map[string]bool      // ids of the subscriptions that Send has asked for
	logs         bool                 // a request has asked for log messages
	questions    []*asked             // from the server, in a session
	unclaimed    [][]byte             // for Receive
	changes      int                  // notifications of a changed list, for WaitChanged
	listen       string               // the id of the subscription, empty for none
	subscription *pending             // its request, once it is acknowledged
	failure      error                // why nothing more can be expected of the server
	isFault      bool                 // the server has caused it
	told         bool                 // it has failed the test
	remarks      map[string]bool      // texts that were logged
}

type pending struct {
	response       *message
	isAcknowledged bool // the subscription is
	isHonored      bool // the acknowledgement promises changes of the list
}

type progress struct {
	id   string
	last float64
}

// mostUnclaimed is how many messages may wait for Receive.
const mostUnclaimed = 1024

// remark logs something of the server's messages that is no error. It logs each text once.
func (c *Client) remark(format string, args ...any) {
	c.t.Helper()
	if text := fmt.Sprintf(format, args...); c.isNew(text) {
		c.t.Logf("prompttest: %s", text)
	}
}

func (c *Client) isNew(text string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	isNew := !c.remarks[text]
	c.remarks[text] = true
	return isNew
}

// Close ends the connection and waits for the end of the server from [Serve]. It
// fails the test if the server has sent an invalid message or does not end. It may
// be called more than once, and runs at the end of the test.
func (c *Client) Close() {
	c.t.Helper()
	c.closing.Lock() // and no sync.Once, whose own line would be the one that is reported
	defer c.closing.Unlock()
	if c.isClosed {
		return
	}
	c.isClosed = true
	c.close()
}

func (c *Client) close() {
	c.t.Helper()
	c.mu.Lock()
	failure := c.failure
	if !c.isFault || c.told {
		failure = nil
	}
	c.mu.Unlock()
	if failure != nil {
		c.t.Errorf("prompttest: %v", failure)
	}
	c.fail(errClosed, false)
	c.cancel()
	closed := make(chan error, 1)
	c.running.Go(func() { closed <- c.conn.Close() })
	c.stop()
	timer := time.NewTimer(c.options.Timeout)
	defer timer.Stop()
	ended := make(chan struct{})
	go func() {
		c.running.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-timer.C:
		c.t.Errorf("prompttest: transport has not returned within %v from Close, or from a Read or Write that Close must end", c.options.Timeout)
		return
	}
	if err := <-closed; err != nil {
		c.t.Errorf("prompttest: Close of the transport must return nil, got: %v", err)
	}
	if c.served == nil {
		return
	}
	select {
	case err := <-c.served:
		if err != nil {
			c.t.Errorf("prompttest: Serve of the server must return nil after its client has closed the connection, got: %v", err)
		}
	case <-timer.C:
		c.t.Errorf("prompttest: Serve of the server has not returned within %v after its client has closed the connection", c.options.Timeout)
	}
}

var errClosed = errors.New("client is closed")

func (c *Client) fatal(err error) {
	c.t.Helper()
	c.mu.Lock()
	c.told = c.told || errors.Is(err, c.failure) // once is enough
	c.mu.Unlock()
	c.t.Fatalf("prompttest: %v", err)
}

// fail notes why nothing more can be expected of the server.
func (c *Client) fail(err error, isFault bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failure == nil {
		c.failure, c.isFault = err, isFault
		c.signal()
	}
}

// signal wakes what waits in until. The caller holds mu.
func (c *Client) signal() {
	close(c.changed)
	c.changed = make(chan struct{})
}

var errLate = errors.New("no message received in time")

// until waits until ready, which is called with mu held, returns true. It returns
// why that does not happen: the connection has failed, or nothing has come within
// ClientOptions.Timeout. What has come before counts.
func (c *Client) until(ready func() bool) error {
	timer := time.NewTimer(c.options.Timeout)
	defer timer.Stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	isLate := false
	for {
		switch changed := c.changed; {
		case ready():
			return nil
		case c.failure != nil:
			return c.failure
		case isLate:
			return errLate
		default:
			c.mu.Unlock()
			select {
			case <-changed:
			case <-timer.C:
				isLate = true
			}
			c.mu.Lock()
		}
	}
}

// write sends a message, and does not wait for longer than the client's patience.
func (c *Client) write(msg []byte) error {
	if c.ctx.Err() != nil {
		return errClosed
	}
	written := make(chan error, 1)
	c.running.Go(func() { written <- c.transportWrite(msg) })
	timer := time.NewTimer(c.options.Timeout)
	defer timer.Stop()
	select {
	case err := <-written:
		if err != nil {
			return fmt.Errorf("sending %s: %w", excerpt(msg), err)
		}
		return nil
	case <-timer.C:
		return fmt.Errorf("sending %s: server has not read the message within %v", excerpt(msg), c.options.Timeout)
	}
}

func encode(v any) ([]byte, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("values of the test must be JSON: %w", err)
	}
	return raw, nil
}

func (c *Client) transportWrite(msg []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	return c.conn.Write(c.ctx, msg)
}

// connectionError returns why the connection is of no use any more, and err if it is.
func (c *Client) connectionError(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failure != nil {
		return c.failure
	}
	return err
}

func (c *Client) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pending[id] != nil {
		delete(c.pending, id)
		c.settled[id] = false
	}
}

// nextID returns a number that no request and no progress token of the client has.
func (c *Client) nextID() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lastID++
	return c.lastID
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
