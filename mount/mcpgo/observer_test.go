package mcpgo_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
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

const tracedParams = `{"name":"p","_meta":{"traceparent":"00-from-client"}}`

// TestObserver proves that a mount reports each request once, with the trace context of
// the client and the session, and that questions carry the trace context of the server.
func TestObserver(t *testing.T) {
	t.Parallel()
	o := observer{make(chan observe.Operation, 10)}
	s := server.NewMCPServer("s", "1", server.WithElicitation())
	reg := new(prompts.Registry)
	reg.MustAdd(prompts.Prompt{Name: "p", Render: asks})
	unmount := mount(t, s, reg, prompts.Options{Observer: o})
	var asked *mcp.Meta
	w := dial(t, s, mcp.LATEST_LEGACY_PROTOCOL_VERSION, elicitor(func(r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
		asked = r.Params.Meta
		return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: "accept", Content: map[string]any{"name": "Ada"}}}, nil
	}))
	w.do("prompts/get", tracedParams)
	unmount()
	close(o.ended)
	ended := map[string]observe.Operation{}
	for op := range o.ended {
		require.NotContains(t, ended, op.Method)
		ended[op.Method] = op
	}
	require.Contains(t, ended, "elicitation/create")
	got := ended["prompts/get"]
	assert.JSONEq(t, `{"traceparent":"00-from-client"}`, got.Meta)
	assert.NotEmpty(t, got.SessionID)
	assert.NotEqual(t, w.session.SessionID(), got.SessionID, "the id is secret")
	assert.Equal(t, transport.Info{}, got.Transport)
	require.NotNil(t, asked)
	assert.Equal(t, "00-from-server", asked.AdditionalFields["traceparent"])
}

// TestObserverOverHTTP proves that the observer gets the transport.
func TestObserverOverHTTP(t *testing.T) {
	t.Parallel()
	o := observer{make(chan observe.Operation, 10)}
	s := server.NewMCPServer("s", "1")
	reg := new(prompts.Registry)
	reg.MustAdd(says("p", "hi"))
	mount(t, s, reg, prompts.Options{Observer: o})
	web := httptest.NewServer(server.NewStreamableHTTPServer(s, server.WithStateLess(true)))
	t.Cleanup(web.Close)
	response, err := http.Post(web.URL, "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":`+tracedParams+`}`))
	require.NoError(t, err)
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Contains(t, string(body), `"text":"hi"`)
	got := <-o.ended
	assert.Equal(t, transport.Info{Network: "tcp", Protocol: "http"}, got.Transport)
	assert.JSONEq(t, `{"traceparent":"00-from-client"}`, got.Meta)
}
