package prompts

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"

	"github.com/mcp-prompts/prompts/internal/argument"
	"github.com/mcp-prompts/prompts/internal/nearest"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/rpc"
)

// This file finds the prompt of a request, and answers a request for a prompt that does not
// exist or that the client may not see. Both take the same steps and get the same response.

// visible returns the prompt with the name, if it exists and is visible to the client in ctx.
// Every request for a prompt calls visible before it reads anything of the prompt. It runs
// the application's code.
func (s *Server) visible(ctx context.Context, all *snapshot, name string) (*definition, bool) {
	d, ok := all.Get(name)
	if !ok || !s.isVisible(ctx, d) {
		return nil, false
	}
	return d, true
}

// namedPrompt is the prompt of a request, of which only the name is known. A request has no
// more of its prompt before find, unless no prompt is hidden.
type namedPrompt struct {
	server *Server
	prompt string // its name; empty for a list, and for an unknown tool
	tool   string // the name of a tool, if the client has named that

	shown  atomic.Pointer[definition] // the prompt, once find has found it
	hidden atomic.Bool                // find has not found it
}

// find returns the visible prompt with the name, or the failure of a request for an unknown
// one. A middleware may have set another name than that of the client's request.
func (n *namedPrompt) find(ctx context.Context, name string) (*snapshot, *definition, *rpc.Failure) {
	all := n.server.registry.snapshot()
	d, ok := n.server.visible(ctx, all, name)
	if name == n.prompt {
		n.decide(d)
		name = n.name()
	}
	if ok {
		return all, d, nil
	}
	return nil, nil, n.server.unknownPrompt(ctx, strings.ToValidUTF8(name, "\ufffd"))
}

// decide notes whether the client may see the prompt. d is nil if not.
func (n *namedPrompt) decide(d *definition) {
	if d == nil {
		n.hidden.Store(true)
		return
	}
	n.shown.Store(d)
}

// name returns the name of the prompt for an error. A client that has named a tool learns
// the name of the prompt only if it may see the prompt.
func (n *namedPrompt) name() string {
	if n.tool != "" && n.shown.Load() == nil {
		return n.tool
	}
	return n.prompt
}

func (n *namedPrompt) Subject() string {
	if n.tool != "" && n.shown.Load() == nil {
		return "tool " + argument.Quote(n.tool)
	}
	return promptSubject(n.prompt)
}

// isKnown reports whether the prompt exists, for the log only. The log does not get other
// names, which clients invent.
func (n *namedPrompt) isKnown() bool {
	_, ok := n.server.registry.snapshot().Get(n.prompt)
	return ok || n.shown.Load() != nil
}

func (n *namedPrompt) LogAttr() slog.Attr {
	if !n.isKnown() {
		return unknownAttr
	}
	return slog.String("prompt", n.prompt)
}

// unknownAttr describes a request for an unknown prompt.
var unknownAttr = slog.String("prompt", "unknown")

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
