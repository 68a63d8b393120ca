package prompts

import (
	"context"

	"github.com/google/jsonschema-go/jsonschema"
)

// This file declares what a prompt is: its arguments, its render function and the
// result of one.

// Prompt declares a prompt: what clients see in prompts/list, and the
// function that answers prompts/get. It is plain data until it is added to a
// [Registry], which copies it, checks all of it and compiles it.
//
// A prompt whose arguments are a Go struct is made by [New] or [NewText]. A prompt
// that is itself data sets Arguments and Render.
type Prompt struct {
	// Name identifies the prompt, uniquely in its registry. Required.
	Name string
	// Title is the name for people to read. From revision 2025-06-18.
	Title string
	// Description says what the prompt is for.
	Description string
	// Arguments are the prompt's arguments, in the order in which they are
	// listed. For a prompt made by [New] the struct and its tags are the source
	// of the arguments; entries here add what tags cannot say, by name. Their
	// non-zero members win, those of a Schema keyword by keyword, and a name that
	// the struct does not have is an error.
	Arguments []Argument
	// Icons may be shown beside the prompt. From revision 2025-11-25.
	Icons []Icon
	// Meta is sent as the prompt's _meta. From revision 2025-06-18.
	Meta Meta
	// Version says which version of the prompt this is, in the author's own
	// terms. Clients find it in the prompt's _meta, as
	// "io.github.mcp-prompts/version". From revision 2025-06-18.
	Version string
	// Tags are the author's own, for filters. They are never sent.
	Tags []string
	// Source says where the prompt comes from, for filters and logs. Package
	// promptfs sets it to "promptfs:" and the path of the file, and recognizes
	// its prompts by it. It is never sent. Default: empty.
	Source string
	// DisableHints leaves the descriptions of arguments as they are written.
	// Otherwise a short hint of what is accepted is appended to each, such
	// as "(one of: go, python, rust; default go)", because the protocol has
	// no other place for it.
	DisableHints bool
	// Cache keeps results for further requests. Default: it does not.
	Cache Cache
	// Render answers prompts/get. It is nil for a prompt made by [New], and
	// required for any other.
	Render RenderFunc

	typed typedRender
}

// RenderFunc makes the messages of a prompt that was declared without a
// struct. args holds the text of every argument that was given, or that has a
// default; each has been checked against its schema. The map belongs to the
// function.
//
// The function runs under ctx, which ends when the client cancels, the
// connection ends or the time limit of [Options] has passed. It may run
// concurrently with itself. An error or a panic is reported to the client as
// an internal error without its text, and to Options.Logger in full;
// [InvalidArgument], an [*Error] and the errors of [Ask] are errors whose text
// the client gets.
type RenderFunc func(ctx context.Context, args map[string]string) (*Result, error)

// New completes p with the arguments that the struct In declares and with a
// render function that gets them as a value of In. Faults of the declaration
// are reported when the prompt is added to a [Registry].
//
// Each exported field of In is an argument, in field order; embedded structs
// count as their fields. Its name is the field's name, or the json tag's; a
// field tagged "-" is none. The jsonschema tag is the description. A field
// tagged omitempty or omitzero, and a pointer, is optional; any other is
// required.
//
// Other tags constrain the value and describe it. Each is the keyword of JSON
// Schema with its name, and is checked like that in the Schema of an [Argument]:
//
//	Sort  string   `json:"sort,omitempty" title:"Sort by" enum:"date,relevance" default:"date"`
//	Limit int      `json:"limit,omitempty" minimum:"1" maximum:"50" default:"10"`
//	Tags  []string `json:"tags,omitempty" enum:"bug,docs" maxItems:"2"`
//	Ref   string   `json:"ref" minLength:"1" maxLength:"64" pattern:"^[a-z]" example:"main"`
//
// The tags are:
//
//   - title is the argument's Title; example is a valid value, which the hint
//     shows;
//   - default is the value of an optional argument that is absent, written as a
//     client would send it;
//   - enum lists the valid values between commas, or as a JSON array if a value
//     has a comma;
//   - sensitive:"true" marks a secret, see Argument.Sensitive;
//   - minimum, maximum, exclusiveMinimum, exclusiveMaximum and multipleOf are for
//     numbers; minLength, maxLength, pattern and format for strings; minItems and
//     maxItems for lists.
//
// On a list, the tags for numbers and strings, and enum, constrain each element.
// A tag has Go's escapes, so a backslash in a pattern is written twice.
// Inside of JSON all tags but default constrain the member. A tag of
// another package, such as validate, is ignored. The name of a tag misspelled, or what
// others call it, is an error: min says to write minimum.
//
// On the wire every value is a string. It becomes the field's value thus:
//
//   - string: as it is;
//   - bool: true or false;
//   - integers and floats: parsed in full, within the type's range;
//     json.Number: a JSON number, whose text it keeps;
//   - time.Duration: a text such as 1h30m; []byte: base64; url.URL: a URL,
//     which may be relative, but not empty;
//   - a type with UnmarshalText, such as time.Time or netip.Addr: by that method.
//     If its error wraps one of [InvalidArgument], the client gets the reason of
//     that, as refused, for the argument that is read, whatever name it has;
//     no other error is shown;
//   - slices and arrays: a JSON array if the value starts with "[", else
//     split at commas, the elements trimmed; no element may be empty;
//   - structs and maps: a JSON value, in which null is read for a pointer, a
//     slice, a map and an any;
//   - any: by the type in the argument's schema, a string without one.
//
// The value is then judged by the argument's schema, which is inferred from the
// type. A type with a method JSONSchema() *jsonschema.Schema, of itself or of its
// pointer, brings a schema in place of that, also for elements and inside of
// JSON. The method is called on a zero value, and its result is copied;
// Argument.Schema wins over it, keyword by keyword. How the text is read stays
// the type's, so the schema must fit that. Inside of another schema it may have
// no references. A struct gets the method of what it embeds, and then needs one
// of its own.
//
// An optional argument that is absent has its schema's default, else the zero
// value. Clients send the empty string for a field that is left empty, so the
// empty string counts as absent, unless the argument is an optional string whose
// schema allows the empty string, or a required string whose schema states it, by a
// minLength of 0 or in an enum.
//
// The rules for render are those of [RenderFunc].
func New[In any](p Prompt, render func(ctx context.Context, in In) (*Result, error)) Prompt {
	p.typed = typedFunc[In](render)
	return p
}

// NewText is [New] for a prompt that is one message of the user: render returns
// the text of the message.
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
	// Name identifies the argument, uniquely in its prompt. Required.
	Name string
	// Title is the name for people to read. From revision 2025-06-18.
	Title string
	// Description says what the argument is for.
	Description string
	// Required says that prompts/get must give the argument. For a prompt
	// made by [New] the struct decides, and Required may only agree with it.
	Required bool
	// Sensitive says that the value is a secret, such as a password. The server
	// never puts the value into an error or a record of the log, even if a render
	// function does; errors say what is valid instead. So it is with the first 100
	// elements of a list, strings and numbers in JSON, and what base64 encodes; a
	// value of fewer than 4 bytes counts as a word of its own. The argument is not
	// completed, and is not passed to the Complete of others. A form never asks
	// for it, because the protocol forbids that: with Options.ElicitArguments the
	// client gets invalid params instead. A result with a link that contains the
	// value, and a question in URL mode that does, are errors. The hint says
	// "sensitive". A default, Complete, and the Cache of the prompt are errors
	// of the declaration. The value is passed to the render function and to
	// Options.Middleware, which must not log it.
	Sensitive bool
	// Schema constrains the value and may give a default. It judges the
	// converted value: a minimum applies to an integer argument, a pattern
	// to a string. Without a struct the only type that the schema allows decides
	// how the text is read, also in $ref, allOf, anyOf and oneOf, or as the type
	// of an enum or const; a schema that allows all types is of a string, and
	// one that allows several is an error. An anyOf or oneOf of consts, which
	// may have titles, is an enum. A schema that no value can pass is an error.
	//
	// A format is checked: date, time, date-time, duration, email, hostname,
	// ipv4, ipv6, uri, uri-reference, uuid, regex (of package regexp) or
	// json-pointer. Other formats are an error, and so is a format inside of
	// JSON. A time.Time with the format date is a date, in UTC. A schema
	// that takes more than a bounded time for each part of a value is refused
	// when the prompt is added: one that refers back to itself through the same
	// member of two alternatives, or compares arrays or objects by uniqueItems.
	// The
	// wire has no place for a schema; clients see it as a hint in the
	// description. Its Title and Description are the argument's, if the
	// argument has none.
	Schema *jsonschema.Schema
	// Complete completes what a person has typed; of a list that is separated
	// by commas, its last element. Without it, an argument completes by itself
	// that is a boolean, that has an enum or a const, that is an integer whose
	// bounds are 100 apart at most, or that is a duration of which the number
	// has been typed; and so does a list of such values.
	Complete CompleteFunc
}

// Enum returns the schema of a string that is one of values.
func Enum(values ...string) *jsonschema.Schema {
	enum := make([]any, len(values))
	for i, v := range values {
		enum[i] = v
	}
	return &jsonschema.Schema{Enum: enum}
}

// Icon is an image that a client may show. From revision 2025-11-25.
type Icon struct {
	// Src is an http, https or data URI. Required. Clients should refuse
	// anything but https on the server's own origin, and data.
	Src string
	// MIMEType overrides the type that the source declares.
	MIMEType string
	// Sizes are of the form "48x48", or "any" for a scalable image.
	Sizes []string
	// Theme is the background that the icon is made for: "light", "dark",
	// or empty for both.
	Theme string
}

// Meta is a _meta object: additional properties of what it is attached to.
// A key is an optional prefix of dot-separated labels with a slash, then a
// name; prefixes such as io.modelcontextprotocol/ are reserved for the
// protocol. Values are what encoding/json can encode.
type Meta map[string]any

// Implementation describes a server.
type Implementation struct {
	// Name and Version identify the implementation. Their defaults are
	// "prompts" and "0".
	Name    string
	Version string
	// Title is the name for people to read. From revision 2025-06-18.
	Title string
	// Description says what the server is for. From revision 2025-11-25.
	Description string
	// WebsiteURL is an absolute URI. From revision 2025-11-25.
	WebsiteURL string
	// Icons may be shown beside the server. From revision 2025-11-25.
	Icons []Icon
}

// Result is what a render function makes of a prompt.
type Result struct {
	// Description describes the messages; it is optional.
	Description string
	// Messages are the prompt. None at all is allowed.
	Messages []Message
	// Meta is sent as the result's _meta.
	Meta Meta
}

// Message is one turn of the conversation that a prompt is.
type Message struct {
	Role    Role
	Content Content
}

// Role says who speaks in a [Message].
type Role string

// The roles that the protocol knows.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// Messages returns a result of the messages.
func Messages(messages ...Message) *Result {
	return &Result{Messages: messages}
}

// User returns a message of the user with text as its content.
func User(text string) Message {
	return Message{Role: RoleUser, Content: Text{Text: text}}
}

// Assistant returns a message of the assistant with text as its content.
func Assistant(text string) Message {
	return Message{Role: RoleAssistant, Content: Text{Text: text}}
}

// UserContent returns a message of the user with the content, such as an [Image] or
// an [EmbeddedResource].
func UserContent(c Content) Message { return Message{Role: RoleUser, Content: c} }

// AssistantContent returns a message of the assistant with the content.
func AssistantContent(c Content) Message { return Message{Role: RoleAssistant, Content: c} }
