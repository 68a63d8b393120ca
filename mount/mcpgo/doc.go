// Package mcpgo mounts prompts on a server of github.com/mark3labs/mcp-go, which
// keeps its tools, its resources, its own prompts and all else that it has.
//
//	s := server.NewMCPServer("review", "1.0.0")
//	unmount, err := mcpgo.Mount(s, &reg, prompts.Options{Logger: logger})
//
// Clients see the registry's prompts and those of the server as one list, in the
// order of names, in the pages of [server.WithPaginationLimit]. Requests for the
// registry's are answered by this library: arguments are converted and checked,
// results are checked and sent without loss, completions, questions to the
// client, progress and cancellation work as in a [prompts.Server]. What the server
// has for all prompts is for these, too: its filters, its middleware and its
// hooks. A hook or a middleware finds the [prompts.Error] that a request has
// failed with by [errors.As]. A filter sees entries as they are in the newest
// revision, with a member in their Meta that clients do not get; what it changes
// in an entry is sent as it is.
//
// Changes of the registry reach clients as one notification for a burst of them.
//
// # Errors
//
// mcp-go sends the error of any handler as an internal error (-32603) with its
// text alone. Put the transport into [ErrorHandler], or serve by [ListenStdio], and
// the errors of the registry's prompts arrive with their code and data, such as
// -32602 and the problems of each argument:
//
//	http.Handle("/mcp", mcpgo.ErrorHandler(server.NewStreamableHTTPServer(s)))
//	err = mcpgo.ListenStdio(ctx, server.NewStdioServer(s), os.Stdin, os.Stdout)
//
// On its way there, the text of an error ends with a marker, which a hook may log,
// and which is taken off where the response is written.
//
// # Names
//
// Mount fails if the server has a prompt of the same name. Later, the server's own
// wins: a prompt that is added to the registry under such a name is left out, and
// logged; one that the author adds to the server takes the place of the
// registry's. It is looked at again with the next change of the registry, which
// also brings back what the author has deleted of it. An author who adds a prompt
// to the server while one of the same name enters or leaves the registry must not
// do both at the same instant, for the SDK adds and deletes by name.
//
// Prompts that have left the registry may stay in what
// [server.MCPServer.ListPrompts] returns for a while; clients do not see them.
//
// # Options
//
// Timeouts.Render and Timeouts.Complete are kept, and stand still while a client is
// asked; a request that reaches its limit is answered even if its code goes on.
// Without effect are Info and Instructions, which are the SDK server's; PageSize
// and CacheTTL, CachePublic, for which it has options of its own; what is about
// sessions and connections: MaxConcurrent, MaxConcurrentPerClient, Rate, the
// limits of subscriptions, Timeouts.Drain, ChangeDelay; Methods, Capabilities. DisableListChanged
// leaves the server as it is: one that has announced changes tells of ours. A
// Middleware does not see requests for a prompt that there is not or that is
// hidden, and the other entries of a list are not in what it returns; if it fails
// a list, the registry's prompts are missing from that. Where the registry has one
// prompt, it sees a list before each get of that, too, since the SDK asks its
// filters in the same way (server/server.go:1811).
//
// # Migrating
//
// [Import] and [FromPrompt] make prompts for a registry of those that were written
// for the SDK, with the same entry and the same results. Their handlers stay as
// they are until somebody finds the time. An argument without a completion of its
// own is left to the completion provider that was handed to Mount, so that theirs
// goes on.
//
// # Limits of mcp-go v1.2.1
//
//   - An error of a handler has code -32603 and no data
//     (server/handler_errors.go:24), nor has one of a completion
//     (server/server.go:2812). Hooks see an error whose fields they cannot set
//     (server/server.go:160). Hence ErrorHandler. In process, errors are as the
//     SDK sends them. With an event store, one that a client reads again after a
//     break is, too, and with the marker (server/streamable_http_resume.go:100).
//   - A request is read by encoding/json, before it comes here: duplicate keys and
//     members in the wrong case pass; a progress token past 2^53 is rounded
//     (mcp/types.go:237).
//   - An argument that is null would be an empty string (mcp/prompts.go:34), and
//     any other that is not a string -32600 without the argument's name
//     (server/request_handler.go:460). While a registry is mounted, a hook rejects
//     both with the problem of each argument, for the server's own prompts, too.
//     A value to complete that is null is an empty string.
//   - A prompt that there is not, or that is hidden, is -32602 without data
//     (server/server.go:1869).
//   - A cursor that is base64 is not checked (server/server.go:1483). A list that
//     ends with a full page has an empty one after it (server/server.go:1507).
//   - There is place for one completion provider (server/server.go:219), which
//     cannot be got from the server: hand it to Mount, which replaces it.
//   - Capabilities are the same in each revision: 2024-11-05 is told of
//     completions (server/server.go:1277). They are set without a lock, which is
//     why the first Mount must come before the server serves; so must the first
//     one without DisableListChanged, and without DisableCompletions.
//   - Before revision 2026-07-28 a handler may ask by elicitation, sampling and
//     roots, in the SDK's types (server/elicitation.go:20): members that these do
//     not have are lost.
//   - An input_required result has "messages": null (mcp/prompts.go:47).
//   - A request that was cancelled is answered (server/server.go:2556 only ends
//     its context), but for those of ours in ErrorHandler and ListenStdio. Over
//     HTTP in 2026-07-28 it cannot be cancelled by a notification without _meta
//     (server/streamable_http_modern.go:123), as the official Go SDK sends it.
//   - Over stdio in 2026-07-28, changes are told without the id of the
//     subscription (server/stdio.go:96), and to those who have none.
//   - Progress passes through a channel that drops what does not fit
//     (server/session.go:374). Just before an answer it may come after it, over
//     stdio (server/stdio.go:403), or not at all, over HTTP
//     (server/streamable_http.go:828).
//   - Clients that are too slow for their channel are not told of changes
//     (server/session.go:256).
//   - Over HTTP without sessions, a list before 2026-07-28 is that of 2025-11-25,
//     because the SDK does not say which revision the client speaks. Nor does it
//     say what the client can do, so that it cannot be asked.
package mcpgo
