// Package feature declares parts of the protocol that a server offers, such as
// tools or resources: methods, capabilities, and lists that change. The prompts
// of a server are such a feature, too.
//
// A feature is given to a server as one of Options.Features. A whole one:
//
//	feature.Feature{
//		Methods: map[string]feature.Method{
//			"colors/list": {Serve: func(c feature.Call, dst []byte) ([]byte, feature.Work, error) {
//				return append(dst, `{"colors":["red","green"]}`...), feature.Work{}, nil
//			}},
//		},
//		Capabilities: func(version string, listChanged bool) map[string]any {
//			return map[string]any{"colors": map[string]any{"listChanged": listChanged}}
//		},
//		Lists: []feature.List{{
//			Notification: "notifications/colors/list_changed",
//			Filter:       "colorsListChanged",
//			Subscribe:    colors.Subscribe,
//		}},
//	}
//
// The server does the rest: sessions and versions, limits and rates, timeouts,
// cancellation, progress, batches, telemetry, and the debounce of notifications.
package feature

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"
)

// Feature is a part of the protocol. It must not be changed once a server has it.
type Feature struct {
	// Methods are the methods by name, such as tools/list. A method that the server
	// has already is an error when the server is made.
	Methods map[string]Method
	// Capabilities, if not nil, returns what the server advertises in a protocol
	// version, by the names of the capabilities. listChanged says that the client is
	// notified of changes of the Lists. A capability that the server has already is
	// an error when the server is made. It is called when the server is made.
	Capabilities func(version string, listChanged bool) map[string]any
	// Lists are the lists that clients are notified of.
	Lists []List
	// Resources, if not nil, lets clients subscribe to resources one by one, with
	// resources/subscribe and resources/unsubscribe, and in 2026-07-28 with
	// resourceSubscriptions of subscriptions/listen. One feature of a server may have
	// it.
	Resources *Resources
}

// Method is a method of a [Feature].
type Method struct {
	// Serve answers a request. It checks the params and appends the result, a JSON
	// object, to dst. If the result needs code that may take time, wait, ask the
	// user or depend on who the client is, Serve returns no result but the [Work]
	// that makes it. Serve runs on the goroutine that reads the connection, so it
	// must return at once. It may be called concurrently. Required.
	//
	// An error that is, or wraps, a *prompts.Error is sent to the client. The client
	// gets an internal error without text for any other, and the log the error.
	Serve func(c Call, dst []byte) (result []byte, w Work, err error)
	// Versions, if not nil, reports which protocol versions have the method. It is
	// called when the server is made. Default: all.
	Versions func(version string) bool
	// Callable says that Server.Call answers the method, too, for servers of other
	// SDKs.
	Callable bool
	// Rate, if above 0, is the number of requests per second that one client may
	// send. Twice the rate may come at once.
	Rate float64
	// RateWith, if not empty, is another method of the server: requests of both count
	// together for the rate of that.
	RateWith string
	// Cache says how long clients of protocol version 2026-07-28 may keep results.
	// Default: the result says nothing of that.
	Cache *Cache
	// Raw says that results are sent as Serve and the Work append them. Otherwise the
	// server adds the members that 2026-07-28 requires, which are then not to be
	// appended: resultType, ttlMs and cacheScope by Cache, and _meta with the
	// server's identity.
	Raw bool
}

// Cache says how long clients may keep a result.
type Cache struct {
	// TTL is how long clients may keep the result, in whole milliseconds. Default: 0,
	// not at all.
	TTL time.Duration
	// Public allows a shared cache to return the result to other clients.
	Public bool
}

// Call is a request on its way to its method. Only servers make one. It must not
// be used after Serve has returned.
type Call interface {
	// Method returns the name of the method.
	Method() string
	// Version returns the protocol version that the request is answered in.
	Version() string
	// Params returns a copy of the params, a JSON object that was checked for
	// duplicate names, nesting and UTF-8; nil without params.
	Params() json.RawMessage
	// From identifies the client that has sent the request.
	From() Client
}

// Client identifies a client: two requests with equal values are of one client.
// The zero value is a client that the transport does not identify.
type Client struct {
	// Session is the number of the session, from 1; 0 outside of one.
	Session uint64
	// Key is the ClientKey of the transport, outside of a session.
	Key string
}

// Work makes the result of one request. It takes a slot of the concurrency limits
// and runs within the time limit of the server.
type Work struct {
	// Handler makes the result. Required.
	Handler Handler
	// Failed is what the client reads of an error whose text it must not see.
	// Default: "the request failed".
	Failed string
	// Timeout, if above 0, is a time limit within that of the server.
	Timeout time.Duration
}

// Handler makes the result of one request with code that may take time.
type Handler interface {
	// Run appends the result, a JSON object, to dst. The rules for ctx are those of a
	// prompts.RenderFunc: prompts.Progress reports progress with it. The rules for
	// errors are those of Method.Serve. prompts.Render returns the Work that renders
	// a prompt.
	Run(ctx context.Context, dst []byte) ([]byte, error)
	// LogAttr describes the request in the log.
	LogAttr() slog.Attr
}

// HandlerFunc returns a Handler that calls f.
func HandlerFunc(about slog.Attr, f func(ctx context.Context, dst []byte) ([]byte, error)) Handler {
	return &handlerFunc{about, f}
}

type handlerFunc struct {
	about slog.Attr
	f     func(ctx context.Context, dst []byte) ([]byte, error)
}

func (h *handlerFunc) Run(ctx context.Context, dst []byte) ([]byte, error) { return h.f(ctx, dst) }
func (h *handlerFunc) LogAttr() slog.Attr                                  { return h.about }

// List is a list that changes.
type List struct {
	// Notification is the method of the notification, such as
	// notifications/tools/list_changed.
	Notification string
	// Filter is the boolean member of subscriptions/listen that asks for the
	// notification in 2026-07-28, such as toolsListChanged.
	Filter string
	// Subscribe has changed called for each change, until cancel is called. changed
	// returns at once and may be called concurrently. Subscribe is called for the
	// first client that waits, and cancel after the last has gone.
	Subscribe func(changed func()) (cancel func())
}

// Resources are resources that change.
type Resources struct {
	// Subscribe has changed called for each change of a resource, until cancel is
	// called. The client gets a notifications/resources/updated. changed returns at
	// once and may be called concurrently. The error is that of Method.Serve. ctx is
	// that of the client, as in Handler.Run.
	Subscribe func(ctx context.Context, from Client, uri string, changed func()) (cancel func(), err error)
}
