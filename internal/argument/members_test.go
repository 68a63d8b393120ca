package argument

import (
	"encoding/json"
	"log/slog"
	"math/big"
	"reflect"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
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
	_, problems := readAs[numbers](t, `{"raw":[1],"level":"INFO","n":1.5}`, nil)
	assert.Empty(t, problems)

	err := errorOf[one[namedEmbedding]]()
	assert.ErrorContains(t, err, `argument "a": member "in": field leveled has a json tag, but is not exported`)
}

// Where a type has no pointer, no map and nothing that reads itself, the inferred
// schema is that of jsonschema-go.
func TestJSONSchemasAgreeWithOracle(t *testing.T) {
	t.Parallel()
	type part struct {
		A string `json:"a" jsonschema:"what it is"`
		B bool   `json:"b,omitempty"`
	}
	type all struct {
		I   int
		I8  int8
		I16 int16
		I32 int32
		I64 int64
		U   uint
		U8  uint8
		U16 uint16
		U32 uint32
		U64 uint64 `json:"u64,omitzero"`
		F32 float32
		F64 float64
		S   string
		Any any
		L   []part
		Two [2]int8
		P   part `json:"p"`
		part
	}
	want, err := jsonschema.For[all](nil)
	require.NoError(t, err)
	got, err := jsonTypes{}.schemaOf(reflect.TypeFor[all]())
	require.NoError(t, err)
	assert.JSONEq(t, jsonenc.Text(want), jsonenc.Text(got))
	assert.Equal(t, want.PropertyOrder, got.PropertyOrder)
}
