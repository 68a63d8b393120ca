// Package strictjson reads and writes JSON texts strictly and without reflection.
//
// A [Doc] holds one parsed text as a flat index of its tokens over the source string. Parsing
// copies nothing, and a Doc that is reused allocates nothing. A Doc accepts RFC 8259 in UTF-8,
// except for texts that two parsers could read differently: texts with unpaired surrogate
// escapes, and texts with duplicate object keys. For both, and for too many levels, Parse
// returns a [RuleError].
//
// [AppendString] and [AppendValidString] write JSON strings. [Value.AppendCanonical] writes a
// value in its canonical form.
package strictjson

import (
	"bytes"
	"math"
	"slices"
	"strings"
)

// Memory that a Doc keeps when it is Reset.
const (
	maxKeptNodes = 4096      // 64 KiB
	maxKeptStack = 64 * 1024 // bytes
	maxKeptNames = 128       // map entries
)

// Doc is a parsed JSON text. Parse reuses the memory of earlier texts. Many goroutines may read
// a Doc at once, but not while Parse or Reset is running.
type Doc struct {
	src   string
	nodes []node          // every value and key, in source order
	deep  []byte          // the parser's stack below the depth limit
	names map[member]bool // the parser's index of the keys of large objects
}

// A node is one value or key of the text. While a container is open, two fields serve the parser:
// end counts an object's members, and next is the index of the container around it.
type node struct {
	start, end uint32 // src[start:end] is the token, or the whole container
	next       uint32 // index of the first node after this one and all that it contains
	kind       Kind
	flags      flags
}

type flags uint8

const (
	escaped  flags = 1 << iota // a string with escapes in it
	inexact                    // a number with a fraction or an exponent
	unpaired                   // a string with half of a surrogate pair
	mapped                     // an object whose keys are in Doc.names
)

// Parse reads src, which must be a single JSON value with nothing but white space around it. A
// top-level array or object is at depth 1; a maxDepth of zero or less means no limit. Values of
// an earlier text are no longer valid.
// The error is a [*SyntaxError] if src is not JSON; the Doc is then empty. It is a [*RuleError]
// for the first duplicate key, half of a surrogate pair, or level beyond maxDepth. Then the Doc
// is complete, but half of a surrogate pair is read as U+FFFD, and containers beyond maxDepth
// are empty, which bounds the memory that a hostile text can claim.
func (d *Doc) Parse(src string, maxDepth int) error {
	d.clear()
	if err := checkLength(len(src)); err != nil {
		return err
	}
	if maxDepth <= 0 {
		maxDepth = math.MaxInt
	}
	if cap(d.nodes) == 0 {
		d.nodes = make([]node, 0, min(len(src), largeText)/8+2)
	}
	p := parser{doc: d, src: src, nodes: d.nodes, maxDepth: maxDepth}
	err := p.parse()
	d.nodes = p.nodes
	d.forgetNames()
	if err != nil {
		d.clear()
		return err
	}
	d.src = src
	if p.violation != nil {
		return p.violation
	}
	return nil
}

// largeText is the size in bytes above which nodes are counted before memory is allocated.
const largeText = 16 << 10

// maxNodes returns the maximum number of nodes of n bytes with this many commas, colons and opening
// brackets: a value or a key follows each of them, and takes two bytes together with it.
func maxNodes(n, before int) int { return min(before, n/2) + 1 }

// grow makes room for two nodes at least. For a large source it makes room for all nodes that
// may follow offset i, and one: doubling the room would take several times as much.
func (p *parser) grow(i int) {
	if len(p.src) <= largeText {
		p.nodes = slices.Grow(p.nodes, 2)
		return
	}
	rest := p.src[i:]
	before := strings.Count(rest, ",") + strings.Count(rest, ":") + strings.Count(rest, "[") + strings.Count(rest, "{")
	p.nodes = append(make([]node, 0, len(p.nodes)+maxNodes(len(rest), before)+1), p.nodes...)
}

// MaxMemory returns how many bytes a Doc takes at most to parse src, in addition to src: 16 for
// each value and key, and during Parse about 128 for each key of a large object. In all, 30
// times src.
func MaxMemory(src []byte) int {
	const nodeBytes, keyBytes = 16, 128
	colons := bytes.Count(src, []byte{':'})
	before := bytes.Count(src, []byte{','}) + colons + bytes.Count(src, []byte{'['}) + bytes.Count(src, []byte{'{'})
	return nodeBytes*maxNodes(len(src), before) + keyBytes*min(colons, len(src)/6)
}

func checkLength(n int) error {
	if uint64(n) > math.MaxUint32 {
		return &SyntaxError{Offset: n, Reason: TooLong}
	}
	return nil
}

// Reset empties the Doc and drops the source. It keeps up to about 128 KiB of memory, so that a
// pool does not hold on to the size of the largest text.
func (d *Doc) Reset() {
	d.clear()
	if cap(d.nodes) > maxKeptNodes {
		d.nodes = nil
	}
	if cap(d.deep) > maxKeptStack {
		d.deep = nil
	}
}

func (d *Doc) clear() {
	d.src = ""
	d.nodes = d.nodes[:0]
	d.deep = d.deep[:0]
}

// forgetNames empties the key index, whose keys refer to the source. Clearing a map takes time
// in proportion to the most that it ever held, so a large one is dropped.
func (d *Doc) forgetNames() {
	if len(d.names) > maxKeptNames {
		d.names = nil
	} else {
		clear(d.names)
	}
}

func (d *Doc) Root() Value {
	return Value{doc: d}
}
