// Package prompts serves the prompts of the Model Context Protocol (MCP).
//
// Clients such as Claude Code and VS Code show prompts as slash commands. The user picks a prompt
// and fills in the arguments, and the server returns the messages for the model. A complete server:
//
//	type Review struct {
//		Code     string `json:"code" jsonschema:"the code to review"`
//		Language string `json:"language,omitempty" jsonschema:"its language" enum:"go,python,rust"`
//	}
//
//	func main() {
//		var reg prompts.Registry
//		reg.MustAdd(prompts.New(prompts.Prompt{Name: "code_review"},
//			func(ctx context.Context, in Review) (*prompts.Result, error) {
//				return prompts.Messages(
//					prompts.User("Please review:\n" + prompts.Fence(in.Language, in.Code)),
//				), nil
//			}))
//		srv := prompts.MustNewServer(&reg, prompts.Options{})
//		if err := stdio.Run(context.Background(), srv); err != nil {
//			log.Fatal(err)
//		}
//	}
//
// [New] takes the arguments from a struct: names, order, types and descriptions. A
// [Registry] holds the prompts. A [Server] validates each request, calls the render
// function, and validates the result before sending. Change the registry at any
// time: the server notifies clients with notifications/prompts/list_changed.
//
// # Arguments
//
// MCP sends every argument as a string. The server converts the string to the type
// of the field. The jsonschema tag describes the argument. A pointer, omitempty or
// omitzero makes the argument optional:
//
//	type Search struct {
//		Query   string         `json:"query" jsonschema:"the words to find"` // required
//		Verbose *bool          `json:"verbose"`                              // optional: true or false
//		Since   time.Time      `json:"since,omitzero"`                       // 2026-11-21T10:00:00Z
//		Wait    time.Duration  `json:"wait,omitempty"`                       // 1h30m
//		Files   []string       `json:"files,omitempty"`                      // a.go, b.go, or a JSON array
//		Weights map[string]int `json:"weights,omitempty"`                    // a JSON object
//	}
//
// To constrain a value, use the keywords of JSON Schema as tags:
//
//	type Query struct {
//		Sort  string   `json:"sort,omitempty" enum:"date,relevance" default:"date"`
//		Limit int      `json:"limit,omitempty" minimum:"1" maximum:"50" default:"10"`
//		Tags  []string `json:"tags,omitempty" enum:"bug,docs" maxItems:"2"`
//		Token string   `json:"token" minLength:"8" sensitive:"true"`
//	}
//
// [New] lists all tags and types. To add values known only at run time, a JSON
// schema, or a completion function, set Prompt.Arguments:
//
//	p := prompts.Prompt{
//		Name: "search",
//		Arguments: []prompts.Argument{
//			{Name: "sort", Enum: orders},
//			{Name: "branch", Complete: prompts.Suggest("main", "develop")},
//		},
//	}
//
// Enums, booleans and small ranges are completed automatically.
//
// An invalid declaration is an error of [Registry.Add], with a fix:
//
//	prompt "search": argument "limit": unknown tag min; write minimum:"1"
//
// # Results
//
// [Messages], [User] and [Assistant] build a [Result] from text. [UserContent] takes
// an [Image], [Audio], [EmbeddedResource] or [ResourceLink]. [NewText] declares a
// prompt with a single message of the user.
//
// [Fence] quotes code. [Untrusted] marks text from a user or an outside source as
// data. [Include] returns the result of another prompt.
//
// Package prompttemplate declares prompts as text/template, and module promptfs as Markdown files.
//
// # Errors
//
// If arguments are invalid, the client gets one error with code -32602 and all
// problems. To reject an argument in the render function, return [InvalidArgument]:
//
//	return nil, prompts.InvalidArgument("repo", "is not a repository of this team")
//
// To send another error, return an [*Error]. For any other error, and for a panic, the client gets
// an internal error (-32603) without details, and Options.Logger gets the details. [Error]
// documents the data of errors, and docs/errors.md in the repository lists the causes of each code.
//
// # Asking the user
//
// A render function can ask the user for more, with a form:
//
//	release, err := prompts.Elicit[Release](ctx, "release", "Which release?")
//	if err != nil {
//		return nil, err
//	}
//
// [Ask] sends several questions at once. In protocol version 2026-07-28, the render
// function runs again from the start with the answers. Wrap side effects in [Once].
// With Options.ElicitArguments, the server asks the user for missing and invalid
// arguments. [Progress] reports the progress of a slow function.
//
// # Serving
//
// Serve one client over standard input and output with package stdio, or many clients over HTTP:
//
//	err := streamablehttp.ListenAndServe(ctx, "127.0.0.1:8080", srv, streamablehttp.Options{})
//
// Both return when ctx ends or a signal arrives. To use another connection, implement
// transport.Conn and call [Server.Serve]. prompttest.CheckTransport tests such a connection. A
// transport of requests and responses uses [Server.NewSession], [Server.Handle] and package
// transport. In an existing JSON-RPC server, call [Server.Call], or use a module under mount
// for go-sdk or mcp-go. To serve other methods, such as those of resources, add them with
// Options.Features.
//
// # Middleware
//
// Options.Middleware wraps every request for prompts/list, prompts/get and completion/complete:
//
//	func audit(next prompts.Handler) prompts.Handler {
//		return func(ctx context.Context, r *prompts.Request) (*prompts.Response, error) {
//			response, err := next(ctx, r)
//			slog.InfoContext(ctx, r.Method, "prompt", r.Prompt, "client", r.Principal, "failed", err != nil)
//			return response, err
//		}
//	}
//
// Options.Visible hides prompts from some clients. Options.Observer receives traces
// and metrics. Prompt.Cache stores results.
//
// # Limits
//
// The server limits memory, time and concurrency for each client. The zero values of [Limits]
// and [Timeouts] are safe. docs/limits.md in the repository lists every limit and its effect.
// SECURITY.md lists the guarantees, and the responsibilities of the application:
// authentication, authorization, and the effect of prompts on a model.
//
// # Protocol versions
//
// One server supports all released versions of MCP without configuration: 2024-11-05, 2025-03-26,
// 2025-06-18 and 2025-11-25 for clients that send initialize, and 2026-07-28 for requests with
// metadata in _meta. The version is decided per message, so one connection can carry both. If a
// client proposes another version in initialize, the server responds with 2025-11-25. Each client
// gets the members of its version. Options.Fallback replaces content that is too new.
package prompts
