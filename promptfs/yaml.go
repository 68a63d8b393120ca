package promptfs

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
	"golang.org/x/text/unicode/norm"

	"github.com/mcp-prompts/prompts/internal/hint"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/promptfile"
)

func init() { promptfile.ParseYAML = parseYAML }

// parseYAML is promptfile.ParseYAML. Each error is an [*Error].
func parseYAML(path string, content []byte) (value json.RawMessage, lineOf func(pointer string) int, err error) {
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
			at := pointer + "/" + phrase.PointerToken(n.Content[i].Value)
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

// ParseFrontmatter returns the front matter of a SKILL.md as a JSON object, for promptskills.Skill.
// Values have the types of YAML 1.2: yes and 2026-07-28 are strings, 0o17 is 15. The error joins
// all errors, each an [*Error] without a path: of what JSON does not have, such as .inf and keys
// that are no strings, and of anchors, aliases, tags, merge keys and duplicate keys.
func ParseFrontmatter(content []byte) (json.RawMessage, error) {
	front, _, f := frontmatterOf("", content)
	return front, join(f.all)
}

// frontmatterOf returns the front matter of a SKILL.md and the lines of its keys.
func frontmatterOf(path string, content []byte) (json.RawMessage, map[string]int, *fileErrors) {
	f := &fileErrors{path: path}
	text, ok := textOf(content, f)
	if !ok {
		return nil, nil, f
	}
	front, has, _, _, ok := split(text, f)
	if !ok {
		return nil, nil, f
	}
	if !has || !strings.HasPrefix(text, "---\n") {
		f.add(1, hint.New("write a line ---, lines with name: and description:, and a line ---", "skill must start with front matter"))
		return nil, nil, f
	}
	mapping, ok := readYAML(front, f)
	if !ok {
		return nil, nil, f
	}
	if mapping == nil {
		f.add(1, hint.New("add name: and description:", "front matter is empty"))
		return nil, nil, f
	}
	d := decoder{f, new(int)}
	if !d.plain(mapping) {
		return nil, nil, f
	}
	lines := map[string]int{}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if key := mapping.Content[i]; lines[key.Value] == 0 {
			lines[key.Value] = d.lineOf(key)
		}
	}
	dst := d.appendJSON(nil, mapping, 0)
	d.lostIn("", mapping, false)
	if len(f.all) > 0 {
		return nil, lines, f
	}
	return dst, lines, f
}

// appendJSON appends a value with its type of YAML 1.2, in the core schema.
func (d decoder) appendJSON(dst []byte, n *yaml.Node, depth int) []byte {
	if depth > maxNesting {
		d.fault(n, errNesting)
		return dst
	}
	switch n.Kind {
	case yaml.MappingNode:
		lines := map[string]int{}
		dst = append(dst, '{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			if before, twice := lines[key.Value]; twice {
				d.fault(key, duplicateKey(key, before))
			}
			if key.Kind != yaml.ScalarNode || !isString(key) {
				d.fault(key, hint.New("quote the key", "key must be a string, got %s", found(key)))
			}
			lines[key.Value] = d.lineOf(key)
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendText(dst, key.Value), ':')
			dst = d.appendJSON(dst, n.Content[i+1], depth+1)
		}
		return append(dst, '}')
	case yaml.SequenceNode:
		dst = append(dst, '[')
		for i, c := range n.Content {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = d.appendJSON(dst, c, depth+1)
		}
		return append(dst, ']')
	}
	if isString(n) {
		return appendText(dst, n.Value)
	}
	text, ok := jsonOf(n.Value)
	if !ok {
		d.fault(n, notInJSON(n))
	}
	return append(dst, text...)
}

func appendText(dst []byte, s string) []byte {
	text, _ := json.Marshal(s) // which a string never fails
	return append(dst, text...)
}

// The scalars of the core schema that are no strings.
var (
	coreConstant = regexp.MustCompile(`^(|~|null|Null|NULL|true|True|TRUE|false|False|FALSE)$`)
	coreInteger  = regexp.MustCompile(`^([-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$`)
	coreFloat    = regexp.MustCompile(`^([-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$`)
	jsonNumber   = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)
)

func isString(n *yaml.Node) bool {
	const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	return n.Style&quoted != 0 || !coreConstant.MatchString(n.Value) && !coreInteger.MatchString(n.Value) && !coreFloat.MatchString(n.Value)
}

// jsonOf returns a plain scalar that is no string as JSON, and whether JSON has such a value.
func jsonOf(v string) (string, bool) {
	switch strings.ToLower(v) {
	case "", "~", "null":
		return "null", true
	case "true", "false":
		return strings.ToLower(v), true
	}
	number, err := strconv.ParseFloat(v, 64)
	if strings.HasPrefix(v, "0o") || strings.HasPrefix(v, "0x") {
		n, err := strconv.ParseUint(v, 0, 64)
		return strconv.FormatUint(n, 10), err == nil
	}
	if err != nil || math.IsInf(number, 0) || math.IsNaN(number) {
		return "null", false
	}
	if jsonNumber.MatchString(v) {
		return v, true
	}
	if coreInteger.MatchString(v) { // +7 and 007
		sign, digits := "", strings.TrimLeft(v, "+-0")
		if v[0] == '-' && digits != "" {
			sign = "-"
		}
		return sign + max(digits, "0"), true
	}
	return strconv.FormatFloat(number, 'g', -1, 64), true
}
