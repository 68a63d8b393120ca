package prompts

import (
	"context"
	"time"
)

// This file declares what a prompt is: its arguments, its functions and its metadata.
// definition.go compiles the declaration, and content.go has the results.

// Prompt declares a prompt: the entry in prompts/list, and the function for prompts/get. A
// Prompt is plain data. [Registry.Add] copies, validates and compiles the Prompt.
//
// [New] and [NewText] declare a prompt with a Go struct for its arguments. Without a
// struct, set Arguments and Render.
type Prompt struct {
	// Name is the name of the prompt, unique in the registry, of at most 4,096 bytes. Required.
	Name string
	// Title is the name for users. Since protocol version 2025-06-18.
	Title string
	// Description explains the purpose of the prompt.
	Description string
	// Arguments are the prompt's arguments, in list order. For a prompt made by
	// [New], the struct declares the arguments, and entries here add to them by
	// name. The non-zero fields of an entry win over the struct, and the keywords of
	// a Schema over the tags. A name without a field in the struct is an error.
	Arguments []Argument
	// Icons are images for the prompt. Since protocol version 2025-11-25.
	Icons []Icon
	// Meta is sent as the prompt's _meta. Since protocol version 2025-06-18.
	Meta Meta
	// Version is the version of the prompt, in any form. Clients get the version in the
	// prompt's _meta, as "io.github.mcp-prompts/version". Since protocol version 2025-06-18.
	Version string
	// Digest identifies the content of the prompt: "sha256:" and 64 lowercase hexadecimal
	// digits. Packages promptfs and prompttemplate set Digest. [Registry.Add] drops the Digest
	// that a prompt had with another Render, but keeps a Digest if Arguments or other fields have
	// changed: set another then. Clients get Digest in the _meta of the prompt
	// and of its results, as "io.github.mcp-prompts/digest": see Options.DisableReleaseMeta.
	// Since protocol version 2025-06-18. Default: empty.
	Digest string
	// Tags are labels for filters. They are never sent.
	Tags []string
	// Source is the origin of the prompt, for filters and logs. Package promptfs
	// sets Source to "promptfs:" and the path of the file, and recognizes its
	// prompts by this value. If you change a copy and keep its Source, the next change of the file
	// replaces the copy: see promptfs.Folder. Source is never sent. Default: empty.
	Source string
	// DisableHints sends the descriptions of arguments unchanged. Without DisableHints, the
	// server appends a short hint about valid values, such as "(one of: go, python, rust;
	// default go)", because the protocol has no other place for constraints.
	DisableHints bool
	// Cache stores results for later requests. Default: no results are stored.
	Cache Cache
	// Render answers prompts/get. Required. [New] sets Render, and so do packages prompttemplate
	// and promptfs. To decorate such a prompt, replace Render by a function that calls the old one:
	//
	//	render := p.Render
	//	p.Render = func(ctx context.Context, args map[string]string) (*prompts.Result, error) {
	//		r, err := render(ctx, args)
	//		if err != nil {
	//			return nil, err
	//		}
	//		decorated := *r // the old function may return the same Result again
	//		decorated.Messages = slices.Concat(r.Messages, []prompts.Message{prompts.User("Be brief.")})
	//		return &decorated, nil
	//	}
	//
	// The prompt keeps its arguments and their checks. [Registry.Add] drops its Digest, unless
	// you set another. For a prompt of a folder that is watched, set another Source, too.
	Render RenderFunc

	typed *typedPrompt // nil for a prompt that New has not made
}

// RenderFunc returns the messages of a prompt without a struct. args contains the
// string of every argument that is present or has a default, validated by its
// schema. The map belongs to the function.
//
// ctx ends when the client cancels the request, the connection ends, or the time
// limit passes: see [Timeouts]. The function may run concurrently with itself.
//
// Some clients get every prompt when they start, before the user chooses one. So the function must
// have no effects, unless the user agrees first: call [Ask], and then [Once] with the effect.
//
// For an error or a panic, the client gets an internal error without details, and
// Options.Logger gets the details. The client gets the text of these errors:
// [InvalidArgument], an [*Error], and the errors of [Ask].
type RenderFunc func(ctx context.Context, args map[string]string) (*Result, error)

// New returns p with the arguments of the struct In, and with a render function that
// receives an In:
//
//	type Search struct {
//		Query string    `json:"query" jsonschema:"the words to find" minLength:"3" example:"memory leak"`
//		Sort  string    `json:"sort,omitempty" title:"Sort by" enum:"date,relevance" default:"date"`
//		Tags  []string  `json:"tags,omitempty" enum:"bug,docs" maxItems:"2"`
//		Limit int       `json:"limit,omitempty" minimum:"1" maximum:"50" default:"10"`
//		Since time.Time `json:"since,omitzero"`
//	}
//
// [Registry.Add] reports errors of the declaration.
//
// Each exported field of In is an argument, in field order. The fields of an embedded struct
// are arguments too. The json tag names the argument, and the field's name is the default. A
// field with the json tag "-" is ignored. The jsonschema tag is the description. An argument is
// required, unless its field is a pointer or has omitempty or omitzero.
//
// Further tags describe and constrain the value. Most are keywords of JSON Schema,
// and work as in the Schema of an [Argument]:
//
//   - title is the argument's title for users.
//   - example is a valid value, for the hint in the description.
//   - default is the value of an absent optional argument, in the form that a client would send.
//   - enum lists the valid values, separated by commas. If a value contains a comma,
//     write a JSON array.
//   - sensitive:"true" marks a secret: see Argument.Sensitive.
//   - minimum, maximum, exclusiveMinimum, exclusiveMaximum and multipleOf constrain numbers.
//   - minLength, maxLength, pattern and format constrain strings.
//   - minItems and maxItems constrain lists. On a list, the other keywords constrain each element.
//
// In a tag, write each backslash of a pattern twice. Tags on fields inside of JSON
// constrain the member, except default. Tags of other packages, such as validate,
// are ignored. A misspelled tag is an error, and so is another library's name for a
// keyword: for min, the error says to write minimum.
//
// A client sends each value as a string. The server converts the string by the type of the field:
//
//   - string: unchanged.
//   - bool: true or false.
//   - integers and floats: within the range of the type, without rest. A json.Number
//     keeps the text of a JSON number.
//   - time.Duration: a duration such as 1h30m.
//   - []byte: base64.
//   - url.URL: a URL, relative or absolute, but not empty.
//   - a type with UnmarshalText, such as time.Time or netip.Addr: by UnmarshalText.
//     If its error wraps [InvalidArgument], the client gets the message for this
//     argument, whatever name the error has. No other error text is sent.
//   - slices and arrays: a JSON array if the value starts with "[". Any other value
//     is split at commas, elements are trimmed, and an empty element is an error.
//   - structs and maps: a JSON value. null is accepted for a pointer, a slice, a map and an any.
//   - any: by the type in the argument's schema, or a string without a type.
//
// Then the server validates the value by the argument's schema, which is inferred
// from the type. A method JSONSchema of the type, or of a pointer to it, without parameters
// and with one result, replaces the inferred schema, also for elements and inside of JSON:
//
//   - The method is called on a zero value, and the result is copied.
//   - The keywords of Argument.Schema win over the method's.
//   - The schema does not change the conversion, so both must fit each other.
//   - Inside of another schema, the result may have no references.
//   - A struct inherits the method of an embedded field, and then needs its own.
//
// An absent optional argument has the default of its schema, or the zero value. Clients send
// the empty string for an empty input field, so the empty string means absent, with two
// exceptions: an optional string whose schema allows the empty string, and a required string
// whose schema allows it explicitly, by a minLength of 0 or in an enum. Clients and models send
// null for the same reason: null means absent, unless the schema of the argument admits null,
// as the types integer and null do. The field then stays zero, without its default.
//
// The rules of [RenderFunc] apply to render.
func New[In any](p Prompt, render func(ctx context.Context, in In) (*Result, error)) Prompt {
	p.typed = newTypedPrompt(typedFunc[In](render), &p)
	p.Render = p.typed.render
	return p
}

// NewText returns a prompt like [New], for a result with a single message of the
// user. render returns the text of the message.
func NewText[In any](p Prompt, render func(ctx context.Context, in In) (string, error)) Prompt {
	if render == nil {
		return New[In](p, nil) // which Registry.Add reports
	}
	return New(p, func(ctx context.Context, in In) (*Result, error) {
		text, err := render(ctx, in)
		if err != nil {
			return nil, err
		}
		return Messages(User(text)), nil
	})
}

// Argument declares one argument of a prompt.
type Argument struct {
	// Name is the name of the argument, unique in the prompt. Required.
	Name string
	// Title is the name for users. Since protocol version 2025-06-18.
	Title string
	// Description explains the argument.
	Description string
	// Required rejects prompts/get without the argument. For a prompt made by [New],
	// the struct decides, and Required must not contradict the struct.
	Required bool
	// Sensitive marks the value as a secret, such as a password:
	//
	//   - The server never writes the value into an error or a log record. Errors
	//     describe valid values instead.
	//   - In a request that gives the value, text of the application that is not for
	//     the client is not logged: plain errors, panics, errors of the result. The
	//     log gets the types and the error id. Options.LogSensitive allows the text.
	//   - Text for the client is sent: InvalidArgument, Error, the message of a question, progress.
	//     The exact value is replaced in the text. A value of fewer than 4 bytes is replaced only
	//     as a whole word. Nothing that the application made of the value is found, so do not put
	//     it into such text. CheckSensitive of package prompttest tests a prompt.
	//   - The argument is not completed, and its value is not passed to the Complete
	//     of other arguments.
	//   - Forms never ask for the argument, because the protocol forbids forms for
	//     secrets. With Options.ElicitArguments, the client gets invalid params.
	//   - A result with a link that contains the exact value is an error, and so is a
	//     question in URL mode whose URL contains it.
	//   - The hint in the description says "sensitive".
	//   - A default, Complete, and the Cache of the prompt are errors of the declaration.
	//
	// The render function and Options.Middleware get the value, and must not log it.
	Sensitive bool
	// Verbatim says that results contain the value unchanged, and otherwise depend only on
	// whether the value is empty. Some clients send a placeholder such as "$1" instead of the
	// value, and replace the placeholder in the result. With Verbatim, the server accepts the
	// placeholder of such a client without validation, if the value is a string and not
	// Sensitive. Without Verbatim, the client gets invalid params with the reason
	// "placeholder". Package prompttemplate sets Verbatim for arguments that the templates only
	// print, or ask only whether they are empty: {{.x}}, {{if .x}}, {{or .x "text"}},
	// {{untrusted "label" .x}} and {{fence "" .x}}.
	Verbatim bool
	// Enum has the valid values of a string, as the keyword enum of Schema has. The elements of a
	// list have the enum of the items of Schema. An empty Enum that is not nil is an error. [Registry.Lookup]
	// returns the values in Schema.
	Enum []string
	// Schema constrains the value and may set a default. It is any value that encoding/json
	// encodes as a JSON schema (2020-12), such as a json.RawMessage, a map, or a
	// *jsonschema.Schema of github.com/google/jsonschema-go, which the server uses inside. The
	// Schema of a prompt from a registry encodes as the schema. Its Go type is not part of the
	// API. Schema applies to the converted value: a minimum to an integer, a pattern to a
	// string. Schema.Title and Schema.Description are used if Title and Description are empty.
	// The protocol has no place for a schema, so clients see a hint in the description.
	//
	// Without a struct, the schema's type decides the conversion. The type may stand in $ref,
	// allOf, anyOf and oneOf, or follow from an enum or const. A schema for all types means a
	// string, and a schema for several types is an error. An anyOf or oneOf of consts, with or
	// without titles, is an enum. A schema that allows no value is an error.
	//
	// These formats are checked: date, time, date-time, duration, email, hostname, ipv4, ipv6, uri,
	// uri-reference, uuid, regex (of package regexp) and json-pointer, inside of JSON, too. Any other
	// format is an error. A time.Time with the format date is a date in UTC.
	//
	// Validation takes bounded time for each part of a value. A value that takes longer is
	// invalid, which happens only with schemas that refer to themselves through the
	// same member of two alternatives.
	Schema any
	// Complete returns completions for the text in the input field. For a
	// comma-separated list, it completes the last element. Without Complete, the
	// server completes booleans, enums, consts, integers with bounds at most 100
	// apart, durations with a number but no unit, and lists of such values.
	Complete CompleteFunc
}

// CompleteFunc returns values for an argument, the best first. prefix is the text in
// the input field. [Suggest], [SuggestFunc] and [SuggestCached] return a
// CompleteFunc for a list of candidates.
//
// args contains the values of the prompt's other arguments in the client's request,
// from protocol version 2025-06-18, except sensitive arguments. The values are not
// validated. The map belongs to the function.
//
// For a comma-separated list, prefix is the last element, and the function returns
// elements. The client gets each element with the list before it. The server drops
// elements that the list already contains, and elements that cannot stand between
// commas. For a list written as JSON, the function is not called.
//
// The rules for ctx and errors are those of [RenderFunc]. The client gets the first 100 values
// and the number of all values. Empty and duplicate values are dropped and not counted.
type CompleteFunc func(ctx context.Context, prefix string, args map[string]string) ([]string, error)

// Cache configures how long the server stores the results of a prompt, for further requests with
// the same arguments. Set a Cache only if the result depends on nothing except the arguments:
//
//   - The context of the render function has no values.
//   - The function cannot call [Ask] or [Progress].
//   - The function cannot call [Include] if Options.Visible is set.
//
// Requests with the same arguments share one call of the function. Its context ends when all of
// these clients have disconnected or canceled. Results share their contents, so no code may
// change a result afterwards. The cache stores neither errors nor invalid results. It stores a
// copy of the result. In a Meta, a value of a type that encoding/json does not decode into an
// any becomes a json.RawMessage. A negative field is an error of [Registry.Add]. Cache may get
// fields: write literals with keys.
type Cache struct {
	// TTL is the time that a result is stored. Default: 0, not at all.
	TTL time.Duration
	// AllPrincipals gives all principals the same results. Without it, each principal has its own
	// results: see Options.Principal. Without Options.Principal, all clients are one principal.
	AllPrincipals bool
	// MaxResults is the maximum number of stored results. The oldest is removed first. Results
	// for arguments of more than 4 KiB in total are not stored. Default: 1,000.
	MaxResults int
	// MaxBytes is the maximum memory in bytes of all stored results and their
	// arguments. Default: 64 MiB.
	MaxBytes int
}

// Icon is an image that a client may show. Since protocol version 2025-11-25.
type Icon struct {
	// Src is an http, https or data URI. Required. The protocol advises clients to
	// accept only data URIs, and https on the server's own origin.
	Src string
	// MIMEType overrides the MIME type of the source.
	MIMEType string
	// Sizes have the form "48x48", or "any" for a scalable image.
	Sizes []string
	// Theme is the background that fits the icon: "light", "dark", or empty for both.
	Theme string
}

// Meta is a _meta object with additional properties. A key consists of an optional
// prefix and a name. The prefix is a list of dot-separated labels and a slash.
// Prefixes such as io.modelcontextprotocol/ are reserved for the protocol.
// encoding/json must be able to encode the values.
type Meta map[string]any

// Implementation describes a server in [Options], and a client in a [Request] and a [Fallback].
// What describes a client is unchecked: the client chooses it.
type Implementation struct {
	// Name and Version identify the implementation. For a server, their defaults are "prompts" and "0".
	Name    string
	Version string
	// Title is the name for users. Since protocol version 2025-06-18.
	Title string
	// Description explains the purpose of the server. Since protocol version 2025-11-25.
	Description string
	// WebsiteURL is an absolute URI. Since protocol version 2025-11-25.
	WebsiteURL string
	// Icons are images for the server. Since protocol version 2025-11-25.
	Icons []Icon
}
