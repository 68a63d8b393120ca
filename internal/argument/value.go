package argument

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/match"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/schema"
)

// This file compiles an argument's Go type and schema into a [value], and reads
// strings by it. convert.go converts the string, rules.go checks the result.

// value says how the string of an argument is read, and which values are valid. It
// is immutable.
//
// To read a string is to convert it (convert.go), which checks the rules of strings,
// numbers and lengths; then to check an enum of other values and the validator; and
// last to fill the Go value from JSON. So nothing that is invalid gets into a Go
// value of the application, except for types with UnmarshalText.
type value struct {
	kind       schema.Kind
	bits       int    // of an integer or a float
	isLiteral  bool   // a json.Number, which keeps the text
	isIntegral bool   // a float that the schema restricts to integers
	elem       *value // of a list
	expected   string // such as "an integer"; "" if any text is valid
	isAddress  bool   // of net/netip, where the empty text gives an invalid address
	isTime     bool   // of RFC 3339
	rules      rules
	validator  *schema.Validator // for the rest of the schema; nil if the rules are all
	maxBytes   int               // of a text; 0: no limit but that of an argument
	members    *memberCase       // of JSON; nil if it contains no struct
	// candidates complete the text.
	candidates func() *match.Index
}

// maxPatternWork limits the bytes of a text times the instructions of the patterns in
// the schema. To match that much takes about a second.
const maxPatternWork = 64 << 20

// tooLong returns the problem of a value that would exceed maxPatternWork.
func tooLong(maxBytes int) *Problem {
	return &Problem{Reason: reasonLength, Message: fmt.Sprintf("exceeds the limit of %d bytes for values whose schema has a pattern", maxBytes)}
}

// compileValue compiles the schema for values of type t. If t is nil or an any, the
// schema says how the text is read.
func compileValue(t reflect.Type, s *jsonschema.Schema) (*value, error) {
	if t != nil {
		t = withoutPointers(t)
		if t.Kind() == reflect.Interface {
			t = nil
		}
	}
	s, err := schema.WithEnum(s)
	if err != nil {
		return nil, err
	}
	v := &value{bits: 64}
	if err := v.compileKind(t, s); err != nil {
		return nil, err
	}
	want := v.kind.InstanceType()
	if v.kind == schema.JSON && t != nil {
		want = jsonTypeOf(t)
		if err := checkMembers(t, s); err != nil {
			return nil, fmt.Errorf("schema: %w", err)
		}
	}
	if v.rules, v.validator, err = compileRules(v.kind, want, s); err != nil {
		return nil, err
	}
	if v.rules.format, err = formatOf(v.kind, t, s); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	if v.rules.format != nil {
		v.expected = v.rules.format.expected
	}
	if v.kind.IsNumber() {
		if err := v.compileNumber(s); err != nil {
			return nil, fmt.Errorf("schema: %w", err)
		}
	}
	if t != nil && v.kind == schema.List && t.Kind() == reflect.Array && !v.rules.isLength(t.Len()) {
		return nil, fmt.Errorf("schema: the type has %d elements, so minItems and maxItems must be %[1]d", t.Len())
	}
	if err := v.checkReadable(t, s); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	if n := schema.PatternSize(s); n > 0 {
		v.maxBytes = max(maxPatternWork/n, 1)
	}
	v.candidates = sync.OnceValue(func() *match.Index { return match.New(v.listCandidates()) })
	return v, nil
}

// compileKind compiles how a text is read. A t of nil leaves that to the schema.
func (v *value) compileKind(t reflect.Type, s *jsonschema.Schema) (err error) {
	if t != nil {
		v.kind, err = kindOf(t)
	} else {
		v.kind, err = schema.KindOf(s)
	}
	if err != nil {
		return err
	}
	v.expected, v.isTime, v.isLiteral = expectedOf(v.kind, t, s), t == typeTime, t == typeNumber
	v.isAddress = t == typeAddr || t == typeAddrPort || t == typePrefix
	switch {
	case v.kind == schema.List:
		return v.compileElement(t, s)
	case t == nil:
	case v.kind.IsNumber() && !v.isLiteral:
		v.bits = t.Bits()
	case v.kind == schema.JSON:
		v.members = memberCaseOf(t)
	}
	return nil
}

// compileElement compiles the elements of a list of type t, which may be nil.
func (v *value) compileElement(t reflect.Type, s *jsonschema.Schema) (err error) {
	var elem reflect.Type
	if t != nil {
		elem = t.Elem()
	}
	items := s.Items
	if items == nil || schema.RefersOutside(s) {
		items = &jsonschema.Schema{}
	}
	if v.elem, err = compileValue(elem, items); err != nil {
		return fmt.Errorf("items: %w", err)
	}
	return nil
}

// expectedOf returns what the text of a value must be; "" if any text is valid, or
// if only the type's own method knows.
func expectedOf(k schema.Kind, t reflect.Type, s *jsonschema.Schema) string {
	switch k {
	case schema.Bool:
		return "true or false"
	case schema.Int, schema.Uint:
		return "an integer"
	case schema.Float:
		return "a number"
	case schema.Text:
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
	case schema.Duration:
		return "a duration such as 1h30m"
	case schema.URL:
		return "a URL"
	case schema.Bytes:
		return "base64 data"
	case schema.List:
		return "a JSON array" // any other text is split
	case schema.JSON:
		switch {
		case slices.Equal(schema.TypesOf(s), []string{"object"}):
			return "a JSON object"
		case slices.Equal(schema.TypesOf(s), []string{"array"}):
			return "a JSON array"
		}
		return "JSON"
	}
	return ""
}

// typeProblem is the problem of a text that is not of the type.
func (v *value) typeProblem(text string) *Problem {
	return &Problem{Reason: reasonType, Message: mustBe(cmp.Or(v.expected, "a valid value"), Quote(text))}
}

// mustBe returns the message of a problem: what is valid, and what the client sent.
func mustBe(expected, got string) string { return "must be " + expected + ", got " + got }

func (v *value) outOfRange(text string) *Problem {
	expected := v.expected
	if v.kind != schema.Float {
		_, _, held := v.held()
		expected += " from " + held
	} else {
		expected += fmt.Sprintf(" that a float of %d bits can hold", v.bits)
	}
	return &Problem{Reason: reasonRange, Message: mustBe(expected, Quote(text))}
}

// read reads the text into dst and validates it. The zero dst is not filled. With
// want, read returns the value as encoding/json would decode it, for a schema.
//
// The problem has everything but the name of the argument.
func (v *value) read(dst reflect.Value, text string, want bool) (any, *Problem) {
	if v.maxBytes > 0 && len(text) > v.maxBytes {
		return nil, tooLong(v.maxBytes)
	}
	if dst.IsValid() {
		for dst.Kind() == reflect.Pointer {
			dst.Set(reflect.New(dst.Type().Elem()))
			dst = dst.Elem()
		}
		if dst.Kind() == reflect.Interface {
			// The schema says what an any holds.
			instance, p := v.read(reflect.Value{}, text, true)
			if p == nil && instance != nil {
				dst.Set(reflect.ValueOf(instance))
			}
			return instance, p
		}
	}
	instance, p := v.convert(dst, text, want || v.validator != nil || v.rules.others != nil)
	if p == nil {
		p = v.rules.checkInstance(instance, text)
	}
	if p == nil && v.validator != nil && !v.validator.Accepts(instance) {
		p = &Problem{Reason: reasonSchema, Message: "must match the JSON Schema of the argument, got " + Quote(text)}
	}
	if p == nil && v.kind == schema.JSON && dst.IsValid() {
		p = fillJSON(dst, text)
	}
	return instance, p
}

// acceptsEmpty reports whether the empty text is a value: of an optional string if
// the schema allows it, and of a required one if the schema states it, by a
// minLength of 0 or by an enum.
func (v *value) acceptsEmpty(required bool) bool {
	states := v.rules.texts != nil || v.rules.minLength != nil
	if !v.kind.IsString() || !states && (required || v.kind != schema.String) {
		return false
	}
	_, p := v.read(reflect.Value{}, "", false)
	return p == nil
}

// checkReadable returns an error for a value of an enum that no text can give, for an
// example that is not valid, and for a default whose conversion panics. setDefault
// checks the rest of a default.
func (v *value) checkReadable(t reflect.Type, s *jsonschema.Schema) error {
	what, values, err := schema.Allowed(s)
	if err != nil {
		return err
	}
	check := func(declared any) error {
		p, err := v.readDeclared(t, declared)
		if err == nil && p != nil {
			err = errors.New(p.Message)
		}
		return err
	}
	for _, e := range values {
		if err := check(e); err != nil {
			return fmt.Errorf("%s %s is not a valid value: %w", what, phrase.Clip(jsonenc.Text(e), 64), err)
		}
	}
	for _, e := range s.Examples {
		if err := check(e); err != nil {
			return fmt.Errorf("example: %w", err)
		}
	}
	var byDefault any
	if s.Default == nil || json.Unmarshal(s.Default, &byDefault) != nil {
		return nil
	}
	if _, err = v.readDeclared(t, byDefault); err != nil {
		return fmt.Errorf("default: %w", err)
	}
	return nil
}

// readDeclared reads a value of the schema into a new value of type t, which may
// be nil. A panic of the application's UnmarshalText is an error.
func (v *value) readDeclared(t reflect.Type, declared any) (p *Problem, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("read as %s: panic: %v", t, r)
		}
	}()
	text, ok := declared.(string)
	if !ok || !v.kind.IsString() {
		text = jsonenc.Text(declared)
	}
	var dst reflect.Value
	if t != nil {
		dst = reflect.New(t).Elem()
	}
	_, p = v.read(dst, text, false)
	return p, nil
}
