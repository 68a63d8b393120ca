// Files serves the prompts and the skills of a folder over stdio, and follows its
// changes.
package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/promptskills"
	"github.com/mcp-prompts/prompts/stdio"
)

func main() {
	dir, addr := arguments()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	logger := slog.New(slog.NewTextHandler(os.Stderr, nil))
	var reg prompts.Registry
	var skills promptskills.Registry
	served, err := promptskills.New(&skills, promptskills.Options{})
	if err != nil {
		logger.Error("invalid options", "error", err)
		os.Exit(1)
	}
	features := []feature.Feature{served}
	srv := prompts.MustNewServer(&reg, prompts.Options{Info: info, Logger: logger, Features: features, InputSchemas: addr != ""})
	onReload := preview(srv, dir, addr, logger)
	folder := promptfs.NewDir(&reg, dir, promptfs.Options{Skills: &skills, Logger: logger, OnReload: onReload})
	_ = folder.Reload(ctx) // the logger gets the errors; the other files are served
	go folder.Watch(ctx)   // which ends with ctx
	err = srv.Serve(ctx, stdio.New())
	if stop(); err != nil {
		logger.Error("server failed", "error", err)
		os.Exit(1)
	}
}
