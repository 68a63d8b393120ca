package prompts

import (
	"time"
)

// This file has the content of messages. encode.go writes it as JSON; content that a
// protocol version does not know is replaced here.

// Content is what one message holds: [Text], [Image], [Audio],
// [EmbeddedResource] or [ResourceLink], or a pointer to one. It is checked
// before it is sent, and a fault in it is an internal error to the client and
// a line in Options.Logger for the author.
type Content interface{ content() }

// Text is plain text.
type Text struct {
	Text        string
	Annotations *Annotations
	Meta        Meta // from revision 2025-06-18
}

// Image is a picture.
type Image struct {
	Data        []byte // as it is; it is encoded in base64 when it is sent
	MIMEType    string // required, such as image/png
	Annotations *Annotations
	Meta        Meta // from revision 2025-06-18
}

// Audio is a recording. From revision 2025-03-26.
type Audio struct {
	Data        []byte // as it is; it is encoded in base64 when it is sent
	MIMEType    string // required, such as audio/wav
	Annotations *Annotations
	Meta        Meta // from revision 2025-06-18
}

// EmbeddedResource is a resource whose contents are part of the message:
// text, or a blob if Blob is not nil.
type EmbeddedResource struct {
	URI          string // required, absolute
	MIMEType     string // default text/plain, or application/octet-stream for a blob
	Text         string
	Blob         []byte // as it is; it is encoded in base64 when it is sent
	ResourceMeta Meta   // _meta of the resource, from revision 2025-06-18
	Annotations  *Annotations
	Meta         Meta // _meta of the message's content, from revision 2025-06-18
}

// ResourceLink is a resource that the client can read itself. From revision
// 2025-06-18.
type ResourceLink struct {
	URI         string // required, absolute
	Name        string // required
	Title       string
	Description string
	MIMEType    string
	Size        *int64 // bytes before any encoding
	Icons       []Icon // from revision 2025-11-25
	Annotations *Annotations
	Meta        Meta
}

func (Text) content()             {}
func (Image) content()            {}
func (Audio) content()            {}
func (EmbeddedResource) content() {}
func (ResourceLink) content()     {}

// Annotations tell a client how to use or show a piece of content.
type Annotations struct {
	// Audience is whom the content is for; none means anybody.
	Audience []Role
	// Priority is from 0, entirely optional, to 1, required.
	Priority *float64
	// LastModified is sent in RFC 3339 form, to the second; the zero time is
	// not sent. From revision 2025-06-18.
	LastModified time.Time
}

// forRevision returns content that the revision knows: c, or what an author puts in
// its place (GAP-37). A link for which there is nothing else becomes a text
// when it is encoded.
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
