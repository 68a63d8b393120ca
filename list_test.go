package prompts_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// A cursor given today is good on any server, after any restart and upgrade
// (PAG-05, PAG-09): its text must not change.
func TestCursorIsStable(t *testing.T) {
	t.Parallel()
	for name, cursor := range map[string]string{
		"code_review": "AQbF2WRjb2RlX3Jldmlldw",
		"é\U0001F600": "AX-AWgbDqfCfmIA",
		"a":           "Aei3vkNh",
	} {
		assert.Equal(t, cursor, cursorAfter(name))
		r := registryOf(textPrompt("A", ""), textPrompt(name, ""), textPrompt("\U0010ffff", ""))
		assert.Equal(t, page{names: []string{"\U0010ffff"}}, pageOf(t, r, 100, cursor))
	}
}

type page struct {
	names []string
	next  string // empty for none
}

// pageOf gets one page, and holds it to PRL-02, PAG-03 and PAG-08.
func pageOf(t testing.TB, r *prompts.Registry, size int, cursor string) page {
	t.Helper()
	params := json.RawMessage(`{}`)
	if cursor != "" {
		params = json.RawMessage(`{"cursor":` + jsonText(cursor) + `}`)
	}
	raw, err := prompts.NewServer(r, prompts.Options{PageSize: size}).Call(context.Background(), "prompts/list", params, prompts.CallOptions{})
	require.NoError(t, err)
	var got struct {
		Prompts    []struct{ Name string }
		NextCursor *string
	}
	require.NoError(t, json.Unmarshal(raw, &got))
	require.NotNil(t, got.Prompts)
	var p page
	for _, prompt := range got.Prompts {
		p.names = append(p.names, prompt.Name)
	}
	if got.NextCursor != nil {
		require.NotEmpty(t, *got.NextCursor)
		p.next = *got.NextCursor
	}
	return p
}

func numbered(n int) *prompts.Registry {
	var r prompts.Registry
	var ps []prompts.Prompt
	for i := range n {
		ps = append(ps, barePrompt(fmt.Sprintf("p%03d", i), ""))
	}
	r.MustAdd(ps...)
	return &r
}

func TestPages(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 2, 3, 7, 100} {
		for _, n := range []int{0, 1, size - 1, size, size + 1, 2 * size, 2*size + 1} {
			r := numbered(n)
			var all []string
			pages := 0
			for cursor := ""; ; {
				p := pageOf(t, r, size, cursor)
				all = append(all, p.names...)
				pages++
				if p.next == "" {
					break
				}
				assert.Len(t, p.names, size)
				cursor = p.next
			}
			assert.Equal(t, namesOf(r), all)
			assert.Equal(t, max(1, (n+size-1)/size), pages, "%d by %d: no page is empty but the only one", n, size)
		}
	}
	assert.Len(t, pageOf(t, numbered(150), 0, "").names, defaultPageSize)
}

// A prompt is listed in each revision with what the newest revision has of it,
// but for the members that the revision does not know.
func TestListedInEveryRevision(t *testing.T) {
	t.Parallel()
	set := map[string]func(*prompts.Prompt){
		"title":          func(p *prompts.Prompt) { p.Title = "T" },
		"version":        func(p *prompts.Prompt) { p.Version = "1" },
		"meta":           func(p *prompts.Prompt) { p.Meta = prompts.Meta{"k": "v"} },
		"empty meta":     func(p *prompts.Prompt) { p.Meta = prompts.Meta{} },
		"icons":          func(p *prompts.Prompt) { p.Icons = []prompts.Icon{{Src: "https://example.com/i"}} },
		"argument":       func(p *prompts.Prompt) { p.Arguments = []prompts.Argument{{Name: "a", Description: "D"}} },
		"argument title": func(p *prompts.Prompt) { p.Arguments = []prompts.Argument{{Name: "a", Title: "A"}} },
		"nothing":        func(*prompts.Prompt) {},
	}
	for first, setFirst := range set {
		for second, setSecond := range set {
			for _, p := range []prompts.Prompt{promptOf[one[string]](), untyped()} {
				setFirst(&p)
				setSecond(&p)
				s := prompts.NewServer(registryOf(p), prompts.Options{})
				entry := func(version string) map[string]any {
					raw, err := s.Call(t.Context(), methodList, nil, prompts.CallOptions{Version: version})
					require.NoError(t, err)
					var list struct{ Prompts []map[string]any }
					require.NoError(t, json.Unmarshal(raw, &list))
					return list.Prompts[0]
				}
				want := entry("2025-11-25")
				delete(want, "icons")
				assert.Equal(t, want, entry("2025-06-18"), "%s and %s", first, second)
				delete(want, "title")
				delete(want, "_meta")
				arguments, _ := want["arguments"].([]any)
				for _, a := range arguments {
					delete(a.(map[string]any), "title")
				}
				assert.Equal(t, want, entry("2024-11-05"), "%s and %s", first, second)
			}
		}
	}
}

// Visible gets the same copy of a prompt each time.
func TestVisibleGetsOneCopy(t *testing.T) {
	t.Parallel()
	seen := make(chan prompts.Prompt, 8)
	declared := prompts.Enum("x")
	s := prompts.NewServer(registryOf(untyped(prompts.Argument{Name: "a", Schema: declared})), prompts.Options{
		Visible: func(_ context.Context, p prompts.Prompt) bool { seen <- p; return true },
	})
	for range cap(seen) {
		go func() { _, _ = s.Call(t.Context(), methodList, nil, prompts.CallOptions{}) }()
	}
	first := <-seen
	for range cap(seen) - 1 {
		assert.Same(t, first.Arguments[0].Schema, (<-seen).Arguments[0].Schema)
	}
	assert.NotSame(t, declared, first.Arguments[0].Schema)
}
