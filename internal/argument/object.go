package argument

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// This file validates arguments that are typed JSON with one schema of all of them, for
// tools that are not prompts. jsonschema-go decides, and the problems say what to change.

// Object is the compiled schema of an object. It is immutable.
type Object struct {
	validator *schema.Validator
	members   map[string]*member
	names     []string // of the members, sorted
	required  []string
	isClosed  bool // no other members are allowed

	patterns  int // instructions of all patterns in the schema
	elsewhere int // of those that may match any part of the JSON, not one member alone
}

// member is a member that the schema declares or requires.
type member struct {
	validator *schema.Validator // of an object with this member alone; nil if the schema depends on others
	types     []string          // that the schema allows; nil for all
	patterns  int               // instructions that match this member alone
	value     *value            // of a string, a boolean or a number, for its problems; else nil
}

// NewObject compiles a schema of the type object. It returns an error for a schema that
// makes no sense, and for one whose validation takes too long.
func NewObject(s *jsonschema.Schema) (*Object, error) {
	s, err := schema.Clone(s)
	if err != nil {
		return nil, err
	}
	if s.Type != "object" {
		return nil, fmt.Errorf(`schema: type must be "object", got %q`, strings.Join(schema.TypesOf(s), " or "))
	}
	o := &Object{
		members: map[string]*member{}, names: slices.Sorted(maps.Keys(s.Properties)), required: s.Required,
		isClosed: schema.IsFalse(s.AdditionalProperties) && s.PatternProperties == nil,
	}
	if o.validator, err = schema.NewValidator(s); err != nil {
		return nil, err
	}
	o.patterns = schema.PatternSize(s)
	o.elsewhere = o.patterns
	refers := schema.HasReference(s) // by which a pattern may match other members
	for name, p := range s.Properties {
		m := &member{types: schema.TypesOf(p)}
		if !refers {
			m.patterns = schema.PatternSize(p)
			o.elsewhere -= m.patterns
		}
		alone := &jsonschema.Schema{Schema: s.Schema, Defs: s.Defs, Definitions: s.Definitions, Properties: map[string]*jsonschema.Schema{name: p}}
		if v, err := schema.NewPartValidator(alone); err == nil {
			m.validator = v
		}
		switch p.Type {
		case "string", "boolean", "integer", "number":
			if v, err := compileValue(nil, p); err == nil {
				m.value = v
			}
		}
		o.members[name] = m
	}
	for _, name := range s.Required {
		if o.members[name] == nil {
			o.members[name] = &member{}
		}
	}
	return o, nil
}

// Rejection says why a schema rejects an object.
type Rejection struct {
	Message  string
	Problems []Problem // of single members, at most MaxProblems; may be none
	More     int       // how many problems are left out
}

// CheckBounded is Check for the JSON of a stranger: it rejects what takes the patterns
// too long.
func (o *Object) CheckBounded(object string) *Rejection {
	if r := o.checkWork(object); r != nil {
		return r
	}
	return o.Check(object)
}

// checkWork rejects JSON that takes more than maxPatternWork. A pattern in the schema of a
// member counts for that member only, unless the schema has references.
func (o *Object) checkWork(object string) *Rejection {
	work := func(patterns int, text string) int64 { return int64(patterns) * int64(len(text)) }
	if work(o.patterns, object) <= maxPatternWork {
		return nil
	}
	sum := work(o.elsewhere, object)
	for name, v := range parse(object).Members() {
		m := o.members[name]
		if m == nil {
			continue
		}
		n := work(m.patterns, v.Raw())
		if n > maxPatternWork {
			p := tooLong(maxPatternWork / m.patterns)
			p.Argument = phrase.Clip(name, phrase.MaxEcho)
			return &Rejection{Message: p.Sentence(), Problems: []Problem{*p}}
		}
		sum += n
	}
	if sum <= maxPatternWork {
		return nil
	}
	return &Rejection{Message: fmt.Sprintf("arguments exceed the limit of %d bytes for a schema with patterns", maxPatternWork/o.patterns)}
}

// parse returns the JSON, an object that was parsed before.
func parse(object string) strictjson.Value {
	var doc strictjson.Doc
	_ = doc.Parse(object, jsonenc.MaxDepth)
	return doc.Root()
}

// Check returns nil if the schema accepts the JSON, an object.
func (o *Object) Check(object string) *Rejection {
	if accepts(o.validator, object) {
		return nil
	}
	r := &Rejection{Message: "arguments must match the inputSchema of the tool"}
	if o.explain(object, r); r.Problems != nil {
		r.Message = Sentences(r.Problems, r.More)
	}
	return r
}

// explain adds the problems of single members.
func (o *Object) explain(object string, r *Rejection) {
	root := parse(object)
	given := map[string]bool{}
	for name := range root.Members() {
		if o.members[name] != nil {
			given[name] = true
		}
	}
	add := func(name string, problem func() *Problem) {
		if len(r.Problems) == MaxProblems {
			r.More++
			return
		}
		p := problem()
		p.Argument = phrase.Clip(name, phrase.MaxEcho)
		r.Problems = append(r.Problems, *p)
	}
	for _, name := range o.required {
		if !given[name] {
			add(name, func() *Problem { return &Problem{Reason: ReasonMissing, Message: "is required"} })
		}
	}
	for name, v := range root.Members() {
		m := o.members[name]
		switch {
		case m == nil && o.isClosed:
			add(name, func() *Problem {
				p := &Problem{Reason: reasonUnknown, Message: "is not an argument of this tool"}
				p.suggest(name, o.names)
				return p
			})
		case m != nil && !m.accepts(name, v):
			add(name, func() *Problem { return m.problem(v) })
		}
	}
}

// accepts reports whether the JSON is valid.
func accepts(v *schema.Validator, text string) bool {
	var instance any
	return json.Unmarshal([]byte(text), &instance) == nil && v.Accepts(instance)
}

// accepts reports whether the value is valid, as far as that is known of it alone.
func (m *member) accepts(name string, v strictjson.Value) bool {
	if m.validator == nil {
		return true
	}
	return accepts(m.validator, string(strictjson.AppendString([]byte{'{'}, name))+":"+v.Raw()+"}")
}

// problem returns the problem of a value that is not valid.
func (m *member) problem(v strictjson.Value) *Problem {
	if !m.hasType(v.Kind()) {
		expected := make([]string, len(m.types))
		for i, t := range m.types {
			expected[i] = typeNames[t]
		}
		return &Problem{Reason: reasonType, Message: mustBe(strings.Join(expected, " or "), describeJSON(shown(v)))}
	}
	if m.value != nil {
		text, _ := m.value.textOf(v)
		if _, p := m.value.read(reflect.Value{}, text, false); p != nil {
			return p
		}
	}
	return &Problem{Reason: reasonSchema, Message: "must match the JSON Schema of the argument, got " + shown(v)}
}

// typeNames name the JSON types in messages.
var typeNames = map[string]string{
	"string": "a string", "boolean": "true or false", "integer": "an integer", "number": "a number",
	"array": "a JSON array", "object": "a JSON object", "null": "null",
}

// hasType reports whether the schema allows a value of the kind. A number may be an
// integer.
func (m *member) hasType(k strictjson.Kind) bool {
	return m.types == nil || slices.ContainsFunc(m.types, func(t string) bool {
		return t == k.String() || t == "integer" && k == strictjson.Number
	})
}
