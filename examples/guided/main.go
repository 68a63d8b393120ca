// Command guided is a prompts server over standard input and output whose
// prompts ask the user for more:
//
//   - release_notes has all its arguments asked for that are missing or
//     wrong, by a form, and completes them;
//   - announcement asks, in the midst of it, what is to be announced, and then
//     which release of that.
//
// Try it with a session in revision 2026-07-28:
//
//	go run ./examples/guided < examples/guided/session.jsonl
//
// A real client sends its answers together with the requestState that it was
// given. A file cannot know that, so this session gives each prompt all of its
// answers at once.
package main

import (
	"context"
	"log"
	"log/slog"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/stdio"
)

func main() {
	srv := newServer(slog.Default())
	if err := stdio.Run(context.Background(), srv); err != nil { // nil after a signal, and when the client disconnects
		log.Fatal(err)
	}
}

func newServer(logger *slog.Logger) *prompts.Server {
	var reg prompts.Registry
	reg.MustAdd(releaseNotes(), announcement())
	return prompts.MustNewServer(&reg, prompts.Options{
		Info:            prompts.Implementation{Name: "guided", Version: "1.0.0"},
		ElicitArguments: true,
		Logger:          logger,
	})
}
