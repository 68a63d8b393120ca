package revision

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]Revision{
		"2024-11-05": V20241105,
		"2025-03-26": V20250326,
		"2025-06-18": V20250618,
		"2025-11-25": V20251125,
		"2026-07-28": V20260728,
	} {
		got, ok := Parse(version)
		assert.True(t, ok, version)
		assert.Equal(t, want, got)
		assert.Equal(t, version, got.String())
	}
	for _, version := range []string{"", "2025-11-26", "2025-11-25 ", " 2025-11-25", "2025-11", "DRAFT-2026-v1", "1.0", "2099-01-01"} {
		got, ok := Parse(version)
		assert.False(t, ok, version)
		assert.Zero(t, got)
	}
}

func TestAll(t *testing.T) {
	t.Parallel()
	all := All()
	assert.Len(t, all, Count)
	assert.True(t, slices.IsSortedFunc(all, func(a, b Revision) int { return int(b) - int(a) }), "newest first")
	versions := make([]string, 0, len(all))
	for _, r := range all {
		versions = append(versions, r.String())
	}
	assert.True(t, slices.IsSortedFunc(versions, func(a, b string) int { return strings.Compare(b, a) }), "later revisions have later dates")
	all[0] = 0
	assert.NotZero(t, All()[0], "the result is the caller's")
}

// LIF-07, GAP-03: the counter-offer is one that has a handshake.
func TestNewestStateful(t *testing.T) {
	t.Parallel()
	newest := NewestStateful()
	assert.Equal(t, V20251125, newest)
	assert.False(t, newest.Stateless())
	for _, r := range All() {
		if r > newest {
			assert.True(t, r.Stateless())
		}
	}
}

// The table of WIRE.md, sections 1, 4, 6, 8, 9, 10 and 12.
func TestTraits(t *testing.T) {
	t.Parallel()
	type row struct {
		shape  Shape
		traits string
	}
	for r, want := range map[Revision]row{
		V20241105: {ShapeBase, "null id"},
		V20250326: {ShapeBase, "null id, audio, batches, completions, progress messages"},
		V20250618: {ShapeTitled, "null id, audio, completions, progress messages, titles, resource links, context, elicitation"},
		V20251125: {ShapeIcons, "audio, completions, progress messages, titles, resource links, context, elicitation, icons, modes, sampling parts"},
		V20260728: {ShapeIcons, "audio, completions, progress messages, titles, resource links, context, elicitation, icons, modes, sampling parts, stateless"},
	} {
		var has []string
		for _, trait := range []struct {
			name string
			has  bool
		}{
			{"null id", r.NullID()}, {"audio", r.Audio()}, {"batches", r.Batches()}, {"completions", r.Completions()},
			{"progress messages", r.ProgressMessages()}, {"titles", r.Titles()}, {"resource links", r.ResourceLink()},
			{"context", r.Context()}, {"elicitation", r.Elicitation()}, {"icons", r.Icons()}, {"modes", r.ElicitationModes()}, {"sampling parts", r.SamplingParts()},
			{"stateless", r.Stateless()},
		} {
			if trait.has {
				has = append(has, trait.name)
			}
		}
		assert.Equal(t, want, row{r.Shape(), strings.Join(has, ", ")}, r)
		assert.Less(t, r.Shape(), Shapes)
	}
}

// The zero value is no revision and knows nothing.
func TestZero(t *testing.T) {
	t.Parallel()
	var r Revision
	assert.False(t, r.Stateless())
	assert.Empty(t, r.String())
}

// GAP-11.
func TestHTTPStatus(t *testing.T) {
	t.Parallel()
	for status, codes := range map[int][]int{
		200: {0, -1, -32602, -32603}, 400: {-32700, -32600, -32020, -32021, -32022}, 404: {-32601},
	} {
		for _, code := range codes {
			assert.Equal(t, status, HTTPStatus(code), code)
		}
	}
}
