package prompttemplate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/trace"
	"github.com/mcp-prompts/prompts/prompttemplate"
)

// A trace has the parts of each message in order: the line and the action that made each
// part, and the arguments whose values the part has. The text stays the same.
func TestTrace(t *testing.T) {
	t.Parallel()
	const text = "Hi{{with .name}} {{.}}{{end}},\n{{$t := .tags}}{{range $i, $e := list $t}}{{if $i}}; {{end}}{{$e}}{{.}}{{end}}\n{{template \"end\" .}}{{fence \"go\" .code}}{{if .name}}!{{end}}{{$.mood}}"
	p := prompts.Prompt{Name: "p", Arguments: []prompts.Argument{{Name: "name"}, {Name: "mood"}, {Name: "tags"}, {Name: "code"}}}
	args := map[string]string{"name": "Ada", "mood": "bad", "tags": "a,b", "code": "x"}
	render := func(load, ctx context.Context) string {
		empty, err := prompttemplate.NewSet(prompttemplate.Options{})
		require.NoError(t, err)
		set, err := empty.With(load, map[string]string{"end": "Bye {{.name}}.\n"})
		require.NoError(t, err)
		compiled, _, err := set.Prompt(load, p, prompttemplate.User("first"), prompttemplate.User(text))
		require.NoError(t, err)
		r, err := compiled.Render(ctx, args)
		require.NoError(t, err)
		return r.Messages[1].Content.(*prompts.Text).Text
	}
	recorded := new(trace.Trace)
	got := render(trace.With(t.Context()), trace.Record(t.Context(), recorded))
	assert.Equal(t, render(t.Context(), t.Context()), got)
	assert.Equal(t, got, render(trace.With(t.Context()), t.Context()), "without a trace")
	require.Len(t, recorded.Messages(), 2)
	m := recorded.Messages()[1]
	assert.Equal(t, text, m.Source)
	var parts []string
	for i, piece := range m.Pieces {
		end := len(got)
		if i+1 < len(m.Pieces) {
			end = m.Pieces[i+1].Start
		}
		var place trace.Place
		require.NoError(t, json.Unmarshal([]byte(piece.Place), &place))
		if end > piece.Start {
			parts = append(parts, fmt.Sprintf("%s%d %s %v %q", place.Partial, place.Line, place.Action, place.Arguments, got[piece.Start:end]))
		}
	}
	assert.Equal(t, []string{
		`1  [] "Hi"`,
		`1  [] " "`,
		`1 {{.}} [name] "Ada"`,
		`1  [] ",\n"`,
		`2 {{$e}} [tags] "a"`,
		`2 {{.}} [tags] "a"`,
		`2  [] "; "`,
		`2 {{$e}} [tags] "b"`,
		`2 {{.}} [tags] "b"`,
		`2  [] "\n"`,
		`end1  [] "Bye "`,
		`end1 {{.name}} [name] "Ada"`,
		`end1  [] ".\n"`,
		"3 {{fence \"go\" .code}} [code] \"```go\\nx\\n```\"",
		`3  [] "!"`,
		`3 {{$.mood}} [mood] "bad"`,
	}, parts)
}

// The pieces of a rendering are bounded.
func TestTraceIsBounded(t *testing.T) {
	t.Parallel()
	recorded := new(trace.Trace)
	load := trace.With(t.Context())
	empty, err := prompttemplate.NewSet(prompttemplate.Options{})
	require.NoError(t, err)
	set, err := empty.With(load, nil)
	require.NoError(t, err)
	p := prompts.Prompt{Name: "p", Arguments: []prompts.Argument{{Name: "n"}}}
	compiled, _, err := set.Prompt(load, p, prompttemplate.User(`{{range list .n}}{{range list $.n}}x{{.}}{{end}}{{end}}`))
	require.NoError(t, err)
	many := "0"
	for range 299 {
		many += ",0"
	}
	_, err = compiled.Render(trace.Record(t.Context(), recorded), map[string]string{"n": many})
	require.NoError(t, err)
	assert.Len(t, recorded.Messages()[0].Pieces, trace.MaxPieces)
}
