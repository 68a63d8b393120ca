package argument

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// This file reads arguments that are JSON values of their types, as InputSchema
// describes them: the integer 3, not the string "3".

// Typed are arguments that are JSON values, by name.
type Typed struct {
	// Texts are the values as strings: a string unchanged, any other value as JSON.
	Texts  map[string]string
	values map[string]strictjson.Value
}

// ReadTyped reads a JSON object, whose members are the arguments. The document of the
// object must not be used for another.
func ReadTyped(object strictjson.Value) Typed {
	t := Typed{Texts: map[string]string{}, values: map[string]strictjson.Value{}}
	for name, v := range object.Members() {
		t.values[name] = v
		if t.Texts[name] = v.Raw(); v.Kind() == strictjson.String {
			t.Texts[name] = v.Text()
		}
	}
	return t
}

// CollectTyped is [Plan.Collect] for typed arguments. texts are t.Texts, which others
// may have changed since: a value that is not that of t is a string. An undeclared
// name is a problem.
func (p *Plan) CollectTyped(t Typed, texts map[string]string) ([]Text, []Problem) {
	collected, problems, _ := p.CollectTexts(texts, nil, nil, true)
	for i := range p.Arguments {
		name := p.Arguments[i].Name
		given, ok := t.values[name]
		text := &collected[i]
		if !ok || !text.Given || text.Value != t.Texts[name] {
			continue
		}
		if text.Value, text.Given = p.Arguments[i].value.textOf(given); text.Given {
			continue
		}
		if text.Value, text.notTyped = shown(given), true; p.Arguments[i].Sensitive {
			text.Value = given.Raw() // see Secrets
		}
	}
	return collected, problems
}

// textOf returns the text of a JSON value, and false if the value has another JSON
// type.
func (v *value) textOf(given strictjson.Value) (text string, ok bool) {
	switch {
	case !v.hasType(given.Kind()):
		return "", false
	case v.kind.IsString():
		return given.Text(), true
	case v.kind == schema.Int || v.kind == schema.Uint:
		return plainInteger(given.Raw()), true
	}
	return given.Raw(), true
}

// hasType reports whether a JSON value of the kind can be the value.
func (v *value) hasType(k strictjson.Kind) bool {
	switch v.kind {
	case schema.Bool:
		return k == strictjson.Bool
	case schema.Int, schema.Uint, schema.Float:
		return k == strictjson.Number
	case schema.List:
		return k == strictjson.Array
	case schema.JSON:
		return true // which the schema decides
	}
	return k == strictjson.String
}

// Canonical returns a form of a text of the argument that is the same for every encoding
// of a JSON array or object. It returns the text of any other type unchanged.
func (a *Argument) Canonical(text string) string {
	var doc strictjson.Doc
	k := a.value.kind
	if k != schema.List && k != schema.JSON || doc.Parse(text, jsonenc.MaxDepth) != nil ||
		k == schema.List && doc.Root().Kind() != strictjson.Array { // the text is split
		return text
	}
	return string(doc.Root().AppendCanonical(nil))
}

// plainInteger returns the integer of a JSON number such as 3.0 or 1e3. It returns any
// other number unchanged.
func plainInteger(number string) string {
	if !strings.ContainsAny(number, ".eE") && number != "-0" {
		return number
	}
	if f, err := strconv.ParseFloat(number, 64); err == nil && f == math.Trunc(f) && math.Abs(f) < exactFloat {
		return strconv.FormatInt(int64(f), 10)
	}
	return number
}

// notTyped is the problem of a JSON value of another type, see shown.
func (v *value) notTyped(shown string) *Problem {
	return &Problem{Reason: reasonType, Message: mustBe(cmp.Or(v.expected, "a string"), describeJSON(shown))}
}

// shown returns the beginning of a JSON value, for a message.
func shown(v strictjson.Value) string {
	if v.Kind() == strictjson.String {
		return Quote(v.Text())
	}
	return phrase.Clip(v.Raw(), 64)
}

// describeJSON returns what a message calls the value that shown returned.
func describeJSON(shown string) string {
	switch shown[0] {
	case '"':
		return "the string " + shown
	case '[':
		return "an array"
	case '{':
		return "an object"
	case 't', 'f':
		return "the boolean " + shown
	case 'n':
		return "null"
	}
	return "the number " + shown
}
