package prompts

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// Form returns a question that a person answers by filling in a form: a field
// for each field of the struct T, by the rules of [New], with what arguments
// add to them. The key names the question within its prompt, see [Ask], and
// message says to the person what it is for. Faults of the declaration are
// reported by Ask.
//
// The protocol's forms are flat: a field is a text, a number, a boolean, or a
// choice among the values of an enum, of which a list may take several. Any
// other type is a text, read as an argument's text would be.
func Form[T any](key, message string, arguments ...Argument) *Answer[T] {
	compile := sync.OnceValues(func() (*form, error) {
		c := planCompiler{plan: &plan{}}
		c.fromStruct(infer(reflect.TypeFor[T]()), arguments)
		return &form{message: message, plan: c.plan, hints: true}, errors.Join(c.faults...)
	})
	a := &Answer[T]{question: question{key: key, method: methodElicit}}
	a.question.encode = func(rev revision.Revision) (json.RawMessage, clientCapabilities, error) {
		needs := clientCapabilities{form: true}
		f, err := compile()
		if err != nil {
			return nil, needs, err
		}
		params, err := f.params(rev)
		return params, needs, err
	}
	a.question.take = func(rev revision.Revision, result string) error {
		f, err := compile()
		if err != nil {
			return err
		}
		texts, err := f.read(key, rev, result)
		if err != nil {
			return err
		}
		value := new(T)
		problems := f.plan.fill(reflect.ValueOf(value).Elem(), texts)
		if len(problems) > 0 {
			return badFields(key, problems)
		}
		a.Value = *value
		return nil
	}
	return a
}

// badFields returns the error for fields of a form that are not filled in
// rightly.
func badFields(key string, problems []problem) error {
	e := argumentsError("", problems)
	e.Data = inputData{Input: key, Problems: problems[:min(len(problems), maxProblems)]}
	return &fieldsError{seen: e, problems: problems}
}

// fieldsError is an error for the client, which has values of fields, with a text
// that has none: an author may log it, or wrap it in one that is logged.
type fieldsError struct {
	seen     *Error
	problems []problem
}

func (e *fieldsError) Error() string { return withoutValues(e.problems) }

func (e *fieldsError) Unwrap() error { return e.seen }

// The methods of the requests that a client may be asked to answer.
const (
	methodElicit = "elicitation/create"
	methodSample = "sampling/createMessage"
	methodRoots  = "roots/list"
)

// form asks for the arguments of a plan.
type form struct {
	message string
	plan    *plan
	hints   bool // whether descriptions have them
}

// params returns the form as a revision knows it (MRT-26).
func (f *form) params(rev revision.Revision) (json.RawMessage, error) {
	e := encoder{rev: rev}
	e.raw("{")
	if rev.ElicitationModes() {
		e.str("mode", "form")
	}
	e.str("message", f.message)
	e.key("requestedSchema")
	e.raw(`{"type":"object","properties":{`)
	var required []string
	for i := range f.plan.arguments {
		a := &f.plan.arguments[i]
		if i > 0 {
			e.raw(",")
		}
		e.field(a, f.hints)
		if a.Required {
			required = append(required, a.Name)
		}
	}
	e.raw("}")
	if len(required) > 0 {
		e.key("required")
		e.strings(required)
	}
	e.raw("}}")
	return json.RawMessage(e.buf), errors.Join(e.faults...)
}

// field appends the schema of one field of a form, under its name.
func (e *encoder) field(a *argument, hints bool) {
	var ok bool
	if e.buf, ok = strictjson.AppendValidString(e.buf, a.Name); !ok {
		e.fault("the name %q is not valid UTF-8", a.Name)
	}
	e.raw(":{")
	r := &a.value.rules
	told := true // whether the schema says all that a hint would
	switch k := a.value.kind; {
	case k == kindBool:
		e.raw(`"type":"boolean"`)
	case k.isNumber():
		e.str("type", k.instanceType())
		low := r.minimum
		if k == kindUint && low == nil {
			low = new(float64)
		}
		e.number("minimum", low)
		e.number("maximum", r.maximum)
		told = r.enum == nil && r.exclusiveMinimum == nil && r.exclusiveMaximum == nil && r.multipleOf == nil
	case a.value.isChoice() && e.rev.ElicitationModes():
		e.raw(`"type":"array","items":{"type":"string","enum":`)
		e.strings(a.value.elem.rules.texts)
		e.raw("}")
		e.count("minItems", r.minItems)
		e.count("maxItems", r.maxItems)
	default:
		told = e.textField(a)
	}
	hasDefault := a.hasDefault && (e.rev.ElicitationModes() || a.value.kind == kindBool)
	told = told && hasDefault == a.hasDefault
	e.opt("title", a.Title)
	if told || !hints {
		e.opt("description", a.Description)
	} else {
		e.opt("description", a.hinted())
	}
	if hasDefault {
		e.fieldDefault(a)
	}
	e.raw("}")
}

// textField appends what is special about a field that is a text, and reports
// whether that is all there is to be said.
func (e *encoder) textField(a *argument) bool {
	e.raw(`"type":"string"`)
	r := &a.value.rules
	if r.texts != nil {
		e.key("enum")
		e.strings(r.texts)
		return true
	}
	if !a.value.kind.judgedAsText() {
		return false
	}
	e.count("minLength", r.minLength)
	e.count("maxLength", r.maxLength)
	switch {
	case a.value.isTime:
		e.str("format", "date-time")
		return r.pattern == nil
	case a.value.kind == kindURL:
		return false // "uri" would not allow a relative one
	}
	return a.value.kind == kindString && r.pattern == nil
}

// fieldDefault appends the default of a field, if the field's form has one.
func (e *encoder) fieldDefault(a *argument) {
	switch k := a.value.kind; {
	case k == kindBool || k.isNumber():
		e.key("default")
		e.raw(a.defaultText)
	case a.value.isChoice():
		if strings.HasPrefix(a.defaultText, "[") {
			e.key("default")
			e.raw(a.defaultText)
		}
	default:
		e.str("default", a.defaultText)
	}
}

// isChoice reports whether the value is a list of which each element is one of
// several texts.
func (v *value) isChoice() bool { return v.kind == kindList && v.elem.rules.texts != nil }

func (e *encoder) strings(values []string) {
	e.raw("[")
	for i, v := range values {
		if i > 0 {
			e.raw(",")
		}
		var ok bool
		if e.buf, ok = strictjson.AppendValidString(e.buf, v); !ok {
			e.fault("%q is not valid UTF-8", v)
		}
	}
	e.raw("]")
}

func (e *encoder) number(name string, n *float64) {
	if n != nil {
		e.key(name)
		e.raw(decimal(*n))
	}
}

func (e *encoder) count(name string, n *int) {
	if n != nil {
		e.key(name)
		e.buf = strconv.AppendInt(e.buf, int64(*n), 10)
	}
}

// read returns the texts that a client has filled in, by the position of their
// arguments. Its error is that of a question's take.
func (f *form) read(key string, rev revision.Revision, result string) ([]given, error) {
	doc := takeDoc()
	defer giveDoc(doc)
	answer, err := readElicited(doc, key, result)
	if err != nil {
		return nil, err
	}
	content := answer.Get("content")
	if content.Kind() != strictjson.Object {
		return nil, badAnswer(key, "has no content")
	}
	texts := make([]given, len(f.plan.arguments))
	var problems []problem
	for name, v := range content.Members() {
		i := f.plan.find(name)
		if i < 0 || v.Kind() == strictjson.Null {
			continue // MRT-21
		}
		text, want := fieldText(f.plan.arguments[i].value, rev, v)
		if want != "" {
			problems = append(problems, problem{Argument: name, Reason: reasonType, Message: "must be " + want})
			continue
		}
		texts[i] = given{text: strings.Clone(text), ok: true}
	}
	if len(problems) > 0 {
		return nil, badFields(key, problems)
	}
	return texts, nil
}

// fieldText returns the text of an argument that has been filled in as v in
// the form of a revision, or what that would have to be instead.
func fieldText(a *value, rev revision.Revision, v strictjson.Value) (text, want string) {
	switch {
	case a.kind == kindBool:
		if v.Kind() != strictjson.Bool {
			return "", "a boolean"
		}
	case a.kind.isNumber():
		if v.Kind() != strictjson.Number {
			return "", "a number"
		}
		if a.kind != kindFloat && !v.IsInteger() {
			return integral(v.Raw()), ""
		}
	case a.isChoice() && rev.ElicitationModes():
		if v.Kind() != strictjson.Array {
			return "", "an array of strings"
		}
		for e := range v.Elements() {
			if e.Kind() != strictjson.String {
				return "", "an array of strings"
			}
		}
	default:
		if v.Kind() != strictjson.String {
			return "", "a string"
		}
		return v.Text(), ""
	}
	return v.Raw(), ""
}

// integral returns a number that is written with a fraction or an exponent, but
// is an integer, as one; and any other as it is.
func integral(number string) string {
	f, err := strconv.ParseFloat(number, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return number
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// readElicited parses a client's answer to an elicitation. Its error is that
// of a question's take.
func readElicited(doc *strictjson.Doc, key, result string) (strictjson.Value, error) {
	if err := doc.Parse(result, maxDepth); err != nil || doc.Root().Kind() != strictjson.Object {
		return strictjson.Value{}, badAnswer(key, "is not an object")
	}
	switch doc.Root().Get("action").Text() {
	case "accept":
		return doc.Root(), nil
	case "decline":
		return strictjson.Value{}, &refusal{key, ErrDeclined}
	case "cancel":
		return strictjson.Value{}, &refusal{key, ErrDismissed}
	}
	return strictjson.Value{}, badAnswer(key, "has no action that is accept, decline or cancel")
}

// fill fills a struct with the texts of its fields.
func (p *plan) fill(v reflect.Value, args []given) []problem {
	return p.judge(args, func(a *argument, text string) *problem {
		_, problem := a.value.read(fieldAt(v, a.index), text, false)
		return problem
	})
}
