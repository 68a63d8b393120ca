package argument

import (
	"github.com/mcp-prompts/prompts/internal/jsonenc"
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
