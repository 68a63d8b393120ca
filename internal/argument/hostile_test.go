package argument

import (
	"encoding/json"
	"fmt"
	"runtime"
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
		problems := v.check(t.Context(), instanceAt(t, text))
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

// To find an error in deep JSON does not take each level as long as all inside of it. The
// test counts bytes, so nothing else runs meanwhile.
func TestHostileJSONTakesLinearMemory(t *testing.T) {
	const depth = jsonenc.MaxDepth - 8
	var members, levels strings.Builder
	for i := range 5_000 {
		fmt.Fprintf(&members, `"m%d":0,`, i)
	}
	for range 50 {
		levels.WriteString(strings.Repeat("[[0],", depth) + "0" + strings.Repeat("]", depth) + ",")
	}
	deep := func(text string) string {
		return strings.Repeat(`{"a":`, depth) + text + strings.Repeat("}", depth)
	}
	const tree = `{"$defs":{"n":{"uniqueItems":true,"items":{"$ref":"#/$defs/n"}}},"type":"array","items":{"$ref":"#/$defs/n"}}`
	for name, c := range map[string]struct {
		plan *Plan
		text string
	}{
		"members twice": {listPlan(t, Spec{Name: "s", Schema: parsed(t, `{"type":"object"}`)}), deep(`{` + members.String() + `"m0":1}`)},
		"unlike lists":  {listPlan(t, Spec{Name: "s", Schema: parsed(t, tree)}), "[" + levels.String() + "[0,0]]"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, problems := c.plan.Texts(t.Context(), []Text{text(c.text)})
		runtime.ReadMemStats(&after)
		require.NotEmpty(t, problems, name)
		assert.Less(t, int(after.TotalAlloc-before.TotalAlloc), 200*len(c.text), name)
	}
}
