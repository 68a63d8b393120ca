package prompts

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"
)

// kind is how the text of a value is read.
type kind uint8

const (
	kindString   kind = iota // as it is
	kindBool                 // true or false
	kindInt                  // a signed integer
	kindUint                 // an unsigned integer
	kindFloat                // a number
	kindText                 // by its type's UnmarshalText
	kindDuration             // by time.ParseDuration
	kindURL                  // by url.Parse
	kindBytes                // base64
	kindList                 // a JSON array, or split at commas
	kindJSON                 // JSON
	kindAny                  // by the type that the schema names; never in a compiled value
)

// value is the compiled form of an argument's Go type and schema: how its
// text is read, and what the result must satisfy.
type value struct {
	kind kind
	bits int // of an integer or a float
	// isLiteral says that a number is a json.Number, which keeps its text.
	isLiteral bool
	elem      *value // of a list
	noun      string // what the text must be, such as "an integer"
	// isAddress says that the text is an address of net/netip, whose types read
	// the empty text as one that is not valid.
	isAddress bool
	// isTime says that the text is a time of RFC 3339.
	isTime bool
	rules  rules
	judge  *jsonschema.Resolved // judges what the rules do not cover; nil if they cover all
	spelt  *spelling            // of JSON that fills a Go type; nil if nothing is spelt
	// candidates complete the text.
	candidates func() *index
}

// compileValue compiles the schema for values of type t. A nil t is for a
// prompt without a struct: the schema decides how the text is read.
func compileValue(t reflect.Type, s *jsonschema.Schema) (*value, error) {
	v := &value{bits: 64}
	elem := reflect.Type(nil)
	if t == nil || withoutPointers(t).Kind() == reflect.Interface {
		var err error
		if v.kind, err = kindOfSchema(s); err != nil {
			return nil, err
		}
		if v.kind == kindList && refersOutside(s) {
			v.kind = kindJSON // its elements have no schema that could be taken alone
		}
	} else {
		t = withoutPointers(t)
		var err error
		if v.kind, err = kindOf(t); err != nil {
			return nil, err
		}
		switch v.kind {
		case kindInt, kindUint, kindFloat:
			if v.isLiteral = t == typeNumber; !v.isLiteral {
				v.bits = t.Bits()
			}
		case kindList:
			elem = t.Elem()
		case kindJSON:
			v.spelt = spellingOf(t)
		}
	}
	if v.kind == kindList {
		items := s.Items
		if items == nil || refersOutside(s) {
			items = &jsonschema.Schema{}
		}
		var err error
		if v.elem, err = compileValue(elem, items); err != nil {
			return nil, fmt.Errorf("items: %w", err)
		}
	}
	v.noun, v.isTime = nounOf(v.kind, t, s), v.kind == kindText && t == typeTime
	v.isAddress = t == typeAddr || t == typeAddrPort || t == typePrefix
	var err error
	want := v.kind.instanceType()
	if v.kind == kindJSON && t != nil {
		want = jsonTypeOf(t)
		if err := checkMembers(t, s); err != nil {
			return nil, fmt.Errorf("schema: %w", err)
		}
	}
	if v.rules, v.judge, err = compileRules(v.kind, want, s); err != nil {
		return nil, err
	}
	if t != nil && v.kind == kindList && t.Kind() == reflect.Array && !v.rules.isLength(t.Len()) {
		return nil, fmt.Errorf("schema: the type has %d elements, so minItems and maxItems must be %[1]d", t.Len())
	}
	if err := v.checkReadable(t, s); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	v.candidates = sync.OnceValue(func() *index { return newIndex(v.listCandidates()) })
	return v, nil
}

// nounOf returns what the text of a value must be; empty if any text will do
// or if nothing can be said.
func nounOf(k kind, t reflect.Type, s *jsonschema.Schema) string {
	switch k {
	case kindBool:
		return "true or false"
	case kindInt, kindUint:
		return "an integer"
	case kindFloat:
		return "a number"
	case kindText:
		switch t {
		case typeTime:
			return "a time such as 2006-01-02T15:04:05Z"
		case typeAddr:
			return "an IP address"
		case typeAddrPort:
			return "an IP address and port such as 192.0.2.1:80"
		case typePrefix:
			return "an IP prefix such as 192.0.2.0/24"
		}
	case kindDuration:
		return "a duration such as 1h30m"
	case kindURL:
		return "a URL"
	case kindBytes:
		return "base64 data"
	case kindList:
		return "a JSON array" // any other text is split
	case kindJSON:
		switch {
		case slices.Equal(typesOf(s), []string{"object"}):
			return "a JSON object"
		case slices.Equal(typesOf(s), []string{"array"}):
			return "a JSON array"
		}
		return "JSON"
	}
	return ""
}

// wrongType is the problem of a text that is not what v reads.
func (v *value) wrongType(text string) *problem {
	noun := v.noun
	if noun == "" {
		noun = "a valid value"
	}
	return &problem{Reason: reasonType, Message: quote(text) + " is not " + noun}
}

func (v *value) outOfRange(text string) *problem {
	return &problem{Reason: reasonRange, Message: quote(text) + " is out of range"}
}

func quote(text string) string { return strconv.Quote(clip(text, 64)) }

// read reads the text into dst and judges it. dst may be the zero Value:
// then there is nothing to fill. If want is set, read also returns the value
// as encoding/json would decode it, for a schema to judge.
//
// The problem is nil, or lacks nothing but the argument's name.
func (v *value) read(dst reflect.Value, text string, want bool) (any, *problem) {
	if dst.IsValid() {
		for dst.Kind() == reflect.Pointer {
			dst.Set(reflect.New(dst.Type().Elem()))
			dst = dst.Elem()
		}
		if dst.Kind() == reflect.Interface {
			// The schema decides what an any holds.
			instance, p := v.read(reflect.Value{}, text, true)
			if p == nil && instance != nil {
				dst.Set(reflect.ValueOf(instance))
			}
			return instance, p
		}
	}
	instance, p := v.convert(dst, text, want || v.judge != nil || v.rules.others != nil)
	if p == nil {
		p = v.rules.checkInstance(instance, text)
	}
	if p == nil && v.judge != nil && v.judge.Validate(instance) != nil {
		// jsonschema-go's text repeats the value and is made for authors.
		p = &problem{Reason: reasonSchema, Message: quote(text) + " is not allowed by the argument's schema"}
	}
	if p == nil && v.kind == kindJSON && dst.IsValid() && json.Unmarshal([]byte(text), dst.Addr().Interface()) != nil {
		p = &problem{Reason: reasonType, Message: quote(text) + " does not fit the argument's type"}
	}
	return instance, p
}

// takesEmpty reports whether the empty text is a value: of a string, if the
// schema allows it. Other types have better ways to say nothing.
func (v *value) takesEmpty() bool {
	if v.kind != kindString {
		return false
	}
	_, p := v.read(reflect.Value{}, "", false)
	return p == nil
}
