package strictjson

// smallObject is the number of members up to which a new key is compared with each key before.
// Larger objects use a map, to stay out of quadratic time.
const smallObject = 16

// member is a key of an object. All objects of a text share one map.
type member struct {
	object uint32
	name   string
}

// checkKey notes a violation if the innermost open object has a key that equals its last one,
// the last node so far.
func (p *parser) checkKey() {
	key := &p.nodes[len(p.nodes)-1]
	object := &p.nodes[p.parent]
	members := object.end
	object.end++
	var duplicate bool
	// Escaped keys go to the map as well, so that each is decoded once.
	if object.flags&mapped == 0 && key.flags&escaped == 0 && members < smallObject {
		duplicate = p.scanKeys(members, p.src[key.start:key.end])
	} else {
		duplicate = p.mapKey(members, key)
	}
	if duplicate {
		p.violate(RuleError{Rule: DuplicateKey, Offset: int(key.start), Key: key.text(p.src)})
	}
}

func (p *parser) scanKeys(members uint32, quoted string) bool {
	i := p.parent + 1
	for range members {
		n := &p.nodes[i]
		if int(n.end-n.start) == len(quoted) && p.src[n.start:n.end] == quoted {
			return true
		}
		i = p.nodes[i+1].next
	}
	return false
}

func (p *parser) mapKey(members uint32, key *node) bool {
	if p.doc.names == nil {
		p.doc.names = make(map[member]bool)
	}
	names := p.doc.names
	if object := &p.nodes[p.parent]; object.flags&mapped == 0 {
		object.flags |= mapped
		i := p.parent + 1
		for range members {
			names[member{p.parent, p.nodes[i].text(p.src)}] = true
			i = p.nodes[i+1].next
		}
	}
	m := member{p.parent, key.text(p.src)}
	if names[m] {
		return true
	}
	names[m] = true
	return false
}
