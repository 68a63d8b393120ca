package explain

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

var operators = map[string]string{"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge", "&&": "and", "||": "or"}

var (
	operand    = `("[^"]*"|'[^']*'|\([^()]*\)|\blen\s+[$.\w]+|[$.\w]+)`
	operation  = regexp.MustCompile(`\{\{-?[^{}"']*?` + operand + `\s*(==|!=|<=|>=|<|>|&&|\|\|)\s*` + operand)
	endKeyword = regexp.MustCompile(`\{\{-?\s*(end\s*(?:if|for|foreach|each|with|range|unless|while)|fi|End|END)\s*-?\}\}`)
	// blockKeyword is a word that begins a block in other languages.
	blockKeyword    = regexp.MustCompile(`\{\{-?\s*(for|foreach|each|unless)\b`)
	hyphenated      = regexp.MustCompile(`\{\{[^{}"]*?\.(\w+(?:-\w+)+)`)
	unknownVariable = regexp.MustCompile(`^undefined variable "\$([\pL\pN_]+)"`)
	character       = regexp.MustCompile(`'[^']*'`)
	constant        = regexp.MustCompile(`^(?:[\d"$.(]|true$|false$|nil$)`)
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
	{`write {{or .name "text"}}`, []string{"default", "coalesce", "ifEmpty"}},
	{"write {{len .name}}", []string{"length", "size", "count"}},
	{"write {{$name := .other}}", []string{"set", "let", "var"}},
}

// Keyword returns the fix for a word of another language, or the empty string.
func Keyword(name string) string {
	for _, k := range keywords {
		if slices.Contains(k.words, name) {
			return k.fix
		}
	}
	return ""
}

// forms are the actions of other languages, and what they are here. $1 is a part of the action.
var forms = []struct {
	action *regexp.Regexp
	fix    string
}{
	{regexp.MustCompile(`\{\{[-~]?\s*(?:>\s*["']?|template\s+'?)(?:\./)?(?:_partials/)?([\w./-]*?\w)(?:\.md)?["'\s~}-]`), `write {{template "$1" .}}`},
	{regexp.MustCompile(`\{\{[-~]?\s*#\s*each\b`), "write {{range list .names}} and {{end}}"},
	{regexp.MustCompile(`\{\{[-~]?\s*#\s*unless\b`), "write {{if not .name}} and {{end}}"},
	{regexp.MustCompile(`\{\{[-~]?\s*\^`), "write {{if not .name}} and {{end}}"},
	{regexp.MustCompile(`\{\{-?\s*((?:else )?if|with)\s+!\s*\.?([\w.]*\w)`), "write {{$1 not .$2}}"},
	{regexp.MustCompile(`\{\{-?\s*((?:else )?if|with|range)\s+\{\{-?\s*\.?(\w+)`), "write {{$1 .$2}}"},
	{regexp.MustCompile(`\{\{-?\s*/\*`), "write {{/* text */}} for a comment, without a space before and after"},
	{regexp.MustCompile(`\{\{[-~]?(?:!|#\s)`), "write {{/* text */}} for a comment, or " + Literal},
	{regexp.MustCompile(`\{\{\{\s*\.?(\w+)\s*\}\}\}`), "write {{.$1}}"},
}

// oneBrace is an action that ends with one brace.
var oneBrace = regexp.MustCompile(`\{\{[^{}]*(\})(?:[^}]|$)`)

// Place is a line and a column in characters, both from 1; 0 if unknown.
type Place struct{ Line, Column int }

// Template returns text/template's message about a line of a source as an error, and
// the place of what is not syntax of templates, if that is known.
func Template(source, message string, number int) (Place, error) {
	at := Place{Line: number}
	lines := strings.Split(source, "\n")
	if cause := causes[message]; cause != nil {
		if m := cause.FindStringSubmatchIndex(source); m != nil {
			at.Line = 1 + strings.Count(source[:m[2]], "\n")
			word := source[m[2]:m[3]]
			return at.in(lines[at.Line-1], m[2]-1-strings.LastIndexByte(source[:m[2]], '\n')), hint.New(cmp.Or(Keyword(word), "write {{end}}"), "unknown keyword %q", word)
		}
	}
	if at.Line < 1 || at.Line > len(lines) {
		return at, explained(message)
	}
	line := lines[at.Line-1]
	if m := operation.FindStringSubmatchIndex(line); m != nil {
		operator := line[m[4]:m[5]]
		fix := fmt.Sprintf("write %s %s %s", operators[operator], operandOf(line[m[2]:m[3]]), operandOf(line[m[6]:m[7]]))
		return at.in(line, m[4]), hint.New(Short(fix), "unknown operator %q", operator)
	}
	if m := unknownVariable.FindStringSubmatch(message); m != nil {
		return at, hint.New(fmt.Sprintf("write {{.%s}} for an argument, or declare the variable in the same block with {{$name := ...}}", Short(m[1])), "%s", Short(message))
	}
	if m := endKeyword.FindStringSubmatchIndex(line); m != nil {
		return at.in(line, m[2]), hint.New("write {{end}}", "unknown keyword %q", line[m[2]:m[3]])
	}
	if m := hyphenated.FindStringSubmatchIndex(line); m != nil && strings.HasPrefix(message, badHyphen) {
		name := line[m[2]:m[3]]
		return at.in(line, m[2]-1), hint.New(Short(fmt.Sprintf("write index . %q", name)), "unexpected hyphen in .%s", Short(name))
	}
	if m := character.FindStringIndex(line); m != nil && strings.Contains(message, "character constant") {
		text := line[m[0]+1 : m[1]-1]
		return at.in(line, m[0]), hint.New(Short(fmt.Sprintf("write %q", text)), "string in single quotes: %s", Short(line[m[0]:m[1]]))
	}
	if m := oneBrace.FindStringSubmatchIndex(line); m != nil && (strings.HasPrefix(message, badBrace) || strings.HasPrefix(message, `unexpected "}"`)) {
		return at.in(line, m[2]), hint.New("close the action with }}, or write "+Literal, "action ends with one brace in place of two")
	}
	if rest, ok := strings.CutPrefix(message, `unexpected "`); ok && rest != "" {
		if i := strings.Index(line, "{{"+rest[:1]); i >= 0 && i == strings.Index(line, "{{") {
			at = at.in(line, i+len("{{"))
		}
		for _, f := range forms {
			if m := f.action.FindStringSubmatchIndex(line); m != nil {
				return at, hint.New(Short(string(f.action.ExpandString(nil, f.fix, line, m))), "%s", Short(message))
			}
		}
	}
	return at, explained(message)
}

func (p Place) in(line string, offset int) Place {
	p.Column = 1 + utf8.RuneCountInString(line[:offset])
	return p
}

func operandOf(s string) string {
	switch {
	case strings.HasPrefix(s, "len") && strings.ContainsAny(s, " \t"):
		return "(" + s + ")"
	case s[0] == '\'':
		return `"` + s[1:len(s)-1] + `"`
	case constant.MatchString(s):
		return s
	}
	return "." + s
}

const (
	Literal     = `{{"{{"}} for a literal {{`
	ternary     = `write {{or .name "text"}}, or {{if .name}}text{{else}}other text{{end}}`
	otherSyntax = "Handlebars and Jinja syntax is not supported, use {{if .name}} and {{end}}, or " + Literal
)

// templates are the fixes, by how text/template's message begins.
var templates = []struct{ prefix, fix string }{
	{"unclosed action", "close the action with }}"},
	{badBrace, "close the action with two braces, }}"},
	{badHyphen, `write {{index . "the-name"}} for a name with a hyphen, and {{.name -}} for a trim marker`},
	{"bad character", `write {{index . "the name"}} for a name that is not an identifier`},
	{unexpectedEnd, "add {{end}}"},
	{"unexpected {{end}}", "remove {{end}}, or open an if, range or with before"},
	{"unexpected {{else}}", "use {{else}} inside of if, range or with"},
	{"missing value for command", "write a value between the braces, or " + Literal},
	{"missing value for if", "write a value, for example {{if .name}}"},
	{"missing value for with", "write a value, for example {{with .name}}"},
	{"missing value for range", "write a value, for example {{range list .name}}"},
	{`unexpected ":"`, "write " + Literal},
	{`unexpected ","`, "write " + Literal},
	{"unexpected <.>", "write a name after the dot, or " + Literal},
	{"unclosed comment", "close the comment with */}}"},
	{"unrecognized character in action: U+003F '?'", ternary},
	{`unexpected "?"`, ternary},
	{"unexpected <if>", ternary},
	{`unexpected "("`, "write values after a space, as in {{len .name}}"},
	{"unrecognized character", "use straight quotes and plain spaces between the braces, or " + Literal},
	{`unexpected "#"`, otherSyntax},
	{`unexpected "!"`, otherSyntax},
	{`unexpected ">"`, otherSyntax},
	{`unexpected "/"`, otherSyntax},
	{`unexpected "{"`, otherSyntax},
}

const (
	// unexpectedEnd is text/template's message for a block that is not closed, and MissingEnd is ours.
	unexpectedEnd = "unexpected EOF"
	MissingEnd    = "missing {{end}} of an if, range or with"
	// badBrace is text/template's message for one brace inside of an action.
	badBrace = "bad character U+007D '}'"
)

// badHyphen is text/template's message for a hyphen inside of a name.
const badHyphen = "bad character U+002D '-'"

// explained returns text/template's message as an error, with the fix if one is known.
func explained(message string) error {
	if message = Short(message); message == "expected :=" { // behind a name
		message = `unexpected ":"`
	}
	for _, e := range templates {
		if strings.HasPrefix(message, e.prefix) {
			if e.prefix == unexpectedEnd {
				message = MissingEnd
			}
			return hint.New(e.fix, "%s", message)
		}
	}
	return errors.New(message)
}

// Short returns the beginning of a message that may quote a value.
func Short(message string) string { return phrase.Clip(message, 200) }
