package argument

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-prompts/prompts/internal/nearest"
	"github.com/mcp-prompts/prompts/internal/phrase"
)

// This file finds the fields of a struct as encoding/json sees them.

// A field with an error is kept, so that the error names the argument.
type structField struct {
	name        string // from the json tag, or the field's own
	index       []int  // through embedded structs
	typ         reflect.Type
	optional    bool // omitempty, omitzero, a pointer, or in an embedded pointer
	quoted      bool // the json tag has the option "string"
	sensitive   bool // the sensitive tag
	description string
	tag         reflect.StructTag

	err     error // nil if the declaration is valid
	ignored bool  // the field cannot be filled, see err
}

// fieldsOf returns the fields of the struct type t in the order of the declaration. Embedded
// structs count as their fields, unless the json tag names them or they have a text form. If
// several fields have the same name, the shallowest one counts, as in encoding/json. Two of the
// same depth are an error, where encoding/json takes the tagged one, or none.
func fieldsOf(t reflect.Type) []structField {
	w := fieldWalk{within: map[reflect.Type]bool{}}
	w.walk(t, nil, false)
	depths := map[string]int{} // of the shallowest field
	for _, f := range w.fields {
		if d, ok := depths[f.name]; !ok || len(f.index) < d {
			depths[f.name] = len(f.index)
		}
	}
	fields := w.fields[:0]
	for _, f := range w.fields {
		if len(f.index) > depths[f.name] {
			continue
		}
		first := slices.IndexFunc(fields, func(other structField) bool { return other.name == f.name })
		if first < 0 {
			fields = append(fields, f)
		} else if fields[first].err == nil {
			fields[first].err = errors.New("two fields have this name; rename one of them in the json tag")
		}
	}
	return fields
}

type fieldWalk struct {
	fields []structField
	within map[reflect.Type]bool // embedded structs around the current one
}

// A field of an embedded pointer is optional, because the pointer may stay nil.
func (w *fieldWalk) walk(t reflect.Type, index []int, optional bool) {
	if w.within[t] {
		return // the outer struct's fields hide those of the inner one
	}
	w.within[t] = true
	defer delete(w.within, t)
	for i := range t.NumField() {
		sf := t.Field(i)
		// The capacity of index is cut, so that append never writes into the index
		// of another field.
		f := structField{name: sf.Name, typ: sf.Type, tag: sf.Tag, index: append(index[:len(index):len(index)], i)}
		f.optional = optional || sf.Type.Kind() == reflect.Pointer
		tag, isTagged := sf.Tag.Lookup("json")
		if tag == "-" {
			continue
		}
		isNamed := f.readTag(sf.Name, tag)
		base := withoutPointers(sf.Type)
		if sf.Anonymous && !isNamed && base.Kind() == reflect.Struct && !hasTextForm(base) {
			// encoding/json fills the exported fields of an embedded struct whose type is not
			// exported, but package reflect cannot set a pointer to such a struct.
			if sf.IsExported() || sf.Type.Kind() != reflect.Pointer {
				w.walk(base, f.index, f.optional)
				continue
			}
			f.ignored, f.err = true, fmt.Errorf("embedded pointer to %s cannot be set, because the type is not exported; embed the struct itself", base.Name())
		} else if !sf.IsExported() {
			// Unexported fields belong to the application, unless a tag says that JSON is meant.
			if !isTagged {
				continue
			}
			f.ignored, f.err = true, fmt.Errorf("field %s has a json tag, but is not exported; export the field, or remove the tag", sf.Name)
		}
		var err error
		if f.description, err = description(sf); f.err == nil {
			f.err = err
		}
		w.fields = append(w.fields, f)
	}
}

// What encoding/json ignores is an error.
func (f *structField) readTag(field, tag string) (isNamed bool) {
	name, options, _ := strings.Cut(tag, ",")
	if name != "" {
		f.name = name
	}
	if strings.ContainsAny(name, "'`\"\\") {
		f.err = fmt.Errorf("json tag of field %s has a quote or a backslash in the name, so that encoding/json would ignore the name; rename the field", field)
	}
	for option := range strings.SplitSeq(options, ",") {
		switch option {
		case "":
		case "omitempty", "omitzero":
			f.optional = true
		case "string":
			f.quoted = true
		default:
			f.err = fmt.Errorf("json tag of field %s has the unknown option %s%s", field, phrase.Quote(option), nearest.DidYouMean(strings.TrimSpace(option), []string{"omitempty", "omitzero"}))
		}
	}
	return name != ""
}

// tagKeyword matches what jsonschema-go rejects in its tag: a word followed by an
// equals sign. The groups are the keyword and its value.
var tagKeyword = regexp.MustCompile(`^([^ \t\n,=]*)[^ \t\n=]*=([^,]*)`)

func description(sf reflect.StructField) (string, error) {
	tag, ok := sf.Tag.Lookup("jsonschema")
	switch {
	case ok && tag == "":
		return "", errors.New("jsonschema tag is empty")
	case tagKeyword.MatchString(tag):
		example := `minimum:"1"`
		m := tagKeyword.FindStringSubmatch(tag)
		if meant := meantTag(m[1]); meant != "" {
			example = meant + ":" + strconv.Quote(phrase.Clip(m[2], 64))
		}
		return "", fmt.Errorf("jsonschema tag %s looks like a constraint, but the tag is a description; write a constraint as a tag of its own, such as %s", phrase.Quote(tag), example)
	}
	return tag, nil
}
