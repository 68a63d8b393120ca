// Package doubt finds text in prompt files that their authors probably do not mean: syntax that is
// sent as text, characters that nobody sees, and credentials.
package doubt

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/mcp-prompts/prompts/internal/explain"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/promptfile"
)

// Doubt is a place of a file. Rule is the rule of prompts check.
type Doubt struct {
	Rule         string
	Line, Column int    // from 1; 0 if unknown
	Argument     string // that a doubt of Declared is about; empty for the prompt
	Path         string // that a doubt of Names is about
	Key          string // of the prompt, if the line is that of the key
	Message, Fix string
}

// Kind is a kind of file, with parts of its own.
type Kind int

const (
	Prompt Kind = 1 << iota
	Partial
	Skill // a SKILL.md

	texts = Prompt | Partial
	all   = texts | Skill
)

// part is a part of a file.
type part int

const (
	everywhere part = iota
	prose           // not in front matter, and not in code of Markdown
	notCode         // prose, or front matter
	code
	keys // front matter
)

const (
	controls  = "\x01\x02\x03\x04\x05\x06\x07\x08\x0b\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f\x7f"
	reversing = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
	images    = "(?i:png|jpe?g|gif|webp|svg)"
	notSent   = "image is not sent, but only the text %s" // if the file exists: others are examples of Markdown

	message = `(?m)^--- (?:user|assistant)(?: ?: ?[^\n]+)? ---[ \t]*$`
	// nearMessage is a line that lacks the right dashes, or has spaces before the left ones.
	nearMessage = `(?m)^(?:[ \t]+--- ?(?:user|assistant) ?---|--- ?(?:user|assistant)(?: ?--- [^\s-][^\n]*)?|[\x{2012}-\x{2015}]{1,3} ?(?:user|assistant) ?[\x{2012}-\x{2015}]{1,3})[ \t]*$`
	// toTheRight is a line without letters of a script that is written from right to left.
	toTheRight = `[^\n\p{Hebrew}\p{Arabic}\p{Syriac}\p{Thaana}\p{Nko}]*`
)

// doubts are texts, and what they probably mean. The first match of each counts.
var doubts = []struct {
	rule   string
	in     part
	kinds  Kind
	mark   string // is in each match, or one of its characters if isAny; a search for it is much faster
	isAny  bool
	regexp *regexp.Regexp // the place is that of its group, if it has a group
	text   string         // %s is the match
	fix    string
}{
	{"text", everywhere, all, "\x00", false, regexp.MustCompile(`\x00`), "line has the character NUL, as UTF-16 does", "save the file as UTF-8"},
	{"text", everywhere, all, controls, true, regexp.MustCompile("[" + controls + "]"), "line has a control character", "remove the character"},
	{"text", everywhere, all, reversing, true, regexp.MustCompile(`(?m)^` + toTheRight + `([` + reversing + `])` + toTheRight + `$`), "line has an invisible character that reverses the text behind it", "remove the character"},
	{"text", keys, texts, "”“", true, regexp.MustCompile(`(?m)^(?:- |\s)*(?:name|title|description|default): ([“„”][^\n]*[“”])[ \t]*$`), "typographic quotes are a part of the value", `write straight quotes, as in "text"`},
	{"text", notCode, all, "<<<<<<< ", false, regexp.MustCompile(`(?ms)^<{7} [^\n]*\n.*?^={7}\n.*?^>{7} `), "line is the mark of a merge conflict", "resolve the conflict"},
	{"text", code, Prompt, "--- ", false, regexp.MustCompile(message), "line in a code block begins a message", `start the line with \ for literal text`},
	{"text", prose, Partial, "--- ", false, regexp.MustCompile(message), "line in a partial begins no message, and is sent as text", "move the line to the prompt"},
	{"text", prose, texts, "](", false, regexp.MustCompile(`!\[[^\]\n]*\]\(<?([^()<>\n:{}]+\.` + images + `)>?(?: "[^"\n]*")?\)`), notSent, "write a message with the line --- user: image PATH ---"},
	{"text", prose, texts, "]:", false, regexp.MustCompile(`(?m)^ {0,3}\[[^\]\n]+\]:[ \t]*<?([^<>\n:{}]+?\.` + images + `)>?(?:[ \t]+["'(][^\n]*)?$`), notSent, "write a message with the line --- user: image PATH ---"},
	{"text", prose, texts, "<img", false, regexp.MustCompile(`<img\s[^>\n]*src=["']([^"'\s:{}]+\.` + images + `)["'][^>\n]*>`), notSent, "write a message with the line --- user: image PATH ---"},
	{"text", prose, Prompt, "-\u2012\u2013\u2014", true, regexp.MustCompile(nearMessage), "line begins no message, and is sent as text", "write --- user --- or --- assistant --- on a line of its own, without spaces before it"},
	{"syntax", prose, texts, "{%", false, regexp.MustCompile(`\{%-?\s*(?:include|import|extends|render)\b[^%{}]*%\}`), "%s is sent as text", `write {{template "name" .}} for the file _partials/name.md`},
	{"syntax", prose, texts, "{%", false, regexp.MustCompile(`\{%-?\s*\w[^%{}]*%\}`), "%s is sent as text", "write {{if .name}}, {{range list .names}} and {{end}}"},
	{"syntax", prose, texts, "${", false, regexp.MustCompile(`\$\{(?:input:[^}]*|[A-Za-z_]\w*)\}`), "%s is sent as text", "write {{.name}} for the value of an argument, or put code between backticks"},
	{"syntax", prose, texts, "<%", false, regexp.MustCompile(`<%[-=#]?\s*\w[^%<>\n]*%>`), "%s is sent as text", "write {{.name}}, or put code between backticks"},
	{"syntax", prose, texts, "{#", false, regexp.MustCompile(`\{#-?\s[^{}#\n]*\s-?#\}`), "%s is sent as text", "write {{/* text */}} for a comment"},
}

// Find returns the doubts about the text of a file. codeOf returns whether an offset of a Markdown
// text is in code. Find calls codeOf once, and only if there may be a doubt. exists reports whether
// a path that the text names is of a file.
func Find(text string, kind Kind, codeOf func(markdown string) (isCode func(offset int) bool), exists func(path string) bool) []Doubt {
	front, body, _ := promptfile.Split(text)
	lines := strings.Split(text, "\n")
	var found []Doubt
	if n, fix := FakeFront(lines); kind == Prompt && n > 0 {
		d := Doubt{Rule: "front-matter", Line: n, Column: 1, Message: fmt.Sprintf("front matter is sent as text, because line %d is %q", n, phrase.Clip(lines[n-1], 40)), Fix: fix}
		if strings.Contains(lines[n-1], "\r") {
			d.Fix = "save the file with the line ends LF or CRLF"
		}
		found = append(found, d)
	}
	if kind == Partial {
		if promptfile.HasKey(front) {
			found = append(found, Doubt{Rule: "text", Line: 1, Message: "front matter of a partial is sent as text", Fix: "remove the front matter"})
		}
		front, body = "", text
	}
	begin := len(text) - len(body)
	inCode := sync.OnceValue(func() func(int) bool { return codeOf(body) })
	isIn := func(p part, offset int) bool {
		if p == everywhere || p == keys || offset < begin {
			return p == everywhere || offset < begin && (p == notCode || p == keys)
		}
		return inCode()(offset-begin) == (p == code)
	}
	for i := range doubts {
		d := &doubts[i]
		isPossible := strings.Contains(text, d.mark) || d.isAny && strings.ContainsAny(text, d.mark)
		if d.kinds&kind == 0 || !isPossible || d.rule == "syntax" && promptfile.IsVerbatim(front) {
			continue
		}
		for _, at := range d.regexp.FindAllStringSubmatchIndex(text, -1) {
			match, from := text[at[0]:at[1]], at[len(at)-2]
			isExample := d.text == notSent && !exists(text[from:at[len(at)-1]])
			line := 1 + strings.Count(text[:from], "\n")
			column := 1 + utf8.RuneCountInString(text[1+strings.LastIndexByte(text[:from], '\n'):from])
			isSame := func(f Doubt) bool { return f.Rule == d.rule && f.Line == line && f.Column == column }
			if isExample || slices.ContainsFunc(found, isSame) || !isIn(d.in, from) || d.rule == "syntax" && strings.ToUpper(match) == match { // a variable of the environment
				continue
			}
			found = append(found, Doubt{
				Rule: d.rule, Line: line, Column: column,
				Message: strings.ReplaceAll(d.text, "%s", match), Fix: d.fix,
			})
			break
		}
	}
	return found
}

var (
	fakeSeparator = regexp.MustCompile("^(?:--|-{4,}|---\\w+|[\u2012-\u2015\u2212]{1,3}|\\+\\+\\+|;;;)$")
	fence         = regexp.MustCompile("^(?:```|~~~) ?(\\w*)$")
	fakeKey       = regexp.MustCompile(`^[\s{]*"?(?:` + strings.Join(promptfile.Keys, "|") + `)"?\s*[:=]`)
	// inFront is a line between a key and the --- below the keys.
	inFront = regexp.MustCompile(`^(?:$|\s|- |#|[\w-]+:)`)
)

// FakeFront returns the line of a file that begins almost as front matter does, and the fix. The
// line is 0 if none does.
func FakeFront(lines []string) (line int, fix string) {
	const marks = "write --- at the start of the lines above and below the keys"
	n := slices.IndexFunc(lines, func(line string) bool { return bare(line) != "" })
	if n < 0 {
		return 0, ""
	}
	first, next := lines[n], ""
	if head, rest, ok := strings.Cut(first, "\r"); ok {
		first, next = head, rest
	} else if n+1 < len(lines) {
		next = lines[n+1]
	}
	if m := fence.FindStringSubmatch(bare(first)); m != nil {
		// Every line without the spaces of the first.
		block := strings.ReplaceAll(strings.Join(lines[n:], "\n"), "\n"+first[:strings.Index(first, m[0])], "\n")
		_, block, _ = strings.Cut(block, "\n")
		inside, _, _ := strings.Cut(block, m[0][:3])
		front, _, end := promptfile.Split(block)
		switch {
		case strings.HasPrefix(m[1], "y") && explain.IsFront(inside):
			return n + 1, marks
		case end > 1 && explain.IsFront(front):
			return n + 1, "remove the lines of the code block around the front matter"
		}
		return 0, ""
	}
	isAlmost := bare(first) == "---" && (first[0] != '-' || first != lines[n]) || fakeSeparator.MatchString(bare(first))
	switch {
	case isAlmost && (fakeKey.MatchString(next) || bare(next) == "---"):
		return n + 1, marks
	case promptfile.HasKey(first):
		for _, line := range lines[n+1:] {
			if bare(line) == "---" {
				return n + 1, marks
			}
			if !inFront.MatchString(line) {
				return 0, ""
			}
		}
	}
	return 0, ""
}

// bare returns a line without white space and invisible marks around it.
func bare(line string) string {
	return strings.TrimFunc(line, func(r rune) bool { return unicode.IsSpace(r) || r == '\u200b' || r == '\ufeff' })
}
