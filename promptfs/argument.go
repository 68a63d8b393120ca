package promptfs

import (
	"cmp"
	"encoding/json"
	"regexp/syntax"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/explain"
	"github.com/mcp-prompts/prompts/internal/hint"
)

type argument struct {
	declared prompts.Argument
	line     int
	members  members // of the mapping; nil if the argument has another type
}

var (
	types        = []string{"string", "integer", "number", "boolean", "array"}
	elementTypes = types[:4]
	schemaKeys   = []string{"type", "enum", "format", "pattern", "minimum", "maximum", "minLength", "maxLength"}
	// plainKeys are the keys that need no schema.
	plainKeys    = []string{"name", "title", "description", "required", "sensitive", "complete"}
	argumentKeys = slices.Concat([]string{"name", "title", "description", "required", "sensitive", "default", "examples", "complete"}, schemaKeys,
		[]string{"items", "minItems", "maxItems"})
)

func (d decoder) arguments(m member) []argument {
	var all []argument
	lines := map[string]int{}
	for _, e := range d.elements(m) {
		a := argument{line: e.line, members: d.members(e.value, "argument", argumentKeys)}
		a.declared = d.declaration(a.members)
		switch name := a.declared.Name; {
		case a.members == nil: // no argument at all
		case name == "" && a.members.line("name") == 0:
			d.faults.add(a.line, hint.New("add name: with the name of the placeholder", "argument has no name"))
		case name == "":
			d.faults.add(a.members.line("name"), hint.New("write the name of the placeholder", "argument has an empty name"))
		case lines[name] > 0:
			d.faults.add(a.members.line("name"), hint.New("remove one", "duplicate argument %q (first defined on line %d)", name, lines[name]))
		default:
			lines[name] = a.members.line("name")
			all = append(all, a)
		}
	}
	return all
}

func (d decoder) declaration(all members) prompts.Argument {
	var a prompts.Argument
	for _, m := range all {
		switch m.key {
		case "name":
			a.Name = d.text(m)
		case "title":
			a.Title = d.text(m)
		case "description":
			a.Description = d.text(m)
		case "required":
			a.Required = d.boolean(m, false)
		case "sensitive":
			a.Sensitive = d.boolean(m, false)
		case "complete":
			a.Complete = prompts.Suggest(d.texts(m)...)
		}
	}
	if !slices.ContainsFunc(all, func(m member) bool { return !slices.Contains(plainKeys, m.key) }) {
		return a
	}
	s, typ := d.schema(all, types)
	for _, m := range all {
		switch m.key {
		case "default":
			s.Default = d.defaultOf(m, typ, itemType(s))
		case "items":
			items, _ := d.schema(d.members(m.value, m.key, schemaKeys), elementTypes)
			if typ == "array" {
				s.Items = items
			} else {
				d.faults.add(m.line, hint.New("write type: array, or remove items", "items is only allowed with type: array"))
			}
		case "minItems":
			s.MinItems = d.count(m)
		case "maxItems":
			s.MaxItems = d.count(m)
		}
	}
	for _, m := range all {
		if m.key == "examples" {
			s.Examples = d.examples(m, a.Sensitive, s, typ)
		}
	}
	a.Schema = s
	return a
}

func (d decoder) examples(m member, isSensitive bool, s *jsonschema.Schema, typ string) []any {
	if isSensitive {
		d.faults.add(m.line, hint.New("remove examples", "an argument that is sensitive cannot have examples"))
		return nil
	}
	var all []any
	for _, e := range d.elements(m) {
		e.key = "example"
		n := len(d.faults.all)
		value := d.defaultOf(e, typ, itemType(s))
		if len(d.faults.all) > n || value == nil {
			continue
		}
		tried := *s
		tried.Default = nil
		p := prompts.Prompt{Name: "p", Render: nothing, Arguments: []prompts.Argument{{Name: "a", Schema: &tried}}}
		if _, faults := compile(p); len(faults) > 0 {
			continue // the schema itself has errors, which are reported
		}
		tried.Default = value
		if _, faults := compile(p); len(faults) > 0 {
			d.faults.add(e.line, hint.New("write a value that the argument accepts", "example %s is not valid for the argument", value))
			continue
		}
		var example any
		_ = json.Unmarshal(value, &example) // it was encoded before
		all = append(all, example)
	}
	return all
}

// schema reads the keys that are JSON Schema's, and returns the type, which
// decides how the values are read.
func (d decoder) schema(members []member, types []string) (*jsonschema.Schema, string) {
	s := &jsonschema.Schema{}
	typ := "string"
	for _, m := range members {
		if m.key != "type" {
			continue
		}
		if typ = d.text(m); !slices.Contains(types, typ) {
			d.fault(m.value, hint.New(explain.Suggestion(typ, types), "unknown type %q", typ))
			typ = "string"
		} else if typ != "string" { // which every argument is without a type
			s.Type = typ
		}
	}
	for _, m := range members {
		switch m.key {
		case "enum":
			if typ == "array" {
				d.faults.add(m.line, hint.New("move enum into items, such as items: {enum: [bug, docs]}", "enum cannot be used with type: array"))
				continue
			}
			for _, e := range d.elements(m) {
				if v, ok := d.typed(e, typ); ok {
					s.Enum = append(s.Enum, v)
				}
			}
		case "format":
			s.Format = d.text(m)
		case "pattern":
			s.Pattern = d.pattern(m)
		case "minimum":
			s.Minimum = d.number(m)
		case "maximum":
			s.Maximum = d.number(m)
		case "minLength":
			s.MinLength = d.count(m)
		case "maxLength":
			s.MaxLength = d.count(m)
		}
	}
	return s, typ
}

const (
	// maxPattern is the maximum size of a pattern with its repetitions written out,
	// as package regexp does: it bounds the memory that a pattern takes, and the
	// time for each byte of a value.
	maxPattern = 2_000
	// maxPatterns is the same for all patterns of a file together.
	maxPatterns = 20_000

	shorterPattern = "repeat less, or use maxLength"
)

func (d decoder) pattern(m member) string {
	text := d.text(m)
	re, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return text // what is no pattern is for the registry to say
	}
	size := patternSize(re)
	if size > maxPattern {
		d.faults.add(m.line, hint.New(shorterPattern, "pattern exceeds the limit of %d with all repetitions written out", maxPattern))
		return ""
	}
	if *d.patterns += size; *d.patterns > maxPatterns {
		d.faults.add(m.line, hint.New(shorterPattern, "patterns of the file together exceed the limit of %d with all repetitions written out", maxPatterns))
		return ""
	}
	return text
}

func patternSize(re *syntax.Regexp) int {
	size := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		size = min(size+patternSize(sub), maxPattern+1)
	}
	if re.Op == syntax.OpRepeat {
		size *= max(re.Min, re.Max, 1)
	}
	return min(size, maxPattern+1)
}

func itemType(s *jsonschema.Schema) string {
	if s.Items == nil {
		return "string"
	}
	return cmp.Or(s.Items.Type, "string")
}

func (d decoder) defaultOf(m member, typ, items string) []byte {
	if typ != "array" {
		v, ok := d.typed(m, typ)
		if !ok {
			return nil
		}
		return raw(v)
	}
	elements := d.elements(m)
	if elements == nil {
		return nil
	}
	var all []any
	for _, e := range elements {
		if v, ok := d.typed(e, items); ok {
			all = append(all, v)
		}
	}
	return raw(all)
}

// lineOf returns the line of an error that a registry has found. It is the line
// of the key whose removal also removes the error.
func (a *argument) lineOf(fault *prompts.DeclarationError) int {
	// A default that breaks a rule is found before the rule that it breaks.
	for _, key := range []string{"default", "format", "pattern", "enum", "minimum", "maximum", "minLength", "maxLength",
		"minItems", "maxItems", "items", "type", "sensitive", "title", "description", "name"} {
		line := a.members.line(key)
		if line == 0 {
			continue
		}
		without := prompts.Prompt{Name: fault.Prompt, Render: nothing, Arguments: []prompts.Argument{a.without(key)}}
		if !hasError(without, fault) {
			return line
		}
	}
	return a.line
}

// without returns the argument without one of its keys, and without examples, which have no error
// of a registry.
func (a *argument) without(key string) prompts.Argument {
	d := decoder{new(fileErrors), new(int)} // the errors were reported before
	p := d.declaration(slices.DeleteFunc(slices.Clone(a.members), func(m member) bool { return m.key == key || m.key == "examples" }))
	p.Name = cmp.Or(p.Name, "name")
	return p
}
