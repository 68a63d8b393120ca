package prompttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/unsent"
	"github.com/mcp-prompts/prompts/transport"
)

// Client is a strict test client for one protocol version. The test fails if the
// server sends a message that is invalid in this version, unexpected, or late.
//
// A Client belongs to one test and ends with the test. Several goroutines of the
// test may use a Client. A failing method ends the test, so call methods only from
// the test's own goroutine or as [testing.T.FailNow] allows. Create a new Client in
// each subtest.
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

// pending is a request that waits for its response.
type pending struct {
	response       *message
	isAcknowledged bool // the subscription is
	isHonored      bool // the acknowledgement promises changes of the list
}

// progress is the progress last reported for a request in flight.
type progress struct {
	id   string
	last float64
}

// mostUnclaimed is how many messages may wait for Receive.
const mostUnclaimed = 1024

// New returns a client for the prompts of the registry. The client talks to a server
// with default options, over a connection in memory, in the newest protocol version.
// The server logs to the test's output.
func New(t testing.TB, reg *prompts.Registry) *Client {
	t.Helper()
	return Serve(t, prompts.MustNewServer(reg, prompts.Options{Logger: testLogger(t), DisableReleaseMeta: true}), ClientOptions{})
}

// Serve returns a client for your server, with its middleware, filters and logger,
// over a connection in memory. The connection ends with the test, and the server's
// Serve must then return nil.
func Serve(t testing.TB, srv *prompts.Server, o ClientOptions) *Client {
	t.Helper()
	ctx := o.Context
	if ctx == nil {
		ctx = context.Background()
	}
	ctx, stop := context.WithCancel(ctx)
	near, far := Pipe()
	served := make(chan error, 1)
	c := newClient(t, near, o)
	c.served, c.stop = served, stop
	ctx = context.WithValue(ctx, unsent.Key{}, func(subject string, keys []string) {
		text := fmt.Sprintf("prompttest: %s does not send the questions %q: it must return the error of Ask or Elicit, see prompts.ErrInputRequired", subject, keys)
		if c.isNew(text) {
			t.Errorf("%s", text)
		}
	})
	go func() { served <- srv.Serve(ctx, far) }()
	c.begin()
	return c
}

// NewClient returns a client over the client's side of a connection. It first sends
// initialize and notifications/initialized, or server/discover in protocol version
// 2026-07-28. It closes conn at the end of the test.
func NewClient(t testing.TB, conn transport.Conn, o ClientOptions) *Client {
	t.Helper()
	c := newClient(t, conn, o)
	c.begin()
	return c
}

func newClient(t testing.TB, conn transport.Conn, o ClientOptions) *Client {
	t.Helper()
	p, ok := protocolOf(o.Version)
	if !ok {
		_ = conn.Close() // it is of no use to anybody
		t.Fatalf("prompttest: unknown protocol version %q; expected one of %q", o.Version, Versions())
	}
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	c := &Client{
		t: t, conn: conn, options: o, protocol: p, declared: o.capabilities(p), stop: func() {},
		changed: make(chan struct{}),
		pending: map[string]*pending{},
		settled: map[string]bool{},
		tokens:  map[string]*progress{},
		listens: map[string]bool{},
		remarks: map[string]bool{},
	}
	c.protocol.note = c.remark
	c.ctx, c.cancel = context.WithCancel(context.Background())
	t.Cleanup(c.Close)
	return c
}

// remark logs something of the server's messages that is no error. It logs each text once.
func (c *Client) remark(format string, args ...any) {
	c.t.Helper()
	if text := fmt.Sprintf(format, args...); c.isNew(text) {
		c.t.Logf("prompttest: %s", text)
	}
}

// isNew reports whether it gets a text for the first time.
func (c *Client) isNew(text string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	isNew := !c.remarks[text]
	c.remarks[text] = true
	return isNew
}

// begin starts to read, and gets to know the server: by initialize, or by
// server/discover.
func (c *Client) begin() {
	c.t.Helper()
	c.running.Go(c.read)
	method, introduce := "initialize", c.initialize
	if c.protocol.Stateless() {
		method, introduce = "server/discover", c.discover
	}
	if err := introduce(method); err != nil {
		c.fatal(fmt.Errorf("%s: %w", method, err))
	}
}

func (c *Client) initialize(method string) error {
	raw, err := c.result(method, map[string]any{
		"protocolVersion": c.protocol.String(),
		"capabilities":    c.declared,
		"clientInfo":      clientInfo,
	})
	if err != nil {
		return err
	}
	o := newObject("LIF-03", "result", raw)
	if version := o.mustText("protocolVersion"); o.err == nil && version != c.protocol.String() {
		o.breaks("LIF-05", "must have the protocolVersion %q, got %q", c.protocol.String(), version)
	}
	checkServerInfo(o, "LIF-03", o.take("serverInfo"))
	readCapabilities(o)
	c.protocol.meta(o)
	if err := o.end(); err != nil {
		return err
	}
	return c.write([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
}

func (c *Client) discover(method string) error {
	raw, err := c.result(method, nil)
	if err != nil {
		return err
	}
	o, _ := c.protocol.newResult("DSC-02", raw)
	c.protocol.cacheable(o)
	var versions []string
	o.must("supportedVersions", "an array of strings", &versions)
	if o.err == nil && !slices.Contains(versions, c.protocol.String()) {
		o.reject("must have %q in supportedVersions, got %q", c.protocol.String(), versions)
	}
	readCapabilities(o)
	return o.end()
}

// checkServerInfo checks the name and version of the server.
func checkServerInfo(o *object, rule string, raw json.RawMessage) {
	info := newObject(rule, "serverInfo", raw)
	info.mustText("name")
	info.mustText("version")
	o.keep(info.err)
}

// readCapabilities reads what both results have.
func readCapabilities(o *object) {
	var all map[string]map[string]any
	o.must("capabilities", "an object of objects", &all)
	o.text("instructions")
}

// clientInfo is who the client is.
var clientInfo = map[string]any{"name": "prompttest", "version": "1"}

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

// fatal ends the test.
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

// errLate is the error of until if no message arrives in time.
var errLate = errors.New("no message received in time")

// until waits until ready, which is called with mu held, returns true. It returns
// why that does not happen: the connection has failed, ctx has ended, or nothing
// has come within ClientOptions.Timeout. What has come before counts.
func (c *Client) until(ctx context.Context, ready func() bool) error {
	timer := time.NewTimer(c.options.Timeout)
	defer timer.Stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	var late error
	for {
		switch changed := c.changed; {
		case ready():
			return nil
		case c.failure != nil:
			return c.failure
		case late != nil:
			return late
		default:
			c.mu.Unlock()
			select {
			case <-changed:
			case <-ctx.Done():
				late = context.Cause(ctx)
			case <-timer.C:
				late = errLate
			}
			c.mu.Lock()
		}
	}
}

// write sends a message, and does not wait for longer than the client's
// patience.
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

// encode returns v as JSON. What a test gives it is the test's own to encode.
func encode(v any) ([]byte, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("values of the test must be JSON: %w", err)
	}
	return raw, nil
}

// testLogger returns a logger to the test's output, until the test ends.
func testLogger(t testing.TB) *slog.Logger {
	w := &output{w: t.Output()}
	t.Cleanup(w.close)
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{ReplaceAttr: withoutTime}))
}

func withoutTime(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

// output is a writer that a goroutine may outlive.
type output struct {
	mu sync.Mutex // protects the field below
	w  io.Writer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.w.Write(p)
}

func (o *output) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.w = io.Discard
}
