package ordmap

import "errors"

// Editor derives new versions of a [Map]. A node is copied when it is first changed and changed
// in place from then on. Not for concurrent use, not even for reading.
type Editor[V any] struct {
	m        Map[V]
	owner    *token // of the nodes that no Map has; nil if there are none
	capacity int    // of a node; a field so that tests can have deep trees of few keys
}

func (e *Editor[V]) Len() int { return e.m.Len() }

// Get returns the value of key, and whether there is one.
func (e *Editor[V]) Get(key string) (V, bool) { return e.m.Get(key) }

// Map returns the current contents, which later edits never change. The call costs nothing by
// itself, but later edits have to copy their nodes again.
func (e *Editor[V]) Map() Map[V] {
	e.owner = nil
	return e.m
}

// Set gives key the value v, and reports whether that replaced an earlier one.
func (e *Editor[V]) Set(key string, v V) (replaced bool) {
	if e.owner == nil {
		e.owner = new(token)
	}
	if e.m.root == nil {
		e.m.root = &node[V]{owner: e.owner}
	}
	root := e.own(&e.m.root)
	sep, right, replaced := e.insert(root, key, v, true)
	if right != nil {
		e.m.root = &node[V]{owner: e.owner, keys: []string{sep}, kids: []*node[V]{root, right}}
	}
	if !replaced {
		e.m.len++
	}
	return replaced
}

// Entry is a key with its value, or with the error of making the value.
type Entry[V any] struct {
	Key   string
	Value V
	Err   error
}

// Put sets all entries, or none if there is an error. It returns the errors of the entries and,
// unless replace is set, what exists returns for each key that the editor or an earlier entry has.
func (e *Editor[V]) Put(all []Entry[V], replace bool, exists func(key string) error) error {
	var errs []error
	var seen map[string]bool // the keys of the entries before
	if len(all) > 1 && !replace {
		seen = make(map[string]bool, len(all))
	}
	for _, x := range all {
		if _, taken := e.Get(x.Key); !replace && (taken || seen[x.Key]) {
			errs = append(errs, exists(x.Key))
		}
		if seen != nil {
			seen[x.Key] = true
		}
		if x.Err != nil {
			errs = append(errs, x.Err)
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	for _, x := range all {
		e.Set(x.Key, x.Value)
	}
	return nil
}

func (e *Editor[V]) Delete(key string) bool {
	if _, ok := e.m.Get(key); !ok {
		return false // and no node has been copied
	}
	if e.owner == nil {
		e.owner = new(token)
	}
	root := e.own(&e.m.root)
	e.remove(root, key)
	switch {
	case root.size() == 0:
		e.m.root = nil
	case len(root.kids) == 1:
		e.m.root = root.kids[0]
	}
	e.m.len--
	return true
}

func (e *Editor[V]) own(p **node[V]) *node[V] {
	if (*p).owner != e.owner {
		*p = (*p).copyFor(e.owner)
	}
	return *p
}

// insert sets key below n, which e owns. If n overflows it is split, and insert returns its new
// right sibling. The flag edge says that n has nothing to its right in the whole tree.
func (e *Editor[V]) insert(n *node[V], key string, v V, edge bool) (sep string, right *node[V], replaced bool) {
	i := rank(n.keys, key)
	edge = edge && i == len(n.keys)
	if n.leaf() {
		if i > 0 && n.keys[i-1] == key {
			// The key as well, or the map would keep in memory what the old one is part of.
			n.keys[i-1], n.vals[i-1] = key, v
			return "", nil, true
		}
		n.addEntry(i, key, v, e.capacity)
	} else {
		sep, right, replaced = e.insert(e.own(&n.kids[i]), key, v, edge)
		if right == nil {
			return "", nil, replaced
		}
		n.addKid(i+1, sep, right, e.capacity)
	}
	if n.size() <= e.capacity {
		return "", nil, false
	}
	at := n.size() / 2
	if edge {
		// Keys in ascending order are common. A split in the middle would leave nothing but
		// half-empty nodes behind.
		at = n.size() - edgeSize(n.leaf())
	}
	sep, right = n.split(at, e.capacity)
	return sep, right, false
}

// edgeSize is the least size of a node that has nothing to its right in the whole tree. The
// others have [Editor.least].
func edgeSize(leaf bool) int {
	if leaf {
		return 1
	}
	return 2 // so that a child always has a sibling to be joined with
}

// least is the size below which a node is joined with a sibling. It is less than half so that a
// node just split or evened out takes many deletions to get there: no sequence of changes has a
// split or a join at every step.
func (e *Editor[V]) least() int { return e.capacity / 3 }

// remove deletes key, which must exist, below n, which e must own. If n gets too small, the
// caller must join n with a sibling.
func (e *Editor[V]) remove(n *node[V], key string) {
	i := rank(n.keys, key)
	if n.leaf() {
		n.removeEntry(i - 1)
		return
	}
	kid := e.own(&n.kids[i])
	e.remove(kid, key)
	if kid.size() < e.least() {
		e.join(n, min(i, len(n.kids)-2))
	}
}

// join makes one of the ith child of n and the one to its right, or evens them out if they do
// not fit into one.
func (e *Editor[V]) join(n *node[V], i int) {
	left, right := e.own(&n.kids[i]), n.kids[i+1]
	left.absorb(n.keys[i], right)
	if left.size() <= e.capacity {
		n.removeKid(i + 1)
		return
	}
	sep, right := left.split(left.size()/2, e.capacity)
	n.replaceKid(i+1, sep, right)
	n.kids[i] = left.copyFor(e.owner) // in slices of the right size again
}
