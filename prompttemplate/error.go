package prompttemplate

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcp-prompts/prompts/internal/hint"
	"github.com/mcp-prompts/prompts/internal/phrase"
)

// Error is an error in a template. [New] and [NewTyped] return all errors, joined.
// Programs that read templates from files use the fields to report the place.
type Error struct {
	// Prompt is the name of the prompt. It is empty for an error of a [Set].
	Prompt string
	// Message is the number of the message, counted from 1. It is 0 if the error is
	// not in a message.
	Message int
	// Partial is the name of the partial. It is empty if the error is not in a partial.
	Partial string
	// Line is the line in the message or partial, counted from 1, or 0 if unknown.
	Line int
	// Column is the column in the line, in characters counted from 1, or 0 if unknown.
	Column int
	// CallMessage and CallLine are the message and the line that call a partial with unsuitable
	// placeholders, directly or through other partials. Both are 0 for other errors.
	CallMessage, CallLine int
	// Argument is the name of an argument that no message uses. It is empty for other errors.
	Argument string
	// Err describes the error. The text may change.
	Err error

	isPartial bool // which may have an empty name
}

// Error returns the error with the prompt and the place. The text may change.
func (e *Error) Error() string {
	text := e.Err.Error()
	if at := (place{message: e.Message, isPartial: e.isPartial || e.Partial != "", partial: e.Partial, line: e.Line}); at != (place{}) {
		text = at.String() + ": " + text
	}
	if e.Prompt == "" { // an error of a Set
		return text
	}
	return fmt.Sprintf("prompt %q: %s", e.Prompt, text)
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

type place struct {
	message   int // from 1; 0 for none
	isPartial bool
	partial   string
	line      int // from 1; 0 for none
	column    int // from 1; 0 for none
}

// String returns the place as errors name it.
func (p place) String() string {
	of := fmt.Sprintf("message %d", p.message)
	if p.isPartial {
		of = fmt.Sprintf("partial %q", p.partial)
	}
	if p.line == 0 {
		return of
	}
	return fmt.Sprintf("%s, line %d", of, p.line)
}

// error returns err as an Error at the place, without the name of the prompt.
func (p place) error(err error) *Error {
	return &Error{Message: p.message, Partial: p.partial, Line: p.line, Column: p.column, Err: err, isPartial: p.isPartial}
}

func shortened(message string) string { return phrase.Clip(message, 200) }

// join returns the errors as one error. If prompt is set, each error names it.
func join(faults []*Error, prompt string) error {
	if len(faults) == 0 {
		return nil
	}
	errs := make([]error, len(faults))
	for i, e := range faults {
		own := *e // many prompts may have the error
		own.Prompt, errs[i] = prompt, &own
	}
	return errors.Join(errs...)
}

var operators = map[string]string{"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "&&": "and", "||": "or"}

var (
	operand    = `("[^"]*"|'[^']*'|[$.\w]+)`
	operation  = regexp.MustCompile(`\{\{-?[^{}"']*?` + operand + `\s*(==|!=|<=|>=|<|>|&&|\|\|)\s*` + operand)
	endKeyword = regexp.MustCompile(`\{\{-?\s*(end\s*(?:if|for|foreach|each|with|range|unless|while)|fi)\s*-?\}\}`)
	// blockKeyword is a word that begins a block in other languages.
	blockKeyword = regexp.MustCompile(`\{\{-?\s*(for|foreach|each|unless)\b`)
	hyphenated   = regexp.MustCompile(`\{\{[^{}"]*?\.(\w+(?:-\w+)+)`)
	character    = regexp.MustCompile(`'[^']*'`)
	constant     = regexp.MustCompile(`^(?:[\d"$.]|true$|false$|nil$)`)
)

// causes are the words that cause a message that text/template has for another place.
var causes = map[string]*regexp.Regexp{unexpectedEnd: endKeyword, "unexpected {{end}}": blockKeyword}

// keywords are the fixes for words of other languages, which are functions here.
var keywords = []struct {
	fix   string
	words []string
}{
	{"write {{else if .name}}", []string{"elif", "elseif", "elsif"}},
	{"write {{end}}", []string{"endif", "endfor", "endforeach", "endeach", "endwith", "endrange", "endunless", "fi"}},
	{"write {{range list .name}}", []string{"for", "foreach", "each"}},
	{"write {{if not .name}}", []string{"unless"}},
	{`write {{template "name" .}}`, []string{"include", "import", "partial"}},
	{"write {{$name := .other}}", []string{"set", "let", "var"}},
}

func keywordFix(name string) string {
	for _, k := range keywords {
		if slices.Contains(k.words, name) {
			return k.fix
		}
	}
	return ""
}

// explainAt returns text/template's message about a line of a source as an error, and
// the place of what is not syntax of templates, if that is known.
func explainAt(at place, source, message string) (place, error) {
	lines := strings.Split(source, "\n")
	if cause := causes[message]; cause != nil {
		if m := cause.FindStringSubmatchIndex(source); m != nil {
			at.line = 1 + strings.Count(source[:m[2]], "\n")
			word := source[m[2]:m[3]]
			return at.in(lines[at.line-1], m[2]-1-strings.LastIndexByte(source[:m[2]], '\n')), hint.New(cmp.Or(keywordFix(word), "write {{end}}"), "unknown keyword %q", word)
		}
	}
	if at.line < 1 || at.line > len(lines) {
		return at, explain(message)
	}
	line := lines[at.line-1]
	if m := operation.FindStringSubmatchIndex(line); m != nil {
		operator := line[m[4]:m[5]]
		fix := fmt.Sprintf("write %s %s %s", operators[operator], operandOf(line[m[2]:m[3]]), operandOf(line[m[6]:m[7]]))
		return at.in(line, m[4]), hint.New(shortened(fix), "unknown operator %q", operator)
	}
	if m := endKeyword.FindStringSubmatchIndex(line); m != nil {
		return at.in(line, m[2]), hint.New("write {{end}}", "unknown keyword %q", line[m[2]:m[3]])
	}
	if m := hyphenated.FindStringSubmatchIndex(line); m != nil && strings.HasPrefix(message, badHyphen) {
		name := line[m[2]:m[3]]
		return at.in(line, m[2]-1), hint.New(shortened(fmt.Sprintf("write index . %q", name)), "unexpected hyphen in .%s", shortened(name))
	}
	if m := character.FindStringIndex(line); m != nil && strings.Contains(message, "character constant") {
		text := line[m[0]+1 : m[1]-1]
		return at.in(line, m[0]), hint.New(shortened(fmt.Sprintf("write %q", text)), "string in single quotes: %s", shortened(line[m[0]:m[1]]))
	}
	if rest, ok := strings.CutPrefix(message, `unexpected "`); ok && rest != "" {
		if i := strings.Index(line, "{{"+rest[:1]); i >= 0 && i == strings.Index(line, "{{") {
			at = at.in(line, i+len("{{"))
		}
	}
	return at, explain(message)
}

func (p place) in(line string, offset int) place {
	p.column = 1 + utf8.RuneCountInString(line[:offset])
	return p
}

func operandOf(s string) string {
	switch {
	case s[0] == '\'':
		return `"` + s[1:len(s)-1] + `"`
	case constant.MatchString(s):
		return s
	}
	return "." + s
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
