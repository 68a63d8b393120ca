package promptskills_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/promptskills"
	"github.com/mcp-prompts/prompts/transport"
)

// SKL-05, SKL-07 to SKL-14, SKL-17, SKL-18, SKL-20, SKL-25: entries of nested skills are flat, and
// the outer entry has the files of the inner skill; each file reads as its digest
// says, in every version.
func TestSkillsOfAServer(t *testing.T) {
	t.Parallel()
	var reg promptskills.Registry
	outer := skill("a/outer", "x y.bin", "\xff\x00", "ref/crlf.txt", "a\r\nb\u2028\ufeff")
	require.NoError(t, reg.Add(outer, skill("a/outer/in/inner", "z.py", ""), skill("b")))
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			c := serve(t, &reg, version, promptskills.Options{PageSize: 2})
			first := call[listed](t, c, "skills/list", struct{}{})
			require.Len(t, first.Skills, 2)
			second := call[listed](t, c, "skills/list", map[string]string{"cursor": first.NextCursor})
			assert.Empty(t, second.NextCursor)
			all := append(first.Skills, second.Skills...)
			require.Len(t, all, 3)
			assert.Equal(t, "skill://a/outer/SKILL.md", all[0].URI)
			assert.Equal(t, map[string]any{"name": "outer", "description": "Does outer"}, all[0].Frontmatter)
			files := all[0].files(t)
			assert.Len(t, files, 5)
			assert.Equal(t, sum("\xff\x00"), files["skill://a/outer/x%20y.bin"])
			assert.Len(t, all[1].files(t), 2)
			for _, m := range all {
				assert.Equal(t, m, call[struct{ Skill manifest }](t, c, "skills/get", uri{URI: m.URI}).Skill)
				for u, want := range m.files(t) {
					assert.Equal(t, want, sum(readText(t, c, u)), u)
				}
			}
			var names []string
			for cursor := any(nil); ; {
				page := call[listed](t, c, "resources/list", map[string]any{"cursor": cursor})
				for _, r := range page.Resources {
					names = append(names, r["uri"].(string))
					if r["name"] == "outer" {
						assert.Equal(t, "text/markdown", r["mimeType"])
						assert.Equal(t, "Does outer", r["description"])
					}
				}
				if page.NextCursor == "" {
					break
				}
				cursor = page.NextCursor
			}
			assert.Equal(t, []string{
				"skill://a/outer/SKILL.md", "skill://a/outer/ref/crlf.txt", "skill://a/outer/x%20y.bin",
				"skill://a/outer/in/inner/SKILL.md", "skill://a/outer/in/inner/z.py", "skill://b/SKILL.md",
			}, names)
			raw, err := c.Call("skills/list", struct{}{})
			assert.NoError(t, err)
			assert.Equal(t, version == "2026-07-28", strings.Contains(string(raw), `"ttlMs":0,"cacheScope":"private"`))
			assert.Equal(t, version == "2026-07-28", strings.Contains(string(raw), `"resultType":"complete"`))
		})
	}
}

// SKL-23, SKL-24: a directory has its direct children, in pages.
func TestDirectories(t *testing.T) {
	t.Parallel()
	var reg promptskills.Registry
	require.NoError(t, reg.Add(skill("a/s", "t/1", "", "t/2", "", "t/u/3", "", "t-v", ""), skill("a/s/t/n"), skill("a/s-2"), skill("a/s/x")))
	c := serve(t, &reg, "", promptskills.Options{PageSize: 3})
	for directory, want := range map[string][]string{
		"skill://a":           {"s/", "s-2/"},
		"skill://a/s":         {"SKILL.md", "t/", "t-v", "x/"},
		"skill://a/s/t":       {"1", "2", "n/", "u/"},
		"skill://a/s/t/u":     {"3"},
		"skill://a/s/t/n":     {"SKILL.md"},
		"skill://%61/%73/t/u": {"3"},
	} {
		var got []string
		for cursor := ""; ; {
			page := call[listed](t, c, "resources/directory/read", uri{directory, cursor})
			assert.LessOrEqual(t, len(page.Resources), 3)
			for _, r := range page.Resources {
				name := r["uri"].(string)
				name = name[strings.LastIndexByte(name, '/')+1:]
				if r["mimeType"] == "inode/directory" {
					assert.Equal(t, name, r["name"])
					name += "/"
				}
				got = append(got, name)
			}
			if cursor = page.NextCursor; cursor == "" {
				break
			}
		}
		assert.ElementsMatch(t, want, got, directory)
	}
}

// SKL-19, SKL-21, SKL-22, SKL-27: what does not exist, or is of another kind, has the
// error of its version.
func TestErrors(t *testing.T) {
	t.Parallel()
	var reg promptskills.Registry
	require.NoError(t, reg.Add(skill("a/s", "t/1", "1"), skill("b")))
	for _, version := range versions {
		missing := transport.Code(-32002)
		if version == "2026-07-28" {
			missing = -32602
		}
		c := serve(t, &reg, version, promptskills.Options{PageSize: 1})
		page := call[listed](t, c, "skills/list", struct{}{}).NextCursor
		children := call[listed](t, c, "resources/directory/read", uri{URI: "skill://a/s"}).NextCursor
		for _, test := range []struct {
			method string
			params any
			code   transport.Code
		}{
			{"skills/get", uri{URI: "skill://none/SKILL.md"}, -32602},
			{"skills/get", uri{URI: "skill://a/s"}, -32602},
			{"skills/get", uri{URI: "skill://a/s/t/1"}, -32602},
			{"skills/get", uri{URI: "SKILL://a/s/SKILL.md"}, -32602},
			{"skills/get", struct{}{}, -32602},
			{"skills/get", map[string]any{"uri": 1}, -32602},
			{"skills/get", map[string]any{"uri": nil}, -32602},
			{"skills/get", map[string]any{"URI": "skill://a/s/SKILL.md"}, -32602},
			{"resources/read", uri{URI: "skill://a/s/none"}, missing},
			{"resources/read", uri{URI: "skill://none/SKILL.md"}, missing},
			{"resources/read", uri{URI: "https://a/s/SKILL.md"}, missing},
			{"resources/read", uri{URI: "file:///etc/passwd"}, missing},
			{"resources/read", uri{URI: "skill://a/s"}, -32602},
			{"resources/read", uri{URI: "skill://a/s/t"}, -32602},
			{"resources/read", uri{URI: "skill://a"}, -32602},
			{"resources/read", uri{URI: "skill://a/s/t/../SKILL.md"}, -32602},
			{"resources/read", uri{URI: "skill://a/s/%2e%2e/s/SKILL.md"}, -32602},
			{"resources/read", uri{URI: "skill://a/s/t%2F1"}, -32602},
			{"resources/read", uri{URI: "skill://a/s/t%5c1"}, -32602},
			{"resources/read", uri{URI: "skill://a/s/SKILL.md%00"}, -32602},
			{"resources/read", uri{URI: "skill://a//s/SKILL.md"}, -32602},
			{"resources/read", uri{URI: "skill://a/s/SKILL.md/"}, -32602},
			{"resources/read", uri{URI: "skill://a/s/SKILL.md?x"}, -32602},
			{"resources/read", uri{URI: "skill://a/s/SKILL.md#x"}, -32602},
			{"resources/read", uri{URI: "skill://a/s/%zz"}, -32602},
			{"resources/read", uri{URI: "skill://a/s/%f"}, -32602},
			{"resources/read", uri{URI: "skill://"}, -32602},
			{"resources/directory/read", uri{URI: "skill://a/s/SKILL.md"}, -32602},
			{"resources/directory/read", uri{URI: "skill://none"}, -32602},
			{"resources/directory/read", uri{URI: "skill://"}, -32602},
			{"resources/directory/read", uri{URI: "file:///etc"}, -32602},
			{"resources/directory/read", uri{URI: "skill://a/s/"}, -32602},
			{"skills/list", map[string]any{"cursor": children}, -32602},
			{"skills/list", map[string]any{"cursor": 1}, -32602},
			{"skills/list", map[string]any{"cursor": ""}, -32602},
			{"skills/list", map[string]any{"Cursor": page}, -32602},
			{"resources/list", map[string]any{"cursor": page}, -32602},
			{"resources/templates/list", map[string]any{"cursor": page}, -32602},
			{"resources/directory/read", uri{"skill://a/s", page}, -32602},
			{"resources/directory/read", uri{"skill://a/s/t", children}, -32602},
			{"prompts/list", map[string]any{"cursor": page}, -32602},
		} {
			refusal := refused(t, c, test.method, test.params)
			assert.Equal(t, test.code, refusal.Code, "%v: %s", test, refusal)
			if u, ok := test.params.(uri); ok && u.Cursor == "" {
				data, _ := refusal.Data.(map[string]any)
				assert.Equal(t, u.URI, data["uri"], "%v", test)
			}
		}
	}
}

// A hidden skill exists in no request, and its files are in no other entry.
func TestHiddenSkills(t *testing.T) {
	t.Parallel()
	var reg promptskills.Registry
	require.NoError(t, reg.Add(skill("a"), skill("a/b/hidden", "x", "secret"), skill("hidden"), skill("z/hidden")))
	c := serve(t, &reg, "", promptskills.Options{
		ClientCache: feature.ClientCache{Public: true},
		Visible: func(_ context.Context, s promptskills.Skill) (bool, error) {
			return !strings.HasSuffix(s.Path, "hidden"), nil
		},
	})
	raw, err := c.Call("skills/list", struct{}{})
	require.NoError(t, err)
	assert.Contains(t, string(raw), `"cacheScope":"private"`)
	for _, method := range []string{"skills/list", "resources/list"} {
		raw, err := c.Call(method, struct{}{})
		require.NoError(t, err)
		assert.NotContains(t, string(raw), "hidden")
		assert.Contains(t, string(raw), "skill://a/SKILL.md")
	}
	raw, err = c.Call("skills/get", uri{URI: "skill://a/SKILL.md"})
	require.NoError(t, err)
	assert.NotContains(t, string(raw), "hidden")
	raw, err = c.Call("resources/directory/read", uri{URI: "skill://a"})
	require.NoError(t, err)
	assert.NotContains(t, string(raw), `"b"`)
	for method, uris := range map[string][]string{
		"skills/get":               {"skill://hidden/SKILL.md", "skill://a/b/hidden/SKILL.md"},
		"resources/read":           {"skill://hidden/SKILL.md", "skill://a/b/hidden/x"},
		"resources/directory/read": {"skill://hidden", "skill://a/b", "skill://a/b/hidden", "skill://z"},
	} {
		for _, u := range uris {
			none := refused(t, c, method, uri{URI: strings.NewReplacer("hidden", "nowher", "b", "y", "z", "y").Replace(u)})
			assert.Equal(t, none.Code, refused(t, c, method, uri{URI: u}).Code)
		}
	}
}

// SKL-15: a skill that is generated publishes no digests, nor does one above it.
func TestDynamicSkills(t *testing.T) {
	t.Parallel()
	var reg promptskills.Registry
	dynamic := skill("a/daily")
	dynamic.Files = nil
	dynamic.Dynamic = func(context.Context) (fs.FS, error) {
		return fstest.MapFS{"SKILL.md": {Data: []byte("now")}, "d/x": {Data: []byte("x")}}, nil
	}
	require.NoError(t, reg.Add(skill("a"), dynamic))
	c := serve(t, &reg, "", promptskills.Options{})
	for _, m := range call[listed](t, c, "skills/list", struct{}{}).Skills {
		assert.Equal(t, `"dynamic"`, string(m.Resources))
	}
	assert.Equal(t, "now", readText(t, c, "skill://a/daily/SKILL.md"))
	assert.Equal(t, "x", readText(t, c, "skill://a/daily/d/x"))
	assert.Len(t, call[listed](t, c, "resources/directory/read", uri{URI: "skill://a/daily"}).Resources, 2)
	assert.Len(t, call[listed](t, c, "resources/directory/read", uri{URI: "skill://a/daily/d"}).Resources, 1)
	for method, u := range map[string]string{"resources/read": "skill://a/daily/d", "resources/directory/read": "skill://a/daily/d/x"} {
		refusal := refused(t, c, method, uri{URI: u})
		assert.Equal(t, prompts.CodeInvalidParams, refusal.Code)
	}
}

// A file of a dynamic skill that is not regular, or too large, is an error of the server.
func TestDynamicSkillWithoutRegularFiles(t *testing.T) {
	t.Parallel()
	var reg promptskills.Registry
	dynamic := skill("a")
	dynamic.Files = nil
	dynamic.Dynamic = func(context.Context) (fs.FS, error) {
		return fstest.MapFS{
			"pipe":    {Data: []byte("x"), Mode: fs.ModeNamedPipe},
			"device":  {Data: []byte("x"), Mode: fs.ModeDevice},
			"largest": {Data: make([]byte, promptskills.MaxBytes)},
			"large":   {Data: make([]byte, promptskills.MaxBytes+1)},
		}, nil
	}
	require.NoError(t, reg.Add(dynamic))
	c := serve(t, &reg, "", promptskills.Options{})
	for name, code := range map[string]transport.Code{"pipe": prompts.CodeInternalError, "device": prompts.CodeInternalError, "large": prompts.CodeInternalError, "none": prompts.CodeInvalidParams, "largest": 0} {
		if code != 0 {
			assert.Equal(t, code, refused(t, c, "resources/read", uri{URI: "skill://a/" + name}).Code, name)
			continue
		}
		_, err := c.Call("resources/read", uri{URI: "skill://a/" + name})
		assert.NoError(t, err, name)
	}
}

// SKL-01, SKL-02, SKL-03: the capabilities are declared in every version.
func TestCapabilities(t *testing.T) {
	t.Parallel()
	srv := newServer(new(promptskills.Registry), promptskills.Options{})
	raw, err := json.Marshal(srv.Capabilities("2025-11-25"))
	require.NoError(t, err)
	assert.JSONEq(t, `{"prompts":{"listChanged":true},"completions":{},"resources":{"listChanged":true,"subscribe":true},"extensions":{"io.modelcontextprotocol/skills":{"directoryRead":true}}}`, string(raw))
	assert.Subset(t, srv.Methods(), []string{"skills/list", "skills/get", "resources/read", "resources/directory/read"})
}

// A file of any size that a skill may have is read whole.
func TestLargeFiles(t *testing.T) {
	t.Parallel()
	var reg promptskills.Registry
	text := strings.Repeat("é\n\x01", 1_000_000)
	require.NoError(t, reg.Add(skill("a", "text", text, "binary", "\xff"+text)))
	c := serve(t, &reg, "", promptskills.Options{})
	assert.Equal(t, sum(text), sum(readText(t, c, "skill://a/text")))
	assert.Equal(t, sum("\xff"+text), sum(readText(t, c, "skill://a/binary")))
}

// A page has 1 MiB of entries, and a larger entry is a page of its own.
func TestLargePages(t *testing.T) {
	t.Parallel()
	var reg promptskills.Registry
	for i, size := range []int{10, 2 << 20, 500_000, 500_000, 100_000, 10} {
		s := skill(fmt.Sprint("s", i))
		s.Frontmatter = json.RawMessage(fmt.Sprintf(`{"name":"s%d","description":"x","metadata":{"x":"%s"}}`, i, strings.Repeat("x", size)))
		require.NoError(t, reg.Add(s))
	}
	c := serve(t, &reg, "2025-11-25", promptskills.Options{})
	var pages [][]string
	for params := (map[string]string{}); ; {
		page := call[listed](t, c, "skills/list", params)
		var names []string
		for _, s := range page.Skills {
			names = append(names, s.Frontmatter["name"].(string))
		}
		pages = append(pages, names)
		if page.NextCursor == "" {
			break
		}
		params = map[string]string{"cursor": page.NextCursor}
	}
	assert.Equal(t, [][]string{{"s0"}, {"s1"}, {"s2", "s3"}, {"s4", "s5"}}, pages)
}

func TestInvalidOptions(t *testing.T) {
	t.Parallel()
	_, err := promptskills.New(nil, promptskills.Options{})
	assert.ErrorContains(t, err, "registry is nil")
	_, err = promptskills.New(new(promptskills.Registry), promptskills.Options{PageSize: -1, ClientCache: feature.ClientCache{TTL: -1}})
	assert.ErrorContains(t, err, "PageSize must not be negative")
	assert.ErrorContains(t, err, "ClientCache.TTL must not be negative")
}
