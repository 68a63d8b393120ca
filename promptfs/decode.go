package promptfs

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/mcp-prompts/prompts"
)

// The tags of YAML values that this package distinguishes.
const (
	nullTag  = "!!null"
	boolTag  = "!!bool"
	intTag   = "!!int"
	floatTag = "!!float"
	strTag   = "!!str"
	mergeTag = "!!merge"
)

// maxNesting is how deep the values of meta may be nested.
const maxNesting = 32

// largestExact is the greatest integer up to which a float64 has each.
const largestExact = 1<<53 - 1

// decoder reads the values of front matter, and nothing that it does not know.
type decoder struct {
	faults   *fileErrors
	patterns *int // the size of all patterns of the file so far
}

// lineOf returns the line of the file in which the node begins. The line of
// the front matter's beginning is not part of the YAML.
func lineOf(n *yaml.Node) int { return n.Line + 1 }

func (d decoder) fault(n *yaml.Node, format string, args ...any) {
	d.faults.add(lineOf(n), format, args...)
}

// plain reports whether a value and all in it are written in place, and
// without YAML's own types. What an alias means is not looked at, so that one
// cannot make a short text long.
func (d decoder) plain(n *yaml.Node) bool {
	ok := true
	refuse := func(format string, args ...any) {
		d.fault(n, format, args...)
		ok = false
	}
	switch {
	case n.Kind == yaml.AliasNode:
		refuse("the alias *%s is not read; write the value itself", n.Value)
	case n.Anchor != "":
		refuse("the anchor &%s is not read; write the value itself wherever it belongs", n.Anchor)
	case n.Style&yaml.TaggedStyle != 0:
		refuse("the tag %s is not read; write the value without it", n.Tag)
	case n.ShortTag() == mergeTag:
		refuse("the merge key << is not read; write the keys themselves")
	}
	for _, c := range n.Content {
		if !d.plain(c) {
			ok = false
		}
	}
	return ok
}

// member is a key of a mapping with its value.
type member struct {
	key   string
	line  int
	value *yaml.Node
}

// members returns the members of a mapping that are known, each once. of says
// whose they are.
func (d decoder) members(n *yaml.Node, of string, known []string) []member {
	if n.Kind != yaml.MappingNode {
		d.fault(n, "%s must be keys with values; write such as %s: ...", of, known[0])
		return nil
	}
	var all []member
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content) && !d.faults.isFull(); i += 2 {
		key := n.Content[i]
		switch before, twice := lines[key.Value]; {
		case key.Kind != yaml.ScalarNode:
			d.fault(key, "a key of %s must be a word; write one of: %s", of, strings.Join(known, ", "))
		case twice:
			d.fault(key, "the key %q is there twice, in line %d too; remove one", key.Value, before)
		case !slices.Contains(known, key.Value):
			d.fault(key, "%s has no key %q; %s", of, key.Value, suggest(key.Value, known))
		default:
			all = append(all, member{key.Value, lineOf(key), n.Content[i+1]})
		}
		if key.Kind == yaml.ScalarNode {
			if _, ok := lines[key.Value]; !ok {
				lines[key.Value] = lineOf(key)
			}
		}
	}
	return all
}

// isText reports whether text takes the value, which may be empty.
func isText(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() != nullTag }

// text returns a string. A number or a date is returned verbatim: the version 1.10
// does not become 1.1.
func (d decoder) text(m member) string {
	switch {
	case m.value.Kind != yaml.ScalarNode:
		d.fault(m.value, "%s must be a text; write it in one line, or below %s: |", m.key, m.key)
	case m.value.ShortTag() == nullTag:
		d.faults.add(m.line, "%s is empty; write a text, or remove the key", m.key)
	case m.value.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return strings.TrimRight(m.value.Value, "\n") // which nobody means who writes > or |
	}
	return m.value.Value
}

// boolean returns a true or false.
func (d decoder) boolean(m member) bool {
	if m.value.Kind != yaml.ScalarNode || m.value.ShortTag() != boolTag {
		d.fault(m.value, "%s must be true or false", m.key)
		return false
	}
	return strings.EqualFold(m.value.Value, "true")
}

// count returns a number of characters or elements.
func (d decoder) count(m member) *int {
	n, err := strconv.Atoi(m.value.Value)
	if m.value.Kind != yaml.ScalarNode || m.value.ShortTag() != intTag || err != nil || n < 0 {
		d.fault(m.value, "%s must be a whole number from 0; write such as %s: 80", m.key, m.key)
		return nil
	}
	return &n
}

// number returns a number.
func (d decoder) number(m member) *float64 {
	v, ok := numberOf(m.value)
	if !ok {
		d.fault(m.value, "%s must be a number; write such as %s: 10", m.key, m.key)
		return nil
	}
	return &v
}

// numberOf returns the number that a node is, if it is one in decimals.
func numberOf(n *yaml.Node) (float64, bool) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != intTag && n.ShortTag() != floatTag {
		return 0, false
	}
	v, err := strconv.ParseFloat(n.Value, 64)
	isDecimal := strings.Trim(n.Value, "+-.eE0123456789") == ""
	return v, err == nil && isDecimal && !math.IsInf(v, 0) && !math.IsNaN(v)
}

// elements returns the elements of a list, which has some.
func (d decoder) elements(m member) []member {
	if m.value.Kind != yaml.SequenceNode || len(m.value.Content) == 0 {
		example := "[one, two] behind it"
		switch m.key {
		case "arguments":
			example = "- name: code in a line below it"
		case "icons":
			example = "- src: https://example.com/icon.png in a line below it"
		}
		d.fault(m.value, "%s must be a list; write such as %s, or remove the key", m.key, example)
		return nil
	}
	all := make([]member, len(m.value.Content))
	for i, n := range m.value.Content {
		all[i] = member{"an element of " + m.key, lineOf(n), n}
	}
	return all
}

// texts returns a list of texts.
func (d decoder) texts(m member) []string {
	var all []string
	for _, e := range d.elements(m) {
		all = append(all, d.text(e))
	}
	return all
}

// typed returns a value of a JSON type as encoding/json would decode it.
func (d decoder) typed(m member, typ string) (any, bool) {
	n := m.value
	tag := ""
	if n.Kind == yaml.ScalarNode {
		tag = n.ShortTag()
	}
	switch typ {
	case "integer":
		if v, err := strconv.ParseInt(n.Value, 10, 64); tag == intTag && err == nil {
			if v < -largestExact || v > largestExact {
				d.fault(n, "%s must be an integer from %d to %d, which are those that JSON has without loss", m.key, -largestExact, largestExact)
				return nil, false
			}
			return float64(v), true
		}
		d.fault(n, "%s must be an integer, as the argument is; write such as 10", m.key)
	case "number":
		if v, ok := numberOf(n); ok {
			return v, true
		}
		d.fault(n, "%s must be a number, as the argument is; write such as 1.5", m.key)
	case "boolean":
		if tag == boolTag {
			return strings.EqualFold(n.Value, "true"), true
		}
		d.fault(n, "%s must be true or false, as the argument is a boolean", m.key)
	default:
		if tag != "" && tag != nullTag {
			return n.Value, true
		}
		d.fault(n, "%s must be a text, as the argument is; write one, or remove it", m.key)
	}
	return nil, false
}

// raw returns the value as JSON.
func raw(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		return nil // no value of typed is one that cannot be written
	}
	return text
}

// icons returns a list of icons, and their lines.
func (d decoder) icons(m member) (icons []prompts.Icon, lines []int) {
	for _, e := range d.elements(m) {
		var icon prompts.Icon
		for _, m := range d.members(e.value, "an icon", []string{"src", "mimeType", "sizes", "theme"}) {
			switch m.key {
			case "src":
				icon.Src = d.text(m)
			case "mimeType":
				icon.MIMEType = d.text(m)
			case "sizes":
				icon.Sizes = d.texts(m)
			case "theme":
				icon.Theme = d.text(m)
			}
		}
		icons, lines = append(icons, icon), append(lines, e.line)
	}
	return icons, lines
}

// meta returns an object of any values.
func (d decoder) meta(m member) prompts.Meta {
	if m.value.Kind != yaml.MappingNode {
		d.fault(m.value, "%s must be keys with values", m.key)
		return nil
	}
	v, _ := d.any(m.value, 0).(map[string]any)
	return v
}

// any returns a value as encoding/json would decode it.
func (d decoder) any(n *yaml.Node, depth int) any {
	if depth > maxNesting {
		d.fault(n, "it is nested too deep; %d levels are read", maxNesting)
		return nil
	}
	switch n.Kind {
	case yaml.MappingNode:
		v := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			if key.Kind != yaml.ScalarNode {
				d.fault(key, "a key must be a word")
				continue
			}
			if _, twice := v[key.Value]; twice {
				d.fault(key, "the key %q is there twice; remove one", key.Value)
			}
			v[key.Value] = d.any(n.Content[i+1], depth+1)
		}
		return v
	case yaml.SequenceNode:
		v := make([]any, len(n.Content))
		for i, c := range n.Content {
			v[i] = d.any(c, depth+1)
		}
		return v
	}
	switch n.ShortTag() {
	case nullTag:
		return nil
	case boolTag:
		return strings.EqualFold(n.Value, "true")
	case intTag, floatTag:
		if v, err := strconv.ParseInt(n.Value, 10, 64); err == nil {
			return v
		}
		if v, ok := numberOf(n); ok {
			return v
		}
		d.fault(n, "%q is a number that JSON has not; put it into quotes", n.Value)
	}
	return n.Value
}
