package main

import (
	"bufio"
	"cmp"
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
	"github.com/aymanbagabas/go-udiff/lcs"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/markdown"
)

// word is what the diff of a text compares: a word, white space or another character.
var word = regexp.MustCompile(`[\pL\pN_]+|\n|[^\S\n]+|.`)

type piece struct {
	Kind pieceKind `json:"kind"`
	Text string    `json:"text"`
}

type pieceKind string

const (
	pieceSame pieceKind = "same"
	pieceOld  pieceKind = "old" // in the old text alone
	pieceNew  pieceKind = "new" // in the new text alone
)

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

const contextLines = 2 // that are shown around a difference

// inlineDiff returns the lines of two texts around their differences, which are marked.
func inlineDiff(a, b string, color bool) []string {
	lines, isChanged := [][]byte{nil}, []bool{false}
	for _, p := range wordDiff(a, b) {
		for i, part := range strings.Split(p.Text, "\n") {
			last := len(lines) - 1
			if i > 0 {
				isChanged[last] = isChanged[last] || p.Kind != pieceSame
				lines, isChanged = append(lines, nil), append(isChanged, false)
				last++
			}
			if part = printable(part); part != "" && p.Kind != pieceSame {
				part, isChanged[last] = markedPiece(p.Kind, part, color), true
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

func markedPiece(kind pieceKind, text string, color bool) string {
	switch {
	case color && kind == pieceOld:
		return styled("31;9", text)
	case color:
		return styled("32", text)
	case kind == pieceOld:
		return "[-" + text + "-]"
	}
	return "{+" + text + "+}"
}

type pair struct{ old, mark, new string }

// sideBySide returns the lines that differ, and those around them. The column between them is | for a line
// that changed, < for one that was removed, and > for one that was added.
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
	both := func(end int, mark string) {
		for ; i < end; i, j = i+1, j+1 {
			add(before[i], mark, after[j])
		}
	}
	for _, d := range lcs.DiffLines(before, after) {
		both(d.Start, " ")
		both(d.Start+min(d.End-d.Start, d.ReplEnd-d.ReplStart), "|")
		for ; i < d.End; i++ {
			add(before[i], "<", "")
		}
		for ; j < d.ReplEnd; j++ {
			add("", ">", after[j])
		}
	}
	both(len(before), " ")
	return around(rows, isChanged, func(p pair) string {
		left := p.old + strings.Repeat(" ", max(column-utf8.RuneCountInString(p.old), 0))
		right := p.new
		if color && p.mark != " " {
			left, right = styled("31", left), styled("32", right)
		}
		return strings.TrimRight(fmt.Sprintf("%s %s %s", left, p.mark, right), " ")
	})
}

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

var diffFormats = map[string]func(io.Writer, *diffReport) error{
	"text":     writeDiffText,
	"markdown": writeDiffMarkdown,
}

func writeDiffText(w io.Writer, r *diffReport) error {
	color := hasColor(w)
	paint := painter(color)
	b := bufio.NewWriter(w)
	for _, e := range r.Errors {
		fmt.Fprintf(b, "%s: %s\n", paint("1;33", "not compared"), printable(e))
	}
	texts := func(all []textDiff, form string, lines func(t textDiff) []string) {
		for _, t := range all {
			fmt.Fprintf(b, "  %s\n", paint("36", printable(fmt.Sprintf(form, t.Name))))
			shown := []string{leftOut}
			if !t.IsLeftOut {
				shown = lines(t)
			}
			for _, line := range shown {
				fmt.Fprintf(b, "    %s\n", line)
			}
		}
	}
	for _, d := range r.Prompts {
		fmt.Fprintf(b, "%s (%s)\n", paint("1", printable(d.Name)), printable(d.Path))
		for _, c := range d.Changes {
			line := "  " + printable(c.Key)
			if c.Old != "" || c.New != "" {
				line += ": " + valueOrNone(c.Old) + " → " + valueOrNone(c.New)
			}
			if c.Breaking {
				line += "  " + paint("1;31", "breaking")
			}
			fmt.Fprintf(b, "%s [%s]\n", line, c.Rule)
		}
		texts(d.Texts, "%s", func(t textDiff) []string { return inlineDiff(t.Old, t.New, color) })
		texts(d.Cases, "case %q", func(t textDiff) []string { return sideBySide(t.Old, t.New, widthOf(w)-4, color) })
	}
	fmt.Fprintf(b, "%s with changes, %s\n", plural(len(r.Prompts), "prompt"), plural(r.Breaking, "breaking change"))
	return b.Flush()
}

func valueOrNone(s string) string { return cmp.Or(shortened(s), "(none)") }

// maxMarkdownBytes is the size of a report in Markdown. A comment of GitHub has at most
// 65,536 characters.
const maxMarkdownBytes = 60_000

func writeDiffMarkdown(w io.Writer, r *diffReport) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### Prompts: %s with changes, %s\n\n", plural(len(r.Prompts), "prompt"), plural(r.Breaking, "breaking change"))
	fmt.Fprintf(&b, "From %s to %s.\n\n", markdown.Cell(r.Old), markdown.Cell(r.New))
	for _, e := range r.Errors {
		fmt.Fprintf(&b, "- Not compared: %s\n", markdown.Cell(e))
	}
	if len(r.Prompts) > 0 {
		b.WriteString("| Prompt | Change | Before | After | Breaking |\n|---|---|---|---|---|\n")
	}
	nLeftOut := 0
	for _, d := range r.Prompts {
		name := d.Name
		for _, c := range d.Changes {
			if b.Len() > maxMarkdownBytes/2 {
				nLeftOut++
				continue
			}
			breaking := ""
			if c.Breaking {
				breaking = "**yes**"
			}
			markdown.Row(&b, markdown.Cell(name), markdown.Cell(c.Key), markdown.Cell(shortened(c.Old)), markdown.Cell(shortened(c.New)), breaking)
			name = ""
		}
	}
	details := func(title string, t textDiff) {
		if t.IsLeftOut || b.Len() > maxMarkdownBytes*9/10 { // without a look at the text
			nLeftOut++
			return
		}
		diff := udiff.Unified("before", "after", t.Old+"\n", t.New+"\n")
		// The line is a block of HTML, in which Markdown has no escapes.
		part := fmt.Sprintf("\n<details><summary>%s</summary>\n\n%s\n\n</details>\n", html.EscapeString(printable(title)), strings.TrimRight(prompts.Fence("diff", diff), "\n"))
		if b.Len()+len(part) > maxMarkdownBytes {
			part = fmt.Sprintf("\n%s: %s.\n", markdown.Cell(title), leftOut)
		}
		b.WriteString(part)
	}
	for _, d := range r.Prompts {
		for _, t := range d.Texts {
			details(d.Name+": "+t.Name, t)
		}
		for _, t := range d.Cases {
			details(fmt.Sprintf("%s: messages of case %q", d.Name, t.Name), t)
		}
	}
	if nLeftOut > 0 {
		fmt.Fprintf(&b, "\n%s: %s.\n", plural(nLeftOut, "more change"), leftOut)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
