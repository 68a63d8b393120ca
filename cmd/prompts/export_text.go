package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/hosts"
	"github.com/mcp-prompts/prompts/internal/sample"
	"github.com/mcp-prompts/prompts/internal/schema"
	"github.com/mcp-prompts/prompts/problem"
)

// placeholder begins each placeholder, and two digits end it. In a result they still have their marks.
const placeholder = "$9"

var (
	placed    = regexp.MustCompile(regexp.QuoteMeta(hosts.Mark(placeholder)) + `(\d\d)`)
	untrusted = regexp.MustCompile(`<(untrusted-\w+)>\n` + placed.String() + `\n`)
)

// parts returns literal parts of the text, and between two of them the position of an open argument.
func (e *exporting) parts(ctx context.Context, r *renderer, p *prompts.Prompt, open []prompts.Argument) (parts []string, err error) {
	values := map[string]string{}
	for i, a := range open {
		values[a.Name] = fmt.Sprintf("%s%02d", placeholder, 1+i)
	}
	result, _, cause, err := r.call(ctx, p.Name, values, prompts.CallOptions{ClientInfo: json.RawMessage(`{"name":"` + hosts.Prober + `"}`)})
	if err != nil {
		for _, wrong := range problem.Of(err) {
			if wrong.Reason == problem.Placeholder {
				return nil, e.notOpen(p, wrong.Argument)
			}
		}
		return nil, renderError(err, cause)
	}
	var texts []string
	for i, m := range result.Messages {
		t, ok := m.Content.(*prompts.Text)
		if !ok {
			return nil, fmt.Errorf("a message is no text, and commands of %s are text; serve the prompt over MCP", e.title)
		}
		label := ""
		if m.Role == prompts.RoleAssistant {
			label = "Assistant:\n"
		} else if i > 0 && result.Messages[i-1].Role == prompts.RoleAssistant {
			label = "User:\n"
		}
		texts = append(texts, label+strings.TrimSpace(t.Text))
	}
	text := strings.Join(texts, "\n\n")
	// The markers of untrusted are random, or a hash of the placeholder. A file needs the same ones each time.
	markers := map[string]string{}
	for _, m := range untrusted.FindAllStringSubmatch(text, -1) {
		sum := sha256.Sum256([]byte(p.Name + "\n" + m[2]))
		markers[m[1]] = "untrusted-" + hex.EncodeToString(sum[:8])
	}
	text = untrustedMarker.ReplaceAllStringFunc(text, func(m string) string { return cmp.Or(markers[m], m) })
	last := 0
	for _, at := range placed.FindAllStringSubmatchIndex(text, -1) {
		if n, _ := strconv.Atoi(text[at[2]:at[3]]); n >= 1 && n <= len(open) {
			parts = append(parts, text[last:at[0]], strconv.Itoa(n-1))
			last = at[1]
		}
	}
	return append(parts, text[last:]), nil
}

func (e *exporting) notOpen(p *prompts.Prompt, name string) error {
	why := "compared in the template"
	lines := e.lines(p.Source)
	line := computedLine(lines, name)
	for _, a := range p.Arguments {
		if a.Name != name {
			continue
		}
		if a.Sensitive {
			why, line = "sensitive", argumentLines(lines)[name]
		} else if of := typeOf(schema.Of(a.Schema)); of != "string" {
			why, line = "of the type "+of, argumentLines(lines)[name]
		}
	}
	return fmt.Errorf("%s%s is %s, so the prompt cannot be a command of %s; serve the prompt over MCP", atLine(line), name, why, e.title)
}

var (
	untrustedMarker = regexp.MustCompile(`untrusted-\w+`)

	templateAction = regexp.MustCompile(`\{\{.*?\}\}`)
	notInCommand   = regexp.MustCompile(`"[^"]*"|\.\w+`) // strings and fields
	templateWord   = regexp.MustCompile(`[a-z]\w*`)
)

// computedLine returns the first line that does more with an argument than print it or ask whether it has a value.
func computedLine(lines []string, name string) int {
	first, field := 0, regexp.MustCompile(`\.`+regexp.QuoteMeta(name)+`\b`)
	for i, line := range lines {
		for _, action := range templateAction.FindAllString(line, -1) {
			if !field.MatchString(action) && !strings.Contains(action, strconv.Quote(name)) {
				continue
			}
			if first == 0 {
				first = i + 1
			}
			for _, word := range templateWord.FindAllString(notInCommand.ReplaceAllString(action, ""), -1) {
				if !slices.Contains([]string{"if", "else", "and", "or", "not", "index", "untrusted", "fence"}, word) {
					return i + 1
				}
			}
		}
	}
	return first
}

type commandWriter struct {
	*exporting
	strings.Builder
	open   []prompts.Argument
	places []span // of what stands for the words of the user
	lost   string // a literal text that the client would change
}

func (w *commandWriter) literal(text string) {
	last := 0
	places, escaped := w.read(text)
	for _, at := range escaped {
		w.lost = text[at.from:at.to]
	}
	for _, at := range places {
		if w.escape != "" {
			w.WriteString(text[last:at.from] + w.escape)
			last = at.from
		}
	}
	w.WriteString(text[last:])
}

// read returns what the client would replace in a text, and of what it would leave out the escape.
func (w *commandWriter) read(text string) (places, escaped []span) {
	t := &commandText{format: w.format, body: text}
	t.read(nil)
	for _, p := range t.places {
		switch {
		case p.kind != placeText:
			places = append(places, p.span)
		case p.text != text[p.from:p.to]: // behind an escape
			escaped = append(escaped, p.span)
		}
	}
	return places, escaped
}

func (w *commandWriter) argument(n int, after string) {
	text := "<" + w.open[n].Name + ">"
	from := w.Len()
	switch {
	case len(w.open) == 1 && w.all != "":
		text = w.all
	case w.word != "" && w.wordIn != "" && wordStart.MatchString(after):
		text = fmt.Sprintf(w.wordIn, n+w.from)
	case w.word != "":
		text = fmt.Sprintf(w.word, n+w.from)
	default:
		w.WriteString(text)
		return
	}
	w.WriteString(text)
	w.places = append(w.places, span{from, w.Len()})
}

// end writes the arguments of which the model finds the values.
func (w *commandWriter) end() {
	if len(w.open) == 0 || w.all != "" && (len(w.open) == 1 || w.word != "") {
		return
	}
	w.WriteString("\n\nThe user writes after the command:")
	for _, a := range w.open {
		w.WriteString("\n- <" + a.Name + ">")
		if a.Description != "" {
			w.WriteString(": " + a.Description)
		}
		if values := sample.Finite(schema.Of(a.Schema)); values != nil {
			w.WriteString(" (" + strings.Join(values, ", ") + ")")
		}
	}
	if w.all != "" {
		from := w.Len() + len("\n\n")
		w.WriteString("\n\n" + w.all)
		w.places = append(w.places, span{from, w.Len()})
	}
}

// check returns an error unless the client replaces the places, and nothing else. lines are of the file.
func (w *commandWriter) check(lines []string) (notes []note, err error) {
	text := w.String()
	lineOf := func(s string) int {
		return 1 + slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, firstLineOf(s)) })
	}
	if w.lost != "" {
		return nil, fmt.Errorf("%stext has %s, which %s changes; serve the prompt over MCP", atLine(lineOf(w.lost)), w.lost, w.title)
	}
	isPlace := map[span]bool{}
	for _, at := range w.places {
		isPlace[at] = true
	}
	replaced, _ := w.read(text)
	for _, at := range replaced {
		if s := text[at.from:at.to]; !isPlace[at] {
			return nil, fmt.Errorf("%stext has %s, which %s replaces; serve the prompt over MCP", atLine(lineOf(s)), s, w.title)
		}
	}
	if len(replaced) < len(w.places) {
		return nil, fmt.Errorf("%s would not replace a placeholder next to the text around it; put a space between them", w.title)
	}
	for _, at := range spansOf(w.shell, text) {
		s := text[at.from:at.to]
		return nil, fmt.Errorf("%stext has %s, which %s runs in a shell; serve the prompt over MCP", atLine(lineOf(s)), firstLineOf(s), w.title)
	}
	stays := spansOf(w.stays, text)
	for i, at := range stays {
		s := text[at.from:at.to]
		if strings.HasPrefix(s, "@{") {
			return nil, fmt.Errorf("%stext has %s, which %s replaces by a file; serve the prompt over MCP", atLine(lineOf(s)), s, w.title)
		}
		switch {
		case i == 0 && len(stays) == 1:
			notes = append(notes, note{lineOf(s), fmt.Sprintf("%s may have an effect in %s", firstLineOf(s), w.title)})
		case i == 0:
			notes = append(notes, note{lineOf(s), fmt.Sprintf("%s and %s may have an effect in %s", firstLineOf(s), plural(len(stays)-1, "other text"), w.title)})
		}
	}
	return notes, nil
}

func firstLineOf(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
