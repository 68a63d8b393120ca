package promptfs

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/mcp-prompts/prompts/internal/explain"
	"github.com/mcp-prompts/prompts/internal/hint"
	"github.com/mcp-prompts/prompts/internal/phrase"
	"github.com/mcp-prompts/prompts/internal/promptfile"
)

// split parts a file into its front matter, which begins in line 2, and what
// follows, with the line in which that begins.
func split(text string, f *fileErrors) (front string, has bool, body string, line int, ok bool) {
	front, body, line = promptfile.Split(text)
	switch first, blank := trimmed(text); {
	case line == 0:
		f.add(1, hint.New("write a line --- after the front matter", "front matter is not closed"))
		return "", true, "", 0, false
	case line == 1 && blank > 0 && isFrontMatter(first):
		f.add(blank+1, hint.New("remove the blank lines above, or write *** for a horizontal rule", "front matter must start on line 1"))
		return "", false, "", 0, false
	case line == 1:
		if n := explain.Below(text); n > 0 {
			f.add(n, hint.New(explain.Above, "front matter must start on line 1"))
			return "", false, "", 0, false
		}
	}
	return front, line > 1, body, line, true
}

// isFrontMatter reports whether a text begins with what would be front matter.
func isFrontMatter(text string) bool {
	first, rest, _ := strings.Cut(text, "\n")
	return strings.TrimRight(first, " \t") == "---" && (strings.HasPrefix(rest, "---") || strings.Contains(rest, "\n---"))
}

// readYAML reads front matter, which is one mapping, or nothing. Lines of
// nodes are one less than in the file.
func readYAML(front string, f *fileErrors) (mapping *yaml.Node, ok bool) {
	f.yaml = strings.Split(front, "\n")
	noun, example := "front matter", "title: Code review"
	if f.isYAML {
		noun, example = "file", "cases: and the cases below it"
	}
	fault := func(err error) (*yaml.Node, bool) {
		line, message := 1, err.Error()
		if e := (*yaml.LoadError)(nil); errors.As(err, &e) {
			line, message = e.Mark.Line, e.Message
			if strings.Contains(message, explain.OpenQuote) || strings.Contains(message, explain.NoColon) {
				line = e.ContextMark.Line // where the quotes, or the key, begin
			}
		}
		// YAML has line ends that are not counted here, and may find an error after the last line.
		line = min(max(line, 1), len(f.yaml))
		line, err = explain.YAML(message, f.yaml, line, slices.Concat(promptfile.Keys, argumentKeys))
		f.add(f.lineOf(line), err)
		return nil, false
	}
	loader, err := yaml.NewLoader(strings.NewReader(front))
	if err != nil {
		return fault(err)
	}
	var document, second yaml.Node
	switch err := loader.Load(&document); {
	case errors.Is(err, io.EOF):
		return nil, true
	case err != nil:
		return fault(err)
	}
	switch err := loader.Load(&second); {
	case err == nil:
		f.add(f.lineOf(min(max(second.Line, 1), len(f.yaml)-1)), hint.New("remove the line that ends the first document", "%s must be a single YAML document", noun))
		return nil, false
	case !errors.Is(err, io.EOF):
		return fault(err)
	}
	switch n := document.Content[0]; {
	case n.Kind == yaml.MappingNode:
		return n, true
	case n.Kind == yaml.ScalarNode && n.ShortTag() == nullTag:
		return nil, true
	default:
		f.add(f.lineOf(max(n.Line, 1)), hint.New("write lines such as "+example, "%s must be key: value pairs, got %s", noun, found(n)))
		return nil, false
	}
}

// lost notes the text that a comment cuts off a value, if the value is a text for readers or an
// element of a list.
func (d decoder) lost(m member) {
	if slices.Contains([]string{"title", "description", "default", "example"}, m.key) || strings.HasPrefix(m.key, elementOf) {
		d.cut(m)
	}
}

// lostIn notes the texts that comments cut off the values in a node. isTest says that the node
// is of a test file, in which every text counts but for words of a fixed set.
func (d decoder) lostIn(key string, n *yaml.Node, isTest bool) {
	switch {
	case isTest && slices.Contains([]string{"roles", "error", "action", "schema"}, key):
	case n.Kind == yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			d.lostIn(n.Content[i].Value, n.Content[i+1], isTest)
		}
	case n.Kind == yaml.SequenceNode:
		for _, c := range n.Content {
			d.lostIn(elementOf+strings.TrimPrefix(key, elementOf), c, isTest)
		}
	case !isString(n):
	case isTest:
		d.cut(member{key: key, value: n})
	default:
		d.lost(member{key: key, value: n})
	}
}

func (d decoder) cut(m member) {
	const literal = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	n := m.value
	if len(d.faults.warnings) == maxErrors || n.LineComment == "" || n.Style&literal != 0 {
		return
	}
	line := n.Line // the value may have more lines
	for _, text := range d.faults.yaml[min(max(n.Line-1, 0), len(d.faults.yaml)):] {
		if strings.Contains(text, " #") {
			break
		}
		line++
	}
	d.faults.warnings = append(d.faults.warnings, newError(d.faults.path, d.faults.lineOf(line), 0,
		hint.New("quote the value, or write the comment on a line of its own", `" #" begins a comment, so %s ends before %s`, m.key, phrase.Quote(n.LineComment))))
}

// textOf returns the text of a file: without a byte order mark, and with LF at
// the end of its lines. Content that is not text is an error.
func textOf(content []byte, f *fileErrors) (text string, ok bool) {
	if !utf8.Valid(content) {
		const invalid = 0xff // is in no UTF-8
		marked := bytes.ToValidUTF8(content, []byte{invalid})
		valid := marked[:bytes.IndexByte(marked, invalid)]
		fix := "save the file as UTF-8"
		if strings.HasPrefix(f.path, "_partials/") {
			fix += ", or move the file out of _partials"
		}
		f.add(1+bytes.Count(valid, []byte("\n")), hint.New(fix, "file is not valid UTF-8"))
		return "", false
	}
	return promptfile.Text(content), true
}

// trimmed returns the text without the blank lines around it and without the
// end of its last line, and how many lines there were before it.
func trimmed(text string) (string, int) {
	rest := strings.TrimLeftFunc(text, unicode.IsSpace)
	before := text[:len(text)-len(rest)] // with the indentation of the first line
	if rest == "" {
		return "", strings.Count(before, "\n")
	}
	begin := strings.LastIndexByte(before, '\n') + 1
	end := len(strings.TrimRightFunc(text, unicode.IsSpace))
	spaces, _, _ := strings.Cut(text[end:], "\n") // at the end of the last line
	return text[begin : end+len(spaces)], strings.Count(before, "\n")
}
