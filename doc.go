// Package prompts serves the prompts of the Model Context Protocol (MCP).
//
// A server's author declares prompts as Go values and puts them in a
// [Registry]:
//
//	type Review struct {
//		Code     string `json:"code" jsonschema:"the code to review"`
//		Language string `json:"language,omitempty" jsonschema:"its language"`
//	}
//
//	var reg prompts.Registry
//	reg.MustAdd(prompts.New(prompts.Prompt{Name: "code_review"},
//		func(ctx context.Context, in Review) (*prompts.Result, error) {
//			return prompts.Messages(prompts.User("Please review:\n" + prompts.Fence(in.Language, in.Code))), nil
//		}))
//
// The struct is the single source of the arguments: their names, order and
// types, which are required, what they are described by. A [Server] answers
// from the registry. It converts and checks the arguments of each call, and
// tells the client everything that is wrong with them in one error; it checks
// what the render functions return before a byte of it is sent; and it tells
// connected clients that the registry has changed, at least once after the
// last change.
//
// # Connecting a server
//
// [Server.Serve] takes a [Transport], a connection that carries whole
// messages both ways; package stdio has the one for standard input and
// output. A transport of requests and responses uses [Server.NewSession] and
// [Session.Handle]. A server that has a JSON-RPC layer of its own mounts the
// prompts methods with [Server.Call]. The other way round, Options.Methods
// adds methods such as tools/list to this package's.
//
// # Errors
//
// What a client is told is a code, a sentence and data for programs:
//
//   - -32700 for what is not JSON or not UTF-8;
//   - -32600 for what is JSON but no request: a duplicate key at any depth,
//     nesting beyond 128, a member of the envelope in the wrong case, a batch,
//     a bad id, a message over the size bound;
//   - -32601 for a method that is not served;
//   - -32602 for a request before initialize other than ping, and for bad
//     params: an unknown prompt ({"prompt": name}), a bad cursor, or arguments
//     that are missing, not strings, of the wrong type or against their schema
//     ({"prompt": name, "problems": [{"argument", "reason", "message",
//     "allowed"}], "more": number of problems beyond 64}), all problems at
//     once;
//   - -32603 for the server's own faults, without details; these go to
//     Options.Logger.
//
// # Revisions
//
// Revision 2025-11-25 of the protocol is served. A client that asks for
// another one is offered it.
package prompts
