package prompts_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
)

// All numbers are counted, and the first of them sent.
func TestOwnCompletionsAreCounted(t *testing.T) {
	t.Parallel()
	p := prompts.Prompt{
		Name:      "p",
		Arguments: []prompts.Argument{{Name: "percent", Schema: &jsonschema.Schema{Type: "integer", Minimum: jsonschema.Ptr(0.0), Maximum: jsonschema.Ptr(100.0)}}},
		Render:    completing("p", nil).Render,
	}
	values, total := completes(t, p, "percent", "")
	assert.Len(t, values, 100)
	assert.Equal(t, 101, total)
}

// What is sent of a list's completions is checked, however many values before it
// are left out.
func TestListCompletionsAreChecked(t *testing.T) {
	t.Parallel()
	p := prompts.New(prompts.Prompt{Name: "p", Arguments: []prompts.Argument{{Name: "l", Complete: func(context.Context, string, map[string]string) ([]string, error) {
		var values []string
		for i := range 100 {
			values = append(values, fmt.Sprint("a,", i)) // which cannot stand in a list
		}
		return append(values, "\xff"), nil
	}}}}, func(context.Context, struct {
		L []string `json:"l"`
	}) (*prompts.Result, error) {
		return prompts.Messages(), nil
	})
	_, err := prompts.NewServer(registryOf(p), prompts.Options{}).Call(t.Context(), "completion/complete", json.RawMessage(`{`+completeParamsOf("p", "l", "")+`}`), prompts.CallOptions{})
	assert.ErrorContains(t, err, completeFailed)
}
