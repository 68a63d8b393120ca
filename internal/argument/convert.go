package argument

import (
	"encoding"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// This file converts the strings of clients: to text types, numbers, lists and
// JSON. It checks the rules of strings, numbers and lengths on the way.

// convert is read without the checks that need the value as JSON. It does not fill
// dst from JSON: that comes after those checks.
func (v *value) convert(dst reflect.Value, text string, want bool) (instance any, p *Problem) {
	if v.rules.texts != nil && !v.rules.hasText(text) {
		return nil, v.rules.notOneOfTexts(text)
	}
	switch v.kind {
	case schema.String:
		if dst.IsValid() {
			dst.SetString(text)
		}
	case schema.Text, schema.Duration, schema.URL, schema.Bytes:
		if p := v.convertText(dst, text); p != nil {
			return nil, p
		}
	case schema.Bool:
		if text != "true" && text != "false" {
			return nil, v.typeProblem(text)
		}
		if dst.IsValid() {
			dst.SetBool(text == "true")
		}
		return text == "true", nil
	case schema.Int, schema.Uint, schema.Float:
		return v.convertNumber(dst, text, want)
	case schema.List:
		return v.convertList(dst, text, want)
	case schema.JSON:
		return v.parseJSON(text, want)
	default:
		panic("prompts: value is not compiled")
	}
	if want {
		instance = text
	}
	return instance, v.rules.checkText(text)
}

// convertText reads the kinds with a text form of their own. The schema validates
// this text.
func (v *value) convertText(dst reflect.Value, text string) *Problem {
	if !dst.IsValid() {
		return nil
	}
	switch v.kind {
	case schema.Text:
		if v.isTime && v.rules.format != nil && v.rules.format.name == "date" {
			return v.convertDate(dst, text)
		}
		u := dst.Addr().Interface().(encoding.TextUnmarshaler)
		if err := u.UnmarshalText([]byte(text)); err != nil {
			return v.unmarshalProblem(err, text)
		}
		if text == "" && v.isAddress {
			return v.typeProblem(text)
		}
	case schema.Duration:
		d, err := time.ParseDuration(text)
		if err != nil {
			return v.typeProblem(text)
		}
		dst.SetInt(int64(d))
	case schema.URL:
		u, err := url.Parse(text)
		if err != nil || text == "" {
			return v.typeProblem(text)
		}
		dst.Set(reflect.ValueOf(*u))
	case schema.Bytes:
		b, err := base64.StdEncoding.Strict().DecodeString(text)
		if err != nil || strings.ContainsAny(text, "\r\n") {
			return v.typeProblem(text)
		}
		dst.SetBytes(b)
	}
	return nil
}

// convertDate reads a date, which is midnight in UTC.
func (v *value) convertDate(dst reflect.Value, text string) *Problem {
	date, err := time.Parse(time.DateOnly, text)
	if err == nil {
		dst.Set(reflect.ValueOf(date))
	}
	return nil // the format reports an error
}

// unmarshalProblem is the problem of a text that UnmarshalText rejects. The client
// gets the reason of an Error. Other errors may contain internals.
func (v *value) unmarshalProblem(err error, text string) *Problem {
	var reasons []string
	for _, p := range ArgumentErrors(err, nil) {
		reasons = append(reasons, p.Message)
	}
	if reasons == nil {
		return v.typeProblem(text)
	}
	return &Problem{Reason: ReasonRefused, Message: strings.Join(reasons, "; ")}
}

func (v *value) convertNumber(dst reflect.Value, text string, want bool) (any, *Problem) {
	var n number
	var narrow float64 // a float as its Go type holds it
	var err error
	switch v.kind {
	case schema.Int:
		n.int, err = strconv.ParseInt(text, 10, v.bits)
		n.float = float64(n.int)
	case schema.Uint:
		n.uint, err = strconv.ParseUint(strings.TrimPrefix(text, "+"), 10, v.bits) // as ParseInt takes it
		n.float = float64(n.uint)
	default:
		n.float, err = parseFloat(text, v.bits)
		narrow = n.float
		if v.bits == 32 && err == nil {
			// The text is checked: as a float32, 0.1 is more than 0.1.
			n.float, err = parseFloat(text, 64)
		}
		if v.isLiteral && !json.Valid([]byte(text)) {
			return nil, v.typeProblem(text)
		}
	}
	n.kind = v.kind
	if errors.Is(err, strconv.ErrRange) || v.kind == schema.Uint && err != nil && isNegative(text) {
		return nil, v.outOfRange(text)
	}
	if err != nil {
		return nil, v.typeProblem(text)
	}
	if v.isIntegral && n.float != math.Trunc(n.float) {
		return nil, v.typeProblem(text)
	}
	if p := v.rules.checkNumber(n, text); p != nil {
		return nil, p
	}
	if dst.IsValid() {
		switch {
		case v.kind == schema.Int:
			dst.SetInt(n.int)
		case v.kind == schema.Uint:
			dst.SetUint(n.uint)
		case v.isLiteral:
			dst.SetString(text)
		default:
			dst.SetFloat(narrow)
		}
	}
	if !want {
		return nil, nil
	}
	return n.instance(), nil
}

func (v *value) parseJSON(text string, want bool) (instance any, p *Problem) {
	var doc strictjson.Doc
	if doc.Parse(text, jsonenc.MaxDepth) != nil {
		return nil, v.typeProblem(text)
	}
	if want && json.Unmarshal([]byte(text), &instance) != nil {
		// It is valid JSON, so a number is the cause.
		return nil, &Problem{Reason: reasonRange, Message: "contains a number outside the range of a 64-bit float, got " + Quote(text)}
	}
	return instance, v.members.check(doc.Root())
}

// fillJSON fills dst from JSON that is valid for the schema.
func fillJSON(dst reflect.Value, text string) *Problem {
	err := json.Unmarshal([]byte(text), dst.Addr().Interface())
	if err == nil {
		return nil
	}
	expected := "JSON of the expected structure"
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		// To the schema, but not to encoding/json, 3.0 is an integer.
		dst.SetZero()
		if json.Unmarshal(withPlainIntegers(text), dst.Addr().Interface()) == nil {
			return nil
		}
		if e.Field != "" {
			expected += " in " + Quote(e.Field)
		}
	}
	return &Problem{Reason: reasonType, Message: mustBe(expected, Quote(text))}
}

// withPlainIntegers returns the JSON with all numbers as plainInteger returns them.
func withPlainIntegers(text string) []byte {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var v any
	_ = decoder.Decode(&v) // it is valid JSON
	var plain func(v any) any
	plain = func(v any) any {
		switch v := v.(type) {
		case json.Number:
			return json.Number(plainInteger(string(v)))
		case []any:
			for i, e := range v {
				v[i] = plain(e)
			}
		case map[string]any:
			for name, e := range v {
				v[name] = plain(e)
			}
		}
		return v
	}
	return []byte(jsonenc.Text(plain(v)))
}

// convertList reads the elements of a list.
func (v *value) convertList(dst reflect.Value, text string, want bool) (any, *Problem) {
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
			p.setElement(i)
			return nil, p
		}
		if want {
			instance[i] = item
		}
	}
	return instance, nil
}

// split returns the texts of a list's elements.
func (v *value) split(text string) ([]string, *Problem) {
	trimmed := strings.TrimSpace(text)
	if strings.HasPrefix(trimmed, "[") {
		return v.splitJSON(text)
	}
	if trimmed == "" {
		return nil, nil
	}
	if !v.elem.isElement() {
		return nil, v.typeProblem(text)
	}
	texts := strings.Split(text, ",")
	for i, t := range texts {
		if texts[i] = strings.TrimSpace(t); texts[i] == "" {
			return nil, &Problem{Reason: reasonType, Message: fmt.Sprintf("element %d is empty; remove the extra comma", i+1), inElement: true}
		}
	}
	return texts, nil
}

// splitJSON returns the texts of the elements of a JSON array. Each element must
// have the right JSON type: "1" is no integer.
func (v *value) splitJSON(text string) ([]string, *Problem) {
	var doc strictjson.Doc
	if doc.Parse(text, jsonenc.MaxDepth) != nil {
		return nil, v.typeProblem(text)
	}
	var texts []string
	for e := range doc.Root().Elements() {
		t, ok := v.elem.textOf(e)
		if !ok {
			p := v.elem.notTyped(shown(e))
			p.setElement(len(texts))
			return nil, p
		}
		texts = append(texts, t)
	}
	return texts, nil
}
