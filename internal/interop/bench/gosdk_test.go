package bench_test

import (
	"context"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// startGoSDK starts a server of the official Go SDK behind a connection.
func startGoSDK(tb testing.TB) server {
	s := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "1.0.0"}, &mcp.ServerOptions{PageSize: pageSize})
	for i := range promptCount {
		s.AddPrompt(&mcp.Prompt{
			Name:        promptName(i),
			Description: promptDescription(i),
			Arguments: []*mcp.PromptArgument{
				{Name: "code", Description: codeArgument, Required: true},
				{Name: "language", Description: languageArgument, Required: true},
			},
		}, renderGoSDK)
	}
	p := newPipe()
	session, err := s.Connect(context.Background(), connector{p}, nil)
	require.NoError(tb, err)
	tb.Cleanup(func() {
		assert.NoError(tb, p.Close())
		assert.NoError(tb, session.Wait())
	})
	initialize(tb, p.ask)
	require.NoError(tb, p.send([]byte(initialized)))
	return p.ask
}

func renderGoSDK(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	args := r.Params.Arguments
	return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{
		{Role: "user", Content: &mcp.TextContent{Text: text(args["language"], args["code"])}},
	}}, nil
}

// connector is a pipe as the SDK wants its transports.
type connector struct{ pipe *pipe }

func (c connector) Connect(context.Context) (mcp.Connection, error) { return connection(c), nil }

// connection is a pipe as the SDK wants its connections.
type connection struct{ pipe *pipe }

func (c connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.pipe.Read(ctx)
	if err != nil {
		return nil, err
	}
	return jsonrpc.DecodeMessage(msg)
}

func (c connection) Write(ctx context.Context, m jsonrpc.Message) error {
	msg, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	return c.pipe.Write(ctx, msg)
}

func (c connection) Close() error { return c.pipe.Close() }

func (c connection) SessionID() string { return "" }
