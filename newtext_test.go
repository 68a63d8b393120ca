package prompts_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// The text of NewText is one message of the user, and its error is that of a render
// function.
func TestNewText(t *testing.T) {
	t.Parallel()
	type in struct {
		Name string `json:"name"`
	}
	var reg prompts.Registry
	reg.MustAdd(prompts.NewText(prompts.Prompt{Name: "greet"}, func(_ context.Context, in in) (string, error) {
		if in.Name == "nobody" {
			return "", prompts.InvalidArgument("name", "is nobody")
		}
		return "Greet " + in.Name + ".", nil
	}))
	srv := prompts.NewServer(&reg, prompts.Options{})
	got, err := srv.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"greet","arguments":{"name":"Ada"}}`), prompts.CallOptions{})
	require.NoError(t, err)
	assert.JSONEq(t, `{"messages":[{"role":"user","content":{"type":"text","text":"Greet Ada."}}]}`, string(got))
	_, err = srv.Call(t.Context(), "prompts/get", json.RawMessage(`{"name":"greet","arguments":{"name":"nobody"}}`), prompts.CallOptions{})
	assert.EqualError(t, err, `invalid arguments for prompt "greet": name: is nobody (-32602)`)

	err = reg.Add(prompts.NewText[in](prompts.Prompt{Name: "nil"}, nil))
	require.Error(t, err)
	assert.Equal(t, reg.Add(prompts.New[in](prompts.Prompt{Name: "nil"}, nil)).Error(), err.Error())
}

func TestContentMessages(t *testing.T) {
	t.Parallel()
	image := prompts.Image{Data: []byte{1}, MIMEType: "image/png"}
	assert.Equal(t, prompts.Message{Role: prompts.RoleUser, Content: image}, prompts.UserContent(image))
	assert.Equal(t, prompts.Message{Role: prompts.RoleAssistant, Content: image}, prompts.AssistantContent(image))
}

// A prompt that is one text needs no Result.
func ExampleNewText() {
	type Greeting struct {
		Name string `json:"name" jsonschema:"who to greet"`
	}
	show(prompts.NewText(prompts.Prompt{Name: "greet"}, func(_ context.Context, in Greeting) (string, error) {
		return fmt.Sprintf("Greet %s in one sentence.", in.Name), nil
	}), `{"name": "Ada"}`)
	// Output: Greet Ada in one sentence.
}
