package argument

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/problem"
)

// This file describes arguments to users: hints in the descriptions of prompts/list,
// and the forms of elicitation, which ask the user for the arguments of a plan.

// DescriptionWithHint returns the description with a hint that says which values
// are valid. The protocol has no other place for this.
func (a *Argument) DescriptionWithHint() string {
	hint := a.value.hint(false)
	if a.Schema != nil && len(a.Schema.Examples) > 0 && a.value.rules.texts == nil && a.value.rules.enum == nil {
		if form, rest, _ := strings.Cut(hint, " such as "); !strings.ContainsAny(rest, ",;") {
			hint = form // without the example of the type
		}
		hint = phrase.Join(", ", hint, "such as "+a.example())
	}
	if a.hasDefault && a.defaultValue != "" {
		hint = phrase.Join("; ", hint, "default "+phrase.Clip(a.defaultValue, 64))
	}
	if a.Sensitive {
		hint = phrase.Join("; ", hint, "sensitive")
	}
	switch {
	case hint == "":
		return a.Description
	case a.Description == "":
		return hint
	}
	return a.Description + " (" + hint + ")"
}

// Members returns the members of the argument: those of an object, of the elements of a list,
// and inside of them.
func (a *Argument) Members() []Member {
	return appendMembers(nil, a.value.treeOf(), a.Name, memberDepth)
}

func (a *Argument) example() string {
	text, ok := a.Schema.Examples[0].(string)
	if !ok || !a.value.kind.IsString() {
		text = jsonenc.Text(a.Schema.Examples[0])
	}
	return phrase.Clip(text, 64)
}

// hint says in a few words which texts are valid; "" if all are. For an element of a JSON array it
// says which JSON is valid. Hints are short, because they are part of each prompts/list: long enums
// and patterns are clipped.
func (v *value) hint(element bool) string {
	switch {
	case v.rules.texts != nil:
		return "one of: " + phrase.List(v.rules.texts, phrase.Choice)
	case v.rules.enum != nil:
		return "one of: " + phrase.Enumerate(v.rules.enumTexts())
	case v.kind.IsNumber():
		bounds := v.rules.bounds()
		if strings.HasPrefix(bounds, "from ") {
			return v.expected + " " + bounds
		}
		return phrase.Join(", ", v.expected, bounds)
	case v.kind == schema.List:
		form, each := v.expected, v.elem.hint(true)
		if !element && v.elem.isElement() {
			form = "comma-separated"
		}
		if each != "" {
			each = "each " + each
		}
		return phrase.Join("; ", form, v.rules.items(), each)
	case v.kind == schema.JSON:
		return phrase.Join(" ", v.expected, v.validator.members())
	}
	pattern := ""
	if v.rules.pattern != nil {
		pattern = "matching " + phrase.Clip(v.rules.pattern.String(), 64)
	}
	return phrase.Join(", ", v.expected, v.rules.length(), pattern)
}

// AppendForm appends the params of elicitation/create for a form with a field for each argument, or
// one for each member of an object (MRT-26). With hints, the descriptions say what the schema of a
// field cannot. modes says that the protocol version has modes of elicitation. Forms have lists and
// defaults since then. The fields are in the order of the arguments.
func (p *Plan) AppendForm(dst []byte, message string, hints, modes bool) ([]byte, error) {
	dst = append(dst, '{')
	if modes {
		dst = append(dst, `"mode":"form",`...)
	}
	dst, ok := strictjson.AppendValidString(append(dst, `"message":`...), message)
	if !ok {
		return nil, errors.New("message is not valid UTF-8")
	}
	dst = append(dst, `,"requestedSchema":{"type":"object","properties":{`...)
	var err error
	var required []string
	for i := range p.Arguments {
		a := &p.Arguments[i]
		if a.Sensitive { // MRT-25
			return nil, &DeclarationError{Name: a.Name, Err: errors.New("a form must not ask for a sensitive argument; ask in URL mode, see InputRequest")}
		}
		fields := []*Argument{a}
		if parts := p.partsOf(i); parts != nil {
			fields = nil
			fieldsOfParts(parts, func(f *Argument) { fields = append(fields, f) })
		}
		for j, f := range fields {
			if i+j > 0 {
				dst = append(dst, ',')
			}
			if dst, err = f.appendField(dst, hints, modes); err != nil {
				return nil, &DeclarationError{Name: a.Name, Err: err}
			}
			if f.Required {
				// A client does not let the user submit the form without these fields.
				required = append(required, f.Name)
			}
		}
	}
	dst = append(dst, '}')
	if len(required) > 0 {
		dst = append(dst, `,"required":`...)
		if dst, err = jsonenc.Append(dst, required); err != nil {
			return nil, err
		}
	}
	return append(dst, "}}"...), nil
}

// formField is the schema of a field. The forms of the protocol are flat: a field
// is a string, a number, a boolean, one of several strings, or several of them.
// The bounds are json.Number, so that they are written as messages print them.
type formField struct {
	Type        string          `json:"type"`
	Minimum     json.Number     `json:"minimum,omitempty"`
	Maximum     json.Number     `json:"maximum,omitempty"`
	Enum        []string        `json:"enum,omitempty"`
	Items       *formField      `json:"items,omitempty"`
	MinItems    *int            `json:"minItems,omitempty"`
	MaxItems    *int            `json:"maxItems,omitempty"`
	MinLength   *int            `json:"minLength,omitempty"`
	MaxLength   *int            `json:"maxLength,omitempty"`
	Format      string          `json:"format,omitempty"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	Default     json.RawMessage `json:"default,omitempty"`
}

var formFormats = []string{"email", "uri", "date", "date-time"}

// The hint repeats nothing that the client can show from the schema of the field.
func (a *Argument) appendField(dst []byte, hints, modes bool) ([]byte, error) {
	dst, err := jsonenc.Append(dst, a.Name)
	if err != nil {
		return dst, err
	}
	f, isFull := a.value.field(modes)
	if a.hasDefault {
		f.Default = a.fieldDefault(modes)
		isFull = isFull && f.Default != nil
	}
	f.Title, f.Description = a.Title, a.Description
	if hints && !isFull {
		f.Description = a.DescriptionWithHint()
	}
	return jsonenc.Append(append(dst, ':'), f)
}

// field returns the field for the value, and reports whether its schema says everything that the
// hint says. The answer is validated as a call is, so the field may allow more than the argument,
// but never less.
func (v *value) field(modes bool) (f formField, isFull bool) {
	r := &v.rules
	switch {
	case v.kind == schema.Bool:
		return formField{Type: "boolean"}, true
	case v.kind.IsNumber():
		f.Type = v.kind.InstanceType()
		if v.isIntegral {
			f.Type = "integer"
		}
		if r.minimum != nil {
			f.Minimum = json.Number(phrase.Decimal(*r.minimum))
		} else if v.kind == schema.Uint {
			f.Minimum = "0"
		}
		if r.maximum != nil {
			f.Maximum = json.Number(phrase.Decimal(*r.maximum))
		}
		return f, r.enum == nil && r.exclusiveMinimum == nil && r.exclusiveMaximum == nil && r.multipleOf == nil
	case v.isChoice() && modes:
		items := &formField{Type: "string", Enum: v.elem.rules.texts}
		return formField{Type: "array", Items: items, MinItems: r.minItems, MaxItems: r.maxItems}, true
	}
	f.Type = "string"
	switch {
	case r.texts != nil:
		f.Enum = r.texts
		return f, true
	case !v.kind.IsString():
		return f, false
	}
	f.MinLength, f.MaxLength = r.minLength, r.maxLength
	if v.isTime {
		f.Format = "date-time"
	}
	if r.format != nil {
		f.Format = ""
		if slices.Contains(formFormats, r.format.name) {
			f.Format = r.format.name
		}
	}
	// The format "uri" would not allow a relative URL.
	return f, r.pattern == nil && (f.Format != "" || v.kind == schema.String && r.format == nil)
}

// The protocol version 2025-06-18 has defaults of booleans only.
func (a *Argument) fieldDefault(modes bool) json.RawMessage {
	k := a.value.kind
	switch {
	case k == schema.Bool || modes && k.IsNumber():
		return json.RawMessage(a.defaultValue)
	case !modes:
		return nil
	case a.value.isChoice():
		return json.RawMessage(a.defaultValue) // a JSON array, as in the schema
	}
	return json.RawMessage(strictjson.AppendString(nil, a.defaultValue))
}

// A form of the protocol has a field with several choices for exactly such lists.
func (v *value) isChoice() bool { return v.kind == schema.List && v.elem.rules.texts != nil }

// ReadForm returns the texts that the user has filled in, by the position of their arguments, and
// the problems of values that do not have the type of their field. The content comes from a client,
// which need not have validated it. The texts are copies, so the message of the client can be
// freed. The texts are validated by Fill, like those of a call.
func (p *Plan) ReadForm(content strictjson.Value, modes bool) ([]Text, []Problem) {
	texts := make([]Text, len(p.Arguments))
	var problems []Problem
	parts, fields, of := p.memberFields()
	filled := map[string]string{}
	for name, v := range content.Members() {
		i := p.Find(name)
		if f := fields[name]; f != nil && !f.isEmptyField(v) {
			text, want := f.memberText(v, modes)
			if filled[name] = text; want != "" {
				argument := p.Arguments[of[name]].Name
				p := Problem{Argument: argument, Reason: problem.Type, Message: "must be " + want}
				at := place{}
				for member := range strings.SplitSeq(name[len(argument)+1:], ".") {
					at.enter(step{name: member, index: -1, isDeclared: true})
				}
				at.put(&p)
				problems = append(problems, p)
			}
		}
		if i < 0 || v.Kind() == strictjson.Null {
			continue // MRT-21
		}
		text, want := p.Arguments[i].value.fieldText(v, modes)
		if want != "" {
			problems = append(problems, Problem{Argument: name, Reason: problem.Type, Message: "must be " + want})
			continue
		}
		texts[i] = Text{Value: strings.Clone(text), Given: true}
	}
	p.joinParts(texts, parts, filled)
	return texts, problems
}

// fieldText returns the text of the user's answer, or what the answer must be instead.
func (v *value) fieldText(answer strictjson.Value, modes bool) (text, want string) {
	switch {
	case v.kind == schema.Bool:
		if answer.Kind() != strictjson.Bool {
			return "", "a boolean"
		}
	case v.kind.IsNumber():
		if answer.Kind() != strictjson.Number {
			return "", "a number"
		}
		if v.kind != schema.Float {
			return plainInteger(answer.Raw()), ""
		}
	case v.isChoice() && modes:
		if answer.Kind() != strictjson.Array {
			return "", "an array of strings"
		}
		for e := range answer.Elements() {
			if e.Kind() != strictjson.String {
				return "", "an array of strings"
			}
		}
	default:
		if answer.Kind() != strictjson.String {
			return "", "a string"
		}
		return answer.Text(), ""
	}
	return answer.Raw(), ""
}
