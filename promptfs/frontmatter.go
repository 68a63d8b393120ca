package promptfs

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"go.yaml.in/yaml/v4"
)

// split parts a file into its front matter, which begins in line 2, and what
// follows, with the line in which that begins.
func split(text string, f *fileErrors) (front string, has bool, body string, line int, ok bool) {
	first, rest, _ := strings.Cut(text, "\n")
	if strings.TrimRight(first, " \t") != "---" {
		if first, blank := trimmed(text); blank > 0 && isFrontMatter(first) {
			f.add(blank+1, "front matter begins in line 1; remove the blank lines above it, or write *** for a line across the page")
			return "", false, "", 0, false
		}
		return "", false, text, 1, true
	}
	line = 2
	for at := 0; at < len(rest); line++ {
		l, after, more := strings.Cut(rest[at:], "\n")
		if strings.TrimRight(l, " \t") == "---" {
			return rest[:at], true, after, line + 1, true
		}
		if !more {
			break
		}
		at += len(l) + 1
	}
	f.add(1, "the front matter is not closed; write a line --- below it")
	return "", true, "", 0, false
}

// isFrontMatter reports whether a text begins with what would be front matter.
func isFrontMatter(text string) bool {
	first, rest, _ := strings.Cut(text, "\n")
	return strings.TrimRight(first, " \t") == "---" && (strings.HasPrefix(rest, "---") || strings.Contains(rest, "\n---"))
}

// readYAML reads front matter, which is one mapping, or nothing. Lines of
// nodes are one less than in the file.
func readYAML(front string, f *fileErrors) (mapping *yaml.Node, ok bool) {
	lines := strings.Count(front, "\n")
	fault := func(err error) (*yaml.Node, bool) {
		line, message := 1, err.Error()
		if e := (*yaml.LoadError)(nil); errors.As(err, &e) {
			line, message = e.Mark.Line, e.Message
			if strings.Contains(message, openQuote) {
				line = e.ContextMark.Line // where the quotes begin
			}
		}
		// YAML has line ends that are not counted here, and may find an error after the last line.
		line = min(max(line, 1), lines+1)
		advice := explain(message)
		if text := strings.Split(front, "\n")[line-1]; strings.HasPrefix(strings.TrimLeft(text, " "), "\t") {
			advice = "; indent with spaces, not with tabs"
		}
		f.add(1+line, "the front matter is not YAML: %s%s", message, advice)
		return nil, false
	}
	loader, err := yaml.NewLoader(bytes.NewReader([]byte(front)))
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
		f.add(1+min(max(second.Line, 1), lines), "the front matter has a second YAML document; write one")
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
		f.add(1+max(n.Line, 1), "the front matter must be keys with values; write lines such as title: Code review")
		return nil, false
	}
}

// openQuote is in the library's message about quotes that are not closed.
const openQuote = "unexpected end of stream"

// explanations say what to write instead, by what is in the library's message.
var explanations = []struct{ part, advice string }{
	{"mapping values are not allowed", `put a value with a colon into quotes, as in title: "Review: code", a space behind the colon of a key, and keys into one column`},
	{"cannot start any token", "put the value into quotes"},
	{"did not find expected key", "put keys into one column, and a value that begins with a quote or a bracket into quotes"},
	{"did not find expected '-' indicator", "put the keys of an element into one column"},
	{"did not find expected comment or line break", "put a value that begins with > or | into quotes"},
	{"block sequence entries are not allowed", "put a value that begins with - into quotes, and a list into the lines below its key"},
	{"did not find expected ',' or", "close the bracket"},
	{openQuote, "close the quotes"},
	{"unknown escape character", "write a backslash inside of single quotes"},
	{"unknown anchor", "put a value that begins with * into quotes"},
	{"could not find expected ':'", "write a colon and a space behind the key"},
}

// explain returns what to write instead, if that is known.
func explain(message string) string {
	for _, e := range explanations {
		if strings.Contains(message, e.part) {
			return "; " + e.advice
		}
	}
	return ""
}
