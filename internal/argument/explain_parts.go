package argument

import (
	"fmt"
	"maps"
	"slices"

	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/problem"
)

func (e *explainer) forbiddenElements(s *subschema, n int) bool {
	if n > len(s.prefix) && s.items != nil && s.items.isFalse {
		most := len(s.prefix)
		e.add(func() *Problem {
			return &Problem{Reason: problem.Length, Message: fmt.Sprintf("must have %s, got %d", phrase.Count(nil, &most, "element", "elements"), n), Allowed: limits{MaxItems: &most}}
		})
		return false
	}
	ok := true
	for i, sub := range s.prefix[:min(n, len(s.prefix))] {
		if sub.isFalse {
			ok = false
			e.inside(step{index: i}, func() { e.add(notAllowed) })
		}
	}
	return ok
}

func (s *subschema) notEnough(matching int) *Problem {
	least := s.leastContained()
	message := fmt.Sprintf("must have %s %s, got %d", phrase.Count(&least, s.maxContains, "element", "elements"), s.contains.thatIs(), matching)
	return &Problem{Reason: problem.Schema, Message: message}
}

// first has the first equal element by the index of a later one. The first has no problem, so that
// the client removes the others only.
func (e *explainer) repeated(first map[int]int) {
	for _, i := range slices.Sorted(maps.Keys(first)) {
		e.inside(step{index: i}, func() {
			e.add(func() *Problem {
				return &Problem{Reason: problem.Schema, Message: fmt.Sprintf("must be unique, but equals the element [%d]; remove one of the two", first[i])}
			})
		})
	}
}

func missing() *Problem { return &Problem{Reason: problem.Missing, Message: "is required"} }

func notAllowed() *Problem {
	return &Problem{Reason: problem.Unknown, Message: "is not allowed; remove it"}
}

func unknownPart() *Problem {
	return &Problem{Reason: problem.Unknown, Message: "is unknown; remove it"}
}

// A misspelled name is the most common cause, so a suggestion is better than the list of names.
func (s *subschema) unknown(name string, isArgument bool) *Problem {
	p := &Problem{Reason: problem.Unknown, Message: "is unknown"}
	if isArgument {
		p.Message = "is not an argument of this tool"
	}
	p.suggest(name, s.names)
	switch {
	case p.Suggestion != "":
	case len(s.names) == 0:
		p.Message += "; remove it"
	case !isArgument: // the model has the list of arguments
		p.Message += "; known members: " + phrase.Clip(phrase.List(s.names, memberName), maxPlace)
	}
	if len(s.names) > 0 {
		p.Allowed, p.More = s.names[:min(len(s.names), maxAllowed)], max(0, len(s.names)-maxAllowed)
	}
	return p
}

func memberName(name string) string {
	if isPlain(name) {
		return name
	}
	return phrase.Quote(name)
}

// The words stand in a message about contains, such as "must have at least 1 element equal to a".
func (s *subschema) thatIs() string {
	asJSON := s.asJSON
	s = s.target()
	switch {
	case s.rules.enum != nil:
		return "equal to " + phrase.List(s.rules.enum, choiceOf)
	case s.kinds != 0:
		of := "of the type " + either(typesOf(s))
		return phrase.Join(", ", of, s.rules.bounds(), s.rules.length())
	case len(s.required) > 0:
		return "with the members " + phrase.List(slices.Clone(s.required), memberName)
	}
	return "that matches the JSON Schema " + asJSON()
}
