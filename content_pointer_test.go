package prompts_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/revision"
)

// A pointer to content is as good as the content.
func TestContentPointers(t *testing.T) {
	t.Parallel()
	text, image, audio := prompts.Text{Text: "x"}, prompts.Image{Data: []byte{1}, MIMEType: "image/png"}, prompts.Audio{Data: []byte{1}, MIMEType: "audio/wav"}
	resource, link := prompts.EmbeddedResource{URI: "x://y", Text: "z"}, prompts.ResourceLink{URI: "x://y", Name: "z"}
	for _, c := range []struct{ value, pointer, null prompts.Content }{
		{text, &text, (*prompts.Text)(nil)}, {image, &image, (*prompts.Image)(nil)}, {audio, &audio, (*prompts.Audio)(nil)},
		{resource, &resource, (*prompts.EmbeddedResource)(nil)}, {link, &link, (*prompts.ResourceLink)(nil)},
	} {
		for _, rev := range revision.All() {
			want, wantFaults := prompts.EncodeResult(rev, prompts.Messages(prompts.Message{prompts.RoleUser, c.value}))
			got, faults := prompts.EncodeResult(rev, prompts.Messages(prompts.Message{prompts.RoleUser, c.pointer}))
			assert.Equal(t, want, got)
			assert.Equal(t, wantFaults, faults)
		}
		_, faults := prompts.EncodeResult(revision.V20251125, prompts.Messages(prompts.Message{prompts.RoleUser, c.null}))
		assert.EqualError(t, errors.Join(faults...), "message 0: content is nil", "%T", c.null)
	}
}

// Many bad messages make no long line in the log.
func TestFaultsOfResultAreBounded(t *testing.T) {
	t.Parallel()
	_, faults := prompts.EncodeResult(revision.V20251125, prompts.Messages(make([]prompts.Message, 50_000)...))
	require.Len(t, faults, maxResultErrors+1)
	assert.EqualError(t, faults[0], `message 0: role "" is neither "user" nor "assistant"`)
	assert.EqualError(t, faults[maxResultErrors], "and 99984 more")

	_, faults = prompts.EncodeResult(revision.V20251125, prompts.Messages(make([]prompts.Message, maxResultErrors/2)...))
	assert.Len(t, faults, maxResultErrors)
}

// Two callers of Lookup never share a value inside Meta.
func TestMetaIsCopied(t *testing.T) {
	t.Parallel()
	type embedded struct{ Deep []string }
	type private struct {
		embedded
		Names  []string
		Parent *private `json:"-"` // as far as encoding/json is concerned, no cycle
		note   []string
	}
	value := &private{embedded: embedded{[]string{"d"}}, Names: []string{"a"}, note: []string{"n"}}
	value.Parent = value
	declared := prompts.Meta{
		"list": []any{map[string]any{"k": []any{"v"}}}, "strings": map[string][]string{"k": {"v"}}, "value": value, "array": [1][]int{{1}},
		"raw": json.RawMessage(`{"a":1}`), "int": int64(1<<53 + 1), "nil": nil, "self": &goodSelf{},
	}
	var r prompts.Registry
	require.NoError(t, r.Add(prompts.Prompt{Name: "p", Render: nothing, Meta: declared}, prompts.Prompt{Name: "q", Render: nothing}))
	want := jsonText(declared)
	spoil := func(m prompts.Meta) {
		m["list"].([]any)[0].(map[string]any)["k"].([]any)[0] = "spoilt"
		m["strings"].(map[string][]string)["k"][0] = "spoilt"
		m["value"].(*private).Names[0], m["value"].(*private).Deep[0] = "spoilt", "spoilt"
		array := m["array"].([1][]int)
		array[0][0] = 9
		m["raw"].(json.RawMessage)[2] = 'z'
	}
	spoil(declared) // the author's own is not the registry's
	for range 2 {
		p, _ := r.Lookup("p")
		assert.Equal(t, want, jsonText(p.Meta))
		assert.Equal(t, int64(1<<53+1), p.Meta["int"])
		assert.Equal(t, []string{"n"}, p.Meta["value"].(*private).note)
		assert.Same(t, declared["self"], p.Meta["self"], "its fields are its own business")
		spoil(p.Meta)
	}
	for p := range r.All() {
		if p.Name == "q" {
			assert.Nil(t, p.Meta)
			continue
		}
		assert.Equal(t, want, jsonText(p.Meta))
	}
}

type goodSelf struct{ Self *goodSelf }

func (*goodSelf) MarshalJSON() ([]byte, error) { return []byte(`"self"`), nil }
