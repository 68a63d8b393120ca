package prompttemplate

import (
	"strconv"
	"strings"
	"sync"
	"text/template/parse"
	"unicode/utf8"
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

// state is how far the linking of a partial has come.
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
		at, err := explainAt(at, source, message)
		t.addAt(at, err)
		return t
	}
	t.tree = tree
	return t
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

// kind is what is known of a value in a template.
type kind uint8

const (
	other   kind = iota // anything; what is done with it is not checked
	same                // what the text was called with
	nothing             // no value
)
