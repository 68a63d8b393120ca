package prompttemplate_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/coverage"
	"github.com/mcp-prompts/prompts/prompttemplate"
)

// A coverage has the blocks of templates with their places, and which of them a
// rendering left out. The text stays the same, and a trial counts for nothing.
func TestCoverage(t *testing.T) {
	t.Parallel()
	c := new(coverage.Coverage)
	ctx := coverage.With(t.Context(), c)
	const text = "Hi{{with .name}} {{.}}{{end}}\n{{if eq .mood \"good\"}}yes{{else if eq .mood \"bad\"}}no{{else}}?{{end}}\n {{range list .tags}}{{.}}{{template \"mark\"}}{{else}}none{{end}}"
	partials := map[string]string{"mark": "!", "unused": "-"}
	p := prompts.Prompt{Name: "p", Arguments: []prompts.Argument{{Name: "name"}, {Name: "mood"}, {Name: "tags"}}}
	args := map[string]string{"name": "Ada", "mood": "bad", "tags": "a,b"}
	render := func(ctx context.Context) string {
		empty, err := prompttemplate.NewSet(prompttemplate.Options{})
		require.NoError(t, err)
		set, err := empty.With(ctx, partials)
		require.NoError(t, err)
		compiled, _, err := set.Prompt(ctx, p, prompttemplate.User(text))
		require.NoError(t, err)
		if c := coverage.From(ctx); c != nil {
			for _, b := range c.Blocks() {
				assert.False(t, b.IsRendered, "a trial counts")
			}
		}
		r, err := compiled.Render(ctx, args)
		require.NoError(t, err)
		return r.Messages[0].Content.(*prompts.Text).Text
	}
	assert.Equal(t, render(t.Context()), render(ctx))
	var got []string
	for _, b := range c.Blocks() {
		got = append(got, fmt.Sprintf("%s%s %d %s else=%t: %t", b.Prompt, b.Partial, b.Line, b.Action, b.IsElse, b.IsRendered))
	}
	assert.ElementsMatch(t, []string{
		"mark 1  else=false: true",
		"unused 1  else=false: false",
		"p 1 {{with .name}} else=false: true",
		"p 1 {{with .name}} else=true: false",
		"p 2 {{if eq .mood \"good\"}} else=false: false",
		"p 2 {{if eq .mood \"bad\"}} else=false: true",
		"p 2 {{if eq .mood \"bad\"}} else=true: false",
		"p 3 {{range list .tags}} else=false: true",
		"p 3 {{range list .tags}} else=true: false",
	}, got)
}
