package argument

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// This file asks for an argument that is an object by the fields of a form, one for each
// member: scope.region. The forms of the protocol are flat.

// A part has either a field or parts. Fields are named by their places, so one form
// can ask for the members of several arguments.
type part struct {
	name       string
	isRequired bool      // in its object
	field      *Argument // of a member that is no object
	parts      []part    // of an object
}

// A form with more fields or levels is no help to a user. Such an argument gets one
// field for its JSON.
const (
	// maxParts limits the fields for one argument.
	maxParts = 32
	// partDepth limits the levels of objects inside of an object.
	partDepth = 3
)

// partsOf returns the members of the argument at the position, by whose fields a form asks for the
// argument; nil for an argument with one field. The result depends on the plan alone, so the form
// and the reading of its answers agree without any state in between.
func (p *Plan) partsOf(i int) []part {
	a := &p.Arguments[i]
	if a.value.kind != schema.JSON || a.value.validator == nil || a.value.rules.enum != nil {
		return nil
	}
	for _, other := range p.Arguments {
		if strings.HasPrefix(other.Name, a.Name+".") {
			return nil // the fields may have the name of that argument
		}
	}
	b := partBuilder{}
	var byDefault strictjson.Doc
	if a.hasDefault {
		_ = byDefault.Parse(a.defaultValue, jsonenc.MaxDepth) // a default is valid
	}
	parts := b.object(a.value.validator.root, a.Name, a.Required, byDefault.Root(), partDepth)
	// Half of an object would be of no use, so there is one field for all of the JSON.
	if b.fields > maxParts {
		return nil
	}
	return parts
}

type partBuilder struct{ fields int }

// object returns the members of an object that has nothing but members with a name; nil for any
// other. Required is what holds for the object and all around. Keywords that a field cannot express
// rule out the fields: alternatives, patterns, dependencies. The answers are put together to an
// object, which the whole schema validates in the end.
func (b *partBuilder) object(s *subschema, name string, isRequired bool, byDefault strictjson.Value, depth int) []part {
	// An object that may also be null is asked for like an object. Leaving out all
	// of its fields leaves it out.
	s = s.target()
	if depth == 0 || s.kinds&^(1<<strictjson.Null) != 1<<strictjson.Object || s.values != nil || s.ref != nil || s.cond != nil || s.not != nil ||
		s.allOf != nil || s.anyOf != nil || s.oneOf != nil || s.patterns != nil || s.dependents != nil {
		return nil
	}
	for _, member := range s.required {
		if s.members[member] == nil {
			return nil // no field asks for it
		}
	}
	var parts []part
	for _, member := range s.names {
		if s.members[member].isFalse {
			continue
		}
		if !isPlain(member) {
			return nil
		}
		// A field is required only if its object and all objects around are,
		// because the user may leave out an optional object as a whole.
		at := part{name: member, isRequired: s.isRequired[member]}
		inner, field := s.members[member], name+"."+member
		needed, given := isRequired && at.isRequired, byDefault.Get(member)
		fields := b.fields
		if at.parts = b.object(inner, field, needed, given, depth-1); at.parts == nil {
			b.fields = fields + 1
			at.field = fieldFor(inner.target(), field, needed, given)
		}
		if parts = append(parts, at); b.fields > maxParts {
			break
		}
	}
	return parts
}

// fieldFor returns what asks for a member as for an argument. A schema that refers to
// other parts of the whole schema is asked for as JSON, and validated with all of it.
// The field is compiled from the schema alone, as for an argument without a struct.
// A member that has no field of its own type becomes JSON.
func fieldFor(s *subschema, name string, isRequired bool, byDefault strictjson.Value) *Argument {
	v, err := compileValue(nil, s.source)
	if err != nil || v.kind == schema.JSON || s.kinds == 0 && s.values == nil || v.kind == schema.List && !v.elem.isElement() {
		v = &value{kind: schema.JSON, expected: strings.TrimSuffix(s.hint(), " or null")}
	}
	// A default of the argument says more than a default in the schema of the member.
	raw := string(s.source.Default)
	if byDefault.Kind() != strictjson.Invalid {
		raw = byDefault.Raw()
	}
	a := &Argument{Spec: Spec{Name: name, Title: s.source.Title, Description: s.source.Description, Required: isRequired, Schema: &jsonschema.Schema{}}, value: v}
	if text, ok := v.textOfDefault(raw); ok {
		a.hasDefault, a.defaultValue = true, text
	}
	return a
}

// A default of another type than the field's is ignored: only the whole object is validated.
func (v *value) textOfDefault(raw string) (text string, ok bool) {
	var doc strictjson.Doc
	if raw == "" || doc.Parse(raw, jsonenc.MaxDepth) != nil || doc.Root().Kind() == strictjson.Null {
		return "", false
	}
	return v.textOf(doc.Root())
}

func fieldsOfParts(parts []part, yield func(*Argument)) {
	for _, at := range parts {
		if at.field != nil {
			yield(at.field)
		}
		fieldsOfParts(at.parts, yield)
	}
}

// appendParts appends the object of the members that were filled in, and reports whether
// there is one. An object that is required is there for the errors of its members.
// An object without any member is left out, so that optional objects stay absent.
// The comma and the name are removed again if nothing follows them.
func appendParts(dst []byte, parts []part, filled map[string]string) (object []byte, some bool) {
	dst = append(dst, '{')
	first := len(dst)
	for _, at := range parts {
		start := len(dst)
		if start > first {
			dst = append(dst, ',')
		}
		dst = append(strictjson.AppendString(dst, at.name), ':')
		isFilled, isThere := false, false
		if at.field != nil {
			text, ok := filled[at.field.Name]
			dst, isFilled = append(dst, text...), ok
		} else {
			dst, isFilled = appendParts(dst, at.parts, filled)
			isThere = at.isRequired
		}
		if !isFilled && !isThere {
			dst = dst[:start]
		}
		some = some || isFilled
	}
	return append(dst, '}'), some
}

// Clients differ in what they send for an empty field: null, the empty string, or nothing.
func (a *Argument) isEmptyField(answer strictjson.Value) bool {
	return answer.Kind() == strictjson.Null || answer.Kind() == strictjson.String && answer.Text() == "" && !a.value.acceptsEmpty(true)
}

// memberText returns the answer in the field of a member as JSON, or what the answer must be
// instead. The text is always valid JSON, because appendParts puts it into an object. An answer
// without the type of the member becomes a string, and the schema of the object reports it with its
// place.
func (a *Argument) memberText(answer strictjson.Value, modes bool) (text, want string) {
	text, want = a.value.fieldText(answer, modes)
	switch v := a.value; {
	case want != "" || v.kind == schema.Bool || v.kind.IsNumber():
		return text, want
	case v.kind == schema.List && !isJSONList(text):
		texts, _, problems := v.split(text)
		if problems != nil {
			return "", "a list without empty elements; remove the extra comma"
		}
		// In a comma-separated list, 1 is the number or the string, as the schema
		// of the elements says.
		parts := make([]string, len(texts))
		for i, t := range texts {
			if parts[i] = t; v.elem.kind.IsString() || !json.Valid([]byte(t)) {
				parts[i] = string(strictjson.AppendString(nil, t))
			}
		}
		return "[" + strings.Join(parts, ",") + "]", ""
	case v.kind.IsString() && v.rules.enum == nil || !json.Valid([]byte(text)):
		return string(strictjson.AppendString(nil, text)), ""
	}
	return text, ""
}

// memberFields returns the fields of members by their names, and the positions of their arguments.
// Names are distinct: partsOf makes no fields if the name of another argument begins like them.
func (p *Plan) memberFields() (parts map[int][]part, fields map[string]*Argument, of map[string]int) {
	parts, fields, of = map[int][]part{}, map[string]*Argument{}, map[string]int{}
	for i := range p.Arguments {
		all := p.partsOf(i)
		if all == nil {
			continue
		}
		parts[i] = all
		fieldsOfParts(all, func(a *Argument) { fields[a.Name], of[a.Name] = a, i })
	}
	return parts, fields, of
}

// joinParts writes the members that were filled in into the texts of their arguments. A
// required argument is there for the errors of its members.
// An argument whose own name has an answer keeps that answer.
func (p *Plan) joinParts(texts []Text, parts map[int][]part, filled map[string]string) {
	for _, i := range slices.Sorted(maps.Keys(parts)) {
		if texts[i].Given {
			continue
		}
		object, some := appendParts(nil, parts[i], filled)
		if some || p.Arguments[i].Required {
			texts[i] = Text{Value: string(object), Given: true}
		}
	}
}
