package argument

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts/internal/phrase"
)

const (
	// hintMembers limits how many members of an object a hint names.
	hintMembers = 8
	// hintDepth limits the levels of lists inside of lists.
	hintDepth = 4
	// hintBytes limits what a hint says of one member.
	hintBytes = 64
)

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

func (s *subschema) hint() string { return s.hintTo(hintDepth) }

func (s *subschema) hintTo(depth int) string {
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
	if s.items != nil && !s.items.isFalse && depth > 0 {
		if each = s.items.hintTo(depth - 1); each != "" {
			each = "each " + each
		}
	}
	return phrase.Join(", ", what, s.rules.bounds(), s.rules.length(), s.rules.items(), pattern, each)
}

// Member is a member of an argument with structure, for documentation.
// The name has the form of a place in a message, so a reader can look up an error.
type Member struct {
	Name        string // with the places around, such as scope.region or filters[].name
	IsRequired  bool   // in its object
	Description string
	Hint        string
}

const (
	// maxMembers limits the members that are documented of one argument.
	maxMembers = 64
	// memberDepth limits the levels of objects and lists inside of each other.
	memberDepth = 5
)

// The limits end the list for a recursive schema.
func appendMembers(all []Member, s *subschema, name string, depth int) []Member {
	if s == nil || depth == 0 {
		return all
	}
	s = s.target()
	if s.items != nil {
		all = appendMembers(all, s.items, name+"[]", depth-1)
	}
	for _, member := range s.names {
		m := s.members[member]
		if len(all) == maxMembers || m.isFalse {
			continue
		}
		full := name + "[" + memberName(member) + "]"
		if isPlain(member) {
			full = name + "." + member
		}
		all = append(all, Member{full, s.isRequired[member], m.target().source.Description, m.hint()})
		all = appendMembers(all, m, full, depth-1)
	}
	return all
}
