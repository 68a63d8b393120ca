package prompts_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

func TestDoc(t *testing.T) {
	t.Parallel()
	var reg prompts.Registry
	assert.Equal(t, "| Prompt | Argument | Required | Description |\n|---|---|---|---|\n", prompts.Doc(&reg))
	render := func(context.Context, map[string]string) (*prompts.Result, error) { return nil, nil }
	require.NoError(t, reg.Add(
		prompts.Prompt{Name: "b", Render: render},
		prompts.Prompt{
			Name: "a|`x", Title: "Title", Description: "One *line*\r\n\n and <another>\n", Version: "1.0", Render: render,
			Arguments: []prompts.Argument{
				{Name: "code_text", Title: "The code", Description: "a snake_case _word_ & a | pipe", Required: true},
				{Name: "language", Schema: prompts.Enum("go", "c|c++")},
				{Name: "other"},
			},
		},
		prompts.Prompt{Name: "c", DisableHints: true, Arguments: []prompts.Argument{{Name: "n", Description: `\[x]~`, Schema: prompts.Enum("a")}}, Render: render},
	))
	assert.Equal(t, `| Prompt | Argument | Required | Description |
|---|---|---|---|
| `+"``a\\|`x``"+` 1.0 | | | **Title**<br>One \*line\*<br>and \<another\> |
| | `+"`code_text`"+` | yes | The code: a snake_case \_word\_ \& a \| pipe |
| | `+"`language`"+` | | one of: go, c\|c++ |
| | `+"`other`"+` | | |
| `+"`b`"+` | | | |
| `+"`c`"+` | | | |
| | `+"`n`"+` | | \\\[x\]\~ |
`, prompts.Doc(&reg))
}
