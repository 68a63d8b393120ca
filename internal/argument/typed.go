package argument

import (
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// This file reads arguments that are JSON values of their types, as InputSchema
// describes them: the integer 3, not the string "3".

// TypedTexts returns the arguments of a JSON object as strings, by name: a string
// unchanged, any other value as JSON. With detach they are copies, as of [Plan.Collect].
func TypedTexts(object strictjson.Value, detach bool) map[string]string {
	texts := map[string]string{}
	for name, v := range object.Members() {
		text := memberText(v)
		if detach {
			name, text = strings.Clone(name), strings.Clone(text)
		}
		texts[name] = text
	}
	return texts
}

func memberText(v strictjson.Value) string {
	if v.Kind() == strictjson.String {
		return v.Text()
	}
	return v.Raw()
}

// CollectTyped is [Plan.Collect] for the members of a JSON object. An undeclared name is a
// problem.
func (p *Plan) CollectTyped(dst []Text, object strictjson.Value, detach bool) ([]Text, []Problem) {
	texts := slices.Grow(dst, len(p.Arguments))[:len(p.Arguments)]
	var others []string
	for name, v := range object.Members() {
		i := p.Find(name)
		if i < 0 {
			others = append(others, name)
			continue
		}
		texts[i] = p.Arguments[i].typed(v)
		if detach {
			texts[i].Value = strings.Clone(texts[i].Value)
		}
	}
	slices.Sort(others)
	var problems []Problem
	for _, name := range others {
		problems = p.addUndeclared(problems, strings.Clone(name))
	}
	return texts, problems
}

// CollectChanged is CollectTyped for the texts of the members, which others may have
// changed since [TypedTexts]: a text that is not that of a member is a string. The texts
// do not keep the object in memory.
func (p *Plan) CollectChanged(object strictjson.Value, texts map[string]string) ([]Text, []Problem) {
	collected, problems, _ := p.CollectTexts(texts, nil, nil, true)
	for name, v := range object.Members() {
		i := p.Find(name)
		if i < 0 || !collected[i].Given || collected[i].Value != memberText(v) {
			continue
		}
		text := collected[i].Value
		if collected[i] = p.Arguments[i].typed(v); collected[i].Value != text {
			text = strings.Clone(collected[i].Value)
		}
		collected[i].Value = text
	}
	return collected, problems
}

// typed returns the text of a JSON value.
func (a *Argument) typed(v strictjson.Value) Text {
	if text, ok := a.value.textOf(v); ok {
		return Text{Value: text, Given: true}
	}
	if a.Sensitive {
		return Text{Value: v.Raw(), notTyped: true} // see Secrets
	}
	return Text{Value: shown(v), notTyped: true}
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
