package stdio

import (
	"io"
	"os"
	"reflect"
	"syscall"
)

// own decides what to write to in place of w, and which of the streams Close is to close. The
// writer comes first: the end of our output may be what makes the other side end our input.
func own(r io.Reader, w io.Writer) (io.Writer, []io.Closer) {
	var closers []io.Closer
	if dup := protected(w); dup != nil {
		w = dup
		closers = append(closers, dup)
	} else if c, ok := w.(io.Closer); ok && !isStandard(w) {
		closers = append(closers, c)
	}
	if c, ok := r.(io.Closer); ok && !isStandard(r) && !same(r, w) {
		closers = append(closers, c)
	}
	return w, closers
}

// protected returns a duplicate of a descriptor that kills on write, to write to in place
// of w. It returns nil for any other w, and if there is no duplicate: w itself is then
// still valid, and only a client that disconnects at the wrong moment makes a difference.
func protected(w io.Writer) *os.File {
	f, ok := w.(*os.File)
	if !ok || !killsOnWrite(f) {
		return nil
	}
	dup, err := duplicate(f)
	if err != nil {
		return nil
	}
	return dup
}

// isStandard reports whether stream is one of the process's three standard
// files, by name or by descriptor. They belong to the process: whatever is
// opened next would take the place of a closed one.
func isStandard(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	if f == os.Stdin || f == os.Stdout || f == os.Stderr {
		return true
	}
	fd, ok := descriptor(f)
	return ok && (fd == uintptr(syscall.Stdin) || fd == uintptr(syscall.Stdout) || fd == uintptr(syscall.Stderr))
}

// killsOnWrite reports whether f has one of the descriptors for which package os
// raises SIGPIPE when a write finds the pipe broken.
func killsOnWrite(f *os.File) bool {
	fd, ok := descriptor(f)
	return ok && (fd == uintptr(syscall.Stdout) || fd == uintptr(syscall.Stderr))
}

// descriptor returns f's descriptor, or false if it is not open. Unlike f.Fd it does not put the
// file into blocking mode, in which Close would no longer interrupt a read.
func descriptor(f *os.File) (fd uintptr, ok bool) {
	conn, err := f.SyscallConn()
	if err != nil {
		return 0, false
	}
	err = conn.Control(func(sysfd uintptr) { fd = sysfd })
	return fd, err == nil
}

// same reports whether a and b are one and the same stream. Values that cannot
// be compared count as two.
func same(a, b any) bool {
	return reflect.ValueOf(a).Comparable() && reflect.ValueOf(b).Comparable() && a == b
}
