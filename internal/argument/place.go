package argument

import (
	"strconv"
	"strings"

	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// This file names the places inside of an argument: by a JSON Pointer for programs, and by
// a text such as s.filters[2].name for people.

// The steps of a value are known only during a walk over JSON, so a place is built
// by entering and leaving, and never copied for values that are valid.
type step struct {
	name       string
	index      int  // -1 for a member
	isDeclared bool // the name is in the schema, and so not a value of the client
}

// A place is for one goroutine and one walk.
type place struct{ steps []step }

func (at *place) enter(s step) { at.steps = append(at.steps, s) }

func (at *place) leave() { at.steps = at.steps[:len(at.steps)-1] }

// valueParts yields the elements and the members of a value, with the step to each.
type valueParts strictjson.Value

func (v valueParts) all(yield func(step, strictjson.Value) bool) {
	i := 0
	for e := range strictjson.Value(v).Elements() {
		if !yield(step{index: i}, e) {
			return
		}
		i++
	}
	for name, m := range strictjson.Value(v).Members() {
		if !yield(step{name: name, index: -1}, m) {
			return
		}
	}
}

const (
	// A client could nest names of a megabyte, and each problem would repeat them.
	// maxPath limits the bytes of a JSON Pointer in an error.
	maxPath = 1 << 10
	// maxPlace limits the bytes of the place in a message.
	maxPlace = 256
)

// put writes the place into the problem. If the pointer is too long, the problem is that of a value
// around. Three forms are written: the JSON Pointer of RFC 6901 for programs, the text for people,
// and the text for the log. The log must not show names that the client has chosen, because a name
// may be a secret in the wrong place.
func (at place) put(p *Problem) {
	var pointer, text, logged strings.Builder
	for _, s := range at.steps {
		token := "/" + strconv.Itoa(s.index)
		if s.index < 0 {
			token = "/" + phrase.PointerToken(s.name)
		}
		if pointer.Len()+len(token) > maxPath {
			p.Message = "contains a value that " + p.Message
			break
		}
		pointer.WriteString(token)
		switch {
		case s.index >= 0:
			token = "[" + strconv.Itoa(s.index) + "]"
		case isPlain(s.name):
			token = "." + s.name
		default:
			token = "[" + phrase.Quote(s.name) + "]"
		}
		text.WriteString(token)
		if s.index < 0 && !s.isDeclared {
			token = "[…]"
		}
		logged.WriteString(token)
	}
	p.Path, p.place, p.logged = pointer.String(), clipPlace(text.String()), clipPlace(logged.String())
}

// The end says which member is meant, and the beginning where to look for it.
func clipPlace(text string) string {
	if len(text) <= maxPlace {
		return text
	}
	return phrase.Clip(text, maxPlace/2) + strings.ToValidUTF8(text[len(text)-maxPlace/2:], "")
}

// A plain name needs no quotes in a place, and is safe in the name of a form field.
func isPlain(name string) bool {
	const special = "-_$"
	return name != "" && len(name) <= 64 && strings.IndexFunc(name, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune(special, r))
	}) < 0
}

// A list is read element by element without a place, so the index is put before the
// path that the element has already.
func (p *Problem) setElement(i int) {
	index := strconv.Itoa(i)
	if p.Path = "/" + index + p.Path; len(p.Path) > maxPath {
		p.Path, p.Message = "/"+index, "contains a value that "+p.Message
	}
	p.place, p.logged = clipPlace("["+index+"]"+p.place), clipPlace("["+index+"]"+p.logged)
}
