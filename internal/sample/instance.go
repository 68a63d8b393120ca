package sample

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts/internal/argument"
	"github.com/mcp-prompts/prompts/internal/schema"
)

// This file generates JSON that a schema accepts, of any shape. The validator of arguments
// checks each value, so that a value that is returned is valid.

const (
	// triedVariants limits the values that are generated to find valid ones.
	triedVariants = 24
	// keptInstances limits the valid values.
	keptInstances = 4
	// optionalDepth limits the levels of optional members and elements.
	optionalDepth = 6
	// mostParts limits the parts of a value.
	mostParts = 1 << 10
)

// Instances returns JSON values that the schema accepts, each unlike the others; none if
// none was found.
func Instances(name string, s *jsonschema.Schema) []string {
	return instances(generator{name: name}, s)
}

// Several returns texts of several parts, such as a list of eight elements, an object of eight
// members or a string of eight words; none if none was found.
func Several(name string, s *jsonschema.Schema) []string {
	if s == nil || IsString(s) {
		return []string{"one two three four five six seven eight"}
	}
	return instances(generator{name: name, least: 8}, s)
}

// Around returns JSON values that the schema accepts and whose strings are a word, where no
// pattern and no format excludes the word; none if none was found.
func Around(word, name string, s *jsonschema.Schema) []string {
	return instances(generator{name: name, word: word}, s)
}

// Empty returns JSON values that the schema accepts, in which lists are as short as the schema
// allows; none if none was found.
func Empty(name string, s *jsonschema.Schema) []string {
	return instances(generator{name: name, isShort: true}, s)
}

func instances(g generator, s *jsonschema.Schema) []string {
	references, err := schema.NewReferences(s)
	if err != nil {
		return nil
	}
	v, err := argument.NewValidator(s)
	if err != nil {
		return nil
	}
	var all []string
	for variant := 0; variant < triedVariants && len(all) < keptInstances; variant++ {
		g.references, g.variant, g.size = references, variant, 0
		value, ok := g.value(s, g.name, 0)
		if !ok {
			continue
		}
		raw, err := json.Marshal(value)
		if text := string(raw); err == nil && !slices.Contains(all, text) && v.Accepts(text) {
			all = append(all, text)
		}
	}
	return all
}

// generator generates one value. The variant decides where there is a choice.
type generator struct {
	references *schema.References
	name       string
	variant    int
	size       int    // parts so far
	least      int    // elements and members, if the schema allows them
	word       string // in place of strings, or ""
	isShort    bool   // lists in the value are short
}

// value returns a value of the schema, and false if it found none.
func (g *generator) value(s *jsonschema.Schema, name string, depth int) (any, bool) {
	if g.size++; g.size > mostParts || depth > 4*optionalDepth || schema.IsFalse(s) {
		return nil, false
	}
	s = g.merged(s, 4*optionalDepth)
	if s == nil {
		return nil, false
	}
	switch {
	case s.Const != nil:
		return *s.Const, true
	case len(s.Enum) > 0:
		return s.Enum[g.variant%len(s.Enum)], true
	case len(s.Examples) > 0 && g.variant == 0:
		return s.Examples[0], true
	}
	kinds := slices.DeleteFunc(slices.Clone(schema.TypesOf(s)), func(kind string) bool { return kind == "null" })
	kind := "null"
	switch isNullable := len(kinds) < len(schema.TypesOf(s)); {
	case len(kinds) == 0 && !isNullable:
		kind = kindOf(s)
	case len(kinds) > 0 && !(isNullable && (depth > optionalDepth || g.variant%8 == 7)):
		kind = kinds[g.variant%len(kinds)]
	}
	switch kind {
	case "boolean":
		return g.variant%2 == 0, true
	case "integer", "number":
		return g.number(s)
	case "array":
		return g.array(s, name, depth)
	case "object":
		return g.object(s, name, depth)
	case "string":
		return g.text(s, name)
	}
	return nil, true
}

// kindOf returns the type to which the keywords of a schema without a type apply.
func kindOf(s *jsonschema.Schema) string {
	switch {
	case s.Properties != nil || s.Required != nil || s.PatternProperties != nil || s.AdditionalProperties != nil || s.MinProperties != nil || s.PropertyNames != nil:
		return "object"
	case s.Items != nil || s.PrefixItems != nil || s.ItemsArray != nil || s.MinItems != nil || s.Contains != nil || s.UniqueItems:
		return "array"
	case s.Minimum != nil || s.Maximum != nil || s.ExclusiveMinimum != nil || s.ExclusiveMaximum != nil || s.MultipleOf != nil:
		return "number"
	}
	return "string"
}

// merged returns the schema with the keywords of all that apply to the same value: of
// alternatives, those of the variant. It returns nil if there are too many.
func (g *generator) merged(s *jsonschema.Schema, depth int) *jsonschema.Schema {
	parts := slices.Clone(s.AllOf)
	for _, ref := range []string{s.Ref, s.DynamicRef} {
		if ref == "" {
			continue
		}
		target, err := g.references.Target(ref)
		if err != nil {
			return nil
		}
		parts = append(parts, target)
	}
	for _, some := range [][]*jsonschema.Schema{s.AnyOf, s.OneOf} {
		if len(some) > 0 {
			parts = append(parts, some[g.variant%len(some)])
		}
	}
	if s.If != nil {
		switch then := g.variant%2 == 0; {
		case then && s.Then != nil:
			parts = append(parts, s.If, s.Then)
		case then:
			parts = append(parts, s.If)
		case s.Else != nil:
			parts = append(parts, s.Else)
		}
	}
	if len(parts) == 0 {
		return s
	}
	own := *s
	own.Ref, own.DynamicRef, own.AllOf, own.AnyOf, own.OneOf, own.If, own.Then, own.Else = "", "", nil, nil, nil, nil, nil, nil
	own.Defs, own.Definitions = nil, nil
	all := &own
	for _, p := range parts {
		if depth == 0 {
			return nil
		}
		if p = g.merged(p, depth-1); p == nil || schema.IsFalse(p) {
			return nil
		}
		required := slices.Concat(all.Required, p.Required)
		all = schema.Merge(p, all)
		all.Required = required
	}
	return all
}

func (g *generator) number(s *jsonschema.Schema) (any, bool) {
	all := numbers(s)
	low, high := cmp.Or(s.Minimum, s.ExclusiveMinimum), cmp.Or(s.Maximum, s.ExclusiveMaximum)
	if len(all) == 0 && low != nil && high != nil { // no step is between the bounds
		all = []string{strconv.FormatFloat((*low+*high)/2, 'f', -1, 64)}
	}
	if len(all) == 0 {
		return nil, false
	}
	return json.Number(all[g.variant%len(all)]), true
}

var formatted = map[string][]string{
	"date": {"2001-02-03", "2002-03-04"}, "time": {"04:05:06Z", "05:06:07Z"}, "date-time": {"2001-02-03T04:05:06Z", "2002-03-04T05:06:07Z"},
	"duration": {"PT1H", "P2D"}, "email": {"user@example.com", "other@example.org"}, "hostname": {"example.com", "example.org"},
	"ipv4": {"192.0.2.1", "192.0.2.2"}, "ipv6": {"2001:db8::1", "2001:db8::2"}, "uri": {"https://example.com/one", "https://example.org/two"},
	"uri-reference": {"/one", "/two"}, "uuid": {"8f14e45f-ceea-467f-a8c1-1d2d3b4c5d6e", "0f14e45f-ceea-467f-a8c1-1d2d3b4c5d6e"},
	"regex": {"^a", "b$"}, "json-pointer": {"/one", "/two"},
}

func (g *generator) text(s *jsonschema.Schema, name string) (any, bool) {
	all := formatted[s.Format]
	switch {
	case s.Format != "":
	case s.Pattern != "":
		all = matches(s.Pattern)
	case g.word != "":
		all = []string{g.word}
	default:
		words := []string{name + "-one", name + "-two"}
		for i := len(words); i < g.least; i++ {
			words = append(words, fmt.Sprint(name, "-", i+1))
		}
		all = sized(words, s)
	}
	if len(all) == 0 {
		return nil, false
	}
	return all[g.variant%len(all)], true
}

func (g *generator) array(s *jsonschema.Schema, name string, depth int) (any, bool) {
	prefix, items := s.PrefixItems, s.Items
	if s.ItemsArray != nil { // of draft 7
		prefix, items = s.ItemsArray, s.AdditionalItems
	}
	least := 0
	if s.MinItems != nil {
		least = *s.MinItems
	}
	n := least
	if depth < optionalDepth && !(g.isShort && depth > 0) && (s.MaxItems == nil || *s.MaxItems > n) {
		n = max(n, 1, len(prefix), g.least)
	}
	if s.MaxItems != nil {
		n = min(n, *s.MaxItems)
	}
	contained := 0
	if s.Contains != nil {
		contained = 1
		if s.MinContains != nil {
			contained = *s.MinContains
		}
		n = max(n, min(len(prefix), n)+contained)
	}
	list := make([]any, 0, min(n, mostParts))
	own := g.variant
	defer func() { g.variant = own }()
	for i := 0; i < n; i++ {
		element := items
		if i < len(prefix) {
			element = prefix[i]
		} else if i >= n-contained {
			if element = s.Contains; items != nil {
				element = schema.Merge(items, s.Contains)
			}
		}
		if element == nil {
			element = &jsonschema.Schema{}
		}
		if s.UniqueItems || g.least > 0 {
			g.variant = own + i
		}
		v, ok := g.value(element, name, depth+1)
		if !ok && i >= least {
			break // the list may be shorter
		}
		if !ok {
			return nil, false
		}
		list = append(list, v)
	}
	return list, true
}

func (g *generator) object(s *jsonschema.Schema, name string, depth int) (any, bool) {
	object := map[string]any{}
	required := slices.Clone(s.Required)
	for i := 0; i < len(required); i++ { // which may require others
		required = append(required, slices.DeleteFunc(slices.Concat(s.DependentRequired[required[i]], s.DependencyStrings[required[i]]), func(name string) bool { return slices.Contains(required, name) })...)
	}
	add := func(member string) bool {
		if _, ok := object[member]; ok {
			return true
		}
		v, ok := g.value(schemaOf(s, member), member, depth+1)
		if ok {
			object[member] = v
		}
		return ok
	}
	for _, member := range required {
		if !add(member) {
			return nil, false
		}
	}
	if depth < optionalDepth && g.variant%3 != 2 {
		for _, member := range slices.Sorted(maps.Keys(s.Properties)) {
			if s.MaxProperties == nil || len(object) < *s.MaxProperties {
				add(member)
			}
		}
	}
	least := 0
	if s.Properties == nil && s.AdditionalProperties != nil && depth < optionalDepth {
		least = max(1, g.least)
	}
	if s.MinProperties != nil {
		least = max(least, *s.MinProperties)
	}
	for i := 0; len(object) < least && i < least+4 && g.size <= mostParts; i++ {
		add(g.memberName(s, name, i))
	}
	return object, true
}

func (g *generator) memberName(s *jsonschema.Schema, name string, i int) string {
	if s.PropertyNames != nil {
		own := g.variant
		g.variant += i
		text, _ := g.value(s.PropertyNames, name, 0)
		g.variant = own
		if text, ok := text.(string); ok {
			return text
		}
	}
	for _, pattern := range slices.Sorted(maps.Keys(s.PatternProperties)) {
		if all := matches(pattern); i < len(all) {
			return all[i]
		}
	}
	return fmt.Sprintf("key%d", i+1)
}

func schemaOf(s *jsonschema.Schema, name string) *jsonschema.Schema {
	if p := s.Properties[name]; p != nil {
		return p
	}
	for _, pattern := range slices.Sorted(maps.Keys(s.PatternProperties)) {
		if slices.Contains(matches(pattern), name) {
			return s.PatternProperties[pattern]
		}
	}
	if s.AdditionalProperties != nil {
		return s.AdditionalProperties
	}
	return &jsonschema.Schema{}
}
