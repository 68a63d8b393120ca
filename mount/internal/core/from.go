package core

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/mcp-prompts/prompts"
)

// ListedAs returns the list entry of a prompt of an SDK. The prompt encodes to JSON.
func ListedAs(prompt any) prompts.Prompt {
	var wire struct {
		Name, Title, Description string
		Icons                    []prompts.Icon
		Arguments                []*struct {
			Name, Title, Description string
			Required                 bool
		}
		Meta prompts.Meta `json:"_meta"`
	}
	if raw, err := json.Marshal(prompt); err != nil || Decode(raw, &wire) != nil {
		return prompts.Prompt{} // which has no name, so that no registry accepts the prompt
	}
	p := prompts.Prompt{
		Name: wire.Name, Title: wire.Title, Description: wire.Description, Icons: wire.Icons, Meta: wire.Meta, DisableHints: true,
	}
	for _, a := range wire.Arguments {
		if a != nil {
			p.Arguments = append(p.Arguments, prompts.Argument{Name: a.Name, Title: a.Title, Description: a.Description, Required: a.Required})
		}
	}
	return p
}

// Handled is what a handler of an SDK has returned.
type Handled struct {
	Result   any  // encodes to JSON
	Asks     bool // for input instead
	Requests any  // the input requests; encode to a JSON object by key
	State    string
}

// Render calls a handler of an SDK until it returns a result, at most rounds times, and sends
// the client the input requests of each round. R is the SDK's type for the responses.
func Render[R any](ctx context.Context, rounds int, handler func(responses R, state string) (Handled, error)) (*prompts.Result, error) {
	asked := map[string]int{} // how often, by key: the same key in another round is another question
	unique := func(key string) string {
		if asked[key]++; asked[key] > 1 {
			return fmt.Sprintf("%s#%d", key, asked[key])
		}
		return key
	}
	var responses R
	state := ""
	for range rounds {
		h, err := handler(responses, state)
		if err != nil {
			return nil, err
		}
		if !h.Asks {
			return resultFrom(h.Result)
		}
		responses, state = *new(R), h.State
		if err := Ask(ctx, h.Requests, unique, &responses); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("handler returned input requests %d times in a row (limit %[1]d)", rounds)
}

// Ask sends the input requests of an SDK's handler to the client, with prompts.Ask, and decodes the
// responses into responses. A declined or canceled request has a response, too, because handlers of
// SDKs check the action. Both requests and responses encode to JSON objects by key. unique returns
// the key for prompts.Ask, for which the same key is the same question.
func Ask(ctx context.Context, requests any, unique func(key string) string, responses any) error {
	raw, err := json.Marshal(requests)
	if err != nil {
		return err
	}
	var wire map[string]struct {
		Method string           `json:"method"`
		Params *json.RawMessage `json:"params"`
	}
	if err := json.Unmarshal(raw, &wire); err != nil {
		return err
	}
	answers := make(map[string]*prompts.Answer[json.RawMessage], len(wire))
	var questions []prompts.Question
	for _, key := range slices.Sorted(maps.Keys(wire)) {
		var params any
		if wire[key].Params != nil {
			params = *wire[key].Params
		}
		answers[key] = prompts.InputRequest(unique(key), wire[key].Method, params)
		questions = append(questions, answers[key])
	}
	err = prompts.Ask(ctx, questions...)
	if err != nil && !errors.Is(err, prompts.ErrDeclined) && !errors.Is(err, prompts.ErrCanceled) {
		return err
	}
	results := make(map[string]json.RawMessage, len(answers))
	for key, answer := range answers {
		switch err := answer.Err(); {
		case errors.Is(err, prompts.ErrDeclined):
			results[key] = json.RawMessage(`{"action":"decline"}`)
		case errors.Is(err, prompts.ErrCanceled):
			results[key] = json.RawMessage(`{"action":"cancel"}`)
		case err != nil:
			return err
		default:
			results[key] = answer.Value
		}
	}
	if raw, err = json.Marshal(results); err != nil {
		return err
	}
	return json.Unmarshal(raw, responses)
}

type wireContent struct {
	Type        string           `json:"type"`
	Text        string           `json:"text"`
	Data        []byte           `json:"data"`
	MIMEType    string           `json:"mimeType"`
	URI         string           `json:"uri"`
	Name        string           `json:"name"`
	Title       string           `json:"title"`
	Description string           `json:"description"`
	Size        *int64           `json:"size"`
	Icons       []prompts.Icon   `json:"icons"`
	Annotations *wireAnnotations `json:"annotations"`
	Resource    *struct {
		URI      string       `json:"uri"`
		MIMEType string       `json:"mimeType"`
		Text     string       `json:"text"`
		Blob     []byte       `json:"blob"`
		Meta     prompts.Meta `json:"_meta"`
	} `json:"resource"`
	Meta prompts.Meta `json:"_meta"`
}

type wireAnnotations struct {
	Audience     []prompts.Role `json:"audience"`
	Priority     *float64       `json:"priority"`
	LastModified string         `json:"lastModified"`
}

func resultFrom(result any) (*prompts.Result, error) {
	raw, err := json.Marshal(result)
	if err != nil {
		return nil, err
	}
	var wire struct {
		Description string `json:"description"`
		Messages    []*struct {
			Role    prompts.Role `json:"role"`
			Content *wireContent `json:"content"`
		} `json:"messages"`
	}
	if err := Decode(raw, &wire); err != nil {
		return nil, err
	}
	out := &prompts.Result{Description: wire.Description}
	meta, err := ReadMeta(raw)
	if out.Meta = meta; err != nil {
		return nil, err
	}
	for i, m := range wire.Messages {
		if m == nil || m.Content == nil {
			return nil, fmt.Errorf("message %d is nil", i+1)
		}
		content, err := contentFrom(m.Content)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i+1, err)
		}
		out.Messages = append(out.Messages, prompts.Message{Role: m.Role, Content: content})
	}
	return out, nil
}

func contentFrom(c *wireContent) (prompts.Content, error) {
	annotations, err := annotationsFrom(c.Annotations)
	if err != nil {
		return nil, err
	}
	switch c.Type {
	case "text":
		return &prompts.Text{Text: c.Text, Annotations: annotations, Meta: c.Meta}, nil
	case "image":
		return &prompts.Image{Data: c.Data, MIMEType: c.MIMEType, Annotations: annotations, Meta: c.Meta}, nil
	case "audio":
		return &prompts.Audio{Data: c.Data, MIMEType: c.MIMEType, Annotations: annotations, Meta: c.Meta}, nil
	case "resource_link":
		return &prompts.ResourceLink{
			URI: c.URI, Name: c.Name, Title: c.Title, Description: c.Description, MIMEType: c.MIMEType,
			Size: c.Size, Icons: c.Icons, Annotations: annotations, Meta: c.Meta,
		}, nil
	case "resource":
		if c.Resource == nil {
			return nil, errors.New("resource is nil")
		}
		return &prompts.EmbeddedResource{
			URI: c.Resource.URI, MIMEType: c.Resource.MIMEType, Text: c.Resource.Text, Blob: c.Resource.Blob,
			ResourceMeta: c.Resource.Meta, Annotations: annotations, Meta: c.Meta,
		}, nil
	}
	return nil, fmt.Errorf("unsupported content type %q", c.Type)
}

func annotationsFrom(a *wireAnnotations) (*prompts.Annotations, error) {
	if a == nil {
		return nil, nil
	}
	out := &prompts.Annotations{Audience: a.Audience, Priority: a.Priority}
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
