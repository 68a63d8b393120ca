package prompttest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/problem"
	"github.com/mcp-prompts/prompts/prompttest"
	"github.com/mcp-prompts/prompts/prompttools"
)

// A prompt is the same by prompts/get and as a tool, in every version, also if it asks
// the user.
func TestCallTool(t *testing.T) {
	t.Parallel()
	reg := registry()
	reg.MustAdd(prompts.NewText(prompts.Prompt{Name: "asks"}, func(ctx context.Context, _ struct{}) (string, error) {
		in, err := prompts.Elicit[codeReview](ctx, "code", "Which code?")
		return in.Code, err
	}))
	tools, err := prompttools.New(reg, prompttools.Options{Select: func(prompts.Prompt) bool { return true }})
	require.NoError(t, err)
	srv := prompts.MustNewServer(reg, prompts.Options{Features: []feature.Feature{tools}})
	for _, version := range prompttest.Versions() {
		c := prompttest.Serve(t, srv, prompttest.ClientOptions{Version: version, Answer: func(prompttest.Question) any {
			return prompttest.Accept(map[string]any{"code": "x"})
		}})
		arguments := map[string]string{"code": "x := 1", "language": "go"}
		assert.Equal(t, c.Get("code_review", arguments).Messages, c.CallTool("code_review", arguments).Messages, version)
		failed := c.CallToolError("code_review", map[string]any{"language": 1})
		assert.Equal(t, []prompts.Message{prompts.User("invalid arguments for prompt \"code_review\": code is required; language must be a string, got the number 1")}, failed.Messages, version)
		if version >= "2025-06-18" {
			assert.Equal(t, []prompts.Message{prompts.User("x")}, c.CallTool("asks", json.RawMessage(`{}`)).Messages, version)
		}
	}
}

// A client whose prompts are tools gets the same messages and reasons in every version,
// also if a prompt asks the user.
func TestGetByTool(t *testing.T) {
	t.Parallel()
	type numbers struct {
		Count int      `json:"wie viele?"`
		Tags  []string `json:"schlagwörter,omitempty"`
		Loud  *bool    `json:"loud,omitempty"`
	}
	reg := registry()
	reg.MustAdd(
		prompts.NewText(prompts.Prompt{Name: "the numbers"}, func(_ context.Context, in numbers) (string, error) {
			return fmt.Sprint(in.Count, in.Tags, in.Loud == nil), nil
		}),
		prompts.NewText(prompts.Prompt{Name: "asks"}, func(ctx context.Context, _ struct{}) (string, error) {
			in, err := prompts.Elicit[codeReview](ctx, "code", "Which code?")
			return in.Code, err
		}),
		prompts.NewText(prompts.Prompt{Name: "no tool"}, func(context.Context, struct{}) (string, error) { return "", nil }),
	)
	tools, err := prompttools.New(reg, prompttools.Options{PageSize: 1, Select: func(p prompts.Prompt) bool { return p.Name != "no tool" }})
	require.NoError(t, err)
	srv := prompts.MustNewServer(reg, prompts.Options{Features: []feature.Feature{tools}})
	for _, version := range prompttest.Versions() {
		c := prompttest.Serve(t, srv, prompttest.ClientOptions{Version: version, ToolName: prompttools.ToolName, Answer: func(prompttest.Question) any {
			return prompttest.Accept(map[string]any{"code": "x"})
		}})
		assert.Equal(t, []prompts.Message{prompts.User("3 [a b] true")}, c.Get("the numbers", map[string]string{"wie viele?": "3", "schlagwörter": "a, b", "loud": ""}).Messages, version)
		failed := c.GetError("the numbers", map[string]string{"wie viele?": "three", "tag": "a"})
		assert.Contains(t, failed.Message, `wie viele? must be an integer, got "three"`, version)
		if version >= "2025-06-18" {
			assert.Equal(t, map[string]problem.Reason{"wie viele?": problem.Type, "tag": problem.Unknown}, problem.Reasons(failed), version)
			assert.Equal(t, []prompts.Message{prompts.User("x")}, c.Get("asks", nil).Messages, version)
		}
		assert.Contains(t, c.GetError("no tool", nil).Message, prompttools.ToolName("no tool"), version)
	}
	c := prompttest.Serve(t, srv, prompttest.ClientOptions{ToolName: func(string) string { return "other" }})
	assert.Contains(t, c.GetError("the numbers", map[string]string{"count": "3"}).Message, `"other"`)
}
