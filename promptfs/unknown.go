package promptfs

import (
	"fmt"
	"strings"

	"github.com/mcp-prompts/prompts/internal/nearest"
)

// suggestion returns a hint for an unknown word: the closest of words, or all of words if
// none is close.
func suggestion(word string, words []string) string {
	if n := nearest.Name(word, words); n != "" {
		return fmt.Sprintf("did you mean %q?", n)
	}
	return "use one of: " + strings.Join(words, ", ")
}
