package promptskills_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/promptskills"
	"github.com/mcp-prompts/prompts/prompttest"
	"github.com/mcp-prompts/prompts/transport"
)

var versions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

func serve(t *testing.T, reg *promptskills.Registry, version string, o promptskills.Options) *prompttest.Client {
	return prompttest.Serve(t, newServer(reg, o), prompttest.ClientOptions{Version: version})
}

func newServer(reg *promptskills.Registry, o promptskills.Options) *prompts.Server {
	f, err := promptskills.New(reg, o)
	if err != nil {
		panic(err)
	}
	return prompts.MustNewServer(new(prompts.Registry), prompts.Options{Features: []feature.Feature{f}})
}

// manifest is a Skill of the protocol.
type manifest struct {
	URI         string         `json:"uri"`
	Frontmatter map[string]any `json:"frontmatter"`
	Resources   json.RawMessage
}

func (m manifest) files(t *testing.T) map[string]string {
	var list []struct {
		URI, Digest string
		Size        int
	}
	require.NoError(t, json.Unmarshal(m.Resources, &list))
	files := map[string]string{}
	for _, f := range list {
		assert.NotContains(t, files, f.URI)
		files[f.URI] = fmt.Sprint(f.Digest, " ", f.Size)
	}
	return files
}

// sum is what files returns of a content.
func sum(content string) string {
	return fmt.Sprintf("sha256:%x %d", sha256.Sum256([]byte(content)), len(content))
}

func call[T any](t *testing.T, c *prompttest.Client, method string, params any) T {
	t.Helper()
	var v T
	raw, err := c.Call(method, params)
	require.Nil(t, err, "%s %v", method, params)
	require.NoError(t, json.Unmarshal(raw, &v))
	return v
}

type uri struct {
	URI    string `json:"uri"`
	Cursor string `json:"cursor,omitempty"`
}

type listed struct {
	Skills     []manifest
	Resources  []map[string]any
	NextCursor string
}

func readText(t *testing.T, c *prompttest.Client, u string) string {
	t.Helper()
	r := call[struct {
		Contents []struct{ URI, Text, Blob, MIMEType string }
	}](t, c, "resources/read", uri{URI: u})
	require.Len(t, r.Contents, 1)
	assert.Equal(t, u, r.Contents[0].URI)
	if r.Contents[0].Blob != "" {
		blob, err := base64.StdEncoding.DecodeString(r.Contents[0].Blob)
		require.NoError(t, err)
		return string(blob)
	}
	return r.Contents[0].Text
}

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
			assert.Nil(t, err)
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
		missing := prompts.Code(-32002)
		if version == "2026-07-28" {
			missing = -32602
		}
		c := serve(t, &reg, version, promptskills.Options{PageSize: 1})
		page := call[listed](t, c, "skills/list", struct{}{}).NextCursor
		children := call[listed](t, c, "resources/directory/read", uri{URI: "skill://a/s"}).NextCursor
		for _, test := range []struct {
			method string
			params any
			code   prompts.Code
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
			_, err := c.Call(test.method, test.params)
			if assert.NotNil(t, err, "%v", test) {
				assert.Equal(t, test.code, err.Code, "%v: %s", test, err)
			}
			if u, ok := test.params.(uri); ok && err != nil && u.Cursor == "" {
				data, _ := err.Data.(map[string]any)
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
		CachePublic: true,
		Visible:     func(_ context.Context, s promptskills.Skill) bool { return !strings.HasSuffix(s.Path, "hidden") },
	})
	raw, err := c.Call("skills/list", struct{}{})
	require.Nil(t, err)
	assert.Contains(t, string(raw), `"cacheScope":"private"`)
	for _, method := range []string{"skills/list", "resources/list"} {
		raw, err := c.Call(method, struct{}{})
		require.Nil(t, err)
		assert.NotContains(t, string(raw), "hidden")
		assert.Contains(t, string(raw), "skill://a/SKILL.md")
	}
	raw, err = c.Call("skills/get", uri{URI: "skill://a/SKILL.md"})
	require.Nil(t, err)
	assert.NotContains(t, string(raw), "hidden")
	raw, err = c.Call("resources/directory/read", uri{URI: "skill://a"})
	require.Nil(t, err)
	assert.NotContains(t, string(raw), `"b"`)
	for method, uris := range map[string][]string{
		"skills/get":               {"skill://hidden/SKILL.md", "skill://a/b/hidden/SKILL.md"},
		"resources/read":           {"skill://hidden/SKILL.md", "skill://a/b/hidden/x"},
		"resources/directory/read": {"skill://hidden", "skill://a/b", "skill://a/b/hidden", "skill://z"},
	} {
		for _, u := range uris {
			_, hidden := c.Call(method, uri{URI: u})
			_, none := c.Call(method, uri{URI: strings.NewReplacer("hidden", "nowher", "b", "y", "z", "y").Replace(u)})
			require.NotNil(t, hidden, u)
			require.NotNil(t, none, u)
			assert.Equal(t, none.Code, hidden.Code)
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
		_, err := c.Call(method, uri{URI: u})
		require.NotNil(t, err)
		assert.Equal(t, prompts.CodeInvalidParams, err.Code)
	}
}

// SKL-25: a client reads what its list names until it gets the list or the entry
// again, for as long as the registry retains it; other clients do not.
func TestReadsFollowTheList(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var reg promptskills.Registry
		version := func(n string) promptskills.Skill { return skill("a", "x", n) }
		require.NoError(t, reg.Add(version("1"), skill("b", "y", "1")))
		srv := newServer(&reg, promptskills.Options{})
		connect := func(version string) *prompttest.Client {
			return prompttest.Serve(t, srv, prompttest.ClientOptions{Version: version, Timeout: time.Hour})
		}
		one, two, three := connect(""), connect("2026-07-28"), connect("2025-11-25")
		call[listed](t, one, "skills/list", struct{}{})
		call[listed](t, two, "skills/list", struct{}{})
		require.NoError(t, reg.Set(version("2"), skill("b", "y", "2")))
		assert.Equal(t, "1", readText(t, one, "skill://a/x"))
		assert.Equal(t, "1", readText(t, two, "skill://a/x"))
		assert.Equal(t, "2", readText(t, three, "skill://a/x"), "which has no list")
		assert.Equal(t, sum("2"), call[struct{ Skill manifest }](t, one, "skills/get", uri{URI: "skill://a/SKILL.md"}).Skill.files(t)["skill://a/x"])
		assert.Equal(t, "2", readText(t, one, "skill://a/x"))
		assert.Equal(t, "1", readText(t, one, "skill://b/y"), "of which it has not asked for the entry")
		assert.Equal(t, "1", readText(t, two, "skill://a/x"))
		require.NoError(t, reg.Set(version("3")))
		assert.Equal(t, "2", readText(t, one, "skill://a/x"))
		call[listed](t, one, "skills/list", struct{}{})
		assert.Equal(t, "3", readText(t, one, "skill://a/x"))
		assert.Equal(t, "1", readText(t, two, "skill://a/x"))
		assert.True(t, reg.Remove("a"))
		assert.Equal(t, "3", readText(t, one, "skill://a/x"))
		// Past the time and not at it, when the order of two timers is open.
		time.Sleep(time.Minute + time.Second)
		_, err := one.Call("resources/read", uri{URI: "skill://a/x"})
		require.NotNil(t, err)
		assert.Equal(t, "2", readText(t, two, "skill://b/y"), "after the time of Retain")
		for _, c := range []*prompttest.Client{one, two, three} {
			c.Close()
		}
	})
}

// SKL-26, SUB-06: a client that has subscribed to a file hears of its
// changes, and reads the new content then.
func TestSubscriptionsToFiles(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2024-11-05", "2025-11-25"} {
		synctest.Test(t, func(t *testing.T) {
			var reg promptskills.Registry
			require.NoError(t, reg.Add(skill("a", "x", "1", "y", "1")))
			c := serve(t, &reg, version, promptskills.Options{})
			call[listed](t, c, "skills/list", struct{}{})
			for range 2 {
				call[struct{}](t, c, "resources/subscribe", uri{URI: "skill://a/x"})
			}
			_, err := c.Call("resources/subscribe", uri{URI: "skill://a/none"})
			require.NotNil(t, err)
			assert.Equal(t, prompts.Code(-32002), err.Code)
			require.NoError(t, reg.Set(skill("a", "x", "1", "y", "2")))
			assert.Equal(t, `{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}`, c.Receive())
			require.NoError(t, reg.Set(skill("a", "x", "2", "y", "2")))
			assert.ElementsMatch(t, []string{
				`{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}`,
				`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"skill://a/x"}}`,
			}, []string{c.Receive(), c.Receive()})
			assert.Equal(t, "2", readText(t, c, "skill://a/x"))
			assert.Equal(t, "1", readText(t, c, "skill://a/y"))
			for range 2 {
				call[struct{}](t, c, "resources/unsubscribe", uri{URI: "skill://a/x"})
			}
			require.NoError(t, reg.Set(skill("a", "x", "3")))
			assert.Contains(t, c.Receive(), "list_changed")
			time.Sleep(time.Second)
			require.NoError(t, reg.Set(skill("a", "x", "4")))
			assert.Contains(t, c.Receive(), "list_changed")
			c.Close()
		})
	}
	synctest.Test(t, func(t *testing.T) {
		var reg promptskills.Registry
		require.NoError(t, reg.Add(skill("a", "x", "1")))
		c := serve(t, &reg, "2026-07-28", promptskills.Options{})
		_, err := c.Call("resources/subscribe", uri{URI: "skill://a/x"})
		require.NotNil(t, err)
		assert.Equal(t, prompts.CodeMethodNotFound, err.Code)
		c.Send(`{"jsonrpc":"2.0","id":"s","method":"subscriptions/listen","params":{"notifications":{"resourcesListChanged":true,"resourceSubscriptions":["skill://a/x","skill://a/none","skill://a/x"]},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`)
		const meta = `"_meta":{"io.modelcontextprotocol/subscriptionId":"s"}`
		assert.Equal(t, `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{`+meta+`,"notifications":{"resourcesListChanged":true,"resourceSubscriptions":["skill://a/x"]}}}`, c.Receive())
		assert.True(t, reg.Remove("a"))
		assert.ElementsMatch(t, []string{
			`{"jsonrpc":"2.0","method":"notifications/resources/list_changed","params":{` + meta + `}}`,
			`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{` + meta + `,"uri":"skill://a/x"}}`,
		}, []string{c.Receive(), c.Receive()})
		c.Send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"s"}}`)
		c.Close()
	})
}

// The application's resources are beside the skills'.
func TestResourcesOfTheApplication(t *testing.T) {
	t.Parallel()
	var reg promptskills.Registry
	require.NoError(t, reg.Add(skill("a")))
	size := int64(3)
	own := promptskills.Resources{
		List: func(context.Context) ([]prompts.ResourceLink, error) {
			return []prompts.ResourceLink{{URI: "test://b", Name: "b", Title: "B"}, {URI: "test://a", Name: "a", Size: &size}}, nil
		},
		Templates: func(context.Context) ([]promptskills.Template, error) {
			return []promptskills.Template{{URITemplate: "test://{b}", Name: "b"}, {URITemplate: "test://{a}", Name: "a", MIMEType: "text/plain"}}, nil
		},
		Read: func(_ context.Context, uri string) ([]prompts.EmbeddedResource, error) {
			switch uri {
			case "test://a":
				return []prompts.EmbeddedResource{{Text: "A", MIMEType: "text/plain"}}, nil
			case "test://secret":
				return nil, fmt.Errorf("the database is down")
			}
			return nil, fmt.Errorf("%w: %s", promptskills.ErrUnknownResource, uri)
		},
	}
	c := serve(t, &reg, "", promptskills.Options{PageSize: 1, Resources: own, CachePublic: true})
	var got []string
	for params := (map[string]any{}); ; {
		page := call[listed](t, c, "resources/list", params)
		for _, r := range page.Resources {
			got = append(got, fmt.Sprint(r["uri"], r["size"]))
		}
		if page.NextCursor == "" {
			break
		}
		params["cursor"] = page.NextCursor
	}
	assert.Equal(t, []string{"test://a3", "test://b<nil>", fmt.Sprint("skill://a/SKILL.md", len(skill("a").Files["SKILL.md"]))}, got)
	assert.Equal(t, "A", readText(t, c, "test://a"))
	raw, err := c.Call("resources/templates/list", struct{}{})
	require.Nil(t, err)
	assert.Contains(t, string(raw), `{"resourceTemplates":[{"uriTemplate":"test://{a}","name":"a","mimeType":"text/plain"}],"nextCursor":`)
	assert.Contains(t, string(raw), `"cacheScope":"private"`)
	_, err = c.Call("resources/read", uri{URI: "test://none"})
	require.NotNil(t, err)
	assert.Equal(t, `unknown resource "test://none"`, err.Message)
	_, err = c.Call("resources/read", uri{URI: "test://secret"})
	require.NotNil(t, err)
	assert.Equal(t, prompts.CodeInternalError, err.Code)
	assert.Contains(t, err.Message, "internal error: resources/read failed (error id ")
}

// The application notifies of changes of its resources, as long as a client listens.
func TestChangesOfTheApplicationsResources(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var listChanged, changed func()
		open := map[string]int{}
		own := promptskills.Resources{
			Changed: func(f func()) (cancel func()) {
				listChanged = f
				open["list"]++
				return func() { open["list"]-- }
			},
			Subscribe: func(_ context.Context, uri string, f func()) (cancel func(), err error) {
				if uri != "test://a" {
					return nil, fmt.Errorf("%w: %s", promptskills.ErrUnknownResource, uri)
				}
				changed = f
				open[uri]++
				return func() { open[uri]-- }, nil
			},
		}
		const updated = `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"test://a"}}`
		c := serve(t, new(promptskills.Registry), "2025-11-25", promptskills.Options{Resources: own})
		listChanged()
		assert.Equal(t, `{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}`, c.Receive())
		_, err := c.Call("resources/subscribe", uri{URI: "test://b"})
		require.NotNil(t, err)
		assert.Equal(t, `unknown resource "test://b"`, err.Message)
		call[struct{}](t, c, "resources/subscribe", uri{URI: "test://a"})
		changed()
		assert.Equal(t, updated, c.Receive())
		call[struct{}](t, c, "resources/unsubscribe", uri{URI: "test://a"})
		synctest.Wait()
		assert.Equal(t, map[string]int{"list": 1, "test://a": 0}, open)
		call[struct{}](t, c, "resources/subscribe", uri{URI: "test://a"})
		c.Close()
		synctest.Wait()
		assert.Equal(t, map[string]int{"list": 0, "test://a": 0}, open)
	})
}

// SKL-01, SKL-02, SKL-03: the capabilities are declared in every version.
func TestCapabilities(t *testing.T) {
	t.Parallel()
	srv := newServer(new(promptskills.Registry), promptskills.Options{})
	raw, err := json.Marshal(srv.Capabilities())
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

// What is remembered of clients is bounded: one that is forgotten reads the
// current files.
func TestManyClients(t *testing.T) {
	t.Parallel()
	var reg promptskills.Registry
	require.NoError(t, reg.Add(skill("a", "x", "1")))
	srv := newServer(&reg, promptskills.Options{})
	handle := func(key, method, params string) string {
		var response string
		err := srv.Handle(t.Context(), fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`, method, params),
			transport.Exchange{ClientKey: key, Send: func(msg []byte, _ transport.Code, _ bool) error { response = string(msg); return nil }})
		require.NoError(t, err)
		return response
	}
	const readX = `"uri":"skill://a/x",`
	handle("first", "skills/list", "")
	handle("", "skills/list", "")
	require.NoError(t, reg.Set(skill("a", "x", "2")))
	assert.Contains(t, handle("first", "resources/read", readX), `"text":"1"`)
	assert.Contains(t, handle("", "resources/read", readX), `"text":"2"`, "a client that is not identified")
	for i := range 10_000 {
		handle(fmt.Sprint(i), "skills/list", "")
	}
	assert.Contains(t, handle("first", "resources/read", readX), `"text":"2"`)
	last := fmt.Sprint(9_999)
	require.NoError(t, reg.Set(skill("a", "x", "3")))
	assert.Contains(t, handle(last, "resources/read", readX), `"text":"2"`)
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

// A session has a bounded number of subscriptions to resources.
func TestManySubscriptions(t *testing.T) {
	t.Parallel()
	var skills []promptskills.Skill
	for i := range 3 {
		s := skill(fmt.Sprint("s", i))
		for j := range 400 {
			s.Files[fmt.Sprint(j)] = nil
		}
		skills = append(skills, s)
	}
	var reg promptskills.Registry
	require.NoError(t, reg.Add(skills...))
	c := serve(t, &reg, "2025-11-25", promptskills.Options{})
	n := 0
	for i := range skills {
		for j := range 400 {
			if _, err := c.Call("resources/subscribe", uri{URI: fmt.Sprintf("skill://s%d/%d", i, j)}); err == nil {
				n++
			} else {
				assert.Equal(t, prompts.CodeInternalError, err.Code)
			}
		}
	}
	assert.Equal(t, 1024, n)
	c = serve(t, &reg, "2026-07-28", promptskills.Options{})
	_, err := c.Call("subscriptions/listen", map[string]any{"notifications": map[string]any{"resourceSubscriptions": make([]string, 1025)}})
	require.NotNil(t, err)
	assert.Equal(t, prompts.CodeInvalidParams, err.Code)
}

func TestInvalidOptions(t *testing.T) {
	t.Parallel()
	_, err := promptskills.New(nil, promptskills.Options{})
	assert.ErrorContains(t, err, "registry is nil")
	_, err = promptskills.New(new(promptskills.Registry), promptskills.Options{PageSize: -1, CacheTTL: -1})
	assert.ErrorContains(t, err, "PageSize must not be negative")
	assert.ErrorContains(t, err, "CacheTTL must not be negative")
}
