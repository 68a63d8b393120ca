package prompttest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/option"
	"github.com/mcp-prompts/prompts/internal/unsent"
	"github.com/mcp-prompts/prompts/transport"
)

// New returns a client for the prompts of the registry. The client talks to a server
// with default options, but without digests and the release in _meta, over a connection in
// memory, in the newest protocol version. The server logs to the test's output.
func New(t testing.TB, reg *prompts.Registry) *Client {
	t.Helper()
	return Serve(t, prompts.MustNewServer(reg, prompts.Options{Logger: testLogger(t), DisableReleaseMeta: true}), ClientOptions{})
}

// Serve returns a client for your server, with its middleware, filters and logger,
// over a connection in memory. The connection ends with the test, and the server's
// Serve must then return nil.
func Serve(t testing.TB, srv *prompts.Server, o ClientOptions) *Client {
	t.Helper()
	if err := option.Check("prompttest: Serve", struct{}{}, "server", srv); err != nil {
		t.Fatalf("%v", err)
	}
	_ = srv.Methods() // panics for a zero Server, here and not in a goroutine
	ctx := o.Context
	if ctx == nil {
		ctx = context.Background()
	}
	ctx, stop := context.WithCancel(ctx)
	near, far := newPipe()
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
	if err := option.Check("prompttest: client", o, "connection", conn); err != nil {
		t.Fatalf("%v", err)
	}
	p, ok := protocolOf(o.Version)
	if !ok {
		_ = conn.Close() // it is of no use to anybody
		t.Fatalf("prompttest: unknown protocol version %q; expected one of %q", o.Version, Versions())
	}
	o.Timeout = cmp.Or(o.Timeout, defaultTimeout)
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

var clientInfo = map[string]any{"name": "prompttest", "version": "1"}
