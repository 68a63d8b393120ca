package gosdk

import (
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-prompts/prompts"
)

// resultFrom returns the result of an SDK's handler as one of a render function.
func resultFrom(r *mcp.GetPromptResult) (*prompts.Result, error) {
	out := &prompts.Result{Description: r.Description, Meta: prompts.Meta(maps.Clone(r.Meta))}
	delete(out.Meta, mcp.MetaKeyServerInfo) // is the server's to say
	for i, m := range r.Messages {
		if m == nil {
			return nil, fmt.Errorf("message %d is nil", i+1)
		}
		content, err := contentFrom(m.Content)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i+1, err)
		}
		out.Messages = append(out.Messages, prompts.Message{Role: prompts.Role(m.Role), Content: content})
	}
	return out, nil
}

func contentFrom(c mcp.Content) (prompts.Content, error) {
	switch c := c.(type) {
	case *mcp.TextContent:
		a, err := annotationsFrom(c.Annotations)
		return &prompts.Text{Text: c.Text, Annotations: a, Meta: prompts.Meta(c.Meta)}, err
	case *mcp.ImageContent:
		a, err := annotationsFrom(c.Annotations)
		return &prompts.Image{Data: c.Data, MIMEType: c.MIMEType, Annotations: a, Meta: prompts.Meta(c.Meta)}, err
	case *mcp.AudioContent:
		a, err := annotationsFrom(c.Annotations)
		return &prompts.Audio{Data: c.Data, MIMEType: c.MIMEType, Annotations: a, Meta: prompts.Meta(c.Meta)}, err
	case *mcp.ResourceLink:
		a, err := annotationsFrom(c.Annotations)
		return &prompts.ResourceLink{
			URI: c.URI, Name: c.Name, Title: c.Title, Description: c.Description, MIMEType: c.MIMEType, Size: c.Size,
			Icons: iconsOf(c.Icons), Annotations: a, Meta: prompts.Meta(c.Meta),
		}, err
	case *mcp.EmbeddedResource:
		if c.Resource == nil {
			return nil, errors.New("resource is nil")
		}
		a, err := annotationsFrom(c.Annotations)
		return &prompts.EmbeddedResource{
			URI: c.Resource.URI, MIMEType: c.Resource.MIMEType, Text: c.Resource.Text, Blob: c.Resource.Blob,
			ResourceMeta: prompts.Meta(c.Resource.Meta), Annotations: a, Meta: prompts.Meta(c.Meta),
		}, err
	}
	return nil, fmt.Errorf("unsupported content type %T", c)
}

func annotationsFrom(a *mcp.Annotations) (*prompts.Annotations, error) {
	if a == nil {
		return nil, nil
	}
	out := new(prompts.Annotations)
	for _, role := range a.Audience {
		out.Audience = append(out.Audience, prompts.Role(role))
	}
	if priority := a.Priority; priority != 0 { // which the SDK does not send
		out.Priority = &priority
	}
	if a.LastModified == "" {
		return out, nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateOnly} {
		if t, err := time.Parse(layout, a.LastModified); err == nil {
			out.LastModified = t
			return out, nil
		}
	}
	return nil, fmt.Errorf("annotations.lastModified must be an ISO 8601 time such as 2026-01-31T12:00:00Z, got %q", a.LastModified)
}

func iconsOf(icons []mcp.Icon) []prompts.Icon {
	var out []prompts.Icon
	for _, icon := range icons {
		out = append(out, prompts.Icon{Src: icon.Source, MIMEType: icon.MIMEType, Sizes: icon.Sizes, Theme: string(icon.Theme)})
	}
	return out
}
