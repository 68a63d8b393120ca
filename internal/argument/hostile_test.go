package argument

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
)

// Whatever JSON a client sends, the problems have a bounded size, and to find them takes
// work in proportion to the JSON.
func TestHostileJSONIsBounded(t *testing.T) {
	t.Parallel()
	v, err := NewValidator(parsed(t, `{"$defs":{"node":{"type":"object","additionalProperties":{"anyOf":[{"$ref":"#/$defs/node"},{"type":"integer","maximum":3},{"type":"array","items":{"$ref":"#/$defs/node"}}]}}},
		"type":"object","additionalProperties":{"$ref":"#/$defs/node"},"propertyNames":{"maxLength":4000}}`))
	require.NoError(t, err)
	long := strings.Repeat("n", 3000)
	deep := strings.Repeat(`{"`+long[:50]+`":`, jsonenc.MaxDepth-1) + `"x"` + strings.Repeat("}", jsonenc.MaxDepth-1)
	var wide, pairs strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&wide, `,"%d":true`, i)
		fmt.Fprintf(&pairs, `,[{"a":"x","b":[{}, 9, {"c":{"d":"x"}}]}]`)
	}
	for name, text := range map[string]string{
		"deep":   deep,
		"wide":   "{" + wide.String()[1:] + "}",
		"long":   `{"` + long + `":{"` + long + `":"x"}}`,
		"nested": `{"a":{"b":[` + pairs.String()[1:] + `]}}`,
		"names":  `{"` + strings.Repeat(`\u0000`, 2000) + `":{"` + strings.Repeat("é", 2000) + `":{"x":"y"}}}`,
	} {
		problems := v.check(instanceAt(t, text))
		require.NotEmpty(t, problems, name)
		assert.LessOrEqual(t, len(problems), MaxProblems, name)
		for _, p := range problems {
			p.Argument = "a"
			assert.LessOrEqual(t, len(p.Path), maxPath, name)
			assert.LessOrEqual(t, len(p.Message), 1000, name)
			assert.LessOrEqual(t, len(p.Sentence()), 1000+maxPlace, name)
			raw, err := json.Marshal(p)
			require.NoError(t, err)
			assert.LessOrEqual(t, len(raw), 8<<10, name)
		}
	}
}
