package prompts

import (
	"cmp"
	"fmt"
	"time"

	"github.com/mcp-prompts/prompts/internal/markdown"
)

// This file has what a render function returns: a result, its messages and their
// content. encodecontent.go writes content as JSON.

// Result is the result of a render function.
type Result struct {
	// Description describes the messages. Optional.
	Description string
	// Messages are the messages for the model. An empty list is valid.
	Messages []Message
	// Meta is sent as the result's _meta.
	Meta Meta
}

// Message is one message of a conversation, with its role.
type Message struct {
	Role    Role
	Content Content
}

// Role is the speaker of a [Message].
type Role string

// The roles of the protocol.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

func checkRole(r Role) error {
	if r == RoleUser || r == RoleAssistant {
		return nil
	}
	return fmt.Errorf("unknown role; use %q or %q", RoleUser, RoleAssistant)
}

// Messages returns a result with the messages.
func Messages(messages ...Message) *Result {
	return &Result{Messages: messages}
}

// User returns a message of the user with text as its content.
func User(text string) Message {
	return Message{Role: RoleUser, Content: &Text{Text: text}}
}

// Assistant returns a message of the assistant with text as its content.
func Assistant(text string) Message {
	return Message{Role: RoleAssistant, Content: &Text{Text: text}}
}

// UserContent returns a message of the user with the content, such as an [Image] or
// an [EmbeddedResource].
func UserContent(c Content) Message { return Message{Role: RoleUser, Content: c} }

// AssistantContent returns a message of the assistant with the content.
func AssistantContent(c Content) Message { return Message{Role: RoleAssistant, Content: c} }

// Content is the content of a message: a pointer to a [Text], [Image], [Audio],
// [EmbeddedResource] or [ResourceLink]. The server validates all content before sending. For
// invalid content the client gets an internal error, and Options.Logger gets the details.
type Content interface{ content() }

// Text is plain text.
type Text struct {
	Text        string
	Annotations *Annotations
	Meta        Meta // since protocol version 2025-06-18
}

// Image is an image.
type Image struct {
	Data        []byte // binary; sent in base64
	MIMEType    string // required, such as image/png
	Annotations *Annotations
	Meta        Meta // since protocol version 2025-06-18
}

// Audio is an audio recording. Since protocol version 2025-03-26.
type Audio struct {
	Data        []byte // binary; sent in base64
	MIMEType    string // required, such as audio/wav
	Annotations *Annotations
	Meta        Meta // since protocol version 2025-06-18
}

// EmbeddedResource is a resource inside the message: a text, or binary data if Blob is not nil.
type EmbeddedResource struct {
	URI          string // required, absolute
	MIMEType     string // default text/plain, or application/octet-stream for a blob
	Text         string
	Blob         []byte // binary; sent in base64
	ResourceMeta Meta   // _meta of the resource, since protocol version 2025-06-18
	Annotations  *Annotations
	Meta         Meta // _meta of the message's content, since protocol version 2025-06-18
}

// ResourceLink is a link to a resource that the client can read. Since protocol version 2025-06-18.
type ResourceLink struct {
	URI         string // required, absolute
	Name        string // required
	Title       string
	Description string
	MIMEType    string
	Size        *int64 // bytes before any encoding
	Icons       []Icon // since protocol version 2025-11-25
	Annotations *Annotations
	Meta        Meta
}

func (*Text) content()             {}
func (*Image) content()            {}
func (*Audio) content()            {}
func (*EmbeddedResource) content() {}
func (*ResourceLink) content()     {}

// Annotations are hints for clients about a piece of content.
type Annotations struct {
	// Audience lists the readers of the content. Default: all.
	Audience []Role
	// Priority is the importance of the content, from 0 (optional) to 1 (required).
	Priority *float64
	// LastModified is the time of the last change, sent in RFC 3339 format with a resolution of
	// one second. The zero time is not sent. Since protocol version 2025-06-18.
	LastModified time.Time
}

// Fence returns code as a Markdown code block in the given language, which may
// be empty. The fence is longer than every run of backticks in code, so code
// cannot end the block. For the placeholder of a client, see [Argument.Verbatim], the
// fence has 6 backticks. A language that could end the line is left out.
func Fence(language, code string) string { return markdown.Fence(language, code) }

// Untrusted returns text from a user or an outside source in a frame that marks the text as data
// rather than instructions. The frame is a sentence followed by the text, byte for byte, between
// two marker lines. The label describes the text in a short noun phrase such as "the text".
// Default: "untrusted text". Control characters and line breaks in the label become spaces.
//
// Neither the text nor the label can end the frame or start another: the markers
// contain a hash of the text, lengthened until neither contains the hash. The same
// label and text always give the same frame, so that results can be cached and
// compared. For the placeholder of a client, see [Argument.Verbatim], the markers are
// random, because the text that the client puts in its place is unknown.
//
// Untrusted is a mitigation, not a guarantee. A model may still follow instructions
// inside the frame. Use other means to prevent dangerous effects.
func Untrusted(label, text string) string { return markdown.Untrusted(label, text) }

const defaultBlobType = "application/octet-stream"

func leftOut(what, mimeType string, size int) string {
	return fmt.Sprintf("[%s left out: %s, %d bytes]", what, mimeType, size)
}

func (c *EmbeddedResource) text() string {
	if c.Blob != nil {
		return leftOut(c.URI, cmp.Or(c.MIMEType, defaultBlobType), len(c.Blob))
	}
	return c.URI + ":\n" + c.Text
}

func (c *ResourceLink) text() string {
	name := c.Name
	if c.Title != "" {
		name = c.Title + " (" + c.Name + ")"
	}
	text := name + ": " + c.URI
	if c.Description != "" {
		text += "\n" + c.Description
	}
	return text
}
