package ordmap

import (
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestZeroValue(t *testing.T) {
	t.Parallel()
	var m Map[int]
	assert.Zero(t, m.Len())
	_, ok := m.Get("")
	assert.False(t, ok)
	assert.Empty(t, pairs(m.All()))
	assert.Empty(t, pairs(m.After("")))

	e := m.Edit()
	assert.False(t, e.Delete("a"))
	assert.Zero(t, e.Map().Len())
	assert.False(t, e.Set("a", 1))
	assert.True(t, e.Set("a", 2))
	assert.Equal(t, 1, e.Len())
	assert.Zero(t, m.Len(), "the map that the editor started from")
	assert.Equal(t, []pair[int]{{"a", 2}}, pairs(e.Map().All()))
}

func TestAfter(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		keys  []string
		after string
		want  []string
	}{
		"empty map":             {nil, "b", nil},
		"before the first":      {[]string{"b", "d"}, "a", []string{"b", "d"}},
		"equal to the first":    {[]string{"b", "d"}, "b", []string{"d"}},
		"between":               {[]string{"b", "d"}, "c", []string{"d"}},
		"equal to the last":     {[]string{"b", "d"}, "d", nil},
		"after the last":        {[]string{"b", "d"}, "e", nil},
		"empty key, absent":     {[]string{"b", "d"}, "", []string{"b", "d"}},
		"empty key, present":    {[]string{"", "d"}, "", []string{"d"}},
		"a prefix":              {[]string{"ab", "b"}, "a", []string{"ab", "b"}},
		"an extension":          {[]string{"a", "b"}, "a\x00", []string{"b"}},
		"bytes, not characters": {[]string{"Z", "a", "é", "\xff"}, "b", []string{"é", "\xff"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := Map[int]{}.Edit()
			for i, k := range slices.Backward(test.keys) {
				e.Set(k, i)
			}
			var got []string
			for k, v := range e.Map().After(test.after) {
				assert.Equal(t, test.keys[v], k)
				got = append(got, k)
			}
			assert.Equal(t, test.want, got)
		})
	}
}

// Every key of a deep tree, and so every boundary between leaves, is a good place to start after and to stop at.
func TestStartAndStopAnywhere(t *testing.T) {
	t.Parallel()
	keys := names(300)
	e := edit(Map[int]{}, tiny)
	for i, k := range keys {
		e.Set(k, i)
	}
	m := e.Map()
	require.GreaterOrEqual(t, check(t, m, tiny).depth, 4)
	for i, first := range keys {
		at := i
		for k, v := range m.After(first) {
			at++
			require.Equal(t, keys[at], k)
			require.Equal(t, at, v)
			if at == i+20 {
				break
			}
		}
		require.Equal(t, min(i+20, len(keys)-1), at)

		at = -1
		for k := range m.All() {
			at++
			require.Equal(t, keys[at], k)
			if at == i {
				break
			}
		}
		require.Equal(t, i, at)
	}
}

// A change copies one path of nodes; all others are in both versions.
func TestVersionsShare(t *testing.T) {
	t.Parallel()
	keys := names(10_000)
	old := of(keys)
	e := old.Edit()
	e.Set(keys[5_000], nil)
	next := e.Map()

	have := map[*node[*int]]bool{}
	var visit func(n *node[*int], f func(*node[*int]))
	visit = func(n *node[*int], f func(*node[*int])) {
		f(n)
		for _, kid := range n.kids {
			visit(kid, f)
		}
	}
	visit(old.root, func(n *node[*int]) { have[n] = true })
	fresh := 0
	visit(next.root, func(n *node[*int]) {
		if !have[n] {
			fresh++
		}
	})
	assert.Equal(t, check(t, next, nodeCapacity).depth, fresh)
}

// An editor copies a node once, not at every change.
func TestBatchCopiesOnce(t *testing.T) {
	m := of(names(1_000))
	e := m.Edit()
	v := new(int)
	e.Set("prompt_000500", v)
	assert.Zero(t, testing.AllocsPerRun(100, func() { e.Set("prompt_000500", v) }))
	e.Map()
	assert.NotZero(t, testing.AllocsPerRun(1, func() { e.Map(); e.Set("prompt_000500", v) }), "but again after Map")
	assert.Zero(t, testing.AllocsPerRun(100, func() { e.Delete("nobody") }), "nor for what changes nothing")
}

func TestAllocs(t *testing.T) {
	m := of(names(10_000))
	bytes := 0
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		if _, ok := m.Get("prompt_004321"); ok {
			bytes++
		}
	}), "Get")
	assert.Zero(t, testing.AllocsPerRun(10, func() {
		for k := range m.All() {
			bytes += len(k)
		}
	}), "All")
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		for k := range m.After("prompt_004321") {
			bytes += len(k)
			if k == "prompt_004421" {
				break
			}
		}
	}), "After")
	assert.NotZero(t, bytes)
}

// Prompts are often added in name order, so that order has to leave full nodes behind.
func TestAscendingFill(t *testing.T) {
	t.Parallel()
	keys := names(100_000)
	at := map[string]Map[*int]{"one editor": of(keys)}
	var m Map[*int]
	for _, k := range keys {
		e := m.Edit()
		e.Set(k, nil)
		m = e.Map()
	}
	at["an editor each"] = m
	for name, m := range at {
		s := check(t, m, nodeCapacity)
		assert.GreaterOrEqual(t, float64(s.entries)/float64(s.nodes), 0.95*nodeCapacity, name)
	}
}

// heap returns the bytes that live after a collection.
func heap() int {
	runtime.GC()
	runtime.GC() // what has finalizers or is in pools takes two
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int(s.HeapAlloc)
}

// Memory per entry, beyond the 24 bytes of a string header and a pointer. Not parallel, so nobody else allocates.
func TestMemory(t *testing.T) {
	const n = 100_000
	for name, test := range map[string]struct {
		keys   []string
		budget int
	}{
		"ascending": {names(n), 16},
		"random":    {shuffled(n), 24},
	} {
		before := heap()
		e := Map[*int]{}.Edit()
		for _, k := range test.keys {
			e.Set(k, nil)
		}
		m := e.Map()
		over := float64(heap()-before)/n - 24
		runtime.KeepAlive(test.keys)
		runtime.KeepAlive(m)
		t.Logf("%s: %.1f bytes", name, over)
		assert.Less(t, over, float64(test.budget), name)
		assert.Positive(t, over, "or this measures nothing")
	}
}

// Replacing an entry replaces its key too: an equal string may well be part of something large that is to go.
func TestReplaceFreesKey(t *testing.T) {
	const large = 1 << 24
	before := heap()
	e := Map[int]{}.Edit()
	e.Set(strings.Repeat("x", large)[:4], 1)
	assert.Greater(t, heap()-before, large/2)
	e.Set("xxxx", 2)
	assert.Less(t, heap()-before, large/2)
	assert.Equal(t, []pair[int]{{"xxxx", 2}}, pairs(e.Map().All()))
}

// A map whose keys come and go for long, as names that never return, stays as deep and as large as its entries warrant.
func TestChurn(t *testing.T) {
	t.Parallel()
	const live = 5_000
	least := Map[int]{}.Edit().least()
	leaves := live/least + 1
	most := leaves + leaves/least + 1 + 1 // with their parents and the root
	for name, keys := range map[string][]string{"in order": names(10 * live), "random": shuffled(10 * live)} {
		e := Map[int]{}.Edit()
		for i, k := range keys {
			e.Set(k, i)
			if i >= live {
				require.True(t, e.Delete(keys[i-live]))
			}
			if i%1_000 == 0 {
				s := check(t, e.Map(), nodeCapacity)
				assert.LessOrEqual(t, s.depth, 3, name)
				assert.LessOrEqual(t, s.nodes, most, name)
			}
		}
	}
}

// Adding and removing a key in turn must not split and join nodes for ever, wherever that key is.
func TestNoThrash(t *testing.T) {
	e := Map[int]{}.Edit()
	keys := names(3_000) // in order, so that most leaves are full
	for _, k := range keys {
		e.Set(k, 0)
	}
	splits := 0
	for _, k := range keys {
		k += "x"
		before := check(t, e.m, nodeCapacity).nodes
		e.Set(k, 0)
		e.Delete(k)
		splits += check(t, e.m, nodeCapacity).nodes - before
		again := testing.AllocsPerRun(10, func() { e.Set(k, 0); e.Delete(k) })
		require.Zero(t, again, "%q splits a node and joins it again", k)
	}
	assert.Greater(t, splits, 20)
}

// Readers never see a version change under them, or a half of one, while a writer publishes. Meant for -race.
func TestConcurrentReaders(t *testing.T) {
	t.Parallel()
	const n, rounds = 500, 300
	keys := shuffled(n)
	build := edit(Map[int]{}, tiny)
	for _, k := range keys {
		build.Set(k, 0)
	}
	first := build.Map()
	var current atomic.Pointer[Map[int]]
	current.Store(&first)

	var stop atomic.Bool
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for last := 0; !stop.Load(); {
				m := *current.Load()
				seen, round := 0, -1
				for k, v := range m.All() {
					if round == -1 {
						round = v
					}
					got, ok := m.Get(k)
					if v != round || !ok || got != v {
						t.Errorf("%q is %d in All, %d in Get, others are %d", k, v, got, round)
						return
					}
					seen++
				}
				if seen != m.Len() || round < last {
					t.Errorf("%d of %d entries, round %d after %d", seen, m.Len(), round, last)
					return
				}
				last = round
			}
		})
	}
	for round := 1; round <= rounds; round++ { // every version has one value throughout, and lacks some keys
		e := edit(*current.Load(), tiny)
		for i, k := range keys {
			if i%7 == round%7 {
				e.Delete(k)
			} else {
				e.Set(k, round)
			}
		}
		m := e.Map()
		current.Store(&m)
	}
	stop.Store(true)
	readers.Wait()
}
