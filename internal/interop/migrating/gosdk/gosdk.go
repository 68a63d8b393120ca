// Package gosdk has the prompts of docs/migrating.md on the official Go SDK.
package gosdk

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcp-prompts/prompts/internal/interop/migrating/desk"
)

// NewServer returns a server with the prompts.
func NewServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "desk", Version: "1.0.0"}, &mcp.ServerOptions{
		CompletionHandler: complete,
	})
	addCodeReview(s)
	addReleaseNotes(s)
	addIncident(s)
	return s
}

var languages = []string{"go", "python", "rust"}

func addCodeReview(s *mcp.Server) {
	s.AddPrompt(&mcp.Prompt{
		Name:        "code_review",
		Title:       "Code review",
		Description: "Reviews a piece of code",
		Arguments: []*mcp.PromptArgument{
			{Name: "code", Description: "the code to review", Required: true},
			{Name: "language", Description: "its programming language (one of: go, python, rust)"},
			{Name: "focus", Description: "what to look at (comma-separated)"},
		},
	}, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		args := req.Params.Arguments
		code, language := args["code"], args["language"]
		if code == "" {
			return nil, errors.New("code is required")
		}
		if language != "" && !slices.Contains(languages, language) {
			return nil, fmt.Errorf("language must be one of %s", strings.Join(languages, ", "))
		}
		text := "Please review this code:\n```" + language + "\n" + code + "\n```"
		if args["focus"] != "" {
			focus := strings.Split(args["focus"], ",")
			for i := range focus {
				focus[i] = strings.TrimSpace(focus[i])
			}
			text += "\nLook at: " + strings.Join(focus, ", ")
		}
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{
			{Role: "user", Content: &mcp.TextContent{Text: text}},
		}}, nil
	})
}

var versionPattern = regexp.MustCompile(`^v\d+\.\d+\.\d+$`)

func addReleaseNotes(s *mcp.Server) {
	s.AddPrompt(&mcp.Prompt{
		Name:        "release_notes",
		Title:       "Release notes",
		Description: "Drafts the notes of a release",
		Arguments: []*mcp.PromptArgument{
			{Name: "version", Description: "the version to announce", Required: true},
			{Name: "commits", Description: "how many to look at (1 to 100; default 5)"},
			{Name: "brief", Description: "whether a line for each change is enough (true or false)"},
		},
	}, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		args := req.Params.Arguments
		if !versionPattern.MatchString(args["version"]) {
			return nil, errors.New("version must be of the form v1.2.3")
		}
		commits := 5
		if text := args["commits"]; text != "" {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 || n > 100 {
				return nil, errors.New("commits must be a number from 1 to 100")
			}
			commits = n
		}
		style := "Explain what each change means to users."
		if args["brief"] == "true" {
			style = "Write one line for each change."
		}
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{
			{Role: "user", Content: &mcp.TextContent{
				Text: fmt.Sprintf("Write the release notes of %s. %s", args["version"], style),
			}},
			{Role: "user", Content: &mcp.TextContent{
				Text: "<commits>\n" + desk.Commits(commits) + "</commits>",
			}},
		}}, nil
	})
}

func addIncident(s *mcp.Server) {
	s.AddPrompt(&mcp.Prompt{
		Name:        "incident",
		Title:       "Incident",
		Description: "Looks for the cause of an incident",
		Arguments:   []*mcp.PromptArgument{{Name: "id", Description: "the incident", Required: true}},
	}, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		i, ok := desk.Find(req.Params.Arguments["id"])
		if !ok {
			return nil, errors.New("there is no such incident")
		}
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{
			{Role: "user", Content: &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{
				URI: "desk://logs/" + i.ID, MIMEType: "text/plain", Text: i.Log,
			}}},
			{Role: "user", Content: &mcp.TextContent{
				Text: fmt.Sprintf("%s of %s: what is the cause?", i.Summary, i.Service),
			}},
		}}, nil
	})
}

// complete completes the arguments of all prompts.
func complete(_ context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	var values []string
	if req.Params.Ref.Name == "incident" && req.Params.Argument.Name == "id" {
		for _, id := range desk.IDs() {
			if strings.HasPrefix(id, req.Params.Argument.Value) {
				values = append(values, id)
			}
		}
	}
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: values, Total: len(values)}}, nil
}
