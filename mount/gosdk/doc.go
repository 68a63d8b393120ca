// Package gosdk adds prompts to a server of the official Go SDK,
// github.com/modelcontextprotocol/go-sdk:
//
//	server := mcp.NewServer(&mcp.Implementation{Name: "review", Version: "1.0.0"}, nil)
//	unmount, err := gosdk.Mount(server, &reg, gosdk.Options{Server: prompts.Options{Logger: logger}})
//
// The server keeps its tools, resources and own prompts. The registry's prompts behave as under a
// [prompts.Server]: typed arguments, one error with all problems, completion, questions to the user
// in every protocol version, progress, and a list that may change at any time. All options about
// prompts work. Options about connections and other methods belong to the SDK, and are an error of
// Mount: Info, Instructions, Timeouts.Drain, ChangeDelay, MaxConcurrent, MaxSubscriptions,
// MaxSubscriptionsTotal and the methods of Features, except tools/list and tools/call.
// GetsPerSecond, CompletionsPerSecond and the limits of one client count by principal, or else by
// the UserID of the bearer token, or else by session of the SDK. An HTTP request without all three
// has no rate: set Options.Principal for a stateless HTTP server.
//
// [Request] returns the SDK's request to a render function and to the functions of the options:
//
//	Principal: func(ctx context.Context) (string, error) {
//		if r, ok := gosdk.Request(ctx); ok && r.GetExtra() != nil && r.GetExtra().TokenInfo != nil {
//			return r.GetExtra().TokenInfo.UserID, nil
//		}
//		return "", nil
//	},
//
// The SDK turns a null argument into an empty string. To read null as a missing argument, serve
// through [Transport], or through [Handler] over HTTP:
//
//	err = server.Run(ctx, gosdk.Transport(&mcp.StdioTransport{}))
//	http.Handle("/mcp", gosdk.Handler(mcp.NewStreamableHTTPHandler(getServer, nil)))
//
// # Lists
//
// Clients get the registry's prompts first, and then the server's own. A client that reads only one
// page sees both if the registry's prompts fit into one page (Options.PageSize). Mount returns an
// error if the server and the registry have a prompt with the same name. If both get the same name
// later, the list has the registry's entry, unless that is hidden, and the server's prompt answers
// until the server removes it. The next list or get logs the name.
//
// With Visible, tools/list is one page: a page of the SDK and its cursor would reveal hidden tools.
//
// To migrate a server prompt by prompt, [FromPrompt] and [Import] convert prompts of the SDK to
// prompts of a registry. The differences: required arguments are checked, undeclared arguments are
// only in the parameters of [Request], Options.Completions completes arguments, times in
// annotations have a resolution of one second, and an embedded resource always has a MIME type.
//
// # Middleware
//
// The SDK wraps each receiving middleware around the existing ones (v1.8.0 mcp/server.go:1860), and
// the mount is such a middleware.
//
// Middleware installed after Mount sees every request and response, in the SDK's types, except for
// content that these cannot express, such as a priority of 0. Options.Middleware sees the requests
// for the registry's prompts.
//
// Middleware installed before Mount sees every request too. It can reject a request with any error
// except the SDK's two for an unknown prompt ("unknown prompt" and its name, -32602) and for a
// server without completion ("method not found", -32601). After these, which the SDK returns for
// every registry prompt, Mount answers the original request in its context. So such middleware:
//
//   - cannot see the response, and cannot pass values in its context to the registry's functions;
//   - can answer prompts/get with its own result, but not completion/complete. If the completion of
//     a registry prompt fails there, Mount sends prompts/get through the middleware. If the
//     middleware lets this request pass, the error is that of the server's CompletionHandler, which
//     does not know the prompt, and Mount completes the argument;
//   - sees only the server's own part of a list, once for each page of the registry, and a prompt
//     named io.github.mcp-prompts/mount. While a registry is mounted, the server has this prompt
//     for the capability and the notifications, unseen by clients;
//   - must keep the InputSchema of each tool in a list. A tool of the mount with
//     another InputSchema counts as the server's own.
//
// After unmount, the mount's middleware stays and passes every request on.
//
// # Differences to prompts.Server
//
// With version 1.8.0 of the SDK:
//
//   - The SDK rejects an argument that is not a string, and any other wrong JSON type, before the
//     mount: with -32602 without data, and with the value in the message (mcp/shared.go:349), even
//     for a sensitive argument. It ignores unknown members of params, duplicate members and an
//     empty cursor. A null argument becomes an empty string (mcp/protocol.go:949), except through
//     [Transport] or [Handler]. A null value in a completion always does.
//   - Over HTTP, an invalid request, such as one with another jsonrpc, gets status 400 with plain
//     text and no id (mcp/streamable.go:1441). An id above 2^53 is rounded
//     (internal/jsonrpc2/messages.go:35).
//   - Numbers above 2^53 in the client's _meta and answers lose digits (mcp/protocol.go:946,
//     mcp/protocol.go:2190). A completion loses a total of 0 and a false hasMore
//     (mcp/protocol.go:644), and a question loses such digits and unknown members, but not the
//     schema of a form.
//   - The SDK rejects an invalid answer to a form, in a session with -32603 in place of -32602
//     (mcp/server.go:1784).
//   - An input_required result has "messages":null (mcp/protocol.go:973), an elicitation has a mode
//     in protocol version 2025-06-18 too (mcp/protocol.go:2129), and a list has a cache time in all
//     versions (mcp/protocol.go:1166).
//   - A canceled request gets a response (internal/jsonrpc2/conn.go:718), with -32603.
//   - Over HTTP, protocol version 2026-07-28 needs StreamableHTTPOptions.Stateless
//     (mcp/streamable.go:871). Clients of the other versions then get no notifications and do not
//     support elicitation. If a client disconnects, its render function runs to its end or its time
//     limit, unless StreamableHTTPOptions.PropagateRequestCancellation is set (mcp/streamable.go:431).
//   - Clients get one notification for a burst of changes, about 30 ms after the last: 20 ms of the
//     mount and 10 ms of the SDK (mcp/server.go:740). During continuous changes of a registry, they
//     get one every 50 ms. During continuous changes of the server's own prompts, they get none.
//   - The SDK handles the server's name in _meta, batches, and sessions with their number.
//     Options.ClientCache applies to the registry's pages, and SetCacheable only to the server's own
//     prompts. For a page with both, the stricter setting applies.
//   - The server has the capability for completion without a CompletionHandler too, for the
//     registry's prompts. Its own prompts then have no completions.
package gosdk
