package mcpgo_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/mount/mcpgo"
)

// sdkServer has prompts of the SDK's of many kinds.
func sdkServer() *server.MCPServer {
	s := server.NewMCPServer("s", "1", server.WithPromptCapabilities(true))
	full := mcp.NewPrompt("full",
		mcp.WithPromptTitle("Full"), mcp.WithPromptDescription("everything"),
		mcp.WithPromptIcons(mcp.Icon{Src: "https://example.com/i.png", MIMEType: "image/png", Sizes: []string{"any"}, Theme: mcp.IconThemeDark}),
		mcp.WithArgument("a", mcp.ArgumentTitle("A"), mcp.ArgumentDescription("the a"), mcp.RequiredArgument()),
		mcp.WithArgument("b"),
	)
	full.Meta = mcp.NewMetaFromMap(map[string]any{"example.com/k": []any{"v"}})
	s.AddPrompt(full, func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		text := mcp.NewTextContent(fmt.Sprint(r.Params.Arguments))
		text.Annotations = &mcp.Annotations{Audience: []mcp.Role{mcp.RoleUser}, LastModified: "2026-01-02T03:04:05Z"}
		text.Meta = mcp.NewMetaFromMap(map[string]any{"example.com/t": 1})
		blob := mcp.NewEmbeddedResource(mcp.BlobResourceContents{URI: "file:///b", MIMEType: "application/pdf", Blob: "AQI=", Meta: map[string]any{"example.com/r": true}})
		return &mcp.GetPromptResult{
			Description: "result",
			Messages: []mcp.PromptMessage{
				mcp.NewPromptMessage(mcp.RoleUser, text),
				mcp.NewPromptMessage(mcp.RoleAssistant, mcp.NewImageContent("AQI=", "image/png")),
				mcp.NewPromptMessage(mcp.RoleUser, mcp.NewAudioContent("AQI=", "audio/wav")),
				mcp.NewPromptMessage(mcp.RoleUser, mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: "file:///a", MIMEType: "text/plain", Text: "r"})),
				mcp.NewPromptMessage(mcp.RoleUser, blob),
				mcp.NewPromptMessage(mcp.RoleUser, mcp.NewResourceLink("file:///c", "c", "the c", "text/plain")),
			},
		}, nil
	})
	s.AddPrompt(mcp.NewPrompt("fails"), func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return nil, errors.New("it has failed")
	})
	s.AddPrompt(mcp.NewPrompt("url"), func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return nil, mcp.URLElicitationRequiredError{Elicitations: []mcp.ElicitationParams{{Mode: "url", ElicitationID: "1", URL: "https://example.com", Message: "m"}}}
	})
	s.AddPrompt(mcp.NewPrompt("asks"), func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		answer := server.ElicitationResponse(r.Params.InputResponses, "who")
		if answer == nil {
			return server.NewInputRequestBuilder("the state").Elicit("who", mcp.ElicitationParams{
				Message: "Who?", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}},
			}).PromptResult(), nil
		}
		return &mcp.GetPromptResult{Messages: []mcp.PromptMessage{
			mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(fmt.Sprint(answer.Action, answer.Content, r.Params.RequestState))),
		}}, nil
	})
	return s
}

// Prompts that were taken over answer as before, byte for byte but for the order
// of members.
func TestImportChangesNothing(t *testing.T) {
	t.Parallel()
	requests := []struct{ method, params string }{
		{"prompts/list", `{}`},
		{"prompts/get", `{"name":"full","arguments":{"a":"1","b":"","undeclared":"3"}}`},
		{"prompts/get", `{"name":"fails"}`},
		{"prompts/get", `{"name":"url"}`},
		{"prompts/get", `{"name":"asks"}`},
	}
	answers := elicitor(func(r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
		assert.Equal(t, "Who?", r.Params.Message)
		return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: "accept", Content: map[string]any{"name": "Ada"}}}, nil
	})
	ask := func(s *server.MCPServer, version string) (got []answer) {
		client := dial(t, s, version, answers)
		for _, request := range requests {
			if version == stateless && request.params == `{"name":"asks"}` {
				continue // the state is sealed; see TestHandlerThatAsks
			}
			got = append(got, client.do(request.method, request.params))
		}
		return got
	}
	for _, version := range []string{"2025-11-25", stateless} {
		s := sdkServer()
		before := ask(s, version)
		taken, err := mcpgo.Import(t.Context(), s)
		require.NoError(t, err)
		require.Len(t, taken, 4)
		var r prompts.Registry
		for _, p := range taken {
			s.DeletePrompts(p.Name)
		}
		require.NoError(t, r.Add(taken...))
		mount(t, s, &r, prompts.Options{})
		after := ask(s, version)
		for i := range before {
			assert.Equal(t, text(t, before[i]), text(t, after[i]), "%s: %v", version, requests[i])
		}
		for _, there := range s.ListPrompts() {
			assert.NotContains(t, mcpgo.FromPrompt(there.Prompt, there.Handler).Meta, "github.com/mcp-prompts/prompts/mount/mcpgo")
		}
		again, err := mcpgo.Import(t.Context(), s)
		require.NoError(t, err)
		assert.Empty(t, again, "what is mounted is not imported")
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	require.NoError(t, err)
	var value any
	require.NoError(t, json.Unmarshal(raw, &value))
	raw, err = json.MarshalIndent(value, "", " ")
	require.NoError(t, err)
	return string(raw)
}

func TestHandlerThatAsks(t *testing.T) {
	t.Parallel()
	taken, err := mcpgo.Import(t.Context(), sdkServer())
	require.NoError(t, err)
	var r prompts.Registry
	r.MustAdd(taken...)
	s := server.NewMCPServer("s", "1")
	mount(t, s, &r, prompts.Options{})
	client := dial(t, s, stateless)
	for action, want := range map[string]string{"accept": "acceptmap[name:Ada]the state", "decline": "decline<nil>the state", "cancel": "cancel<nil>the state"} {
		var first struct{ ResultType, RequestState string }
		client.result("prompts/get", `{"name":"asks"}`, &first)
		require.Equal(t, "input_required", first.ResultType)
		content := ""
		if action == "accept" {
			content = `,"content":{"name":"Ada"}`
		}
		var second struct {
			Messages []struct{ Content struct{ Text string } }
		}
		client.result("prompts/get", fmt.Sprintf(`{"name":"asks","requestState":%q,"inputResponses":{"who":{"action":%q%s}}}`, first.RequestState, action, content), &second)
		require.Len(t, second.Messages, 1)
		assert.Equal(t, want, second.Messages[0].Content.Text)
	}
}

// On our own server, too.
func TestFromPromptElsewhere(t *testing.T) {
	t.Parallel()
	taken, err := mcpgo.Import(t.Context(), sdkServer())
	require.NoError(t, err)
	var r prompts.Registry
	r.MustAdd(taken...)
	r.MustAdd(mcpgo.FromPrompt(mcp.NewPrompt("without"), nil))
	s := prompts.MustNewServer(&r, prompts.Options{})
	_, err = s.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"fails"}`), prompts.CallOptions{Version: "2025-11-25"})
	var e *prompts.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, "it has failed", e.Message)
	_, err = s.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"url"}`), prompts.CallOptions{Version: "2025-11-25"})
	require.ErrorAs(t, err, &e)
	assert.Equal(t, prompts.CodeInternalError, e.Code)
	_, err = s.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"without"}`), prompts.CallOptions{Version: "2025-11-25"})
	require.ErrorAs(t, err, &e)
	raw, err := s.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"full","arguments":{"a":"1"}}`), prompts.CallOptions{Version: "2025-11-25"})
	require.NoError(t, err)
	assert.Contains(t, string(raw), "map[a:1]")
}

// A handler that is never content does not keep the client for ever.
func TestHandlerThatAsksForEver(t *testing.T) {
	t.Parallel()
	asked := 0
	var r prompts.Registry
	r.MustAdd(mcpgo.FromPrompt(mcp.NewPrompt("asks"), func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return server.NewInputRequestBuilder("").Elicit("k", mcp.ElicitationParams{
			Message: "Again?", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"a": map[string]any{"type": "string"}}},
		}).PromptResult(), nil
	}))
	s := server.NewMCPServer("s", "1")
	mount(t, s, &r, prompts.Options{})
	answers := elicitor(func(mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
		asked++
		return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: "accept", Content: map[string]any{"a": "b"}}}, nil
	})
	a := dial(t, s, "2025-11-25", answers).do("prompts/get", `{"name":"asks"}`)
	assert.Equal(t, -32603, a.Error.Code)
	assert.Equal(t, 10, asked)
}
