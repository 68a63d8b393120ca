package prompttemplate_test

import (
	"context"
	"encoding/json"
	"flag"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/prompttemplate"
)

// No template panics or runs without end, whether it is declared or
// rendered.
func FuzzTemplates(f *testing.F) {
	for _, b := range bombs { // otherwise they explode in tests
		if isFuzzed := flag.Lookup("test.fuzz").Value.String() != ""; isFuzzed && len(b.text) < 1000 {
			f.Add(b.text, b.partials["p0"], "x,y", "12")
		}
	}
	f.Add(`{{range $i, $t := .tags}}{{if $i}}, {{else with $t}}{{.}}{{end}}{{break}}{{else}}{{printf "%[2]*[1]d" 1 2}}{{end}}`, `{{with $x := .}}{{(index $x.tags 0) | print 1 | len}}{{end}}`, "", "")
	f.Add(`{{template "p0" (slice .a 1)}}{{eq .n 1 2 .n}}{{$.n | gt 3}}{{and .a .b | not}}{{call .a}}`, `{{- /* x */ -}} {{"a" | printf "%q"}}`, "a", "3")
	f.Fuzz(func(t *testing.T, text, partial, a, n string) {
		if len(text)+len(partial) > 10_000 {
			return
		}
		p := prompts.Prompt{Name: "p", Arguments: []prompts.Argument{
			{Name: "a"}, {Name: "n", Schema: &jsonschema.Schema{Type: "integer"}}, {Name: "tags", Schema: &jsonschema.Schema{Type: "array"}},
		}}
		s, _ := prompttemplate.NewSet(prompttemplate.Options{Partials: map[string]string{"p0": partial}})
		begin := time.Now()
		p, _, err := s.Prompt(t.Context(), p, prompttemplate.User(text), prompttemplate.User("{{if .a}}{{.n}}{{.tags}}{{end}}x"))
		if err == nil {
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			_, _ = p.Render(ctx, map[string]string{"a": a, "n": n, "tags": a}) // which may fail, but not hang
		}
		if took := time.Since(begin); took > time.Minute {
			t.Fatalf("%v: %q", took, text)
		}
	})
}

// Any text passes through a template verbatim, from the client's JSON to the
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
	srv := prompts.MustNewServer(&reg, prompts.Options{})
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
			raw, err := srv.Call(context.Background(), "prompts/get", params, prompts.CallOptions{Version: "2025-11-25"})
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
