package strictjson

// A parser makes one pass over a text. It does not recurse: the open containers are linked
// through their nodes.
type parser struct {
	doc       *Doc
	src       string
	nodes     []node
	maxDepth  int
	depth     int    // number of open containers
	parent    uint32 // node of the innermost open container that has one
	closer    byte   // the bracket that ends the innermost open container
	violation *RuleError
}

func fail(offset int, reason Reason) error {
	return &SyntaxError{Offset: offset, Reason: reason}
}

func (p *parser) parse() error {
	src := p.src
	i := skipSpace(src, 0)
	if i == len(src) {
		return fail(i, Empty)
	}
	for {
		// A value begins at i. It and the key of the next member are two nodes at most.
		if i == len(src) {
			return fail(i, UnexpectedEnd)
		}
		if cap(p.nodes)-len(p.nodes) < 2 {
			p.grow(i)
		}
		var err error
		if c := src[i]; c == '{' || c == '[' {
			p.open(i, c)
			i = skipSpace(src, i+1)
			if i == len(src) || src[i] != p.closer {
				if c == '{' {
					if i, err = p.key(i); err != nil {
						return err
					}
				}
				continue
			}
		} else {
			if i, err = p.scalar(i); err != nil {
				return err
			}
			i = skipSpace(src, i)
		}

		// A value has ended. So do the containers that close here.
		for p.depth > 0 && i < len(src) && src[i] == p.closer {
			p.close(i + 1)
			i = skipSpace(src, i+1)
		}
		if p.depth == 0 {
			if i < len(src) {
				return fail(i, TrailingData)
			}
			return nil
		}
		if i == len(src) {
			return fail(i, UnexpectedEnd)
		}
		if src[i] != ',' {
			return fail(i, ExpectedComma)
		}
		i = skipSpace(src, i+1)
		if p.closer == '}' {
			if i, err = p.key(i); err != nil {
				return err
			}
		}
	}
}

// indexed reports whether what the innermost open container holds is to have nodes.
func (p *parser) indexed() bool {
	return p.depth <= p.maxDepth
}

func (p *parser) open(i int, c byte) {
	if p.indexed() {
		kind := Array
		if c == '{' {
			kind = Object
		}
		index := uint32(len(p.nodes))
		p.add(i, 0, p.parent, kind, 0)
		p.parent = index
		if p.depth == p.maxDepth {
			p.violate(RuleError{Rule: Depth, Offset: i, Limit: p.maxDepth})
		}
	} else {
		p.doc.deep = append(p.doc.deep, p.closer)
	}
	p.depth++
	p.closer = c + 2 // in ASCII, '{'+2 is '}' and '['+2 is ']'
}

func (p *parser) close(end int) {
	p.depth--
	if deep := p.doc.deep; len(deep) > 0 {
		p.closer = deep[len(deep)-1]
		p.doc.deep = deep[:len(deep)-1]
		return
	}
	n := &p.nodes[p.parent]
	p.parent = n.next
	n.end = uint32(end)
	n.next = uint32(len(p.nodes))
	p.closer = ']'
	if p.nodes[p.parent].kind == Object {
		p.closer = '}'
	}
}

func (p *parser) key(i int) (int, error) {
	src := p.src
	if i == len(src) {
		return i, fail(i, UnexpectedEnd)
	}
	if src[i] != '"' {
		return i, fail(i, ExpectedKey)
	}
	end, f, reason := scanString(src, i+1)
	if reason != "" {
		return end, fail(end, reason)
	}
	if f&unpaired != 0 { // before checkKey, which would take two such keys for one
		p.violate(RuleError{Rule: UnpairedSurrogate, Offset: i})
	}
	if p.indexed() {
		p.leaf(i, end, String, f)
		if p.violation == nil {
			p.checkKey()
		}
	}
	i = skipSpace(src, end)
	if i == len(src) {
		return i, fail(i, UnexpectedEnd)
	}
	if src[i] != ':' {
		return i, fail(i, ExpectedColon)
	}
	return skipSpace(src, i+1), nil
}

func (p *parser) scalar(i int) (int, error) {
	var (
		kind   Kind
		end    int
		f      flags
		reason Reason
	)
	switch c := p.src[i]; c {
	case '"':
		kind = String
		end, f, reason = scanString(p.src, i+1)
		if f&unpaired != 0 {
			p.violate(RuleError{Rule: UnpairedSurrogate, Offset: i})
		}
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		kind = Number
		end, f, reason = scanNumber(p.src, i)
	default:
		kind, end, reason = scanWord(p.src, i)
	}
	if reason != "" {
		return end, fail(end, reason)
	}
	if p.indexed() {
		p.leaf(i, end, kind, f)
	}
	return end, nil
}

func (p *parser) leaf(start, end int, kind Kind, f flags) {
	p.add(start, end, uint32(len(p.nodes))+1, kind, f)
}

// The node is filled in place: one put together elsewhere and then copied stalls the processor, and
// makes parsing slower by a fifth.
func (p *parser) add(start, end int, next uint32, kind Kind, f flags) {
	p.nodes = p.nodes[:len(p.nodes)+1]
	n := &p.nodes[len(p.nodes)-1]
	n.start = uint32(start)
	n.end = uint32(end)
	n.next = next
	n.kind = kind
	n.flags = f
}

// violate notes the first broken rule. The text is read to its end all the same, since a syntax
// error goes first.
func (p *parser) violate(e RuleError) {
	if p.violation == nil {
		p.violation = &e
	}
}
