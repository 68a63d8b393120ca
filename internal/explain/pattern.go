package explain

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/mcp-prompts/prompts/internal/phrase"
)

// unsupported are parts of the regular expressions of other programs, which RE2 does not have.
var unsupported = []struct {
	begin     *regexp.Regexp
	name, fix string
}{
	{regexp.MustCompile(`^\(\?[=!]`), "lookahead", "write which values are valid, such as ^[a-z]+$"},
	{regexp.MustCompile(`^\(\?<[=!]`), "lookbehind", "write which values are valid, such as ^[a-z]+$"},
	{regexp.MustCompile(`^\(\?>`), "atomic group", "write (?: in place of (?>"},
	{regexp.MustCompile(`^\\[1-9k]`), "backreference", "write the part again"},
	{regexp.MustCompile(`^\\Z`), `escape \Z`, `write $ in place of \Z`},
	{regexp.MustCompile(`^\\h`), `escape \h`, `write [ \t] in place of \h`},
	{regexp.MustCompile(`^\{[\d,]+\}`), "count above 1000", "write a count of at most 1000"},
	{regexp.MustCompile(`^\(\?#`), "comment", "remove the comment"},
	{regexp.MustCompile(`^\(\?\(`), "condition", "write which values are valid, such as ^[a-z]+$"},
	{regexp.MustCompile(`^\(\?\|`), "branch reset", "write (?: in place of (?|"},
	{regexp.MustCompile(`^\\u`), `escape \u`, `write \x{00e9} in place of \u00e9`},
	{regexp.MustCompile(`^[*+?]\+`), "possessive quantifier", "remove the second +"},
}

// Pattern returns the error of package regexp in a pattern, and the fix for syntax that RE2, which
// the package implements, does not have.
func Pattern(err error, pattern string) (message, fix string) {
	if e := (*syntax.Error)(nil); errors.As(err, &e) {
		for _, u := range unsupported {
			if begin := u.begin.FindString(e.Expr); begin != "" {
				return fmt.Sprintf("RE2 has no %s, got %s in %s", u.name, begin, phrase.Clip(pattern, 64)), u.fix
			}
		}
	}
	message = strings.TrimPrefix(err.Error(), "error parsing regexp: ") // which quotes a part of the pattern
	if !strings.HasSuffix(message, "`"+pattern+"`") {
		message += " in " + phrase.Clip(pattern, 64)
	}
	return message, ""
}
