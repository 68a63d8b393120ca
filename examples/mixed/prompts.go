package main

import (
	"context"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts"
)

// Incident is what the prompt incident takes.
type Incident struct {
	Service  string   `json:"service" jsonschema:"the service that fails"`
	Severity int      `json:"severity,omitempty" jsonschema:"how bad it is; 1 is worst"`
	Seen     []string `json:"seen,omitempty" jsonschema:"what has been seen so far"`
}

// Update is what the prompt update takes.
type Update struct {
	Service  string `json:"service" jsonschema:"the service that fails"`
	Audience string `json:"audience,omitempty" jsonschema:"the readers"`
}

// registry returns our prompts. They lead to the SDK's tools and resources.
func registry() *prompts.Registry {
	service := prompts.Argument{Name: "service", Enum: names()}
	severity := &jsonschema.Schema{Minimum: jsonschema.Ptr(1.0), Maximum: jsonschema.Ptr(3.0)}
	var reg prompts.Registry
	reg.MustAdd(
		prompts.New(prompts.Prompt{
			Name:        "incident",
			Title:       "Look into an incident",
			Description: "Finds out why a service fails, by its runbook",
			Arguments:   []prompts.Argument{service, {Name: "severity", Schema: severity}},
		}, investigate),
		prompts.New(prompts.Prompt{
			Name:        "update",
			Title:       "Write a status update",
			Description: "Drafts a message for people who wait",
			Arguments:   []prompts.Argument{service, {Name: "audience", Enum: []string{"customers", "colleagues"}}},
		}, draft),
	)
	return &reg
}

func investigate(_ context.Context, in Incident) (*prompts.Result, error) {
	s, _ := find(in.Service) // one of names
	text := fmt.Sprintf("%s fails. Call the tool service_status, follow the runbook, and say after each step what you see.", s.name)
	if in.Severity == 1 {
		text += " Begin with what helps users at once."
	}
	messages := []prompts.Message{
		prompts.User(text),
		prompts.UserContent(&prompts.EmbeddedResource{URI: runbooks + s.name, MIMEType: "text/markdown", Text: s.runbook}),
	}
	for _, seen := range in.Seen {
		messages = append(messages, prompts.User(prompts.Untrusted("seen", seen)))
	}
	return prompts.Messages(messages...), nil
}

func draft(_ context.Context, in Update) (*prompts.Result, error) {
	audience := in.Audience
	if audience == "" {
		audience = "colleagues"
	}
	return prompts.Messages(prompts.User(fmt.Sprintf(
		"Call the tool service_status for %s, and write three sentences on it for %s.", in.Service, audience))), nil
}
