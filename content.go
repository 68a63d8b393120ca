package prompts

import (
	"time"
)

// This file has the content of messages. encode.go writes it as JSON; content that a
// protocol version does not know is replaced here.

// Content is the content of a message: [Text], [Image], [Audio], [EmbeddedResource],
// [ResourceLink], or a pointer to one of these types. The server validates all
// content before sending. For invalid content the client gets an internal error, and
// Options.Logger gets the details.
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

// EmbeddedResource is a resource inside the message: a text, or binary data if Blob
// is not nil.
type EmbeddedResource struct {
	URI          string // required, absolute
	MIMEType     string // default text/plain, or application/octet-stream for a blob
	Text         string
	Blob         []byte // binary; sent in base64
	ResourceMeta Meta   // _meta of the resource, since protocol version 2025-06-18
	Annotations  *Annotations
	Meta         Meta // _meta of the message's content, since protocol version 2025-06-18
}

// ResourceLink is a link to a resource that the client can read. Since protocol
// version 2025-06-18.
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

func (Text) content()             {}
func (Image) content()            {}
func (Audio) content()            {}
func (EmbeddedResource) content() {}
func (ResourceLink) content()     {}

// Annotations are hints for clients about a piece of content.
type Annotations struct {
	// Audience lists the readers of the content. Default: all.
	Audience []Role
	// Priority is the importance of the content, from 0 (optional) to 1 (required).
	Priority *float64
	// LastModified is the time of the last change, sent in RFC 3339 format with a
	// resolution of one second. The zero time is not sent. Since protocol version
	// 2025-06-18.
	LastModified time.Time
}

// forRevision returns content that the revision knows: c, or the replacement from the
// application (GAP-37). A link without a replacement becomes text when it is encoded.
func (e *encoder) forRevision(c Content) Content {
	if e.rev.Audio() && e.rev.ResourceLink() {
		return c
	}
	var lacks bool
	switch v := c.(type) {
	case *Audio:
		if v != nil {
			c, lacks = *v, !e.rev.Audio()
		}
	case Audio:
		lacks = !e.rev.Audio()
	case *ResourceLink:
		if v != nil {
			c, lacks = *v, !e.rev.ResourceLink()
		}
	case ResourceLink:
		lacks = !e.rev.ResourceLink()
	}
	if !lacks || e.fallback == nil {
		return c
	}
	if other := e.fallback(c, e.rev.String()); other != nil {
		return other
	}
	return c
}

// text says what a link says to those who know no links.
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
