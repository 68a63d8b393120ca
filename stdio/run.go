package stdio

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/mcp-prompts/prompts"
)

// Run serves the server's prompts on the standard input and output of the process.
// It returns nil when the client closes the input, when ctx ends, and after a SIGINT
// or SIGTERM. Requests in flight then end by the rules of [prompts.Server.Serve]. A
// second signal ends the process. Run returns an error if standard input or output
// fails. The maximum size of a message is the server's.
//
// Run is the short form of
//
//	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
//	defer stop()
//	err := srv.Serve(ctx, stdio.New())
func Run(ctx context.Context, srv *prompts.Server) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	defer context.AfterFunc(ctx, stop)() // so that a second signal has its default effect
	return srv.Serve(ctx, NewStream(os.Stdin, os.Stdout, Options{MaxMessageBytes: srv.MaxMessageBytes()}))
}
