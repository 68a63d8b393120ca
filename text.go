package prompts

import (
	"strings"

	"github.com/mcp-prompts/prompts/internal/markdown"
	"github.com/mcp-prompts/prompts/internal/phrase"
)

// This file writes Markdown for prompts and their documentation.

// Fence returns code as a Markdown code block in the given language, which may
// be empty. The fence is longer than every run of backticks in code, so code
// cannot end the block. A language that could end the line is left out.
func Fence(language, code string) string { return markdown.Fence(language, code) }

// Untrusted returns text from a user or an outside source in a frame that marks the
// text as data rather than instructions. The frame is a sentence followed by the
// text, byte for byte, between two marker lines. The label describes the text in a
// short noun phrase such as "the text". Default: "untrusted text". Control
// characters and line breaks in the label become spaces.
//
// Neither the text nor the label can end the frame or start another: the markers
// contain a hash of the text, lengthened until neither contains the hash. The same
// label and text always give the same frame, so that results can be cached and
// compared.
//
// Untrusted is a mitigation, not a guarantee. A model may still follow instructions
// inside the frame. Use other means to prevent dangerous effects.
func Untrusted(label, text string) string { return markdown.Untrusted(label, text) }

// Doc returns a Markdown table of the registry's prompts and arguments for a README,
// in list order. The descriptions are those of prompts/list, including hints. The
// table ends with a line break. The same prompts always give the same table, so a
// test can compare the table with a document.
func Doc(r *Registry) string {
	var b strings.Builder
	b.WriteString("| Prompt | Argument | Required | Description |\n|---|---|---|---|\n")
	for _, d := range r.snapshot().All() {
		p := &d.prompt
		name := markdown.CellCode(p.Name)
		if p.Version != "" {
			name += " " + markdown.Cell(p.Version)
		}
		about := markdown.Cell(p.Title)
		if about != "" {
			about = "**" + about + "**"
		}
		markdown.Row(&b, name, "", "", phrase.Join("<br>", about, markdown.Cell(p.Description)))
		for i := range d.plan.Arguments {
			a := &d.plan.Arguments[i]
			required, description := "", a.Description
			if a.Required {
				required = "yes"
			}
			if !p.DisableHints {
				description = a.DescriptionWithHint()
			}
			markdown.Row(&b, "", markdown.CellCode(a.Name), required, phrase.Join(": ", markdown.Cell(a.Title), markdown.Cell(description)))
		}
	}
	return b.String()
}
