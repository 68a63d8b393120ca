package ordmap

import (
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tiny is the smallest capacity of a node, with which a few hundred keys make a deep tree.
const tiny = 6

// edit is m.Edit with nodes of another capacity. All edits of one tree must use the same.
func edit[V any](m Map[V], capacity int) *Editor[V] {
	e := m.Edit()
	e.capacity = capacity
	return e
}

// shape is what check finds out about a tree.
type shape struct {
	depth, nodes, entries int
}

// check fails the test unless m's tree is as node says, and filled as Editor says.
func check[V any](t testing.TB, m Map[V], capacity int) shape {
	t.Helper()
	if m.root == nil {
		require.Zero(t, m.len, "an empty tree")
		return shape{}
	}
	s := shape{}
	leafDepth := 0

	// below checks n, whose keys are at least low and less than high, where there are such bounds. It is run after every
	// operation on every node, hence the plain conditions.
	var below func(n *node[V], low, high *string, depth int)
	below = func(n *node[V], low, high *string, depth int) {
		s.nodes++
		s.depth = max(s.depth, depth)
		for i, k := range n.keys {
			if i > 0 && n.keys[i-1] >= k {
				t.Fatalf("keys out of order: %q", n.keys)
			}
			if low != nil && k < *low || high != nil && k >= *high {
				t.Fatalf("separators do not enclose key %q", k)
			}
		}
		least := edgeSize(n.leaf())
		if depth > 1 && high != nil {
			least = (&Editor[V]{capacity: capacity}).least()
		}
		if n.size() < least || n.size() > capacity {
			t.Fatalf("size %d is not between %d and %d", n.size(), least, capacity)
		}
		room := (capacity+1)*9/8 + 1 // the allocator rounds up
		if cap(n.keys) > room || cap(n.vals) > room || cap(n.kids) > room {
			t.Fatalf("capacities %d, %d and %d for at most %d", cap(n.keys), cap(n.vals), cap(n.kids), capacity)
		}
		if n.owner == nil {
			t.Fatal("a node that an editor without a token would own")
		}
		if n.leaf() {
			if len(n.vals) != len(n.keys) {
				t.Fatalf("%d keys and %d values", len(n.keys), len(n.vals))
			}
			if leafDepth != 0 && leafDepth != depth {
				t.Fatalf("leaves at depths %d and %d", leafDepth, depth)
			}
			leafDepth = depth
			s.entries += len(n.keys)
			return
		}
		if n.vals != nil || len(n.kids) != len(n.keys)+1 {
			t.Fatalf("inner node with %d values, %d keys and %d children", len(n.vals), len(n.keys), len(n.kids))
		}
		for i, kid := range n.kids {
			lo, hi := low, high
			if i > 0 {
				lo = &n.keys[i-1]
			}
			if i < len(n.keys) {
				hi = &n.keys[i]
			}
			below(kid, lo, hi, depth+1)
		}
	}
	below(m.root, nil, nil, 1)
	require.Equal(t, m.len, s.entries, "Len and entries")
	return s
}

// pair is one entry as an iteration yields it.
type pair[V any] struct {
	key string
	val V
}

// pairs collects what seq yields.
func pairs[V any](seq iter.Seq2[string, V]) []pair[V] {
	var s []pair[V]
	for k, v := range seq {
		s = append(s, pair[V]{k, v})
	}
	return s
}

// sorted returns the model's entries after a key, or all of them if there is no key.
func sorted(model map[string]int, after *string) []pair[int] {
	var s []pair[int]
	for _, k := range slices.Sorted(maps.Keys(model)) {
		if after == nil || k > *after {
			s = append(s, pair[int]{k, model[k]})
		}
	}
	return s
}

// version is a Map together with what it must hold for ever.
type version struct {
	m    Map[int]
	want []pair[int]
}

// checkVersion fails the test unless the version's Map still holds what it must.
func checkVersion(t testing.TB, v version) {
	t.Helper()
	require.Equal(t, len(v.want), v.m.Len())
	if got := pairs(v.m.All()); !slices.Equal(got, v.want) {
		t.Fatalf("got %v, want %v", got, v.want)
	}
	for _, p := range v.want {
		if got, ok := v.m.Get(p.key); !ok || got != p.val {
			t.Fatalf("Get(%q) is %d, %t, want %d", p.key, got, ok, p.val)
		}
	}
}

// player applies operations to a map and to its model alike.
type player struct {
	t        testing.TB
	capacity int
	e        *Editor[int]
	model    map[string]int
	versions []version
	steps    int
}

func newPlayer(t testing.TB, capacity int) *player {
	return &player{t: t, capacity: capacity, e: edit(Map[int]{}, capacity), model: map[string]int{}}
}

// set and delete make one change each. Whoever calls them looks afterwards.
func (p *player) set(key string) {
	p.steps++
	_, was := p.model[key]
	p.model[key] = p.steps
	if replaced := p.e.Set(key, p.steps); replaced != was {
		p.t.Fatalf("Set(%q) is %t", key, replaced)
	}
}

func (p *player) delete(key string) {
	_, was := p.model[key]
	delete(p.model, key)
	if deleted := p.e.Delete(key); deleted != was {
		p.t.Fatalf("Delete(%q) is %t", key, deleted)
	}
}

// look compares what the editor says with the model, and checks its tree.
func (p *player) look(key string) {
	p.t.Helper()
	want, wantOK := p.model[key]
	if got, ok := p.e.Get(key); got != want || ok != wantOK {
		p.t.Fatalf("Get(%q) is %d, %t, want %d, %t", key, got, ok, want, wantOK)
	}
	if p.e.Len() != len(p.model) {
		p.t.Fatalf("Len is %d, want %d", p.e.Len(), len(p.model))
	}
	check(p.t, p.e.m, p.capacity)
}

// freeze keeps the present version, and goes on with the same editor or a new one.
func (p *player) freeze(anew bool) {
	m := p.e.Map()
	p.versions = append(p.versions, version{m, sorted(p.model, nil)})
	if anew {
		p.e = edit(m, p.capacity)
	}
}

// revert goes on from an old version.
func (p *player) revert(i int) {
	v := p.versions[i]
	p.e = edit(v.m, p.capacity)
	clear(p.model)
	for _, x := range v.want {
		p.model[x.key] = x.val
	}
}

// after compares the entries after key with the model's.
func (p *player) after(key string) {
	if want, got := sorted(p.model, &key), pairs(p.e.m.After(key)); !slices.Equal(want, got) {
		p.t.Fatalf("After(%q) is %v, want %v", key, got, want)
	}
}

// finish checks that no version has ever changed.
func (p *player) finish() {
	p.freeze(false)
	for _, v := range p.versions {
		checkVersion(p.t, v)
		check(p.t, v.m, p.capacity)
	}
}

func TestModel(t *testing.T) {
	t.Parallel()
	for _, capacity := range []int{tiny, tiny + 1, 9, nodeCapacity} {
		for seed := range uint64(6) {
			t.Run(strconv.Itoa(capacity)+"/"+strconv.Itoa(int(seed)), func(t *testing.T) {
				t.Parallel()
				r := rand.New(rand.NewPCG(seed, uint64(capacity)))
				p := newPlayer(t, capacity)
				keys := 12 * capacity * (1 + int(seed)) // a few levels
				for phase := range 8 {
					mostly := p.set // phases of growing and of shrinking take turns
					rarely := p.delete
					if phase%2 == 1 {
						mostly, rarely = rarely, mostly
					}
					for range 500 {
						key := strconv.Itoa(r.IntN(keys))
						switch x := r.IntN(200); {
						case x < 140:
							mostly(key)
						case x < 190:
							rarely(key)
						case x < 195:
							p.after(key)
						case x < 199:
							p.freeze(x%2 == 0)
						case len(p.versions) > 0:
							p.revert(r.IntN(len(p.versions)))
						}
						p.look(key)
					}
				}
				p.finish()
			})
		}
	}
}

// Whole trees are built and taken down in every direction, since edges are special.
func TestDirections(t *testing.T) {
	t.Parallel()
	ascending := names(400)
	descending := slices.Clone(ascending)
	slices.Reverse(descending)
	orders := map[string][]string{"ascending": ascending, "descending": descending, "random": shuffled(400)}
	for up, in := range orders {
		for down, out := range orders {
			t.Run(up+"/"+down, func(t *testing.T) {
				t.Parallel()
				p := newPlayer(t, tiny)
				for _, k := range in {
					p.set(k)
					p.look(k)
				}
				p.freeze(true)
				for _, k := range out {
					p.delete(k)
					p.look(k)
				}
				assert.Nil(t, p.e.m.root, "an empty map has no nodes")
				p.finish()
			})
		}
	}
}

// FuzzMap reads its input as operations, two bytes each: what to do, and with which key.
func FuzzMap(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{8, 0, 9, 9, 3, 0, 9, 8, 4, 0, 1, 17, 6, 0, 2, 255, 5, 30, 9, 0})
	var up, down []byte
	for i := range byte(120) {
		up = append(up, 0, i)
		down = append(down, 1, i)
	}
	f.Add(append(up, down...))
	f.Add(append(append(up, 3, 0, 9, 20), append(down, 7, 0, 9, 100)...))
	f.Fuzz(func(t *testing.T, ops []byte) {
		ops = ops[:min(len(ops), 300)] // enough for deep trees
		p := newPlayer(t, tiny)
		for ; len(ops) >= 2; ops = ops[2:] {
			x := int(ops[1])
			key := strconv.Itoa(x)
			if x == 0 {
				key = ""
			}
			switch ops[0] % 10 {
			case 0, 2:
				p.set(key)
			case 1, 3:
				p.delete(key)
			case 4:
				p.after(key)
			case 5:
				if len(p.versions) < 8 {
					p.freeze(x%2 == 0)
				}
			case 6:
				if len(p.versions) > 0 {
					p.revert(x % len(p.versions))
				}
			case 7: // a short key, a prefix of many
				p.set(string(ops[1:2]))
			case 8: // a run upwards
				for i := range 20 {
					p.set(strconv.Itoa(x + i))
				}
			case 9: // a run of deletions
				for i := range 20 {
					p.delete(strconv.Itoa(x + i))
				}
			}
			p.look(key)
		}
		p.finish()
	})
}
