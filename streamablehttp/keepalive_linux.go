package streamablehttp

import "syscall"

// tcpUserTimeout is TCP_USER_TIMEOUT, which package syscall does not have.
const tcpUserTimeout = 0x12

// limitUnacknowledged lets connections of a listener end if what is sent is not
// acknowledged within unacknowledged. Accepted connections inherit the option.
func limitUnacknowledged(_, _ string, c syscall.RawConn) error {
	var err error
	if failed := c.Control(func(fd uintptr) {
		err = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout, int(unacknowledged.Milliseconds()))
	}); failed != nil {
		return failed
	}
	return err
}
