package ordmap

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
)

// names returns n names in ascending order.
func names(n int) []string {
	s := make([]string, n)
	for i := range s {
		s[i] = fmt.Sprintf("prompt_%06d", i)
	}
	return s
}

// shuffled returns n names in a random order, the same in every run.
func shuffled(n int) []string {
	s := names(n)
	rand.New(rand.NewPCG(1, 2)).Shuffle(n, func(i, j int) { s[i], s[j] = s[j], s[i] })
	return s
}

// of returns a map of the keys, set in the order given.
func of(keys []string) Map[*int] {
	e := Map[*int]{}.Edit()
	for _, k := range keys {
		e.Set(k, new(int))
	}
	return e.Map()
}

// sizes runs the benchmark on maps of the sizes that the budgets are for.
func sizes(b *testing.B, run func(b *testing.B, keys []string, m Map[*int])) {
	for _, n := range []int{100, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			keys := shuffled(n)
			m := of(keys)
			b.ReportAllocs()
			b.ResetTimer()
			run(b, keys, m)
		})
	}
}

// BenchmarkPublish makes one change and publishes the version that has it. Budget: 3 µs at 100,000, 5 µs at 1,000,000.
func BenchmarkPublish(b *testing.B) {
	publish := func(b *testing.B, m Map[*int], edit func(e *Editor[*int], i int)) {
		var current atomic.Pointer[Map[*int]]
		current.Store(&m)
		for i := 0; b.Loop(); i++ {
			e := current.Load().Edit()
			edit(e, i)
			next := e.Map()
			current.Store(&next)
		}
	}
	b.Run("replace", func(b *testing.B) {
		sizes(b, func(b *testing.B, keys []string, m Map[*int]) {
			v := new(int)
			publish(b, m, func(e *Editor[*int], i int) { e.Set(keys[i%len(keys)], v) })
		})
	})
	b.Run("delete+insert", func(b *testing.B) { // two versions a round, one shorter, then one longer
		sizes(b, func(b *testing.B, keys []string, m Map[*int]) {
			v := new(int)
			publish(b, m, func(e *Editor[*int], i int) {
				if k := keys[i/2%len(keys)]; i%2 == 0 {
					e.Delete(k)
				} else {
					e.Set(k, v)
				}
			})
		})
	})
}

// BenchmarkGet looks up keys in random order. Budget: 200 ns at 100,000.
func BenchmarkGet(b *testing.B) {
	sizes(b, func(b *testing.B, keys []string, m Map[*int]) {
		for i := 0; b.Loop(); i++ {
			m.Get(keys[i%len(keys)])
		}
	})
}

// BenchmarkAfter reads a page of 100 entries from a random place. Budget: 1 µs.
func BenchmarkAfter(b *testing.B) {
	sizes(b, func(b *testing.B, keys []string, m Map[*int]) {
		bytes := 0
		for i := 0; b.Loop(); i++ {
			left := 100
			for k := range m.After(keys[i%len(keys)]) {
				bytes += len(k)
				if left--; left == 0 {
					break
				}
			}
		}
	})
}

// BenchmarkAll reads the whole map.
func BenchmarkAll(b *testing.B) {
	sizes(b, func(b *testing.B, keys []string, m Map[*int]) {
		bytes := 0
		for b.Loop() {
			for k := range m.All() {
				bytes += len(k)
			}
		}
	})
}

// BenchmarkBatch builds a map of 100,000 in one editor. Budget: 60 ms from random order.
func BenchmarkBatch(b *testing.B) {
	for name, keys := range map[string][]string{"random": shuffled(100_000), "ascending": names(100_000)} {
		b.Run(name, func(b *testing.B) {
			v := new(int)
			b.ReportAllocs()
			for b.Loop() {
				e := Map[*int]{}.Edit()
				for _, k := range keys {
					e.Set(k, v)
				}
				e.Map()
			}
		})
	}
}
