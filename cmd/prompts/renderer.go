package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/cases"
	"github.com/mcp-prompts/prompts/internal/sample"
	"github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/internal/trial"
	"github.com/mcp-prompts/prompts/problem"
)

// renderer renders the prompts of a registry as a server does.
type renderer struct{ server *prompts.Server }

// captured is what the server made of a request before it was encoded.
type captured struct {
	result *prompts.Result
	err    error
}

type capturedKey struct{}

func newRenderer(reg *prompts.Registry) *renderer {
	// A misspelled argument is an error: its value would not be in the prompt.
	return &renderer{prompts.MustNewServer(reg, cases.Options(prompts.Options{
		Info:   prompts.Implementation{Name: "prompts", Version: version()},
		Logger: slog.New(slog.DiscardHandler),
		Middleware: func(next prompts.Handler) prompts.Handler {
			return func(ctx context.Context, r *prompts.Request) (*prompts.Response, error) {
				response, err := next(ctx, r)
				c := ctx.Value(capturedKey{}).(*captured)
				if c.err = err; response != nil {
					c.result = response.Result
				}
				return response, err
			}
		},
	}))}
}

// render returns what prompts/get does, or a *prompts.Error with the cause that a server would log.
func (r *renderer) render(ctx context.Context, name string, args map[string]string) (result *prompts.Result, raw json.RawMessage, cause, err error) {
	return r.call(ctx, name, args, prompts.CallOptions{})
}

func (r *renderer) call(ctx context.Context, name string, args map[string]string, client prompts.CallOptions) (result *prompts.Result, raw json.RawMessage, cause, err error) {
	var c captured
	params, err := json.Marshal(map[string]any{"name": name, "arguments": args})
	if err != nil {
		return nil, nil, nil, err
	}
	client.Version = "2025-11-25"
	raw, err = r.server.Call(context.WithValue(ctx, capturedKey{}, &c), "prompts/get", params, client)
	return c.result, raw, c.err, err
}

const maxTrials = 64 // renderings of a prompt, fewer if they are long

func (r *renderer) subject(ctx context.Context, p *prompts.Prompt) *trial.Subject {
	return &trial.Subject{Prompt: p, IsShown: true, Get: func(args map[string]string) (*trial.Rendering, error) {
		result, _, _, err := r.render(ctx, p.Name, args)
		if err != nil {
			return nil, err
		}
		return trial.NewRendering(args, result), nil
	}}
}

// try renders with all arguments, with the required ones, and with each value that the prompt distinguishes.
// failures are the causes of the renderings that have failed.
func (r *renderer) try(ctx context.Context, p *prompts.Prompt) (trials []*trial.Rendering, failures []error) {
	args, err := r.values(ctx, p)
	if err != nil {
		return nil, []error{err}
	}
	seen := map[string]bool{}
	left := newBudget(maxReportBytes)
	render := func(args map[string]string, mayBeInvalid bool) {
		result, _, cause, err := r.render(ctx, p.Name, args)
		if err == nil {
			t := trial.NewRendering(args, result)
			trials = append(trials, t)
			left.take(len(t.Form))
			return
		}
		if mayBeInvalid && len(problem.Of(err)) > 0 {
			return
		}
		if cause == nil {
			cause = err
		}
		if text := cause.Error(); !seen[text] {
			seen[text] = true
			failures = append(failures, cause)
		}
	}
	render(args, false)
	required := maps.Clone(args)
	for _, a := range p.Arguments {
		if !a.Required {
			delete(required, a.Name)
		}
	}
	if len(required) < len(args) {
		render(required, false)
	}
	n := 0
	for _, a := range p.Arguments {
		for _, value := range sample.Finite(schema.Of(a.Schema)) {
			if value == args[a.Name] || n == maxTrials || !left.take(0) {
				continue
			}
			n++
			with := maps.Clone(args)
			with[a.Name] = value
			render(with, true)
		}
	}
	return trials, failures
}

// values returns valid values, or the error of the server if no generated value is valid.
func (r *renderer) values(ctx context.Context, p *prompts.Prompt) (map[string]string, error) {
	rendering, why := r.subject(ctx, p).Render(nil, trial.Names(p, false))
	switch {
	case why == nil:
		return rendering.Arguments, nil
	case len(problem.Of(why.Err)) == 0:
		return why.Arguments, nil // the values are valid, and the prompt fails
	}
	return nil, why.Err
}

// runCase compares the messages of a case. result is nil if the client gets an error.
func (r *renderer) runCase(ctx context.Context, golden fs.FS, c *cases.Case) (result *prompts.Result, raw json.RawMessage, failures []cases.Failure) {
	replies := c.Replies()
	var client prompts.CallOptions
	if len(c.Answers) > 0 {
		client.ClientCapabilities = json.RawMessage(`{"elicitation":{}}`)
		client.Request = func(_ context.Context, _ string, params json.RawMessage) (json.RawMessage, error) {
			var question struct{ Message string }
			_ = json.Unmarshal(params, &question) // a question may have no message
			return json.Marshal(replies.Reply(question.Message))
		}
	}
	result, raw, cause, err := r.call(cases.WithTags(ctx, c.Tags), c.File.Prompt, c.Arguments, client)
	var refusal *prompts.Error
	if err != nil {
		result = nil
		if !errors.As(err, &refusal) {
			refusal = &prompts.Error{Code: prompts.CodeInternalError, Message: err.Error()}
		}
		if refusal.Code == prompts.CodeInternalError && cause != nil { // which a client does not get
			refusal = &prompts.Error{Code: refusal.Code, Message: cause.Error()}
		}
	}
	return result, raw, append(c.Check(golden, result, refusal), replies.Failures()...)
}

// renderError returns a line for each argument, and the cause that a client would not get.
func renderError(err, cause error) error {
	var client *prompts.Error
	switch problems := problem.Of(err); {
	case len(problems) > 0:
		text := "invalid arguments:"
		for _, p := range problems {
			text += fmt.Sprintf("\n  %s: %s", p.Argument, p.Message)
		}
		return errors.New(text)
	case !errors.As(err, &client):
		return err
	case cause != nil && client.Code == prompts.CodeInternalError:
		return cause
	}
	return errors.New(client.Message)
}
