package core

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/mcp-prompts/prompts"
)

// Visible reports whether visible, an Options.Visible or nil, shows a prompt to the client in
// ctx. A panic hides the prompt, and is logged by srv.
func Visible(ctx context.Context, srv *prompts.Server, visible func(context.Context, prompts.Prompt) bool, p prompts.Prompt) (ok bool) {
	if visible == nil {
		return true
	}
	defer func() {
		if r := recover(); r != nil {
			srv.Log(ctx, slog.LevelError, "panic in Options.Visible",
				slog.String("prompt", p.Name), slog.Any("error", fmt.Errorf("panic: %v", r)), slog.String("stack", string(debug.Stack())))
			ok = false
		}
	}()
	return visible(ctx, p)
}
