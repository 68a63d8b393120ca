package prompts_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/feature"
	"github.com/mcp-prompts/prompts/internal/servertest"
)

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
		params = json.RawMessage(`{"cursor":` + servertest.JsonText(cursor) + `}`)
	}
	raw, err := s.Call(context.WithValue(context.Background(), rank{}, who), servertest.MethodList, params, prompts.CallOptions{Version: version})
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &p))
	require.NotNil(t, p.Prompts)
	if p.Next != nil {
		require.Equal(t, servertest.CursorAfter(p.names()[len(p.Prompts)-1]), *p.Next)
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
			s := prompts.MustNewServer(r, prompts.Options{PageSize: size})
			p := pageOf(t, s, "", "2025-11-25", "")
			all, pages := p.names(), 1
			for ; p.Next != nil; pages++ {
				assert.Len(t, p.Prompts, size)
				p = pageOf(t, s, "", "2025-11-25", *p.Next)
				all = append(all, p.names()...)
			}
			assert.Equal(t, namesOf(r), all)
			assert.Equal(t, max(1, (n+size-1)/size), pages, "%d by %d: no page is empty but the only one", n, size)
		}
	}
	assert.Len(t, pageOf(t, prompts.MustNewServer(numbered(1100), prompts.Options{}), "", "2025-11-25", "").Prompts, servertest.DefaultPageSize)
}

// A cursor holds a name, which has a limit. One with more is not decoded.
func TestLongCursors(t *testing.T) {
	t.Parallel()
	name := fmt.Sprintf("%04096d", 0)
	s := prompts.MustNewServer(servertest.RegistryOf(servertest.TextPrompt(name, "x"), servertest.TextPrompt(name[1:]+"1", "x")), prompts.Options{PageSize: 1})
	first := pageOf(t, s, "", "2025-11-25", "")
	require.NotNil(t, first.Next)
	assert.Len(t, pageOf(t, s, "", "2025-11-25", *first.Next).Prompts, 1)
	_, err := s.Call(t.Context(), servertest.MethodList, json.RawMessage(`{"cursor":"`+servertest.CursorAfter(name+"0")+`"}`), prompts.CallOptions{Version: "2025-11-25"})
	assert.ErrorContains(t, err, "invalid cursor")
}

// A page has 1 MiB of entries, whatever the PageSize, and a larger entry is a page of its
// own: with a filter, with a middleware, and with schemas in the entries.
func TestLargePages(t *testing.T) {
	t.Parallel()
	const page = 1 << 20
	var ps []prompts.Prompt
	for i, size := range []int{10, 2 * page, 10, page / 2, page/2 - 2000, page / 2, 10, 10, 3 * page} {
		p := servertest.TextPrompt(fmt.Sprint("p", i), "x")
		p.Description = strings.Repeat("x", size)
		ps = append(ps, p)
	}
	for name, o := range map[string]prompts.Options{
		"plain":      {},
		"visible":    {Visible: func(context.Context, prompts.Prompt) (bool, error) { return true, nil }},
		"middleware": {Middleware: servertest.Passing},
		"schemas":    {InputSchemas: true},
	} {
		s := prompts.MustNewServer(servertest.RegistryOf(ps...), o)
		var pages [][]string
		for next := ""; ; {
			p := pageOf(t, s, "", "2025-11-25", next)
			pages = append(pages, p.names())
			if p.Next == nil {
				break
			}
			next = *p.Next
		}
		assert.Equal(t, [][]string{{"p0"}, {"p1"}, {"p2", "p3", "p4"}, {"p5", "p6", "p7"}, {"p8"}}, pages, name)
	}
}

// CCH-01…03, CCH-06, CCH-09, PRL-12: the hints for caches on lists, and on
// nothing but lists and server/discover (PRG-11).
func TestCacheHints(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		ttl    time.Duration
		public bool
		want   string
	}{
		{0, false, `"ttlMs":0,"cacheScope":"private"`},
		{time.Microsecond, true, `"ttlMs":0,"cacheScope":"public"`},
		{24 * time.Hour, true, `"ttlMs":86400000,"cacheScope":"public"`},
		{1<<63 - 1, false, fmt.Sprintf(`"ttlMs":%d,"cacheScope":"private"`, int64(1<<63-1)/1e6)},
	} {
		s := prompts.MustNewServer(tagged(3), prompts.Options{ClientCache: feature.ClientCache{TTL: test.ttl, Public: test.public}, PageSize: 2})
		for _, cursor := range []string{"", `"cursor":"` + servertest.CursorAfter("p001") + `"`} {
			got := servertest.AnswerTo(t, s, nil, servertest.EnvelopedLine("1", "prompts/list", cursor))
			assert.Contains(t, got, test.want)
		}
		got := servertest.AnswerTo(t, s, nil, servertest.EnvelopedGet("1", "p000"))
		assert.Equal(t, servertest.EnvelopedText("1", "hi"), got)
	}
	assert.ErrorContains(t, servertest.OptionsError(prompts.Options{ClientCache: feature.ClientCache{TTL: -1}}), "ClientCache.TTL must not be negative")
	assert.ErrorContains(t, servertest.OptionsError(prompts.Options{ChangeDelay: -1}), "ChangeDelay must not be negative")
}

// A string is a cursor if and only if it is the cursor after a name.
func FuzzCursor(f *testing.F) {
	for _, name := range []string{"", "a", "code_review", "é\U0001F600", "a\x00b", "\xff"} {
		f.Add(name)
		f.Add(servertest.CursorAfter(name))
		f.Add(servertest.CursorAfter(name) + "=")
		f.Add(servertest.CursorAfter(name) + "\n")
	}
	f.Add("AQbF2WRjb2RlX3Jldmlldx")
	s := prompts.MustNewServer(servertest.RegistryOf(servertest.TextPrompt("b", "")), prompts.Options{})
	isCursor := func(t *testing.T, text string) bool {
		params, err := json.Marshal(map[string]string{"cursor": text})
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Call(t.Context(), servertest.MethodList, params, prompts.CallOptions{Version: "2025-11-25"})
		return err == nil
	}
	f.Fuzz(func(t *testing.T, text string) {
		if want := text != "" && utf8.ValidString(text); isCursor(t, servertest.CursorAfter(text)) != want {
			t.Fatalf("the cursor after %q is accepted: %t, want %t", text, !want, want)
		}
		if !utf8.ValidString(text) {
			return // JSON has no such string
		}
		name := ""
		if raw, err := base64.RawURLEncoding.DecodeString(text); err == nil && len(raw) > 5 {
			name = string(raw[5:])
		}
		if want := name != "" && utf8.ValidString(name) && text == servertest.CursorAfter(name); isCursor(t, text) != want {
			t.Fatalf("the cursor %q is accepted: %t, want %t", text, !want, want)
		}
	})
}

// replica is a server of a registry that is held to a model: name and tag of
// each prompt. Replicas have the same prompts and page sizes of their own.
type replica struct {
	registry *prompts.Registry
	server   *prompts.Server
	size     int
}

func newReplica(size int) *replica {
	r := new(prompts.Registry)
	return &replica{registry: r, size: size, server: prompts.MustNewServer(r, prompts.Options{PageSize: size, Visible: ranked})}
}

// oneWalk is a walk of one client through the pages.
type oneWalk struct {
	t       testing.TB
	who     string // its rank
	version string
	cursor  string
	names   []string        // that it has seen
	stayed  map[string]bool // prompts that it may see and that have been there all the time
}

func beginWalk(t testing.TB, who, version string, model map[string]string) *oneWalk {
	w := &oneWalk{t: t, who: who, version: version, stayed: map[string]bool{}}
	for name, tag := range model {
		if tag == who {
			w.stayed[name] = true
		}
	}
	return w
}

// next gets a page, which it returns, and reports whether there are more.
func (w *oneWalk) next(s *prompts.Server) (names []string, more bool) {
	w.t.Helper()
	page := pageOf(w.t, s, w.who, w.version, w.cursor)
	w.names = append(w.names, page.names()...)
	w.cursor = ""
	if page.Next != nil {
		w.cursor = *page.Next
	}
	return page.names(), page.Next != nil
}

// end holds the whole walk to the promise: in the order of names, none twice,
// and none missed that stayed.
func (w *oneWalk) end() {
	w.t.Helper()
	for i := 1; i < len(w.names); i++ {
		assert.Less(w.t, w.names[i-1], w.names[i], "%s: a prompt is repeated, or out of order", w.who)
	}
	for name := range w.stayed {
		_, found := slices.BinarySearch(w.names, name)
		assert.True(w.t, found, "%s: %s is missed", w.who, name)
	}
}

// pageOfModel is what a page must have: the names after one, that somebody may
// see, and whether there are more of them.
func pageOfModel(model map[string]string, who, after string, size int) (names []string, more bool) {
	for name, tag := range model {
		if tag == who && name > after {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if len(names) > size {
		return names[:size], true
	}
	return names, false
}

// PRL-01, PRL-02, PAG-03, PAG-04, PAG-05, GAP-23: walks of several clients, each with
// what it may see, in a revision of each era, over replicas with pages of
// different sizes, while prompts come, go, and change who may see them. Every
// page is what a plain map has at that time.
func TestPagesAgainstAMap(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 8))
			replicas := []*replica{newReplica(1 + random.IntN(3)), newReplica(4 + random.IntN(6)), newReplica(0)}
			replicas[2].size = servertest.DefaultPageSize
			model := map[string]string{}
			ranks := []string{"few", "all", "none"}
			versions := []string{"2024-11-05", "2025-06-18", "2026-07-28"}
			walks := make([]*oneWalk, 6)
			ended := 0
			change := func() {
				name := fmt.Sprintf("%s%02d", []string{"a", "Z", "é"}[random.IntN(3)], random.IntN(40))
				tag := ranks[random.IntN(2)]
				remove := random.IntN(3) == 0
				for _, r := range replicas {
					if remove {
						r.registry.Remove(name)
						continue
					}
					p := servertest.TextPrompt(name, "hi")
					p.Tags = []string{tag}
					require.NoError(t, r.registry.Set(p))
				}
				if model[name] = tag; remove {
					delete(model, name)
				}
				for _, w := range walks {
					if w != nil && model[name] != w.who {
						delete(w.stayed, name)
					}
				}
			}
			for range 80 {
				change()
			}
			for range 1500 {
				for range random.IntN(3) {
					change()
				}
				i := random.IntN(len(walks))
				if walks[i] == nil {
					walks[i] = beginWalk(t, ranks[i%len(ranks)], versions[random.IntN(len(versions))], model)
				}
				w, r := walks[i], replicas[random.IntN(len(replicas))]
				after := ""
				if len(w.names) > 0 {
					after = w.names[len(w.names)-1]
				}
				want, wantMore := pageOfModel(model, w.who, after, r.size)
				got, more := w.next(r.server)
				require.Equal(t, want, got)
				require.Equal(t, wantMore, more)
				if !more {
					w.end()
					walks[i] = nil
					ended++
				}
			}
			assert.Greater(t, ended, 50)
		})
	}
}
