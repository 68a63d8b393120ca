package promptfs

import (
	"encoding/json"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
	"golang.org/x/text/unicode/norm"
)

// ParseYAML returns a YAML file as JSON, and the line in the file of each value, by its JSON
// pointer, such as /cases/0/name; 0 if there is no such value. The line of a member is that of its
// key. ParseYAML is the parser of test files, for prompttest.CheckCases.
//
// Values have the types of YAML 1.2. A number that JSON writes in another way, such as 007, is a
// string. An empty file is null. The error joins all errors, each an [*Error] with the path:
// anchors, aliases, tags, merge keys, duplicate keys, and text that is not YAML.
//
// In a test file, *.test.yaml, the name of the prompt is in NFC, as in a [Folder]. If the name of the
// file is in NFD, the value has the key prompt.
func ParseYAML(path string, content []byte) (value json.RawMessage, lineOf func(pointer string) int, err error) {
	f := &fileErrors{path: path, isYAML: true}
	lines := map[string]int{}
	lineOf = func(pointer string) int { return lines[pointer] }
	text, ok := textOf(content, f)
	if !ok {
		return nil, lineOf, join(f.all)
	}
	mapping, ok := readYAML(text, f)
	if !ok {
		return nil, lineOf, join(f.all)
	}
	if mapping == nil {
		return json.RawMessage("null"), lineOf, nil
	}
	d := decoder{f, new(int)}
	if d.plain(mapping) {
		d.locate(mapping, "", lines)
		nameInNFC(path, mapping)
		value = d.appendJSON(nil, mapping, 0)
	}
	if len(f.all) > 0 {
		return nil, lineOf, join(f.all)
	}
	return value, lineOf, nil
}

// nameInNFC puts the name of the prompt of a test file into the form that names of prompts have.
func nameInNFC(path string, file *yaml.Node) {
	stem := len(path) - len(testExtension)
	if file.Kind != yaml.MappingNode || stem < 0 || !strings.EqualFold(path[stem:], testExtension) {
		return
	}
	for i := 0; i+1 < len(file.Content); i += 2 {
		if file.Content[i].Value == "prompt" {
			file.Content[i+1].Value = norm.NFC.String(file.Content[i+1].Value)
			return
		}
	}
	if name := norm.NFC.String(path[:stem]); name != path[:stem] { // macOS may have stored the name in NFD
		text := func(s string) *yaml.Node {
			return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle, Value: s}
		}
		file.Content = append(file.Content, text("prompt"), text(name))
	}
}

// testExtension is how the name of a test file ends.
const testExtension = ".test.yaml"

var escapePointer = strings.NewReplacer("~", "~0", "/", "~1")

// locate adds the lines of the values in n by their JSON pointers, and makes strings of
// numbers that JSON writes in another way.
func (d decoder) locate(n *yaml.Node, pointer string, lines map[string]int) {
	if lines[pointer] == 0 {
		lines[pointer] = d.lineOf(n)
	}
	switch {
	case strings.Count(pointer, "/") > maxNesting: // which appendJSON reports
	case n.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			at := pointer + "/" + escapePointer.Replace(n.Content[i].Value)
			lines[at] = d.lineOf(n.Content[i])
			d.locate(n.Content[i+1], at, lines)
		}
	case n.Kind == yaml.SequenceNode:
		for i, c := range n.Content {
			d.locate(c, pointer+"/"+strconv.Itoa(i), lines)
		}
	case coreInteger.MatchString(n.Value) || coreFloat.MatchString(n.Value):
		if !jsonNumber.MatchString(n.Value) {
			n.Style |= yaml.DoubleQuotedStyle
		}
	}
}
