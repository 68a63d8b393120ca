package argument

import (
	"strconv"
	"strings"
)

// Locate returns the problems of the Errors in err, with the names of declared arguments:
// it splits a name such as filters[2].name into the argument and the place inside.
// Any other name is unchanged: see IsUndeclared. A path inside of a sensitive argument
// would say which members the secret has.
func (p *Plan) Locate(err error) []Problem {
	problems := ArgumentErrors(err, nil)
	for i := range problems {
		r := &problems[i]
		if r.isUndeclared = p.Find(r.Argument) < 0; !r.isUndeclared {
			continue
		}
		for n, c := range r.Argument {
			if c != '.' && c != '[' {
				continue
			}
			a := p.Find(r.Argument[:n])
			at, ok := parsePlace(r.Argument[n:])
			if a < 0 || !ok {
				continue
			}
			r.Argument, r.isUndeclared = r.Argument[:n], false
			if !p.Arguments[a].Sensitive {
				at.put(r)
			}
			break
		}
	}
	return problems
}

// parsePlace reads the text of a place, such as [2].name or ["a b"].
func parsePlace(text string) (at place, ok bool) {
	for text != "" {
		s := step{index: -1}
		if text[0] == '.' {
			n := strings.IndexAny(text[1:], ".[") + 1
			if n == 0 {
				n = len(text)
			}
			s.name, text = text[1:n], text[n:]
			if s.name == "" {
				return at, false
			}
		} else {
			token, err := strconv.QuotedPrefix(text[1:])
			if err == nil {
				s.name, _ = strconv.Unquote(token) // which QuotedPrefix has checked
			} else {
				token, _, _ = strings.Cut(text[1:], "]")
				n, err := strconv.ParseUint(token, 10, 31)
				if err != nil {
					return at, false
				}
				s.index = int(n)
			}
			if text, ok = strings.CutPrefix(text[1+len(token):], "]"); !ok {
				return at, false
			}
			if text != "" && text[0] != '.' && text[0] != '[' {
				return at, false
			}
		}
		at.enter(s)
	}
	return at, true
}
