// Package feature declares parts of the protocol, such as tools or resources:
// methods, capabilities, and lists that change. A complete feature, for
// Options.Features:
//
//	feature.Feature{
//		Methods: map[string]feature.Method{
//			"colors/list": {Func: func(ctx context.Context, params json.RawMessage) (any, error) {
//				return map[string]any{"colors": []string{"red", "green"}}, nil
//			}},
//		},
//		Capabilities: func(version string, listChanged bool) map[string]any {
//			return map[string]any{"colors": map[string]any{"listChanged": listChanged}}
//		},
//		Lists: []feature.List{{
//			Notification: "notifications/colors/list_changed",
//			Filter:       "colorsListChanged",
//			OnChange:     colors.OnChange,
//		}},
//	}
//
// The server handles sessions and versions, limits and rates, timeouts,
// cancellation, progress, batches, telemetry, and the debounce of notifications. The
// prompts of a server are such a feature too.
package feature

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mcp-prompts/prompts/internal/call"
)

// Feature is a part of the protocol. It must not be changed after NewServer.
type Feature struct {
	// Methods are the methods by name, such as tools/list. A method that the
	// server already has is an error of NewServer.
	Methods map[string]Method
	// Capabilities, if not nil, returns the capabilities for a protocol version, by
	// name. listChanged reports whether the client gets notifications about the
	// Lists. NewServer calls Capabilities. A capability that the server already has is
	// an error. "extensions" may be in several features: their members are merged. An
	// extension that is defined twice is an error.
	Capabilities func(version string, listChanged bool) map[string]any
	// Lists are the lists with notifications for clients.
	Lists []List
	// Resources, if not nil, lets clients subscribe to single resources, with
	// resources/subscribe and resources/unsubscribe, and in 2026-07-28 with
	// resourceSubscriptions of subscriptions/listen. Only one feature of a server
	// may have Resources.
	Resources *Resources
	// Ended, if not nil, is called when the session of a client ends, so that the
	// feature forgets what it keeps of the client. Clients without a session have no
	// end: limit what the feature keeps of them. Ended returns at once and may be called
	// concurrently.
	Ended func(c Client)
}

// Method is a method of a [Feature].
type Method struct {
	// Func answers a request with a value that encodes as a JSON object. params is the
	// JSON object from the request, or nil. The server has checked params for duplicate
	// keys and nesting. The rules for ctx are those of a prompts.RenderFunc, and the
	// rules for errors those of a prompts.Error. Required, unless Serve is set.
	//
	// In protocol version 2026-07-28, the server adds the members that a result must
	// have, unless the value has them: resultType, the server's identity in _meta, and
	// the members of Cache. Without a Cache, tools/list, resources/list,
	// resources/templates/list and resources/read get the members of the zero Cache.
	Func func(ctx context.Context, params json.RawMessage) (result any, err error)
	// Serve answers a request without encoding/json. It checks the params and appends
	// the result, a JSON object, to dst. The server puts the result on one line and adds
	// the members that 2026-07-28 requires, so Serve and the Work must not append them:
	// resultType, ttlMs and cacheScope by Cache, and _meta with the server's identity.
	// If the result needs code that takes time, waits, asks the user
	// or depends on the client, Serve returns [Work], and nil or dst instead of a
	// result. Serve runs on the goroutine that reads the connection, so it must return
	// at once. It may be called concurrently.
	//
	// An error that is, or wraps, a *prompts.Error is sent to the client. For any
	// other error, the client gets an internal error without text, and the log gets
	// the error.
	Serve func(c *Call, dst []byte) (result []byte, w Work, err error)
	// Versions, if not nil, reports whether a protocol version has the method.
	// NewServer calls Versions. Default: all versions; the sessions' versions for a Func
	// of logging/setLevel, resources/subscribe or resources/unsubscribe.
	Versions func(version string) bool
	// Rate, if above 0, is the number of requests per second that one client may
	// send. Twice the rate may come at once.
	Rate float64
	// RateWith, if not empty, is another method of the server, without a RateWith.
	// Requests of both methods count toward the other method's rate.
	RateWith string
	// Cache sets how long clients of protocol version 2026-07-28 may cache results.
	// Default: results have no cache members.
	Cache *Cache
}

// Cache sets how long clients may cache a result.
type Cache struct {
	// TTL is the time that clients may cache the result, in whole milliseconds.
	// Default: 0, not at all.
	TTL time.Duration
	// Public allows a shared cache to return the result to other clients. It has no
	// effect on a server with Options.Visible.
	Public bool
}

// Call is a request for Serve. Only a server makes Calls. A Call must not be used after
// Serve has returned. The methods of a Call that no server has made return zero values.
type Call call.Call

func (c *Call) request() call.Request { return (*call.Call)(c).Request() }

// Method returns the name of the method.
func (c *Call) Method() string {
	if r := c.request(); r != nil {
		return r.Method()
	}
	return ""
}

// Version returns the protocol version of the response.
func (c *Call) Version() string {
	if r := c.request(); r != nil {
		return r.Version()
	}
	return ""
}

// Params returns a copy of the params, a JSON object without duplicate names or invalid
// UTF-8, or nil.
func (c *Call) Params() json.RawMessage {
	if r := c.request(); r != nil {
		return r.Params()
	}
	return nil
}

// From identifies the client of the request.
func (c *Call) From() (from Client) {
	if r := c.request(); r != nil {
		from.Session, from.Key = r.Sender()
	}
	return from
}

// SetTool names the tool that the request calls, for the Outcome of an
// observe.Observer. The tool must exist, and the client must be allowed to see it:
// metrics have the name.
func (c *Call) SetTool(name string) {
	if r := c.request(); r != nil {
		r.SetTool(name)
	}
}

// Client identifies a client. Equal values are the same client. The zero value is a
// client that the transport does not identify.
type Client struct {
	// Session is the number of the session, from 1, or 0 without a session.
	Session uint64
	// Key is the ClientKey of the transport, for a request without a session.
	Key string
}

// Work produces the result of one request. It takes a slot of the concurrency
// limits, and runs within the time limit of the server.
type Work struct {
	// Runner produces the result. Required.
	Runner Runner
	// Noun and Name say what runs, such as "tool" and "search": in the log, as an
	// attribute, and in internal errors, which clients read. Default: the method.
	Noun, Name string
	// Timeout, if above 0, is a shorter time limit than the server's.
	Timeout time.Duration
}

// Runner produces the result of one request with code that may take time.
type Runner interface {
	// Run appends the result, a JSON object, to dst. The rules for ctx are those of
	// a prompts.RenderFunc. prompts.Progress reports progress. The rules for errors
	// are those of Method.Serve.
	Run(ctx context.Context, dst []byte) ([]byte, error)
}

// RunnerFunc is a function that is a [Runner].
type RunnerFunc func(ctx context.Context, dst []byte) ([]byte, error)

// Run calls the function.
func (f RunnerFunc) Run(ctx context.Context, dst []byte) ([]byte, error) { return f(ctx, dst) }

// List is a list that changes.
type List struct {
	// Notification is the method of the notification, such as
	// notifications/tools/list_changed.
	Notification string
	// Filter is the boolean member of subscriptions/listen for the notification in
	// 2026-07-28, such as toolsListChanged.
	Filter string
	// OnChange calls changed for each change, until cancel is called. changed
	// returns at once and may be called concurrently. The server calls OnChange for
	// the first waiting client, and cancel after the last client disconnects.
	OnChange func(changed func()) (cancel func())
}

// Resources are resources that change.
type Resources struct {
	// Subscribe calls changed for each change of a resource, until cancel is called.
	// The client gets notifications/resources/updated. changed returns at once and
	// may be called concurrently. The rules for errors are those of Method.Serve.
	// ctx is the context of the client, as in Runner.Run.
	Subscribe func(ctx context.Context, from Client, uri string, changed func()) (cancel func(), err error)
}
