package mcpgo_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/mount/mcpgo"
	"github.com/mcp-prompts/prompts/prompttools"
)

// A server of mcp-go handles requests with a mounted registry of 100 prompts.
func BenchmarkMount(b *testing.B) {
	var r prompts.Registry
	for i := range 100 {
		p := prompts.Prompt{Name: fmt.Sprint("p", i), Description: "a prompt", Arguments: []prompts.Argument{{Name: "a", Enum: []string{"go", "python"}}}}
		p.Render = func(_ context.Context, args map[string]string) (*prompts.Result, error) {
			return prompts.Messages(prompts.User("hello "+args["a"]), prompts.Assistant("hi")), nil
		}
		r.MustAdd(p)
	}
	tools, err := prompttools.New(&r, prompttools.Options{Select: func(prompts.Prompt) bool { return true }})
	require.NoError(b, err)
	for name, middleware := range map[string]func(prompts.Handler) prompts.Handler{
		"plain": nil, "middleware": func(next prompts.Handler) prompts.Handler { return next },
	} {
		o := prompts.Options{
			Features: []feature.Feature{tools}, Middleware: middleware,
			Limits: prompts.Limits{GetsPerSecond: -1, CompletionsPerSecond: -1},
		}
		s := server.NewMCPServer("s", "1", server.WithToolCapabilities(true))
		mount(b, s, &r, o)
		w := dial(b, s, "2025-11-25")
		for method, params := range map[string]string{
			"prompts/get":         `{"name":"p1","arguments":{"a":"go"}}`,
			"prompts/list":        `{}`,
			"completion/complete": `{"ref":{"type":"ref/prompt","name":"p1"},"argument":{"name":"a","value":"g"}}`,
			"tools/call":          `{"name":"p1","arguments":{"a":"go"}}`,
		} {
			message := w.request(method, params)
			b.Run(name+"/"+method, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					raw, err := json.Marshal(s.HandleMessage(w.ctx, message))
					require.NoError(b, err)
					require.Contains(b, string(raw), `"result"`)
				}
			})
		}
		b.Run(name+"/mount", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				unmount, err := mcpgo.Mount(server.NewMCPServer("s", "1"), &r, mcpgo.Options{Server: o})
				require.NoError(b, err)
				unmount()
			}
		})
	}
}
