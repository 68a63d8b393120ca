package main

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// word is a word, a run of white space or another character: what the diff of a text
// compares.
var word = regexp.MustCompile(`[\pL\pN_]+|\n|[^\S\n]+|.`)

// piece is a part of two texts.
type piece struct {
	kind pieceKind
	text string
}

type pieceKind uint8

const (
	pieceSame pieceKind = iota
	pieceOld            // in the old text alone
	pieceNew            // in the new text alone
)

// wordDiff returns the pieces of two texts.
func wordDiff(a, b string) []piece {
	before, after := word.FindAllString(a, -1), word.FindAllString(b, -1)
	var pieces []piece
	add := func(kind pieceKind, words []string) {
		if len(words) > 0 {
			pieces = append(pieces, piece{kind, strings.Join(words, "")})
		}
	}
	at := 0
	for _, d := range lcs.DiffLines(before, after) {
		add(pieceSame, before[at:d.Start])
		add(pieceOld, before[d.Start:d.End])
		add(pieceNew, after[d.ReplStart:d.ReplEnd])
		at = d.End
	}
	add(pieceSame, before[at:])
	return pieces
}

// contextLines is how many lines are shown around a difference.
const contextLines = 2

// inlineDiff returns the lines of two texts around their differences, with what was
// removed and what was added marked by paint: by default [-old-] and {+new+}.
func inlineDiff(a, b string, paint func(kind pieceKind, text string) string) []string {
	lines, isChanged := [][]byte{nil}, []bool{false}
	for _, p := range wordDiff(a, b) {
		for i, part := range strings.Split(p.text, "\n") {
			last := len(lines) - 1
			if i > 0 {
				if p.kind != pieceSame {
					isChanged[last] = true
				}
				lines, isChanged = append(lines, nil), append(isChanged, false)
				last++
			}
			if part == "" {
				continue
			}
			if part = printable(part); p.kind != pieceSame {
				part, isChanged[last] = paint(p.kind, part), true
			}
			lines[last] = append(lines[last], part...)
		}
	}
	return around(lines, isChanged, func(line []byte) string { return string(line) })
}

// around returns the rows with a change and those around them, with … for others.
func around[T any](rows []T, isChanged []bool, show func(T) string) []string {
	var out []string
	shown := -1 // the last row that is in out
	for i := range rows {
		isNear := false
		for j := max(i-contextLines, 0); j <= min(i+contextLines, len(rows)-1); j++ {
			isNear = isNear || isChanged[j]
		}
		if !isNear {
			continue
		}
		if i > shown+1 {
			out = append(out, "…")
		}
		out, shown = append(out, show(rows[i])), i
	}
	if shown >= 0 && shown < len(rows)-1 {
		out = append(out, "…")
	}
	return out
}

// paintMarks marks pieces without colors.
func paintMarks(kind pieceKind, text string) string {
	if kind == pieceOld {
		return "[-" + text + "-]"
	}
	return "{+" + text + "+}"
}

// paintColors marks pieces with the colors of a terminal.
func paintColors(kind pieceKind, text string) string {
	if kind == pieceOld {
		return styled("31;9", text)
	}
	return styled("32", text)
}

// pair is a row of two columns.
type pair struct{ old, mark, new string }

// sideBySide returns two texts in two columns of a terminal with this width: the lines
// that differ, and those around them. The column between them is | for a line that
// changed, < for one that was removed, and > for one that was added.
func sideBySide(a, b string, width int, color bool) []string {
	column := max((width-3)/2, 20)
	var rows []pair
	var isChanged []bool
	add := func(old, mark, new string) {
		left, right := wrap(printable(old), column), wrap(printable(new), column)
		for i := range max(len(left), len(right)) {
			row := pair{mark: mark}
			if i < len(left) {
				row.old = left[i]
			}
			if i < len(right) {
				row.new = right[i]
			}
			rows, isChanged = append(rows, row), append(isChanged, mark != " ")
		}
	}
	before, after := strings.Split(a, "\n"), strings.Split(b, "\n")
	i, j := 0, 0
	same := func(end int) {
		for ; i < end; i, j = i+1, j+1 {
			add(before[i], " ", after[j])
		}
	}
	for _, d := range lcs.DiffLines(before, after) {
		same(d.Start)
		for i < d.End || j < d.ReplEnd {
			switch {
			case i == d.End:
				add("", ">", after[j])
				j++
			case j == d.ReplEnd:
				add(before[i], "<", "")
				i++
			default:
				add(before[i], "|", after[j])
				i, j = i+1, j+1
			}
		}
	}
	same(len(before))
	return around(rows, isChanged, func(p pair) string {
		left := p.old + strings.Repeat(" ", max(column-utf8.RuneCountInString(p.old), 0))
		right := p.new
		if color && p.mark != " " {
			left, right = styled("31", left), styled("32", right)
		}
		return strings.TrimRight(fmt.Sprintf("%s %s %s", left, p.mark, right), " ")
	})
}

// wrap breaks a line at the width, between words if it can.
func wrap(line string, width int) []string {
	var lines []string
	runes := []rune(line)
	for len(runes) > width {
		at := width
		for n := width; n > width/2; n-- {
			if runes[n] == ' ' {
				at = n
				break
			}
		}
		lines = append(lines, string(runes[:at]))
		for runes = runes[at:]; len(runes) > 0 && runes[0] == ' '; {
			runes = runes[1:]
		}
	}
	return append(lines, string(runes))
}
