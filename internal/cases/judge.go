package cases

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/mcp-prompts/prompts"
	"github.com/mcp-prompts/prompts/internal/golden"
	"github.com/mcp-prompts/prompts/internal/markdown"
	"github.com/mcp-prompts/prompts/problem"
)

type Failure struct {
	Line    int    // in the test file
	Message string // such as `contains: no message has "x := 1"`
	// Text is what was found instead, if it is one.
	Text string
	// Golden is the path of a golden file that differs or is missing. Want has the
	// file, and Text has what it would be.
	Golden, Want string
	// IsMissing is set if the golden file does not exist.
	IsMissing bool
}

// Check returns what is not as the case expects. err is the error that a client got, or
// nil. Golden files are read from fsys.
func (c *Case) Check(fsys fs.FS, result *prompts.Result, err *prompts.Error) []Failure {
	e := &c.Expect
	if e.Error != nil {
		return c.checkError(result, err)
	}
	if err != nil {
		return []Failure{{Line: c.lineOf(err), Message: "prompt returned an error: " + Describe(err)}}
	}
	texts := golden.Texts(result)
	failures := e.check(texts, strings.Join(texts, "\n"), "message")
	fail := func(line int, format string, args ...any) {
		failures = append(failures, Failure{Line: line, Message: fmt.Sprintf(format, args...)})
	}
	if e.Messages != nil && e.Messages.Value != len(result.Messages) {
		fail(e.Messages.Line, "messages: expected %d, got %d", e.Messages.Value, len(result.Messages))
	}
	if e.Roles != nil {
		want, got := make([]string, len(e.Roles)), make([]string, len(result.Messages))
		for i, role := range e.Roles {
			want[i] = role.Value
		}
		for i, m := range result.Messages {
			got[i] = string(m.Role)
		}
		if !slices.Equal(want, got) {
			fail(e.Roles[0].Line, "roles: expected %s, got %s", strings.Join(want, ", "), strings.Join(got, ", "))
		}
	}
	if e.JSON > 0 {
		if problem := checkBlocks(texts); problem != "" {
			fail(e.JSON, "json: %s", problem)
		}
	}
	if e.Equals != nil {
		failures = append(failures, c.checkGolden(fsys, golden.Format(withoutRelease(result)))...)
	}
	return failures
}

// withoutRelease returns a result without what a server adds of its release, which is
// another one after each change.
func withoutRelease(r *prompts.Result) *prompts.Result {
	bare := *r
	bare.Meta = maps.Clone(r.Meta)
	maps.DeleteFunc(bare.Meta, func(key string, _ any) bool { return strings.HasPrefix(key, "io.github.mcp-prompts/") })
	return &bare
}

func (c *Case) lineOf(err *prompts.Error) int {
	for _, name := range sortedKeys(problem.Reasons(err)) {
		if line := c.lines[name]; line > 0 {
			return line
		}
	}
	return c.Line
}

func (t *Texts) check(texts []string, all, noun string) []Failure {
	var failures []Failure
	fail := func(line int, text, format string, args ...any) {
		failures = append(failures, Failure{Line: line, Text: text, Message: fmt.Sprintf(format, args...)})
	}
	missing := func(what string) string {
		if noun == "message" {
			return "no message " + what
		}
		return noun + " does not " + map[string]string{"has": "have", "matches": "match"}[what]
	}
	for _, want := range t.Contains {
		if !slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, want.Value) }) {
			fail(want.Line, all, "contains: %s %q", missing("has"), want.Value)
		}
	}
	for _, want := range t.Excludes {
		for i, text := range texts {
			if at := strings.Index(text, want.Value); at >= 0 {
				line, _, _ := strings.Cut(text[strings.LastIndexByte(text[:at], '\n')+1:], "\n")
				fail(want.Line, line, "excludes: %s has %q", numbered(noun, i), want.Value)
				break
			}
		}
	}
	for _, want := range t.Matches {
		if !slices.ContainsFunc(texts, want.Pattern.MatchString) {
			fail(want.Line, all, "matches: %s %s", missing("matches"), want.Value)
		}
	}
	if t.MaxCharacters != nil {
		n := 0
		for _, text := range texts {
			n += utf8.RuneCountInString(text)
		}
		if n > t.MaxCharacters.Value {
			fail(t.MaxCharacters.Line, "", "maxCharacters: expected at most %d, got %d", t.MaxCharacters.Value, n)
		}
	}
	return failures
}

func numbered(noun string, i int) string {
	if noun == "message" {
		return fmt.Sprintf("message %d", i+1)
	}
	return noun
}

func (c *Case) checkError(result *prompts.Result, err *prompts.Error) []Failure {
	want := c.Expect.Error
	fail := func(format string, args ...any) []Failure {
		return []Failure{{Line: want.Line, Message: fmt.Sprintf(format, args...)}}
	}
	expected := want.Kind
	if expected == "" {
		expected = listed(want.Reasons)
	}
	if err == nil {
		return []Failure{{Line: want.Line, Message: fmt.Sprintf("error: expected %s, got no error", expected), Text: strings.Join(golden.Texts(result), "\n")}}
	}
	reasons := problem.Reasons(err)
	switch isUnknown := err.Code == prompts.CodeInvalidParams && len(reasons) == 0; {
	case want.Kind == kindUnknown && isUnknown, want.Kind == kindInternal && err.Code == prompts.CodeInternalError:
		return nil
	case want.Kind == "" && maps.Equal(want.Reasons, reasons):
		return nil
	case len(reasons) > 0:
		return fail("error: expected %s, got %s", expected, listed(reasons))
	}
	return fail("error: expected %s, got: %s", expected, Describe(err))
}

func listed(reasons map[string]problem.Reason) string {
	var all []string
	for _, name := range sortedKeys(reasons) {
		all = append(all, name+": "+string(reasons[name]))
	}
	return "{" + strings.Join(all, ", ") + "}"
}

func Describe(err *prompts.Error) string {
	var all []string
	for _, p := range problem.Of(err) {
		all = append(all, p.Argument+": "+p.Message)
	}
	if len(all) == 0 {
		return err.Message
	}
	return strings.Join(all, "; ")
}

func (c *Case) checkGolden(fsys fs.FS, got string) []Failure {
	e := c.Expect.Equals
	f := Failure{Line: e.Line, Golden: e.Value, Text: got}
	content, _, err := readFile(fsys, e.Value)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.IsMissing, f.Message = true, fmt.Sprintf("equals: %s does not exist", path.Base(e.Value))
	case err != nil:
		return []Failure{{Line: e.Line, Message: fmt.Sprintf("equals: cannot read %s: %v", e.Value, err)}}
	default:
		if f.Want = strings.ReplaceAll(string(content), "\r\n", "\n"); f.Want == got {
			return nil
		}
		f.Message = fmt.Sprintf("equals: messages differ from %s", path.Base(e.Value))
	}
	return []Failure{f}
}

// checkBlocks returns the first error of the JSON in texts: the blocks with a fence of
// json, or a text that is JSON as a whole.
func checkBlocks(texts []string) string {
	n := 0
	for i, text := range texts {
		if json.Valid([]byte(text)) {
			n++
			continue
		}
		for _, block := range blocks(text, "json") {
			n++
			var value any
			if err := json.Unmarshal([]byte(block), &value); err != nil {
				return fmt.Sprintf("block of message %d is not valid JSON: %v", i+1, err)
			}
		}
	}
	if n == 0 {
		return "no message has a block that begins with ```json"
	}
	return ""
}

// blocks returns the content of the fenced blocks of a language. A block without a fence
// at its end continues to the end of the text.
func blocks(text, language string) []string {
	var all []string
	for _, b := range markdown.Blocks(text) {
		if b.Language == language {
			all = append(all, b.Content)
		}
	}
	return all
}

// CheckAnswer returns what of a model's answer is not as the case expects. Commands print a
// line end after the answer, which is not part of the answer.
func (c *Case) CheckAnswer(answer string) []Failure {
	m := c.Model
	answer = strings.TrimSuffix(strings.TrimSuffix(answer, "\n"), "\r")
	failures := m.check([]string{answer}, answer, "answer")
	if m.Schema == nil {
		return failures
	}
	text := strings.TrimSpace(answer)
	if strings.HasPrefix(text, "```") { // as models write JSON
		for _, language := range []string{"json", ""} {
			if all := blocks(text, language); len(all) == 1 {
				text = all[0]
			}
		}
	}
	var value any
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	err := d.Decode(&value)
	if err == nil {
		if _, after := d.Token(); after != io.EOF { // More takes a } for the end
			err = fmt.Errorf("text after the JSON")
		}
	}
	if err == nil {
		err = m.Schema.Validate(value)
	}
	if err != nil {
		failures = append(failures, Failure{Line: m.Line, Text: answer, Message: fmt.Sprintf("schema: answer is not as the schema says: %v", err)})
	}
	return failures
}

// Replies answers the forms of one call with the answers of a case.
type Replies struct {
	mu    sync.Mutex // protects the fields below
	rest  []Answer
	unset []string // the messages of questions without an answer
	line  int
}

func (c *Case) Replies() *Replies {
	return &Replies{rest: slices.Clone(c.Answers), line: c.Line}
}

// Reply returns the result of elicitation/create for a question with this message: the first
// answer that is left and fits. Without one, the user cancels, and Failures reports it.
func (r *Replies) Reply(message string) map[string]any {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.rest, func(a Answer) bool { return strings.Contains(message, a.Message) })
	if i < 0 {
		r.unset = append(r.unset, message)
		return map[string]any{"action": "cancel"}
	}
	a := r.rest[i]
	r.rest = slices.Delete(r.rest, i, i+1)
	if a.Action != actions[0] {
		return map[string]any{"action": a.Action}
	}
	return map[string]any{"action": a.Action, "content": a.Content}
}

// Failures returns the questions without an answer, and the answers without a question.
func (r *Replies) Failures() []Failure {
	r.mu.Lock()
	defer r.mu.Unlock()
	var failures []Failure
	for _, message := range r.unset {
		failures = append(failures, Failure{Line: r.line, Message: fmt.Sprintf("answers: no answer to the question %q", message)})
	}
	if len(r.rest) > 0 {
		failures = append(failures, Failure{Line: r.line, Message: fmt.Sprintf("answers: %d more than the prompt asks questions", len(r.rest))})
	}
	return failures
}
