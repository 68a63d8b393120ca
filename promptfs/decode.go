package promptfs

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/explain"
	"github.com/mcp-prompts/prompts/internal/hint"
	"github.com/mcp-prompts/prompts/internal/phrase"
)

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
const largestExact int64 = 1<<53 - 1

// decoder reads the values of front matter, and nothing that it does not know.
type decoder struct {
	faults   *fileErrors
	patterns *int // the size of all patterns of the file so far
}

func (d decoder) lineOf(n *yaml.Node) int { return d.faults.lineOf(n.Line) }

func (d decoder) fault(n *yaml.Node, err error) { d.faults.add(d.lineOf(n), err) }

// plain reports whether a value and all in it are written in place, and without YAML's own types.
// What an alias means is not looked at, so that one cannot make a short text long.
func (d decoder) plain(n *yaml.Node) bool {
	ok := true
	reject := func(fix, format string, args ...any) {
		d.fault(n, hint.New(fix, format, args...))
		ok = false
	}
	switch {
	case n.Kind == yaml.AliasNode:
		reject("write the value out", "YAML alias *%s is not supported", n.Value)
	case n.Anchor != "":
		reject("write the value out", "YAML anchor &%s is not supported", n.Anchor)
	case n.Style&yaml.TaggedStyle != 0:
		reject("remove the tag", "YAML tag %s is not supported", n.Tag)
	case n.ShortTag() == mergeTag:
		reject("write the keys out", "YAML merge key << is not supported")
	}
	for _, c := range n.Content {
		if !d.plain(c) {
			ok = false
		}
	}
	return ok
}

type member struct {
	key     string
	line    int
	value   *yaml.Node
	comment string // in place of the value
}

type members []member

func (all members) line(key string) int {
	for _, m := range all {
		if m.key == key {
			return m.line
		}
	}
	return 0
}

// members returns the members of a mapping that are known, each once. of says whose they are.
func (d decoder) members(n *yaml.Node, of string, known []string) members {
	if n.Kind != yaml.MappingNode {
		fix := fmt.Sprintf("write lines such as %s: ...", known[0])
		if of == "argument" && n.Kind == yaml.ScalarNode && isString(n) {
			fix = "write - name: " + explain.Short(n.Value)
		}
		d.fault(n, hint.New(fix, "%s must be key: value pairs, got %s", of, found(n)))
		return nil
	}
	all := make(members, 0, min(len(n.Content)/2, len(known)))
	for i := 0; i+1 < len(n.Content) && !d.faults.isFull(); i += 2 {
		key := n.Content[i]
		switch {
		case key.Kind != yaml.ScalarNode:
			d.fault(key, hint.New("use one of: "+strings.Join(known, ", "), "key in %s must be a string, got %s", of, found(key)))
		case all.line(key.Value) > 0:
			d.fault(key, duplicateKey(key, all.line(key.Value)))
		case !slices.Contains(known, key.Value):
			fix := explain.Suggestion(key.Value, known)
			if strings.Contains(key.Value, " ") && i > 0 { // no known key has a space
				fix = fmt.Sprintf("to continue the value of %s, indent the line and quote the whole value", n.Content[i-2].Value)
			}
			d.fault(key, hint.New(fix, "unknown key %q in %s", key.Value, of))
		default:
			all = append(all, member{key.Value, d.lineOf(key), n.Content[i+1], key.LineComment})
		}
	}
	if len(all) == 0 && len(n.Content) > 0 {
		return nil // each has an error
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
		d.fault(m.value, hint.New("write a single text", "%s must be a string, got %s", m.key, found(m.value)))
	case m.value.ShortTag() == nullTag && m.comment != "":
		d.faults.add(m.line, hint.New("quote the value", "%s is empty, because # begins a comment", m.key))
	case m.value.ShortTag() == nullTag:
		d.faults.add(m.line, emptyValue(m.key))
	case m.value.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return strings.TrimRight(m.value.Value, "\n") // which nobody means who writes > or |
	}
	d.lost(m)
	return m.value.Value
}

func (d decoder) boolean(m member, otherwise bool) bool {
	if m.value.Kind != yaml.ScalarNode || m.value.ShortTag() != boolTag {
		d.fault(m.value, hint.New(booleanFor(m.value), "%s must be true or false, got %s", m.key, found(m.value)))
		return otherwise
	}
	return strings.EqualFold(m.value.Value, "true")
}

func (d decoder) count(m member) *int {
	n, err := strconv.Atoi(m.value.Value)
	if m.value.Kind != yaml.ScalarNode || m.value.ShortTag() != intTag || err != nil || n < 0 {
		d.fault(m.value, hint.New(fmt.Sprintf("write a number, for example %s: 80", m.key), "%s must be a non-negative integer, got %s", m.key, found(m.value)))
		return nil
	}
	return &n
}

func (d decoder) number(m member) *float64 {
	v, ok := numberOf(m.value)
	if !ok {
		d.fault(m.value, hint.New(fmt.Sprintf("write a number, for example %s: 10", m.key), "%s must be a number, got %s", m.key, found(m.value)))
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

// elementOf begins the key of an element of a list.
const elementOf = "element of "

func (d decoder) elements(m member) []member {
	if m.value.Kind != yaml.SequenceNode || len(m.value.Content) == 0 {
		fix := fmt.Sprintf("write a list, for example %s: [one, two]", m.key)
		switch m.key {
		case "arguments":
			fix = "write - name: code on the line below"
		case "icons":
			fix = "write - src: https://example.com/icon.png on the line below"
		}
		d.fault(m.value, hint.New(fix+", or remove the key", "%s must be a list with elements, got %s", m.key, found(m.value)))
		return nil
	}
	all := make([]member, len(m.value.Content))
	for i, n := range m.value.Content {
		all[i] = member{key: elementOf + m.key, line: d.lineOf(n), value: n}
	}
	return all
}

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
				d.fault(n, fmt.Errorf("%s must be an integer from %d to %d, which JSON represents exactly, got %d", m.key, -largestExact, largestExact, v))
				return nil, false
			}
			return float64(v), true
		}
		d.fault(n, mismatch(m, typ, "write an integer, for example 10"))
	case "number":
		if v, ok := numberOf(n); ok {
			return v, true
		}
		d.fault(n, mismatch(m, typ, "write a number, for example 1.5"))
	case "boolean":
		if tag == boolTag {
			return strings.EqualFold(n.Value, "true"), true
		}
		d.fault(n, mismatch(m, typ, booleanFor(n)))
	default:
		if tag != "" && tag != nullTag {
			d.lost(m)
			return n.Value, true
		}
		fix := "write a string, or remove the value"
		if m.comment != "" { // # begins it
			fix = "quote the value"
		}
		d.fault(n, mismatch(m, "string", fix))
	}
	return nil, false
}

func found(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "key: value pairs"
	case n.Kind == yaml.SequenceNode && len(n.Content) == 0:
		return "an empty list"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Kind == yaml.ScalarNode && n.ShortTag() == nullTag:
		return "no value"
	}
	return phrase.Quote(n.Value)
}

// booleanFor returns the fix for a value that is not true or false.
func booleanFor(n *yaml.Node) string {
	switch strings.ToLower(n.Value) {
	case "yes", "on", "y", "1":
		return "write true"
	case "no", "off", "n", "0":
		return "write false"
	case "true", "false":
		return "remove the quotes"
	}
	return "write true or false"
}

func mismatch(m member, typ, fix string) error {
	if _, err := strconv.ParseFloat(m.value.Value, 64); err == nil && m.value.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
		fix = "remove the quotes"
	}
	return hint.New(fix, "%s must match type: %s, got %s", m.key, typ, found(m.value))
}

func duplicateKey(key *yaml.Node, first int) error {
	return hint.New("remove one", "duplicate key %q (first defined on line %d)", key.Value, first)
}

func emptyValue(key string) error {
	return hint.New("write a value, or remove the key", "%s is empty", key)
}

func notInJSON(n *yaml.Node) error {
	return hint.New("quote the value", "%q cannot be represented in JSON", n.Value)
}

var errNesting = fmt.Errorf("value exceeds the limit of %d nested levels", maxNesting)

func raw(v any) json.RawMessage {
	text, _ := json.Marshal(v) // every value of typed can be written
	return text
}

func (d decoder) icons(m member) (icons []prompts.Icon, lines []int) {
	for _, e := range d.elements(m) {
		var icon prompts.Icon
		for _, m := range d.members(e.value, "icon", []string{"src", "mimeType", "sizes", "theme"}) {
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

func (d decoder) meta(m member) prompts.Meta {
	if m.value.Kind != yaml.MappingNode {
		d.fault(m.value, fmt.Errorf("%s must be key: value pairs, got %s", m.key, found(m.value)))
		return nil
	}
	if !fewer(m.value, new(int)) {
		d.fault(m.value, fmt.Errorf("%s has too many values (limit %d)", m.key, maxMetaValues))
		return nil
	}
	v, _ := d.any(m.value, 0).(map[string]any)
	return v
}

// maxMetaValues is the maximum number of keys and values of a meta: each may take 400
// bytes of memory.
const maxMetaValues = 10_000

func fewer(n *yaml.Node, count *int) bool {
	for _, c := range n.Content {
		if *count++; *count > maxMetaValues || !fewer(c, count) {
			return false
		}
	}
	return true
}

// any returns a value as encoding/json would decode it.
func (d decoder) any(n *yaml.Node, depth int) any {
	if depth > maxNesting {
		d.fault(n, errNesting)
		return nil
	}
	switch n.Kind {
	case yaml.MappingNode:
		v, lines := make(map[string]any, len(n.Content)/2), map[string]int{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			if key.Kind != yaml.ScalarNode {
				d.fault(key, fmt.Errorf("key in meta must be a string, got %s", found(key)))
				continue
			}
			if _, twice := v[key.Value]; twice {
				d.fault(key, duplicateKey(key, lines[key.Value]))
			}
			v[key.Value], lines[key.Value] = d.any(n.Content[i+1], depth+1), d.lineOf(key)
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
		d.fault(n, notInJSON(n))
	}
	return n.Value
}
