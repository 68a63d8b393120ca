package main

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/prompttest"
	"github.com/mcp-prompts/prompts/transport"
)

func TestTransport(t *testing.T) {
	t.Parallel()
	const limit = 4 << 10
	prompttest.CheckTransport(t, func(t testing.TB) (client, server transport.Conn) {
		l, err := net.Listen("unix", socket(t))
		require.NoError(t, err)
		defer l.Close()
		near, err := net.Dial("unix", l.Addr().String())
		require.NoError(t, err)
		far, err := l.Accept()
		require.NoError(t, err)
		return &framed{conn: near, limit: limit}, &framed{conn: far, limit: limit}
	}, prompttest.TransportOptions{MaxMessageBytes: limit})
}
