package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime/debug"
	"strings"
	"time"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/limit"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/wire"
)

// This file has the table of methods, and what a method returns: a result, or
// the work that makes one.

// Method is one row of the table of methods.
type Method struct {
	// Serve checks the params and appends the result to dst. If the result
	// needs the application's code, Serve returns nil and the [Work] that makes
	// the result.
	Serve func(c *Call, dst []byte) ([]byte, Work, *wire.Error)
	Era   Era
	// BeforeInit says that the method is answered before initialize.
	BeforeInit bool
	// Callable says that [Server.Call] answers the method.
	Callable bool
	// Rate, if above 0, is how many requests per second one client may send.
	Rate float64

	limiter *limit.RateLimiter // nil for no rate
	bucket  int                // of each session
}

// Era says which protocol versions have a method. Versions up to 2025-11-25
// have sessions and are stateful, 2026-07-28 is stateless.
type Era uint8

const (
	BothEras Era = iota
	Stateful
	Stateless
)

// Call is one request on its way to its method. It must not be kept.
type Call struct {
	Rev     revision.Revision
	Client  wire.Capabilities
	Message wire.Message
	// Deferred says that the result must come from Work, because the
	// application's code has to say first who the client is.
	Deferred bool

	server  *Server
	session *Session        // nil outside of one
	info    wire.ClientInfo // of a Server.Call
	from    string          // Exchange.Client

	conn      any
	sessionID string // of a Server.Call
	observed  *observation
}

// SessionID returns the id of the request's session for the middleware; empty
// without a session.
func (c *Call) SessionID() string {
	if c.session == nil {
		return c.sessionID
	}
	return c.session.id
}

// TransportInfo returns what the transport says of the connection.
func (c *Call) TransportInfo() Info {
	if c.conn == nil {
		return Info{}
	}
	return c.server.config.Describe(c.conn)
}

// SetPrompt tells the observer which prompt the request is about.
func (c *Call) SetPrompt(name string) { c.observed.setPrompt(name) }

// ClientInfo returns the client's description of itself.
func (c *Call) ClientInfo() wire.ClientInfo {
	switch {
	case c.Rev.Stateless():
		return c.Message.ClientInfo()
	case c.session == nil:
		text := func(s string) string {
			return strings.ToValidUTF8(phrase.Clip(s, phrase.MaxEcho), "\ufffd")
		}
		return wire.ClientInfo{Name: text(c.info.Name), Version: text(c.info.Version), Title: text(c.info.Title)}
	}
	return c.session.clientInfo()
}

// dispatch passes a request to its method. It appends the result to dst, or
// returns nil and the work that makes the result. The order of the checks is
// that of GAP-10.
func (s *Server) dispatch(c *Call, x *Exchange, dst []byte) ([]byte, Work, *wire.Error) {
	session, m := c.session, &c.Message
	version := m.Version()
	stateless := version.Kind() != strictjson.Invalid
	env := Envelope{Method: m.Method, ID: m.ID, Request: true}
	env.Name, env.HasName = m.Name()
	if stateless {
		if version.Kind() != strictjson.String {
			return nil, Work{}, wire.InvalidParam("_meta", "_meta: %q must be a string", wire.VersionKey)
		}
		env.Version = version.Text()
	}
	if x.Check != nil {
		if err := x.Check(env); err != nil {
			return nil, Work{}, err
		}
	}
	if stateless {
		rev, ok := revision.Parse(env.Version)
		if !ok || !rev.Stateless() {
			return nil, Work{}, wire.UnsupportedVersion(env.Version)
		}
		declared := m.Meta.Get(wire.CapabilitiesKey)
		if declared.Kind() != strictjson.Object {
			return nil, Work{}, wire.InvalidParam("_meta", "_meta: %q is required, an object", wire.CapabilitiesKey)
		}
		c.Rev, c.Client = rev, wire.ReadCapabilities(rev, declared)
	}
	if x.Check != nil {
		env.Routing = true
		if err := x.Check(env); err != nil {
			return nil, Work{}, err
		}
	}
	if session != nil {
		rev, client, err := session.checkID(m.Key)
		if err != nil {
			return nil, Work{}, err
		}
		if !stateless {
			c.Rev, c.Client = rev, client
		}
	}
	c.observed.setVersion(c.Rev)
	row := s.methods[m.Method]
	switch {
	case row == nil, row.Era == Stateful && stateless, row.Era == Stateless && c.Rev != 0 && !stateless:
		return nil, Work{}, wire.MethodNotFound(m.Method)
	case c.Rev == 0 && (session == nil || !row.BeforeInit):
		return nil, Work{}, errNotInitialized
	}
	if err := m.CheckParams(); err != nil {
		return nil, Work{}, err
	}
	if stateless {
		if err := m.CheckMetadata(); err != nil {
			return nil, Work{}, err
		}
	}
	return row.serve(c, dst)
}

// errNotInitialized answers a request that belongs to neither era (GAP-07).
var errNotInitialized = wire.InvalidParams("initialize the session first, or send _meta with %q and %q",
	wire.VersionKey, wire.CapabilitiesKey)

// serve calls Serve within the method's rate.
func (m *Method) serve(c *Call, dst []byte) ([]byte, Work, *wire.Error) {
	if m.limiter == nil {
		return m.Serve(c, dst)
	}
	if c.server.config.Principal == nil {
		if err := m.admit("", c.session, c.from); err != nil {
			return nil, Work{}, err
		}
		return m.Serve(c, dst)
	}
	// Only the application's code can tell who the client is, and a request
	// with an error counts as well.
	c.Deferred = true
	_, w, err := m.Serve(c, dst)
	if err != nil {
		w = Work{Handler: reject(slog.String("method", strings.Clone(c.Message.Method)), err), Failed: requestFailed}
	}
	w.Handler = &rateLimited{Handler: w.Handler, method: m, server: c.server, session: c.session, from: c.from}
	return nil, w, nil
}

const requestFailed = "the request failed"

// admit counts a request of a client, or returns why it is rejected.
func (m *Method) admit(principal string, session *Session, from string) *wire.Error {
	var bucket *limit.Bucket
	if session != nil && !session.isDetached {
		bucket = &session.buckets[m.bucket]
	}
	wait := m.limiter.Wait(principal, bucket, from)
	if wait == 0 {
		return nil
	}
	return &wire.Error{
		Code:    wire.CodeInternalError,
		Message: "too many requests; try again later",
		Data: struct {
			RetryAfter int64 `json:"retryAfterMs"`
		}{int64(math.Ceil(float64(wait) / float64(time.Millisecond)))},
	}
}

// rateLimited is a handler that counts for the rate of its client's principal.
type rateLimited struct {
	Handler
	method  *Method
	server  *Server
	session *Session
	from    string
}

func (r *rateLimited) Run(ctx context.Context, dst []byte) ([]byte, *Failure) {
	if err := r.method.admit(r.server.config.Principal(ctx), r.session, r.from); err != nil {
		return nil, &Failure{Client: err}
	}
	return r.Handler.Run(ctx, dst)
}

func ping(_ *Call, dst []byte) ([]byte, Work, *wire.Error) { return append(dst, "{}"...), Work{}, nil }

func initialize(c *Call, dst []byte) ([]byte, Work, *wire.Error) {
	p := c.Message.Params
	if err := wire.CheckCase(p, "protocolVersion", "capabilities", "clientInfo", "_meta"); err != nil {
		return nil, Work{}, err
	}
	version := p.Get("protocolVersion")
	if version.Kind() != strictjson.String {
		return nil, Work{}, wire.InvalidParam("protocolVersion", "protocolVersion is required, a string")
	}
	capabilities := p.Get("capabilities")
	if capabilities.Kind() != strictjson.Object {
		return nil, Work{}, wire.InvalidParam("capabilities", "capabilities are required, an object")
	}
	if !wire.IsClientInfo(p.Get("clientInfo")) {
		return nil, Work{}, wire.InvalidParam("clientInfo", "clientInfo is required, an object with name and version")
	}
	rev, ok := revision.Parse(version.Text())
	if !ok || rev.Stateless() {
		rev = revision.NewestStateful() // the client decides whether it can (LIF-06, GAP-03)
	}
	info := wire.ReadClientInfo(p.Get("clientInfo"))
	if err := c.session.initialize(rev, wire.ReadCapabilities(rev, capabilities), info, c.observed.conn()); err != nil {
		return nil, Work{}, err
	}
	c.observed.setVersion(rev)
	if c.session.isDetached {
		return append(dst, c.server.detached[rev]...), Work{}, nil
	}
	return append(dst, c.server.initialized[rev]...), Work{}, nil
}

func discover(c *Call, dst []byte) ([]byte, Work, *wire.Error) {
	return append(dst, c.server.discovered[c.Rev]...), Work{}, nil
}

// Work makes the result of a request.
type Work struct {
	Handler Handler
	// Failed is what the client reads of an error whose text it must not see.
	Failed string
	// Timeout, if above 0, is a time limit within that of the server.
	Timeout time.Duration

	subscribe *filter // of subscriptions/listen, which has no Handler
}

// Handler runs the application's code for one request.
type Handler interface {
	// Run appends the result to dst. The context has the [Request].
	Run(ctx context.Context, dst []byte) ([]byte, *Failure)
	// LogAttr describes the request in the log.
	LogAttr() slog.Attr
}

// HandlerFunc returns a Handler that calls f.
func HandlerFunc(about slog.Attr, f func(ctx context.Context, dst []byte) ([]byte, *Failure)) Handler {
	return &handlerFunc{about, f}
}

type handlerFunc struct {
	about slog.Attr
	f     func(ctx context.Context, dst []byte) ([]byte, *Failure)
}

func (h *handlerFunc) Run(ctx context.Context, dst []byte) ([]byte, *Failure) { return h.f(ctx, dst) }
func (h *handlerFunc) LogAttr() slog.Attr                                     { return h.about }

// reject returns a Handler that fails with err.
func reject(about slog.Attr, err *wire.Error) Handler {
	return HandlerFunc(about, func(context.Context, []byte) ([]byte, *Failure) { return nil, &Failure{Client: err} })
}

// do runs the handler, and the methods of the errors and data that it returns.
// A panic in any of them is a failure.
func (w *Work) do(ctx context.Context, dst []byte) (result []byte, f *Failure) {
	defer func() {
		if v := recover(); v != nil {
			result, f = nil, Panic(w.Failed, v)
		}
	}()
	result, f = w.Handler.Run(ctx, dst)
	if f != nil {
		f.finish(ctx)
	}
	return result, f
}

// Failure is why a request has no result.
type Failure struct {
	Client *wire.Error // what the client gets

	// What only the log gets. If Log is nil, there is nothing to log.
	Title string
	Level slog.Level
	Log   error
	stack []byte // of a panic

	// Cause is the error of the application's code, if there is one.
	Cause error

	canceled bool // because the request's context has ended
}

// InternalFailure returns a failure of which the client reads only the title.
func InternalFailure(title string, err error) *Failure {
	return &Failure{Client: wire.InternalError(title), Title: title, Level: slog.LevelError, Log: err, Cause: err}
}

// Panic returns the failure of a panic that was just recovered.
func Panic(title string, v any) *Failure {
	f := InternalFailure(title, fmt.Errorf("panic: %v", v))
	f.stack = debug.Stack()
	return f
}

// finish finds out whether the failure is only the end of ctx, and encodes the
// data for the client. Both may run the application's methods.
func (f *Failure) finish(ctx context.Context) {
	f.canceled = ctx.Err() != nil && (errors.Is(f.Log, ctx.Err()) || errors.Is(f.Log, context.Cause(ctx)))
	if f.Client.Data == nil {
		return
	}
	data, err := jsonenc.Append(nil, f.Client.Data)
	encoded := *f.Client
	encoded.Data = json.RawMessage(data)
	if err != nil {
		encoded.Data = nil
		f.Title, f.Level = "the data of an error could not be sent", slog.LevelError
		f.Log = errors.Join(err, f.Log)
	}
	f.Client = &encoded
}

// logFailure logs what the client did not get to see.
func (s *Server) logFailure(ctx context.Context, w *Work, f *Failure) {
	if f.Log == nil {
		return
	}
	attrs := []slog.Attr{w.Handler.LogAttr(), slog.Any("error", f.Log)}
	if f.stack != nil {
		attrs = append(attrs, slog.String("stack", string(f.stack)))
	}
	s.Log(ctx, f.Level, f.Title, attrs...)
}
