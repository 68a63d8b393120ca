package argument

import (
	"slices"
	"strings"

	"github.com/mcp-prompts/prompts/internal/jsonenc"
	"github.com/mcp-prompts/prompts/internal/match"
	"github.com/mcp-prompts/prompts/internal/revision"
	"github.com/mcp-prompts/prompts/internal/strictjson"
)

// This file completes JSON whose end is being typed: the names of members, and the values
// of members and elements. A client replaces the whole text of an argument, so that each
// completion repeats the JSON before: {"region":"e becomes {"region":"eu".

// completeJSON returns the first texts that complete the JSON, and the number of all. root may be
// nil. The same text is offered once, although several schemas of the value may have it.
func completeJSON(root *subschema, text string) (texts []string, total int) {
	open, ok := openJSONOf(root, text)
	if !ok {
		return nil, 0
	}
	seen := map[string]bool{}
	for _, x := range open.candidates() {
		values, _ := x.Match(open.typed, x.Len())
		for _, v := range values {
			v, ok := open.textOf(v)
			if !ok || seen[v] {
				continue
			}
			seen[v] = true
			if total++; total <= revision.MaxCompletions {
				texts = append(texts, open.head+v)
			}
		}
	}
	return texts, total
}

// openJSON is JSON whose last token is being typed. Of {"region":"e the head is {"region":, the
// token is e, and schemas are those of the member region. The JSON before the token is not
// validated: a user may still correct it.
type openJSON struct {
	head     string // the JSON before that token
	typed    string // what there is of the token, decoded if it is a string
	isString bool   // the token begins with a quote
	isName   bool   // the token is the name of a member
	level    level  // the object or the array around; of a name
	schemas  []*subschema
}

// Only open levels are kept, so the memory is bounded by jsonenc.MaxDepth and maxHead.
type level struct {
	schemas  []*subschema
	isObject bool
	name     string // of the member whose value follows
	names    map[string]bool
	elements int
}

// maxHead limits the bytes before the member or element that is completed, which every
// completion repeats.
const maxHead = 1 << 10

// Alternatives can nest, and each could add more. Beyond the limit some candidates are missing.
const maxOpenSchemas = 16

// openJSONOf reads the JSON up to its last token, in one pass without recursion. It returns
// false if there is no token to complete, as after a value, for a text that is no beginning of
// JSON, and for a token behind maxHead.
func openJSONOf(root *subschema, text string) (open openJSON, ok bool) {
	var levels []level
	schemas := withParts(nil, root, inPlaceDepth)
	const value, name, colon, next = 0, 1, 2, 3 // what follows
	state, isFirst := value, false
	for i := 0; ; {
		for i < len(text) && strings.IndexByte(" \t\r\n", text[i]) >= 0 {
			i++
		}
		if i > maxHead {
			return open, false
		}
		var top *level
		if len(levels) > 0 {
			top = &levels[len(levels)-1]
		}
		// The schemas of the value that follows come from the object or array around it.
		if state == value && top != nil {
			schemas = top.inside()
		}
		if i == len(text) {
			open = openJSON{head: text, isName: state == name, schemas: schemas}
			if top != nil {
				open.level = *top
			}
			return open, state <= name
		}
		c := text[i]
		// A bracket that does not fit its level is no JSON, and falls through to the default.
		isEnd := top != nil && (c == '}' && top.isObject || c == ']' && !top.isObject)
		switch {
		case isEnd && (state == next || isFirst):
			levels, state = levels[:len(levels)-1], next
			i++
		case state == next && c == ',' && top != nil:
			if i++; top.isObject {
				state = name
			} else {
				top.elements++
				state = value
			}
		case state == colon && c == ':':
			i++
			state = value
		case state == value && (c == '{' || c == '['):
			if len(levels) == jsonenc.MaxDepth {
				return open, false
			}
			levels = append(levels, level{schemas: schemas, isObject: c == '{'})
			i++
			if state, isFirst = value, true; c == '{' {
				state = name
			}
			continue
		case c == '"' && state <= name:
			end, isClosed := endOfString(text, i)
			token, ok := unquoted(text[i:end], isClosed)
			if !ok {
				return open, false
			}
			if !isClosed {
				open = openJSON{head: text[:i], typed: token, isString: true, isName: state == name, schemas: schemas}
				if top != nil {
					open.level = *top
				}
				return open, true
			}
			i = end
			if state == name {
				if top.names == nil {
					top.names = map[string]bool{}
				}
				top.names[token], top.name, state = true, token, colon
			} else {
				state = next
			}
		case state == value && strings.IndexByte(",:]}", c) < 0:
			size := strings.IndexAny(text[i:], ",:]} \t\r\n")
			if size < 0 {
				return openJSON{head: text[:i], typed: text[i:], schemas: schemas}, true
			}
			i, state = i+size, next
		default:
			return open, false
		}
		isFirst = false
	}
}

// A byte after a backslash never ends a string. Whether the escape is valid is found by unquoted.
func endOfString(text string, i int) (end int, isClosed bool) {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1, true
		}
	}
	return len(text), false
}

// An escape that is typed in part makes the string invalid. Then nothing is
// completed until the next character.
func unquoted(token string, isClosed bool) (text string, ok bool) {
	if !isClosed {
		token += `"`
	}
	var doc strictjson.Doc
	ok = doc.Parse(token, 1) == nil
	return doc.Root().Text(), ok
}

// Schemas in place were resolved when the level was opened, so a member that allOf
// or a reference declares is found as well.
func (l *level) inside() []*subschema {
	var all []*subschema
	for _, s := range l.schemas {
		if !l.isObject {
			all = withParts(all, s.elementAt(l.elements), inPlaceDepth)
			continue
		}
		for sub := range s.schemasOf(l.name) {
			all = withParts(all, sub, inPlaceDepth)
		}
	}
	return all
}

// All alternatives count, because the JSON so far does not say which one is meant.
// not and if say nothing about values to offer.
func withParts(all []*subschema, s *subschema, depth int) []*subschema {
	if s == nil || depth == 0 || len(all) == maxOpenSchemas || slices.Contains(all, s) {
		return all
	}
	all = append(all, s)
	all = withParts(all, s.ref, depth-1)
	for _, some := range [][]*subschema{s.allOf, s.anyOf, s.oneOf} {
		for _, sub := range some {
			all = withParts(all, sub, depth-1)
		}
	}
	return all
}

// Each schema has an index of its own, made when the schema is first completed.
func (o *openJSON) candidates() []*match.Index {
	var all []*match.Index
	if o.isName {
		for _, s := range o.level.schemas {
			if s.nameIndex != nil {
				all = append(all, s.nameIndex())
			}
		}
		return all
	}
	for _, s := range o.schemas {
		if s.valueIndex != nil {
			all = append(all, s.valueIndex())
		}
	}
	return all
}

// A name that the object has already would be a duplicate. After a quote, only strings fit.
func (o *openJSON) textOf(candidate string) (text string, ok bool) {
	if o.isName {
		return string(strictjson.AppendString(nil, candidate)) + ":", !o.level.names[candidate]
	}
	for _, s := range o.schemas {
		if _, ok := s.values[string(appendTextKey(nil, candidate))]; ok {
			return string(strictjson.AppendString(nil, candidate)), true
		}
	}
	return candidate, !o.isString
}
