package argument

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// This file collects the arguments of a call: as strings or as typed JSON, directly from the
// client or after code of the application.

type Given struct {
	// Object has the arguments as the client sent them; Invalid or null for none.
	Object strictjson.Value
	// IsTyped says that a value has its own JSON type, as InputSchema describes: the
	// integer 3, not the string "3". An undeclared name is then a problem.
	IsTyped bool
	// IsStrict makes an undeclared name a problem. Otherwise the name is ignored, unless
	// its value is neither a string nor null (PRG-06).
	IsStrict bool
	// Detach makes copies of all texts, which do not keep the message in memory.
	Detach bool
	// IsAltered says that Texts and NonStrings are those of [TextsOf], which code of the
	// application may have changed since. A value of Object applies only if its text or its
	// name is still there. Any other text is a string: "3" is valid for an integer.
	IsAltered  bool
	Texts      map[string]string
	NonStrings []string
}

// Map is the arguments of a render function without a struct, by name: see [Plan.Texts].
type Map map[string]string

// TextsOf returns the arguments as strings, by name, and the names of the arguments without a
// string: null and, unless isTyped is set, all other values that are not strings. With isTyped,
// a string is returned unchanged, and any other value as JSON.
// Code of the application between the client and the prompt sees arguments as strings,
// however the client has sent them. With detach the strings are copies.
func TextsOf(object strictjson.Value, isTyped, detach bool) (texts map[string]string, nonStrings []string) {
	texts = map[string]string{}
	for name, v := range object.Members() {
		if detach {
			name = strings.Clone(name)
		}
		if v.Kind() == strictjson.Null || !isTyped && v.Kind() != strictjson.String {
			nonStrings = append(nonStrings, name)
			continue
		}
		text := memberText(v)
		if detach {
			text = strings.Clone(text)
		}
		texts[name] = text
	}
	return texts, nonStrings
}

// memberText returns the text by which Collect recognizes a member that code of the
// application did not change. The text must be the same for the same member every time.
func memberText(v strictjson.Value) string {
	if v.Kind() == strictjson.String {
		return v.Text()
	}
	return v.Raw()
}

// other is an argument that the prompt does not declare. The value is Invalid for a string of
// the application.
type other struct {
	name  string
	value strictjson.Value
}

// Collect returns the text of each argument by position, the problems of names that the prompt
// does not declare, and the first of the names that are ignored. Collect appends to dst, whose
// capacity must be zeroed. Null is the same as leaving the argument out, unless the schema
// admits null: clients and models send null for an optional field (GAP-18). Only this function
// decides about null. The client controls the number and the length of the names. So the
// problems beyond MaxProblems are counted but have no suggestion, and an ignored name is
// clipped. [Plan.Fill] reads the values, after all problems of the names are known.
func (p *Plan) Collect(dst []Text, g Given) (texts []Text, problems []Problem, ignored []string) {
	texts = slices.Grow(dst, len(p.Arguments))[:len(p.Arguments)]
	var others []other
	var kept map[string]bool
	if g.IsAltered {
		kept = g.kept()
	}
	for name, v := range g.Object.Members() {
		text, isText := g.Texts[name]
		hadText := v.Kind() == strictjson.String || g.IsTyped && v.Kind() != strictjson.Null // see TextsOf
		if g.IsAltered && !kept[name] && (!isText || !hadText || text != memberText(v)) {
			continue // removed, or replaced by a text
		}
		i := p.Find(name)
		if i < 0 {
			if !isText { // else it is found below
				others = append(others, other{name, v})
			}
			continue
		}
		texts[i] = p.Arguments[i].given(v, g.IsTyped)
		switch {
		// The string of the map, which does not keep the object in memory.
		case isText && texts[i].Value == text:
			texts[i].Value = text
		case g.Detach || g.IsAltered:
			texts[i].Value = strings.Clone(texts[i].Value)
		}
	}
	for name, text := range g.Texts {
		if i := p.Find(name); i < 0 {
			others = append(others, other{name: name})
		} else if texts[i] == (Text{}) {
			texts[i] = Text{Value: text, Given: true}
		}
	}
	if others != nil {
		problems, ignored = p.undeclaredOf(others, &g)
	}
	return texts, problems, ignored
}

// kept returns the names of NonStrings that have no text now; nil for none. A text wins:
// code of the application has replaced the value.
func (g *Given) kept() map[string]bool {
	var kept map[string]bool
	for _, name := range g.NonStrings {
		if _, ok := g.Texts[name]; ok {
			continue
		}
		if kept == nil {
			kept = make(map[string]bool, len(g.NonStrings))
		}
		kept[name] = true
	}
	return kept
}

// Strings stay in the order of the client. A map has no order, and the order of typed
// arguments is that of a model: these are sorted, so that the response is the same for the
// same set of arguments.
func (p *Plan) undeclaredOf(others []other, g *Given) (problems []Problem, ignored []string) {
	if g.IsTyped || g.IsAltered {
		slices.SortFunc(others, func(a, b other) int { return cmp.Compare(a.name, b.name) })
	}
	for _, o := range others {
		name := o.name
		// Code of the application may have set any bytes.
		if g.Detach {
			name = strings.Clone(name)
		}
		name = strings.ToValidUTF8(name, "\ufffd")
		isString := o.value.Kind() <= strictjson.Null || o.value.Kind() == strictjson.String
		switch {
		case isString && !g.IsStrict && !g.IsTyped:
			if len(ignored) < MaxProblems {
				ignored = append(ignored, strings.Clone(phrase.Clip(name, phrase.MaxEcho)))
			}
		// The total is exact, but a message for each of a million names would be work for nobody.
		case len(problems) >= MaxProblems:
			problems = append(problems, undeclared(name)) // only counted
		case isString || g.IsTyped:
			problems = append(problems, p.Undeclared(name))
		default:
			problems = append(problems, p.undeclaredNotString(name, strings.Clone(exampleOf(o.value))))
		}
	}
	return problems, ignored
}

func (a *Argument) given(v strictjson.Value, isTyped bool) Text {
	switch {
	case v.Kind() == strictjson.Null && !a.admitsNull:
		return Text{}
	// The JSON of an argument says null by itself. No string of another kind does.
	case v.Kind() == strictjson.Null && a.value.kind != schema.JSON:
		return Text{IsNull: true}
	case v.Kind() == strictjson.Null:
		return Text{Value: v.Raw(), Given: true}
	case isTyped:
		return a.typed(v)
	case v.Kind() == strictjson.String:
		return Text{Value: v.Text(), Given: true}
	}
	// A number in place of a string is the most common error of clients. The message shows
	// the string that was meant.
	return Text{Value: exampleOf(v), notString: true}
}

// The type decides for nearly all arguments, so that nothing is compiled for them.
func (a *Argument) acceptsNull() bool {
	if a.Schema == nil {
		return false
	}
	switch types := schema.TypesOf(a.Schema); {
	case a.value.kind == schema.JSON:
		_, problems := a.value.readJSON(context.Background(), reflect.Value{}, "null", false)
		return problems == nil
	case len(types) > 0 && !slices.Contains(types, "null"), len(types) == 0 && a.Schema.Ref == "" && a.Schema.DynamicRef == "":
		return false
	}
	v, err := newPartValidator(a.value.describe(a.Schema))
	return err == nil && v.Accepts("null")
}

// exampleOf returns the text that was meant by a value that is not a string; "" if that is not
// clear. Any number, boolean, array or object can be sent as a string of its JSON. A long value
// would fill the message.
func exampleOf(v strictjson.Value) string {
	const most = 64
	if raw := v.Raw(); len(raw) <= most {
		return raw
	}
	return ""
}
