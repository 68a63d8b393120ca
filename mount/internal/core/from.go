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
		prompts.Prompt
		Arguments []*prompts.Argument
		Meta      prompts.Meta `json:"_meta"`
	}
	if raw, err := json.Marshal(prompt); err != nil || Decode(raw, &wire) != nil {
		return prompts.Prompt{} // which has no name, so that no registry accepts the prompt
	}
	p := wire.Prompt
	p.Meta, p.DisableHints = wire.Meta, true
	for _, a := range wire.Arguments {
		if a != nil {
			p.Arguments = append(p.Arguments, *a)
		}
	}
	return p
}

// Render calls a handler of an SDK until its result, which encodes to JSON, asks for no input, at
// most rounds times, and sends the client the input requests of each round. R is the SDK's type for
// the responses.
func Render[R any](ctx context.Context, name string, rounds int, handler func(responses R, state string) (result any, err error)) (*prompts.Result, error) {
	asked := map[string]int{}
	var responses R
	state := ""
	for range rounds {
		result, err := handler(responses, state)
		if err != nil {
			return nil, err
		}
		var round struct {
			ResultType    string
			InputRequests map[string]inputRequest
			RequestState  string
		}
		raw, err := json.Marshal(result)
		if err == nil {
			err = json.Unmarshal(raw, &round)
		}
		if err != nil {
			return nil, err
		}
		switch {
		case string(raw) == "null":
			return nil, errors.New("handler returned neither a result nor an error")
		case round.InputRequests == nil && round.ResultType != "input_required":
			return resultFrom(raw)
		case len(round.InputRequests) == 0:
			return nil, &prompts.Error{Code: prompts.CodeInternalError, Message: fmt.Sprintf("prompt %q is at capacity; retry later", name)}
		}
		responses, state = *new(R), round.RequestState
		if err := ask(ctx, round.InputRequests, asked, &responses); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("handler returned input requests %d times in a row (limit %[1]d)", rounds)
}

type inputRequest struct {
	Method string
	Params *json.RawMessage
}

// ask sends input requests with prompts.Ask, and decodes the responses, a JSON object by key. A
// declined or canceled request has a response, too, since handlers of SDKs check the action. asked
// counts the requests of all rounds by key: for prompts.Ask, the same key is the same question.
func ask(ctx context.Context, requests map[string]inputRequest, asked map[string]int, responses any) error {
	answers := make(map[string]*prompts.Answer[json.RawMessage], len(requests))
	var questions []prompts.Question
	for _, key := range slices.Sorted(maps.Keys(requests)) {
		var params any
		if requests[key].Params != nil {
			params = *requests[key].Params
		}
		unique := key
		if asked[key]++; asked[key] > 1 {
			unique = fmt.Sprintf("%s#%d", key, asked[key])
		}
		answers[key] = prompts.InputRequest(unique, requests[key].Method, params)
		questions = append(questions, answers[key])
	}
	err := prompts.Ask(ctx, questions...)
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
	return json.Unmarshal(Encode(results), responses)
}

// content has the members of all contents. The types of this library have those that they share
// with SDKs, under the same names.
type content struct {
	Type string
	Text string
	Data []byte
	prompts.ResourceLink
	Annotations *struct {
		prompts.Annotations
		LastModified string
	}
	Resource *struct {
		prompts.EmbeddedResource
		Meta prompts.Meta `json:"_meta"`
	}
	Meta prompts.Meta `json:"_meta"`
}

func resultFrom(raw json.RawMessage) (*prompts.Result, error) {
	var wire struct {
		Description string
		Messages    []*struct {
			Role    prompts.Role
			Content *content
		}
	}
	parts, err := ReadResult(raw, new(struct{}))
	if err := errors.Join(err, Decode(raw, &wire)); err != nil {
		return nil, err
	}
	out := &prompts.Result{Description: wire.Description, Meta: parts.Meta}
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

func contentFrom(c *content) (prompts.Content, error) {
	annotations, err := annotationsFrom(c)
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
		link := &c.ResourceLink
		link.Annotations, link.Meta = annotations, c.Meta
		return link, nil
	case "resource":
		if c.Resource == nil {
			return nil, errors.New("resource is nil")
		}
		resource := &c.Resource.EmbeddedResource
		resource.ResourceMeta, resource.Annotations, resource.Meta = c.Resource.Meta, annotations, c.Meta
		return resource, nil
	}
	return nil, fmt.Errorf("unsupported content type %q", c.Type)
}

func annotationsFrom(c *content) (*prompts.Annotations, error) {
	a := c.Annotations
	switch {
	case a == nil:
		return nil, nil
	case a.LastModified == "":
		return &a.Annotations, nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateOnly} {
		if t, err := time.Parse(layout, a.LastModified); err == nil {
			a.Annotations.LastModified = t
			return &a.Annotations, nil
		}
	}
	return nil, fmt.Errorf("annotations.lastModified must be an ISO 8601 time such as 2026-01-31T12:00:00Z, got %q", a.LastModified)
}
