package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts/internal/coverage"
	"github.com/mcp-prompts/prompts/internal/sample"
	"github.com/mcp-prompts/prompts/internal/schema"
)

// coverageReport is what the cases render, and what they do not.
type coverageReport struct {
	Total  int      `json:"total"` // branches, arguments, values, partials and prompts
	Missed []missed `json:"missed"`
}

// missed is something that no case renders.
type missed struct {
	Path    string `json:"path"`
	Line    int    `json:"line,omitempty"`
	Prompt  string `json:"prompt,omitempty"`
	Kind    string `json:"kind"` // prompt, branch, argument, value or partial
	Message string `json:"message"`
}

func (m missed) String() string { return placeOf(m.Path, m.Line, 0) + ": not covered: " + m.Message }

// never says what does not happen if a branch is not rendered, by the begin of its action
// and by whether it is the branch for else.
var never = map[bool]map[string]string{
	false: {"if": "is never true", "with": "never has a value", "range": "never has an element"},
	true:  {"if": "is never false", "with": "is never empty", "range": "is never empty"},
}

// coverage returns what no case renders, in the order of the files. Cases that expect an
// error render nothing.
func (s *testSuite) coverage(blocks *coverage.Coverage, t *testRun, results []testResult) coverageReport {
	report := coverageReport{Missed: []missed{}}
	count := func(isCovered bool, m missed) {
		if report.Total++; !isCovered {
			report.Missed = append(report.Missed, m)
		}
	}
	given := map[string]map[string]map[string]bool{} // values, by prompt and argument
	for _, r := range results {
		name := r.c.File.Prompt
		if given[name] == nil {
			given[name] = map[string]map[string]bool{}
		}
		for argument, value := range r.c.Arguments {
			if given[name][argument] == nil {
				given[name][argument] = map[string]bool{}
			}
			if r.hasText {
				given[name][argument][value] = true
			}
		}
	}
	lines := newLineReader(s.dir).lines
	lineOf := newLineFinder(lines)
	for p := range s.registry.All() {
		if !isSelected(t.pattern, p.Name) {
			continue
		}
		count(given[p.Name] != nil, missed{Path: p.Source, Prompt: p.Name, Kind: "prompt", Message: "no case is of prompt " + p.Name})
		if given[p.Name] == nil {
			continue // everything else of it would be in the list, too
		}
		lineOfArgument := argumentLines(lines(p.Source))
		for _, a := range p.Arguments {
			values, line := given[p.Name][a.Name], lineOfArgument[a.Name]
			count(len(values) > 0, missed{p.Source, line, p.Name, "argument", fmt.Sprintf("no case gives argument %q", a.Name)})
			if len(values) == 0 {
				continue
			}
			elements := map[string]bool{} // of lists
			if s := schema.Of(a.Schema); s != nil && s.Type == "array" {
				for list := range values {
					addElements(elements, list)
				}
			}
			for _, value := range sample.Finite(schema.Of(a.Schema)) {
				count(values[value] || elements[value], missed{p.Source, line, p.Name, "value", fmt.Sprintf("no case gives argument %q the value %q", a.Name, value)})
			}
		}
	}
	files := partialFiles(s.dir)
	isRendered := map[string]bool{} // partials
	for _, b := range blocks.Blocks() {
		if b.Action == "" {
			isRendered[b.Partial] = b.IsRendered
		}
	}
	for _, b := range blocks.Blocks() {
		switch {
		case b.Partial != "" && t.pattern != "":
			continue // of prompts that are not selected
		case b.Partial != "" && b.Action != "" && !isRendered[b.Partial]:
			continue // everything in it would be in the list, too
		case b.Partial != "":
			file := files[b.Partial]
			m := missed{Path: file, Kind: "partial", Message: fmt.Sprintf("no case renders partial %q", b.Partial)}
			if b.Action != "" {
				m.Kind, m.Line, m.Message = "branch", lineOf(file, b.Text, b.Line), b.Action+" "+neverOf(b)
			}
			count(b.IsRendered, m)
		case given[b.Prompt] != nil:
			p, ok := s.registry.Lookup(b.Prompt)
			if !ok { // another file has the name
				continue
			}
			count(b.IsRendered, missed{p.Source, lineOf(p.Source, b.Text, b.Line), b.Prompt, "branch", b.Action + " " + neverOf(b)})
		}
	}
	slices.SortStableFunc(report.Missed, func(a, b missed) int { return cmp.Or(strings.Compare(a.Path, b.Path), a.Line-b.Line) })
	return report
}

func neverOf(b coverage.Block) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(b.Action, "{{"), " ")
	return never[b.IsElse][name]
}

// addElements adds the elements of an array, as text.
func addElements(to map[string]bool, list string) {
	for value := range strings.SplitSeq(strings.Trim(list, "[]"), ",") {
		to[strings.Trim(strings.TrimSpace(value), `"`)] = true
	}
}
