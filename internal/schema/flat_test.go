package schema_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/schema"
)

// pick returns one of the values.
func pick[T any](r *rand.Rand, values ...T) T { return values[r.IntN(len(values))] }

// A copy is what encoding/json makes of the schema, also where it is made without.
func TestCloneLikeJSON(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	text := func() string { return pick(r, "", "", "a", "ü<&>\u2028", `"\`, "\xff", "\x00") }
	value := func() any {
		return pick[any](r, "a", "ü", "\xff", 1.0, 0.1, math.Copysign(0, -1), 1e300, math.NaN(), math.Inf(1), 3, int8(4), true, nil, []any{1.0}, map[string]any{"a": "b"}, json.Number("2"))
	}
	values := func() []any {
		all := []any{}
		for range r.IntN(4) {
			all = append(all, value())
		}
		return pick(r, nil, nil, all)
	}
	float := func() *float64 {
		return pick(r, nil, nil, nil, new(1.0), new(-2.5), new(math.Inf(-1)), new(math.NaN()))
	}
	count := func() *int { return pick(r, nil, nil, nil, new(0), new(7), new(-1), new(math.MaxInt32)) }
	for range 3_000 {
		s := &jsonschema.Schema{
			Title: text(), Description: text(), Type: pick(r, "", "string", "integer", "\xff"), Pattern: text(), Format: text(),
			Default: pick[json.RawMessage](r, nil, nil, nil, json.RawMessage(`"a"`), json.RawMessage(` "a"`), json.RawMessage(`"<\u003c"`), json.RawMessage(`true`),
				json.RawMessage(`[1, 2]`), json.RawMessage(`1.50`), json.RawMessage("\"\xff\""), json.RawMessage(``), json.RawMessage(`"`), json.RawMessage(`"a"b"`)),
			Enum: values(), Examples: values(), Minimum: float(), MultipleOf: float(), ExclusiveMaximum: float(), MinLength: count(), MaxLength: count(),
			ReadOnly: pick(r, false, true), Items: pick(r, nil, nil, nil, &jsonschema.Schema{Type: "string"}),
		}
		if r.IntN(4) == 0 {
			s.Const = new(value())
		}
		got, err := schema.Clone(s)
		raw, rawErr := json.Marshal(s)
		want := new(jsonschema.Schema)
		if rawErr == nil {
			rawErr = json.Unmarshal(raw, want)
		}
		if err != nil { // Clone is stricter: with UTF-8, say
			continue
		}
		require.NoError(t, rawErr, "%s", raw)
		require.Equal(t, want, got, "%s", raw)
		for i := range got.Enum {
			got.Enum[i] = "other"
		}
		for _, p := range []*float64{got.Minimum, got.MultipleOf} {
			if p != nil {
				*p = 99
			}
		}
		again, err := json.Marshal(s)
		require.NoError(t, err)
		require.Equal(t, string(raw), string(again), "the copy shares a value")
	}
	for _, s := range []*jsonschema.Schema{
		{Title: "\xff"}, {Enum: []any{"\xff"}}, {Enum: []any{}}, {Enum: []any{math.NaN()}}, {Minimum: new(math.Inf(1))}, {Default: json.RawMessage("\"\xff\"")}, {Default: json.RawMessage(`"a"b"`)},
	} {
		_, err := schema.Clone(s)
		assert.Error(t, err, "%+v", s)
	}
}

// The schema of an argument with an enum costs few allocations.
func TestFlatAllocations(t *testing.T) {
	s := &jsonschema.Schema{Type: "string", Enum: []any{"go", "rust"}, Default: json.RawMessage(`"go"`), MaxLength: new(10)}
	assert.LessOrEqual(t, testing.AllocsPerRun(100, func() { _, _ = schema.Clone(s) }), 4.0)
	assert.LessOrEqual(t, testing.AllocsPerRun(100, func() { _ = schema.Check(s) }), 12.0)
}
