package prompts

import (
	"encoding/json"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts/internal/revision"
)

// The forms of 2025-06-18 have no place for a default but of a boolean, so
// that a hint has to say it.
func TestFormDefaultIsHintedWhereItHasNoPlace(t *testing.T) {
	t.Parallel()
	for text, field := range map[string]string{
		`5`:   encodeForm[asOptional[int]](t, revision.V20250618, Argument{Name: "x", Schema: &jsonschema.Schema{Default: json.RawMessage("5")}}),
		`0.5`: encodeForm[asOptional[float64]](t, revision.V20250618, Argument{Name: "x", Schema: &jsonschema.Schema{Default: json.RawMessage("0.5")}}),
		`a`: encodeForm[asOptional[string]](t, revision.V20250618, Argument{Name: "x", Schema: &jsonschema.Schema{
			Default: json.RawMessage(`"a"`), Enum: []any{"a", "b"},
		}}),
	} {
		assert.Contains(t, field, "default "+text)
	}
}
