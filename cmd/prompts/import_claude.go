package main

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// The rules of Claude Code that claude follows are in docs/import.md, with the version
// that they were read from.
var (
	claudeFence  = regexp.MustCompile("(?s)```!(.*?)```")
	claudeCode   = regexp.MustCompile("`[^`\n]+`")
	claudeInline = regexp.MustCompile("(?m)(?:^|" + jsSpace + ")(!`([^`]+)`)")
	claudeValue  = regexp.MustCompile(`\$\{CLAUDE_[A-Z_]+\}`)
	claudeFile   = regexp.MustCompile(`(?m)(?:^|[。、？！]|` + jsSpace + `)@([^\s"]*\w)`)
	hintName     = regexp.MustCompile(`[\[<]([A-Za-z][\w -]*)(?:\.\.\.)?[\]>]`)
)

// jsSpace is \s of JavaScript.
const jsSpace = `[\s\v\x{a0}\x{feff}\p{Z}]`

// allWords is the argument for all that the user writes.
const allWords = "arguments"

// maxClaudeWord is the number of the last word that a placeholder can be for. A larger
// number, as in $100, is text.
const maxClaudeWord = 9

// maxClaudeName is the length of the longest name of a word, in bytes.
const maxClaudeName = 200

// claude converts a command of Claude Code: $ARGUMENTS is what the user writes after the
// name of the command, and $0 is its first word.
func (c *conversion) claude() {
	if !c.split() {
		return
	}
	if n := slices.IndexFunc(strings.Split(c.frontText, "\n"), func(line string) bool { return strings.Contains(line, "---") }); n >= 0 {
		c.note(n+2, "--- ends the front matter in Claude Code; the rest of it is left out")
	}
	if c.bodyLine > 1 {
		text := strings.TrimLeftFunc(c.body, unicode.IsSpace)
		c.bodyLine += strings.Count(c.body[:len(c.body)-len(text)], "\n")
		c.body = text
	}
	c.prompt.Name = c.front["name"]
	c.prompt.Description = cmp.Or(c.front["description"], firstLine(c.body))
	c.leaveOut("description", "argument-hint", "arguments", "name")
	for _, at := range claudeShell(c.body) {
		c.refuse(c.line(at.from), "command runs a program of the shell: %s", firstLine(c.body[at.from:at.to]))
	}
	code := codeSpans(c.body)
	for _, at := range claudeFile.FindAllStringSubmatchIndex(c.body, -1) {
		name := c.body[at[2]:at[3]]
		if strings.ContainsAny(name, "./") && !isIn(code, at[2]) {
			c.noteOnce(c.line(at[2]), "@%s stays as text; Claude Code would attach the file", name)
		}
	}
	for _, at := range claudeValue.FindAllStringIndex(c.body, -1) {
		c.note(c.line(at[0]), "%s stays as text; it has no meaning outside of Claude Code", c.body[at[0]:at[1]])
	}
	names := claudeList(c.front["arguments"])
	if slices.ContainsFunc(names, func(name string) bool { return len(name) > maxClaudeName }) {
		c.refuse(c.frontLine["arguments"], "name of an argument has more than %d bytes", maxClaudeName)
		return
	}
	r := readClaude(c.body, names, code)
	r.nameWords(c.front["argument-hint"])
	for _, p := range r.placeholders {
		if p.kind == claudeKept {
			c.note(c.line(p.from), "%s stays as text; Claude Code replaces it if the user writes %s or more", p.text(c.body), plural(p.word+1, "word"))
		}
	}
	r.report(c)
	r.write(c)
}

// claudeShell returns the programs of the shell in a text.
func claudeShell(body string) []span {
	var all []span
	for _, at := range claudeFence.FindAllStringSubmatchIndex(body, -1) {
		if strings.TrimSpace(body[at[2]:at[3]]) != "" {
			all = append(all, span{at[0], at[1]})
		}
	}
	plain := []byte(body) // without code spans, but for those after an exclamation mark
	for _, at := range claudeCode.FindAllStringIndex(body, -1) {
		if at[0] > 0 && (body[at[0]-1] == '!' || body[at[0]-1] == '`') {
			continue
		}
		for i := at[0] + 1; i < at[1]-1; i++ {
			plain[i] = ' '
		}
	}
	for _, at := range claudeInline.FindAllSubmatchIndex(plain, -1) {
		if strings.TrimSpace(string(plain[at[4]:at[5]])) != "" {
			all = append(all, span{at[2], at[3]})
		}
	}
	return all
}

// claudeList returns the names in the key arguments: a list of YAML, or words.
func claudeList(value string) []string {
	isList := strings.HasPrefix(value, "[") || strings.HasPrefix(value, "- ")
	var names []string
	for _, name := range strings.FieldsFunc(value, func(r rune) bool { return r == ' ' || isList && strings.ContainsRune(",[]", r) }) {
		if isList {
			name = unquoted(name)
		}
		if name != "" && (!isList || name != "-") && digits(name) != name {
			names = append(names, name)
		}
	}
	return names
}

// claudeKind is what a placeholder of a command stands for.
type claudeKind uint8

const (
	claudeAll    claudeKind = iota // all that the user writes
	claudeWord                     // a word of it
	claudeNamed                    // a word with a name in the front matter
	claudeKept                     // text: a word in code, or one of a large number
	claudeEscape                   // a backslash before a placeholder, which is left out
)

// claudePlaceholder is a placeholder in a command.
type claudePlaceholder struct {
	span
	kind claudeKind
	word int // from 0
}

func (p claudePlaceholder) text(body string) string { return body[p.from:p.to] }

// claudeText is the text of a command with its placeholders.
type claudeText struct {
	body         string
	placeholders []claudePlaceholder
	hint         string         // argument-hint
	names        map[int]string // of words
	taken        map[string]bool
	isFromOne    bool // the author counts words from 1
	usesHint     bool
}

// readClaude finds the placeholders in the text of a command. names are those of the key
// arguments.
func readClaude(body string, names []string, code []span) *claudeText {
	r := &claudeText{body: body, names: map[int]string{}, taken: map[string]bool{allWords: true}}
	words := map[string]int{} // by their names
	var lengths []int
	for i, name := range names {
		if _, ok := words[name]; !ok {
			words[name] = i
			lengths = append(lengths, len(name))
		}
		r.name(i, name)
	}
	slices.Sort(lengths)
	lengths = slices.Compact(lengths)
	at := func(rest string) (kind claudeKind, word, length int) { // rest follows a $
		for _, length := range slices.Backward(lengths) { // the longest name of several wins
			if length > len(rest) || wordAfter(rest[length:]) || strings.HasPrefix(rest[length:], "[") {
				continue
			}
			if word, ok := words[rest[:length]]; ok {
				return claudeNamed, word, length
			}
		}
		after, isAll := strings.CutPrefix(rest, "ARGUMENTS")
		if index, ok := strings.CutPrefix(after, "["); ok && isAll {
			if number := digits(index); number != "" && strings.HasPrefix(index[len(number):], "]") {
				return claudeWord, wordNumber(number), len("ARGUMENTS[]") + len(number)
			}
		}
		if number := digits(rest); number != "" && !wordAfter(rest[len(number):]) {
			return claudeWord, wordNumber(number), len(number)
		}
		if isAll {
			return claudeAll, 0, len("ARGUMENTS")
		}
		return 0, 0, 0
	}
	for i := 0; i < len(body); i++ {
		if body[i] != '$' {
			continue
		}
		kind, word, length := at(body[i+1:])
		isEscaped := i > 0 && body[i-1] == '\\' && (i == 1 || body[i-2] != '\\')
		if isEscaped && (length > 0 || digits(body[i+1:]) != "") {
			r.placeholders = append(r.placeholders, claudePlaceholder{span{i - 1, i}, claudeEscape, 0})
			continue
		}
		if length == 0 {
			continue
		}
		isNumber := body[i+1] != 'A' && kind == claudeWord
		if isNumber && isIn(code, i) || kind == claudeWord && word > maxClaudeWord {
			kind = claudeKept
		}
		r.placeholders = append(r.placeholders, claudePlaceholder{span{i, i + 1 + length}, kind, word})
		i += length
	}
	return r
}

// wordNumber returns the value of digits; that of many digits is a large one.
func wordNumber(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 1 << 30
	}
	return n
}

// words returns the words that the text has placeholders for, each once and in order.
func (r *claudeText) words() []int {
	var all []int
	for _, p := range r.placeholders {
		if p.kind == claudeWord || p.kind == claudeNamed {
			all = append(all, p.word)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// nameWords names the words after those in argument-hint, such as "[file] [line]". Older
// versions of Claude Code counted from 1, so a text with $1 and no $0 may, too.
func (r *claudeText) nameWords(hint string) {
	r.hint = hint
	words := r.words()
	isZero := len(r.names) > 0 || slices.ContainsFunc(r.placeholders, func(p claudePlaceholder) bool {
		return p.kind == claudeWord && (p.word == 0 || strings.Contains(p.text(r.body), "["))
	})
	r.isFromOne = len(words) > 0 && !isZero
	names := hintNames(hint)
	if r.isFromOne {
		names = append([]string{""}, names...)
	}
	for _, word := range words {
		name := fmt.Sprintf("arg%d", word)
		if r.names[word] != "" {
			continue
		}
		if word < len(names) {
			name, r.usesHint = names[word], true
		}
		for !r.name(word, name) {
			name += "_"
		}
	}
}

// name names a word, unless another word or the whole text has the name.
func (r *claudeText) name(word int, name string) bool {
	isFree := !r.taken[name]
	if isFree {
		r.names[word], r.taken[name] = name, true
	}
	return isFree
}

// hintNames returns the names in a hint such as "[file] [line]", if it has no
// alternatives and all names differ.
func hintNames(hint string) []string {
	if strings.Contains(hint, "|") {
		return nil
	}
	var names []string
	seen := map[string]bool{allWords: true}
	for _, m := range hintName.FindAllStringSubmatch(hint, -1) {
		name := strings.ReplaceAll(strings.TrimSpace(m[1]), " ", "_")
		if seen[name] {
			return nil
		}
		names, seen[name] = append(names, name), true
	}
	return names
}

// report notes what the arguments cannot express.
func (r *claudeText) report(c *conversion) {
	words := r.words()
	usesAll := r.usesAll()
	if r.isFromOne {
		at := slices.IndexFunc(r.placeholders, func(p claudePlaceholder) bool { return p.kind == claudeWord })
		p := r.placeholders[at]
		c.note(c.line(p.from), "%s is word %d in Claude Code, which counts from $0; the text has no $0, so argument %q is for the word that the text means",
			p.text(r.body), p.word+1, r.names[p.word])
	}
	if first := r.firstWord(); first > 0 && len(words) > 0 && !r.isFromOne {
		c.note(0, "the text of the user is not appended; Claude Code appends it if the user writes fewer than %s", plural(first+1, "word"))
	}
	if usesAll && len(words) > 0 {
		c.note(0, "$ARGUMENTS and its words are separate arguments; Claude Code fills them from the same text")
	}
	if r.hint != "" && len(words) > 0 && !r.usesHint && !usesAll {
		c.note(c.frontLine["argument-hint"], "argument-hint %q is left out; it does not name the words that the text uses", r.hint)
	}
}

// firstWord returns the first word that Claude Code needs to replace a placeholder, or 0 if
// it replaces one for any text.
func (r *claudeText) firstWord() int {
	first := math.MaxInt
	for _, p := range r.placeholders {
		switch p.kind {
		case claudeAll, claudeNamed:
			return 0
		case claudeWord, claudeKept:
			first = min(first, p.word)
		}
	}
	return first
}

func (r *claudeText) usesAll() bool {
	return slices.ContainsFunc(r.placeholders, func(p claudePlaceholder) bool { return p.kind == claudeAll })
}

// write writes the text as a template. A number whose word is not given stays in the
// text, as in Claude Code, which also appends the user's text to a command without
// placeholders.
func (r *claudeText) write(c *conversion) {
	words := r.words()
	for _, word := range words {
		description := fmt.Sprintf("word %d after the command", word+1)
		if r.isFromOne {
			description = fmt.Sprintf("the value of $%d", word)
		}
		c.prompt.argument(fileArgument{Name: r.names[word], Description: description})
	}
	last := 0
	for _, p := range r.placeholders {
		c.prompt.literal(r.body[last:p.from])
		last = p.to
		switch p.kind {
		case claudeEscape:
		case claudeKept:
			c.prompt.literal(p.text(r.body))
		case claudeAll:
			c.prompt.placeholder(fileArgument{Name: allWords, Description: cmp.Or(r.hint, "the text after the command")})
		case claudeNamed:
			c.prompt.placeholder(fileArgument{Name: r.names[p.word]})
		case claudeWord:
			c.prompt.placeholderOr(fileArgument{Name: r.names[p.word]}, p.text(r.body))
		}
	}
	c.prompt.literal(strings.TrimRight(r.body[last:], " \t\n"))
	if len(words) == 0 && !r.usesAll() && strings.TrimSpace(r.body) != "" {
		c.prompt.appended(fileArgument{Name: allWords, Description: cmp.Or(r.hint, "additional text")}, "ARGUMENTS: ")
	}
}
