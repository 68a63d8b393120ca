package stdio

import (
	"context"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/option"
	"github.com/mcp-prompts/prompts/internal/sigpipe"
)

// Run serves the server's prompts on the standard input and output of the process. It returns nil
// when the client closes the input, when ctx ends, and after a SIGINT or SIGTERM. Requests in
// flight then end by the rules of [prompts.Server.Serve]. A second signal ends the process. Run
// returns an error if standard input or output fails, and for a nil server.
//
// While Run serves, a closed standard error does not end the process by SIGPIPE: a write
// returns an error. If package log writes to os.Stderr, as by default, Run makes it write
// to a [LogWriter], and slog.Default() with it: a client that never reads standard error
// does not stop the server. At the end, Run waits for at most one second for the queued
// records. A logger of your own for os.Stderr needs its own LogWriter.
//
// Without a LogWriter and SIGPIPE, Run is the short form of
//
//	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
//	defer stop()
//	err := srv.Serve(ctx, stdio.New())
func Run(ctx context.Context, srv *prompts.Server) error {
	if err := option.Check("stdio: Run", struct{}{}, "server", srv); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	defer context.AfterFunc(ctx, stop)() // so that a second signal has its default effect
	defer sigpipe.Survive()()
	defer protectLog()()
	return srv.Serve(ctx, New())
}

// protectLog puts a LogWriter between package log and standard error, until restore is
// called. A record from before may block package log itself, and its lock. Then neither
// function waits for more than a second.
func protectLog() (restore func()) {
	w := NewLogWriter(os.Stderr)
	begun, ended, restored := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() { // ends with restore, or when package log is not blocked any more
		defer close(restored)
		isOurs := log.Writer() == os.Stderr // else the application has its own
		if isOurs {
			log.SetOutput(w)
		}
		close(begun)
		if <-ended; isOurs && log.Writer() == w {
			log.SetOutput(os.Stderr)
		}
	}()
	wait(begun)
	return func() {
		close(ended)
		wait(restored)
		_ = w.Close() // the error is for nobody
	}
}

func wait(c <-chan struct{}) {
	timer := time.NewTimer(logTimeout)
	defer timer.Stop()
	select {
	case <-c:
	case <-timer.C:
	}
}
