package prompts

import (
	"reflect"
	"strings"

	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// spelling is how the members in a JSON value must be written. encoding/json
// lets a member fill a struct's field whose name differs in case, under which
// no schema has judged it.
type spelling struct {
	members []spelledMember // of a struct
	inside  *spelling       // of the elements of a slice or an array, or the values of a map
}

type spelledMember struct {
	name   string
	inside *spelling
}

// spellingOf returns the spelling of values of type t, and nil if they hold no
// members of structs.
func spellingOf(t reflect.Type) *spelling { return spellings{}.of(t) }

// spellings are those of types that have been seen, because a type with a
// schema of its own may hold itself.
type spellings map[reflect.Type]*spelling

func (known spellings) of(t reflect.Type) *spelling {
	t = withoutPointers(t)
	if readsItself(t) {
		return nil
	}
	if s, ok := known[t]; ok {
		return s
	}
	s := &spelling{}
	known[t] = s
	switch t.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		if s.inside = known.of(t.Elem()); s.inside != nil {
			return s
		}
	case reflect.Struct:
		for _, m := range membersOf(t) {
			s.members = append(s.members, spelledMember{m.name, known.of(m.typ)})
		}
		return s
	}
	known[t] = nil
	return nil
}

// check returns the problem of the first member that is written in another
// case than a field of its struct.
func (s *spelling) check(v strictjson.Value) *problem {
	if s == nil {
		return nil
	}
	for e := range v.Elements() {
		if p := s.inside.check(e); p != nil {
			return p
		}
	}
	for name, e := range v.Members() {
		inside, other := s.find(name)
		if other != "" {
			return &problem{Reason: reasonType, Message: quote(name) + " must be written " + quote(other)}
		}
		if p := inside.check(e); p != nil {
			return p
		}
	}
	return nil
}

// find returns the spelling of what the member holds, or the name that it has
// in another case.
func (s *spelling) find(name string) (inside *spelling, other string) {
	for _, m := range s.members {
		if m.name == name {
			return m.inside, ""
		}
		if other == "" && strings.EqualFold(m.name, name) {
			other = m.name
		}
	}
	return s.inside, other
}
