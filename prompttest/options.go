package prompttest

import (
	"context"
	"encoding/json"
	"time"
)

// ClientOptions configure a [Client]. The zero value of each is its default.
type ClientOptions struct {
	// Version is the revision of the protocol that the client speaks, one of
	// [Versions]. Default: the newest.
	Version string
	// Answer answers what the server asks, for the person in front of the
	// client, in every revision that has questions: it returns what [Accept],
	// [Decline] or [Dismiss] return, or any other result of Question.Method,
	// as encoding/json encodes it. An error is sent as one in a session, and
	// fails the test in revision 2026-07-28, which has none. It is called on
	// a goroutine that waits for the answer to a request of its own, so it may
	// end the test. Default: the client cannot be asked, and says so.
	Answer func(q Question) any
	// Capabilities are what the client says that it can do. Default: nothing,
	// or with Answer all that can be asked: elicitation in its forms, sampling
	// and roots.
	Capabilities map[string]any
	// Notified is called for each notification but for those of changes, in
	// the order in which they come, before the answer that follows them is
	// returned; its goroutine is the client's own, so it must neither end the
	// test nor use the client. With it, Get asks for progress. Default: they wait for
	// [Client.Receive].
	Notified func(method string, params json.RawMessage)
	// Context is the one in which [Serve] has the server serve, with the values
	// that its functions look for in it, such as a user. Default: one without
	// any.
	Context context.Context
	// Timeout is how long anything may take that the client waits for: an
	// answer, a change, the end. Default: 10 seconds.
	Timeout time.Duration
}

const defaultTimeout = 10 * time.Second

// capabilities returns what the client declares.
func (o *ClientOptions) capabilities(r protocol) map[string]any {
	switch {
	case o.Capabilities != nil:
		return o.Capabilities
	case o.Answer == nil:
		return map[string]any{}
	}
	all := map[string]any{"sampling": struct{}{}, "roots": struct{}{}}
	switch {
	case r.ElicitationModes():
		all["elicitation"] = map[string]any{"form": struct{}{}, "url": struct{}{}}
	case r.Elicitation():
		all["elicitation"] = struct{}{}
	}
	return all
}
