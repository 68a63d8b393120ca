// Package ordmap is an ordered map with string keys and immutable versions. A registry holds
// its prompts in such a map.
//
// Many goroutines read while one writes. A reader loads a [Map], for example from an
// atomic.Pointer, and reads this version without a lock: the version never changes. A writer
// derives the next version with an [Editor], which copies only the nodes that change, and then
// publishes the version.
package ordmap

import "iter"

// Map is an immutable map in ascending byte order of its keys. The zero value is empty. Copying a
// Map is cheap, and any number of goroutines may use it, and copies of it, at once. Values are
// shared between versions, never copied in depth: what a V points to must not change either.
type Map[V any] struct {
	root *node[V] // nil if empty
	len  int
}

func (m Map[V]) Len() int { return m.len }

// Get returns the value of key, and whether there is one.
func (m Map[V]) Get(key string) (V, bool) { return m.root.get(key) }

// All yields every entry in key order.
func (m Map[V]) All() iter.Seq2[string, V] {
	return func(yield func(string, V) bool) { m.root.walk(yield) }
}

// After yields, in key order, the entries whose keys are strictly greater than key. The key
// itself need not be there.
func (m Map[V]) After(key string) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) { m.root.walkAfter(key, yield) }
}

// Edit returns an Editor that starts from m and leaves m unchanged. Its cost does not depend on
// the size of m.
func (m Map[V]) Edit() *Editor[V] { return &Editor[V]{m: m, capacity: nodeCapacity} }
