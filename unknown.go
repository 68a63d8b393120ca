package prompts

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/nearest"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/rpc"
)

// This file answers a request for a prompt that does not exist or that the client may not
// see. Both get the same answer, after the same time.

// unknown returns the work of a request for a prompt that does not exist. It is work, as
// for a hidden prompt, whose response is the same. The time limit is that of the request;
// 0 is the usual one.
func (s *Server) unknown(name, subject string, timeout time.Duration) feature.Work {
	name = strings.Clone(phrase.Clip(name, phrase.MaxEcho))
	run := func(ctx context.Context, _ []byte) ([]byte, error) { return nil, s.unknownPrompt(ctx, name) }
	return feature.Work{Handler: unknownRequest{run, subject}, Timeout: timeout}
}

// unknownAttr describes a request for an unknown prompt. The log does not get the name.
var unknownAttr = slog.String("prompt", "unknown")

// unknownRequest is a request for an unknown prompt.
type unknownRequest struct {
	feature.HandlerFunc
	subject string
}

func (u unknownRequest) Subject() string { return u.subject }

func (u unknownRequest) LogAttr() slog.Attr { return unknownAttr }

// unknownPrompt returns the failure of a request for a prompt that the client may
// not see or that does not exist.
func (s *Server) unknownPrompt(ctx context.Context, name string) *rpc.Failure {
	data := unknownData{phrase.Clip(name, phrase.MaxEcho), s.suggestion(ctx, name)}
	message := fmt.Sprintf("unknown prompt %q", phrase.Clip(name, 64))
	if data.Suggestion != "" {
		message += fmt.Sprintf("; did you mean %q?", data.Suggestion)
	}
	return &rpc.Failure{Client: &Error{Code: CodeInvalidParams, Message: message, Data: data}}
}

// unknownData is the data of an error about an unknown prompt.
type unknownData struct {
	Prompt     string `json:"prompt"`
	Suggestion string `json:"suggestion,omitempty"`
}

const (
	// maxSearched is how many prompts are compared with an unknown name. Hidden prompts
	// must not count: with a filter, all are compared.
	maxSearched = 10_000
	// maxSearches is how many unknown names per second are compared with all prompts.
	maxSearches = 20
)

// suggestion returns the name of the visible prompt that is most similar to name, or
// the empty string if no name is similar. It runs the application's code.
func (s *Server) suggestion(ctx context.Context, name string) string {
	if s.options.Visible != nil && !s.searches.Allow() {
		return ""
	}
	search, n := nearest.NewSearch(name), 0
	for other, d := range s.registry.snapshot().All() {
		switch n++; {
		case ctx.Err() != nil:
			return ""
		case s.options.Visible == nil && n > maxSearched:
			return search.Name()
		}
		search.Add(other, func() bool { return s.isVisible(ctx, d) })
	}
	return search.Name()
}
