package prompttemplate

import (
	"fmt"
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

// column returns the column of the byte at an offset of a line.
func (t *text) column(line, offset int) int {
	rest := t.source
	for range line - 1 {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	return 1 + utf8.RuneCountInString(rest[:min(offset, len(rest))])
}

// add adds an error at an offset, unless the text already has maxErrors errors.
func (t *text) add(pos parse.Pos, format string, args ...any) {
	if len(t.faults) < maxErrors { // each takes counting lines
		t.addAt(t.at(pos), format, args...)
	}
}

func (t *text) addAt(at place, format string, args ...any) {
	if len(t.faults) < maxErrors {
		t.faults = append(t.faults, at.error(fmt.Errorf(format, args...)))
	}
}

// parse parses a text. Whether its functions and partials exist is checked
// later.
func parseText(at place, source string) *text {
	t := &text{place: at, label: at.String(), source: source}
	if pos, err := scan(source); err != nil {
		t.add(parse.Pos(pos), "%w", err)
		return t
	}
	tree := parse.New("")
	tree.Mode = parse.SkipFuncCheck
	if _, err := tree.Parse(source, "", "", map[string]*parse.Tree{}); err != nil {
		line, message, _ := strings.Cut(strings.TrimPrefix(err.Error(), "template: :"), ": ")
		at.line, _ = strconv.Atoi(line)
		t.addAt(at, "%s", explain(shortened(message)))
		return t
	}
	t.tree = tree
	return t
}

const (
	literal     = `a literal {{ is written {{"{{"}}`
	otherSyntax = "this is another language's template; write such as {{if .name}} and {{end}}; " + literal
)

// explanations say what to write instead, by how text/template's message
// begins.
var explanations = []struct{ prefix, advice string }{
	{"unclosed action", "end it with }}"},
	{"bad character U+007D '}'", "end an action with two braces, }}"},
	{"bad character U+002D '-'", `write a name with a hyphen as {{index . "the-name"}}, and a trim marker with a space, as in {{.name -}}`},
	{"bad character", `write a name that is no identifier as {{index . "the name"}}`},
	{"unexpected EOF", "an if, range, with or define has no {{end}}"},
	{"unexpected {{end}}", "there is nothing that it could end"},
	{"unexpected {{else}}", "it belongs into an if, range or with"},
	{"missing value for command", "there is nothing between the braces; " + literal},
	{"missing value for if", "write such as {{if .name}}"},
	{"missing value for with", "write such as {{with .name}}"},
	{"missing value for range", "write such as {{range list .name}}"},
	{"undefined variable", "declare it in the same block with {{$name := ...}}"},
	{"unclosed comment", "end it with */}}"},
	{"unrecognized character", "write straight quotes and plain spaces between the braces; " + literal},
	{`unexpected "#"`, otherSyntax},
	{`unexpected "!"`, otherSyntax},
	{`unexpected ">"`, otherSyntax},
	{`unexpected "/"`, otherSyntax},
	{`unexpected "{"`, otherSyntax},
}

// explain returns text/template's message with advice, if there is any.
func explain(message string) string {
	for _, e := range explanations {
		if strings.HasPrefix(message, e.prefix) {
			return message + "; " + e.advice
		}
	}
	return message
}
