// Package sample makes up values of arguments that their schemas accept, for checks
// and previews of prompts.
package sample

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts/internal/schema"
)

// Finite returns the values that a schema allows if they are few, such as those of an enum, and
// nil if they are not. For an array of such elements, it returns a list of each.
func Finite(s *jsonschema.Schema) []string {
	if s == nil {
		return nil
	}
	if values := enumerated(s); values != nil {
		return values
	}
	if s.Type == "array" && s.Items != nil {
		values := enumerated(s.Items)
		for i, v := range values {
			values[i] = listOf(s, []string{v})
		}
		return values
	}
	return nil
}

func enumerated(s *jsonschema.Schema) []string {
	var values []string
	switch {
	case s.Const != nil:
		values = []string{Text(*s.Const)}
	case len(s.Enum) > 0:
		for _, v := range s.Enum {
			values = append(values, Text(v))
		}
	case s.Type == "boolean":
		values = []string{"true", "false"}
	}
	return values
}

// Text returns a value of JSON as the text of an argument.
func Text(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	raw, _ := json.Marshal(v) // it comes from a schema that was encoded before
	return string(raw)
}

// Values returns texts of an argument called name that may satisfy its schema, each
// unlike the others. The first texts of an argument with structure satisfy the schema.
func Values(name string, s *jsonschema.Schema) []string {
	if s != nil && isStructured(s) {
		return slices.Concat(Instances(name, s), Several(name, s), guesses(name, s))
	}
	return guesses(name, s)
}

func guesses(name string, s *jsonschema.Schema) []string {
	if s == nil {
		s = new(jsonschema.Schema)
	}
	kinds := schema.TypesOf(s)
	if len(kinds) == 0 {
		kinds = []string{"string"}
	}
	var all []string
	for _, kind := range kinds {
		switch kind {
		case "boolean":
			all = append(all, "true", "false")
		case "integer", "number":
			all = append(all, numbers(s)...)
		case "array":
			all = append(all, lists(name, s)...)
		case "object":
			all = append(all, Instances(name, s)...)
		case "string":
			all = append(all, texts(name, s)...)
		}
	}
	if len(all) == 0 {
		return []string{"x"}
	}
	return all
}

// isStructured reports whether a value has parts, or depends on other parts of the schema.
// The elements of a comma-separated list are no parts.
func isStructured(s *jsonschema.Schema) bool {
	if schema.HasReference(s) || s.AllOf != nil || s.AnyOf != nil || s.OneOf != nil || slices.Contains(schema.TypesOf(s), "object") {
		return true
	}
	if !slices.Contains(schema.TypesOf(s), "array") {
		return false
	}
	if s.Items == nil {
		return s.PrefixItems != nil || s.Contains != nil
	}
	return len(schema.TypesOf(s.Items)) != 1 || slices.Contains([]string{"array", "object"}, s.Items.Type) || s.Items.Type == ""
}

// texts returns strings, and the texts of what Go types read: durations, URLs,
// times, addresses, base64.
func texts(name string, s *jsonschema.Schema) []string {
	word := "prompttest-" + strings.Map(func(r rune) rune {
		if r < 0x80 && (r == '-' || r == '_' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z') {
			return r
		}
		return '-'
	}, name)
	var all []string
	if s.Pattern != "" {
		all = matches(s.Pattern)
	}
	all = append(all,
		word+"-one", word+"-two", "1h30m", "2h45m", "https://example.com/"+word+"/one", "https://example.org/"+word+"/two",
		"2001-02-03T04:05:06Z", "2002-03-04T05:06:07Z", "2001-02-03", "2002-03-04", "04:05:06", "192.0.2.1", "192.0.2.2", "192.0.2.0/24", "198.51.100.0/24",
		"240h", "cHJvbXB0", "dGVzdA==", "1", "2", "3", "true", "false", "a", "b", "1.2.3", "user@example.com", "en", "de",
		"8f14e45f-ceea-467f-a8c1-1d2d3b4c5d6e",
	)
	if s.MinLength != nil || s.MaxLength != nil {
		all = append(sized(all[:2], s), all...)
	}
	return all
}

func sized(words []string, s *jsonschema.Schema) []string {
	var all []string
	for _, w := range words {
		if s.MaxLength != nil && len(w) > *s.MaxLength {
			w = w[len(w)-max(*s.MaxLength, 0):] // where the words differ
		}
		if s.MinLength != nil && len(w) < *s.MinLength {
			w += strings.Repeat("x", min(*s.MinLength, 1<<16)-len(w))
		}
		all = append(all, w)
	}
	return all
}

func numbers(s *jsonschema.Schema) []string {
	low, high := math.Inf(-1), math.Inf(1)
	step := 1.0
	if s.MultipleOf != nil && *s.MultipleOf > 0 {
		step = *s.MultipleOf
	}
	if s.Minimum != nil {
		low = *s.Minimum
	}
	if s.ExclusiveMinimum != nil {
		low = max(low, *s.ExclusiveMinimum+step)
	}
	if s.Maximum != nil {
		high = *s.Maximum
	}
	if s.ExclusiveMaximum != nil {
		high = min(high, *s.ExclusiveMaximum-step)
	}
	first := 0.0
	switch {
	case low > 0 || !math.IsInf(low, 0) && high < 0:
		first = math.Ceil(low/step) * step
	case high < 0:
		first = math.Floor(high/step) * step
	}
	var all []string
	add := func(f float64) {
		if f >= low && f <= high {
			all = append(all, strconv.FormatFloat(f, 'f', -1, 64))
		}
	}
	for i := range 8 {
		add(first + float64(i+1)*step)
	}
	add(first)
	for i := range 8 {
		add(first - float64(i+1)*step)
	}
	for _, f := range []float64{20, 100, 1000, 10_000} { // beyond where small ones are all the same
		add(first + f*step)
	}
	if s.Minimum != nil {
		add(low)
	}
	if s.Maximum != nil {
		add(high)
	}
	if s.Type == "number" && s.MultipleOf == nil {
		add((max(low, -1e6) + min(high, 1e6)) / 2)
		add(first + 0.5)
	}
	return all
}

func lists(name string, s *jsonschema.Schema) []string {
	var elements []string
	if s.Items != nil {
		elements = enumerated(s.Items)
	}
	items := s.Items
	if items == nil {
		items = new(jsonschema.Schema)
	}
	elements = append(elements, guesses(name, items)...)
	least := 1
	if s.MinItems != nil {
		least = max(least, *s.MinItems)
	}
	var all []string
	for i := 0; i < len(elements) && i < 24; i++ {
		var some []string
		for j := range min(least, 1024) {
			some = append(some, elements[(i+j)%len(elements)])
		}
		all = append(all, listOf(s, some))
	}
	if s.MaxItems == nil || *s.MaxItems > least { // and one that is longer
		var more []string
		for j := range min(least, 1024) + 1 {
			more = append(more, elements[j%len(elements)])
		}
		all = append(all, listOf(s, more))
	}
	return all
}

func listOf(s *jsonschema.Schema, elements []string) string {
	isJSON := s.Items != nil && (s.Items.Type == "object" || s.Items.Type == "array")
	if !isJSON && !slices.ContainsFunc(elements, func(e string) bool {
		return e == "" || strings.ContainsAny(e, ",[") || strings.TrimSpace(e) != e
	}) {
		return strings.Join(elements, ", ")
	}
	parts := make([]string, len(elements))
	for i, e := range elements {
		parts[i] = JSON(s.Items, e)
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// JSON returns the text of an argument as JSON of the type in its schema: an array for
// the list a, b and an integer for 3. A text that is no JSON of such a type, and a text
// without a schema, becomes a string.
func JSON(s *jsonschema.Schema, text string) string {
	switch {
	case s != nil && s.Type == "array" && text != "" && !strings.HasPrefix(text, "["):
		var parts []string
		for e := range strings.SplitSeq(text, ",") {
			parts = append(parts, JSON(s.Items, strings.TrimSpace(e)))
		}
		return "[" + strings.Join(parts, ",") + "]"
	case !IsString(s) && json.Valid([]byte(text)):
		return text
	}
	raw, _ := json.Marshal(text) // a string can be encoded
	return string(raw)
}

// IsString reports whether a schema allows a string, or has no type.
func IsString(s *jsonschema.Schema) bool {
	return s == nil || s.Type == "string" || slices.Contains(s.Types, "string") || s.Type == "" && s.Types == nil && s.Ref == ""
}
