package gosdk_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/observe"
	"github.com/mcp-prompts/prompts/transport"
)

// observer passes on the operations that have ended.
type observer struct{ ended chan observe.Operation }

func (o observer) Begin(ctx context.Context, _ observe.Operation) context.Context { return ctx }

func (o observer) End(_ context.Context, op observe.Operation, _ observe.Outcome) { o.ended <- op }

func (o observer) Inject(context.Context) map[string]string {
	return map[string]string{"traceparent": "00-from-server"}
}

// TestObserver proves that a mount reports each request once, with the trace context of
// the client and what the SDK says of the session and the connection, and that questions
// carry the trace context of the server.
func TestObserver(t *testing.T) {
	t.Parallel()
	for _, over := range []string{"memory", "http"} {
		t.Run(over, func(t *testing.T) {
			t.Parallel()
			o := observer{make(chan observe.Operation, 10)}
			s := newServer(nil)
			unmount := mount(t, s, registry(renders("asks", func(ctx context.Context) (*prompts.Result, error) {
				_, err := prompts.Elicit[colour](ctx, "form", "Which?")
				return prompts.Messages(), err
			})), prompts.Options{Observer: o})

			var asked mcp.Meta
			c := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, &mcp.ClientOptions{
				ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					asked = r.Params.Meta
					return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"colour": "red"}}, nil
				},
			})
			here, there := mcp.NewInMemoryTransports()
			var way mcp.Transport = here
			want := transport.Info{}
			if over == "http" {
				web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
				t.Cleanup(web.Close)
				way, want = &mcp.StreamableClientTransport{Endpoint: web.URL}, transport.Info{Network: "tcp", Protocol: "http"}
			} else {
				_, err := s.Connect(t.Context(), there, nil)
				require.NoError(t, err)
			}
			session, err := c.Connect(t.Context(), way, &mcp.ClientSessionOptions{ProtocolVersion: newest})
			require.NoError(t, err)
			_, err = session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "asks", Meta: mcp.Meta{"traceparent": "00-from-client"}})
			require.NoError(t, err)
			id := session.ID()
			require.NoError(t, session.Close())

			assert.Equal(t, "00-from-server", asked["traceparent"])
			ended := map[string]observe.Operation{}
			for range 2 {
				op := <-o.ended
				ended[op.Method] = op
			}
			require.Contains(t, ended, "elicitation/create")
			require.Contains(t, ended, "prompts/get")
			got := ended["prompts/get"]
			assert.JSONEq(t, `{"traceparent":"00-from-client"}`, got.Meta)
			assert.Equal(t, want, got.Transport)
			assert.Equal(t, over == "http", got.SessionID != "")
			assert.True(t, id == "" || id != got.SessionID, "the id is secret")
			unmount()
			assert.Empty(t, o.ended)
		})
	}
}
