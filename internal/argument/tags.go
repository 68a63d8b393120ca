package argument

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts/internal/nearest"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// This file reads the constraints that the tags of a field declare, such as
// enum:"go,python" and minimum:"1". A tag becomes the keyword of the schema with the
// same name, so that it is checked like the keywords in Prompt.Arguments.

// tagKeywords are the tags. On a list, a tag for elements constrains each element.
// The order is that of the errors.
var tagKeywords = []struct {
	name       string
	ofElements bool
	set        func(s *jsonschema.Schema, r tagReader, text string) error
}{
	{"title", false, func(s *jsonschema.Schema, _ tagReader, text string) error { s.Title = text; return nil }},
	{"default", false, func(s *jsonschema.Schema, r tagReader, text string) error { return r.setDefault(s, text) }},
	{"example", false, func(s *jsonschema.Schema, r tagReader, text string) error {
		s.Examples = []any{r.value(text)}
		return nil
	}},
	{"enum", true, func(s *jsonschema.Schema, r tagReader, text string) error { return r.setEnum(s, text) }},
	{"pattern", true, func(s *jsonschema.Schema, _ tagReader, text string) error { s.Pattern = text; return nil }},
	{"format", true, func(s *jsonschema.Schema, _ tagReader, text string) error { s.Format = text; return nil }},
	{"minLength", true, setCount(func(s *jsonschema.Schema) **int { return &s.MinLength })},
	{"maxLength", true, setCount(func(s *jsonschema.Schema) **int { return &s.MaxLength })},
	{"minItems", false, setCount(func(s *jsonschema.Schema) **int { return &s.MinItems })},
	{"maxItems", false, setCount(func(s *jsonschema.Schema) **int { return &s.MaxItems })},
	{"minimum", true, setNumber(func(s *jsonschema.Schema) **float64 { return &s.Minimum })},
	{"maximum", true, setNumber(func(s *jsonschema.Schema) **float64 { return &s.Maximum })},
	{"exclusiveMinimum", true, setNumber(func(s *jsonschema.Schema) **float64 { return &s.ExclusiveMinimum })},
	{"exclusiveMaximum", true, setNumber(func(s *jsonschema.Schema) **float64 { return &s.ExclusiveMaximum })},
	{"multipleOf", true, setNumber(func(s *jsonschema.Schema) **float64 { return &s.MultipleOf })},
}

func setCount(of func(*jsonschema.Schema) **int) func(*jsonschema.Schema, tagReader, string) error {
	return func(s *jsonschema.Schema, _ tagReader, text string) error {
		n, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("must be an integer, got %s", phrase.Quote(text))
		}
		*of(s) = &n
		return nil
	}
}

func setNumber(of func(*jsonschema.Schema) **float64) func(*jsonschema.Schema, tagReader, string) error {
	return func(s *jsonschema.Schema, r tagReader, text string) error {
		n, err := parseFloat(text, 64)
		if err != nil && !r.isNumber() {
			return fmt.Errorf("applies to numbers, not to %s; check the value in the render function", withoutPointers(r.typ))
		} else if err != nil {
			return fmt.Errorf("must be a number, got %s", phrase.Quote(text))
		}
		*of(s) = &n
		return nil
	}
}

type tagReader struct {
	typ    reflect.Type // may be a pointer
	inJSON bool         // the field is a member of JSON, not an argument
}

func (r tagReader) isString() bool {
	if r.inJSON {
		return jsonTypeOf(r.typ) == "string"
	}
	k, err := kindOf(r.typ)
	return err == nil && (k.IsString() || k == schema.Any)
}

func (r tagReader) isNumber() bool {
	k, err := kindOf(r.typ)
	return err == nil && (k.IsNumber() || k == schema.Any)
}

func (r tagReader) elements() (elements tagReader, ok bool) {
	if k, err := kindOf(r.typ); err != nil || k != schema.List {
		return r, false
	}
	return tagReader{withoutPointers(r.typ).Elem(), r.inJSON}, true
}

// The text has the form that a client would send. A text that does not have the type becomes a
// string, which compileValue rejects.
func (r tagReader) value(text string) json.RawMessage {
	elements, isList := r.elements()
	switch {
	case isList && strings.TrimSpace(text) == "":
		return json.RawMessage("[]")
	case isList && !strings.HasPrefix(text, "["):
		var list []json.RawMessage
		for e := range strings.SplitSeq(text, ",") {
			list = append(list, elements.value(strings.TrimSpace(e)))
		}
		raw, _ := json.Marshal(list) // each is valid JSON
		return raw
	case !r.isString() && json.Valid([]byte(text)):
		return json.RawMessage(text)
	}
	return strictjson.AppendString(nil, text)
}

// encoding/json does not fill members that are absent, so a default of a member would have no
// effect.
func (r tagReader) setDefault(s *jsonschema.Schema, text string) error {
	if r.inJSON {
		return errors.New("applies to arguments, not to members of JSON; fill the member in the render function")
	}
	s.Default = r.value(text)
	return nil
}

func (r tagReader) setEnum(s *jsonschema.Schema, text string) error {
	var values []json.RawMessage
	if strings.HasPrefix(text, "[") {
		if json.Unmarshal([]byte(text), &values) != nil {
			return fmt.Errorf("must be comma-separated values or a JSON array, got %s", phrase.Quote(text))
		}
	} else {
		for e := range strings.SplitSeq(text, ",") {
			if e = strings.TrimSpace(e); e == "" {
				return fmt.Errorf("has an empty value in %s", phrase.Quote(text))
			}
			values = append(values, r.value(e))
		}
	}
	if len(values) == 1 && strings.ContainsAny(text, "|;") && !strings.HasPrefix(text, "[") {
		commas := strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r == '|' || r == ';' }), ",")
		return fmt.Errorf("must have a comma between two values, got %s; write %s, or for one value a JSON array", phrase.Quote(text), phrase.Quote(commas))
	}
	for i, v := range values {
		if slices.ContainsFunc(values[:i], func(other json.RawMessage) bool { return string(other) == string(v) }) {
			return fmt.Errorf("has %s twice", phrase.Clip(string(v), 64))
		}
	}
	// The type of the member allows null, and the enum must not take that back.
	if r.inJSON && r.typ.Kind() == reflect.Pointer {
		values = append(values, json.RawMessage("null"))
	}
	s.Enum = make([]any, len(values))
	for i, v := range values {
		s.Enum[i] = v
	}
	return nil
}

// The tags are merged like the schema that a prompt lists, so both have the same effect.
func (f *structField) constrain(s *jsonschema.Schema, inJSON bool) (*jsonschema.Schema, error) {
	errs := f.checkTags()
	if err := f.readSensitive(inJSON); err != nil {
		errs = append(errs, err)
	}
	declared := &jsonschema.Schema{}
	isTagged := false
	for _, k := range tagKeywords {
		text, ok := f.tag.Lookup(k.name)
		if !ok {
			continue
		}
		// The empty string is a useful default, and nothing else.
		if text == "" && k.name != "default" {
			errs = append(errs, fmt.Errorf("tag %s is empty", k.name))
			continue
		}
		isTagged = true
		r, at := tagReader{f.typ, inJSON}, declared
		for k.ofElements {
			elements, isList := r.elements()
			if !isList {
				break
			}
			if at.Items == nil {
				at.Items = &jsonschema.Schema{}
			}
			r, at = elements, at.Items
		}
		if err := k.set(at, r, text); err != nil {
			errs = append(errs, fmt.Errorf("tag %s %w", k.name, err))
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	if !isTagged {
		return s, nil
	}
	declared, err := schema.Clone(declared)
	if err != nil {
		return nil, err
	}
	return schema.Merge(s, declared), nil
}

// Such tags come from validators and schema generators for Go, and would have no effect here.
var otherNames = map[string]string{
	"min": "minimum", "max": "maximum", "minlen": "minLength", "maxlen": "maxLength", "regex": "pattern", "regexp": "pattern",
	"enums": "enum", "oneof": "enum", "const": "enum", "secret": "sensitive", "password": "sensitive",
	"desc": "jsonschema", "description": "jsonschema", "doc": "jsonschema", "jsonschema_description": "jsonschema",
}

var noTags = []string{"uniqueItems", "contains", "minContains", "maxContains", "minProperties", "maxProperties", "propertyNames"}

// checkTags returns the errors of tags that would be ignored: those that are not written as
// name:"value", and those whose name is nearly that of a constraint, or that other libraries
// have for one. reflect.StructTag.Lookup stops at the first tag that is not well formed,
// without an error.
func (f *structField) checkTags() (errs []error) {
	for rest := strings.TrimLeft(string(f.tag), " "); rest != ""; rest = strings.TrimLeft(rest, " ") {
		name, quoted, ok := strings.Cut(rest, ":")
		value, err := strconv.QuotedPrefix(quoted)
		if !ok || err != nil || !strings.HasPrefix(quoted, `"`) || strings.ContainsAny(name, " \"") {
			if strings.Contains(rest, `\`) {
				return append(errs, fmt.Errorf("struct tag %s would be ignored, because the value has an invalid escape; write \\\\ for \\", phrase.Clip(rest, 64)))
			}
			return append(errs, fmt.Errorf("struct tag %s would be ignored; write name:\"value\"", phrase.Clip(rest, 64)))
		}
		rest = quoted[len(value):]
		meant := meantTag(name)
		switch {
		case meant == "jsonschema" && f.description != "": // which has the description
		case meant != "" && meant != name:
			meant, value = f.tagFor(meant, name, value)
			errs = append(errs, fmt.Errorf("unknown tag %s; write %s:%s", name, meant, phrase.Clip(value, 64)))
		case slices.Contains(noTags, name):
			errs = append(errs, fmt.Errorf("unknown tag %s; set the keyword in the Schema of the argument in Prompt.Arguments", name))
		// A tag that only repeats what the type says does no harm.
		case name == "required" && f.optional != (value == `"false"`), name == "optional" && f.optional != (value == `"true"`):
			errs = append(errs, fmt.Errorf("unknown tag %s; a field is required, unless it is a pointer or has omitempty in the json tag", name))
		}
	}
	return errs
}

// tagFor returns the tag for what another library writes as name:value: min is a length for
// a string and a number of elements for a list, and oneof has spaces.
func (f *structField) tagFor(meant, name, value string) (tag, text string) {
	k, err := kindOf(f.typ)
	switch lower := strings.ToLower(name); {
	case err != nil:
	case lower == "oneof" && !strings.Contains(value, ","):
		if text, err := strconv.Unquote(value); err == nil {
			return meant, strconv.Quote(strings.Join(strings.Fields(text), ","))
		}
	case (lower == "min" || lower == "max") && k == schema.List:
		return lower + "Items", value
	case (lower == "min" || lower == "max") && k.IsString():
		return lower + "Length", value
	}
	return meant, value
}

// An exact name wins, then names of other libraries, and then similar names.
func meantTag(name string) string {
	names := []string{"sensitive"}
	for _, k := range tagKeywords {
		names = append(names, k.name)
	}
	for _, n := range names {
		if strings.EqualFold(n, name) {
			return n
		}
	}
	if other := otherNames[strings.ToLower(name)]; other != "" {
		return other
	}
	if len(name) < 6 { // shorter names are near to the tags of other packages, such as form
		return ""
	}
	near := nearest.Name(name, names)
	if len(name) > len(near)+2 { // such as patternDescription
		return ""
	}
	return near
}

// Only "true" and "false" are allowed, so that a tag never means the opposite of
// what it seems to say.
func (f *structField) readSensitive(inJSON bool) error {
	text, ok := f.tag.Lookup("sensitive")
	if !ok {
		return nil
	}
	var err error
	if f.sensitive, err = strconv.ParseBool(text); err != nil || text != "true" && text != "false" {
		return fmt.Errorf("tag sensitive must be true or false, got %s", phrase.Quote(text))
	}
	if inJSON && f.sensitive {
		return errors.New("tag sensitive applies to arguments, not to members of JSON; tag the argument")
	}
	return nil
}
