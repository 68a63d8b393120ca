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
//
// Code of the application between the client and the prompt sees arguments as
// strings, however the client has sent them.
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

// memberText returns the text by which CollectChanged recognizes a member. The text must
// be the same for the same member every time.
func memberText(v strictjson.Value) string {
	if v.Kind() == strictjson.String {
		return v.Text()
	}
	return v.Raw()
}

// CollectTyped is [Plan.Collect] for the members of a JSON object. An undeclared name is a
// problem.
//
// The order of the members is the client's. Sorting the undeclared names makes the
// problems the same for the same set of arguments.
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
//
// The type of a member is known only from the object. So a text that equals the
// member is taken from the object again, and any other text is a string that code
// of the application has set. Such a string is read like one of prompts/get: "3" is
// valid for an integer.
func (p *Plan) CollectChanged(object strictjson.Value, texts map[string]string) ([]Text, []Problem) {
	collected, problems, _ := p.CollectTexts(texts, nil, nil, true)
	for name, v := range object.Members() {
		i := p.Find(name)
		if i < 0 || !collected[i].Given || collected[i].Value != memberText(v) {
			continue
		}
		text := collected[i].Value
		// An equal text is the string of the map, which does not keep the object in
		// memory. Any other text, such as 3 for 3.0, may be a part of the object
		// and needs a copy.
		if collected[i] = p.Arguments[i].typed(v); collected[i].Value != text {
			text = strings.Clone(collected[i].Value)
		}
		collected[i].Value = text
	}
	return collected, problems
}

// typed returns the text of a JSON value. A string for a number is read as prompts/get reads
// it, and so loses nothing.
//
// A value of another type keeps its JSON for the message. For a sensitive argument
// the JSON is complete, so that Secrets can remove all of it from everything that
// the server writes.
func (a *Argument) typed(v strictjson.Value) Text {
	text, ok := a.value.textOf(v)
	if !ok && a.value.kind.IsNumber() && v.Text() != "" {
		text, ok = v.Text(), true // models send 2000 and "2000"
	}
	if ok {
		return Text{Value: text, Given: true}
	}
	if a.Sensitive {
		return Text{Value: v.Raw(), notTyped: true} // see Secrets
	}
	return Text{Value: shown(v), notTyped: true}
}

// Canonical returns a form of a text of the argument that is the same for every encoding
// of a JSON array or object. It returns the text of any other type unchanged.
//
// The state of a request with pending questions is bound to its arguments. The
// client repeats the arguments, and may encode JSON with other white space or with
// the members in another order. Numbers must stay as they are written. A
// comma-separated list is returned unchanged.
func (a *Argument) Canonical(text string) string {
	var doc strictjson.Doc
	k := a.value.kind
	if k != schema.List && k != schema.JSON || doc.Parse(text, jsonenc.MaxDepth) != nil ||
		k == schema.List && doc.Root().Kind() != strictjson.Array { // the text is split
		return text
	}
	return string(doc.Root().AppendCanonical(nil))
}
