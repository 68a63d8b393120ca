package prompttemplate

import (
	"errors"
	"strconv"
	"strings"
	"sync"
	"text/template/parse"
	"unicode/utf8"

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

// column returns the column of the byte at an offset of a line.
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

// parse parses a text. Whether its functions and partials exist is checked
// later.
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

const (
	literal     = `{{"{{"}} for a literal {{`
	otherSyntax = "Handlebars and Jinja syntax is not supported, use {{if .name}} and {{end}}, or " + literal
)

// explanations are the fixes, by how text/template's message begins.
var explanations = []struct{ prefix, fix string }{
	{"unclosed action", "close the action with }}"},
	{"bad character U+007D '}'", "close the action with two braces, }}"},
	{badHyphen, `write {{index . "the-name"}} for a name with a hyphen, and {{.name -}} for a trim marker`},
	{"bad character", `write {{index . "the name"}} for a name that is not an identifier`},
	{unexpectedEnd, "add {{end}}"},
	{"unexpected {{end}}", "remove {{end}}, or open an if, range or with before"},
	{"unexpected {{else}}", "use {{else}} inside of if, range or with"},
	{"missing value for command", "write a value between the braces, or " + literal},
	{"missing value for if", "write a value, for example {{if .name}}"},
	{"missing value for with", "write a value, for example {{with .name}}"},
	{"missing value for range", "write a value, for example {{range list .name}}"},
	{"undefined variable", "declare the variable in the same block with {{$name := ...}}"},
	{"unclosed comment", "close the comment with */}}"},
	{"unrecognized character", "use straight quotes and plain spaces between the braces, or " + literal},
	{`unexpected "#"`, otherSyntax},
	{`unexpected "!"`, otherSyntax},
	{`unexpected ">"`, otherSyntax},
	{`unexpected "/"`, otherSyntax},
	{`unexpected "{"`, otherSyntax},
}

// unexpectedEnd is text/template's message for a block that is not closed.
const unexpectedEnd = "unexpected EOF"

// badHyphen is text/template's message for a hyphen inside of a name.
const badHyphen = "bad character U+002D '-'"

// explain returns text/template's message as an error, with the fix if one is known.
func explain(message string) error {
	message = shortened(message)
	for _, e := range explanations {
		if strings.HasPrefix(message, e.prefix) {
			if e.prefix == unexpectedEnd {
				message = "missing {{end}} of an if, range or with"
			}
			return hint.New(e.fix, "%s", message)
		}
	}
	return errors.New(message)
}
