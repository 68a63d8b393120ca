package explain_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mcp-prompts/prompts/internal/explain"
)

// Each part of a pattern that RE2 does not have has a name and a fix.
func TestPattern(t *testing.T) {
	t.Parallel()
	const valid = "write which values are valid, such as ^[a-z]+$"
	for _, c := range [][3]string{
		{`(?=a)b`, "RE2 has no lookahead, got (?= in (?=a)b", valid},
		{`^(?!a)b`, "RE2 has no lookahead, got (?! in ^(?!a)b", valid},
		{`(?<=a)b`, "RE2 has no lookbehind, got (?<= in (?<=a)b", valid},
		{`x(?<!a)b(?P<n>c)`, "RE2 has no lookbehind, got (?<! in x(?<!a)b(?P<n>c)", valid},
		{`(?>a)b`, "RE2 has no atomic group, got (?> in (?>a)b", "write (?: in place of (?>"},
		{`(a)\1`, `RE2 has no backreference, got \1 in (a)\1`, "write the part again"},
		{`(?P<n>a)\k<n>`, `RE2 has no backreference, got \k in (?P<n>a)\k<n>`, "write the part again"},
		{`\u00e9`, `RE2 has no escape \u, got \u in \u00e9`, `write \x{00e9} in place of \u00e9`},
		{`\d{3}\Z`, `RE2 has no escape \Z, got \Z in \d{3}\Z`, `write $ in place of \Z`},
		{`\h`, `RE2 has no escape \h, got \h in \h`, `write [ \t] in place of \h`},
		{`a{2000}`, "RE2 has no count above 1000, got {2000} in a{2000}", "write a count of at most 1000"},
		{`(?#c)`, "RE2 has no comment, got (?# in (?#c)", "remove the comment"},
		{`(?(1)a|b)`, "RE2 has no condition, got (?( in (?(1)a|b)", valid},
		{`(?|a)`, "RE2 has no branch reset, got (?| in (?|a)", "write (?: in place of (?|"},
		{`a++`, "RE2 has no possessive quantifier, got ++ in a++", "remove the second +"},
		{`(a`, "missing closing ): `(a`", ""},
		{`(?<n`, "invalid named capture: `(?<n`", ""},
		{`\d\y`, "invalid escape sequence: `\\y` in \\d\\y", ""},
	} {
		_, err := regexp.Compile(c[0])
		message, fix := explain.Pattern(err, c[0])
		assert.Equal(t, c, [3]string{c[0], message, fix})
	}
}
