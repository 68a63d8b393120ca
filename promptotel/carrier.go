package promptotel

import (
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"go.opentelemetry.io/otel/propagation"
)

// carrier is a _meta as JSON, of which propagators read strings. The server has parsed it:
// it is a valid object, and has no name twice.
type carrier string

var _ propagation.TextMapCarrier = carrier("")

// Get returns a member.
func (c carrier) Get(name string) string {
	for other, value := range c.members() {
		if other != name {
			continue
		}
		text := unquoted(value)
		if name == "baggage" && !isBaggage(text) {
			return "" // which the propagator would report, to a log that clients must not fill
		}
		return text
	}
	return ""
}

// Set does nothing: a propagator only extracts.
func (c carrier) Set(string, string) {}

// Keys returns the names of the members.
func (c carrier) Keys() []string {
	var names []string
	for name := range c.members() {
		names = append(names, name)
	}
	return slices.Clip(names)
}

const space = " \t\r\n"

func (c carrier) members() iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		rest, ok := strings.CutPrefix(strings.TrimLeft(string(c), space), "{")
		for ok {
			rest = strings.TrimLeft(rest, space)
			end := lengthOfString(rest)
			if end == 0 {
				return
			}
			name := rest[:end]
			rest = strings.TrimLeft(strings.TrimPrefix(strings.TrimLeft(rest[end:], space), ":"), space)
			end = lengthOfValue(rest)
			if !yield(unquoted(name), rest[:end]) {
				return
			}
			rest, ok = strings.CutPrefix(strings.TrimLeft(rest[end:], space), ",")
		}
	}
}

// lengthOfString returns the length of the JSON string with which text begins; 0 if it
// begins with another value.
func lengthOfString(text string) int {
	if !strings.HasPrefix(text, `"`) {
		return 0
	}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// lengthOfValue returns the length of the JSON value with which text begins, with the space
// after a number or a literal.
func lengthOfValue(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i += lengthOfString(text[i:]) - 1
		case '{', '[':
			depth++
			continue
		case '}', ']', ',':
			if text[i] != ',' {
				depth--
			}
			if depth < 0 || depth == 0 && text[i] == ',' {
				return i
			}
		default:
			continue
		}
		if depth == 0 {
			return min(i+1, len(text))
		}
	}
	return len(text)
}

// unquoted returns the text of a JSON string; "" for another value.
func unquoted(value string) string {
	if lengthOfString(value) == len(value) && len(value) > 1 && !strings.Contains(value, `\`) {
		return value[1 : len(value)-1]
	}
	var text string
	if strings.HasPrefix(value, `"`) {
		_ = json.Unmarshal([]byte(value), &text)
	}
	return text
}
