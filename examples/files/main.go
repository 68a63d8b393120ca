// Files serves the prompts and the skills of a folder over stdio, and follows its
// changes.
package main

import (
	"context"
	"log"
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
	w := stdio.NewLogWriter(os.Stderr) // which a client may close, or never read
	logger := slog.New(slog.NewTextHandler(w, nil))
	var reg prompts.Registry
	var skills promptskills.Registry
	served, err := promptskills.New(&skills, promptskills.Options{})
	if err != nil {
		log.Fatal(err)
	}
	srv := prompts.MustNewServer(&reg, prompts.Options{Info: info, Logger: logger, Features: []feature.Feature{served}, InputSchemas: addr != ""})
	onReload := preview(srv, dir, addr, logger)
	folder := promptfs.NewDir(&reg, dir, promptfs.Options{Skills: &skills, Logger: logger, OnReload: onReload})
	_ = folder.Reload(ctx) // the logger gets the errors; the other files are served
	go folder.Watch(ctx)   // which ends with ctx
	err = srv.Serve(ctx, stdio.New())
	stop()
	if _ = w.Close(); err != nil {
		log.Fatal(err)
	}
}
