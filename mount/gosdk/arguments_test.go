package gosdk_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/mount/gosdk"
)

const (
	nullArgument = `{"name":"greet","arguments":{"name":null,"other":"x"}}`
	nullRequired = `{"name":"greet","arguments":{"other":null}}`
	refusedNull  = `{"code":-32602,"message":"invalid arguments for prompt \"greet\": other is required","data":{"prompt":"greet","problems":[{"argument":"other","reason":"missing","message":"is required"}]}}`
)

func greets() *prompts.Registry {
	return registry(prompts.NewText(prompts.Prompt{Name: "greet"}, func(_ context.Context, in struct {
		Name  string `json:"name,omitempty" default:"you"`
		Other string `json:"other"`
	}) (string, error) {
		return "hello " + in.Name, nil
	}))
}

// GAP-18: null stays a value for a schema that admits null, and an argument without a declaration
// is named, as by our own server.
func TestNullValues(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, revision string) {
		s := newServer(nil)
		r := registry(prompts.Prompt{
			Name:      "n",
			Arguments: []prompts.Argument{{Name: "n", Required: true, Schema: json.RawMessage(`{"type":["integer","null"]}`)}},
			Render: func(_ context.Context, args map[string]string) (*prompts.Result, error) {
				return prompts.Messages(prompts.User(fmt.Sprint(args))), nil
			},
		})
		mount(t, s, r, prompts.Options{StrictArguments: true})
		c := dialAs(t, s, &client{revision: revision, wrap: gosdk.Transport})
		c.must("prompts/get", `{"name":"n","arguments":{"n":null}}`)
		e := c.refused("prompts/get", `{"name":"n","arguments":{"n":"1","zz":null}}`)
		assert.Contains(t, e.Message, "zz is not an argument of this prompt")
	})
}

// GAP-18: an argument that is null is as for our own server one that is left out, if the
// transport is wrapped. The SDK alone reads an empty string.
func TestNullArguments(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, revision string) {
		s := newServer(nil)
		mount(t, s, greets(), prompts.Options{})
		c := dialAs(t, s, &client{revision: revision, wrap: gosdk.Transport})
		assert.Equal(t, "hello you", textOf(t, c.must("prompts/get", nullArgument)))
		e := c.refused("prompts/get", nullRequired)
		assert.JSONEq(t, refusedNull, fmt.Sprintf(`{"code":%d,"message":%q,"data":%s}`, e.Code, e.Message, e.Data))
		assert.Equal(t, "hello null", textOf(t, c.must("prompts/get", `{"name":"greet","arguments":{"name":"null","other":"x"}}`)))
		assert.Equal(t, "own: own_a", textOf(t, c.must("prompts/get", `{"name":"own_a","arguments":{"x":null}}`)))
		assert.Equal(t, "hello ", textOf(t, dial(t, s, revision).must("prompts/get", nullArgument)),
			"if this fails, the SDK has learnt it, and Transport and Handler can go")
	})
}

func TestNullArgumentsOverHTTP(t *testing.T) {
	t.Parallel()
	s := newServer(nil)
	mount(t, s, greets(), prompts.Options{})
	web := httptest.NewServer(gosdk.Handler(mcp.NewStreamableHTTPHandler(
		func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})))
	t.Cleanup(web.Close)
	send := func(version, params string) (int, string) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, web.URL,
			strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":`+params+`}`))
		require.NoError(t, err)
		for name, value := range map[string]string{
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
			"MCP-Protocol-Version": version, "Mcp-Method": "prompts/get", "Mcp-Name": "greet",
		} {
			request.Header.Set(name, value)
		}
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return response.StatusCode, string(text)
	}
	const meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}`
	for version, end := range map[string]string{newest: "}", stateless: meta} {
		_, text := send(version, strings.TrimSuffix(nullArgument, "}")+end)
		assert.Contains(t, text, "hello you")
		_, text = send(version, strings.TrimSuffix(nullRequired, "}")+end)
		var response struct{ Error json.RawMessage }
		require.NoError(t, json.Unmarshal([]byte(text), &response), text)
		assert.JSONEq(t, refusedNull, string(response.Error))
		_, text = send(version, `{"name":"greet","arguments":{"name":"Ada","other":"x"}`+end)
		assert.Contains(t, text, "hello Ada")
	}
	// GAP-13: the SDK reads the id. If this fails, the SDK has changed: see doc.go.
	_, text := send(newest, `[]`)
	assert.Contains(t, text, `"id":1,"error"`)
	status, text := send(newest, `{},"jsonrpc":"1.0"`)
	assert.Equal(t, http.StatusBadRequest, status)
	assert.Contains(t, text, "malformed payload")
	status, _ = send(newest, `{"name":"`+strings.Repeat("x", mcp.DefaultMaxRequestBodyBytes)+`"}`)
	assert.Equal(t, http.StatusRequestEntityTooLarge, status, "the SDK's own limit")
}

// Over HTTP in 2026-07-28, the SDK cancels a request whose client has
// disconnected only with PropagateRequestCancellation (mcp/streamable.go:431).
func TestDisconnectOverStatelessHTTP(t *testing.T) {
	t.Parallel()
	for _, propagates := range []bool{false, true} {
		t.Run(fmt.Sprint(propagates), func(t *testing.T) {
			t.Parallel()
			started, gone, cancelled := make(chan struct{}), make(chan struct{}), make(chan bool, 1)
			s := newServer(nil)
			mount(t, s, registry(renders("slow", func(ctx context.Context) (*prompts.Result, error) {
				close(started)
				<-gone
				if propagates {
					<-ctx.Done()
				}
				cancelled <- ctx.Err() != nil
				return nil, io.EOF
			})), prompts.Options{})
			handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s },
				&mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: propagates})
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				context.AfterFunc(r.Context(), func() { close(gone) })
				handler.ServeHTTP(w, r)
			}))
			t.Cleanup(web.Close)
			ctx, cancel := context.WithCancel(t.Context())
			request, err := http.NewRequestWithContext(ctx, http.MethodPost, web.URL, strings.NewReader(
				`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"slow","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`))
			require.NoError(t, err)
			for name, value := range map[string]string{
				"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
				"MCP-Protocol-Version": stateless, "Mcp-Method": "prompts/get", "Mcp-Name": "slow",
			} {
				request.Header.Set(name, value)
			}
			ended := make(chan struct{})
			go func() { // ends when the request is cancelled
				defer close(ended)
				if response, err := http.DefaultClient.Do(request); err == nil {
					_, _ = io.Copy(io.Discard, response.Body)
					_ = response.Body.Close()
				}
			}()
			<-started
			cancel()
			<-ended
			assert.Equal(t, propagates, <-cancelled, "if this fails, the SDK has changed: see doc.go")
		})
	}
}
