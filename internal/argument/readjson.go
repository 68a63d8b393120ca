package argument

import (
	"cmp"
	"context"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/problem"
)

// This file reads arguments that are JSON: the schema validates the text, and encoding/json
// fills the Go value.

// The schema is validated before the Go value is filled, so that UnmarshalJSON of
// the application sees only JSON that the schema accepts.
func (v *value) readJSON(ctx context.Context, dst reflect.Value, text string, want bool) (instance any, problems []Problem) {
	var doc strictjson.Doc
	if err := doc.Parse(text, jsonenc.MaxDepth); err != nil {
		return nil, problemsOf(explainText(text, &doc, err, v.expected))
	}
	if v.validator != nil {
		if problems := v.validator.check(ctx, instanceOf(doc.Root())); problems != nil {
			return nil, problems
		}
	}
	if want && json.Unmarshal([]byte(text), &instance) != nil {
		// It is valid JSON, so a number is the cause.
		e := explainer{most: MaxProblems}
		e.hugeNumbers(instanceOf(doc.Root()))
		return nil, e.problems
	}
	// After the schema, whose problems say more about an unknown member.
	if p := v.members.check(doc.Root(), &place{}); p != nil {
		return nil, problemsOf(p)
	}
	if dst.IsValid() {
		problems = problemsOf(fillJSON(dst, text, doc.Root()))
	}
	return instance, problems
}

// The text is decoded a second time only after an error: most JSON has integers without a fraction.
func fillJSON(dst reflect.Value, text string, root strictjson.Value) *Problem {
	err := json.Unmarshal([]byte(text), dst.Addr().Interface())
	if err == nil {
		return nil
	}
	// The failed attempt may have filled a part.
	dst.SetZero()
	// To the schema, but not to encoding/json, 3.0 is an integer.
	if json.Unmarshal(withPlainIntegers(text), dst.Addr().Interface()) == nil {
		return nil
	}
	dst.SetZero()
	if p := explainFill(dst.Type(), root, &place{}); p != nil {
		return p
	}
	return unfilled(dst.Type(), root, err, &place{})
}

// The error of encoding/json does not always have a path. So the parts are decoded
// one by one, which happens for invalid JSON only.
func explainFill(t reflect.Type, v strictjson.Value, at *place) *Problem {
	t = withoutPointers(t)
	// encoding/json leaves the Go value unchanged for null.
	if v.Kind() == strictjson.Null && !readsItself(t) {
		return nil
	}
	isLeaf := readsItself(t) || isBytes(t) || t == typeNumber
	if k := t.Kind(); !isLeaf && (k == reflect.Struct || k == reflect.Map || k == reflect.Slice || k == reflect.Array) {
		types := map[string]reflect.Type{} // of a struct
		if k == reflect.Struct {
			for _, f := range fieldsOf(t) {
				types[f.name] = f.typ
			}
		}
		for s, part := range valueParts(v).all {
			partType := types[s.name]
			if s.isDeclared = partType != nil; k != reflect.Struct {
				partType = t.Elem()
			}
			if partType == nil {
				continue
			}
			at.enter(s)
			if p := explainFill(partType, part, at); p != nil {
				return p
			}
			at.leave()
		}
		return nil
	}
	raw := v.Raw()
	if v.Kind() == strictjson.Number {
		raw = plainInteger(raw)
	}
	if err := json.Unmarshal([]byte(raw), reflect.New(t).Interface()); err != nil {
		return unfilled(t, v, err, at)
	}
	return nil
}

// The schema has accepted the part, so the Go type is stricter: a number out of its range, or a
// method that rejects the JSON. The client gets the reason of an Error. Other errors may contain
// internals.
func unfilled(t reflect.Type, v strictjson.Value, err error, at *place) *Problem {
	p := &Problem{Reason: problem.Refused}
	k, unsupported := kindOf(t)
	switch reasons := reasonsOf(err); {
	case reasons != "":
		p.Message = reasons
	case unsupported == nil && k.IsNumber() && v.Kind() == strictjson.Number:
		n := &value{kind: k, bits: t.Bits(), expected: expectedOf(k, t, &jsonschema.Schema{})}
		p = n.outOfRange(v.Raw())
	default:
		expected := "a valid value"
		if unsupported == nil && k != schema.JSON && k != schema.List {
			expected = cmp.Or(expectedOf(k, t, &jsonschema.Schema{}), expected)
		}
		p = &Problem{Reason: problem.Type, Message: mustBe(expected, instanceOf(v).shown())}
	}
	at.put(p)
	return p
}

// The order of the members may change, which makes no difference to a struct or a map.
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
