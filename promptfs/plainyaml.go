package promptfs

import (
	"strings"

	"go.yaml.in/yaml/v4"
)

// This file reads the YAML that nearly all front matter is: a key and a value on each
// line, and lists of these. It takes a third of the memory and time of the library, which
// reads everything else, and all that has errors.

// plainYAML reads lines such as
//
//	title: Review
//	tags: [code, go]
//	arguments:
//	  - name: code
//	    required: true
//
// It returns the mapping that the library would return, without columns and comments; or
// nil for text with anything else in it.
func plainYAML(front string) *yaml.Node {
	r := &plainReader{rest: front}
	if !r.next() || r.indent > 0 {
		return nil
	}
	mapping := r.mapping(0)
	if !r.isOver {
		return nil
	}
	return mapping
}

// plainReader reads lines.
type plainReader struct {
	rest   string
	text   string // of the line, without the spaces around it
	indent int
	line   int
	isOver bool // there is no further line
	nodes  []yaml.Node
}

// next goes to the next line with text. It returns false at the end.
func (r *plainReader) next() bool {
	for r.rest != "" {
		var line string
		line, r.rest, _ = strings.Cut(r.rest, "\n")
		r.line++
		text := strings.TrimLeft(line, " ")
		if text == "" {
			continue
		}
		r.indent, r.text = len(line)-len(text), strings.TrimRight(text, " ")
		return true
	}
	r.isOver = true
	return false
}

// node returns a node of the current line.
func (r *plainReader) node(kind yaml.Kind, style yaml.Style, value string) *yaml.Node {
	if len(r.nodes) == cap(r.nodes) {
		r.nodes = make([]yaml.Node, 0, 16) // the nodes before are where they were
	}
	r.nodes = append(r.nodes, yaml.Node{Kind: kind, Style: style, Value: value, Line: r.line})
	return &r.nodes[len(r.nodes)-1]
}

// plain returns a node for a scalar without quotes, or nil if only the library knows its
// type.
func (r *plainReader) plain(text string) *yaml.Node {
	tag := plainTag(text)
	if tag == "" || strings.Contains(text, " #") || strings.Contains(text, ": ") || text[len(text)-1] == ':' || !isPrintable(text) {
		return nil
	}
	n := r.node(yaml.ScalarNode, 0, text)
	n.Tag = tag
	return n
}

// plainTag returns the tag of text that begins with a letter, or of a short decimal; or
// the empty string.
func plainTag(text string) string {
	switch text {
	case "":
		return ""
	case "true", "false":
		return boolTag
	case "0":
		return intTag
	}
	const digits = "0123456789"
	if c := text[0]; c >= '1' && c <= '9' && len(text) < 10 && strings.Trim(text, digits) == "" {
		return intTag
	} else if c|0x20 < 'a' || c|0x20 > 'z' {
		return ""
	}
	for _, word := range [...]string{"true", "false", "null", "y", "n", "yes", "no", "on", "off", "inf", "infinity", "nan"} {
		if strings.EqualFold(text, word) {
			return ""
		}
	}
	return strTag
}

// mapping reads the keys that begin at the indentation, the first in the current line. It
// returns nil if it finds anything else.
func (r *plainReader) mapping(indent int) *yaml.Node {
	n := r.node(yaml.MappingNode, 0, "")
	for ok := true; ok && r.indent == indent && (indent == 0 || r.text[0] != '-'); {
		key, text, isMember := strings.Cut(r.text, ":")
		if !isMember || !isPlainKey(key) || text != "" && text[0] != ' ' {
			return nil
		}
		var value *yaml.Node
		k := r.node(yaml.ScalarNode, 0, key)
		if text = strings.TrimLeft(text, " "); text != "" {
			value = r.value(text)
			ok = r.next()
		} else if ok = r.next() && indent == 0 && strings.HasPrefix(r.text, "- "); ok { // else it may be null
			value = r.list(r.indent)
			ok = !r.isOver
		}
		if value == nil {
			return nil
		}
		n.Content = append(n.Content, k, value)
	}
	if !r.isOver && r.indent >= indent {
		return nil
	}
	return n
}

// list reads the items that begin at the indentation, the first in the current line.
func (r *plainReader) list(indent int) *yaml.Node {
	n := r.node(yaml.SequenceNode, 0, "")
	for ok := true; ok && r.indent == indent && strings.HasPrefix(r.text, "- "); {
		item := strings.TrimLeft(r.text[1:], " ")
		var value *yaml.Node
		if key, _, isMapping := strings.Cut(item, ":"); isMapping && isPlainKey(key) {
			r.indent, r.text = r.indent+len(r.text)-len(item), item
			value = r.mapping(r.indent)
			ok = !r.isOver
		} else {
			value = r.value(item)
			ok = r.next()
		}
		if value == nil {
			return nil
		}
		n.Content = append(n.Content, value)
	}
	if !r.isOver && r.indent > 0 {
		return nil
	}
	return n
}

// value reads a value in one line, which has text.
func (r *plainReader) value(text string) *yaml.Node {
	last := len(text) - 1
	switch first := text[0]; {
	case (first == '"' || first == '\'') && last > 0 && text[last] == first:
		inner := text[1:last]
		if strings.IndexByte(inner, first) >= 0 || first == '"' && strings.IndexByte(inner, '\\') >= 0 || !isPrintable(inner) {
			return nil
		}
		style := yaml.DoubleQuotedStyle
		if first == '\'' {
			style = yaml.SingleQuotedStyle
		}
		return r.node(yaml.ScalarNode, style, inner)
	case first == '[' && text[last] == ']':
		n := r.node(yaml.SequenceNode, yaml.FlowStyle, "")
		for item := range strings.SplitSeq(text[1:last], ",") {
			value := r.plain(strings.Trim(item, " "))
			if value == nil || strings.ContainsAny(item, "[]{}:") {
				return nil
			}
			n.Content = append(n.Content, value)
		}
		return n
	}
	return r.plain(text)
}

// isPlainKey reports whether a key is a string of ASCII letters, digits, _ and -.
func isPlainKey(key string) bool {
	for i := range len(key) {
		switch c := key[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-':
		default:
			return false
		}
	}
	return plainTag(key) == strTag
}

// isPrintable reports whether the text has no characters that break lines or that YAML
// does not allow.
func isPrintable(text string) bool {
	for _, r := range text {
		if r < ' ' || r > '~' && r < 0xa0 || r == 0x2028 || r == 0x2029 || r >= 0xfdd0 {
			return false
		}
	}
	return true
}
