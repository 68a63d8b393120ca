package prompttemplate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts/internal/nearest"
)

// suggestion returns the fix for an unknown name: the known name that is near, else
// otherwise.
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

// oneOf returns otherwise with the names, if there are any.
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
