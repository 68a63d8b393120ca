package prompttools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/prompttest"
	"github.com/mcp-prompts/prompts/prompttools"
)

// No prompt is a tool until it is chosen, by name, by tag or by a function.
func TestSelection(t *testing.T) {
	t.Parallel()
	ps := []prompts.Prompt{textPrompt("a", ""), textPrompt("b", "", "x"), textPrompt("c", "", "y")}
	for name, test := range map[string]struct {
		o    prompttools.Options
		want []string
	}{
		"none":     {prompttools.Options{}, nil},
		"name":     {prompttools.Options{Names: []string{"a", "missing"}}, []string{"a"}},
		"tag":      {prompttools.Options{Tags: []string{"x"}}, []string{"b"}},
		"function": {prompttools.Options{Select: func(p prompts.Prompt) bool { return p.Name > "a" }}, []string{"b", "c"}},
		"any":      {prompttools.Options{Names: []string{"a"}, Tags: []string{"y"}}, []string{"a", "c"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, _ := serve(t, test.o, prompts.Options{}, ps...)
			c := connect(t, srv, "2025-11-25")
			names, _, _ := c.list("")
			assert.Equal(t, test.want, names)
			for _, p := range ps {
				r := c.call(p.Name, "{}")
				if slices.Contains(test.want, p.Name) {
					assert.Zero(t, r.Code)
				} else {
					assert.Equal(t, -32602, r.Code)
					assert.Equal(t, fmt.Sprintf(`unknown tool %q`, p.Name), r.Message)
				}
			}
		})
	}
}

// An entry has what its protocol version has, and the true schema of the arguments.
func TestEntries(t *testing.T) {
	t.Parallel()
	p := reviewPrompt()
	p.Icons = []prompts.Icon{{Src: "https://example.org/i.png"}}
	p.Meta = prompts.Meta{"example.org/a": 1}
	yes, no := true, false
	srv, _ := serve(t, prompttools.Options{Select: all, Annotations: func(prompts.Prompt) *prompttools.ToolAnnotations {
		return &prompttools.ToolAnnotations{Title: "Review", ReadOnlyHint: &no, DestructiveHint: &yes, IdempotentHint: &yes, OpenWorldHint: &no}
	}, Tools: []prompttools.Tool{{Name: "own", OutputSchema: &jsonschema.Schema{Type: "object"}, Call: func(context.Context, json.RawMessage) (*prompttools.Result, error) { return nil, nil }}}}, prompts.Options{}, p)
	members := map[string]string{
		"2024-11-05": "description inputSchema name",
		"2025-03-26": "annotations description inputSchema name",
		"2025-06-18": "_meta annotations description inputSchema name title",
		"2025-11-25": "_meta annotations description icons inputSchema name title",
		"2026-07-28": "_meta annotations description icons inputSchema name title",
	}
	for _, version := range prompttest.Versions() {
		_, entries, _ := connect(t, srv, version).list("")
		require.Len(t, entries, 2)
		var names []string
		for name := range entries[1] {
			names = append(names, name)
		}
		slices.Sort(names)
		assert.Equal(t, members[version], strings.Join(names, " "), version)
		assert.Equal(t, version >= "2025-06-18", entries[0]["outputSchema"] != nil, version)
		schema := entries[1]["inputSchema"].(map[string]any)["properties"].(map[string]any)
		assert.Equal(t, []any{"go", "python"}, schema["language"].(map[string]any)["enum"])
		assert.EqualValues(t, 50, schema["lines"].(map[string]any)["maximum"])
		assert.EqualValues(t, 10, schema["lines"].(map[string]any)["default"])
		if version >= "2025-06-18" {
			assert.Equal(t, map[string]any{"io.github.mcp-prompts/version": "2", "example.org/a": 1.0}, entries[1]["_meta"])
		}
		if version >= "2025-03-26" {
			want := map[string]any{"title": "Review", "readOnlyHint": false, "destructiveHint": true, "idempotentHint": true, "openWorldHint": false}
			assert.Equal(t, want, entries[1]["annotations"], version)
		}
	}
}

// tools/list has pages, whose cursors are those of no other list.
func TestPages(t *testing.T) {
	t.Parallel()
	var ps []prompts.Prompt
	for i := range 5 {
		ps = append(ps, textPrompt(fmt.Sprintf("p%d", i), ""))
	}
	srv, _ := serve(t, prompttools.Options{Select: all, PageSize: 2}, prompts.Options{PageSize: 2}, ps...)
	for _, version := range prompttest.Versions() {
		c := connect(t, srv, version)
		var names []string
		params := ""
		for range 3 {
			page, _, next := c.list(params)
			names = append(names, page...)
			params = fmt.Sprintf(`"cursor":%q`, next)
		}
		assert.Equal(t, []string{"p0", "p1", "p2", "p3", "p4"}, names, version)
		var listed struct{ NextCursor string }
		require.NoError(t, json.Unmarshal([]byte(c.request("prompts/list", "")), &listed))
		for _, cursor := range []string{`""`, `"x"`, `1`, fmt.Sprintf("%q", listed.NextCursor)} {
			assert.Contains(t, c.request("tools/list", `"cursor":`+cursor), `"code":-32602`, cursor)
		}
	}
	ps = nil
	for i := range 1001 {
		ps = append(ps, textPrompt(fmt.Sprintf("p%d", i), ""))
	}
	srv, _ = serve(t, prompttools.Options{Select: all}, prompts.Options{}, ps...)
	page, _, next := connect(t, srv, "").list("")
	assert.Len(t, page, 1000, "some clients read one page only")
	assert.NotEmpty(t, next)
	srv, _ = serve(t, prompttools.Options{Select: all, Pair: &prompttools.Pair{}}, prompts.Options{}, ps...)
	var read struct{ StructuredContent struct{ Prompts []any } }
	raw := connect(t, srv, "").request("tools/call", `"name":"list_prompts"`)
	require.NoError(t, json.Unmarshal([]byte(raw), &read), raw)
	assert.Len(t, read.StructuredContent.Prompts, 100, "a model reads them")
}

// A page has 1 MiB of entries, and a larger entry is a page of its own.
func TestLargePages(t *testing.T) {
	t.Parallel()
	var ps []prompts.Prompt
	for i, size := range []int{10, 2 << 20, 500_000, 500_000, 100_000, 10} {
		p := textPrompt(fmt.Sprintf("p%d", i), "")
		p.Description = strings.Repeat("x", size)
		ps = append(ps, p)
	}
	srv, _ := serve(t, prompttools.Options{Select: all}, prompts.Options{}, ps...)
	c := connect(t, srv, "")
	var pages [][]string
	for params := ""; ; {
		page, _, next := c.list(params)
		pages = append(pages, page)
		if next == "" {
			break
		}
		params = fmt.Sprintf(`"cursor":%q`, next)
	}
	assert.Equal(t, [][]string{{"p0"}, {"p1"}, {"p2", "p3"}, {"p4", "p5"}}, pages)
}

// A name that not all clients accept is mapped, so that each prompt has a tool of its own.
// A clash is an error when the second is added, and nothing changes.
func TestNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 128)
	srv, reg := serve(t, prompttools.Options{Select: all, Tools: []prompttools.Tool{{Name: "own", Call: func(context.Context, json.RawMessage) (*prompttools.Result, error) { return nil, nil }}}},
		prompts.Options{}, textPrompt("code review", "1"), textPrompt("a-c_d", "2"), textPrompt("日", "3"), textPrompt(long, "4"), textPrompt("code/review", "8"))
	c := connect(t, srv, "2026-07-28")
	names, _, _ := c.list("")
	assert.Equal(t, []string{"_x65e5_", "a-c_d", "code_x20_review", "code_x2f_review", "own", long}, names)
	assert.Equal(t, "1", c.call("code_x20_review", "").Content[0].Text)
	assert.Equal(t, "8", c.call("code_x2f_review", "").Content[0].Text)
	assert.Equal(t, -32602, c.call("code review", "").Code)

	assert.EqualError(t, reg.Add(textPrompt("z", ""), textPrompt("own", "")), `prompt "own": tool "own" exists already; rename the prompt`)
	_, ok := reg.Lookup("z")
	assert.False(t, ok, "nothing was added")
	for i, name := range []string{long + "x", long + "y", strings.Repeat("日", 20), strings.Repeat("日", 20) + "本", strings.Repeat("👩‍👩‍👧‍👦", 9)} { // cut
		require.NoError(t, reg.Add(textPrompt(name, fmt.Sprint(10+i))))
		tool := prompttools.ToolName(name)
		assert.LessOrEqual(t, len(tool), 128)
		assert.Equal(t, fmt.Sprint(10+i), c.call(tool, "").Content[0].Text)
	}
	names, _, _ = c.list("")
	assert.Len(t, names, 11)

	lower, same := serve(t, prompttools.Options{Select: all, ToolName: strings.ToLower}, prompts.Options{}, textPrompt("P", "1"))
	c = connect(t, lower, "2026-07-28")
	assert.EqualError(t, same.Add(textPrompt("p", "")), `prompt "p": prompt "P" has the tool "p", too; rename one of the prompts`)
	require.NoError(t, same.Update(func(tx *prompts.Tx) error {
		tx.Remove("P")
		return tx.Add(textPrompt("p", "5"))
	}), "the name is free at the end of the change")
	assert.Equal(t, "5", c.call("p", "").Content[0].Text)
	require.NoError(t, same.Set(textPrompt("p", "6")))
	assert.Equal(t, "6", c.call("p", "").Content[0].Text)
	assert.EqualError(t, same.Set(textPrompt("P", ""), textPrompt("p", "6")), `prompt "P": prompt "p" has the tool "p", too; rename one of the prompts`, "the tool that exists wins")
	assert.True(t, same.Remove("p"))
	require.NoError(t, same.Add(textPrompt("P", "7")))
	assert.Equal(t, "7", c.call("p", "").Content[0].Text)
}

// The names of tools are those of prompts, but for characters that a client may not
// accept and for what looks like their escapes.
func TestToolName(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		"review":     "review",
		"Code-Re_v2": "Code-Re_v2",
		"a b":        "a_x20_b",
		"a/b":        "a_x2f_b",
		"a.b":        "a_x2e_b",
		"über":       "_xfc_ber",
		"🙂":          "_x1f642_",
		"a_b":        "a_b",
		"to_xml":     "to_xml",
		"max_x":      "max_x",
		"max_x2":     "max_x2",
		"_x20":       "_x20",
		"a_x20_b":    "a_x5f_x20_b",
		"_x20_x21_":  "_x5f_x20_x5f_x21_",
		"a_x2 b":     "a_x5f_x2_x20_b",
		"a_x2Ab":     "a_x2Ab",
		"_ _":        "__x20__",
	} {
		assert.Equal(t, want, prompttools.ToolName(prompt), prompt)
	}
}

// Whatever a prompt is named, the name of its tool has only characters that all clients
// accept, and leads back to the name.
func FuzzToolName(f *testing.F) {
	for _, name := range []string{"a b", "_x20_", "_x2_x3_", "_x2 _x20_", "_x_x20_", "日本_x65e5_", "_x5f_x20_"} {
		f.Add(name)
	}
	escape, cut := regexp.MustCompile(`_x([0-9a-f]+)_`), regexp.MustCompile(`_x[0-9a-f]{16}_$`)
	f.Fuzz(func(t *testing.T, prompt string) {
		if !utf8.ValidString(prompt) {
			t.Skip("no registry accepts it")
		}
		tool := prompttools.ToolName(prompt)
		assert.Regexp(t, `^[A-Za-z0-9_-]{0,128}$`, tool)
		if cut.MatchString(tool) {
			return
		}
		back := escape.ReplaceAllStringFunc(tool, func(e string) string {
			r, err := strconv.ParseUint(e[2:len(e)-1], 16, 32)
			require.NoError(t, err)
			return string(rune(r))
		})
		assert.Equal(t, prompt, back, tool)
	})
}
