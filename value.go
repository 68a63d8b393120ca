package prompts

import (
	"encoding"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts/internal/strictjson"
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
	kind  kind
	bits  int    // of an integer or a float
	elem  *value // of a list
	noun  string // what the text must be, such as "an integer"
	rules rules
	judge *jsonschema.Resolved // judges what the rules do not cover; nil if they cover all
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
			v.bits = t.Bits()
		case kindList:
			elem = t.Elem()
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
	v.noun = nounOf(v.kind, t, s)
	var err error
	if v.rules, v.judge, err = compileRules(v.kind, s); err != nil {
		return nil, err
	}
	if t != nil && v.kind == kindList && t.Kind() == reflect.Array && !v.rules.isLength(t.Len()) {
		return nil, fmt.Errorf("schema: the type has %d elements, so minItems and maxItems must be %[1]d", t.Len())
	}
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
	instance, p := v.convert(dst, text, want || v.judge != nil || v.rules.enum != nil)
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

// convert is read without the rules that need the value as JSON. JSON fills
// dst only when those have passed: encoding/json would fold the case of names
// that the schema refuses.
func (v *value) convert(dst reflect.Value, text string, want bool) (instance any, p *problem) {
	switch v.kind {
	case kindString:
		if dst.IsValid() {
			dst.SetString(text)
		}
	case kindText, kindDuration, kindURL, kindBytes:
		if p := v.convertText(dst, text); p != nil {
			return nil, p
		}
	case kindBool:
		if text != "true" && text != "false" {
			return nil, v.wrongType(text)
		}
		if dst.IsValid() {
			dst.SetBool(text == "true")
		}
		return text == "true", nil
	case kindInt, kindUint, kindFloat:
		return v.convertNumber(dst, text, want)
	case kindList:
		return v.convertList(dst, text, want)
	case kindJSON:
		return v.parseJSON(text)
	default:
		panic("prompts: a value was not compiled")
	}
	if want {
		instance = text
	}
	return instance, v.rules.checkText(text)
}

// convertText reads the kinds that have a text form of their own, which is
// also what their schemas judge.
func (v *value) convertText(dst reflect.Value, text string) *problem {
	if !dst.IsValid() {
		return nil
	}
	switch v.kind {
	case kindText:
		u := dst.Addr().Interface().(encoding.TextUnmarshaler)
		if err := u.UnmarshalText([]byte(text)); err != nil {
			return v.wrongType(text)
		}
	case kindDuration:
		d, err := time.ParseDuration(text)
		if err != nil {
			return v.wrongType(text)
		}
		dst.SetInt(int64(d))
	case kindURL:
		u, err := url.Parse(text)
		if err != nil || text == "" {
			return v.wrongType(text)
		}
		dst.Set(reflect.ValueOf(*u))
	case kindBytes:
		b, err := base64.StdEncoding.Strict().DecodeString(text)
		if err != nil || strings.ContainsAny(text, "\r\n") {
			return v.wrongType(text)
		}
		dst.SetBytes(b)
	}
	return nil
}

func (v *value) convertNumber(dst reflect.Value, text string, want bool) (any, *problem) {
	var n number
	var err error
	switch v.kind {
	case kindInt:
		n.int, err = strconv.ParseInt(text, 10, v.bits)
		n.float = float64(n.int)
	case kindUint:
		n.uint, err = strconv.ParseUint(strings.TrimPrefix(text, "+"), 10, v.bits) // as ParseInt takes it
		n.float = float64(n.uint)
	default:
		n.float, err = parseFloat(text, v.bits)
	}
	n.kind = v.kind
	if errors.Is(err, strconv.ErrRange) || v.kind == kindUint && err != nil && isNegative(text) {
		return nil, v.outOfRange(text)
	}
	if err != nil {
		return nil, v.wrongType(text)
	}
	if p := v.rules.checkNumber(n, text); p != nil {
		return nil, p
	}
	if dst.IsValid() {
		switch v.kind {
		case kindInt:
			dst.SetInt(n.int)
		case kindUint:
			dst.SetUint(n.uint)
		default:
			dst.SetFloat(n.float)
		}
	}
	if !want {
		return nil, nil
	}
	return n.instance(), nil
}

// parseFloat parses a decimal number. What only Go writes so (hexadecimal, 1_0,
// infinities, NaN) is none.
func parseFloat(text string, bits int) (float64, error) {
	f, err := strconv.ParseFloat(text, bits)
	if err == nil && (math.IsInf(f, 0) || math.IsNaN(f)) || strings.ContainsAny(text, "xX_") {
		return 0, strconv.ErrSyntax
	}
	return f, err
}

func isNegative(text string) bool {
	_, err := strconv.ParseInt(text, 10, 64)
	return strings.HasPrefix(text, "-") && (err == nil || errors.Is(err, strconv.ErrRange))
}

func (v *value) parseJSON(text string) (instance any, p *problem) {
	var doc strictjson.Doc
	if doc.Parse(text, maxDepth) != nil || json.Unmarshal([]byte(text), &instance) != nil {
		return nil, v.wrongType(text)
	}
	return instance, nil
}

func (v *value) convertList(dst reflect.Value, text string, want bool) (any, *problem) {
	texts, p := v.split(text)
	if p != nil {
		return nil, p
	}
	if p := v.rules.checkItems(len(texts)); p != nil {
		return nil, p
	}
	if dst.IsValid() && dst.Kind() == reflect.Slice {
		dst.Set(reflect.MakeSlice(dst.Type(), len(texts), len(texts)))
	}
	var instance []any
	if want {
		instance = make([]any, len(texts))
	}
	for i, t := range texts {
		var slot reflect.Value
		if dst.IsValid() {
			slot = dst.Index(i)
		}
		item, p := v.elem.read(slot, t, want)
		if p != nil {
			p.Message = fmt.Sprintf("element %d: %s", i+1, p.Message)
			return nil, p
		}
		if want {
			instance[i] = item
		}
	}
	return instance, nil
}

// split returns the texts of a list's elements.
func (v *value) split(text string) ([]string, *problem) {
	trimmed := strings.TrimSpace(text)
	if strings.HasPrefix(trimmed, "[") {
		return v.splitJSON(text)
	}
	if trimmed == "" {
		return nil, nil
	}
	if !v.elem.splits() {
		return nil, v.wrongType(text)
	}
	texts := strings.Split(text, ",")
	for i, t := range texts {
		if texts[i] = strings.TrimSpace(t); texts[i] == "" {
			return nil, &problem{Reason: reasonType, Message: fmt.Sprintf("element %d is empty", i+1)}
		}
	}
	return texts, nil
}

// splits reports whether values of this kind may stand between commas.
func (v *value) splits() bool { return v.kind != kindJSON && v.kind != kindList }

// splitJSON returns the texts of the elements of a JSON array. Their JSON
// types must be the elements' own: "1" is no integer.
func (v *value) splitJSON(text string) ([]string, *problem) {
	var doc strictjson.Doc
	if doc.Parse(text, maxDepth) != nil {
		return nil, v.wrongType(text)
	}
	var texts []string
	for e := range doc.Root().Elements() {
		var t string
		fits := true
		switch v.elem.kind {
		case kindString, kindText, kindDuration, kindURL, kindBytes:
			t, fits = e.Text(), e.Kind() == strictjson.String
		case kindBool:
			t, fits = e.Raw(), e.Kind() == strictjson.Bool
		case kindInt, kindUint, kindFloat:
			t, fits = e.Raw(), e.Kind() == strictjson.Number
		default:
			t = e.Raw()
			fits = v.elem.kind != kindList || e.Kind() == strictjson.Array
		}
		if !fits {
			p := v.elem.wrongType(e.Raw())
			if v.elem.kind == kindString {
				p.Message = quote(e.Raw()) + " is not a string"
			}
			p.Message = fmt.Sprintf("element %d: %s", len(texts)+1, p.Message)
			return nil, p
		}
		texts = append(texts, t)
	}
	return texts, nil
}
