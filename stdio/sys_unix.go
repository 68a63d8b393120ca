//go:build unix

package stdio

import (
	"os"
	"os/signal"
	"syscall"
)

var goneErrnos = []error{syscall.EPIPE, syscall.ECONNRESET}

// duplicate returns a file with a descriptor of its own for what f is open on.
// Programs that the process starts do not inherit it.
func duplicate(f *os.File) (*os.File, error) {
	conn, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	var dup int
	var dupErr error
	err = conn.Control(func(fd uintptr) {
		// The lock keeps a fork from falling between the two calls.
		syscall.ForkLock.RLock()
		defer syscall.ForkLock.RUnlock()
		if dup, dupErr = syscall.Dup(int(fd)); dupErr == nil {
			syscall.CloseOnExec(dup)
		}
	})
	if err != nil {
		return nil, err
	}
	if dupErr != nil {
		return nil, os.NewSyscallError("dup", dupErr)
	}
	return os.NewFile(uintptr(dup), f.Name()), nil
}

// surviveSIGPIPE keeps a write to descriptor 1 or 2 from ending the process until stop is
// called: the write returns EPIPE. The signal is not ignored, because the programs that
// the process starts would inherit that.
func surviveSIGPIPE() (stop func()) {
	unread := make(chan os.Signal, 1)
	signal.Notify(unread, syscall.SIGPIPE)
	return func() { signal.Stop(unread) }
}
