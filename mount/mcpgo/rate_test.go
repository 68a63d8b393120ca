package mcpgo_test

import (
	"context"
	"slices"
	"testing"

	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts"
)

// CMP-10: without a principal, the rates count by session of the SDK, in each version.
func TestRates(t *testing.T) {
	t.Parallel()
	reg := new(prompts.Registry)
	p := prompts.Prompt{Name: "p", Arguments: []prompts.Argument{{Name: "a", Enum: []string{"x"}}}, Render: func(context.Context, map[string]string) (*prompts.Result, error) {
		return prompts.Messages(prompts.User("x")), nil
	}}
	reg.MustAdd(p)
	for _, version := range append(slices.Clone(handshakes), stateless) {
		s := server.NewMCPServer("s", "1")
		mount(t, s, reg, prompts.Options{Limits: prompts.Limits{GetsPerSecond: 1e-3, CompletionsPerSecond: 1e-3}})
		for range 2 { // clients
			c := dial(t, s, version)
			admitted := map[string]int{}
			for range 20 {
				for method, params := range map[string]string{
					"prompts/get":         `{"name":"p"}`,
					"completion/complete": `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}}`,
				} {
					if c.do(method, params).Error == nil {
						admitted[method]++
					}
				}
			}
			assert.Equal(t, map[string]int{"prompts/get": 1, "completion/complete": 1}, admitted, version)
		}
	}
}
