// Package mcpgo adds prompts to a server of github.com/mark3labs/mcp-go:
//
//	s := server.NewMCPServer("review", "1.0.0")
//	unmount, err := mcpgo.Mount(s, &reg, mcpgo.Options{Server: prompts.Options{Logger: logger}})
//
// The server keeps its tools, resources and own prompts. Clients see one list, in the order of
// names, in pages by [server.WithPaginationLimit], and get one notification for a burst of changes
// of the registry. The registry's prompts behave as under a [prompts.Server]: arguments, results,
// completions, questions to the client, progress and cancellation. The server's filters, middleware
// and hooks apply too. A hook or a middleware finds the [prompts.Error] of a failed request with
// [errors.As]. A filter sees entries in the newest protocol version, with a member in their Meta
// that clients do not get. Its changes to an entry are sent unchanged.
//
// # Errors
//
// mcp-go sends the error of any handler as -32603 with the text and without data. To send the errors
// of the registry's prompts with their code and data, such as -32602 and the problems of each
// argument, wrap the transport in [ErrorHandler], or serve with [ListenStdio]:
//
//	http.Handle("/mcp", mcpgo.ErrorHandler(server.NewStreamableHTTPServer(s)))
//	err = mcpgo.ListenStdio(ctx, server.NewStdioServer(s), os.Stdin, os.Stdout)
//
// Inside the server, the text of such an error ends with a marker, which a hook may log. The wrapper
// removes it from the response.
//
// # Names
//
// Mount returns an error if the server has a prompt with the same name. Later, the server's own
// prompt wins. A prompt added to the registry under such a name is skipped and logged. A prompt
// added to the server replaces the registry's prompt, and the next list or get of the prompt logs
// it: mcp-go has no hook of AddPrompt. The next change of the registry checks the names again, and
// restores registry prompts that your code has deleted from the server. The SDK adds and deletes by
// name, so do not add a prompt to the server at the same moment as a prompt with the same name
// enters or leaves the registry. The same applies to tools and to the resources of MountSkills.
//
// Prompts removed from the registry may stay in [server.MCPServer.ListPrompts] for a while, unseen
// by clients.
//
// # Options
//
// Timeouts.Render and Timeouts.Complete apply, and are paused while the user is asked. A request at
// its limit gets a response even if its code continues. Options that belong to the SDK are an error
// of Mount: Info, Instructions, PageSize, ClientCache, MaxConcurrent, the limits of subscriptions,
// Timeouts.Drain, ChangeDelay, and the methods of Features, except tools/list and tools/call.
//
// With Visible, lists of prompts and tools are private, with a TTL of 0, whatever
// [server.WithCacheHints] sets.
//
// GetsPerSecond, CompletionsPerSecond and the limits of one client count by principal, or
// else by session of the SDK. A request without a session and without a principal has no
// rate: set Options.Principal for a stateless HTTP server.
//
// DisableListChanged does not change the server: a server that advertises list_changed sends the
// notifications. A Middleware sees neither requests for unknown or hidden prompts nor the other
// entries of a list. If a Middleware fails a list, the registry's prompts are missing from the
// list. If the registry has only one prompt, a Middleware sees a list before each get of the
// prompt, because the SDK calls its filters in the same way (server/server.go:1811).
//
// # Migration
//
// [Import] and [FromPrompt] convert prompts of the SDK to prompts of a registry, with the same
// entries, results and handlers. The completion provider passed to Mount completes arguments
// without a completion function.
//
// # Limits of mcp-go v1.2.1
//
//   - The error of a handler has code -32603 and no data (server/handler_errors.go:24), and so has
//     the error of a completion (server/server.go:2812). Hooks get an error whose fields they
//     cannot set (server/server.go:160). ErrorHandler solves this, except in process, and for an
//     error that a client reads again from an event store, which has the marker
//     (server/streamable_http_resume.go:100).
//   - encoding/json reads requests before the mount: duplicate keys and members in the wrong case
//     are accepted, of two ids the last one is in the response, and an id or a progress token above
//     2^53 is rounded (mcp/types.go:237). A message with a method that is no string gets an error
//     with the id null (server/request_handler.go:29).
//   - The SDK turns a null argument into an empty string (mcp/prompts.go:34), and answers any other
//     value except a string with -32600 without the argument's name (server/request_handler.go:460).
//     While a registry is mounted, hooks remove arguments that are null, also if their schema admits
//     null, and reject the other values with the problem of each argument, of the server's own
//     prompts too. A null value in a completion is an empty string.
//   - The error for an unknown or hidden prompt is -32602 without data (server/server.go:1869).
//   - A base64 cursor is not checked (server/server.go:1483). After a full last page, clients get an
//     empty page (server/server.go:1507).
//   - The server has only one completion provider, which nothing can read (server/server.go:219).
//     Pass the provider to Mount, which replaces it.
//   - Capabilities are the same in each protocol version: 2024-11-05 gets completions too
//     (server/server.go:1277). They are set without a lock. So call the first Mount before the
//     server starts, and likewise the first one without DisableListChanged or DisableCompletions.
//   - Before protocol version 2026-07-28, a handler asks by elicitation, sampling and roots in the
//     SDK's types (server/elicitation.go:20). Members without a field in these types are lost.
//   - An input_required result has "messages": null (mcp/prompts.go:47).
//   - A canceled request gets a response (server/server.go:2556 only ends its context), except for
//     registry prompts in ErrorHandler and ListenStdio. Over HTTP in 2026-07-28, a notification
//     without _meta cannot cancel a request (server/streamable_http_modern.go:123). The official Go
//     SDK sends such notifications.
//   - Over stdio in 2026-07-28, list_changed has no subscription id (server/stdio.go:96), and is
//     sent to clients without a subscription too.
//   - Progress passes through a channel that drops messages when full (server/session.go:374). The
//     last progress may arrive after the response over stdio (server/stdio.go:403), or never over
//     HTTP (server/streamable_http.go:828).
//   - A client that is too slow for its channel misses notifications (server/session.go:256).
//   - Over HTTP without sessions, the SDK does not provide the client's protocol version and
//     capabilities: a list before 2026-07-28 is in the form of 2025-11-25, and the client cannot be
//     asked.
package mcpgo
