package prompts_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/mcp-prompts/prompts"
)

// replica is a server of a registry that is held to a model: name and tag of
// each prompt. Replicas have the same prompts and page sizes of their own.
type replica struct {
	registry *prompts.Registry
	server   *prompts.Server
	size     int
}

func newReplica(size int) *replica {
	r := new(prompts.Registry)
	return &replica{registry: r, size: size, server: prompts.NewServer(r, prompts.Options{PageSize: size, Visible: ranked})}
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
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 8))
			replicas := []*replica{newReplica(1 + random.IntN(3)), newReplica(4 + random.IntN(6)), newReplica(0)}
			replicas[2].size = defaultPageSize
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
					p := textPrompt(name, "hi")
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
