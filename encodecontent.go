package prompts

import (
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-prompts/prompts/internal/hosts"
	"github.com/mcp-prompts/prompts/internal/rpc"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/internal/syntax"
)

// This file writes content as JSON of one protocol version, or as text for a host that
// does not have its type.

func (e *encoder) content(c Content) {
	if t, ok := c.(*Text); ok && t != nil {
		e.text(t)
		return
	}
	e.otherContent(c)
}

// otherContent is content for all types: most content is a text and does not come here.
func (e *encoder) otherContent(c Content) {
	if e.lacksAudio || e.lacksLinks {
		c = e.forClient(c)
	}
	if v := reflect.ValueOf(c); c == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		e.errorf("content is nil")
		return
	}
	switch c := c.(type) {
	case *Text:
		e.text(c)
	case *Image:
		e.image(c)
	case *Audio:
		e.audio(c)
	case *EmbeddedResource:
		e.embeddedResource(c)
	case *ResourceLink:
		e.resourceLink(c)
	default:
		// A type that embeds one of the types above implements Content, too.
		e.errorf("unsupported content type %T; use one of the types of package prompts", c)
	}
}

// forClient returns content that the protocol version and the host of the client have: c,
// or the replacement from the application (GAP-37). Without a replacement, the content
// becomes text when it is encoded.
func (e *encoder) forClient(c Content) Content {
	var lacks bool
	switch v := c.(type) {
	case *Audio:
		lacks = v != nil && e.lacksAudio
	case *ResourceLink:
		lacks = v != nil && e.lacksLinks
	}
	if !lacks || e.fallback == nil {
		return c
	}
	info := rpc.FromContext(e.ctx).ClientInfo()
	other := e.fallback(e.ctx, Fallback{
		Content: c, Version: e.rev.String(),
		Client: Implementation{Name: info.Name, Title: info.Title, Version: info.Version},
	})
	if t, ok := other.(*Text); ok && t != nil {
		own := *t // the application's may be shared
		own.Text = e.ended(t.Text)
		return &own
	}
	if other != nil {
		return other
	}
	return c
}

func (e *encoder) text(c *Text) {
	if e.spend(len(c.Text)) {
		e.appendText(c)
	}
}

func (e *encoder) appendText(c *Text) {
	text := c.Text
	if e.expandsTexts {
		text = hosts.Inert(text)
	}
	if e.joins {
		e.texts = append(e.texts, text)
	}
	e.raw(`"type":"text"`)
	e.str("text", text)
	if c.Annotations != nil {
		e.annotations(c.Annotations)
	}
	e.metaFromTitles(c.Meta)
}

func (e *encoder) image(c *Image) {
	at := len(e.buf)
	e.media("image", c.Data, c.MIMEType, c.Annotations, c.Meta)
	if e.onlyTexts {
		e.replace(at, leftOut("image", c.MIMEType, len(c.Data)), c.Annotations)
	}
}

func (e *encoder) audio(c *Audio) {
	at := len(e.buf)
	e.media("audio", c.Data, c.MIMEType, c.Annotations, c.Meta)
	if e.lacksAudio {
		e.replace(at, leftOut("audio", c.MIMEType, len(c.Data)), c.Annotations)
	}
}

func (e *encoder) replace(at int, text string, a *Annotations) {
	e.buf = e.buf[:at]
	e.appendText(&Text{Text: e.ended(text), Annotations: a})
}

// ended returns a text with a newline at its end if other content of a tool's result
// follows: some clients join the texts.
func (e *encoder) ended(text string) string {
	if e.isInner && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

func (e *encoder) media(kind string, data []byte, mimeType string, a *Annotations, meta Meta) {
	if !e.spend(len(data)) {
		return
	}
	e.str("type", kind)
	e.base64("data", data)
	e.mimeType(mimeType)
	if a != nil {
		e.annotations(a)
	}
	e.metaFromTitles(meta)
}

func (e *encoder) embeddedResource(c *EmbeddedResource) {
	mimeType := c.MIMEType
	switch {
	case mimeType == "" && c.Blob != nil:
		mimeType = defaultBlobType
	case mimeType == "":
		mimeType = "text/plain"
	}
	if !e.spend(len(c.Text) + len(c.Blob)) {
		return
	}
	at := len(e.buf)
	e.raw(`"type":"resource","resource":{`)
	e.uri("uri", c.URI)
	e.mimeType(mimeType)
	if c.Blob != nil {
		if c.Text != "" {
			e.errorf("resource has both Text and Blob; set one of the two")
		}
		e.base64("blob", c.Blob)
	} else {
		text := c.Text
		if e.joinsTexts {
			text = e.ended(text)
		}
		e.str("text", text)
	}
	e.metaFromTitles(c.ResourceMeta)
	e.raw("}")
	if c.Annotations != nil {
		e.annotations(c.Annotations)
	}
	e.metaFromTitles(c.Meta)
	if e.onlyTexts {
		e.replace(at, c.text(), c.Annotations)
	}
}

func (e *encoder) resourceLink(c *ResourceLink) {
	if !e.spend(len(c.URI) + len(c.Name) + len(c.Title) + len(c.Description)) {
		return
	}
	at := len(e.buf)
	e.raw(`"type":"resource_link"`)
	e.uri("uri", c.URI)
	e.str("name", c.Name)
	if c.Name == "" {
		e.errorf("resource link has no Name")
	}
	e.opt("title", c.Title)
	e.opt("description", c.Description)
	if c.MIMEType != "" {
		e.mimeType(c.MIMEType)
	}
	if c.Size != nil {
		if *c.Size < 0 {
			e.errorf("size must not be negative, got %d", *c.Size)
		}
		e.key("size")
		e.buf = strconv.AppendInt(e.buf, *c.Size, 10)
	}
	e.icons(c.Icons)
	if c.Annotations != nil {
		e.annotations(c.Annotations)
	}
	e.metaFromTitles(c.Meta)
	if e.lacksLinks {
		e.replace(at, c.text(), c.Annotations)
	}
}

func (e *encoder) annotations(a *Annotations) {
	e.key("annotations")
	e.raw("{")
	if len(a.Audience) > 0 {
		e.key("audience")
		for i, role := range a.Audience {
			if checkRole(role) != nil {
				e.errorf("unknown audience; use %q or %q", RoleUser, RoleAssistant)
			}
			e.buf = append(e.buf, "[,"[min(i, 1)])
			e.buf = strictjson.AppendString(e.buf, string(role))
		}
		e.raw("]")
	}
	if a.Priority != nil {
		e.key("priority")
		if p := *a.Priority; p >= 0 && p <= 1 {
			e.buf = strconv.AppendFloat(e.buf, p, 'f', -1, 64)
		} else {
			e.errorf("priority must be from 0 to 1, got %v", p)
			e.raw("0")
		}
	}
	if !a.LastModified.IsZero() && e.rev.Titles() {
		t := a.LastModified.UTC() // the form that CNT-10 asks for
		if y := t.Year(); y < 0 || y > 9999 {
			e.errorf("lastModified: year %d is outside the range of RFC 3339 (0 to 9999)", y)
		}
		e.str("lastModified", t.Format(time.RFC3339))
	}
	e.raw("}")
}

func (e *encoder) icons(icons []Icon) {
	if len(icons) == 0 || !e.rev.Icons() {
		return
	}
	e.key("icons")
	for i, icon := range icons {
		for _, err := range syntax.CheckIcon(icon.Src, icon.MIMEType, icon.Sizes, icon.Theme, e.quoteName) {
			e.errorf("icon %d: %w", i+1, err)
		}
		e.buf = append(e.buf, "[,"[min(i, 1)], '{')
		e.str("src", icon.Src)
		e.checkLink(icon.Src)
		e.opt("mimeType", icon.MIMEType)
		if len(icon.Sizes) > 0 {
			e.key("sizes")
			for j, size := range icon.Sizes {
				e.buf = append(e.buf, "[,"[min(j, 1)])
				e.buf = strictjson.AppendString(e.buf, size)
			}
			e.raw("]")
		}
		e.opt("theme", icon.Theme)
		e.raw("}")
	}
	e.raw("]")
}
