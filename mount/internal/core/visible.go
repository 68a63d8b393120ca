package core

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"

	"github.com/mcp-prompts/prompts"
)

// Shows reports whether Options.Visible shows a prompt to the client in ctx. An error or a panic
// of Options.Visible hides the prompt, and is logged.
func (m *Mount) Shows(ctx context.Context, p prompts.Prompt) (ok bool) {
	if m.Options.Visible == nil {
		return true
	}
	report := func(err error, attrs ...slog.Attr) {
		attrs = append(attrs, slog.String("prompt", p.Name), slog.Any("error", err))
		m.Server.Log(ctx, slog.LevelError, "Options.Visible failed", attrs...)
		ok = false
	}
	defer func() {
		if r := recover(); r != nil {
			report(fmt.Errorf("panic: %v", r), slog.String("stack", string(debug.Stack())))
		}
	}()
	ok, err := m.Options.Visible(ctx, p)
	if err != nil {
		report(err)
	}
	return ok
}

type watchKey struct{}

type watch struct {
	name  string
	shown atomic.Bool
}

// Watch returns a context for a request about a prompt, and shown, which reports whether
// Options.Visible has shown the prompt in the context, or in one made from it. Only then
// may the result or error of the request differ from that for an unknown prompt.
func Watch(ctx context.Context, name string) (watched context.Context, shown func() bool) {
	w := &watch{name: name}
	return context.WithValue(ctx, watchKey{}, w), w.shown.Load
}

type isVisible = func(ctx context.Context, p prompts.Prompt) (bool, error)

// watched returns visible, an Options.Visible or nil, with a report to Watch for each shown prompt.
func watched(visible isVisible) isVisible {
	if visible == nil {
		return nil
	}
	return func(ctx context.Context, p prompts.Prompt) (bool, error) {
		ok, err := visible(ctx, p)
		if w, _ := ctx.Value(watchKey{}).(*watch); ok && err == nil && w != nil && w.name == p.Name {
			w.shown.Store(true)
		}
		return ok, err
	}
}

// Completes reports whether an argument of a registry prompt has completions of its own. An
// imported prompt has no completions.
func Completes(p prompts.Prompt, argument string) bool {
	for _, a := range p.Arguments {
		if a.Name == argument {
			return a.Complete != nil || a.Schema != nil
		}
	}
	return true
}
