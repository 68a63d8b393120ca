package strictjson

import "iter"

type Kind uint8

const (
	Invalid Kind = iota // the zero Value
	Null
	Bool
	Number
	String
	Array
	Object
)

// String names the kind as JSON Schema does.
func (k Kind) String() string {
	return [...]string{"nothing", "null", "boolean", "number", "string", "array", "object"}[k]
}

// Value is one value of a parsed text, valid until its Doc is parsed again or Reset. The zero
// Value is absent: its Kind is Invalid, and every method is safe on it.
type Value struct {
	doc   *Doc
	index uint32
}

// absent is the node of Invalid values. Nobody writes to it.
var absent node

func (v Value) node() *node {
	if v.doc == nil || int(v.index) >= len(v.doc.nodes) {
		return &absent
	}
	return &v.doc.nodes[v.index]
}

func (v Value) Kind() Kind {
	return v.node().kind
}

// Nodes counts the values and the names of members, the value itself among them; 0 if absent.
func (v Value) Nodes() int {
	n := v.node()
	if n.kind == Invalid {
		return 0
	}
	return int(n.next - v.index)
}

// Raw returns the source of the value, verbatim.
func (v Value) Raw() string {
	n := v.node()
	if n.kind == Invalid {
		return ""
	}
	return v.doc.src[n.start:n.end]
}

// Text returns a string's decoded text, and "" for any other value. Without escapes it is a
// substring of the source, and costs nothing.
func (v Value) Text() string {
	n := v.node()
	if n.kind != String {
		return ""
	}
	return n.text(v.doc.src)
}

// IsUnpaired reports a string with half of a surrogate pair, which has no text in UTF-8.
func (v Value) IsUnpaired() bool { return v.node().flags&unpaired != 0 }

// IsInteger reports a number of any size that is written without a fraction and an exponent.
func (v Value) IsInteger() bool {
	n := v.node()
	return n.kind == Number && n.flags&inexact == 0
}

// Get returns the member of an object whose decoded key is name, or the zero Value; the first
// of duplicates. It compares the members one by one.
func (v Value) Get(name string) Value {
	n := v.node()
	if n.kind != Object {
		return Value{}
	}
	for i := v.index + 1; i < n.next; i = v.doc.nodes[i+1].next {
		if v.doc.nodes[i].textIs(v.doc.src, name) {
			return Value{doc: v.doc, index: i + 1}
		}
	}
	return Value{}
}

// Members returns an object's decoded keys and values in source order, and nothing for any
// other value.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		n := v.node()
		if n.kind != Object {
			return
		}
		for i := v.index + 1; i < n.next; i = v.doc.nodes[i+1].next {
			if !yield(v.doc.nodes[i].text(v.doc.src), Value{doc: v.doc, index: i + 1}) {
				return
			}
		}
	}
}

// Elements returns an array's elements in order, and nothing for any other value.
func (v Value) Elements() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		n := v.node()
		if n.kind != Array {
			return
		}
		for i := v.index + 1; i < n.next; i = v.doc.nodes[i].next {
			if !yield(Value{doc: v.doc, index: i}) {
				return
			}
		}
	}
}

func (n *node) text(src string) string {
	inside := src[n.start+1 : n.end-1]
	if n.flags&escaped == 0 {
		return inside
	}
	var buf [256]byte // most strings fit, and then the result is the only allocation
	dst := buf[:0]
	if len(inside) > len(buf) {
		dst = make([]byte, 0, len(inside))
	}
	return string(appendUnescaped(dst, inside))
}

func (n *node) textIs(src, want string) bool {
	inside := src[n.start+1 : n.end-1]
	if n.flags&escaped == 0 {
		return inside == want
	}
	// Decoding makes a string shorter, but no escape is longer than six bytes a byte.
	if len(inside) <= len(want) || len(inside) > 6*len(want) {
		return false
	}
	var buf [256]byte
	return string(appendUnescaped(buf[:0], inside)) == want
}
