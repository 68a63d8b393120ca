package prompts

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// This file says the rules for a value, to people and to programs.

// choice says one of several texts: in quotes if without them it could not be
// seen where it begins and ends.
func choice(text string) string {
	if text == "" || strings.Contains(text, ",") || strings.TrimSpace(text) != text {
		return strconv.Quote(text)
	}
	return text
}

// choices says the texts of an enum.
func (r *rules) choices() string {
	return listed(r.texts, choice)
}

func enumeration(values []string) string {
	return listed(values, func(text string) string { return text })
}

// listed says the first of the values, and how many there are beyond.
func listed[T any](values []T, say func(T) string) string {
	const most = 12
	texts := make([]string, min(len(values), most))
	for i := range texts {
		texts[i] = say(values[i])
	}
	text := strings.Join(texts, ", ")
	if len(values) > most {
		text += fmt.Sprintf(" and %d more", len(values)-most)
	}
	return text
}

func (r *rules) length() string {
	return counted(r.minLength, r.maxLength, "character", "characters")
}

func (r *rules) items() string {
	return counted(r.minItems, r.maxItems, "element", "elements")
}

// counted says a range of counts: "1 to 3 elements"; nothing without a bound.
func counted(low, high *int, one, many string) string {
	noun := func(n int) string {
		if n == 1 {
			return one
		}
		return many
	}
	switch {
	case low == nil && high == nil:
		return ""
	case low == nil:
		return fmt.Sprintf("at most %d %s", *high, noun(*high))
	case high == nil:
		return fmt.Sprintf("at least %d %s", *low, noun(*low))
	case *low == *high:
		return fmt.Sprintf("%d %s", *low, noun(*low))
	}
	return fmt.Sprintf("%d to %d %s", *low, *high, many)
}

// bounds says the range of a number: "from 1 to 10".
func (r *rules) bounds() string {
	var parts []string
	if r.minimum != nil && r.maximum != nil {
		parts = append(parts, "from "+decimal(*r.minimum)+" to "+decimal(*r.maximum))
	} else if r.minimum != nil {
		parts = append(parts, "at least "+decimal(*r.minimum))
	} else if r.maximum != nil {
		parts = append(parts, "at most "+decimal(*r.maximum))
	}
	if r.exclusiveMinimum != nil {
		parts = append(parts, "greater than "+decimal(*r.exclusiveMinimum))
	}
	if r.exclusiveMaximum != nil {
		parts = append(parts, "less than "+decimal(*r.exclusiveMaximum))
	}
	if r.multipleOf != nil {
		parts = append(parts, "a multiple of "+decimal(*r.multipleOf))
	}
	return strings.Join(parts, ", ")
}

// enumTexts returns the values of an enum that is not judged as text.
func (r *rules) enumTexts() []string {
	texts := make([]string, len(r.enum))
	for i, e := range r.enum {
		texts[i] = jsonText(e)
	}
	return texts
}

func decimal(f float64) string {
	switch size := math.Abs(f); {
	case size >= 1e21 || size != 0 && size < 1e-6:
		return strconv.FormatFloat(f, 'e', -1, 64)
	case f == math.Trunc(f):
		return strconv.FormatFloat(f, 'f', 0, 64) // all digits, not the shortest that will do
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// jsonText returns v as JSON, for a message.
func jsonText(v any) string {
	b, err := encodeJSON(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// limits is what a problem says was allowed, in the schema's words.
type limits struct {
	MinLength        *int     `json:"minLength,omitempty"`
	MaxLength        *int     `json:"maxLength,omitempty"`
	MinItems         *int     `json:"minItems,omitempty"`
	MaxItems         *int     `json:"maxItems,omitempty"`
	Minimum          *float64 `json:"minimum,omitempty"`
	Maximum          *float64 `json:"maximum,omitempty"`
	ExclusiveMinimum *float64 `json:"exclusiveMinimum,omitempty"`
	ExclusiveMaximum *float64 `json:"exclusiveMaximum,omitempty"`
	MultipleOf       *float64 `json:"multipleOf,omitempty"`
}

func (r *rules) lengths() limits {
	return limits{MinLength: r.minLength, MaxLength: r.maxLength}
}

func (r *rules) itemCounts() limits {
	return limits{MinItems: r.minItems, MaxItems: r.maxItems}
}

func (r *rules) limits() limits {
	return limits{
		Minimum: r.minimum, Maximum: r.maximum,
		ExclusiveMinimum: r.exclusiveMinimum, ExclusiveMaximum: r.exclusiveMaximum,
		MultipleOf: r.multipleOf,
	}
}
