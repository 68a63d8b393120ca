package prompts

import (
	"strings"
	"unicode"
)

// Doc returns a Markdown table of the registry's prompts and their arguments,
// in the order in which clients get them, for a README. The descriptions are
// those that clients see, hints included. It ends with a line break, and
// depends on nothing but the prompts, so that a test can tell whether a document
// still has it.
func Doc(r *Registry) string {
	var b strings.Builder
	b.WriteString("| Prompt | Argument | Required | Description |\n|---|---|---|---|\n")
	for _, d := range r.snapshot().All() {
		p := &d.prompt
		name := cellCode(p.Name)
		if p.Version != "" {
			name += " " + cell(p.Version)
		}
		about := cell(p.Title)
		if about != "" {
			about = "**" + about + "**"
		}
		row(&b, name, "", "", joined("<br>", about, cell(p.Description)))
		for i := range d.plan.arguments {
			a := &d.plan.arguments[i]
			required, description := "", a.Description
			if a.Required {
				required = "yes"
			}
			if !p.NoHints {
				description = a.hinted()
			}
			row(&b, "", cellCode(a.Name), required, joined(": ", cell(a.Title), cell(description)))
		}
	}
	return b.String()
}

func row(b *strings.Builder, cells ...string) {
	for _, c := range cells {
		b.WriteString("|")
		if c != "" {
			b.WriteString(" " + c)
		}
		b.WriteString(" ")
	}
	b.WriteString("|\n")
}

// cell returns text as it is read, in a cell of a table.
func cell(text string) string {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	for i, line := range lines {
		lines[i] = inline(strings.TrimSpace(line))
	}
	return joined("<br>", lines...)
}

// inline returns one line of text as it is read.
func inline(line string) string {
	runes := []rune(line)
	isWord := func(i int) bool {
		return i >= 0 && i < len(runes) && (unicode.IsLetter(runes[i]) || unicode.IsDigit(runes[i]))
	}
	var b strings.Builder
	for i, r := range runes {
		switch r {
		case '_': // within a word it means nothing
			if !isWord(i-1) || !isWord(i+1) {
				b.WriteByte('\\')
			}
		case '\\', '`', '*', '[', ']', '<', '>', '|', '~', '&':
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// cellCode returns a name as code, in a cell of a table.
func cellCode(name string) string {
	fence := strings.Repeat("`", 1+longestRun(name, '`'))
	if strings.HasPrefix(name, "`") || strings.HasSuffix(name, "`") {
		name = " " + name + " " // which is not shown
	}
	return fence + strings.ReplaceAll(name, "|", `\|`) + fence
}
