package main

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/mcp-prompts/prompts/internal/coverage"
	"github.com/mcp-prompts/prompts/internal/regular"
	"github.com/mcp-prompts/prompts/internal/sample"
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

func (m missed) String() string {
	place := m.Path
	if m.Line > 0 {
		place += fmt.Sprintf(":%d", m.Line)
	}
	return place + ": not covered: " + m.Message
}

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
	lines := newLineReader(s.dir)
	for p := range s.registry.All() {
		if !isSelected(t.pattern, p.Name) {
			continue
		}
		count(given[p.Name] != nil, missed{Path: p.Source, Prompt: p.Name, Kind: "prompt", Message: "no case is of prompt " + p.Name})
		if given[p.Name] == nil {
			continue // everything else of it would be in the list, too
		}
		lineOf := argumentLines(lines(p.Source))
		for _, a := range p.Arguments {
			values, line := given[p.Name][a.Name], lineOf[a.Name]
			count(len(values) > 0, missed{p.Source, line, p.Name, "argument", fmt.Sprintf("no case gives argument %q", a.Name)})
			finite := sample.Finite(a.Schema)
			if len(values) == 0 {
				continue
			}
			for _, value := range finite {
				has := values[value]
				for list := range values { // of which the value may be an element
					has = has || a.Schema.Type == "array" && hasElement(list, value)
				}
				count(has, missed{p.Source, line, p.Name, "value", fmt.Sprintf("no case gives argument %q the value %q", a.Name, value)})
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
			m := missed{Path: file, Line: lineIn(lines(file), b), Kind: "branch", Message: b.Action + " " + neverOf(b)}
			if b.Action == "" {
				m.Kind, m.Line, m.Message = "partial", 0, fmt.Sprintf("no case renders partial %q", b.Partial)
			}
			count(b.IsRendered, m)
		case given[b.Prompt] != nil:
			p, ok := s.registry.Lookup(b.Prompt)
			if !ok { // another file has the name
				continue
			}
			count(b.IsRendered, missed{p.Source, lineIn(lines(p.Source), b), b.Prompt, "branch", b.Action + " " + neverOf(b)})
		}
	}
	slices.SortStableFunc(report.Missed, func(a, b missed) int {
		if c := strings.Compare(a.Path, b.Path); c != 0 {
			return c
		}
		return a.Line - b.Line
	})
	return report
}

func neverOf(b coverage.Block) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(b.Action, "{{"), " ")
	return never[b.IsElse][name]
}

// hasElement reports whether an array, as text, has an element.
func hasElement(list, element string) bool {
	for value := range strings.SplitSeq(strings.Trim(list, "[]"), ",") {
		if strings.Trim(strings.TrimSpace(value), `"`) == element {
			return true
		}
	}
	return false
}

// lineIn returns the line of a file in which a block begins; 0 if its text is not found,
// as that of a message with an escaped separator. The texts of messages are in the file
// as they are.
func lineIn(lines []string, b coverage.Block) int {
	file := strings.Join(lines, "\n")
	at := strings.Index(file, b.Text)
	if at < 0 {
		return 0
	}
	if front, body, ok := strings.Cut(file, "\n---"); ok && strings.HasPrefix(file, "---") && at < len(front) { // in the front matter
		if again := strings.Index(body, b.Text); again >= 0 {
			at = len(file) - len(body) + again
		}
	}
	return 1 + strings.Count(file[:at], "\n") + b.Line - 1
}

// partialFiles returns the paths of partials by their names.
func partialFiles(dir string) map[string]string {
	files := map[string]string{}
	const folder = "_partials"
	_ = fs.WalkDir(regular.FS(dir), folder, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && name != folder { // errors were reported
			called := strings.TrimPrefix(strings.TrimSuffix(name, path.Ext(name)), folder+"/")
			files[norm.NFC.String(called)] = prefixOf(dir) + name
		}
		return nil
	})
	return files
}
