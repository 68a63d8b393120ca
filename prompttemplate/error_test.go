package prompttemplate_test

import (
	"errors"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/prompttemplate"
)

// The place of an error is available without its text.
func TestError(t *testing.T) {
	t.Parallel()
	image := &prompts.Image{MIMEType: "image/png"}
	_, err := prompttemplate.New(withArguments("code", "tone"), prompttemplate.Options{
		Funcs:    map[string]any{"json": func() string { return "" }},
		Partials: map[string]string{"": "{{", "lost": "a\n{{.nothing}}"},
	},
		prompttemplate.Message{Role: prompts.RoleUser, Text: "x", Content: image},
		prompttemplate.User("a\nb{{.cod}}\n{{template \"lost\" .}}"),
		prompttemplate.User("a\n\n{{if}}"),
	)
	joined, ok := err.(interface{ Unwrap() []error })
	require.True(t, ok)
	type place struct {
		Message  int
		Partial  string
		Line     int
		Argument string
	}
	var got []place
	for _, err := range joined.Unwrap() {
		var e *prompttemplate.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, "p", e.Prompt)
		assert.Equal(t, e.Err, errors.Unwrap(err))
		got = append(got, place{e.Message, e.Partial, e.Line, e.Argument})
	}
	assert.Equal(t, []place{
		{},                         // the function
		{Line: 1},                  // of the partial without a name
		{Message: 1},               // both text and content
		{Message: 2, Line: 2},      // no such argument
		{Partial: "lost", Line: 2}, // no such argument
		{Message: 3, Line: 3},      // no condition
	}, got)

	_, err = prompttemplate.New(withArguments("code"), prompttemplate.Options{}, prompttemplate.User("x"))
	var e *prompttemplate.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, "code", e.Argument)

	made := &prompttemplate.Error{Prompt: "p", Partial: "tone", Line: 3, Err: errors.New("a fault")}
	assert.EqualError(t, made, `prompt "p": partial "tone", line 3: a fault`)
}

// The column of an error while rendering counts characters.
func TestColumnsCountCharacters(t *testing.T) {
	t.Parallel()
	set, err := prompttemplate.NewSet(prompttemplate.Options{})
	require.NoError(t, err)
	_, _, err = set.Prompt(t.Context(), prompts.Prompt{Name: "p", Arguments: []prompts.Argument{{Name: "n", Schema: &jsonschema.Schema{Type: "integer"}}}},
		prompttemplate.User("x\nééé{{$x := .n}}{{slice $x 1}}"))
	var e *prompttemplate.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, [2]int{2, 18}, [2]int{e.Line, e.Column})
}
