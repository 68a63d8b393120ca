// Package prompts serves the prompts of the Model Context Protocol (MCP).
//
// A server's author declares prompts as Go values and puts them in a
// [Registry]:
//
//	type Review struct {
//		Code     string `json:"code" jsonschema:"the code to review"`
//		Language string `json:"language,omitempty" jsonschema:"its language" enum:"go,python,rust"`
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
// # Arguments
//
// On the wire the arguments of a prompt are texts, and nothing says what they
// may be. So the struct does, and what it says reaches the person who fills them
// in three times: as a hint in the list, as completion while they type, and as a
// sentence for each thing that is wrong, all at once.
//
// The fields are the arguments, in their order. A pointer and omitempty make an
// argument optional, and "-" makes the field none. The jsonschema tag describes it. A
// text becomes what the field is:
//
//	type Search struct {
//		Query   string         `json:"query" jsonschema:"what to look for"` // required
//		Verbose *bool          `json:"verbose"`                             // optional: true or false
//		Since   time.Time      `json:"since,omitzero"`                      // 2026-11-21T10:00:00Z
//		Wait    time.Duration  `json:"wait,omitempty"`                      // 1h30m
//		Files   []string       `json:"files,omitempty"`                     // a.go, b.go, or a JSON array
//		Weights map[string]int `json:"weights,omitempty"`                   // JSON
//	}
//
// Tags constrain the value, each by the keyword of JSON Schema with its name, and
// give a default for when there is none (see [New] for all):
//
//	Sort  string   `json:"sort,omitempty" enum:"date,relevance" default:"date"`
//	Limit int      `json:"limit,omitempty" minimum:"1" maximum:"50" default:"10"`
//	Tags  []string `json:"tags,omitempty" enum:"bug,docs" maxItems:"2"`
//	Token string   `json:"token" minLength:"8" sensitive:"true"`
//
// Prompt.Arguments adds by name what tags cannot say: any JSON schema, values that
// are known only at run time, and a function that completes the argument. What has
// few values, such as an enum, completes by itself:
//
//	Arguments: []prompts.Argument{
//		{Name: "sort", Schema: prompts.Enum(orders...)},
//		{Name: "branch", Complete: prompts.Suggest("main", "develop")},
//	}
//
// A render function rejects an argument itself, in the form that failed checks have:
//
//	return nil, prompts.InvalidArgument("repo", "is not a repository of this team")
//
// What cannot work is an error when the prompt is added, with what to write instead:
//
//	prompt "search": argument "limit": the tag min is unknown; write minimum:"1"
//
// Package prompttemplate checks that a template uses the arguments that are declared,
// and no others. [Fence] and [Untrusted] keep a value from being taken for something
// else. [Doc] writes all arguments as a table, and [Prompt.InputSchema] as a JSON
// schema.
//
// # Around a request
//
// Options.Middleware wraps every request for a list, a prompt or completions, for an
// audit log, a quota or a trace:
//
//	func audit(next prompts.Handler) prompts.Handler {
//		return func(ctx context.Context, r *prompts.Request) (*prompts.Response, error) {
//			response, err := next(ctx, r)
//			slog.InfoContext(ctx, r.Method, "prompt", r.Prompt, "client", r.Principal, "failed", err != nil)
//			return response, err
//		}
//	}
//
// Options.Visible hides prompts from some clients; Options.Limits bounds what a
// client can use; Prompt.Cache keeps results, and [Include] makes one prompt of
// others.
//
// # Connecting a server
//
// One line serves a process until a signal comes: over standard input and output,
// or over HTTP.
//
//	err := stdio.Run(ctx, srv)
//	err := streamablehttp.ListenAndServe(ctx, "127.0.0.1:8080", srv, streamablehttp.Options{})
//
// [Server.Serve] takes a [Transport], a connection that carries whole
// messages both ways; package stdio has the one for standard input and
// output. A transport of requests and responses uses [Server.NewSession],
// [Server.Handle] and package transport. A server that has a JSON-RPC layer of its own mounts the
// prompts methods with [Server.Call]. The other way round, Options.Methods
// adds methods such as tools/list to this package's.
//
// # Asking the client
//
// A render function can ask the person at the other end, in the midst of it:
// [Elicit] for one form, [Ask] for several questions at once. In revision
// 2026-07-28 the function is run again with the answers, so what must not be
// done twice goes through [Once]; in sessions of 2025-06-18 and 2025-11-25 it
// waits for them. With Options.ElicitArguments a client is asked for arguments
// that are missing or wrong. [Progress] tells how far a slow function is.
//
// # Errors
//
// What a client is told is a code, a sentence and data for programs:
//
//   - -32700 for what is not JSON or not UTF-8;
//   - -32600 for what is JSON but no request: a duplicate key at any depth,
//     nesting beyond 128, a member of the envelope in the wrong case, a bad
//     id, a message over the size bound, a batch where the revision has none;
//   - -32601 for a method that is not served, or not in this revision;
//   - -32602 for a request that neither follows initialize nor carries its own
//     envelope, and for bad params: a part of the envelope that is missing, a
//     bad cursor, a requestState that is not good ({"param": member}), an
//     unknown prompt ({"prompt": name, "suggestion": name}), or arguments that are missing, not
//     strings, of the wrong type or against their schema ({"prompt": name,
//     "problems": [{"argument", "reason", "message", "allowed"}], "more": number
//     of problems beyond 64}), all problems at once; or a question that was
//     declined, or answered wrongly ({"input": key, "action", "problems"});
//   - -32021 and -32022, in revision 2026-07-28, for a capability that the
//     client would have to declare ({"requiredCapabilities"}) and for a
//     version that is not served ({"supported", "requested"});
//   - -32603 for the server's own faults, without details, which go to
//     Options.Logger; where the server is busy; and where a prompt needs input
//     that the client cannot be asked for.
//
// # Limits
//
// Whatever a client can have more of is bounded, and so is the time that an
// author's code has, by options whose zero values are safe. docs/limits.md in the
// repository is the table of all of them: what is bounded, by how much, and what
// happens where it is reached. SECURITY.md says what else may be relied upon, and
// what is left to the author: who a client is, what it may do, and what a model
// makes of what it reads.
//
// # Revisions
//
// All released revisions of the protocol are served, without configuration:
// 2024-11-05, 2025-03-26, 2025-06-18 and 2025-11-25 to clients that begin with
// initialize, and 2026-07-28 to requests that carry their own envelope. That is
// decided message by message, so that one connection can have both. A client
// that asks for another revision in initialize is offered 2025-11-25. Each
// client gets what its revision knows; members that are newer are left out, and
// for content that is newer see Options.Fallback.
package prompts
