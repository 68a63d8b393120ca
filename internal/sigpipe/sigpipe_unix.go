//go:build unix

// Package sigpipe keeps a server alive when its client closes standard output or standard error.
package sigpipe

import (
	"os"
	"os/signal"
	"syscall"
)

// Survive keeps a write to descriptor 1 or 2 from ending the process until stop is called: the
// write returns EPIPE. The signal is not ignored, because the programs that the process starts
// would inherit that.
func Survive() (stop func()) {
	unread := make(chan os.Signal, 1)
	signal.Notify(unread, syscall.SIGPIPE)
	return func() { signal.Stop(unread) }
}
