// Package goid tells goroutines apart, for one purpose: to turn a deadlock
// into an error where a function waits for itself. Nothing else should depend
// on it.
package goid

import (
	"bytes"
	"runtime"
	"strconv"
)

// Get returns the number of the calling goroutine, which no other goroutine
// has or will have. It reads the first line of a stack trace, which the
// runtime has kept stable ("goroutine 18 [running]:"), and returns 0,
// which is no goroutine's, should that ever change.
func Get() int64 {
	var buf [64]byte
	line := buf[:runtime.Stack(buf[:], false)]
	digits, _, _ := bytes.Cut(bytes.TrimPrefix(line, []byte("goroutine ")), []byte(" "))
	n, err := strconv.ParseInt(string(digits), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
