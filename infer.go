package prompts

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"reflect"
	"regexp"
	"sync"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// field is an argument as a struct declares it.
type field struct {
	name        string
	index       []int // of the field, through embedded structs
	typ         reflect.Type
	optional    bool
	description string
	schema      *jsonschema.Schema // inferred; shared, so never changed
	value       *value             // compiled from schema
}

// inferred is what a struct type declares. The faults name the argument.
type inferred struct {
	fields []field
	faults []error
	plan   *plan // of all prompts that list no arguments; nil if there are faults
}

// structs caches inference by type: it costs much more than the rest of
// adding a prompt, and depends on nothing else.
var structs sync.Map // reflect.Type -> *inferred

func infer(t reflect.Type) *inferred {
	if cached, ok := structs.Load(t); ok {
		return cached.(*inferred)
	}
	inf := &inferred{}
	if t.Kind() != reflect.Struct {
		inf.faults = append(inf.faults, errors.New("the type of the arguments must be a struct; for others set Arguments and Render"))
	} else {
		w := fieldWalk{within: map[reflect.Type]bool{}}
		w.walk(t, nil, false)
		inf.fields = w.visible()
		inf.faults = w.faults
	}
	for i := range inf.fields {
		f := &inf.fields[i]
		var err error
		if f.schema, err = schemaOf(f.typ); err == nil {
			f.value, err = compileValue(f.typ, f.schema)
		}
		if err != nil {
			inf.faults = append(inf.faults, &argumentFault{f.name, err})
		}
	}
	var c planCompiler
	if c.fromStruct(inf, nil); len(c.faults) == 0 {
		inf.plan = c.plan
	}
	cached, _ := structs.LoadOrStore(t, inf)
	return cached.(*inferred)
}

// fieldWalk collects the fields of a struct as encoding/json sees them, but
// that a name declared twice at one depth is a fault and not two fields lost.
type fieldWalk struct {
	fields []field
	faults []error
	within map[reflect.Type]bool // embedded structs that the walk is inside of
}

func (w *fieldWalk) walk(t reflect.Type, index []int, optional bool) {
	if w.within[t] {
		return // what a struct embeds again is shadowed by itself
	}
	w.within[t] = true
	defer delete(w.within, t)
	for i := range t.NumField() {
		sf := t.Field(i)
		at := append(index[:len(index):len(index)], i)
		tag, err := readTag(sf)
		if err != nil {
			w.faults = append(w.faults, err)
		}
		name := tag.name
		if tag.left {
			continue
		}
		if base := withoutPointers(sf.Type); sf.Anonymous && name == "" && base.Kind() == reflect.Struct && !isText(base) {
			if sf.Type.Kind() == reflect.Pointer && !sf.IsExported() {
				w.faults = append(w.faults, unsettable(base))
				continue
			}
			w.walk(base, at, optional || sf.Type.Kind() == reflect.Pointer)
			continue
		}
		if !sf.IsExported() {
			continue
		}
		if name == "" {
			name = sf.Name
		}
		f := field{name: name, index: at, typ: sf.Type, optional: optional || tag.optional || sf.Type.Kind() == reflect.Pointer}
		if tag.quoted {
			w.faults = append(w.faults, &argumentFault{name, errors.New(`the json tag has the option "string"; remove it, every argument is a string on the wire and becomes what the field is`)})
		}
		if f.description, err = description(sf); err != nil {
			w.faults = append(w.faults, &argumentFault{name, err})
		}
		w.fields = append(w.fields, f)
	}
}

// visible returns the fields that no shallower one of the same name hides.
func (w *fieldWalk) visible() []field {
	depths := map[string]int{}
	for _, f := range w.fields {
		if d, ok := depths[f.name]; !ok || len(f.index) < d {
			depths[f.name] = len(f.index)
		}
	}
	var fields []field
	seen := map[string]bool{}
	for _, f := range w.fields {
		switch {
		case len(f.index) > depths[f.name]:
		case seen[f.name]:
			w.faults = append(w.faults, &argumentFault{f.name, errors.New("two fields have this name; rename one in its json tag")})
		default:
			seen[f.name] = true
			fields = append(fields, f)
		}
	}
	return fields
}

var tagKeyword = regexp.MustCompile(`^[^ \t\n]*=`)

// description reads the jsonschema tag, by jsonschema-go's rules.
func description(sf reflect.StructField) (string, error) {
	tag, ok := sf.Tag.Lookup("jsonschema")
	switch {
	case ok && tag == "":
		return "", errors.New("the jsonschema tag is empty")
	case tagKeyword.MatchString(tag):
		return "", fmt.Errorf("the jsonschema tag %q begins like a keyword; it is a description, and constraints go into Argument.Schema", clip(tag, 64))
	}
	return tag, nil
}

var (
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	typeDuration    = reflect.TypeFor[time.Duration]()
	typeTime        = reflect.TypeFor[time.Time]()
	typeURL         = reflect.TypeFor[url.URL]()
	typeAddr        = reflect.TypeFor[netip.Addr]()
	typeAddrPort    = reflect.TypeFor[netip.AddrPort]()
	typePrefix      = reflect.TypeFor[netip.Prefix]()
	typeNumber      = reflect.TypeFor[json.Number]()
)

// maxTypeDepth bounds how deep pointers and lists may nest in the type of an
// argument: types can be recursive without end.
const maxTypeDepth = 8

func withoutPointers(t reflect.Type) reflect.Type {
	for depth := 0; t.Kind() == reflect.Pointer && depth < maxTypeDepth; depth++ {
		t = t.Elem()
	}
	return t
}

// isText reports whether values of t are read from text by a rule of their
// own rather than by their kind.
func isText(t reflect.Type) bool {
	return t == typeURL || t == typeDuration || reflect.PointerTo(t).Implements(textUnmarshaler)
}

// isBytes reports whether t is a slice of bytes, and not of a type that has
// the bytes' kind and a text form of its own.
func isBytes(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 && !isText(t.Elem()) &&
		!reflect.PointerTo(t.Elem()).Implements(jsonUnmarshaler)
}

// kindOf returns how a value of type t is read.
func kindOf(t reflect.Type) (kind, error) {
	t = withoutPointers(t)
	switch {
	case t == typeDuration:
		return kindDuration, nil
	case t == typeURL:
		return kindURL, nil
	case t == typeNumber:
		return kindFloat, nil
	case reflect.PointerTo(t).Implements(textUnmarshaler):
		return kindText, nil
	case reflect.PointerTo(t).Implements(jsonUnmarshaler):
		return kindJSON, nil
	}
	switch t.Kind() {
	case reflect.String:
		return kindString, nil
	case reflect.Bool:
		return kindBool, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return kindInt, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return kindUint, nil
	case reflect.Float32, reflect.Float64:
		return kindFloat, nil
	case reflect.Slice:
		if isBytes(t) {
			return kindBytes, nil
		}
		return kindList, nil
	case reflect.Array:
		return kindList, nil
	case reflect.Struct, reflect.Map:
		return kindJSON, nil
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return kindAny, nil
		}
	}
	return 0, unfillable(t)
}

func unfillable(t reflect.Type) error {
	return fmt.Errorf("no text can fill a value of type %s; use a string, a number, a bool, a slice, a struct, or a type with UnmarshalText", t)
}

// schemaOf infers the schema of what a value of type t is read from. It
// describes the text where the value is read from text, and JSON where it is
// read from JSON, which is where jsonschema-go knows the answer.
func schemaOf(t reflect.Type) (*jsonschema.Schema, error) {
	return schemaAt(t, maxTypeDepth)
}

func schemaAt(t reflect.Type, depth int) (*jsonschema.Schema, error) {
	if depth == 0 {
		return nil, errors.New("lists nest too deeply in its type; use json.RawMessage")
	}
	t = withoutPointers(t)
	k, err := kindOf(t)
	if err != nil {
		return nil, err
	}
	if own, err := ownSchema(t); own != nil || err != nil {
		if err == nil && depth < maxTypeDepth {
			err = checkOwnInside(t, own)
		}
		return own, err
	}
	switch k {
	case kindBool:
		return &jsonschema.Schema{Type: "boolean"}, nil
	case kindInt:
		return &jsonschema.Schema{Type: "integer"}, nil
	case kindUint:
		return &jsonschema.Schema{Type: "integer", Minimum: jsonschema.Ptr(0.0)}, nil
	case kindFloat:
		return &jsonschema.Schema{Type: "number"}, nil
	case kindAny:
		return &jsonschema.Schema{}, nil
	case kindList:
		items, err := schemaAt(t.Elem(), depth-1)
		if err != nil {
			return nil, err
		}
		s := &jsonschema.Schema{Type: "array", Items: items}
		if t.Kind() == reflect.Array {
			s.MinItems, s.MaxItems = jsonschema.Ptr(t.Len()), jsonschema.Ptr(t.Len())
		}
		return s, nil
	case kindJSON:
		if reflect.PointerTo(t).Implements(jsonUnmarshaler) {
			return &jsonschema.Schema{}, nil // its own method judges
		}
		w := typeWalk{known: map[reflect.Type]*jsonschema.Schema{typeNumber: {Type: "number"}}, within: map[reflect.Type]bool{}}
		if err := w.walk(t); err != nil {
			return nil, err
		}
		s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: w.known})
		if err != nil {
			return nil, err
		}
		return s, completeSchema(t, s)
	}
	return &jsonschema.Schema{Type: "string"}, nil
}
