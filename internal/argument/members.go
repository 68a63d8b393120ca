package argument

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts/internal/nearest"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/problem"
)

// This file holds the members of JSON against the struct that they fill: the members of
// a declared schema, and those of a value.

// A member of the schema that no field takes would be validated and then lost. An unknown required
// member could be given by no client, because the inferred schema forbids others.
func checkMembers(t reflect.Type, s *jsonschema.Schema) error {
	t = withoutPointers(t)
	// Only the method knows which members the JSON has.
	if readsItself(t) {
		return nil
	}
	check := func(at string, t reflect.Type, s *jsonschema.Schema) error {
		if s == nil {
			return nil
		}
		err := schema.CheckType(jsonTypeOf(t), s)
		if err == nil {
			err = checkMembers(t, s)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		return nil
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return check("/items", t.Elem(), s.Items)
	case reflect.Map:
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			if err := check("/properties/"+phrase.PointerToken(name), t.Elem(), s.Properties[name]); err != nil {
				return err
			}
		}
		return check("/additionalProperties", t.Elem(), s.AdditionalProperties)
	case reflect.Struct:
		types := map[string]reflect.Type{}
		for _, f := range fieldsOf(t) {
			if f.err != nil { // a type with a schema of its own was not checked before
				return fmt.Errorf("member %q: %w", f.name, f.err)
			}
			types[f.name] = f.typ
		}
		names := slices.Sorted(maps.Keys(types))
		for _, name := range slices.Concat(slices.Sorted(maps.Keys(s.Properties)), s.Required) {
			if types[name] == nil {
				return fmt.Errorf("the type has no member %s%s", phrase.Quote(name), nearest.DidYouMean(name, names))
			}
			if err := check("/properties/"+phrase.PointerToken(name), types[name], s.Properties[name]); err != nil {
				return err
			}
		}
	}
	return nil
}

// memberCase finds members of JSON in the wrong case. encoding/json would fill the field "level"
// from a member "LEVEL", which no schema has validated. JSON Schema compares names exactly, so to
// the schema "LEVEL" and "level" are different members.
type memberCase struct {
	members map[string]*memberCase // of a struct
	inside  *memberCase            // of a slice, an array or a map
}

// A nil memberCase checks nothing, so a map of strings costs a call nothing.
func memberCaseOf(t reflect.Type) *memberCase { return memberCaseIn(t, map[reflect.Type]*memberCase{}) }

// A type inside of itself finds its unfinished memberCase, which is complete when a call uses it.
func memberCaseIn(t reflect.Type, known map[reflect.Type]*memberCase) *memberCase {
	t = withoutPointers(t)
	if c, ok := known[t]; ok || readsItself(t) {
		return c
	}
	c := &memberCase{}
	known[t] = c
	switch t.Kind() {
	case reflect.Struct:
		c.members = map[string]*memberCase{}
		for _, f := range fieldsOf(t) {
			c.members[f.name] = memberCaseIn(f.typ, known)
		}
		return c
	case reflect.Slice, reflect.Array, reflect.Map:
		if c.inside = memberCaseIn(t.Elem(), known); c.inside != nil {
			return c
		}
	}
	known[t] = nil
	return nil
}

// The work is linear in the value, apart from folded, which runs only for names that the struct
// does not have. The place stays at the member of the problem: the caller needs no leave then.
func (c *memberCase) check(v strictjson.Value, at *place) *Problem {
	if c == nil {
		return nil
	}
	for s, e := range valueParts(v).all {
		inside, other := c.inside, ""
		if member, ok := c.members[s.name]; ok && s.index < 0 {
			s.isDeclared, inside = true, member
		} else if s.index < 0 {
			other = c.folded(s.name)
		}
		at.enter(s)
		if other != "" {
			p := &Problem{Reason: problem.Unknown, Message: "is unknown" + didYouMean(other), Suggestion: other}
			at.put(p)
			return p
		}
		if p := inside.check(e, at); p != nil {
			return p
		}
		at.leave()
	}
	return nil
}

// The first in the order of the names, so that the message does not depend on the
// order of a map. A map has no members, so that its keys may have any case.
func (c *memberCase) folded(name string) string {
	first := ""
	for member := range c.members {
		if strings.EqualFold(member, name) && (first == "" || member < first) {
			first = member
		}
	}
	return first
}
