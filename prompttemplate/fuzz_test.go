package prompttemplate_test

import (
	"context"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/prompttemplate"
)

// Any text comes through a template as it is, from the client's JSON to the
// server's.
func FuzzTemplateValues(f *testing.F) {
	var reg prompts.Registry
	reg.MustAdd(
		prompttemplate.Must(prompttemplate.New(prompts.Prompt{Name: "p", Arguments: []prompts.Argument{{Name: "a"}}},
			prompttemplate.Options{}, prompttemplate.User("{{.a}}"))),
		prompttemplate.Must(prompttemplate.NewTyped[struct {
			A string `json:"a,omitempty"`
		}](prompts.Prompt{Name: "typed"}, prompttemplate.Options{}, prompttemplate.User("{{.A}}"))),
	)
	srv := prompts.NewServer(&reg, prompts.Options{})
	for _, value := range []string{"", "x", "{{.a}}", "{{", "}}", "```", "\x00\u2028\ufffd", "<no value>", `\u0000"`, "日本"} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		if !utf8.ValidString(value) {
			return // no JSON text can hold it
		}
		for _, name := range []string{"p", "typed"} {
			params, err := json.Marshal(map[string]any{"name": name, "arguments": map[string]string{"a": value}})
			if err != nil {
				t.Fatal(err)
			}
			raw, err := srv.Call(context.Background(), "prompts/get", params, prompts.CallOptions{})
			if err != nil {
				t.Fatalf("%q: %v", value, err)
			}
			var result struct {
				Messages []struct {
					Role    string
					Content struct{ Type, Text string }
				}
			}
			if err := json.Unmarshal(raw, &result); err != nil {
				t.Fatal(err)
			}
			if len(result.Messages) != 1 || result.Messages[0].Content.Text != value {
				t.Fatalf("%q became %s", value, raw)
			}
		}
	})
}
