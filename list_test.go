package prompts_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"testing"
	"unicode/utf8"

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

// A string is a cursor if and only if it is the cursor after a name.
func FuzzCursor(f *testing.F) {
	for _, name := range []string{"", "a", "code_review", "é\U0001F600", "a\x00b", "\xff"} {
		f.Add(name)
		f.Add(cursorAfter(name))
		f.Add(cursorAfter(name) + "=")
		f.Add(cursorAfter(name) + "\n")
	}
	f.Add("AQbF2WRjb2RlX3Jldmlldx")
	s := prompts.NewServer(registryOf(textPrompt("b", "")), prompts.Options{})
	isCursor := func(t *testing.T, text string) bool {
		params, err := json.Marshal(map[string]string{"cursor": text})
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Call(t.Context(), methodList, params, prompts.CallOptions{})
		return err == nil
	}
	f.Fuzz(func(t *testing.T, text string) {
		if want := text != "" && utf8.ValidString(text); isCursor(t, cursorAfter(text)) != want {
			t.Fatalf("the cursor after %q is accepted: %t, want %t", text, !want, want)
		}
		if !utf8.ValidString(text) {
			return // JSON has no such string
		}
		name := ""
		if raw, err := base64.RawURLEncoding.DecodeString(text); err == nil && len(raw) > 5 {
			name = string(raw[5:])
		}
		if want := name != "" && utf8.ValidString(name) && text == cursorAfter(name); isCursor(t, text) != want {
			t.Fatalf("the cursor %q is accepted: %t, want %t", text, !want, want)
		}
	})
}
