package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"golang.org/x/text/unicode/norm"

	"github.com/mcp-prompts/prompts/internal/promptfile"
)

type lineReader struct {
	dirs  []string
	files map[string][]string // lines by path
}

func newLineReader(dir string) *lineReader { return &lineReader{dirs: []string{dir}} }

func (r *lineReader) fileOf(path string) (dir, name string) {
	for _, dir := range r.dirs {
		if name, ok := strings.CutPrefix(path, prefixOf(dir)); ok {
			return dir, name
		}
	}
	return "", path
}

func (r *lineReader) lines(path string) []string {
	if lines, ok := r.files[path]; ok {
		return lines
	}
	text, err := readText(r.fileOf(path))
	if err != nil { // was reported, or was removed
		return nil
	}
	if r.files == nil {
		r.files = map[string][]string{}
	}
	r.files[path] = strings.Split(text, "\n")
	return r.files[path]
}

func argumentLines(lines []string) map[string]int {
	var front struct{ Arguments []struct{ Name string } }
	keys, _, _ := promptfile.Split(strings.Join(lines, "\n"))
	value, lineOf, _ := promptfile.ParseYAML("", []byte("\n"+keys)) // from line 1 on; errors were reported
	_ = json.Unmarshal(value, &front)
	all := map[string]int{}
	for i, a := range slices.Backward(front.Arguments) {
		all[a.Name] = lineOf(fmt.Sprintf("/arguments/%d/name", i))
	}
	return all
}

// escaping is the beginning of a line that is no separator between messages.
var escaping = regexp.MustCompile(`(?m)^\\+`)

// comparableText returns a text without escaped lines, and in NFC, as the names of partials in templates.
func comparableText(text string) string { return norm.NFC.String(escaping.ReplaceAllString(text, "")) }

// folded returns a name without case, and with one form for characters that look the same.
func folded(name string) string { return strings.ToLower(norm.NFKC.String(name)) }

// The function returns the line of a file for a line of a text in it, both from 1, or 0.
func newLineFinder(lines func(path string) []string) func(path, text string, line int) int {
	files := map[string]*textFinder{}
	return func(path, text string, line int) int {
		f := files[path]
		if f == nil {
			_, body, line := promptfile.Split(strings.Join(lines(path), "\n"))
			line = max(line, 1) // front matter of a partial is text
			f = &textFinder{body: comparableText(body), begin: line, line: line}
			files[path] = f
		}
		if text != f.text {
			f.find(text)
		}
		if f.first == 0 {
			return 0
		}
		return f.first + line - 1
	}
}

// textFinder begins each search behind the text before: most texts have the order of the file.
type textFinder struct {
	body     string // of comparableText it
	begin    int    // the line of the body
	at, line int    // where the search begins
	text     string // that was found last
	first    int    // its line; 0 if the file does not have the text
}

func (f *textFinder) find(text string) {
	bare := comparableText(text)
	n := strings.Index(f.body[f.at:], bare)
	if n < 0 {
		f.at, f.line = 0, f.begin
		n = strings.Index(f.body[f.at:], bare)
	}
	f.text, f.first = text, 0
	if n >= 0 {
		f.first = f.line + strings.Count(f.body[f.at:f.at+n], "\n")
		f.at, f.line = f.at+n+len(bare), f.first+strings.Count(bare, "\n")
	}
}

// span is a part of a text, from the first byte to the one after the last.
type span struct{ from, to int }

// deepLine is a line in so many lists and quotes that the work for each would be that for all
// levels. No line of a person is.
var deepLine = regexp.MustCompile(`(?m)^[ \t>*+.0-9-]{200}.*$`)

func codeSpans(markdown string) []span {
	var all []span
	source := deepLine.ReplaceAllFunc([]byte(markdown), func(line []byte) []byte { return bytes.Repeat([]byte(" "), len(line)) })
	document := goldmark.DefaultParser().Parse(text.NewReader(source))
	add := func(s text.Segment) { all = append(all, span{s.Start, s.Stop}) }
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			lines := n.Lines()
			for i := range lines.Len() {
				add(lines.At(i))
			}
		case *ast.CodeSpan:
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				if t, ok := c.(*ast.Text); ok {
					add(t.Segment)
				}
			}
		}
		return ast.WalkContinue, nil
	})
	slices.SortFunc(all, func(a, b span) int { return a.from - b.from })
	return all
}

func codeOf(markdown string) func(offset int) bool {
	code := codeSpans(markdown)
	return func(offset int) bool { return isIn(code, offset) }
}

// isIn reports whether an offset is in one of the spans, which are in order.
func isIn(spans []span, offset int) bool {
	i := sort.Search(len(spans), func(i int) bool { return spans[i].to > offset })
	return i < len(spans) && spans[i].from <= offset
}

// wordStart matches a text that begins with a letter, a digit or _ of ASCII, as \w of JavaScript.
var wordStart = regexp.MustCompile(`^\w`)
