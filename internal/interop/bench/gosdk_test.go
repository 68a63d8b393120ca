package bench_test

import (
	"context"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func newGoSDK(o setup) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "1.0.0"}, &mcp.ServerOptions{PageSize: o.page})
	for _, e := range entries(o.prompts) {
		s.AddPrompt(declareGoSDK(e, o.checked), renderGoSDK(o.checked))
	}
	return s
}

func declareGoSDK(e entry, checked bool) *mcp.Prompt {
	p := &mcp.Prompt{
		Name:        e.name,
		Description: e.description,
		Arguments: []*mcp.PromptArgument{
			{Name: "code", Description: codeArgument, Required: true},
			{Name: "language", Description: languageArgument, Required: true},
		},
	}
	if checked {
		p.Arguments = append(p.Arguments, &mcp.PromptArgument{Name: "problems", Description: problemsArgument, Required: true})
	}
	return p
}

func renderGoSDK(checked bool) mcp.PromptHandler {
	return func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		args := r.Params.Arguments
		says := ""
		if checked {
			says = checkedText(args["language"], args["code"], args["problems"])
		} else {
			says = text(args["language"], args["code"])
		}
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{
			{Role: "user", Content: &mcp.TextContent{Text: says}},
		}}, nil
	}
}

// startGoSDK starts a server of the official Go SDK behind a connection.
func startGoSDK(tb testing.TB, o setup) *subject {
	s := newGoSDK(o)
	p := newPipe()
	connectGoSDK(tb, s, p)
	initialize(tb, p.ask)
	require.NoError(tb, p.send([]byte(initialized)))
	return &subject{
		ask: p.ask,
		add: func(e entry) error {
			s.AddPrompt(declareGoSDK(e, false), renderGoSDK(false))
			return nil
		},
		remove: s.RemovePrompts,
	}
}

func connectGoSDK(tb testing.TB, s *mcp.Server, p *pipe) {
	session, err := s.Connect(context.Background(), connector{p}, nil)
	require.NoError(tb, err)
	tb.Cleanup(func() {
		assert.NoError(tb, p.Close())
		assert.NoError(tb, session.Wait())
	})
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
