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
		p := pageOf(t, prompts.NewServer(r, prompts.Options{}), "", "", cursor)
		assert.Equal(t, []string{"\U0010ffff"}, p.names())
		assert.Nil(t, p.Next)
	}
}

// listedPage is a page of prompts/list.
type listedPage struct {
	Prompts []struct{ Name string }
	Next    *string `json:"nextCursor"`
	Scope   string  `json:"cacheScope"`
	TTL     *int    `json:"ttlMs"`
}

func (p listedPage) names() (names []string) {
	for _, prompt := range p.Prompts {
		names = append(names, prompt.Name)
	}
	return names
}

// pageOf returns the page after a cursor that a client of a rank gets in a version, and
// holds it to PRL-02, PAG-03 and PAG-08. A cursor names the last prompt of its page, which
// the client may see.
func pageOf(t testing.TB, s *prompts.Server, who, version, cursor string) (p listedPage) {
	t.Helper()
	params := json.RawMessage(`{}`)
	if cursor != "" {
		params = json.RawMessage(`{"cursor":` + jsonText(cursor) + `}`)
	}
	raw, err := s.Call(context.WithValue(context.Background(), rank{}, who), methodList, params, prompts.CallOptions{Version: version})
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &p))
	require.NotNil(t, p.Prompts)
	if p.Next != nil {
		require.Equal(t, cursorAfter(p.names()[len(p.Prompts)-1]), *p.Next)
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
			s := prompts.NewServer(r, prompts.Options{PageSize: size})
			p := pageOf(t, s, "", "", "")
			all, pages := p.names(), 1
			for ; p.Next != nil; pages++ {
				assert.Len(t, p.Prompts, size)
				p = pageOf(t, s, "", "", *p.Next)
				all = append(all, p.names()...)
			}
			assert.Equal(t, namesOf(r), all)
			assert.Equal(t, max(1, (n+size-1)/size), pages, "%d by %d: no page is empty but the only one", n, size)
		}
	}
	assert.Len(t, pageOf(t, prompts.NewServer(numbered(150), prompts.Options{}), "", "", "").Prompts, defaultPageSize)
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
