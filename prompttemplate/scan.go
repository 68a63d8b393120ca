package prompttemplate

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-prompts/prompts/internal/hint"
)

const (
	// maxNesting is the maximum nesting of blocks and parentheses, over all
	// partials that call one another. Package parse, the walks of this package
	// and text/template call themselves for each level.
	maxNesting = 500
	// maxVariables is the maximum number of variables that are declared or assigned and not yet out
	// of scope. Package parse and text/template search them one by one.
	maxVariables = 200
	// maxActions is the maximum size of the actions of a template, without strings
	// and comments. A node of the parse tree has up to 200 bytes for each.
	maxActions = 128 << 10
)

// scanner finds, before a template is parsed, what package parse would need
// too much time or stack for. Of a template that cannot be parsed it finds
// nothing, because package parse has the better message.
type scanner struct {
	text      string
	at        int // offset
	open      []block
	levels    int // of the blocks that are open
	parens    int
	variables int
	actions   int // bytes
}

// block is an if, with or range whose end has not come yet.
type block struct {
	levels    int // 1, and 1 for each else if
	variables int // before it
}

// scan returns the offset of what is refused, and why.
func scan(text string) (int, error) {
	s := &scanner{text: text}
	for {
		begin := strings.Index(s.text[s.at:], "{{")
		if begin < 0 {
			return 0, nil
		}
		begin += s.at
		s.at = begin + len("{{")
		if s.skip("-") && !s.skipSpace() { // such as {{-3}}
			s.at--
		}
		if s.skip("/*") {
			end := strings.Index(s.text[s.at:], "*/")
			if end < 0 {
				return 0, nil
			}
			s.at += end + len("*/")
			continue
		}
		if err := s.keyword(); err != nil {
			return begin, err
		}
		if !s.action() {
			return 0, nil
		}
		s.actions += s.at - begin
		switch {
		case s.actions > maxActions:
			return begin, hint.New("shorten the actions", "actions without strings and comments exceed the limit of %d bytes", maxActions)
		case s.levels+s.parens > maxNesting:
			return begin, hint.New("nest fewer", "blocks and parentheses exceed the limit of %d nested levels", maxNesting)
		case s.variables > maxVariables:
			return begin, hint.New("use fewer, or end a block earlier", "too many variables are declared or assigned (limit %d)", maxVariables)
		}
		s.parens = 0
	}
}

func (s *scanner) skip(prefix string) bool {
	if !strings.HasPrefix(s.text[s.at:], prefix) {
		return false
	}
	s.at += len(prefix)
	return true
}

func (s *scanner) skipSpace() bool {
	rest := strings.TrimLeft(s.text[s.at:], " \t\r\n")
	skipped := len(rest) < len(s.text)-s.at
	s.at = len(s.text) - len(rest)
	return skipped
}

func (s *scanner) word() string {
	s.skipSpace()
	begin := s.at
	for s.at < len(s.text) && 'a' <= s.text[s.at] && s.text[s.at] <= 'z' {
		s.at++
	}
	if r, _ := utf8.DecodeRuneInString(s.text[s.at:]); r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
		return "" // of an identifier
	}
	return s.text[begin:s.at]
}

// keyword reads the first word of an action.
func (s *scanner) keyword() error {
	switch s.word() {
	case "define", "block":
		s.skipSpace()
		name, _, _ := strings.Cut(s.text[s.at:], "}}")
		if name = strings.TrimSpace(name); len(name) > 1 && strings.IndexByte(name[1:], name[0]) >= 0 {
			name = name[:2+strings.IndexByte(name[1:], name[0])]
		}
		if len(name) > 100 {
			name = `"..."`
		}
		return hint.New("move the template to a partial", "{{define %s}} is not supported", name)
	case "if", "with", "range":
		s.open = append(s.open, block{levels: 1, variables: s.variables})
		s.levels++
	case "else":
		at := s.at
		if next := s.word(); (next == "if" || next == "with") && len(s.open) > 0 {
			s.open[len(s.open)-1].levels++
			s.levels++
		} else {
			s.at = at
		}
	case "end":
		if n := len(s.open) - 1; n >= 0 {
			s.levels -= s.open[n].levels
			s.variables = s.open[n].variables
			s.open = s.open[:n]
		}
	}
	return nil
}

// action goes to the end of an action, and counts. It reports whether there is an end.
func (s *scanner) action() bool {
	depth := 0
	for s.at < len(s.text) {
		switch c := s.text[s.at]; c {
		case '}':
			if s.skip("}}") {
				return true
			}
		case '(':
			depth++
			s.parens = max(s.parens, depth)
		case ')':
			depth--
		case '=', ',': // a variable, or the first of two
			s.variables++
		case '"', '\'', '`':
			if !s.quoted(c) {
				return false
			}
			continue
		}
		s.at++
	}
	return false
}

// quoted goes behind a string.
func (s *scanner) quoted(quote byte) bool {
	begin := s.at
	defer func() { s.actions -= s.at - begin }()
	for s.at++; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; {
		case c == '\\' && quote != '`':
			s.at++
		case c == quote:
			s.at++
			return true
		}
	}
	return false
}
