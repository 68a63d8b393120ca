package prompts_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
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

// Whatever is no cursor of ours, or not quite one, is refused, and so is one of
// a form that is not good any more, such as another version (PAG-06, PAG-07,
// GAP-23).
func TestBadCursors(t *testing.T) {
	t.Parallel()
	good := cursorAfter("code_review")
	raw, err := base64.RawURLEncoding.DecodeString(good)
	require.NoError(t, err)
	encode := base64.RawURLEncoding.EncodeToString
	changed := func(at int, b byte) string {
		c := append([]byte(nil), raw...)
		c[at] = b
		return encode(c)
	}
	bad := map[string]string{
		"empty": "", "space": " ", "not base64": "!!!", "truncated": good[:len(good)-2], "truncated by a character": good[:len(good)-1], "extended": good + "AA",
		"padded": good + "=", "standard alphabet": strings.ReplaceAll(cursorAfter("\u07ff\u07ff"), "_", "/"), "newline inside": good[:4] + "\n" + good[4:], "carriage return behind": good + "\r",
		"space behind": good + " ", "trailing bits": good[:len(good)-1] + "x", "version 0": changed(0, 0), "version 2": changed(0, 2), "checksum": changed(2, raw[2]^1), "name": changed(9, 'x'),
		"only a version": encode(raw[:1]), "no name": cursorAfter(""), "a name in UTF-16": cursorAfter("\xff\xfea\x00"), "a plain name": "code_review", "a number": "1", "a very long one": strings.Repeat("A", 100_000),
	}
	var r prompts.Registry
	srv := prompts.NewServer(&r, prompts.Options{})
	for what, cursor := range bad {
		_, err := srv.Call(context.Background(), "prompts/list", json.RawMessage(`{"cursor":`+jsonText(cursor)+`}`), prompts.CallOptions{})
		assert.Equal(t, jsonText(invalidParam("cursor", "cursor is not one that this server has given")), jsonText(err), what)
	}
	for _, params := range []string{`{"cursor":1}`, `{"cursor":true}`, `{"cursor":[]}`, `{"cursor":{}}`} {
		_, err := srv.Call(context.Background(), "prompts/list", json.RawMessage(params), prompts.CallOptions{})
		assert.Equal(t, jsonText(invalidParam("cursor", "cursor must be a string")), jsonText(err), params)
	}
	_, err = srv.Call(context.Background(), "prompts/list", json.RawMessage(`{"Cursor":"x"}`), prompts.CallOptions{})
	assert.ErrorContains(t, err, `"Cursor" must be written "cursor"`)
	for _, params := range []json.RawMessage{nil, json.RawMessage(`{}`), json.RawMessage(`{"cursor":null}`), json.RawMessage(`{"other":1}`)} {
		got, err := srv.Call(context.Background(), "prompts/list", params, prompts.CallOptions{})
		assert.NoError(t, err)
		assert.Equal(t, `{"prompts":[]}`, string(got))
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

// A cursor is a position between names. It stays right while prompts come and
// go on either side of it, its own among them (PAG-04, PAG-05).
func TestPagesWhileChanging(t *testing.T) {
	t.Parallel()
	r := numbered(6)
	first := pageOf(t, r, 2, "")
	assert.Equal(t, []string{"p000", "p001"}, first.names)
	assert.Equal(t, cursorAfter("p001"), first.next)

	r.Remove("p001")
	assert.Equal(t, []string{"p002", "p003"}, pageOf(t, r, 2, first.next).names, "its own prompt is gone")
	r.MustAdd(barePrompt("a", ""), barePrompt("p000a", ""))
	assert.Equal(t, []string{"p002", "p003"}, pageOf(t, r, 2, first.next).names, "new ones before it")
	r.MustAdd(barePrompt("p001a", ""))
	assert.Equal(t, []string{"p001a", "p002"}, pageOf(t, r, 2, first.next).names, "a new one behind it")
	require.NoError(t, r.Set(barePrompt("p002", "new")))
	assert.Equal(t, []string{"p001a", "p002"}, pageOf(t, r, 2, first.next).names)

	last := pageOf(t, r, 100, cursorAfter("p005"))
	assert.Equal(t, page{}, last, "behind the last one")
	assert.Equal(t, page{names: []string{"p005"}}, pageOf(t, r, 1, cursorAfter("p004")), "the last one fills its page")
	assert.Equal(t, page{}, pageOf(t, new(prompts.Registry), 1, first.next), "another server's cursor")
	assert.Equal(t, "a", pageOf(t, r, 1, cursorAfter("\x00")).names[0], "a name that no prompt can have")
}
