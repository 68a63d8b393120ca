package stdio_test

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/prompttest"
	"github.com/mcp-prompts/prompts/stdio"
	"github.com/mcp-prompts/prompts/transport"
)

func TestTransport(t *testing.T) {
	t.Parallel()
	o := stdio.Options{MaxMessageBytes: 4 << 10}
	prompttest.CheckTransport(t, func(t testing.TB) (client, server transport.Conn) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		defer l.Close()
		near, err := net.Dial("tcp", l.Addr().String())
		require.NoError(t, err)
		far, err := l.Accept()
		require.NoError(t, err)
		return stdio.NewStream(near, near, o), stdio.NewStream(far, far, o)
	}, prompttest.TransportOptions{MaxMessageBytes: o.MaxMessageBytes})
}
