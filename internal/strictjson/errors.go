package strictjson

import (
	"fmt"

	"github.com/mcp-prompts/prompts/internal/phrase"
)

type Reason string

const (
	Empty            Reason = "empty input"
	UnexpectedEnd    Reason = "unexpected end of input"
	TrailingData     Reason = "unexpected data after the JSON value"
	ByteOrderMark    Reason = "unexpected byte order mark"
	ExpectedValue    Reason = "expected a value"
	ExpectedKey      Reason = "expected an object key"
	ExpectedColon    Reason = "expected a colon"
	ExpectedComma    Reason = "expected a comma or a closing bracket"
	InvalidLiteral   Reason = "invalid literal"
	InvalidNumber    Reason = "invalid number"
	InvalidEscape    Reason = "invalid escape sequence"
	ControlCharacter Reason = "unescaped control character in string"
	InvalidUTF8      Reason = "invalid UTF-8"
	TooLong          Reason = "input is 4 GiB or larger"
)

type SyntaxError struct {
	Offset int    // of the first byte that cannot stand where it is
	Reason Reason // one of the constants above
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("invalid JSON at byte %d: %s", e.Offset, string(e.Reason))
}

// A Rule is a rule of this package that well-formed JSON can break.
type Rule uint8

const (
	DuplicateKey      Rule = iota + 1 // the decoded keys of an object are distinct
	Depth                             // containers nest no deeper than the limit
	UnpairedSurrogate                 // an escape for half of a surrogate pair is followed by the other half
)

// A RuleError reports the first place where well-formed JSON breaks a rule.
type RuleError struct {
	Rule   Rule
	Offset int    // of the second of the equal keys, of the bracket that opens one level too many, or of the string
	Key    string // the decoded key, for DuplicateKey
	Limit  int    // the levels that are allowed, for Depth
}

func (e *RuleError) Error() string {
	switch e.Rule {
	case DuplicateKey:
		return fmt.Sprintf("duplicate key %s at byte %d", phrase.Quote(e.Key), e.Offset)
	case UnpairedSurrogate:
		return fmt.Sprintf("unpaired surrogate escape in the string at byte %d", e.Offset)
	}
	return fmt.Sprintf("nesting exceeds %d levels at byte %d", e.Limit, e.Offset)
}
