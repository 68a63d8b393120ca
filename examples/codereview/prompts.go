package main

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/mcp-prompts/prompts"
)

// The fields of these structs are the arguments that clients see. A field is
// required unless it is tagged omitempty; the jsonschema tag describes it, and
// tags such as enum constrain it.
type (
	codeReview struct {
		Code     string `json:"code" jsonschema:"The code to review"`
		Language string `json:"language,omitempty" jsonschema:"Its programming language" enum:"c,cpp,go,java,javascript,python,rust,typescript"`
	}
	gitCommit struct {
		Changes string `json:"changes" jsonschema:"Git diff or description of changes"`
	}
	explainCode struct {
		Code     string `json:"code" jsonschema:"Code to explain"`
		Language string `json:"language,omitempty" jsonschema:"Programming language"`
	}
	// A client sends every value as a string. Here it becomes a duration and
	// a URL before the render function is called, or the client gets an error.
	analyzeProject struct {
		Timeframe time.Duration `json:"timeframe" jsonschema:"Time period to analyze logs"`
		FileURI   url.URL       `json:"fileUri" jsonschema:"URI of code file to review"`
	}
	debugError struct {
		Error string `json:"error" jsonschema:"The error to debug"`
	}
)

// declared returns the prompts of this server.
func declared() []prompts.Prompt {
	return []prompts.Prompt{
		prompts.New(prompts.Prompt{
			Name:        "code_review",
			Title:       "Request Code Review",
			Description: "Asks the LLM to analyze code quality and suggest improvements",
		}, func(_ context.Context, in codeReview) (*prompts.Result, error) {
			// Fence makes a code block that nothing in the code can end.
			return prompts.Messages(prompts.User("Please review this code:\n" + prompts.Fence(in.Language, in.Code))), nil
		}),

		prompts.New(prompts.Prompt{
			Name:        "git-commit",
			Description: "Generate a Git commit message",
		}, func(_ context.Context, in gitCommit) (*prompts.Result, error) {
			return prompts.Messages(prompts.User(
				"Generate a concise but descriptive commit message for these changes:\n\n" + in.Changes)), nil
		}),

		prompts.New(prompts.Prompt{
			Name:        "explain-code",
			Description: "Explain how code works",
		}, func(_ context.Context, in explainCode) (*prompts.Result, error) {
			what := "code"
			if in.Language != "" {
				what = in.Language + " code"
			}
			return prompts.Messages(prompts.User(
				fmt.Sprintf("Explain how this %s works:\n\n%s", what, prompts.Fence(in.Language, in.Code)))), nil
		}),

		prompts.New(prompts.Prompt{
			Name:        "analyze-project",
			Description: "Analyze project logs and code",
		}, renderAnalysis),

		prompts.New(prompts.Prompt{
			Name:        "debug-error",
			Description: "Start a conversation about an error",
		}, func(_ context.Context, in debugError) (*prompts.Result, error) {
			return prompts.Messages(
				prompts.User("Here's an error I'm seeing: "+in.Error),
				prompts.Assistant("I'll help analyze this error. What have you tried so far?"),
				prompts.User("I've tried restarting the service, but the error persists."),
			), nil
		}),
	}
}

// renderAnalysis embeds a log and a source file as resources: the client
// need not read them itself.
func renderAnalysis(_ context.Context, in analyzeProject) (*prompts.Result, error) {
	if in.Timeframe <= 0 {
		// The client gets an error, in the form of a failed check.
		return nil, prompts.InvalidArgument("timeframe", "must be longer than nothing")
	}
	log, err := recentLog(in.Timeframe)
	if err != nil {
		// The client gets an internal error, and the logger gets this error.
		return nil, fmt.Errorf("read the log: %w", err)
	}
	source, err := readSource(&in.FileURI)
	if err != nil {
		return nil, prompts.InvalidArgument("fileUri", "names no file of this project")
	}
	return prompts.Messages(
		prompts.User("Analyze these system logs and the code file for any issues:"),
		prompts.Message{Role: prompts.RoleUser, Content: &prompts.EmbeddedResource{
			URI:  "logs://recent?timeframe=" + in.Timeframe.String(),
			Text: log, // text/plain, since no MIME type says otherwise
		}},
		prompts.Message{Role: prompts.RoleUser, Content: &prompts.EmbeddedResource{
			URI:      in.FileURI.String(),
			MIMEType: "text/x-python",
			Text:     source,
		}},
	), nil
}
