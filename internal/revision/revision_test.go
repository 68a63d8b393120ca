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
	assert.Len(t, all, len(table)-1)
	assert.True(t, slices.IsSortedFunc(all, func(a, b Revision) int { return int(b) - int(a) }), "newest first")
	versions := make([]string, 0, len(all))
	for _, r := range all {
		versions = append(versions, r.String())
	}
	assert.True(t, slices.IsSortedFunc(versions, func(a, b string) int { return strings.Compare(b, a) }), "later revisions have later dates")
	all[0] = 0
	assert.Equal(t, V20260728, All()[0], "the result is the caller's")
}

// LIF-07, GAP-03: the counter-offer is one that has a handshake.
func TestNewest(t *testing.T) {
	t.Parallel()
	newest := Newest()
	assert.Equal(t, V20251125, newest)
	assert.True(t, newest.Served())
	assert.False(t, newest.Stateless())
	for _, r := range All() {
		if r > newest {
			assert.True(t, r.Stateless() || !r.Served())
		}
	}
}

// The table of WIRE.md, sections 1, 4, 6 and 8.
func TestTraits(t *testing.T) {
	t.Parallel()
	type row struct {
		stateless, titles, icons, audio, resourceLink bool
		shape                                         Shape
	}
	for r, want := range map[Revision]row{
		V20241105: {},
		V20250326: {audio: true},
		V20250618: {audio: true, titles: true, resourceLink: true, shape: ShapeTitled},
		V20251125: {audio: true, titles: true, resourceLink: true, icons: true, shape: ShapeIcons},
		V20260728: {audio: true, titles: true, resourceLink: true, icons: true, shape: ShapeIcons, stateless: true},
	} {
		assert.Equal(t, want, row{r.Stateless(), r.Titles(), r.Icons(), r.Audio(), r.ResourceLink(), r.Shape()}, r)
		assert.Less(t, r.Shape(), Shapes)
	}
}

// The zero value is no revision and knows nothing.
func TestZero(t *testing.T) {
	t.Parallel()
	var r Revision
	assert.False(t, r.Served())
	assert.False(t, r.Stateless())
	assert.Empty(t, r.String())
}
