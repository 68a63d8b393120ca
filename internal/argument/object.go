package argument

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// This file validates arguments that are typed JSON with one schema of all of them, for
// tools that are not prompts. The problems say what to change.

// Object is the compiled schema of all arguments of a tool together. It is immutable, and safe
// for concurrent use.
type Object struct {
	validator *Validator
	members   map[string]*memberSchemas
	// patterns are the instructions of the patterns that match one member alone.
	patterns  map[string]int
	all       int // instructions of all patterns in the schema
	elsewhere int // of those that may match any part of the JSON, not one member alone
}

// memberSchemas has the schemas of a member: each in the properties of a schema that applies to
// the object.
type memberSchemas struct {
	validator         *Validator
	always, sometimes []*subschema
}

// accepts reports whether the schemas of the member accept a value. Those that apply to all
// objects decide. Without such a schema, another that accepts the value is enough.
func (d *memberSchemas) accepts(in instance) bool {
	return d.allow(func(s *subschema) bool { return d.validator.acceptsPart(s, in, nil) })
}

// mayHaveType is accepts for the type of the value alone. True may be wrong.
func (d *memberSchemas) mayHaveType(in instance) bool {
	return d.allow(func(s *subschema) bool { return s.mayHaveType(in, inPlaceDepth) })
}

func (d *memberSchemas) allow(allows func(*subschema) bool) bool {
	if d.always == nil {
		return slices.ContainsFunc(d.sometimes, allows)
	}
	return !slices.ContainsFunc(d.always, func(s *subschema) bool { return !allows(s) })
}

// NewObject compiles a copy of a schema, whose type must be object (the protocol demands that
// of the input schema of a tool).
func NewObject(s *jsonschema.Schema) (*Object, error) {
	s, err := schema.Clone(s)
	if err != nil {
		return nil, err
	}
	if s.Type != "object" {
		return nil, fmt.Errorf(`schema: type must be "object", got %q`, strings.Join(schema.TypesOf(s), " or "))
	}
	if err := schema.Check(s); err != nil {
		return nil, err
	}
	o := &Object{members: map[string]*memberSchemas{}, patterns: map[string]int{}, all: schema.PatternSize(s)}
	var c *schemaCompiler
	if o.validator, c, err = compileSchema(s); err != nil {
		return nil, err
	}
	for sub, application := range c.references.InPlace(s) {
		for name, p := range sub.Properties {
			v := c.compiled[p]
			if v == nil || application == schema.Never { // in draft 7, a $ref hides what is beside it
				continue
			}
			d := o.members[name]
			if d == nil {
				d = &memberSchemas{validator: o.validator}
				o.members[name] = d
			}
			if application == schema.Always {
				d.always = append(d.always, v)
			} else {
				d.sometimes = append(d.sometimes, v)
			}
		}
	}
	o.elsewhere = o.all
	if schema.HasReference(s) { // by which a pattern may match other members
		return o, nil
	}
	for name, p := range s.Properties {
		o.patterns[name] = schema.PatternSize(p)
		o.elsewhere -= o.patterns[name]
	}
	return o, nil
}

// Rejection says why a schema rejects an object.
type Rejection struct {
	Message  string
	Problems []Problem // of single members, at most MaxProblems; may be none
	More     int       // how many problems are left out
}

// Rename puts other names of arguments into the problems and the message, see [Rename].
func (r *Rejection) Rename(names map[string]string) {
	if len(names) > 0 && len(r.Problems) > 0 {
		r.Problems = Rename(r.Problems, names)
		r.Message = Sentences(r.Problems, r.More)
	}
}

// Read returns an object of a stranger as a tool gets it, or rejects what takes the patterns
// too long. rename returns the name of a member by what the client has sent.
//
//   - A member whose value is null, although its schema rejects null, is left out (GAP-18).
//   - A string that is the JSON of a number or of a boolean becomes this value, if the schema
//     of the member rejects the string. Models send "2000" for 2000.
//
// The schema of a member is in the properties of all schemas that apply to the object. If
// nothing changes, Read returns the text of the object.
func (o *Object) Read(object strictjson.Value, rename func(string) string) (string, *Rejection) {
	if r := o.checkWork(object, rename); r != nil {
		return "", r
	}
	read, isChanged := []byte{'{'}, false
	for sent, v := range object.Members() {
		name, raw := rename(sent), v.Raw()
		isChanged = isChanged || name != sent
		if d := o.members[name]; d != nil {
			if v.Kind() == strictjson.Null && !d.accepts(instanceOf(v)) {
				isChanged = true
				continue
			}
			if text := v.Text(); v.Kind() == strictjson.String && d.means(instanceOf(v), text) {
				raw, isChanged = text, true
			}
		}
		if len(read) > 1 {
			read = append(read, ',')
		}
		read = append(strictjson.AppendString(read, name), ':')
		read = append(read, raw...)
	}
	if !isChanged {
		return object.Raw(), nil
	}
	return string(append(read, '}')), nil
}

func (d *memberSchemas) means(in instance, text string) bool {
	literal, ok := literalOf(text)
	return ok && (!d.mayHaveType(in) && d.mayHaveType(literal) || !d.accepts(in) && d.accepts(literal))
}

// maxLiteral is the size of the longest string in bytes that can mean a number. A schema may
// have to match the string with its patterns.
const maxLiteral = 1 << 10

func literalOf(text string) (instance, bool) {
	var doc strictjson.Doc
	if len(text) > maxLiteral || text == "" || !strings.ContainsRune("-0123456789tf", rune(text[0])) || doc.Parse(text, 1) != nil {
		return instance{}, false
	}
	in := instanceOf(doc.Root())
	return in, in.text == text && (in.kind == strictjson.Bool || !isHuge(text))
}

// checkWork rejects JSON that takes more than maxPatternWork. A pattern in the schema of a
// member counts for that member only, unless the schema has references. Only a large object
// needs the closer look, which counts each member with the patterns that can match it.
func (o *Object) checkWork(object strictjson.Value, rename func(string) string) *Rejection {
	work := func(patterns int, text string) int64 { return int64(patterns) * int64(len(text)) }
	if work(o.all, object.Raw()) <= maxPatternWork {
		return nil
	}
	// A name that patternProperties or propertyNames matches is a part of the whole object.
	sum := work(o.elsewhere, object.Raw())
	for name, v := range object.Members() {
		patterns := o.patterns[rename(name)]
		n := work(patterns, v.Raw())
		if n > maxPatternWork {
			p := tooLong(maxPatternWork / patterns)
			p.Argument = phrase.Clip(name, phrase.MaxEcho)
			return &Rejection{Message: p.Sentence(), Problems: []Problem{*p}}
		}
		sum += n
	}
	if sum <= maxPatternWork {
		return nil
	}
	return &Rejection{Message: fmt.Sprintf("arguments exceed the limit of %d bytes for a schema with patterns", maxPatternWork/o.all)}
}

// Check returns nil if the schema accepts the JSON, an object. Accepting is fast and allocates
// little. Only a rejected object is visited again to explain why.
func (o *Object) Check(ctx context.Context, object strictjson.Value) *Rejection {
	problems, more := o.validator.validate(ctx, instanceOf(object), true)
	if problems == nil {
		return nil
	}
	return &Rejection{Sentences(problems, more), problems, more}
}
