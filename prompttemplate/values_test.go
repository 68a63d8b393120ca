package prompttemplate_test

import (
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/prompttemplate"
)

// The text "false" is true in a template, so a boolean is none. The texts beside
// it are what they are without one.
func TestBooleans(t *testing.T) {
	t.Parallel()
	arguments := []prompts.Argument{
		{Name: "a"},
		{Name: "brief", Schema: &jsonschema.Schema{Type: "boolean"}},
		{Name: "on-by-default", Schema: &jsonschema.Schema{Type: "boolean", Default: []byte("true")}},
		{Name: "absent"},
	}
	const text = `{{if .brief}}yes{{else}}no{{end}} {{.brief}} {{not .brief}} {{json .brief}} {{if index . "on-by-default"}}on{{else}}off{{end}} ` +
		`{{fence .a .a}}{{len .a}}{{with .absent}}never{{end}}[{{.absent}}]{{or .absent "none"}}`
	for args, want := range map[[2]string]string{
		{"true", "true"}:   "yes true false true on",
		{"false", "false"}: "no false true false off",
		{"", ""}:           "no false true false on",
	} {
		given := map[string]string{"a": "x"}
		if args[0] != "" {
			given["brief"], given["on-by-default"] = args[0], args[1]
		}
		p, err := prompttemplate.New(prompts.Prompt{Name: "p", Arguments: arguments}, prompttemplate.Options{}, prompttemplate.User(text))
		require.NoError(t, err)
		texts, logged, err := get(t, p, given)
		require.NoError(t, err, logged)
		assert.Equal(t, want+" ```x\nx\n```1[]none", texts[0], args)
	}
}
