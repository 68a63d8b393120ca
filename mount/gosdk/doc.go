// Package gosdk mounts a registry of prompts on a server of the official Go
// SDK, github.com/modelcontextprotocol/go-sdk, which keeps its tools, its
// resources, its own prompts and everything else:
//
//	server := mcp.NewServer(&mcp.Implementation{Name: "review", Version: "1.0.0"}, nil)
//	unmount, err := gosdk.Mount(server, &reg, prompts.Options{Logger: logger})
//
// Clients then see the registry's prompts as a [prompts.Server] would show them:
// typed arguments, one error for all that is wrong with them, completion,
// questions by the way that each revision has, progress, and a list that may
// change at any time. Of the options all count that are about prompts: Visible,
// Principal, Middleware, ElicitArguments, the limits. Info, Instructions, Timeouts.Drain,
// ChangeDelay, MaxConcurrent, MaxConcurrentPerClient and MaxSubscriptions are
// about connections, which are the SDK's.
//
// [Request] leads from a render function, and from the functions of the options,
// to the SDK's session and request, such as the bearer token of the client:
//
//	Principal: func(ctx context.Context) string {
//		if r, ok := gosdk.Request(ctx); ok && r.GetExtra() != nil && r.GetExtra().TokenInfo != nil {
//			return r.GetExtra().TokenInfo.UserID
//		}
//		return ""
//	},
//
// Serve through [Transport], or [Handler] over HTTP, and an argument that is null
// is rejected, which the SDK alone takes for an empty string:
//
//	err = server.Run(ctx, gosdk.Transport(&mcp.StdioTransport{}))
//	http.Handle("/mcp", gosdk.Handler(mcp.NewStreamableHTTPHandler(getServer, nil)))
//
// # Two lists
//
// Clients get the registry's prompts first, and then the server's own. A client
// that reads no more than one page sees both if the registry's fit into one
// (Options.PageSize). Mount refuses a server that has a name of the registry's.
// One that both have later is listed as the registry's, but it is the server
// that answers for it, as long as it has a prompt of that name.
//
// [FromPrompt] and [Import] go the other way: they make prompts for a registry
// of those that were written for the SDK, unchanged, so that a server can be
// migrated prompt by prompt. They differ in this: an argument that is required
// has to be given, arguments that the prompt does not declare are not passed on
// (but they are in the parameters of [Request]), a time in annotations is sent
// to the second, and an embedded resource always has a MIME type.
//
// # Middleware
//
// The SDK wraps each receiving middleware around what was there before (v1.8.0
// mcp/server.go:1860), and the mount is one.
//
// What comes after the mount sees every request with its answer, in the SDK's own
// types (but for a content that these would not send as it is, such as one with a
// priority of 0), and so does Options.Middleware for what is the registry's.
//
// What was there before sees every request as well, and can refuse it with any
// error but the one that the SDK has for an unknown prompt ("unknown prompt"
// and its name, -32602) or for a server without completion ("method not found",
// -32601). For these are what it gets to see itself when it passes on a request
// for a prompt of the registry; the mount answers then, with the request and the
// context as they came. So such a middleware cannot see the answer, nor lend the
// registry's functions its context. A result of its own for prompts/get is the
// answer, but one for completion/complete is not: it may be that of the
// server's CompletionHandler, which must return no values, and no error, for
// prompts that it does not know. Of a list it sees the server's own half, once
// for each page of ours, and a prompt that no client gets to see,
// io.github.mcp-prompts/mount, which the server has while a registry is mounted,
// for the sake of the capability and the notifications.
//
// The mount's own middleware stays when the registry is unmounted, and passes
// everything on.
//
// # What the SDK does otherwise
//
// With version 1.8.0 of it, unlike under a server of this library:
//
//   - A value of arguments that is no string, and whatever else is of the wrong
//     JSON type, is refused before the mount sees it: with -32602, but without
//     data, and with the text of the value in the message (mcp/shared.go:349), also
//     that of a sensitive argument.
//     Members of params that the SDK does not know, duplicate ones and an empty
//     cursor are passed over. An argument that is null is an empty string
//     (mcp/protocol.go:949); to have it rejected with its name and data, serve
//     through [Transport] or [Handler]. A value to complete that is null is an empty
//     string in either case.
//   - Numbers beyond 2^53 in _meta and in answers lose their last digits on the
//     way in (mcp/protocol.go:946, mcp/protocol.go:2190). On the way out nothing
//     is lost but a completion's total of 0 and a hasMore that is false
//     (mcp/protocol.go:644), and of a question what the SDK's types have no
//     place for: such digits, and members that it does not know. Of a form the
//     schema is sent as it was written.
//   - An answer to a form that does not fit it is refused by the SDK, so that in a
//     session the client cannot be asked (-32603) where it would have got -32602
//     (mcp/server.go:1784).
//   - A result that asks has "messages":null beside its questions
//     (mcp/protocol.go:973), an elicitation has a mode in revision 2025-06-18
//     too (mcp/protocol.go:2129), and a list says in all revisions how long it
//     may be kept (mcp/protocol.go:1166).
//   - A request that the client has cancelled is answered
//     (internal/jsonrpc2/conn.go:718), with -32603.
//   - Over HTTP, revision 2026-07-28 is served only with
//     StreamableHTTPOptions.Stateless (mcp/streamable.go:871), and then clients of
//     the others cannot be asked and are not told of changes.
//     A client that disconnects cancels its request only with
//     StreamableHTTPOptions.PropagateRequestCancellation (mcp/streamable.go:431):
//     without it, the render function runs to its end or its time limit.
//   - Clients are told of a burst of the registry's changes once, about 30 ms after
//     the last one: 20 ms of the mount and 10 ms of the SDK (mcp/server.go:740). If
//     a registry changes on and on, they are told every 50 ms. If prompts of the
//     server's own change on and on, nobody is told.
//   - The server's name in _meta, batches, sessions and how many there may be are
//     the SDK's. Options.CacheTTL and CachePublic count for the registry's pages;
//     for a page with prompts of both the stricter of both hints does.
//     SetCacheable does not see the registry's.
//   - Without a CompletionHandler the server has the capability for completion
//     nevertheless, for the registry's prompts. Its own then have no completions.
package gosdk
