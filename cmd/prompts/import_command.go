package main

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/pelletier/go-toml/v2"
)

const (
	allWords    = "arguments" // the argument for all that the user writes
	maxWord     = 9           // that a placeholder can be for: a larger number, as in $100, is text
	maxWordName = 200         // bytes
)

var (
	hintName   = regexp.MustCompile(`[\[<]([A-Za-z][\w -]*)(?:\.\.\.)?[\]>]`)
	tomlPrompt = regexp.MustCompile(`(?m)^[ \t]*["']?prompt["']?[ \t]*=[ \t]*(?:("""|''')(\n)?)?`)
	// editorValues are the variables that an editor fills in. A user of a prompt has to.
	editorValues = map[string]string{
		"selection":               "the selected text",
		"selectedText":            "the selected text",
		"file":                    "the path of the file",
		"fileBasename":            "the name of the file",
		"fileBasenameNoExtension": "the name of the file without its extension",
		"fileDirname":             "the folder of the file",
		"workspaceFolder":         "the path of the workspace",
		"workspaceFolderBasename": "the name of the workspace",
	}
)

func (c *conversion) command(f *format) {
	if isTOML := path.Ext(c.source) == ".toml"; isTOML && !c.toml() || !isTOML && !c.split() {
		return
	}
	if n := slices.IndexFunc(strings.Split(c.frontText, "\n"), func(line string) bool { return strings.Contains(line, "---") }); n >= 0 && f.name == "claude" {
		c.note(n+2, "--- ends the front matter in %s; the rest of it is left out", f.title)
	}
	if c.bodyLine > 1 && !c.isOneLine {
		text := strings.TrimLeftFunc(c.body, unicode.IsSpace)
		c.bodyLine += strings.Count(c.body[:len(c.body)-len(text)], "\n")
		c.body = text
	}
	c.leaveOut(strings.Fields(f.keys))
	first := firstLine(c.body)
	if f.folder { // whose texts begin with headings that are all the same
		first = firstSentence(c.body)
	}
	c.prompt.Name, c.prompt.Description = c.front["name"], cmp.Or(c.front["description"], first)
	for _, at := range spansOf(f.shell, c.body) {
		c.refuse(c.line(at.from), "command runs a program of the shell: %s", firstLine(c.body[at.from:at.to]))
	}
	code := codeSpans(c.body)
	for _, at := range spansOf(f.stays, c.body) {
		text := strings.Trim(c.body[at.from:at.to], "]()。、？！")
		isCode := text[0] == '@' && text[1] != '{' && isIn(code, at.to-1)
		if !isCode && (f.place == nil || f.place.FindString(text) != text) {
			c.noteOnce(c.line(at.from), "%s stays as text, without its effect in %s", text, f.title)
		}
	}
	names := listed(c.front["arguments"])
	if slices.ContainsFunc(names, func(name string) bool { return len(name) > maxWordName }) {
		c.refuse(c.frontLine["arguments"], "name of an argument has more than %d bytes", maxWordName)
		return
	}
	t := &commandText{format: f, body: c.body, code: code, names: map[int]string{}, taken: map[string]bool{allWords: true}, from: f.from, hint: c.front["argument-hint"]}
	t.read(names)
	t.nameWords()
	t.report(c)
	t.write(c)
}

func (c *conversion) toml() (ok bool) {
	var keys map[string]any
	if err := toml.Unmarshal([]byte(c.body), &keys); err != nil {
		line := 0
		if e := (*toml.DecodeError)(nil); errors.As(err, &e) {
			line, _ = e.Position()
		}
		c.refuse(line, "file is not valid TOML: %v", err)
		return false
	}
	if at := tomlPrompt.FindStringSubmatchIndex(c.body); at != nil {
		c.bodyLine = 1 + strings.Count(c.body[:at[1]], "\n")
		c.isOneLine = at[2] < 0
	}
	c.front, c.frontLine = map[string]string{}, map[string]int{}
	for key, value := range keys {
		c.front[key], _ = value.(string)
		c.frontLine[key] = 0
	}
	if _, ok = keys["prompt"].(string); !ok {
		c.refuse(c.bodyLine, `key "prompt" must be a string`)
	}
	c.body = c.front["prompt"]
	return ok
}

// spansOf returns the matches of a pattern, which may be nil, without the space before them.
func spansOf(pattern *regexp.Regexp, text string) []span {
	if pattern == nil {
		return nil
	}
	var all []span
	for _, at := range pattern.FindAllStringIndex(text, -1) {
		space := len(text[at[0]:at[1]]) - len(strings.TrimLeftFunc(text[at[0]:at[1]], unicode.IsSpace))
		all = append(all, span{at[0] + space, at[1]})
	}
	return all
}

// listed returns the names in the key arguments: a list of YAML, or words.
func listed(value string) []string {
	isList := strings.HasPrefix(value, "[") || strings.HasPrefix(value, "- ")
	var names []string
	for _, name := range strings.FieldsFunc(value, func(r rune) bool { return r == ' ' || isList && strings.ContainsRune(",[]", r) }) {
		if isList {
			name = unquoted(name)
		}
		if (!isList || name != "-") && strings.Trim(name, "0123456789") != "" {
			names = append(names, name)
		}
	}
	return names
}

type placeKind uint8

const (
	placeText  placeKind = iota // is text
	placeKept                   // is text here, and a word in the program
	placeAll                    // all that the user writes
	placeWord                   // a word of it
	placeNamed                  // a word with a name in the front matter
	placeValue                  // an argument
)

type place struct {
	span
	kind     placeKind
	text     string // without the escape
	word     int
	argument fileArgument
}

type commandText struct {
	*format
	body     string
	code     []span
	places   []place
	hint     string         // argument-hint
	names    map[int]string // of words
	taken    map[string]bool
	from     int // the number of the first word for the author
	usesHint bool
}

func (t *commandText) read(names []string) {
	if t.place == nil {
		return
	}
	words := map[string]int{} // by their names
	var lengths []int
	for i, name := range names {
		if _, ok := words[name]; !ok {
			words[name] = t.from + i
			lengths = append(lengths, len(name))
		}
		t.name(t.from+i, name)
	}
	slices.Sort(lengths)
	lengths = slices.Compact(lengths)
	last := 0
	groups := t.place.SubexpNames()
	for _, at := range t.place.FindAllStringSubmatchIndex(t.body, -1) {
		if at[0] < last { // in a longer name
			continue
		}
		group := map[string]string{}
		for i, name := range groups {
			if name != "" && at[2*i] >= 0 {
				group[name] = t.body[at[2*i]:at[2*i+1]]
			}
		}
		dollar := at[0] + len(group["escape"])
		p := place{span: span{dollar, at[1]}, text: t.body[dollar:at[1]]}
		rest := t.body[min(dollar+1, len(t.body)):]
		for _, length := range slices.Backward(lengths) { // the longest name of several wins
			if length > len(rest) || wordStart.MatchString(rest[length:]) || strings.HasPrefix(rest[length:], "[") {
				continue
			}
			if word, ok := words[rest[:length]]; ok {
				p.kind, p.word, p.to = placeNamed, word, dollar+1+length
				p.text = t.body[dollar:p.to]
				break
			}
		}
		switch {
		case p.kind == placeNamed:
		case group["word"] != "":
			n, _ := strconv.Atoi(group["word"])
			p.kind, p.word = placeWord, min(n, 1<<30) // for many digits, n is the largest number
			if isNumber := !strings.Contains(p.text, "["); isNumber && isIn(t.code, dollar) || p.word > maxWord || p.word < t.from {
				p.kind = placeKept
			}
		case group["all"] != "":
			p.kind = placeAll
		case group["name"] != "":
			p.kind, p.argument = placeValue, fileArgument{Name: group["name"], Description: group["text"], Required: true}
		case editorValues[group["value"]] != "":
			p.kind, p.argument = placeValue, fileArgument{Name: group["value"], Description: editorValues[group["value"]], Required: true}
		}
		if group["escape"] == t.escape && t.escape != "" && len(p.text) > 1 {
			p.kind, p.from = placeText, at[0]
		}
		t.places = append(t.places, p)
		last = p.to
	}
}

func (t *commandText) has(kinds ...placeKind) bool {
	return slices.ContainsFunc(t.places, func(p place) bool { return slices.Contains(kinds, p.kind) })
}

func (t *commandText) words() []int {
	var all []int
	for _, p := range t.places {
		if p.kind == placeWord || p.kind == placeNamed {
			all = append(all, p.word)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// nameWords names the words after those in argument-hint, such as "[file] [line]". Older
// versions of Claude Code counted from 1, so a text with $1 and no $0 may, too.
func (t *commandText) nameWords() {
	words := t.words()
	if t.rest && slices.Equal(words, []int{t.from}) { // and so it stands for all
		for i := range t.places {
			if t.places[i].kind == placeWord {
				t.places[i].kind = placeAll
			}
		}
		return
	}
	isZero := len(t.names) > 0 || slices.ContainsFunc(t.places, func(p place) bool {
		return p.kind == placeWord && (p.word == 0 || strings.Contains(p.text, "["))
	})
	if len(words) > 0 && !isZero {
		t.from = 1
	}
	names := hintNames(t.hint)
	for _, word := range words {
		name := fmt.Sprintf("arg%d", word)
		if t.names[word] != "" {
			continue
		}
		if i := word - t.from; i < len(names) {
			name, t.usesHint = names[i], true
		}
		for !t.name(word, name) {
			name += "_"
		}
	}
}

func (t *commandText) name(word int, name string) bool {
	isFree := !t.taken[name]
	if isFree {
		t.names[word], t.taken[name] = name, true
	}
	return isFree
}

// hintNames returns the names in "[file] [line]", if it has no alternatives and all names differ.
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

func (t *commandText) report(c *conversion) {
	words := t.words()
	for _, p := range t.places {
		switch {
		case p.kind == placeKept && p.word < t.format.from:
			c.note(c.line(p.from), "%s stays as text; %s counts words from %d", p.text, t.title, t.format.from)
		case p.kind == placeKept:
			c.note(c.line(p.from), "%s stays as text; %s replaces it if the user writes %s or more", p.text, t.title, plural(p.word-t.format.from+1, "word"))
		case p.kind == placeValue && editorValues[p.argument.Name] != "":
			c.note(c.line(p.from), "%s is an argument that the user fills in; %s does it itself", p.text, t.title)
		}
	}
	if t.from > t.format.from {
		at := slices.IndexFunc(t.places, func(p place) bool { return p.kind == placeWord })
		p := t.places[at]
		c.note(c.line(p.from), "%s is word %d in %s, which counts from $0; the text has no $0, so argument %q is for the word that the text means",
			p.text, p.word+1, t.title, t.names[p.word])
	}
	if first := t.firstWord(); t.keeps && first > 0 && len(words) > 0 && t.from == t.format.from {
		c.note(0, "the text of the user is not appended; %s appends it if the user writes fewer than %s", t.title, plural(first+1, "word"))
	}
	if t.has(placeAll) && len(words) > 0 {
		c.note(0, "%s and its words are separate arguments; %s fills them from the same text", cmp.Or(t.all, "$ARGUMENTS"), t.title)
	}
	if t.rest && len(words) > 0 {
		last := words[len(words)-1]
		c.note(0, "$%d takes word %d and all words after it in %s; argument %q is one value", last, last, t.title, t.names[last])
	}
	if t.hint != "" && len(words) > 0 && !t.usesHint && !t.has(placeAll) {
		c.note(c.frontLine["argument-hint"], "argument-hint %q is left out; it does not name the words that the text uses", t.hint)
	}
}

// firstWord returns the first word that the program needs to replace a placeholder; 0 for any text.
func (t *commandText) firstWord() int {
	first := 1 << 30
	for _, p := range t.places {
		switch p.kind {
		case placeAll, placeNamed:
			return 0
		case placeWord, placeKept:
			first = min(first, p.word)
		}
	}
	return first
}

// write writes the text as a template. A number whose word is missing stays in the text if it
// does in the program. A program appends what the user writes to a text without a place for it.
func (t *commandText) write(c *conversion) {
	words := t.words()
	for _, word := range words {
		description := fmt.Sprintf("word %d after the command", word-t.format.from+1)
		if t.from > t.format.from {
			description = fmt.Sprintf("the value of $%d", word)
		}
		c.prompt.argument(fileArgument{Name: t.names[word], Description: description})
	}
	last := 0
	for _, p := range t.places {
		c.prompt.literal(t.body[last:p.from])
		last = p.to
		switch {
		case p.kind == placeText, p.kind == placeKept:
			c.prompt.literal(p.text)
		case p.kind == placeAll:
			c.prompt.placeholder(fileArgument{Name: allWords, Description: cmp.Or(t.hint, "the text after the command"), Required: t.folder})
		case p.kind == placeValue:
			c.prompt.placeholder(p.argument)
		case p.kind == placeWord && t.keeps:
			c.prompt.placeholderOr(fileArgument{Name: t.names[p.word]}, p.text)
		default:
			c.prompt.placeholder(fileArgument{Name: t.names[p.word]})
		}
	}
	c.prompt.literal(strings.TrimRight(t.body[last:], " \t\n"))
	if strings.TrimSpace(t.body) == "" {
		return
	}
	switch label := t.label; {
	case len(words) > 0 || t.has(placeAll):
	case t.folder: // the text is of no use without
		c.prompt.literal("\n\n")
		c.prompt.placeholder(fileArgument{Name: allWords, Description: "the text to work on", Required: true})
	default:
		if label == "/" {
			label += commandName(c.source) + " "
		}
		c.prompt.appended(fileArgument{Name: allWords, Description: cmp.Or(t.hint, "additional text")}, label)
	}
}

var notInCommandName = regexp.MustCompile(`[^a-zA-Z0-9_.-]`)

// commandName returns the name of a command in Gemini CLI.
func commandName(source string) string {
	segments := strings.Split(strings.TrimSuffix(source, path.Ext(source)), "/")
	for i, s := range segments {
		segments[i] = notInCommandName.ReplaceAllString(s, "_")
	}
	return strings.Join(segments, ":")
}

func firstSentence(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			return firstLine(line)
		}
	}
	return firstLine(text)
}
