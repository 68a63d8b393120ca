package prompttemplate

import (
	"strconv"
	"strings"
	"sync"
	"text/template/parse"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-prompts/prompts/internal/explain"
	"github.com/mcp-prompts/prompts/internal/hint"
)

// text is a template: a message's or a partial.
type text struct {
	place         // without a line
	label  string // how an error names it
	source string
	tree   *parse.Tree // nil if it cannot be used
	faults []*Error    // whatever it is called with

	uses  []use          // of what it is called with
	calls []call         // of partials, once for each and what it is given
	set   map[string]int // how often variables are declared; one that is assigned counts twice

	state  state
	weight int     // steps, but for what ranges repeat
	levels int     // nesting, with that of the partials
	reach  []*text // the partials that it leads to, itself among them
	given  []*text // those of reach that get what this one is called with
	wants  *use    // one that this one or one of given has
	why    *Error  // an error of the text, or of a partial that it leads to; nil without errors

	mu     sync.Mutex          // protects the fields below: prompts share partials
	places map[parse.Pos]place // of at, so that no place is counted twice
	last   parse.Pos           // the last offset that was counted
}

type state uint8

const (
	isNew state = iota
	isOpen
	isLinked
)

// at returns where an offset is. It counts from the last one, so that offsets in
// order take no more than the length of the text together.
func (t *text) at(pos parse.Pos) place {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at, ok := t.places[pos]; ok {
		return at
	}
	if t.places == nil {
		at := t.place
		at.line, at.column = 1, 1
		t.places = map[parse.Pos]place{0: at}
	}
	if t.last > pos {
		t.last = 0
	}
	at, between := t.places[t.last], t.source[t.last:pos]
	if lines := strings.Count(between, "\n"); lines > 0 {
		at.line += lines
		at.column, between = 1, between[1+strings.LastIndexByte(between, '\n'):]
	}
	at.column += utf8.RuneCountInString(between)
	t.places[pos], t.last = at, pos
	return at
}

func (t *text) column(line, offset int) int {
	rest := t.source
	for range line - 1 {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	return 1 + utf8.RuneCountInString(rest[:min(offset, len(rest))])
}

// add adds an error at an offset, unless the text already has maxErrors errors.
func (t *text) add(pos parse.Pos, err error) {
	if len(t.faults) < maxErrors { // each takes counting lines
		t.addAt(t.at(pos), err)
	}
}

func (t *text) addAt(at place, err error) {
	if len(t.faults) < maxErrors {
		t.faults = append(t.faults, at.error(err))
	}
}

// parse parses a text. Whether its functions and partials exist is checked later.
func parseText(at place, source string) *text {
	t := &text{place: at, label: at.String(), source: source}
	if pos, err := scan(source); err != nil {
		t.add(parse.Pos(pos), err)
		return t
	}
	tree := parse.New("")
	tree.Mode = parse.SkipFuncCheck
	if _, err := tree.Parse(source, "", "", map[string]*parse.Tree{}); err != nil {
		line, message, _ := strings.Cut(strings.TrimPrefix(err.Error(), "template: :"), ": ")
		at.line, _ = strconv.Atoi(line)
		found, err := explain.Template(source, message, at.line)
		at.line, at.column = found.Line, found.Column
		t.addAt(at, err)
		return t
	}
	t.tree = tree
	return t
}

// branchOf returns the if, with or range that a node is, or nil.
func branchOf(n parse.Node) *parse.BranchNode {
	switch n := n.(type) {
	case *parse.IfNode:
		return &n.BranchNode
	case *parse.WithNode:
		return &n.BranchNode
	case *parse.RangeNode:
		return &n.BranchNode
	}
	return nil
}

// maxErrors is the maximum number of errors that are reported. A long text can have
// any number of errors, and each is compared with all arguments.
const maxErrors = 100

// use is what a text does with the value that it is called with. Whether that
// is right depends on the value: nothing is wrong unless it is the arguments.
type use struct {
	kind   useKind
	names  []string // of fields; the key of an index
	pos    parse.Pos
	source string // verbatim
	in     *text  // where it is, for [text.wants]
	// printed says that the use writes the value, or asks whether it is empty, and does
	// nothing else.
	printed bool
	// What the argument is used for, if that is known, and the types that will do.
	by    string
	types types
}

type useKind uint8

const (
	useField useKind = iota
	useIndex
	useAll    // the value itself
	useAssign // to a variable, or of the variable that is the value
	useCall   // with arguments
)

// call is a call of a partial, the first of those that give it the same.
type call struct {
	partial string
	given   kind
	pos     parse.Pos
	levels  int // the nesting of the call that is nested most, and one for the call
}

type kind uint8

const (
	other   kind = iota // anything; what is done with it is not checked
	same                // what the text was called with
	nothing             // no value
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
