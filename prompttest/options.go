package prompttest

import (
	"context"
	"encoding/json"
	"time"
)

// ClientOptions configures a [Client]. The zero value of each field is its default.
type ClientOptions struct {
	// Version is the protocol version of the client, one of [Versions]. Default: the newest.
	Version string
	// Answer answers questions of the server for the user, in every protocol version that supports
	// them. It returns the result of [Accept], [Decline] or [Cancel], or any other result of
	// Question.Method that encoding/json can encode. A returned error is sent as an error response
	// in a session, and fails the test in protocol version 2026-07-28. Answer runs on the goroutine
	// of the request, so it may end the test. Default: the client does not support questions.
	Answer func(q Question) any
	// Capabilities are the client's capabilities. Default: none, or with Answer all
	// kinds of questions: elicitation in both modes, sampling and roots.
	Capabilities map[string]any
	// OnNotification is called for each notification except list_changed, in order, before
	// the following response is returned. It runs on the client's own goroutine, so
	// it must neither end the test nor use the client. If OnNotification is set, Get
	// requests progress. Default: notifications wait for [Client.Receive].
	OnNotification func(method string, params json.RawMessage)
	// ToolName, if not nil, makes Get and GetError call a tool instead of the method prompts/get,
	// so that golden files and checks test prompts as tools. It returns the name of the tool for a
	// prompt, as prompttools.ToolName does. The client sends each argument as JSON of its type in
	// the inputSchema. The messages of a result are those of [Client.CallTool]. A result with
	// isError is an error with CodeInvalidParams, the text and the structuredContent. The checks
	// leave out prompts that are no tools. Default: prompts/get.
	ToolName func(prompt string) string
	// Context is the context for the server of [Serve], with values for its
	// functions, such as a user. Default: a context without values.
	Context context.Context
	// Timeout limits each wait of the client: for a response, a change, the end.
	// A server with default options ends a request sooner. Default: 1 minute.
	Timeout time.Duration
}

const defaultTimeout = time.Minute

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
