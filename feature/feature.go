// Package feature declares parts of the protocol, such as tools or resources: methods,
// capabilities, and lists that change. A complete feature, for Options.Features:
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
	// Capabilities, if not nil, returns the capabilities for a protocol version, by name.
	// listChanged reports whether the client gets notifications about the Lists. NewServer calls
	// Capabilities. A capability that the server already has is an error. "extensions" may be in
	// several features: their members are merged. An extension that is defined twice is an error.
	Capabilities func(version string, listChanged bool) map[string]any
	// Lists are the lists with notifications for clients.
	Lists []List
	// Resources, if not nil, lets clients subscribe to single resources, with resources/subscribe
	// and resources/unsubscribe, and in 2026-07-28 with resourceSubscriptions of
	// subscriptions/listen. Only one feature of a server may have Resources.
	Resources *Resources
	// OnEnd, if not nil, is called when the session of a client ends, so that the feature
	// forgets what it keeps of the client. Clients without a session have no end: limit what
	// the feature keeps of them. OnEnd returns at once and may be called concurrently.
	OnEnd func(c ClientID)
}

// Method is a method of a [Feature].
type Method struct {
	// Func answers a request with a value that encodes as a JSON object. params is the JSON
	// object from the request, or nil. The server has checked params for duplicate keys and
	// nesting. The rules for ctx are those of a prompts.RenderFunc, and the rules for errors
	// those of a prompts.Error. [RequestOf] returns the request of ctx. Required.
	//
	// In protocol version 2026-07-28, the server adds the members that a result must
	// have, unless the value has them: resultType, the server's identity in _meta, and
	// the members of ClientCache. Without a ClientCache, tools/list, resources/list,
	// resources/templates/list and resources/read get the members of the zero ClientCache.
	//
	// Only a server calls a Func of prompttools.New and promptskills.New. In another function, such
	// a Func returns an error for each request, so do not wrap it: use Options.Middleware or Visible.
	Func func(ctx context.Context, params json.RawMessage) (result any, err error)
	// Versions, if not nil, reports whether a protocol version has the method.
	// NewServer calls Versions. Default: all versions; the sessions' versions for a Func
	// of logging/setLevel, resources/subscribe or resources/unsubscribe.
	Versions func(version string) bool
	// RequestsPerSecond is the number of requests per second that one client may send.
	// Twice the rate may come at once. Default: no limit; negative: no limit.
	RequestsPerSecond float64
	// RateWith, if not empty, is another method of the server, without a RateWith. Requests of both
	// methods count toward the other method's rate. RateWith excludes RequestsPerSecond.
	RateWith string
	// ClientCache sets how long clients of protocol version 2026-07-28 may cache results.
	// Default: results have no cache members.
	ClientCache *ClientCache
}

// ClientCache sets how long clients of protocol version 2026-07-28 may cache a result. Clients of
// other versions get no such members. ClientCache may get fields: write literals with keys.
type ClientCache struct {
	// TTL is the time that clients may cache the result, in whole milliseconds.
	// Default: 0, not at all.
	TTL time.Duration
	// Public allows a shared cache to return the result to other clients. It has no
	// effect on a server with Options.Visible.
	Public bool
}

// Request describes the request that a Func answers. It may get more fields.
type Request struct {
	// Method is the name of the method, and Version the protocol version of the response.
	Method, Version string
	// ClientID identifies the client.
	ClientID ClientID
	// ClientName and ClientVersion are what the client says of itself. Both may be empty or false.
	ClientName, ClientVersion string
}

// RequestOf returns the request of the context that a Func has got, or of one made from it.
// Any other context has the zero Request.
func RequestOf(ctx context.Context) Request {
	r := call.RequestOf(ctx)
	if r == nil {
		return Request{}
	}
	return Request{
		Method: r.Method, Version: r.Version, ClientID: ClientID{Session: r.Session, Key: r.Key},
		ClientName: r.ClientName, ClientVersion: r.ClientVersion,
	}
}

// ClientID identifies a client within one server: equal values are the same client. The zero value
// is a client that the transport does not identify. ClientID may get fields, and stays comparable:
// write literals with keys.
type ClientID struct {
	// Session is the number of the session, from 1, or 0 without a session.
	Session uint64
	// Key is the ClientKey of the transport, for a request without a session. Without a ClientKey, it
	// is a hash of the SessionID of prompts.CallOptions, with a key of the server.
	Key string
}

// List is a list that changes.
type List struct {
	// Notification is the method of the notification, such as notifications/tools/list_changed. Required.
	Notification string
	// Filter is the boolean member of subscriptions/listen for the notification in
	// 2026-07-28, such as toolsListChanged. Two Lists must not have the same Filter. Required.
	Filter string
	// OnChange calls changed for each change, until cancel is called. changed
	// returns at once and may be called concurrently. The server calls OnChange for
	// the first waiting client, and cancel after the last client disconnects. Required.
	OnChange func(changed func()) (cancel func())
}

// Resources are resources that change.
type Resources struct {
	// Subscribe calls changed for each change of a resource, until cancel is called. The client
	// gets notifications/resources/updated. changed returns at once and may be called concurrently.
	// The rules for errors are those of Method.Func. ctx is the context of the client. Required.
	Subscribe func(ctx context.Context, from ClientID, uri string, changed func()) (cancel func(), err error)
}
