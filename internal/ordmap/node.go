package ordmap

import "slices"

// nodeCapacity bounds the entries of a leaf and the children of an inner node. Larger nodes
// make reading a page faster. Smaller ones make it cheaper to publish a single change, which
// copies a leaf and its ancestors' children: time goes into that, and as much again into the
// collector. Of what was measured, 30 to 126, this is the compromise. A slice has room for one
// more, since a node is split after it has overflowed, and 63 strings are what just fits a size
// class of the allocator: 8 bytes of a large object with pointers are its header.
const nodeCapacity = 62

type node[V any] struct {
	// owner is the token of the editor that may change the node in place. It is never nil, but
	// that editor may have given the token up, and then nobody changes the node ever again.
	owner *token

	// keys are those of the entries, in a leaf. In an inner node they separate the children:
	// keys[i] is greater than every key below kids[i], and not greater than any below
	// kids[i+1]; one may outlive the entry it is from. Separators are never changed in place,
	// only replaced together: as most edits only exchange children, versions share them.
	keys []string
	vals []V        // of a leaf, one for each key
	kids []*node[V] // of an inner node, one more than keys; nil in a leaf
}

// token stands for an editor's right to change nodes in place. Nodes point to it rather than to
// the editor, which would keep alive the editor's whole tree. It has a size because pointers to
// distinct variables without one may be equal.
type token struct{ _ byte }

func (n *node[V]) leaf() bool { return n.kids == nil }

func (n *node[V]) size() int {
	if n.leaf() {
		return len(n.keys)
	}
	return len(n.kids)
}

// rank returns how many of the sorted keys are less than or equal to key. In an inner node that
// is the index of the child where key belongs; in a leaf it is where what comes after key
// begins, with key itself, if present, just before.
func rank(keys []string, key string) int {
	low, high := 0, len(keys)
	for low < high {
		mid := int(uint(low+high) >> 1)
		if keys[mid] <= key {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

func (n *node[V]) get(key string) (v V, ok bool) {
	if n == nil {
		return v, false
	}
	for !n.leaf() {
		n = n.kids[rank(n.keys, key)]
	}
	if i := rank(n.keys, key); i > 0 && n.keys[i-1] == key {
		return n.vals[i-1], true
	}
	return v, false
}

func (n *node[V]) walk(yield func(string, V) bool) bool {
	if n == nil {
		return true
	}
	for _, kid := range n.kids {
		if !kid.walk(yield) {
			return false
		}
	}
	return n.yieldFrom(0, yield)
}

func (n *node[V]) walkAfter(key string, yield func(string, V) bool) bool {
	if n == nil {
		return true
	}
	i := rank(n.keys, key)
	if n.leaf() {
		return n.yieldFrom(i, yield)
	}
	if !n.kids[i].walkAfter(key, yield) {
		return false
	}
	for _, kid := range n.kids[i+1:] {
		if !kid.walk(yield) {
			return false
		}
	}
	return true
}

// yieldFrom yields n's own entries from the ith on. An inner node has no entries.
func (n *node[V]) yieldFrom(i int, yield func(string, V) bool) bool {
	for ; i < len(n.vals); i++ {
		if !yield(n.keys[i], n.vals[i]) {
			return false
		}
	}
	return true
}

// copyFor returns a copy of n that owner may change, with room for one more entry.
func (n *node[V]) copyFor(owner *token) *node[V] {
	if !n.leaf() {
		return &node[V]{owner: owner, keys: n.keys, kids: slices.Clone(n.kids)}
	}
	return &node[V]{owner: owner, keys: resized(n.keys, len(n.keys)+1), vals: resized(n.vals, len(n.vals)+1)}
}

// split keeps the first at entries or children in n and moves the others to a new right
// sibling. It returns that and the key that separates the two.
func (n *node[V]) split(at, capacity int) (sep string, right *node[V]) {
	right = &node[V]{owner: n.owner}
	if n.leaf() {
		right.keys, n.keys = resized(n.keys[at:], capacity+1), slices.Delete(n.keys, at, len(n.keys))
		right.vals, n.vals = resized(n.vals[at:], capacity+1), slices.Delete(n.vals, at, len(n.vals))
		return right.keys[0], right
	}
	sep = n.keys[at-1]
	right.keys, n.keys = slices.Clone(n.keys[at:]), slices.Clone(n.keys[:at-1])
	right.kids, n.kids = resized(n.kids[at:], capacity+1), slices.Delete(n.kids, at, len(n.kids))
	return sep, right
}

// absorb appends what is in n's right sibling, from which sep separates it.
func (n *node[V]) absorb(sep string, right *node[V]) {
	if n.leaf() {
		n.keys, n.vals = slices.Concat(n.keys, right.keys), slices.Concat(n.vals, right.vals)
		return
	}
	n.keys = slices.Concat(n.keys, []string{sep}, right.keys)
	n.kids = slices.Concat(n.kids, right.kids)
}

func (n *node[V]) addEntry(i int, key string, v V, capacity int) {
	n.keys = insert(n.keys, i, key, capacity+1)
	n.vals = insert(n.vals, i, v, capacity+1)
}

func (n *node[V]) removeEntry(i int) {
	n.keys = slices.Delete(n.keys, i, i+1)
	n.vals = slices.Delete(n.vals, i, i+1)
}

func (n *node[V]) addKid(i int, sep string, kid *node[V], capacity int) {
	n.keys = slices.Concat(n.keys[:i-1], []string{sep}, n.keys[i-1:])
	n.kids = insert(n.kids, i, kid, capacity+1)
}

func (n *node[V]) removeKid(i int) {
	n.keys = slices.Concat(n.keys[:i-1], n.keys[i:])
	n.kids = slices.Delete(n.kids, i, i+1)
}

func (n *node[V]) replaceKid(i int, sep string, kid *node[V]) {
	n.keys = slices.Clone(n.keys)
	n.keys[i-1], n.kids[i] = sep, kid
}

// insert is slices.Insert for a slice that, when it is full, doubles up to the capacity given,
// and not to one of append's choice. Many maps have a single entry.
func insert[T any](s []T, i int, v T, capacity int) []T {
	if len(s) == cap(s) {
		s = resized(s, min(max(2*len(s), 2), capacity))
	}
	return slices.Insert(s, i, v)
}

func resized[T any](s []T, capacity int) []T { return append(make([]T, 0, capacity), s...) }
