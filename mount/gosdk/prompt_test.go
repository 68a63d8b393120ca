package gosdk_test

//lint:file-ignore SA1019 the protocol has sampling and roots still, and so have clients

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/mount/gosdk"
)

// legacy is a prompt for the SDK with everything that one can have.
var legacy = &mcp.Prompt{
	Name: "legacy", Title: "Legacy", Description: "Written for the SDK",
	Arguments: []*mcp.PromptArgument{{Name: "who", Title: "Who", Description: "to greet", Required: true}, {Name: "how"}},
	Icons:     []mcp.Icon{{Source: "https://example.com/i.png", MIMEType: "image/png", Sizes: []string{"any"}, Theme: mcp.IconThemeDark}},
	Meta:      mcp.Meta{"example.com/x": map[string]any{"n": 1.5}},
}

// everything is a result with all that the SDK has.
func everything() *mcp.GetPromptResult {
	size := int64(5)
	some := &mcp.Annotations{Audience: []mcp.Role{"user"}, Priority: 0.5, LastModified: "2025-01-12T15:00:58Z"}
	meta := mcp.Meta{"example.com/x": 1.5}
	user := func(c mcp.Content) *mcp.PromptMessage { return &mcp.PromptMessage{Role: "user", Content: c} }
	return &mcp.GetPromptResult{Description: "d", Meta: meta, Messages: []*mcp.PromptMessage{
		user(&mcp.TextContent{Text: "t", Annotations: some, Meta: meta}),
		{Role: "assistant", Content: &mcp.TextContent{}},
		user(&mcp.ImageContent{Data: []byte{1}, MIMEType: "image/png", Annotations: some, Meta: meta}),
		user(&mcp.AudioContent{Data: []byte{2}, MIMEType: "audio/wav", Annotations: some, Meta: meta}),
		user(&mcp.ResourceLink{URI: "test://l", Name: "n", Title: "T", Description: "d", MIMEType: "a/b", Size: &size,
			Icons: []mcp.Icon{{Source: "https://example.com/i", Sizes: []string{"48x48"}}}, Annotations: some, Meta: meta}),
		user(&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "test://t", MIMEType: "text/x", Text: "t", Meta: meta}, Annotations: some, Meta: meta}),
		user(&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "test://b", MIMEType: "a/b", Blob: []byte{3}}}),
	}}
}

// ways are those on which a prompt of the SDK's gets into a registry.
var ways = map[string]func(t *testing.T, p *mcp.Prompt, h mcp.PromptHandler) *prompts.Registry{
	"FromPrompt": func(_ *testing.T, p *mcp.Prompt, h mcp.PromptHandler) *prompts.Registry {
		return registry(gosdk.FromPrompt(p, h))
	},
	"Import": func(t *testing.T, p *mcp.Prompt, h mcp.PromptHandler) *prompts.Registry {
		s := mcp.NewServer(&mcp.Implementation{Name: "old", Version: "1"}, nil)
		s.AddPrompt(p, h)
		all, err := gosdk.Import(t.Context(), s)
		require.NoError(t, err)
		return registry(all...)
	},
}

func inEachWay(t *testing.T, f func(t *testing.T, take func(*testing.T, *mcp.Prompt, mcp.PromptHandler) *prompts.Registry)) {
	t.Helper()
	for name, take := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, take)
		})
	}
}

// A prompt of the SDK's in a registry is listed and rendered as on its server,
// whether the registry is served by the library or mounted.
func TestPromptsOfTheSDK(t *testing.T) {
	t.Parallel()
	inEachWay(t, func(t *testing.T, take func(*testing.T, *mcp.Prompt, mcp.PromptHandler) *prompts.Registry) {
		var args map[string]string
		handler := func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			args = r.Params.Arguments
			assert.Equal(t, "legacy", r.Params.Name)
			return everything(), nil
		}
		native := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, nil)
		native.AddPrompt(legacy, handler)
		reg := take(t, legacy, handler)
		mounted := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, nil)
		mount(t, mounted, reg, prompts.Options{})
		params := `{"name":"legacy","arguments":{"who":" W\n","how":""}}`
		before, after := dial(t, native, newest), dial(t, mounted, newest)
		require.Len(t, after.page("").Prompts, 1)
		assertSame(t, before.page("").Prompts[0], after.page("").Prompts[0])
		assertSame(t, before.must("prompts/get", params), after.must("prompts/get", params))
		assert.Equal(t, map[string]string{"who": " W\n", "how": ""}, args)

		srv := prompts.MustNewServer(reg, prompts.Options{})
		own, err := srv.Call(t.Context(), "prompts/get", json.RawMessage(params), prompts.CallOptions{Version: "2025-11-25"})
		require.NoError(t, err)
		assertSame(t, before.must("prompts/get", params), own)
		assert.EqualValues(t, -32602, after.refused("prompts/get", `{"name":"legacy"}`).Code, "an argument is required")
	})
}

func TestErrorsOfTheSDK(t *testing.T) {
	t.Parallel()
	inEachWay(t, func(t *testing.T, take func(*testing.T, *mcp.Prompt, mcp.PromptHandler) *prompts.Registry) {
		for _, test := range []struct {
			err     error
			result  *mcp.GetPromptResult
			code    int64
			message string
			data    string
		}{
			{err: &jsonrpc.Error{Code: 42, Message: "no luck", Data: json.RawMessage(`{"a":[1]}`)}, code: 42, message: "no luck", data: `{"a":[1]}`},
			{err: fmt.Errorf("secret: %w", &jsonrpc.Error{Code: -32602, Message: "bad"}), code: -32602, message: "bad"},
			{err: errors.New("secret"), code: -32603},
			{code: -32603},
			{result: &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{nil}}, code: -32603},
			{result: &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user"}}}, code: -32603},
			{result: &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.ToolUseContent{}}}}, code: -32603},
			{result: &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.EmbeddedResource{}}}}, code: -32603},
			{result: &mcp.GetPromptResult{InputRequests: mcp.InputRequestMap{}}, code: -32603, message: `prompt "p" is at capacity; retry later`},
		} {
			reg := take(t, &mcp.Prompt{Name: "p"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				return test.result, test.err
			})
			_, err := prompts.MustNewServer(reg, prompts.Options{}).Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"p"}`), prompts.CallOptions{Version: "2025-11-25"})
			var e *prompts.Error
			require.ErrorAs(t, err, &e)
			assert.EqualValues(t, test.code, e.Code)
			assert.NotContains(t, e.Message, "secret")
			if test.message != "" {
				assert.Equal(t, test.message, e.Message)
			}
			if test.data != "" {
				assert.JSONEq(t, test.data, string(marshal(t, e.Data)))
			}
		}
	})
}

// What a handler wants to know is asked by the way that the client's revision
// has, also in several rounds with the same key, and a refusal is an answer.
func TestQuestionsOfTheSDK(t *testing.T) {
	t.Parallel()
	inEachWay(t, func(t *testing.T, take func(*testing.T, *mcp.Prompt, mcp.PromptHandler) *prompts.Registry) {
		reg := take(t, &mcp.Prompt{Name: "p"}, func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			answer, ok := r.Params.InputResponses["q"].(*mcp.ElicitResult)
			state := r.Params.RequestState
			if !ok || state == "1" {
				next := "1"
				if state == "1" {
					next = "2" + answer.Action
				}
				return &mcp.GetPromptResult{RequestState: next, InputRequests: mcp.InputRequestMap{"q": &mcp.ElicitParams{
					Message: "Which?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"round":{"type":"string"}}}`),
				}}}, nil
			}
			text := fmt.Sprint(state, " ", answer.Action, answer.Content["round"])
			return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}, nil
		})
		for _, revision := range []string{stateless, newest, canAsk} {
			s := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, nil)
			mount(t, s, reg, prompts.Options{})
			for answer, want := range map[string]string{
				`{"action":"accept","content":{"round":"%d"}}`: "2accept accept2",
				`{"action":"decline"}`:                         "2decline decline<nil>",
				`{"action":"cancel"}`:                          "2cancel cancel<nil>",
			} {
				round := 0
				c := dialAs(t, s, &client{revision: revision, answer: func(string, json.RawMessage) string {
					round++
					return strings.ReplaceAll(answer, "%d", fmt.Sprint(round))
				}})
				result, _ := c.getAll(t, "p")
				assert.Equal(t, want, textOf(t, result))
			}
		}
	})
}

// A handler that never has enough.
func TestEndlessQuestions(t *testing.T) {
	t.Parallel()
	s := newServer(nil)
	mount(t, s, registry(gosdk.FromPrompt(&mcp.Prompt{Name: "p"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{InputRequests: mcp.InputRequestMap{"q": &mcp.ListRootsParams{}}}, nil
	})), prompts.Options{})
	c := dialAs(t, s, &client{revision: newest, answer: answerer("")})
	assert.EqualValues(t, -32603, c.refused("prompts/get", `{"name":"p"}`).Code)
}

// A handler gets the request of the server on which its prompt is mounted.
func TestFromPromptHasTheRequest(t *testing.T) {
	t.Parallel()
	var got *mcp.GetPromptRequest
	p := gosdk.FromPrompt(&mcp.Prompt{Name: "p"}, func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		got = r
		return &mcp.GetPromptResult{}, nil
	})
	s := newServer(nil)
	mount(t, s, registry(p), prompts.Options{})
	dial(t, s, newest).must("prompts/get", `{"name":"p","_meta":{"example.com/x":"y"}}`)
	assert.Equal(t, "tester", got.Session.InitializeParams().ClientInfo.Name)
	assert.Equal(t, "y", got.Params.Meta["example.com/x"])

	_, err := prompts.MustNewServer(registry(p), prompts.Options{}).Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"p"}`), prompts.CallOptions{Version: "2025-11-25"})
	require.NoError(t, err)
	assert.Nil(t, got.Session)
}

func TestFromNothing(t *testing.T) {
	t.Parallel()
	var r prompts.Registry
	require.Error(t, r.Add(gosdk.FromPrompt(nil, ownPrompt(""))))
	require.Error(t, r.Add(gosdk.FromPrompt(&mcp.Prompt{Name: "p"}, nil)))
	require.Error(t, r.Add(gosdk.FromPrompt(&mcp.Prompt{Name: "p", Arguments: []*mcp.PromptArgument{{Name: "a"}, {Name: "a"}}}, ownPrompt(""))))
	_, err := gosdk.Import(t.Context(), nil)
	require.ErrorContains(t, err, "server is nil")
}

// A server's own prompts are taken, and not those that are mounted on it; what
// has been taken is the server's still.
func TestImport(t *testing.T) {
	t.Parallel()
	s := newServer(&mcp.ServerOptions{PageSize: 1})
	mount(t, s, registry(says("mounted")), prompts.Options{})
	all, err := gosdk.Import(t.Context(), s)
	require.NoError(t, err)
	require.Len(t, all, 2)
	assert.Equal(t, "own_a", all[0].Name)
	reg := registry(all...)
	srv := prompts.MustNewServer(reg, prompts.Options{})
	get := func() (json.RawMessage, error) {
		return srv.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"own_b"}`), prompts.CallOptions{Version: stateless})
	}
	result, err := get()
	require.NoError(t, err)
	assert.Equal(t, "own: own_b", textOf(t, result))
	n := 0
	for range s.Sessions() {
		n++
	}
	assert.Zero(t, n, "sessions that are left")

	require.NoError(t, reg.Set(says("own_b"))) // as one does who migrates it
	result, err = get()
	require.NoError(t, err)
	assert.Equal(t, "ours: own_b", textOf(t, result))

	s.RemovePrompts("own_a")
	_, err = srv.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"own_a"}`), prompts.CallOptions{Version: "2025-11-25"})
	var e *prompts.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, prompts.CodeInvalidParams, e.Code)
}
