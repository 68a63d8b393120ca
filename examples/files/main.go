// Files serves the prompts of a folder over stdio, and what becomes of them.
package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/promptfs"
	"github.com/mcp-prompts/prompts/stdio"
)

func main() {
	dir, addr := arguments()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	logger := slog.New(slog.NewTextHandler(os.Stderr, nil))
	var reg prompts.Registry
	srv := prompts.NewServer(&reg, prompts.Options{Info: info, Logger: logger, InputSchemas: addr != ""})
	onReload := preview(srv, addr, logger)
	folder := promptfs.NewDir(&reg, dir, promptfs.Options{Logger: logger, OnReload: onReload})
	_ = folder.Reload(ctx) // the logger has what is wrong; the other files are served
	go folder.Watch(ctx)   // which ends with ctx
	err := srv.Serve(ctx, stdio.New())
	if stop(); err != nil {
		logger.Error("the server has failed", "error", err)
		os.Exit(1)
	}
}
