package prompttemplate

import (
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/mcp-prompts/prompts/internal/nearest"
)

// suggestion returns the fix for an unknown name: the known name that is near, else otherwise.
func suggestion(name string, names []string, otherwise string) string {
	if n := nearest.Name(name, names); n != "" {
		return fmt.Sprintf("did you mean %q?", n)
	}
	return otherwise
}

// partialFix returns the fix for an unknown partial. Its file is that of a folder of prompts.
func partialFix(name string) string {
	return fmt.Sprintf("create the partial: the file _partials/%s.md, or Options.Partials in Go", shortened(name))
}

func oneOf(otherwise string, names []string) string {
	if len(names) == 0 {
		return otherwise
	}
	const most = 12
	names = slices.Clone(names)
	if len(names) > most {
		names = append(names[:most], "...")
	}
	return otherwise + ", or use one of: " + strings.Join(names, ", ")
}

// The functions that are put into the parse trees.
const (
	stepFunc  = "_step"    // at the beginning of what a range repeats, with a number
	rangeFunc = "_range"   // behind what a range goes through
	madeFunc  = "_made"    // behind a call of code that is not ours
	openFunc  = "_open"    // the same, if the value may be of any type
	orEmpty   = "_orEmpty" // behind a value that is written
	coverFunc = "_cover"   // at the beginning of a block, for a coverage, with its number
	traceFunc = "_trace"   // before what is written, for a trace, with a place
)

// isInternal reports whether a function is one of those.
func isInternal(name string) bool {
	return strings.HasPrefix(name, stepFunc) || name == rangeFunc || name == madeFunc || name == openFunc || name == orEmpty || name == coverFunc || name == traceFunc
}

// ours are the functions that this package adds to those of text/template; the
// author cannot replace them.
var ours = []string{"fence", "untrusted", "json"}

// builtins are the functions of text/template.
var builtins = map[string]bool{
	"and": true, "call": true, "html": true, "index": true, "slice": true, "js": true, "len": true, "not": true,
	"or": true, "print": true, "printf": true, "println": true, "urlquery": true,
	"eq": true, "ge": true, "gt": true, "le": true, "lt": true, "ne": true,
}

// isFunction reports whether templates have a function. author has those of the author.
func isFunction(author template.FuncMap, name string) bool {
	_, isAuthors := author[name]
	return isAuthors || builtins[name] || slices.Contains(ours, name) || name == "list"
}
