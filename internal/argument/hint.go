package argument

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts/internal/phrase"
)

// This file says in one line which JSON a schema accepts, for the description of an
// argument.

const (
	// hintMembers limits how many members of an object a hint names.
	hintMembers = 8
	// hintBytes limits what a hint says of one member.
	hintBytes = 64
)

// members says which members the object has; "" if the schema declares none.
func (v *Validator) members() string {
	if v == nil {
		return ""
	}
	s := v.root.target()
	var parts []string
	for _, name := range s.names[:min(len(s.names), hintMembers)] {
		what := phrase.Clip(s.members[name].hint(), hintBytes)
		if !slices.Contains(s.required, name) {
			what = phrase.Join(", ", what, "optional")
		}
		if what != "" {
			what = " (" + what + ")"
		}
		parts = append(parts, memberName(name)+what)
	}
	switch more := len(s.names) - len(parts); {
	case parts == nil:
		return ""
	case more > 0:
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return "with " + strings.Join(parts, ", ")
}

// target returns the schema that a reference alone refers to.
func (s *subschema) target() *subschema {
	for depth := inPlaceDepth; depth > 0 && s.ref != nil && s.names == nil && s.kinds == 0; depth-- {
		s = s.ref
	}
	return s
}

// hint says which values the schema accepts; "" for all.
func (s *subschema) hint() string {
	s = s.target()
	if s.rules.enum != nil {
		return "one of: " + phrase.List(s.rules.enum, choiceOf)
	}
	what := s.typeNames()
	if s.rules.format != nil {
		what = s.rules.format.expected
	}
	pattern := ""
	if s.rules.pattern != nil {
		pattern = "matching " + s.rules.pattern.String()
	}
	each := ""
	if s.items != nil && !s.items.isFalse {
		if each = s.items.hint(); each != "" {
			each = "each " + each
		}
	}
	return phrase.Join(", ", what, s.rules.bounds(), s.rules.length(), s.rules.items(), pattern, each)
}
