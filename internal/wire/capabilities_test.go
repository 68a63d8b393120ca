package wire

import (
	"encoding/json"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// JRP-42, MRT-08, LIF-20: what a client declares counts as far as its revision
// knows it, and in the form that it knows.
func TestReadCapabilities(t *testing.T) {
	t.Parallel()
	none := Capabilities{}
	form, url := Capabilities{Form: true}, Capabilities{URL: true}
	for _, test := range []struct {
		declared     string
		older, newer Capabilities // 2025-06-18; from 2025-11-25
	}{
		{`{}`, none, none},
		{`{"elicitation":{}}`, form, form},
		{`{"elicitation":{"form":{}}}`, form, form},
		{`{"elicitation":{"url":{}}}`, form, url}, // 2025-06-18 has no modes
		{`{"elicitation":{"form":{},"url":{}}}`, form, Capabilities{Form: true, URL: true}},
		{`{"elicitation":{"voice":{}}}`, form, form},
		{`{"elicitation":{"url":true}}`, form, form},
		{`{"elicitation":null}`, none, none},
		{`{"elicitation":true}`, none, none},
		{`{"elicitation":[]}`, none, none},
		{`{"Elicitation":{}}`, none, none},
		{`{"sampling":{}}`, Capabilities{Sampling: true, Context: true}, Capabilities{Sampling: true}},
		{`{"sampling":{"tools":{},"context":{}}}`, Capabilities{Sampling: true, Context: true}, Capabilities{Sampling: true, Tools: true, Context: true}},
		{`{"sampling":false}`, none, none},
		{`{"roots":{}}`, Capabilities{Roots: true}, Capabilities{Roots: true}},
		{`{"roots":{"listChanged":true}}`, Capabilities{Roots: true}, Capabilities{Roots: true}},
		{`{"experimental":{"elicitation":{}},"tasks":1,"":null}`, none, none},
	} {
		var doc strictjson.Doc
		require.NoError(t, doc.Parse(test.declared, jsonenc.MaxDepth))
		assert.Equal(t, test.older, ReadCapabilities(revision.V20250618, doc.Root()), test.declared)
		assert.Equal(t, test.newer, ReadCapabilities(revision.V20251125, doc.Root()), test.declared)
		assert.Equal(t, test.newer, ReadCapabilities(revision.V20260728, doc.Root()), test.declared)
		before := ReadCapabilities(revision.V20250326, doc.Root())
		assert.False(t, before.Form || before.URL, test.declared)
	}
}

// DSC-12: what is missing is told in the form in which it would be declared,
// so that a client that declares just that can be asked.
func TestDeclareCapabilities(t *testing.T) {
	t.Parallel()
	for bits := range 1 << 6 {
		has := func(i int) bool { return bits&(1<<i) != 0 }
		c := Capabilities{Form: has(0), URL: has(1), Sampling: has(2), Tools: has(3), Context: has(4), Roots: has(5)}
		text, err := json.Marshal(c.Object())
		require.NoError(t, err)
		var doc strictjson.Doc
		require.NoError(t, doc.Parse(string(text), jsonenc.MaxDepth))
		got := ReadCapabilities(revision.V20260728, doc.Root())
		want := c
		want.Sampling = c.Sampling || c.Tools || c.Context // they are parts of it
		assert.Equal(t, want, got, string(text))
		assert.Equal(t, Capabilities{}, c.Minus(got))
		assert.Equal(t, c, c.Union(c))
		assert.Equal(t, c, c.Minus(Capabilities{}))
	}
}

// What a question needs is all that its parts need, and what is missing is named part by part.
func TestCapabilitiesTogether(t *testing.T) {
	t.Parallel()
	of := func(bits int) Capabilities {
		has := func(i int) bool { return bits&(1<<i) != 0 }
		return Capabilities{Form: has(0), URL: has(1), Sampling: has(2), Tools: has(3), Context: has(4), Roots: has(5)}
	}
	for a := range 1 << 6 {
		assert.Len(t, of(a).Paths(), bits.OnesCount(uint(a)))
		for b := range 1 << 6 {
			assert.Equal(t, of(a|b), of(a).Union(of(b)))
			assert.Equal(t, of(a&^b), of(a).Minus(of(b)))
		}
	}
}
