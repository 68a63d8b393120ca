//go:build unix

package streamablehttp

import (
	"os"
	"os/signal"
	"syscall"
)

// surviveSIGPIPE keeps a write to a closed standard error from ending the process until stop
// is called. The signal is not ignored, because the programs that the process starts would
// inherit that.
func surviveSIGPIPE() (stop func()) {
	unread := make(chan os.Signal, 1)
	signal.Notify(unread, syscall.SIGPIPE)
	return func() { signal.Stop(unread) }
}
