package mcpgo

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcp-prompts/prompts"
)

// resultFrom translates a result of the SDK.
func resultFrom(from *mcp.GetPromptResult) (*prompts.Result, error) {
	to := &prompts.Result{Description: from.Description}
	if from.Meta != nil {
		to.Meta = metaOf(from.Meta)
	}
	for i, m := range from.Messages {
		content, err := contentFrom(m.Content)
		if err != nil {
			return nil, fmt.Errorf("mcpgo: message %d: %w", i+1, err)
		}
		to.Messages = append(to.Messages, prompts.Message{Role: prompts.Role(m.Role), Content: content})
	}
	return to, nil
}

// wireContent is content of any type in its JSON form.
type wireContent struct {
	Type        string            `json:"type"`
	Text        string            `json:"text"`
	Data        []byte            `json:"data"`
	MIMEType    string            `json:"mimeType"`
	URI         string            `json:"uri"`
	Name        string            `json:"name"`
	Title       string            `json:"title"`
	Description string            `json:"description"`
	Size        *int64            `json:"size"`
	Icons       []prompts.Icon    `json:"icons"`
	Annotations *wireAnnotations  `json:"annotations"`
	Resource    *resourceContents `json:"resource"`
	Meta        prompts.Meta      `json:"_meta"`
}

type wireAnnotations struct {
	Audience     []prompts.Role `json:"audience"`
	Priority     *float64       `json:"priority"`
	LastModified string         `json:"lastModified"`
}

type resourceContents struct {
	URI      string       `json:"uri"`
	MIMEType string       `json:"mimeType"`
	Text     string       `json:"text"`
	Blob     *[]byte      `json:"blob"`
	Meta     prompts.Meta `json:"_meta"`
}

// contentFrom translates content of the SDK, by way of what it sends.
func contentFrom(content mcp.Content) (prompts.Content, error) {
	raw, err := json.Marshal(content)
	if err != nil {
		return nil, err
	}
	var c wireContent
	if err := decodeExactly(raw, &c); err != nil {
		return nil, err
	}
	annotations := c.Annotations.ours()
	switch c.Type {
	case mcp.ContentTypeText:
		return &prompts.Text{Text: c.Text, Annotations: annotations, Meta: c.Meta}, nil
	case mcp.ContentTypeImage:
		return &prompts.Image{Data: c.Data, MIMEType: c.MIMEType, Annotations: annotations, Meta: c.Meta}, nil
	case mcp.ContentTypeAudio:
		return &prompts.Audio{Data: c.Data, MIMEType: c.MIMEType, Annotations: annotations, Meta: c.Meta}, nil
	case mcp.ContentTypeLink:
		return &prompts.ResourceLink{
			URI: c.URI, Name: c.Name, Title: c.Title, Description: c.Description, MIMEType: c.MIMEType,
			Size: c.Size, Icons: c.Icons, Annotations: annotations, Meta: c.Meta,
		}, nil
	case mcp.ContentTypeResource:
		if c.Resource == nil {
			return nil, errors.New("resource is nil")
		}
		r := &prompts.EmbeddedResource{
			URI: c.Resource.URI, MIMEType: c.Resource.MIMEType, Text: c.Resource.Text, ResourceMeta: c.Resource.Meta,
			Annotations: annotations, Meta: c.Meta,
		}
		if c.Resource.Blob != nil {
			r.Blob = *c.Resource.Blob
		}
		return r, nil
	}
	return nil, fmt.Errorf("unsupported content type %q", c.Type)
}

// ours returns the annotations in the type of package prompts. A time that does not
// follow RFC 3339 is left out.
func (a *wireAnnotations) ours() *prompts.Annotations {
	if a == nil {
		return nil
	}
	to := &prompts.Annotations{Audience: a.Audience, Priority: a.Priority}
	if at, err := time.Parse(time.RFC3339, a.LastModified); err == nil {
		to.LastModified = at
	}
	return to
}
