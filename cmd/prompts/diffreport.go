package main

import (
	"bufio"
	"cmp"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/markdown"
)

var diffFormats = map[string]func(io.Writer, *diffReport) error{
	"text":     writeDiffText,
	"markdown": writeDiffMarkdown,
}

func writeDiffText(w io.Writer, r *diffReport) error {
	color := hasColor(w)
	paint := painter(color)
	paintPiece := paintMarks
	if color {
		paintPiece = paintColors
	}
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
		texts(d.Texts, "%s", func(t textDiff) []string { return inlineDiff(t.Old, t.New, paintPiece) })
		texts(d.Cases, "case %q", func(t textDiff) []string { return sideBySide(t.Old, t.New, widthOf(r.out)-4, color) })
	}
	fmt.Fprintf(b, "%s with changes, %s\n", plural(len(r.Prompts), "prompt"), plural(r.Breaking, "breaking change"))
	return b.Flush()
}

// valueOrNone returns a value on one line.
func valueOrNone(s string) string { return cmp.Or(shortened(s), "(none)") }

// maxMarkdownBytes is the size of a report in Markdown. A comment of GitHub has at most
// 65,536 characters.
const maxMarkdownBytes = 60_000

// writeDiffMarkdown writes a report for a comment on a pull request.
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
