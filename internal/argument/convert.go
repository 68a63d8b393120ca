package argument

import (
	"context"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/internal/strictjson"
	"github.com/mcp-prompts/prompts/problem"
)

// convert is read for a string, a number or a boolean, without the validator. The enum of strings
// comes first: its message lists the choices, while the error of the type would only name a form.
func (v *value) convert(dst reflect.Value, text string, want bool) (instance any, p *Problem) {
	if v.rules.texts != nil && !v.rules.hasText(text) {
		return nil, notOneOfTexts(text, v.rules.texts)
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
	default:
		return v.convertTyped(dst, text, want)
	}
	if want {
		instance = text
	}
	return instance, v.rules.checkText(text)
}

func (v *value) convertTyped(dst reflect.Value, text string, want bool) (any, *Problem) {
	switch v.kind {
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
	// KindOf and kindOf never leave the kind Any, or a list or JSON, to this function.
	default:
		panic("prompts: value is not compiled")
	}
}

// trim returns the text of a number, a boolean or a list without the spaces around it, as split
// does with the elements of a list, and "" for a list of nothing but spaces and commas: an empty
// field of a form. A string keeps its spaces. Spaces are those of unicode.IsSpace, among them
// line ends and the no-break space.
func (v *value) trim(text string) string {
	switch {
	case v.kind == schema.List && strings.TrimFunc(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) }) == "":
		return ""
	case v.kind == schema.Bool || v.kind == schema.List || v.kind.IsNumber():
		return strings.TrimSpace(text)
	}
	return text
}

// Without a Go value only the schema is checked: the type's own method needs a value to fill.
func (v *value) convertText(dst reflect.Value, text string) *Problem {
	if !dst.IsValid() {
		return nil
	}
	switch v.kind {
	case schema.Text:
		// time.Time.UnmarshalText accepts RFC 3339 with a time only.
		if v.isTime && v.rules.format != nil && v.rules.format.name == "date" {
			return v.convertDate(dst, text)
		}
		u := dst.Addr().Interface().(encoding.TextUnmarshaler)
		if err := u.UnmarshalText([]byte(text)); err != nil {
			return v.unmarshalProblem(err, text)
		}
		// The types of net/netip accept the empty text as their zero value, which is no address.
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
		// url.Parse accepts the empty text, which is no URL that a prompt could use.
		if err != nil || text == "" {
			return v.typeProblem(text)
		}
		dst.Set(reflect.ValueOf(*u))
	case schema.Bytes:
		// Strict rejects padding bits that are not zero: two texts for the same bytes. The decoder
		// skips line breaks, which the pattern of the input schema does not allow.
		b, err := base64.StdEncoding.Strict().DecodeString(text)
		if err != nil || strings.ContainsAny(text, "\r\n") {
			return v.typeProblem(text)
		}
		dst.SetBytes(b)
	}
	return nil
}

func (v *value) convertDate(dst reflect.Value, text string) *Problem {
	date, err := time.Parse(time.DateOnly, text)
	if err == nil {
		dst.Set(reflect.ValueOf(date))
	}
	return nil // the format reports an error
}

// The client gets the reason of an Error. Other errors may contain internals.
func (v *value) unmarshalProblem(err error, text string) *Problem {
	if reasons := reasonsOf(err); reasons != "" {
		return &Problem{Reason: problem.Refused, Message: reasons}
	}
	return v.typeProblem(text)
}

func reasonsOf(err error) string {
	var reasons []string
	for _, p := range ArgumentErrors(err, nil) {
		reasons = append(reasons, p.Message)
	}
	return strings.Join(reasons, "; ")
}

// The order of the checks decides the message: a number of the right form that is too large is out
// of range, and not of the wrong type.
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
		// A json.Number keeps the text, and encoding/json would reject one such as "+1" or ".5".
		if v.isLiteral && !json.Valid([]byte(text)) {
			return nil, v.typeProblem(text)
		}
	}
	n.kind = v.kind
	if v.kind == schema.Float {
		n = floatNumber(text, n.float)
	}
	if errors.Is(err, strconv.ErrRange) || v.kind == schema.Uint && err != nil && isNegative(text) {
		return nil, v.outOfRange(text)
	}
	if err != nil {
		return nil, v.typeProblem(text)
	}
	if v.isIntegral && !n.isInteger() {
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

// The problems of the elements are collected up to MaxProblems. A list that is too
// long is reported together with them.
func (v *value) convertList(ctx context.Context, dst reflect.Value, text string, want bool) (any, []Problem) {
	texts, wrong, problems := v.split(text)
	if problems != nil {
		return nil, problems
	}
	if p := v.rules.checkItems(len(texts)); p != nil {
		problems = append(problems, *p)
	}
	// An array has its length already. Elements beyond it have a problem from
	// checkItems, because the schema states the length of the array.
	if dst.IsValid() && dst.Kind() == reflect.Slice {
		dst.Set(reflect.MakeSlice(dst.Type(), len(texts), len(texts)))
	}
	var instance []any
	if want {
		instance = make([]any, len(texts))
	}
	for i, t := range texts {
		var slot reflect.Value
		if dst.IsValid() && i < dst.Len() {
			slot = dst.Index(i)
		}
		var item any
		var inside []Problem
		if p := wrong[i]; p != nil {
			inside = []Problem{*p}
		} else {
			item, inside = v.elem.read(ctx, slot, t, want)
		}
		if problems = appendInside(problems, i, inside...); len(problems) == MaxProblems {
			return nil, problems
		}
		if want {
			instance[i] = item
		}
	}
	return instance, problems
}

func appendInside(problems []Problem, i int, inside ...Problem) []Problem {
	for _, p := range inside[:min(len(inside), MaxProblems-len(problems))] {
		p.setElement(i)
		problems = append(problems, p)
	}
	return problems
}

// The instance is encoded for the tree if the list was comma-separated.
func (v *value) validateList(ctx context.Context, instance any, text string) []Problem {
	if !isJSONList(text) {
		text = jsonenc.Text(instance)
	}
	var doc strictjson.Doc
	_ = doc.Parse(text, jsonenc.MaxDepth) // split has parsed it, or it was encoded
	return v.validator.check(ctx, instanceOf(doc.Root()))
}

// split returns the texts of a list's elements, and the problems of the first elements that have
// another JSON type. Two forms are accepted: users type commas, and programs send JSON. A bracket
// at the beginning makes the text JSON.
func (v *value) split(text string) (texts []string, wrong map[int]*Problem, problems []Problem) {
	if isJSONList(text) {
		return v.splitJSON(text)
	}
	// The empty text is the empty list, and not a list with an empty element.
	if strings.TrimSpace(text) == "" {
		return nil, nil, nil
	}
	if !v.elem.isElement() {
		return nil, nil, problemsOf(v.typeProblem(text))
	}
	texts = strings.Split(text, ",")
	for i, t := range texts {
		if texts[i] = strings.TrimSpace(t); texts[i] == "" && len(problems) < MaxProblems {
			problems = appendInside(problems, i, Problem{Reason: problem.Type, Message: "is empty; remove the extra comma"})
		}
	}
	return texts, nil, problems
}

// Each element must have the right JSON type: "1" is no integer. The elements become texts again,
// so that the same code reads the elements of both forms.
func (v *value) splitJSON(text string) (texts []string, wrong map[int]*Problem, problems []Problem) {
	var doc strictjson.Doc
	if err := doc.Parse(text, jsonenc.MaxDepth); err != nil {
		return nil, nil, problemsOf(explainText(text, &doc, err, v.expected))
	}
	for e := range doc.Root().Elements() {
		t, ok := v.elem.textOf(e)
		if !ok && len(wrong) < MaxProblems {
			if wrong == nil {
				wrong = map[int]*Problem{}
			}
			wrong[len(texts)] = v.elem.notTyped(shown(e))
		}
		texts = append(texts, t)
	}
	return texts, wrong, nil
}

func isJSONList(text string) bool { return strings.HasPrefix(strings.TrimSpace(text), "[") }
