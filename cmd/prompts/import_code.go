package main

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// span is a part of a text, from the first byte to the one after the last.
type span struct{ from, to int }

// deepLine is a line in so many lists and quotes that the work for each would be that for all
// levels. No line of a person is.
var deepLine = regexp.MustCompile(`(?m)^[ \t>*+.0-9-]{200}.*$`)

// codeSpans returns the code of a Markdown text, in order: blocks and spans.
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

// isIn reports whether an offset is in one of the spans, which are in order.
func isIn(spans []span, offset int) bool {
	i, _ := slices.BinarySearchFunc(spans, offset, func(s span, offset int) int {
		if s.to <= offset {
			return -1
		}
		return 1
	})
	return i < len(spans) && spans[i].from <= offset
}

// isWord reports whether a byte is a letter, a digit or _ of ASCII, as \w in the
// regular expressions of JavaScript.
func isWord(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z'
}

// wordAfter reports whether a text begins with a byte of a word.
func wordAfter(s string) bool { return s != "" && isWord(s[0]) }

// digits returns the digits that a text begins with.
func digits(s string) string { return s[:len(s)-len(strings.TrimLeft(s, "0123456789"))] }
