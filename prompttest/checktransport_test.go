package prompttest

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts/transport"
)

// A pipe keeps what a transport.Conn promises, but for a limit.
func TestCheckTransport(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pipe := func(testing.TB) (client, server transport.Conn) { return newPipe() }
		CheckTransport(t, pipe, TransportOptions{MaxMessageBytes: -1})
		got := record(t, func(t testing.TB) { CheckTransport(t, pipe, TransportOptions{}) })
		assert.Contains(t, got.all(), "Read of a message of 4194305 bytes, 1 above MaxMessageBytes, must return transport.ErrTooLarge")
	})
}

// The messages of the check do not fit into a smaller limit.
func TestCheckTransportSmallLimit(t *testing.T) {
	t.Parallel()
	got := record(t, func(t testing.TB) {
		CheckTransport(t, func(testing.TB) (client, server transport.Conn) { return newPipe() }, TransportOptions{MaxMessageBytes: 127})
	})
	assert.Contains(t, got.all(), "TransportOptions.MaxMessageBytes must be at least 128, got 127; connect with a larger limit")
}
