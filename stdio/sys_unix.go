//go:build unix

package stdio

import (
	"os"
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
