package prompts_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/servertest"
	"github.com/mcp-prompts/prompts/internal/servertest/notmade"
	"github.com/mcp-prompts/prompts/stdio"
	"github.com/mcp-prompts/prompts/streamablehttp"
	"github.com/mcp-prompts/prompts/transport"
)

// A value that no function made says which function makes it.
func TestValuesNotMade(t *testing.T) {
	t.Parallel()
	notmade.Check(t, &prompts.Server{}, "prompts: Server is not made by NewServer")
	notmade.Check(t, &streamablehttp.Handler{}, "streamablehttp: Handler is not made by NewHandler")
	notmade.Check(t, &stdio.Conn{}, "stdio: Conn is not made by New or NewStream", "LimitMessages", "TransportInfo")
	notmade.Check(t, &stdio.LogWriter{}, "stdio: LogWriter is not made by NewLogWriter")
}

// A zero Registry is an empty registry, an Exchange needs Send, and Serve a connection.
func TestZeroValuesOfAServer(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	s := prompts.MustNewServer(&reg, prompts.Options{})
	session := s.NewSession(transport.SessionOptions{})
	defer session.Close()
	for _, x := range []transport.Exchange{{}, {ClientKey: "k"}} {
		for _, msg := range []string{servertest.InitializeLine, `{`, ``} {
			const want = "prompts: Handle: Exchange.Send must be a function, got nil; set Send"
			assert.EqualError(t, s.Handle(t.Context(), []byte(msg), x), want)
			assert.EqualError(t, session.Handle(t.Context(), []byte(msg), x), want)
		}
	}
	assert.EqualError(t, s.Serve(t.Context(), nil), "prompts: Serve: connection is nil")
	assert.ErrorContains(t, s.Serve(t.Context(), &stdio.Conn{}), "stdio: Conn is not made by New or NewStream")
	assert.ErrorContains(t, s.Serve(t.Context(), (*stdio.Conn)(nil)), "stdio: Conn is not made by New or NewStream")
	assert.NotErrorIs(t, s.Serve(t.Context(), &stdio.Conn{}), io.EOF)
}
