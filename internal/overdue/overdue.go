// Package overdue reports to a transport of this module that Handle returns later
// than the response is sent, because the application's code continues after its
// time limit. streamablehttp must know before the response: over HTTP/1 the client
// must not reuse the connection.
package overdue

import "context"

// Key is the key of a func() in the context of Handle.
type Key struct{}

// Report calls the function in ctx, if there is one.
func Report(ctx context.Context) {
	if f, ok := ctx.Value(Key{}).(func()); ok {
		f()
	}
}
