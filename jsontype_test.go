package prompts

import (
	"context"
	"encoding/json"
	"log/slog"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
)

type namedEmbedding struct {
	leveled `json:"in"`
}

// What jsonschema-go infers for the types that encoding/json reads is
// completed, or refused where it would be wrong.
func TestSchemasOfJSONTypes(t *testing.T) {
	t.Parallel()
	type numbers struct {
		Big   *big.Int         `json:"big,omitempty"`
		Raw   *json.RawMessage `json:"raw"`
		Level *slog.Level      `json:"level"`
		N     json.Number      `json:"n,omitempty"`
	}
	var got one[numbers]
	d := compiled(t, typed(&got))
	_, problems := d.bind([]given{{text: `{"raw":[1],"level":"INFO","n":1.5}`, ok: true}})
	assert.Empty(t, problems)

	_, err := compile(New(Prompt{Name: "p"}, func(context.Context, one[namedEmbedding]) (*Result, error) { return nil, nil }))
	assert.ErrorContains(t, err, `argument "a": its member "in" comes from an embedded struct`)
}
