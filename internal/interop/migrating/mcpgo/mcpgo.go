// Package mcpgo has the prompts of docs/migrating.md on mcp-go.
package mcpgo

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcp-prompts/prompts/internal/interop/migrating/desk"
)

// NewServer returns a server with the prompts.
func NewServer() *server.MCPServer {
	s := server.NewMCPServer("desk", "1.0.0",
		server.WithPromptCapabilities(true),
		server.WithCompletions(),
		server.WithPromptCompletionProvider(completer{}),
	)
	addCodeReview(s)
	addReleaseNotes(s)
	addIncident(s)
	return s
}

var languages = []string{"go", "python", "rust"}

func addCodeReview(s *server.MCPServer) {
	s.AddPrompt(mcp.NewPrompt("code_review",
		mcp.WithPromptTitle("Code review"),
		mcp.WithPromptDescription("Reviews a piece of code"),
		mcp.WithArgument("code", mcp.ArgumentDescription("the code to review"), mcp.RequiredArgument()),
		mcp.WithArgument("language", mcp.ArgumentDescription("its programming language (one of: go, python, rust)")),
		mcp.WithArgument("focus", mcp.ArgumentDescription("what to look at (comma-separated)")),
	), func(_ context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
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
		return mcp.NewGetPromptResult("", []mcp.PromptMessage{
			mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(text)),
		}), nil
	})
}

var versionPattern = regexp.MustCompile(`^v\d+\.\d+\.\d+$`)

func addReleaseNotes(s *server.MCPServer) {
	s.AddPrompt(mcp.NewPrompt("release_notes",
		mcp.WithPromptTitle("Release notes"),
		mcp.WithPromptDescription("Drafts the notes of a release"),
		mcp.WithArgument("version", mcp.ArgumentDescription("the version to announce"), mcp.RequiredArgument()),
		mcp.WithArgument("commits", mcp.ArgumentDescription("how many to look at (1 to 100; default 5)")),
		mcp.WithArgument("brief", mcp.ArgumentDescription("whether a line for each change is enough (true or false)")),
	), func(_ context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
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
		return mcp.NewGetPromptResult("", []mcp.PromptMessage{
			mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(
				fmt.Sprintf("Write the release notes of %s. %s", args["version"], style))),
			mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(
				"<commits>\n"+desk.Commits(commits)+"</commits>")),
		}), nil
	})
}

func addIncident(s *server.MCPServer) {
	s.AddPrompt(mcp.NewPrompt("incident",
		mcp.WithPromptTitle("Incident"),
		mcp.WithPromptDescription("Looks for the cause of an incident"),
		mcp.WithArgument("id", mcp.ArgumentDescription("the incident"), mcp.RequiredArgument()),
	), func(_ context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		i, ok := desk.Find(req.Params.Arguments["id"])
		if !ok {
			return nil, errors.New("there is no such incident")
		}
		return mcp.NewGetPromptResult("", []mcp.PromptMessage{
			mcp.NewPromptMessage(mcp.RoleUser, mcp.NewEmbeddedResource(mcp.TextResourceContents{
				URI: "desk://logs/" + i.ID, MIMEType: "text/plain", Text: i.Log,
			})),
			mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(
				fmt.Sprintf("%s of %s: what is the cause?", i.Summary, i.Service))),
		}), nil
	})
}

// completer completes the arguments of all prompts.
type completer struct{}

func (completer) CompletePromptArgument(_ context.Context, prompt string, arg mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	var values []string
	if prompt == "incident" && arg.Name == "id" {
		for _, id := range desk.IDs() {
			if strings.HasPrefix(id, arg.Value) {
				values = append(values, id)
			}
		}
	}
	return &mcp.Completion{Values: values, Total: len(values)}, nil
}
