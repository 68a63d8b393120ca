package argument

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/match"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/schema"
)

// compileValue compiles the schema for values of type t. If t is nil or an any, the
// schema says how the text is read.
func compileValue(t reflect.Type, s *jsonschema.Schema) (*value, error) {
	if t != nil {
		t = withoutPointers(t)
		// The interface is the empty one: schemaOf rejects a field of any other.
		if t.Kind() == reflect.Interface {
			t = nil
		}
	}
	// A oneOf or an anyOf of consts with titles is how forms of MCP write an enum.
	// Completion, hints and messages only know enums.
	s, err := schema.WithEnum(s)
	if err != nil {
		return nil, err
	}
	v := &value{bits: 64}
	if err := v.compileKind(t, s); err != nil {
		return nil, err
	}
	// The kind JSON has no type of its own, so the Go type says which type the
	// schema must allow: a struct can only be filled from an object.
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
	// The format says more about the text than the type: "a date such as …".
	if v.rules.format != nil {
		v.expected = v.rules.format.expected
	}
	if v.kind.IsNumber() {
		if err := v.compileNumber(s); err != nil {
			return nil, fmt.Errorf("schema: %w", err)
		}
	}
	// A Go array has a fixed length. More elements would have to be dropped, and
	// missing ones would stay zero, so that the schema must state the length.
	if t != nil && v.kind == schema.List && t.Kind() == reflect.Array && !v.rules.isLength(t.Len()) {
		return nil, fmt.Errorf("schema: the type has %d elements, so minItems and maxItems must be %[1]d", t.Len())
	}
	// Must come after the rules, with which checkReadable reads the declared values.
	if err := v.checkReadable(t, s); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	// Package regexp matches in time proportional to the text times the
	// instructions. At least one byte stays allowed, so that 0 can mean no limit.
	if n := schema.PatternSize(s); n > 0 {
		v.maxBytes = max(maxPatternWork/n, 1)
	}
	// The indexes are made at the first completion. Many arguments are never
	// completed, and a large enum takes time to index.
	v.candidates = sync.OnceValue(func() *match.Index { return match.New(v.listCandidates()) })
	if v.kind == schema.List {
		// A list in JSON is completed by the schema of the whole list, while its
		// values are read element by element.
		v.tree = sync.OnceValue(func() *subschema {
			all, err := newPartValidator(s)
			// Completion is then not available, which is no error for a caller.
			if err != nil { // the schema is a part that refers to another
				return nil
			}
			return all.root
		})
	}
	return v, nil
}

// The Go type wins over the schema, because the text must fill the type.
// compileRules checks later that the schema allows such values.
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
	// A json.Number is a string in Go, for which Bits panics. The value keeps the 64 bits
	// of the default.
	case v.kind.IsNumber() && !v.isLiteral:
		v.bits = t.Bits()
	// Without a Go type nothing is filled, so the case of names does not matter.
	case v.kind == schema.JSON:
		v.members = memberCaseOf(t)
	}
	return nil
}

// If the items depend on other parts of the schema, the elements are only converted
// here, and the validator of the whole list checks them.
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

// Clients with a form send "" for a field that the user left empty. For a required string, only the
// schema can say that "" is meant: an author who writes minLength 0 or lists "" in an enum has
// thought of it. Without such a rule the argument counts as missing, as in an HTML form.
func (v *value) acceptsEmpty(required bool) bool {
	states := v.rules.texts != nil || v.rules.minLength != nil
	if !v.kind.IsString() || !states && (required || v.kind != schema.String) {
		return false
	}
	if v.rules.texts != nil && !v.rules.hasText("") { // without a message that nobody reads
		return false
	}
	_, p := v.read(context.Background(), reflect.Value{}, "", false)
	return p == nil
}

// checkReadable returns an error for a value of an enum that no text can give, for an invalid
// example, and for a default whose conversion panics. setDefault checks the rest of a default.
func (v *value) checkReadable(t reflect.Type, s *jsonschema.Schema) error {
	what, values, err := schema.Allowed(s)
	if err != nil {
		return err
	}
	check := func(declared any) error {
		p, err := v.readDeclared(t, declared)
		if err == nil && p != nil {
			err = errors.New(p[0].inside())
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

// readDeclared reads a value of the schema into a new value of type t, which may be nil. A panic of
// the application's UnmarshalText is an error. A declared value becomes the string that a client
// would send: a string of a text kind unchanged, all others as JSON.
func (v *value) readDeclared(t reflect.Type, declared any) (problems []Problem, err error) {
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
	_, problems = v.read(context.Background(), dst, text, false)
	return problems, nil
}

// The lists are bounded by the declaration and by maxIntegers, never by a client.
func (v *value) listCandidates() []string {
	switch {
	case v.kind == schema.List:
		return nil // its elements may have some
	case v.rules.texts != nil:
		return v.rules.texts
	case v.rules.enum != nil:
		return v.rules.enumTexts()
	}
	switch v.kind {
	case schema.Bool:
		// The rest of the schema may exclude one of them, as with not or with an if.
		return v.valid([]string{"true", "false"})
	case schema.Int, schema.Uint:
		return v.valid(v.rules.integers())
	}
	return nil
}

// valid reuses the slice.
func (v *value) valid(texts []string) []string {
	some := texts[:0]
	for _, text := range texts {
		if _, p := v.read(context.Background(), reflect.Value{}, text, false); p == nil {
			some = append(some, text)
		}
	}
	return some
}
