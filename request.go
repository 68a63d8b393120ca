package prompts

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"

	"github.com/mcp-prompts/prompts/internal/nearest"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/rpc"
)

// This file has the one way of a request of a method about prompts, with or without a
// middleware: it finds the prompt, answers and appends the result. A request for a prompt that
// does not exist takes the same steps as a request for a prompt that the client may not see,
// and gets the same response.

type promptRequest struct {
	server *Server
	prompt string                     // its name; empty for a list, and for an unknown tool
	shown  atomic.Pointer[definition] // the prompt, once find has found it
	around *middlewareRequest         // nil without a middleware
}

// servedRequest is a request as its method serves it. The implementations are in the files of
// the methods, and in features.go.
type servedRequest interface {
	// Subject names the request in errors, LogAttr in the log, and name its prompt in errors.
	Subject() string
	LogAttr() slog.Attr
	name() string
	// methods returns the method that a middleware sees, and that of the client's request.
	methods() (seen, client string)
	// answer answers the request, or the one that the next of a middleware gets, on what may be
	// a goroutine of the middleware's; r is nil without a middleware. It returns the run
	// whose questions are pending. A list may be appended to dst.
	answer(ctx context.Context, r *Request, dst []byte) (Response, *scope, *rpc.Failure)
	// append appends the result for the response, to the dst of answer.
	append(ctx context.Context, dst []byte, r Response) ([]byte, error)
	// fail appends a result for a failure, or returns the failure.
	fail(ctx context.Context, dst []byte, f *rpc.Failure) ([]byte, error)
}

// appendRendered and the other functions are those of the types of internal/promptfeature.
type (
	appendRendered = func(ctx context.Context, dst []byte, r *Result, rejected *Error) ([]byte, error)
	appendUnknown  = func(ctx context.Context, dst []byte, visible func(prompt string) bool) ([]byte, error)
	appendListed   = func(ctx context.Context, dst []byte, cursor string, visible func(prompt string) bool) ([]byte, error)
	appendRejected = func(ctx context.Context, dst []byte, rejected *Error) ([]byte, error)
)

func (p *promptRequest) run(ctx context.Context, dst []byte, served servedRequest) ([]byte, error) {
	if p.around != nil {
		return p.around.run(ctx, dst)
	}
	response, pending, f := served.answer(ctx, nil, dst)
	switch {
	case f != nil:
		return served.fail(ctx, dst, f)
	case pending != nil:
		result, f := pending.appendPending(dst)
		if f != nil {
			return nil, f
		}
		return result, nil
	}
	return served.append(ctx, dst, response)
}

func (p *promptRequest) fail(_ context.Context, _ []byte, f *rpc.Failure) ([]byte, error) {
	return nil, f
}

func (p *promptRequest) name() string { return p.prompt }

// find returns the visible prompt of the request; nil without one, and the name that is unknown:
// that of the client, or another that a middleware has set.
func (p *promptRequest) find(ctx context.Context, r *Request, client string) (all *snapshot, d *definition, unknown string) {
	all, unknown = p.server.registry.snapshot(), client
	name := p.prompt
	if r != nil {
		name = r.Prompt
	}
	d, _ = p.server.visible(ctx, all, name)
	if name == p.prompt {
		p.decide(d)
	} else {
		unknown = strings.ToValidUTF8(name, "\ufffd")
	}
	return all, d, unknown
}

// decide notes whether the client may see the prompt. d is nil if not.
func (p *promptRequest) decide(d *definition) {
	switch {
	case d != nil:
		p.shown.Store(d)
	case p.around != nil:
		p.around.hidden.Store(true)
	}
}

// isKnown reports whether the prompt exists, for the log only. The log does not get other
// names, which clients invent.
func (p *promptRequest) isKnown() bool {
	_, ok := p.server.registry.snapshot().Get(p.prompt)
	return ok || p.shown.Load() != nil
}

// LogAttr describes the request for the log.
func (p *promptRequest) LogAttr() slog.Attr {
	if !p.isKnown() {
		return unknownAttr
	}
	return slog.String("prompt", p.prompt)
}

var unknownAttr = slog.String("prompt", "unknown")

// unknownPrompt returns the failure of a request for a prompt that the client may
// not see or that does not exist. suggestion may be empty.
func unknownPrompt(name, suggestion string) *rpc.Failure {
	data := unknownData{phrase.Clip(name, phrase.MaxEcho), suggestion}
	message := fmt.Sprintf("unknown prompt %s", phrase.Quote(name))
	if data.Suggestion != "" {
		message += fmt.Sprintf("; did you mean %q?", data.Suggestion)
	}
	return &rpc.Failure{Client: &Error{Code: CodeInvalidParams, Message: message, Data: data}}
}

type unknownData struct {
	Prompt     string `json:"prompt"`
	Suggestion string `json:"suggestion,omitempty"`
}

// suggestion returns the name of the visible prompt that is most similar to name, or
// the empty string if no name is similar. It runs the application's code.
func (s *Server) suggestion(ctx context.Context, name string) string {
	return nearest.Visible(ctx, s.searches, name, s.registry.snapshot().All(), s.options.Visible != nil, func(d *definition) bool { return s.isVisible(ctx, d) })
}
