// Package ours has the prompts of docs/migrating.md on this library.
package ours

import (
	"context"
	"fmt"
	"strings"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/interop/migrating/desk"
)

// Registry returns the prompts.
func Registry() *prompts.Registry {
	var reg prompts.Registry
	reg.MustAdd(codeReview(), releaseNotes(), incident())
	return &reg
}

// NewServer returns a server with the prompts.
func NewServer() *prompts.Server {
	return prompts.MustNewServer(Registry(), prompts.Options{
		Info: prompts.Implementation{Name: "desk", Version: "1.0.0"},
	})
}

type CodeReview struct {
	Code     string   `json:"code" jsonschema:"the code to review" minLength:"1"`
	Language string   `json:"language,omitempty" jsonschema:"its programming language" enum:"go,python,rust"`
	Focus    []string `json:"focus,omitempty" jsonschema:"what to look at"`
}

func codeReview() prompts.Prompt {
	return prompts.New(prompts.Prompt{
		Name:        "code_review",
		Title:       "Code review",
		Description: "Reviews a piece of code",
	}, func(_ context.Context, in CodeReview) (*prompts.Result, error) {
		text := "Please review this code:\n" + prompts.Fence(in.Language, in.Code)
		if len(in.Focus) > 0 {
			text += "\nLook at: " + strings.Join(in.Focus, ", ")
		}
		return prompts.Messages(prompts.User(text)), nil
	})
}

type ReleaseNotes struct {
	Version string `json:"version" jsonschema:"the version to announce" pattern:"^v\\d+\\.\\d+\\.\\d+$"`
	Commits int    `json:"commits,omitempty" jsonschema:"how many to look at" minimum:"1" maximum:"100" default:"5"`
	Brief   bool   `json:"brief,omitempty" jsonschema:"whether a line for each change is enough"`
}

func releaseNotes() prompts.Prompt {
	return prompts.New(prompts.Prompt{
		Name:        "release_notes",
		Title:       "Release notes",
		Description: "Drafts the notes of a release",
	}, func(_ context.Context, in ReleaseNotes) (*prompts.Result, error) {
		style := "Explain what each change means to users."
		if in.Brief {
			style = "Write one line for each change."
		}
		return prompts.Messages(
			prompts.User(fmt.Sprintf("Write the release notes of %s. %s", in.Version, style)),
			prompts.User(prompts.Untrusted("commits", desk.Commits(in.Commits))),
		), nil
	})
}

type Incident struct {
	ID string `json:"id" jsonschema:"the incident"`
}

func incident() prompts.Prompt {
	return prompts.New(prompts.Prompt{
		Name:        "incident",
		Title:       "Incident",
		Description: "Looks for the cause of an incident",
		Arguments:   []prompts.Argument{{Name: "id", Complete: prompts.Suggest(desk.IDs()...)}},
	}, func(_ context.Context, in Incident) (*prompts.Result, error) {
		i, ok := desk.Find(in.ID)
		if !ok {
			return nil, prompts.InvalidArgument("id", "there is no such incident")
		}
		return prompts.Messages(
			prompts.Message{Role: prompts.RoleUser, Content: &prompts.EmbeddedResource{
				URI: "desk://logs/" + i.ID, MIMEType: "text/plain", Text: i.Log,
			}},
			prompts.User(fmt.Sprintf("%s of %s: what is the cause?", i.Summary, i.Service)),
		), nil
	})
}
