package argument

import (
	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// This file reads arguments that are JSON values of their types, as InputSchema
// describes them: the integer 3, not the string "3".

// typed returns the text of a JSON value. A string for a number or a boolean is read as prompts/get
// reads it, and so loses nothing. A value of another type keeps its JSON for the message. For a
// sensitive argument the JSON is complete, so that Secrets can remove all of it from everything
// that the server writes.
func (a *Argument) typed(v strictjson.Value) Text {
	text, ok := a.value.textOf(v)
	switch k := a.value.kind; {
	case a.value.trim(v.Text()) == "": // no value, as in prompts/get, and no JSON of the type
	case !ok && (k.IsNumber() || k == schema.Bool):
		text, ok = v.Text(), true // models send 2000 and "2000"
	case k == schema.JSON && a.value.validator != nil:
		if d := (memberSchemas{a.value.validator, []*subschema{a.value.validator.root}, nil}); d.means(instanceOf(v), v.Text()) {
			text = v.Text()
		}
	}
	if ok {
		return Text{Value: text, Given: true}
	}
	if a.Sensitive {
		return Text{Value: v.Raw(), notTyped: true} // see Secrets
	}
	return Text{Value: shown(v), notTyped: true}
}

// Canonical returns a form of a text that is the same for every encoding of a JSON array or
// object: the state of a request with pending questions is bound to its arguments, and a client
// may repeat them with other white space or the members in another order. Numbers,
// comma-separated lists and the texts of other types are unchanged.
func (a *Argument) Canonical(text string) string {
	var doc strictjson.Doc
	k := a.value.kind
	if k != schema.List && k != schema.JSON || doc.Parse(text, jsonenc.MaxDepth) != nil ||
		k == schema.List && doc.Root().Kind() != strictjson.Array { // the text is split
		return text
	}
	return string(doc.Root().AppendCanonical(nil))
}
