package prompttemplate

import (
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts/internal/suggest"
)

// advice returns what to write instead of name: the name that is near,
// else what otherwise says.
func advice(name string, names []string, otherwise string) string {
	if n := suggest.Near(name, names); n != "" {
		return "did you mean " + n + "?"
	}
	return otherwise
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
