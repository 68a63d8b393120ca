package gosdk_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/mount/gosdk"
	"github.com/mcp-prompts/prompts/promptskills"
	"github.com/mcp-prompts/prompts/prompttools"
)

// rich is a prompt with everything that an entry can have.
func rich() prompts.Prompt {
	p := says("rich <&> \u2028")
	p.Title, p.Description, p.Version = "Rich", "Has it all", "1.2"
	p.Icons = []prompts.Icon{{Src: "https://example.com/i.png", MIMEType: "image/png", Sizes: []string{"48x48"}, Theme: "dark"}}
	p.Meta = prompts.Meta{"example.com/n": json.Number("12345678901234567890"), "example.com/f": 0.1, "example.com/o": map[string]any{"a": nil}}
	p.Arguments = []prompts.Argument{
		{Name: "lang", Title: "Language", Description: "the language", Required: true, Enum: []string{"go", "python"}},
		{Name: "plain"},
	}
	return p
}

// An entry is as the library's own server has it, in each revision.
func TestEntries(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, revision string) {
		r := registry(rich(), says("bare"))
		s := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, nil)
		mount(t, s, r, prompts.Options{})
		got := dial(t, s, revision).page("")
		raw, err := prompts.MustNewServer(r, prompts.Options{}).Call(t.Context(), "prompts/list", nil, prompts.CallOptions{Version: revision})
		require.NoError(t, err)
		var want page
		require.NoError(t, json.Unmarshal(raw, &want))
		require.Len(t, got.Prompts, 2)
		for i := range want.Prompts {
			assertSame(t, want.Prompts[i], got.Prompts[i])
		}
		assert.Equal(t, revision >= newest, strings.Contains(string(got.Prompts[1]), "icons"))
	})
}

// assertSame wants the same JSON value, its numbers to the last digit.
func assertSame(t *testing.T, want, got json.RawMessage) {
	t.Helper()
	read := func(text json.RawMessage) (v any) {
		d := json.NewDecoder(strings.NewReader(string(text)))
		d.UseNumber()
		require.NoError(t, d.Decode(&v), "%s", text)
		return v
	}
	assert.Equal(t, read(want), read(got))
}

// The pages of both halves follow each other, without repeats.
func TestPages(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, revision string) {
		for size := 1; size <= 6; size++ {
			s := newServer(&mcp.ServerOptions{PageSize: size})
			r := registry()
			var want []string
			for _, name := range []string{"a", "b \"'\\", "own_", strings.Repeat("z", 300), "ü"} {
				r.MustAdd(says(name))
				want = append(want, name)
			}
			s.AddPrompt(&mcp.Prompt{Name: "a0"}, ownPrompt(""))
			mount(t, s, r, prompts.Options{PageSize: size})
			c := dial(t, s, revision)
			assert.Equal(t, append(want, "a0", "own_a", "own_b"), c.names(), "size %d", size)
			for _, name := range want {
				assert.Equal(t, "ours: "+name, c.text(name))
			}
		}
	})
}

// A client that never asks for a second page sees both halves if ours fits one.
func TestOnePage(t *testing.T) {
	t.Parallel()
	s := newServer(nil)
	mount(t, s, registry(says("a")), prompts.Options{})
	p := dial(t, s, newest).page("")
	assert.Equal(t, []string{"a", "own_a", "own_b"}, p.names(t))
	assert.Empty(t, p.NextCursor)
}

func TestBadCursors(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, revision string) {
		s := newServer(&mcp.ServerOptions{PageSize: 1})
		mount(t, s, registry(says("a")), prompts.Options{})
		c := dial(t, s, revision)
		for _, cursor := range []string{"x", "sdk.", "sdk.x", "sdk.sdk.x", strings.Repeat("A", 10000)} {
			assert.EqualValues(t, -32602, c.refused("prompts/list", fmt.Sprintf(`{"cursor":%q}`, cursor)).Code, cursor[:min(len(cursor), 20)])
		}
	})
}

// While prompts of both halves come and go, a walk has each of those that stay,
// once, and nothing twice.
func TestWalkWhileTheListChanges(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, revision string) {
		s := newServer(&mcp.ServerOptions{PageSize: 2})
		r := registry()
		var stay []string
		for i := range 20 {
			name := fmt.Sprintf("stay_%02d", i)
			r.MustAdd(says(name))
			stay = append(stay, name)
		}
		mount(t, s, r, prompts.Options{PageSize: 3})
		c := dial(t, s, revision)
		stop, stopped := make(chan struct{}), make(chan struct{})
		go func() { // ends with stop
			defer close(stopped)
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				name := fmt.Sprintf("stay_%02d_%d", i%20, i%3)
				_ = r.Set(says(name))
				s.AddPrompt(&mcp.Prompt{Name: "own_" + name}, ownPrompt(""))
				r.Remove(fmt.Sprintf("stay_%02d_%d", (i+7)%20, i%3))
				s.RemovePrompts(fmt.Sprintf("own_stay_%02d_%d", (i+7)%20, i%3))
			}
		}()
		for range 5 {
			names := c.names()
			seen := map[string]int{}
			for _, name := range names {
				seen[name]++
				assert.Equal(t, 1, seen[name], name)
			}
			for _, name := range append(stay, "own_a", "own_b") {
				assert.True(t, slices.Contains(names, name), name)
			}
			assert.Zero(t, seen["io.github.mcp-prompts/mount"])
		}
		close(stop)
		<-stopped
	})
}

// What says how long a list may be kept is the stricter of both halves.
func TestCacheHints(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		public  bool
		ttl     int // of ours, in milliseconds; the SDK's is 5000
		own     string
		want    string
		wantTTL int
	}{
		{true, 2000, "public", "public", 2000},
		{true, 9000, "public", "public", 5000},
		{false, 9000, "public", "private", 5000},
		{true, 2000, "private", "private", 2000},
	} {
		s := newServer(&mcp.ServerOptions{SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
			c.TTLMs, c.CacheScope = 5000, test.own
		}})
		mount(t, s, registry(says("a")), prompts.Options{ClientCache: feature.ClientCache{TTL: millis(test.ttl), Public: test.public}})
		var got struct {
			TTLMs      int
			CacheScope string
			Meta       map[string]struct{ Name string } `json:"_meta"`
		}
		require.NoError(t, json.Unmarshal(dial(t, s, stateless).must("prompts/list", ""), &got))
		assert.Equal(t, test.want, got.CacheScope)
		assert.Equal(t, test.wantTTL, got.TTLMs)
		assert.Equal(t, "sdk", got.Meta["io.modelcontextprotocol/serverInfo"].Name, "the server is the SDK's")
	}
}

// A prompt that a client may not know of cannot be told from one that there is
// not.
func TestHidden(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, revision string) {
		s := newServer(nil)
		mount(t, s, registry(says("seen"), says("hidden")), prompts.Options{
			Visible: func(ctx context.Context, p prompts.Prompt) (bool, error) {
				_, ok := gosdk.Request(ctx)
				return ok && p.Name != "hidden", nil
			},
		})
		c := dial(t, s, revision)
		assert.Equal(t, []string{"seen", "own_a", "own_b"}, c.names())
		assert.Equal(t, "ours: seen", c.text("seen"))
		for method, params := range map[string]string{
			"prompts/get":         `{"name":%q}`,
			"completion/complete": `{"ref":{"type":"ref/prompt","name":%q},"argument":{"name":"x","value":""}}`,
		} {
			hidden, none := c.refused(method, fmt.Sprintf(params, "hidden")), c.refused(method, fmt.Sprintf(params, "nosuch"))
			assert.Equal(t, strings.ReplaceAll(hidden.Message, "hidden", "nosuch"), none.Message)
			assert.Equal(t, strings.ReplaceAll(string(hidden.Data), "hidden", "nosuch"), string(none.Data))
			assert.Equal(t, hidden.Code, none.Code)
			assert.JSONEq(t, `{"prompt":"nosuch"}`, string(none.Data))
		}
	})
}

// An answer is that of the revision that a session has come to, and not that of
// the one that the client has asked for.
func TestNegotiatedRevision(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		serves []string
		asks   string
		icons  bool
	}{
		{nil, "2099-01-01", true},
		{nil, "2020-01-01", true},
		{nil, canAsk, false},
		{[]string{newest}, oldest, true},
		{[]string{oldest}, newest, false},
		{[]string{oldest}, "2099-01-01", false},
	} {
		s := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, &mcp.ServerOptions{SupportedProtocolVersions: test.serves})
		mount(t, s, registry(rich()), prompts.Options{})
		c := &client{revision: stateless} // which does not shake hands by itself
		dialAs(t, s, c)
		c.revision = test.asks
		c.must("initialize", fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"c","version":"1"}}`, test.asks))
		assert.Equal(t, test.icons, strings.Contains(string(c.must("prompts/list", "")), `"icons"`), "%v", test)
	}
}

// CCH-07: in every protocol version, the answers of a mount are private where Visible may hide
// something, whatever the SDK and the application say of the server's own.
func TestCacheHintsAreOfOneClient(t *testing.T) {
	t.Parallel()
	inEach(t, func(t *testing.T, revision string) {
		s := newServer(&mcp.ServerOptions{SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
			if c.CacheScope == "" {
				c.TTLMs, c.CacheScope = 5000, "public"
			}
		}})
		r := registry(says("a"), says("b"), says("hidden"))
		tools, err := prompttools.New(r, prompttools.Options{Select: func(prompts.Prompt) bool { return true }, ClientCache: feature.ClientCache{Public: true}})
		require.NoError(t, err)
		mount(t, s, r, prompts.Options{
			PageSize: 1, ClientCache: feature.ClientCache{Public: true}, Features: []feature.Feature{tools},
			Visible: func(_ context.Context, p prompts.Prompt) (bool, error) { return p.Name != "hidden", nil },
		})
		var skills promptskills.Registry
		require.NoError(t, skills.Add(promptskills.Skill{
			Path: "a", Frontmatter: json.RawMessage(`{"name":"a","description":"d"}`), Files: map[string][]byte{"SKILL.md": []byte("x")},
		}))
		unmount, err := gosdk.MountSkills(s, &skills, gosdk.SkillsOptions{Skills: promptskills.Options{
			ClientCache: feature.ClientCache{Public: true}, Visible: func(context.Context, promptskills.Skill) (bool, error) { return true, nil },
		}, Logger: slog.New(slog.DiscardHandler)})
		require.NoError(t, err)
		defer unmount()
		c := dial(t, s, revision)
		first := c.must("prompts/list", "")
		assert.Contains(t, string(first), `"cacheScope":"private"`)
		var p page
		require.NoError(t, json.Unmarshal(first, &p))
		assert.Contains(t, string(c.must("prompts/list", fmt.Sprintf(`{"cursor":%q}`, p.NextCursor))), `"cacheScope":"private"`, "the last page")
		assert.Contains(t, string(c.must("tools/list", "")), `"cacheScope":"private"`)
		assert.Contains(t, string(c.must("resources/read", `{"uri":"skill://a/SKILL.md"}`)), `"cacheScope":"private"`)
	})
}

// A list has the form for the host of the client, in a session and in 2026-07-28.
func TestListForHosts(t *testing.T) {
	t.Parallel()
	var r prompts.Registry
	for name, required := range map[string]bool{"one": false, "two": true} {
		r.MustAdd(prompts.Prompt{Name: name, Arguments: []prompts.Argument{{Name: "a", Required: required}}, Render: func(context.Context, map[string]string) (*prompts.Result, error) { return nil, nil }})
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
	unmount, err := gosdk.Mount(s, &r, gosdk.Options{Server: prompts.Options{ElicitArguments: true}})
	require.NoError(t, err)
	t.Cleanup(unmount)
	for name, want := range map[string][]bool{"c": {false, true}, "gemini-cli-mcp-client": {true, true}, "claude-code": {false, false}} {
		for _, revision := range revisions {
			var list mcp.ListPromptsResult
			require.NoError(t, json.Unmarshal(dialAs(t, s, &client{revision: revision, name: name}).must("prompts/list", ""), &list))
			require.Len(t, list.Prompts, 2)
			assert.Equal(t, want, []bool{list.Prompts[0].Arguments[0].Required, list.Prompts[1].Arguments[0].Required}, "%s %s", name, revision)
		}
	}
}
