package streamablehttp

import (
	"net"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A connection whose client has vanished ends when nothing is acknowledged for a time,
// not only when the system gives up after some 15 minutes.
func TestAcceptedConnectionsEndUnacknowledged(t *testing.T) {
	t.Parallel()
	l, err := listen(t.Context(), "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	client, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	defer client.Close()
	c, err := l.Accept()
	require.NoError(t, err)
	defer c.Close()
	raw, err := c.(*net.TCPConn).SyscallConn()
	require.NoError(t, err)
	require.NoError(t, raw.Control(func(fd uintptr) {
		ms, err := syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpUserTimeout)
		assert.NoError(t, err)
		assert.EqualValues(t, unacknowledged.Milliseconds(), ms)
	}))
}
