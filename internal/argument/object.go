package argument

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// This file validates arguments that are typed JSON with one schema of all of them, for
// tools that are not prompts. The problems say what to change.

// Object is the compiled schema of an object. It is immutable.
//
// Any number of goroutines may use an Object. An Object is for tools: their input schema
// describes all arguments together, while a prompt has a schema for each argument.
type Object struct {
	validator *Validator
	// patterns are the instructions of the patterns that match one member alone.
	patterns  map[string]int
	all       int // instructions of all patterns in the schema
	elsewhere int // of those that may match any part of the JSON, not one member alone
}

// NewObject compiles a schema of the type object. It returns an error for a schema that
// makes no sense.
//
// The protocol demands that the input schema of a tool has the type object. The
// schema is copied, so that the caller may change it afterwards.
func NewObject(s *jsonschema.Schema) (*Object, error) {
	s, err := schema.Clone(s)
	if err != nil {
		return nil, err
	}
	if s.Type != "object" {
		return nil, fmt.Errorf(`schema: type must be "object", got %q`, strings.Join(schema.TypesOf(s), " or "))
	}
	o := &Object{patterns: map[string]int{}, all: schema.PatternSize(s)}
	if o.validator, err = NewValidator(s); err != nil {
		return nil, err
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
//
// The caller puts the problems into the error data, or the message into the result
// of a tool.
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

// WithoutNulls returns the object without the members whose value is null, if their schema in
// properties rejects null: for such a member, null is the same as leaving the member out
// (GAP-18). Tools get the object in this form.
//
// The object must be strict JSON, as for Check.
func (o *Object) WithoutNulls(object []byte) []byte {
	members := o.validator.root.target().members
	if len(members) == 0 || !bytes.Contains(object, []byte("null")) {
		return object
	}
	kept, isChanged := []byte{'{'}, false
	for name, v := range parse(string(object)).Members() {
		if s := members[name]; s != nil && v.Kind() == strictjson.Null && !o.validator.acceptsPart(s, instanceOf(v), nil) {
			isChanged = true
			continue
		}
		if len(kept) > 1 {
			kept = append(kept, ',')
		}
		kept = append(strictjson.AppendString(kept, name), ':')
		kept = append(kept, v.Raw()...)
	}
	if !isChanged {
		return object
	}
	return append(kept, '}')
}

// CheckBounded is Check for the JSON of a stranger: it rejects what takes the patterns
// too long.
//
// The object must be strict JSON, as for Check.
func (o *Object) CheckBounded(object string) *Rejection {
	if r := o.checkWork(object); r != nil {
		return r
	}
	return o.Check(object)
}

// checkWork rejects JSON that takes more than maxPatternWork. A pattern in the schema of a
// member counts for that member only, unless the schema has references.
//
// Most objects are below the limit with all patterns together, and are not parsed
// here. Only a large one needs the closer look, which counts each member with the
// patterns that can match it.
func (o *Object) checkWork(object string) *Rejection {
	work := func(patterns int, text string) int64 { return int64(patterns) * int64(len(text)) }
	if work(o.all, object) <= maxPatternWork {
		return nil
	}
	// A name that patternProperties or propertyNames matches is a part of the whole
	// object.
	sum := work(o.elsewhere, object)
	for name, v := range parse(object).Members() {
		patterns := o.patterns[name]
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

// parse returns the JSON, an object that was parsed before.
func parse(object string) strictjson.Value {
	var doc strictjson.Doc
	_ = doc.Parse(object, jsonenc.MaxDepth)
	return doc.Root()
}

// Check returns nil if the schema accepts the JSON, an object.
//
// Accepting is fast and allocates little. Only a rejected object is visited again
// to explain why.
func (o *Object) Check(object string) *Rejection {
	in := instanceOf(parse(object))
	if o.validator.accepts(in) {
		return nil
	}
	problems, more := o.validator.explain(in, true)
	return &Rejection{Sentences(problems, more), problems, more}
}
