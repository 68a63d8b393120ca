package prompts

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDoc(t *testing.T) {
	t.Parallel()
	var reg Registry
	assert.Equal(t, "| Prompt | Argument | Required | Description |\n|---|---|---|---|\n", Doc(&reg))
	render := func(context.Context, map[string]string) (*Result, error) { return nil, nil }
	require.NoError(t, reg.Add(
		Prompt{Name: "b", Render: render},
		Prompt{
			Name: "a|`x", Title: "Title", Description: "One *line*\r\n\n and <another>\n", Version: "1.0", Render: render,
			Arguments: []Argument{
				{Name: "code_text", Title: "The code", Description: "a snake_case _word_ & a | pipe", Required: true},
				{Name: "language", Schema: Enum("go", "c|c++")},
				{Name: "other"},
			},
		},
		Prompt{Name: "c", NoHints: true, Arguments: []Argument{{Name: "n", Description: `\[x]~`, Schema: Enum("a")}}, Render: render},
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
`, Doc(&reg))
}
