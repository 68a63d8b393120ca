package prompts

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// JRP-42, MRT-08, LIF-20: what a client declares counts as far as its revision
// knows it, and in the form that it knows.
func TestReadCapabilities(t *testing.T) {
	t.Parallel()
	none := clientCapabilities{}
	form, url := clientCapabilities{form: true}, clientCapabilities{url: true}
	for _, test := range []struct {
		declared     string
		older, newer clientCapabilities // 2025-06-18; from 2025-11-25
	}{
		{`{}`, none, none},
		{`{"elicitation":{}}`, form, form},
		{`{"elicitation":{"form":{}}}`, form, form},
		{`{"elicitation":{"url":{}}}`, form, url}, // 2025-06-18 has no modes
		{`{"elicitation":{"form":{},"url":{}}}`, form, clientCapabilities{form: true, url: true}},
		{`{"elicitation":{"voice":{}}}`, form, form},
		{`{"elicitation":{"url":true}}`, form, form},
		{`{"elicitation":null}`, none, none},
		{`{"elicitation":true}`, none, none},
		{`{"elicitation":[]}`, none, none},
		{`{"Elicitation":{}}`, none, none},
		{`{"sampling":{}}`, clientCapabilities{sampling: true, contexts: true}, clientCapabilities{sampling: true}},
		{`{"sampling":{"tools":{},"context":{}}}`, clientCapabilities{sampling: true, contexts: true}, clientCapabilities{sampling: true, tools: true, contexts: true}},
		{`{"sampling":false}`, none, none},
		{`{"roots":{}}`, clientCapabilities{roots: true}, clientCapabilities{roots: true}},
		{`{"roots":{"listChanged":true}}`, clientCapabilities{roots: true}, clientCapabilities{roots: true}},
		{`{"experimental":{"elicitation":{}},"tasks":1,"":null}`, none, none},
	} {
		var doc strictjson.Doc
		require.NoError(t, doc.Parse(test.declared, maxDepth))
		assert.Equal(t, test.older, readCapabilities(revision.V20250618, doc.Root()), test.declared)
		assert.Equal(t, test.newer, readCapabilities(revision.V20251125, doc.Root()), test.declared)
		assert.Equal(t, test.newer, readCapabilities(revision.V20260728, doc.Root()), test.declared)
		before := readCapabilities(revision.V20250326, doc.Root())
		assert.False(t, before.form || before.url, test.declared)
	}
}

// DSC-12: what is missing is told in the form in which it would be declared,
// so that a client that declares just that can be asked.
func TestDeclareCapabilities(t *testing.T) {
	t.Parallel()
	for bits := range 1 << 6 {
		has := func(i int) bool { return bits&(1<<i) != 0 }
		c := clientCapabilities{form: has(0), url: has(1), sampling: has(2), tools: has(3), contexts: has(4), roots: has(5)}
		text, err := json.Marshal(c.declare())
		require.NoError(t, err)
		var doc strictjson.Doc
		require.NoError(t, doc.Parse(string(text), maxDepth))
		got := readCapabilities(revision.V20260728, doc.Root())
		want := c
		want.sampling = c.sampling || c.tools || c.contexts // they are parts of it
		assert.Equal(t, want, got, string(text))
		assert.Equal(t, clientCapabilities{}, c.without(got))
		assert.Equal(t, c, c.and(c))
		assert.Equal(t, c, c.without(clientCapabilities{}))
	}
}
